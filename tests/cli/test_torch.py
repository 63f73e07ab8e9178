#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""PyTorch as a yardstick: test_torch.py COMMAND [SEED]. Random arrays through `clsoftmax
run` against PyTorch in float64 on the same, rounded arrays: axes, losses and their
gradients, backward passes, the k largest, statistics of slices. Exit status 77 (skipped)
without PyTorch or a device."""
import itertools
import sys

try:
    import numpy as np
    import torch
    import torch.nn.functional as F
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import torch_attention
from yardstick import close, main

torch.set_num_threads(1)


def t64(array):
    return torch.from_numpy(np.asarray(array, dtype="f8"))


# ---------------------------------------------------------------------- torch.softmax --


def every_axis(case):
    """`dim` of torch.softmax: each of 1 to 4 dimensions, counted from either end."""
    shape = (3, 4, 7, 6)
    for dims in range(1, 5):
        for axis in range(-dims, dims):
            x = case.normal(shape[:dims])
            for op, reference in (("softmax", torch.softmax), ("log_softmax", F.log_softmax)):
                y = case.run(op, x, axis=axis)["y"]
                close(y, reference(t64(x), dim=axis), (op, dims, axis))


def types_and_lengths(case):
    for dtype, cols in (("f2", 33), ("f4", 1), ("f4", 1000), ("f8", 33)):
        x = case.normal((5, cols), dtype)
        for op, reference in (("softmax", torch.softmax), ("log_softmax", F.log_softmax)):
            close(case.run(op, x)["y"], reference(t64(x), dim=-1), (op, dtype, cols))


def backward(case):
    """Through autograd; x is what the forward pass has kept, its rounding is forgiven."""
    ops = (("softmax_backward", torch.softmax), ("log_softmax_backward", F.log_softmax))
    kinds = (("f4", (6, 33), -1), ("f8", (3, 7, 5), 1), ("f4", (2, 1000), 1))
    for (op, forward), (dtype, shape, axis) in itertools.product(ops, kinds):
        x = t64(case.normal(shape, spread=(1, 4))).requires_grad_()
        dy = case.normal(shape, dtype, spread=(1,))
        scale = case.random.choice([1, -0.25, 3])
        y = forward(x * float(scale), dim=axis)
        y.backward(t64(dy))
        kept = y.detach().numpy().astype(dtype)
        got = case.run(op, kept, {"dy": dy}, axis=axis, grad_scale=scale)["y"]
        close(got, x.grad, (op, dtype, shape), units=100)


# -------------------------------------------------------------- torch.nn.CrossEntropyLoss


def loss_in_torch(x, targets, ignored, z_loss, **options):
    """(loss of each, weighted mean, gradient of the sum)"""
    x, t = t64(x).requires_grad_(), torch.from_numpy(targets.astype("i8"))
    options["ignore_index"] = ignored
    counts = t != ignored
    squares = z_loss * torch.logsumexp(x, 1) ** 2 * counts
    loss = F.cross_entropy(x, t, reduction="none", **options) + squares
    loss.sum().backward()
    mean = F.cross_entropy(x, t, reduction="mean", **options)
    w = options["weight"][t.clamp(0)] if options.get("weight") is not None else 1.0
    mean = mean + squares.sum() / (w * counts).sum()
    return loss.detach(), mean.item(), x.grad


def loss_options(case, number):
    """All of weights, smoothing, z-loss, index widths and ignored indices."""
    weighted, smoothed, squared, wide = (number >> b & 1 for b in range(4))
    return weighted, (0.1 if smoothed else 0), (1e-3 if squared else 0), "i8" if wide else "i4", \
        (-100, 2, -1)[number % 3]


def one_loss(case, number, shape, dtype):
    weighted, smoothing, z, index, ignored = loss_options(case, number)
    classes = shape[1]
    x = case.normal(shape, dtype, spread=(1, 5))
    targets = case.random.integers(0, classes, shape[:1] + shape[2:]).astype(index)
    targets[case.random.random(targets.shape) < 0.2] = ignored
    targets.flat[0] = 0 if ignored != 0 else 1
    weights = case.random.uniform(0.1, 2, classes).astype("f4") if weighted else None
    loss, mean, gradient = loss_in_torch(
        x, targets, ignored, z, label_smoothing=smoothing,
        weight=None if weights is None else t64(weights))
    what, says = (number, shape, dtype), []
    options = {"axis": 1, "ignore_index": ignored, "label_smoothing": smoothing, "z_loss": z}
    reads = {"targets": targets, "weights": weights}
    got = case.run("cross_entropy", x, reads, ["loss", "bad_targets"], says=says, **options)
    close(got["y"], gradient, what, units=10)
    close(got["loss"], loss, what, units=10)
    assert got["bad_targets"].tolist() == [0], what
    said = float(says[0].split("loss      mean ")[1].split()[0])
    assert abs(said - mean) <= (1e-3 if dtype == "f2" else 1e-5) * abs(mean), (said, mean, what)
    rows = int((targets != ignored).sum())
    got = case.run("cross_entropy", x, reads, grad_scale=1 / rows, **options)["y"]
    close(got, gradient / rows, what, units=10)
    if bin(number).count("1") % 2 == 0:  # half of them, with each pair of options
        got = case.run("cross_entropy_loss", x, reads, **options)["y"]
        close(got, np.expand_dims(loss, 1), what, units=10)


def losses(first):
    def some_losses(case):
        shapes = (((9, 10), "f4"), ((3, 70, 5), "f4"), ((2, 4, 3, 3), "f8"))
        for number in range(first, 16, 4):
            for shape, dtype in shapes if number < 4 else shapes[:1]:
                one_loss(case, number, shape, dtype)

    some_losses.__name__ = f"losses_{first}"
    return some_losses


# ------------------------------------------------------------------------- torch.topk --


def topk_of(p, k):
    """torch.topk's values; columns by a stable sort, so that of equal ones the lower is
    first. What is not there is 0 and -1."""
    values, columns = torch.sort(p, dim=-1, descending=True, stable=True)
    n = min(k, p.shape[-1])
    torch.testing.assert_close(values[..., :n], torch.topk(p, n).values)
    pad = (0, k - n)
    return F.pad(values[..., :n], pad), F.pad(columns[..., :n], pad, value=-1)


def topk(case):
    for k, cols in ((1, 3), (1, 3000), (5, 3), (5, 200), (128, 200), (128, 3000)):
        x = np.round(case.normal((4, cols), spread=(1, 4)), 1).astype("f4")  # many ties
        values, columns = topk_of(torch.softmax(t64(x), -1), k)
        got = case.run("topk", x, writes=["indices"], k=k)
        close(got["y"], values, (k, cols))
        np.testing.assert_array_equal(got["indices"], columns, f"k {k}, {cols} columns")


def topk_over_axes(case):
    """torch.topk's own columns, of numbers that all differ."""
    for axis in range(-3, 3):
        x = case.random.permutation(7 * 6 * 9).reshape(7, 6, 9).astype("f4") / 16
        values, columns = torch.topk(torch.softmax(t64(x), axis), 5, dim=axis)
        got = case.run("topk", x, writes=["indices"], k=5, axis=axis)
        close(got["y"], values, axis)
        np.testing.assert_array_equal(got["indices"], columns)


# ------------------------------------------------------------------ statistics of slices


def statistics_of(case, parts, axis, **forms):
    """Max and sum of all parts along the axis, merged on the device."""
    each = [case.run("statistics", p, writes=["max", "sum"], has_y=False, axis=axis,
                     **(of or {})) for p, of in parts]
    stacked = {n: np.stack([e[n] for e in each]) for n in ("max", "sum")}
    return case.run("merge_statistics", stacked["max"], {"dy": stacked["sum"]},
                    ["max", "sum", "lse"], has_y=False, axis=0, **forms)


def slices(case):
    """A row in slices: their statistics, merged, finish each of them."""
    for dtype, shape, axis, cuts in (("f4", (6, 200), 1, [50, 100, 150]),
                                     ("f4", (5, 40, 3), 1, [20]), ("f8", (6, 90), 1, [44])):
        x = case.normal(shape, dtype)
        parts = np.split(x, cuts, axis)
        merged = statistics_of(case, [(p, None) for p in parts], axis)
        close(merged["lse"], torch.logsumexp(t64(x), axis), units=10)
        close(merged["max"], t64(x).amax(axis))
        reads = {"from_max": merged["max"], "from_sum": merged["sum"]}
        for op, whole in (("finish_softmax", torch.softmax),
                          ("finish_log_softmax", F.log_softmax))[: 1 + (axis == x.ndim - 1)]:
            got = [case.run(op, p, reads, axis=axis)["y"] for p in parts]
            close(np.concatenate(got, axis), whole(t64(x), axis), op, units=10)


def causal_slices(case):
    """Keys in slices: slice [a, b) of the columns is causal with an offset of -a."""
    x = case.normal((2, 3, 20, 20), spread=(1, 4))
    forms = [{"causal": True, "causal_offset": -a, "scale": 0.5} for a in (0, 7)]
    parts = list(zip(np.split(x, [7], -1), forms))
    merged = statistics_of(case, parts, -1)
    reads = {"from_max": merged["max"], "from_sum": merged["sum"]}
    got = [case.run("finish_softmax", p, reads, **of)["y"] for p, of in parts]
    above = torch.ones(20, 20).triu(1).bool()
    want = torch.softmax((t64(x) * 0.5).masked_fill(above, -np.inf), -1)
    close(np.concatenate(got, -1), want)


def deferred(case):
    x = case.normal((5, 300))
    got = case.run("deferred_softmax", x, writes=["sum"])
    close(got["y"] / got["sum"][:, None], torch.softmax(t64(x), -1))


CASES = [losses(0), losses(1), losses(2), losses(3), topk, every_axis, types_and_lengths,
         backward, topk_over_axes, slices, causal_slices, deferred]

main(torch_attention.CASES + CASES)
