#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SciPy as a yardstick: test_scipy.py COMMAND. Random .npy files through `clsoftmax run`
against scipy.special.softmax and log_softmax at rtol 1e-5 (f32), 128 elements first. Exit
status 77 (skipped) without SciPy or a device."""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from scipy.special import log_softmax, softmax
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

COMMAND = sys.argv[1]
SHAPES = [((128,), -1), ((1, 128), -1), ((7, 1000), 1), ((33, 17), 0), ((4, 5, 6, 7), 2),
          ((2, 50257), -1), ((3, 2, 65), 0), ((1, 1, 1, 1, 1, 1, 2, 3), 7)]
TYPES = {"f4": 1e-5, "f8": 1e-13, "f2": 2e-3}


def check(folder, generator, shape, axis, dtype, op, reference):
    x = (generator.standard_normal(shape) * generator.choice([1, 5, 30])).astype(dtype)
    x.flat[generator.integers(x.size)] = 20  # an outlier
    source, target = folder / "x.npy", folder / "y.npy"
    np.save(source, x)
    command = [COMMAND, "run", "--op", op, "--axis", str(axis), "--verify", source, target]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(77 if done.returncode == 77 else done.stdout + done.stderr)
    y, want = np.load(target), reference(x.astype("f8"), axis=axis)
    assert y.shape == x.shape and y.dtype == x.dtype, (y.shape, y.dtype)
    # What f32 and f16 hold only as subnormal numbers is compared absolutely, and so is what
    # SciPy's log_softmax loses where one element dominates (its issue 19521).
    smallest = max(np.finfo(dtype).tiny * (4 if dtype == "f2" else 1), 1e-14)
    np.testing.assert_allclose(y.astype("f8"), want, rtol=TYPES[dtype], atol=smallest)
    print(f"fine: {op} {dtype} {shape} axis {axis}")


def main():
    seed = np.random.SeedSequence().entropy
    print("seed", seed)
    generator = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as name:
        for shape, axis in SHAPES:
            for dtype in TYPES:
                for op, reference in (("softmax", softmax), ("log_softmax", log_softmax)):
                    check(pathlib.Path(name), generator, shape, axis, dtype, op, reference)


main()
