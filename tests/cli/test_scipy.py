#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SciPy as a yardstick: test_scipy.py COMMAND [SEED]. Random .npy files through `clsoftmax
run` against scipy.special.softmax, log_softmax and logsumexp at rtol 1e-5 (f32), 128
elements first. Exit status 77 (skipped) without SciPy or a device."""
import itertools
import sys

try:
    import numpy as np
    from scipy.special import log_softmax, logsumexp, softmax
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from yardstick import ABSOLUTE, close, main

SHAPES = [((128,), -1), ((1, 128), -1), ((7, 1000), 1), ((33, 17), 0), ((4, 5, 6, 7), 2),
          ((2, 50257), -1), ((3, 2, 65), 0), ((1, 1, 1, 1, 1, 1, 2, 3), 7)]
FORWARD = (("softmax", softmax), ("log_softmax", log_softmax))


def kept_length(x, axis):
    return logsumexp(x, axis=axis, keepdims=True)


def random_logits(case, shape, dtype):
    x = case.normal(shape, dtype, spread=(1, 5, 30))
    x.flat[case.random.integers(x.size)] = 20  # an outlier
    return x


def same(case, x, axis, op, reference):
    # What f32 and f16 hold only as subnormal numbers is compared absolutely, and so is what
    # SciPy's log_softmax loses where one element dominates (its issue 19521).
    dtype = x.dtype.str[1:]
    smallest = max(np.finfo(dtype).tiny * (4 if dtype == "f2" else 1), 1e-14)
    if op == "log_sum_exp":  # of numbers near 1 it may be near 0: a maximum plus a logarithm
        smallest = 10 * ABSOLUTE[dtype]
    got = case.run(op, x, axis=axis)["y"]
    assert got.dtype == x.dtype, got.dtype
    close(got, reference(x.astype("f8"), axis=axis), (op, x.shape, axis), smallest)


def types(dtype):
    def shapes_of_type(case):
        for (shape, axis), (op, reference) in itertools.product(SHAPES, FORWARD):
            same(case, random_logits(case, shape, dtype), axis, op, reference)

    shapes_of_type.__name__ = f"shapes_of_{dtype}"
    return shapes_of_type


def every_axis(case):
    shape = (4, 3, 5, 6)
    for dims in range(1, 5):
        for axis in range(-dims, dims):
            x = random_logits(case, shape[:dims], "f4")
            for op, reference in (*FORWARD, ("log_sum_exp", kept_length)):
                same(case, x, axis, op, reference)


def log_sum_exp_with_infinities(case):
    """-inf for a row of nothing but -inf, +inf where there is one, NaN where there is one."""
    inf = np.inf
    for axis, dtype in itertools.product((0, 1, -1), ("f4", "f8")):
        x = np.moveaxis(random_logits(case, (6, 3, 7), dtype), -1, axis)
        rows = np.moveaxis(x, axis, -1)  # a view
        rows[0] = -inf
        rows[1, :, 2:] = -inf
        rows[2, :, 3] = inf
        rows[3, :, 1], rows[3, :, 4] = inf, -inf
        rows[4, 0, 5] = np.nan
        got = case.run("log_sum_exp", x, axis=axis)["y"]
        with np.errstate(invalid="ignore"):
            want = kept_length(x.astype("f8"), axis)
        close(got, want, (axis, dtype), units=10)


main([types("f4"), types("f8"), types("f2"), every_axis, log_sum_exp_with_infinities])
