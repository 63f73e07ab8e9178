#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Find the polynomial of cl/exp.cl and print its coefficients and error.

e^r = 1 + r + r^2 (c2 + c3 r + ... + c6 r^4) on |r| <= ln2/2. The bracket is fitted to
(e^r - 1 - r) / r^2 at Chebyshev nodes, weighted so that the relative error of e^r is even,
by iteratively re-weighted least squares; then the coefficients are rounded to f32 one by
one, lowest first, fitting the rest again. Needs NumPy only.
"""
import math
import numpy as np

HALF = math.log(2) / 2 * 1.0005
DEGREE = 6


def target(r):
    """(e^r - 1 - r) / r^2 without cancellation, from its series."""
    return sum(r**k / float(math.factorial(k + 2)) for k in range(20))


def fit(fixed):
    """Coefficients c2.. with the first len(fixed) given, minimax by re-weighting."""
    n = 4000
    r = HALF * np.cos(np.pi * (np.arange(n) + 0.5) / n)
    rest = target(r) - sum(c * r**i for i, c in enumerate(fixed))
    powers = [r**i for i in range(len(fixed), DEGREE - 1)]
    scale = r**2 / np.exp(r)
    weight = np.ones(n)
    for _ in range(60):
        a = np.stack(powers, 1) * (scale * weight)[:, None]
        c, *_ = np.linalg.lstsq(a, rest * scale * weight, rcond=None)
        error = np.abs((np.stack(powers, 1) @ c - rest) * scale)
        weight *= np.sqrt(0.5 + error / error.max())
        weight /= weight.max()
    return list(c), error.max()


def main():
    fixed = []
    while len(fixed) < DEGREE - 1:
        c, _ = fit(fixed)
        fixed.append(float(np.float32(c[0])))
    r = np.linspace(-HALF, HALF, 2000001)
    p = 1 + r + r * r * sum(c * r**i for i, c in enumerate(fixed))
    error = np.abs(p / np.exp(r) - 1).max()
    for i, c in enumerate(fixed):
        print(f"c{i + 2} {c.hex()}")
    print(f"largest relative error {error:.3g} = {error * 2**24:.3f} * 2^-24")


if __name__ == "__main__":
    main()
