#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Find the polynomials of cl/exp.cl and print their coefficients and errors.

e^(u r) = 1 + c1 r + r^2 (c2 + c3 r + ...): for |r| <= ln2/2 with u = 1 and c1 = 1, for
|r| <= 1/2 with u = ln2 and c1 found as well, for 0 <= r <= 1 and all of them found, or for
|r| <= ln2/64 beside a table of powers of 2. What is unknown is fitted at Chebyshev nodes,
weighted so that the relative error is even, by iteratively re-weighted least squares; then the
coefficients are rounded to f32 one by one, lowest first, fitting the rest again. Needs NumPy only.
"""
import math
import numpy as np


def target(r, known):
    """(e^r - the first `known` terms of its series) / r^known without cancellation."""
    return sum(r**k / float(math.factorial(k + known)) for k in range(24))


def fit(fixed, degree, known, unit, low, high):
    """Coefficients from power `known` on with the first len(fixed) given, minimax by re-weighting."""
    n = 4000
    r = (low + high) / 2 + (high - low) / 2 * np.cos(np.pi * (np.arange(n) + 0.5) / n)
    rest = target(unit * r, known) * unit**known - sum(c * r**i for i, c in enumerate(fixed))
    powers = [r**i for i in range(len(fixed), degree + 1 - known)]
    scale = r**known / np.exp(unit * r)
    weight = np.ones(n)
    for _ in range(60):
        a = np.stack(powers, 1) * (scale * weight)[:, None]
        c, *_ = np.linalg.lstsq(a, rest * scale * weight, rcond=None)
        error = np.abs((np.stack(powers, 1) @ c - rest) * scale)
        weight *= np.sqrt(0.5 + error / error.max())
        weight /= weight.max()
    return list(c)


def show(title, degree, known, unit, low, high):
    margin = 0.00025 * (high - low)
    low, high = low - margin, high + margin
    fixed = []
    while len(fixed) < degree + 1 - known:
        fixed.append(float(np.float32(fit(fixed, degree, known, unit, low, high)[0])))
    r = np.linspace(low, high, 2000001)
    p = sum(r**i for i in range(known)) + r**known * sum(c * r**i for i, c in enumerate(fixed))
    error = np.abs(p / np.exp(unit * r) - 1).max()
    print(title)
    for i, c in enumerate(fixed):
        print(f"  c{i + known} {c.hex()}")
    print(f"  largest relative error {error:.3g} = {error * 2**24:.3f} * 2^-24")


def show_table():
    """The bits of 2^(j/32) above those of 1, less j 2^18, as unsigned numbers."""
    print("2^(j/32), power_of_steps")
    for j in range(32):
        bits = int(np.float32(2 ** (j / 32)).view(np.uint32)) - 0x3F800000 - (j << 18)
        print(f"  {j:2} {bits % 2**32:#x}")


def main():
    half = math.log(2) / 2
    show("e^r, exp_polynomial", 6, 2, 1.0, -half, half)
    show("e^r, exp_polynomial_summed", 5, 2, 1.0, -half, half)
    show("2^r, exp2_polynomial", 4, 1, math.log(2), -0.5, 0.5)
    show("2^r, exp2_polynomial_up", 4, 0, math.log(2), 0.0, 1.0)
    show("e^r, exp_polynomial_short", 2, 1, 1.0, -half / 32, half / 32)
    show_table()


if __name__ == "__main__":
    main()
