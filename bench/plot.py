#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""GB/s over row length: ours, the copy and the peers, a panel for each type.

    clsoftmax-limit --sweep --only sweep --peers peers.json --json sweep.json
    python3 bench/plot.py sweep.json bench/speed      # writes bench/speed.png and .svg

Ink and lines are of middle brightness on no ground, readable on white and on black. The
exit status is 77 without matplotlib.
"""
import argparse
import json
import pathlib
import sys

try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError as error:
    print(f"plot.py: {error}", file=sys.stderr)
    sys.exit(77)

INK = "#808890"
OURS, COPY = "clsoftmax", "copy"
STYLES = {  # colour, width, dashes
    OURS: ("#e0457b", 2.4, "-"),
    COPY: (INK, 1.4, "--"),
    "torch": ("#e08a1e", 1.3, "-"),
    "torch.compile": ("#b3a125", 1.3, "-"),
    "triton": ("#3f8fe0", 1.3, "-"),
    "jax": ("#2fa36b", 1.3, "-"),
    "cudnn": ("#9a6fd8", 1.3, "-"),
}
OTHER = ("#4fa3a8", 1.3, ":")


def lines_of(results):
    """{type: {name: [(cols, GB/s)]}} of the sweep."""
    panels = {}
    for r in sorted(results, key=lambda r: r["cols"]):
        if r["goals"] != "sweep" or "gb_per_s" not in r:
            continue
        lines = panels.setdefault(r["type"], {})
        speeds = {OURS: r["gb_per_s"], COPY: r["copy_gb_per_s"]}
        for name, seconds in r.get("peers", {}).items():
            speeds[name] = r["bytes"] / seconds * 1e-9
        for name, speed in speeds.items():
            line = lines.setdefault(name, {})
            line[r["cols"]] = speed  # one point a length: scaled-down sweeps repeat theirs
    return panels


def draw_panel(axes, kind, lines):
    order = sorted(lines, key=lambda name: (name not in (COPY, OURS), name))
    for name in order:
        colour, width, dashes = STYLES.get(name, OTHER)
        axes.plot(list(lines[name]), list(lines[name].values()), dashes, color=colour,
                  linewidth=width, label=name, zorder=3 if name == OURS else 2)
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    axes.set_title(kind)
    axes.set_xlabel("row length")
    axes.grid(color=INK, alpha=0.25, linewidth=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def draw(panels, device):
    pyplot.rcParams.update({
        "svg.fonttype": "none", "svg.hashsalt": "clsoftmax", "font.size": 10,
        "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK,
        "xtick.color": INK, "ytick.color": INK, "axes.facecolor": "none"})
    figure, all_axes = pyplot.subplots(1, len(panels), figsize=(4.6 * len(panels), 3.8),
                                       sharey=True, squeeze=False)
    for axes, (kind, lines) in zip(all_axes[0], sorted(panels.items(), reverse=True)):
        draw_panel(axes, kind, lines)
    all_axes[0][0].set_ylabel("GB/s")
    names = {}
    for axes in all_axes[0]:
        names.update({label: handle for handle, label in zip(*axes.get_legend_handles_labels())})
    figure.suptitle(f"softmax on {device}", fontsize=10)
    figure.legend(names.values(), names, loc="lower center", ncols=max(1, len(names)),
                  frameon=False)
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    return figure


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("results", type=pathlib.Path, help="what clsoftmax-limit --json wrote")
    p.add_argument("output", help="the two files' name without its ending")
    o = p.parse_args()
    whole = json.loads(o.results.read_text())
    panels = lines_of(whole["results"])
    if not panels:
        sys.exit(f"{o.results} has no sweep: clsoftmax-limit --sweep times it")
    figure = draw(panels, whole["device"]["name"])
    for ending, extra in (("png", {"dpi": 144}), ("svg", {"metadata": {"Date": None}})):
        path = f"{o.output}.{ending}"
        figure.savefig(path, transparent=True, **extra)
        print(f"{path}: {pathlib.Path(path).stat().st_size} bytes")


if __name__ == "__main__":
    main()
