#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Find the polynomials of cl/exp.cl and print their coefficients and errors.

e^(u r) = 1 + c1 r + r^2 (c2 + c3 r + ...): for |r| <= ln2/2 with u = 1 and c1 = 1, for
|r| <= 1/2 with u = ln2 and c1 found as well, for 0 <= r <= 1 and all of them found, or for
|r| <= ln2/64 beside a table of powers of 2. log(1 + r) = r + r^2 (c2 + c3 r + ...) for 1 + r
from sqrt(1/2) to sqrt(2). What is unknown is fitted at Chebyshev nodes, weighted so that the
relative error is even, by iteratively re-weighted least squares; then the coefficients are
rounded to f32 one by one, lowest first, fitting the rest again. Needs NumPy only.
"""
import math
import numpy as np


def exponential(unit):
    """e^(unit r), what it begins with, and the rest of it / r^known without cancellation."""

    def rest(r, known):
        series = (r**k * (unit ** (k + known) / math.factorial(k + known)) for k in range(24))
        return sum(series)

    return lambda r: np.exp(unit * r), lambda r, known: sum(r**i for i in range(known)), rest


def logarithm():
    """The same of log(1 + r); what cancels near 0 counts for nothing there."""
    return np.log1p, lambda r, known: r, lambda r, known: (np.log1p(r) - r) / r**known


def fit(fixed, degree, known, function, low, high):
    """Coefficients from power `known` on with the first len(fixed) given, minimax by re-weighting."""
    value, _, rest_of = function
    n = 4000
    r = (low + high) / 2 + (high - low) / 2 * np.cos(np.pi * (np.arange(n) + 0.5) / n)
    rest = rest_of(r, known) - sum(c * r**i for i, c in enumerate(fixed))
    powers = [r**i for i in range(len(fixed), degree + 1 - known)]
    scale = r**known / np.abs(value(r))
    weight = np.ones(n)
    for _ in range(60):
        a = np.stack(powers, 1) * (scale * weight)[:, None]
        c, *_ = np.linalg.lstsq(a, rest * scale * weight, rcond=None)
        error = np.abs((np.stack(powers, 1) @ c - rest) * scale)
        weight *= np.sqrt(0.5 + error / error.max())
        weight /= weight.max()
    return list(c)


def show(title, degree, known, function, low, high, margin=0.00025):
    value, start, _ = function
    margin *= high - low
    low, high = low - margin, high + margin
    fixed = []
    while len(fixed) < degree + 1 - known:
        fixed.append(float(np.float32(fit(fixed, degree, known, function, low, high)[0])))
    r = np.linspace(low, high, 2000001)
    r = r[r != 0]
    p = start(r, known) + r**known * sum(c * r**i for i, c in enumerate(fixed))
    error = np.abs(p / value(r) - 1).max()
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
    e, two = exponential(1.0), exponential(math.log(2))
    show("e^r, exp_polynomial", 6, 2, e, -half, half)
    show("e^r, exp_polynomial_summed", 5, 2, e, -half, half)
    show("2^r, exp2_polynomial", 4, 1, two, -0.5, 0.5)
    show("2^r, exp2_polynomial_up", 4, 0, two, 0.0, 1.0)
    show("e^r, exp_polynomial_short", 2, 1, e, -half / 32, half / 32)
    show("log(1 + r), log1p_short", 9, 2, logarithm(), math.sqrt(0.5) - 1, math.sqrt(2) - 1, 0)
    show_table()


if __name__ == "__main__":
    main()
