# SPDX-License-Identifier: MIT
"""Clocks and inputs for the peers: CUDA's events through torch, the host's for JAX and for
torch on a CPU."""
import math
import statistics
import time

COLD_BYTES = 512 << 20  # a round of inputs is at least so large
MOST_SETS = 4096
FLUSH_BYTES = 256 << 20  # more than a cache holds
MOST_REPEATS, LEAST_REPEATS = 60, 5
LINE_RUNS, LINE_SECONDS, LEAST_LINES = 16, 0.05, 5  # as in line.c
ALIGN = 256  # bytes
SHIFTS = {"unaligned": {"x": 1, "y": 3}}  # elements in front of a tensor, by form
BYTES = {"f32": 4, "f16": 2, "bf16": 2}


def shape_of(case):
    rows, cols, inner = case["rows"], case["cols"], case["inner"]
    return (rows, cols, inner) if inner > 1 else (rows, cols)


def set_count(case, tensors=2):
    """So many sets of inputs that going round them leaves caches cold; `tensors` as large
    as x are touched in each."""
    bytes_of_one = math.prod(shape_of(case)) * BYTES[case["type"]] * tensors
    return max(1, min(MOST_SETS, COLD_BYTES // bytes_of_one + 1))


def repeats_in(seconds, one):
    return max(LEAST_REPEATS, min(MOST_REPEATS, int(seconds / max(one, 1e-7))))


class Inputs:
    """Random tensors cut from one that is kept, so that a case costs no drawing."""

    def __init__(self, torch, where="cuda"):
        self.torch, self.where, self.kept = torch, where, {}
        self.types = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}

    def tensors(self, case, tensor="x", tensors=2):
        """One tensor of each set, of the case's shape and type."""
        shape, n = shape_of(case), set_count(case, tensors)
        shift = SHIFTS.get(case["form"], {}).get(tensor, 0)
        step = -(-(math.prod(shape) + shift) // ALIGN) * ALIGN
        key = (tensor, case["type"])
        if key not in self.kept or self.kept[key].numel() < n * step:
            self.kept[key] = None
            self.kept[key] = self.torch.randn(n * step, device=self.where,
                                              dtype=self.types[case["type"]])
        flat, size = self.kept[key], math.prod(shape)
        return [flat[at:at + size].view(shape) for at in range(shift, n * step, step)]

    def forget(self):
        self.kept.clear()
        if self.where == "cuda":
            self.torch.cuda.empty_cache()


def time_on_gpu(torch, calls, seconds):
    """Median seconds of one of the calls over lines of them, from an event behind the first
    of a line to one behind its last, as clsoftmax-limit does. The GPU is kept busy while they
    are queued: otherwise an event would fall due before its kernel is there, and the host's
    time be measured."""
    for call in calls[:3]:
        call()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for call in calls[:8]:
        call()
    torch.cuda.synchronize()
    one = (time.perf_counter() - start) / min(8, len(calls))
    runs = max(2, min(LINE_RUNS, int(LINE_SECONDS / one)))
    lines = max(LEAST_LINES, repeats_in(seconds, one) // runs)
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(lines)]
    # small cases share their first sets, which the last one may have left in the cache
    torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda").zero_()
    torch.cuda._sleep(int(lines * runs * 200e3))  # cycles: about 0.1 ms for each call
    at = 8
    for first, last in events:
        for run in range(runs):
            calls[at % len(calls)]()
            at += 1
            if run == 0:
                first.record()
        last.record()
    torch.cuda.synchronize()
    return statistics.median(a.elapsed_time(b) / (runs - 1) for a, b in events) * 1e-3


def time_on_host(calls, wait, seconds):
    """Median seconds of a call over rounds of several, which are waited for together."""
    for call in calls[:3]:
        wait(call())
    start = time.perf_counter()
    wait(calls[0]())
    one = time.perf_counter() - start
    each = max(1, min(50, int(seconds / 5 / max(one, 1e-7))))
    rounds, at = [], 0
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(each):
            last = calls[at % len(calls)]()
            at += 1
        wait(last)
        rounds.append((time.perf_counter() - start) / each)
    return statistics.median(rounds)
