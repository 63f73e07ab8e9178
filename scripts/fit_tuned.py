#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Propose rows for src/tuned.def from what `clsoftmax compare --random --json` measured.

    clsoftmax compare --random 300 --device gpu --json regret.json
    scripts/fit_tuned.py regret.json [more.json ...]

For each kind of operation (enum op_kind of src/tuned.h), and apart for each element size
where that pays, the row lengths are cut into ranges by dynamic programming. A range takes
the configuration whose regrets have the least geometric mean, or two of them: one from a
number of rows on, or one for each element size. Each record costs a penalty, in units of the sum of log regrets. Regrets
are held against the best configuration of each problem, and shown also for problems that
the records were not made from (cross-validation). What was not measured counts as --unknown
times the best. A record for few rows has rows_min 1, so that plans that do not know their
rows are left to the estimate. Needs NumPy only.
"""
import argparse
import functools
import json
import math

import numpy as np

ROWS = (32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
PENALTIES = (0.03, 0.1, 0.3, 1.0)
MOST_COLS = 1 << 31
LISTS = ((1, "3"), (4, "CLSM_MAX_K"))  # largest elements that have records together
ANY = 0


def kind_of(problem):
    """As kind_of() of src/tuned.c."""
    if problem["y"] == "k":
        return "LISTS %d, %s" % max(ends for ends in LISTS if ends[0] <= problem["k"])
    if problem["y"] != "row":
        if problem["has_dy"]:
            return "READS_TWO"
        return "WRITES_ONE" if problem["y"] == "one" else "READS_ONLY"
    if problem["has_dy"]:
        return "SUMS_ONLY"
    if problem["has_targets"]:
        return "WRITES_GRADIENT"
    if problem["op"].startswith("finish"):
        return "FINISHES"
    kinds = {"softmax": "WRITES_SOFTMAX", "log_softmax": "WRITES_LOGS",
             "deferred_softmax": "WRITES_WITH_SUM"}
    return kinds.get(problem["op"], "WRITES_ROW")


class Group:
    """Problems, shortest rows first, and the log regret of each configuration on each."""

    def __init__(self, problems, unknown):
        self.problems = sorted(problems, key=lambda p: p["cols"])
        self.unknown = unknown
        times = [{t["variant"]: t["seconds"] for t in p["timings"] if "seconds" in t}
                 for p in self.problems]
        self.names = sorted({name for t in times for name in t})
        self.cols = np.array([p["cols"] for p in self.problems])
        self.rows = np.array([p["rows"] for p in self.problems])
        self.loss = np.full((len(times), len(self.names)), math.log(unknown))
        for i, (p, t) in enumerate(zip(self.problems, times)):
            for k, name in enumerate(self.names):
                if name in t:  # a time below the best one's was luck, see tools/regret.c
                    self.loss[i, k] = max(0, math.log(t[name] / t[p["best"]]))
        self.chosen = np.array([math.log(p["regret"]) for p in self.problems])

    def part(self, keep):
        return Group([self.problems[i] for i in keep], self.unknown)

    @functools.cached_property
    def by_size(self):
        """Element size: the problems of that size alone."""
        sizes = sorted({p["element_bytes"] for p in self.problems})
        return {size: self.part([i for i, p in enumerate(self.problems)
                                 if p["element_bytes"] == size]) for size in sizes}

    def cuts(self):
        """What tells two records of one range apart: the problems of the first, and of each
        record (element_bytes, rows_min)."""
        bytes_of = np.array([p["element_bytes"] for p in self.problems])
        by_rows = [(self.rows >= k, (ANY, k), (ANY, 1))
                   for k in ROWS if self.rows.min() < k <= self.rows.max()]
        small, large = bytes_of.min(), bytes_of.max()
        by_bytes = [(bytes_of == small, (int(small), 0), (int(large), 0))]
        return by_rows + (by_bytes if small < large else [])

    @functools.cached_property
    def ranges(self):
        """For each first and last problem of a range of row lengths: the best with one record
        and with two, each as (sum of log regrets, [(bytes, rows_min, configuration), ...])."""
        cuts = self.cuts()
        masks = np.stack([np.ones(len(self.rows), bool)] + [mask for mask, _, _ in cuts])
        sums = np.cumsum(self.loss * masks[:, :, None], 1)  # (masks, problems, configurations)
        sums = np.concatenate([np.zeros_like(sums[:, :1]), sums], 1)
        found = {}
        for i in range(len(self.rows)):
            for j in range(i, len(self.rows)):
                part = sums[:, j + 1] - sums[:, i]
                one = (part[0].min(), [(ANY, 0, int(part[0].argmin()))])
                found[i, j] = (one, self.split(cuts, part))
        return found

    @staticmethod
    def split(cuts, part):
        if not cuts:
            return math.inf, []
        first, second = part[1:], part[0] - part[1:]
        sums = first.min(1) + second.min(1)
        k = int(sums.argmin())
        return sums[k], [(*cuts[k][1], int(first[k].argmin())),
                         (*cuts[k][2], int(second[k].argmin()))]


class Record:
    def __init__(self, element_bytes, rows_min, cols_min, cols_max, config):
        self.element_bytes, self.rows_min = element_bytes, rows_min
        self.cols_min, self.cols_max, self.config = cols_min, cols_max, config

    def serves(self, p):
        return (self.element_bytes in (ANY, p["element_bytes"]) and p["rows"] >= self.rows_min
                and self.cols_min <= p["cols"] <= self.cols_max)


def round_between(low, high):
    """The roundest number in [low, high): a range's last length."""
    step = 1
    while (low + 2 * step - 1) // (2 * step) * (2 * step) < high:
        step *= 2
    return (low + step - 1) // step * step


def fit(g, element_bytes, penalty):
    """(cost, records), by dynamic programming over where ranges end."""
    n = len(g.cols)
    costs = {at: min(((cost + len(found) * penalty, found) for cost, found in both),
                     key=lambda one: one[0]) for at, both in g.ranges.items()}
    ends = [j for j in range(n) if j + 1 == n or g.cols[j] < g.cols[j + 1]]
    total = {-1: (0.0, None)}
    for j in ends:
        total[j] = min((total[i][0] + costs[i + 1, j][0], i) for i in total)
    records, j = [], n - 1
    while j >= 0:
        i = total[j][1]
        low = 1 if i < 0 else round_between(int(g.cols[i]), int(g.cols[i + 1])) + 1
        high = MOST_COLS if j + 1 == n else round_between(int(g.cols[j]), int(g.cols[j + 1]))
        records[:0] = [Record(element_bytes or size, k, low, high, g.names[c])
                       for size, k, c in costs[i + 1, j][1]]
        j = i
    return total[n - 1][0], records


def fit_kind(g, penalty):
    """Records for any element size, or for each apart, whichever costs less."""
    cost, records = fit(g, ANY, penalty)
    if len(g.by_size) < 2:
        return records
    apart = [fit(part, size, penalty) for size, part in g.by_size.items()]
    return records if cost <= sum(c for c, _ in apart) else [r for _, rs in apart for r in rs]


def judge(g, records):
    """The log regret of each problem when the records choose."""
    found = np.full(len(g.problems), math.log(g.unknown))
    for i, p in enumerate(g.problems):
        config = next((r.config for r in records if r.serves(p)), None)
        if config in g.names:
            found[i] = g.loss[i, g.names.index(config)]
    return found


def cross_validate(g, penalties, folds):
    """For each penalty the log regrets of the problems by records made without them."""
    n = len(g.problems)
    place = np.random.default_rng(1).permutation(n) % folds
    found = {penalty: np.full(n, math.log(g.unknown)) for penalty in penalties}
    for f in range(folds):
        train, test = np.flatnonzero(place != f), np.flatnonzero(place == f)
        if not len(train) or not len(test):
            continue
        known, unseen = g.part(train), g.part(test)
        for penalty in penalties:
            found[penalty][test] = judge(unseen, fit_kind(known, penalty))
    return found


def describe(log_regrets):
    r = np.exp(log_regrets)
    return (f"{math.exp(log_regrets.mean()):.3f} (worst {r.max():.2f}, {(r > 1.05).sum()} over "
            f"1.05, {(r > 1.15).sum()} over 1.15)")


def print_records(kind, records, a):
    for r in records:
        size = "ANY_BYTES" if r.element_bytes == ANY else r.element_bytes
        top = "MAX_COLS" if r.cols_max == MOST_COLS else r.cols_max
        numbers = f'{size}, {r.rows_min}, {r.cols_min}, {top}, "{r.config}"'
        if kind.startswith("LISTS"):
            print(f'TUNED_LISTS({kind.removeprefix("LISTS ")}, SIZE_MAX, {numbers})')
        else:
            print(f'TUNED({a.on}, {kind}, {numbers})')


def read(paths):
    problems = []
    for path in paths:
        with open(path) as f:
            for device in json.load(f):
                if "problems" not in device:
                    raise SystemExit(f"{path}: expected what `clsoftmax compare --random "
                                     "--json` wrote, but this has no \"problems\"")
                if device.get("form", "plain") != "plain":
                    raise SystemExit(f"{path}: records are for plain problems, these are "
                                     f"of form {device['form']}")
                problems += device["problems"]
    return problems


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--penalty", type=float, help="for each record; by default that of "
                        f"{PENALTIES} which does best in cross-validation")
    parser.add_argument("--unknown", type=float, default=3, help="the regret that a "
                        "configuration gets where it was not measured (3)")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--on", default="LANES_GPU", help="kind of device of src/tuned.h; "
                        "TUNED_LISTS has its own")
    return parser.parse_args()


def main():
    a = parse()
    problems = read(a.files)
    ends = []
    for kind in sorted({kind_of(p) for p in problems}):
        g = Group([p for p in problems if kind_of(p) == kind], a.unknown)
        tried = cross_validate(g, PENALTIES if a.penalty is None else [a.penalty], a.folds)
        penalty = min(tried, key=lambda k: tried[k].mean())
        records = fit_kind(g, penalty)
        ends.append((g.chosen, judge(g, records), tried[penalty]))
        print(f"/* {kind}: {len(g.problems)} problems, penalty {penalty:g}")
        print(f" * today            {describe(ends[-1][0])}")
        print(f" * these records    {describe(ends[-1][1])}")
        print(f" * on unseen ones   {describe(ends[-1][2])} */")
        print_records(kind, records, a)
    for text, parts in zip(("today", "these records", "on unseen ones"), zip(*ends)):
        print(f"/* all {len(problems)} problems, {text}: {describe(np.concatenate(parts))} */")


if __name__ == "__main__":
    main()
