#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the tables of measured figures anew from what clsoftmax-limit measured.

    clsoftmax-limit --device gpu --peers peers.json --json limit.json
    python3 bench/figures.py limit.json README.md bench/FIGURES.md

A table stands between `<!-- figures: NAME -->` and `<!-- end of figures -->` in the files;
what the run did not measure is a dash.
"""
import json
import pathlib
import re
import sys

TYPES = "f32", "bf16"
SOME = 2, 64, 256, 1024, 4096, 32768, 50257, 16777216
OTHERS = 7, 1000, 16384, 65536, 128256, 131072, 262144, 268435456
LONG, SHORT = (1024, 4096, 32768, 50257, 131072), (10, 50, 100, 250)
FEW, FEW_COLS = (1, 4, 16, 64), (32000, 50257, 128256, 262144)
PIXELS = 2, 10, 21, 150
AXES = (256, 1024, 64), (64, 4096, 128), (4096, 100, 32), (16, 50257, 32)
BY_LENGTH = "aligned", "short", "vocabulary", "giant"


class Run:
    """The results of one run of clsoftmax-limit."""

    def __init__(self, path):
        self.results = json.loads(pathlib.Path(path).read_text())["results"]

    def find(self, groups, **wanted):
        """The first timed result of these groups with the fields that are named, or None."""
        return next((r for r in self.results if r["goals"] in groups and "of_copy" in r and
                     all(r[k] == v for k, v in wanted.items())), None)

    def kinds(self, groups):
        """Operations and forms of these groups, in the order of the run."""
        return dict.fromkeys((r["op"], r["form"]) for r in self.results if r["goals"] in groups)


def share(result):
    return f"{100 * result['of_copy']:.0f}%" if result else "-"


def row(*cells):
    return "| " + " | ".join(cells) + " |"


def table(head, rows):
    return [row(*head), "|" + "---|" * len(head), *rows]


def by_length(run, lengths):
    """GB/s, share and variant of each type; torch's time over ours."""
    rows = []
    for cols in lengths:
        found = [run.find(BY_LENGTH, type=t, cols=cols) for t in TYPES]
        cells = [f"{r['gb_per_s']:.0f}, {share(r)}, `{r['variant'].split(':')[0]}`"
                 if r else "-" for r in found]
        torch = [f"{r['peers']['torch'] / r['seconds']:.2f}"
                 if r and "torch" in r.get("peers", {}) else "-" for r in found]
        few = next((r["rows"] for r in found if r and r["rows"] < 64), 0)
        name = f"{cols} ({few} row{'s' * (few > 1)})" if few else str(cols)
        rows.append(row(name, *cells, " / ".join(torch)))
    head = "f32: GB/s, share of a copy, variant", "bf16: the same"
    return table(("columns", *head, "PyTorch's time over ours, f32 / bf16"), rows)


def family(run, groups, lengths):
    """The share of each operation and form that these groups have."""
    rows = []
    for op, form in run.kinds(groups):
        name = f"`{op}`" if form in ("plain", "in_place") else f"`{op}`, {form.replace('_', ' ')}"
        for t in TYPES:
            found = [run.find(groups, op=op, form=form, type=t, cols=c) for c in lengths]
            rows.append(row(name, t, *map(share, found)))
    return table(("operation", "type", *map(str, lengths)), rows)


def axes(run):
    """Microseconds and share."""
    rows = []
    for outer, cols, inner in AXES:
        found = [run.find(("axis",), rows=outer, cols=cols, inner=inner, type=t) for t in TYPES]
        rows.append(row(f"{outer} x {cols} x {inner}",
                        *(f"{1e6 * r['seconds']:.1f}, {share(r)}" if r else "-" for r in found)))
    return table(("shape", *TYPES), rows)


def pixels(run):
    """The same of each operation, and PyTorch's time over it."""
    rows = []
    for op, form in run.kinds(("pixels",)):
        for t in TYPES:
            cells = []
            for cols in PIXELS:
                r = run.find(("pixels",), op=op, form=form, type=t, cols=cols)
                torch = r["peers"]["torch"] / r["seconds"] if r and "torch" in r.get("peers", {}) else 0
                cells.append(f"{1e6 * r['seconds']:.1f}, {share(r)}" +
                             (f", {torch:.2f}" if torch else "") if r else "-")
            rows.append(row(f"`{op}`", t, *cells))
    shapes = {r["cols"]: f"{r['rows']} x {r['cols']} x {r['inner']}"
              for r in run.results if r["goals"] == "pixels"}
    return table(("operation", "type", *(shapes.get(c, str(c)) for c in PIXELS)), rows)


def against(result, peers):
    """Microseconds, and the times of these peers over them."""
    if not result:
        return "-"
    times = result.get("peers", {})
    return ", ".join([f"{1e6 * result['seconds']:.1f}"] +
                     [f"{times[p] / result['seconds']:.2f}" if p in times else "-" for p in peers])


def few_rows(run):
    rows = []
    for count, cols in ((n, c) for c in FEW_COLS for n in FEW):
        found = [run.find(("decode",), rows=count, cols=cols, type=t) for t in TYPES]
        rows.append(row(f"{count} x {cols}", *(against(r, ("torch", "triton")) for r in found)))
    return table(("shape", *TYPES), rows)


def largest(run):
    rows = []
    kinds = {(r["cols"], r["rows"], 1 if r["form"] == "plain" else int(r["form"][1:]), r["form"])
             for r in run.results if r["goals"] == "largest"}
    for cols, count, k, form in sorted(kinds):
        found = [run.find(("largest",), rows=count, cols=cols, form=form, type=t) for t in TYPES]
        rows.append(row(f"{k} of {count} x {cols}",
                        *(against(r, ("torch", "jax")) for r in found)))
    return table(("shape", *TYPES), rows)


TABLES = {"lengths": lambda run: by_length(run, SOME),
          "other lengths": lambda run: by_length(run, OTHERS),
          "family": lambda run: family(run, ("family", "forms"), LONG),
          "short rows": lambda run: family(run, ("narrow",), SHORT),
          "few rows": few_rows,
          "largest": largest,
          "middle axes": axes,
          "pixels": pixels}


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    run = Run(sys.argv[1])
    for path in map(pathlib.Path, sys.argv[2:]):
        def anew(mark):
            return "\n".join([mark[1], *TABLES[mark[2]](run), mark[3]])
        text = path.read_text()
        path.write_text(re.sub(
            r"(<!-- figures: (.+?) -->)\n.*?(<!-- end of figures -->)", anew, text,
            flags=re.DOTALL))


if __name__ == "__main__":
    main()
