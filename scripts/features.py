#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""FEATURES.md's tables, made from the device tests' own list of trials.

    features.py DEVICE_TESTS FEATURES.md          print what is wrong, exit status 1
    features.py DEVICE_TESTS FEATURES.md --write  put the tables into the file

The tests are asked to tell their trials instead of running them (CLSM_TEST_LIST=1), so a
cell stands in the table only if a trial that must pass stands behind it. Exit status 77
without a device, or (but not with CI set) without one that runs all mappings of the tables."""
import collections
import os
import pathlib
import subprocess
import sys

SUITES = ["edges", "forms", "family"]
BEGIN, END = "<!-- features -->\n", "<!-- end of features -->\n"
TYPES = ["f32", "f16", "bf16", "f64"]
MAPPINGS = ["item", "tree", "subgroup", "group", "online", "reverse", "registers", "split",
            "cluster", "staged", "packed", "strided", "spatial", "strided_split", "wide", "fused", "wide_split",
            "lines", "transposed", "neighbours"]

# What the peers have, from their sources and documentation as surveyed in 2026: y yes, - no,
# p in part (the note says how). PyTorch CUDA, cuDNN, oneDNN GPU, MIOpen (OpenCL), ggml
# (OpenCL), Liger or QuACK.
PEERS = ["PyTorch", "cuDNN", "oneDNN", "MIOpen", "ggml", "Liger, QuACK"]
OPERATIONS = {
    "softmax": "y y y y y y",
    "log_softmax": "y y y y - -",
    "deferred_softmax": "- - - - y -",
    "log_sum_exp": "y - p - p p",
    "statistics": "- - p - p -",
    "merge_statistics": "- - - - - -",
    "finish_softmax": "- - - - - -",
    "finish_log_softmax": "- - - - - -",
    "softmax_backward": "y y y y ? y",
    "log_softmax_backward": "y y y y - -",
    "cross_entropy": "p - - - ? y",
    "cross_entropy_loss": "y - - - ? y",
    "topk": "p - - - - p",
}
FORMS = [
    ("any axis (inner > 1)", ["axis"], "y p y y - -"),
    ("padded rows and matrices, strides apart", ["padded", "matrices"], "- ? p y p p"),
    ("y in the place of x, or of dy", ["x-in-place", "dy-in-place"], "- ? y ? y p"),
    ("zeros for rows of nothing but -inf", ["limit"], "p - y - p -"),
    ("scale, temperature", ["scale", "temperature"], "- y p - y p"),
    ("temperature per row, 0 = argmax", ["temperatures"], "- - - - - -"),
    ("soft cap", ["softcap"], "- - - - - p"),
    ("additive mask f32, f16, broadcast", ["mask-f32", "mask-f16"], "p - - - y -"),
    ("boolean mask, broadcast", ["mask-bool"], "p - - - - -"),
    ("causal with offset, sliding window", ["causal", "window"], "- - - - - -"),
    ("ALiBi", ["alibi"], "- - - - y -"),
    ("attention sinks", ["sinks"], "- - - - y -"),
    ("max, sum, log-sum-exp beside y", ["statistics"], "- - p - p p"),
    ("class weights", ["weights"], "y - - - - y"),
    ("label smoothing", ["smoothing"], "y - - - - y"),
    ("z-loss", ["z-loss"], "- - - - - y"),
    ("i64 targets", ["i64"], "y - - - - y"),
]


def trials(command):
    """(op, variant, x, y, features), of plain devices and with lanes in local memory"""
    found = set()
    for lanes in ("", "local"):
        environment = {**os.environ, "CLSM_TEST_LIST": "1", "CLSM_SUBGROUPS": lanes}
        environment.pop("CLSM_TEST_EXHAUSTIVE", None)
        done = subprocess.run([command, *SUITES], env=environment, text=True,
                              capture_output=True)
        if "# SKIP" in done.stdout:
            sys.exit(77)
        if done.returncode:
            sys.exit(done.stdout[-2000:] + done.stderr)
        for line in done.stdout.splitlines():
            if line.startswith("# trial "):
                op, variant, x, y, *features = line.split()[2:]
                names = frozenset(f for f in "".join(features).split(",") if f)
                found.add((op, variant, x, y, names))
    if not any("f64" in trial[2:4] for trial in found):
        print("skipped: no device has cl_khr_fp64, which the table says of all types")
        sys.exit(77)
    return found


def mark(cell):
    return {"y": "yes", "p": "in part", "-": "-", "?": "?"}[cell]


def listed(have, want):
    return "all" if set(want) <= have else ", ".join(w for w in want if w in have) or "-"


def tables(found):
    ops = collections.defaultdict(lambda: collections.defaultdict(set))
    forms = collections.defaultdict(lambda: (set(), set()))
    for op, variant, x, y, features in found:
        facts = ops[op]
        facts["types"].add(x)
        facts["apart"].add(x != y)
        facts["mappings"].add(variant)
        facts["features"] |= features
        for feature in features:
            forms[feature][0].add(op)
            forms[feature][1].add(variant)
    head = ["operation", "types", "x, y apart", "mappings", "any axis", "in place"]
    yield row(head + PEERS)
    yield row(["---"] * (len(head) + len(PEERS)))
    for op, peers in OPERATIONS.items():
        f = ops[op]
        places = [p.split("-")[0] for p in ("x-in-place", "dy-in-place") if p in f["features"]]
        yield row([f"`{op}`", listed(f["types"], TYPES), "yes" if True in f["apart"] else "-",
                   listed(f["mappings"], MAPPINGS), "yes" if "axis" in f["features"] else "-",
                   ", ".join(places) or "-"] + [mark(p) for p in peers.split()])
    yield ""
    yield row(["layout or form", "operations", "mappings"] + PEERS)
    yield row(["---"] * (3 + len(PEERS)))
    for name, features, peers in FORMS:
        have_ops = set().union(*(forms[f][0] for f in features))
        have_mappings = set().union(*(forms[f][1] for f in features)) - {"any"}
        missing = [f for f in features if not forms[f][0]]
        cells = [name, f"{len(have_ops)} of {len(OPERATIONS)}",
                 listed(have_mappings, MAPPINGS) if not missing else "-"]
        yield row(cells + [mark(p) for p in peers.split()])
    unknown = set(ops) - set(OPERATIONS)
    if unknown:
        sys.exit(f"not in this script's list: {', '.join(sorted(unknown))}")


def row(cells):
    return "| " + " | ".join(cells) + " |"


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    command, path = sys.argv[1], pathlib.Path(sys.argv[2])
    text = path.read_text()
    found = trials(command)
    made = "\n".join(tables(found)) + "\n"
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    if "--write" in sys.argv:
        path.write_text(before + BEGIN + made + END + after)
    elif old != made:
        absent = [m for m in MAPPINGS if m not in {trial[1].split(":")[0] for trial in found}]
        if absent and not os.environ.get("CI"):
            print("not compared: no device here runs", ", ".join(absent), file=sys.stderr)
            sys.exit(77)
        sys.exit(f"{path} says\n{old}\nbut the tests' trials give\n{made}")


main()
