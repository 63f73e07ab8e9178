# SPDX-License-Identifier: MIT
"""Cases of test_torch.py: what attention makes of its scores, for every shape of mask that
PyTorch's scaled_dot_product_attention describes, and the forms that models add."""
import numpy as np
import torch

from yardstick import close

B, H, L, S = 2, 3, 9, 12
# attn_mask broadcasts to (B, H, L, S)
MASKS = [(L, S), (B, 1, L, S), (1, H, L, S), (B, H, L, S), (H, L, S), (B, 1, 1, S), (S,),
         (1, 1, 1, S), (L, 1), (B, 1, 1, 1), (H, 1, 1), (1, H, 1, S), (B, H, L, 1)]


def t64(array):
    return torch.from_numpy(np.asarray(array, dtype="f8"))


def distance(rows, cols, offset):
    """Of each column from the column where the query stands."""
    return torch.arange(cols)[None, :] - (torch.arange(rows)[:, None] + offset)


def logits(x, reads, scale=1, temperature=1, softcap=0, causal=False, causal_offset=0,
           window=0):
    """As clsoftmax.h tells, in torch."""
    z = t64(x) * scale / temperature
    if reads.get("temperature") is not None:
        z = z / t64(reads["temperature"])[..., None]
    if softcap:
        z = softcap * torch.tanh(z / softcap)
    away = distance(*x.shape[-2:], causal_offset)
    if reads.get("slopes") is not None:
        z = z + t64(reads["slopes"])[:, None, None] * away
    if reads.get("mask") is not None:
        mask = torch.from_numpy(reads["mask"])
        z = z.masked_fill(~mask, -np.inf) if mask.dtype == torch.bool else z + mask
    if causal:
        z = z.masked_fill(away > 0, -np.inf)
    return z.masked_fill(away.abs() >= window, -np.inf) if window else z


def expected(x, reads, op=torch.softmax, **forms):
    z = logits(x, reads, **forms)
    if reads.get("sinks") is None:
        return op(z, -1)
    column = t64(reads["sinks"])[:, None, None].expand(*z.shape[:-1], 1)
    return op(torch.cat([z, column], -1), -1)[..., :-1]


def same(case, x, reads, op="softmax", nonfinite=None, **forms):
    got = case.run(op, x, reads, nonfinite=nonfinite, **forms)["y"]
    want = expected(x, reads, getattr(torch, op), **forms)
    if nonfinite == "limit":
        want = torch.nan_to_num(want, nan=0.0)
    close(got, want, (op, forms, {n: a.shape for n, a in reads.items()}), units=10)


def random_mask(case, shape, dtype):
    keep = case.random.random(shape) < 0.7
    if dtype == "?":
        return keep
    return np.where(keep, case.random.standard_normal(shape), -np.inf).astype(dtype)


def masks(dtype, **forms):
    """Rows of nothing but masked elements become NaN, as in PyTorch, or 0."""

    def masks_of(case):
        for number, shape in enumerate(MASKS):
            x = case.normal((B, H, L, S))
            mask = random_mask(case, shape, dtype)
            same(case, x, {"mask": mask}, nonfinite=(None, "limit")[number % 2], **forms)

    masks_of.__name__ = "_".join(["masks", {"?": "bool"}.get(dtype, dtype), *forms])
    return masks_of


def fewer_and_more_dimensions(case):
    """One matrix, matrices of one batch, two dimensions of batches; another axis."""
    for shape, mask in (((L, S), (L, S)), ((L, S), (S,)), ((H, L, S), (L, S)),
                        ((H, L, S), (H, 1, S)), ((2, B, H, L, S), (L, S)),
                        ((2, B, H, L, S), (2, B, 1, L, S)), ((2, B, H, L, S), (H, 1, S)),
                        ((2, 1, H, L, S), (2, 1, 1, 1, S))):
        x = case.normal(shape)
        for dtype in ("?", "f4"):
            same(case, x, {"mask": random_mask(case, mask, dtype)}, nonfinite="limit")
    x, mask = case.normal((4, S, 5)), random_mask(case, (S, 5), "f4")
    got = case.run("softmax", x, {"mask": mask}, axis=1, nonfinite="limit")["y"]
    close(got, torch.nan_to_num(torch.softmax(t64(x) + t64(mask), 1), nan=0.0))


def fully_masked(case):
    x = case.normal((B, L, S))
    mask = np.ones((L, S), dtype="?")
    mask[[0, 4]] = False
    for nonfinite, value in ((None, np.nan), ("limit", 0)):
        y = case.run("softmax", x, {"mask": mask}, nonfinite=nonfinite)["y"]
        np.testing.assert_array_equal(y[:, [0, 4]], np.full((B, 2, S), value, "f4"))
        assert np.isfinite(y[:, [1, 2, 3, 5, 6, 7, 8]]).all()


def causal(case):
    """is_causal: upper left, and with an offset of S - L lower right."""
    for rows, cols in ((9, 12), (12, 9), (7, 7), (33, 100)):
        x = case.normal((B, H, rows, cols))
        for offset in {0, cols - rows}:
            same(case, x, {}, causal=True, causal_offset=offset, scale=0.125)
            same(case, x, {}, "log_softmax", causal=True, causal_offset=offset)
    x = case.normal((B, H, 5, 12))  # a prompt's second half, and queries without any key
    same(case, x, {}, causal=True, causal_offset=-2)
    same(case, x, {}, causal=True, causal_offset=-2, nonfinite="limit")


def windows(case):
    for window, offset, is_causal in ((1, 0, True), (4, 0, True), (4, 3, False), (2, -1, False),
                                      (100, 0, True)):
        same(case, case.normal((B, H, L, S)), {}, window=window, causal_offset=offset,
             causal=is_causal)


def alibi(case):
    slopes = 2.0 ** (-8 * np.arange(1, H + 1) / H)
    for dtype in ("f4", "f8"):
        x = case.normal((B, H, L, S), dtype)
        for offset in (0, S - L):
            same(case, x, {"slopes": slopes.astype(dtype)}, causal=True, causal_offset=offset)
        same(case, x, {"slopes": slopes.astype("f4")}, causal_offset=2)


def sinks(case):
    for spread in (1, 30):
        reads = {"sinks": case.normal(H, spread=(spread,))}
        x = case.normal((B, H, L, S))
        same(case, x, reads)
        same(case, x, reads, "log_softmax")
        same(case, x, reads, causal=True, causal_offset=-3)  # rows that see the sink alone


def scales_and_caps(case):
    for dtype in ("f2", "f4", "f8"):
        x = case.normal((B, H, L, S), dtype)
        if dtype == "f4":
            same(case, x, {}, scale=-0.3)
            same(case, x, {}, softcap=5)
        same(case, x, {}, scale=2, softcap=30, temperature=0.7)


def temperatures(case):
    """One a row; 0 is the first maximum's."""
    x = case.normal((6, 50))
    x[1, [7, 30]] = x[1].max() + 1
    t = np.array([0.5, 0, 1, 30, 0, 2], dtype="f4")
    with np.errstate(divide="ignore", invalid="ignore"):
        want = torch.softmax(t64(x) / t64(t)[:, None], -1)
    for r in np.flatnonzero(t == 0):
        want[r] = 0
        want[r, int(x[r].argmax())] = 1
    close(case.run("softmax", x, {"temperature": t})["y"], want)
    y = case.run("softmax", x, temperature=0)["y"]
    np.testing.assert_array_equal(y, np.eye(50)[x.argmax(1)])


def all_together(case):
    for dtype in ("f4", "?"):
        reads = {"mask": random_mask(case, (B, 1, L, S), dtype),
                 "slopes": case.random.random(H).astype("f4"), "sinks": case.normal(H)}
        x = case.normal((B, H, L, S))
        forms = {"scale": 0.5, "softcap": 20, "causal": True, "causal_offset": 3, "window": 8}
        same(case, x, reads, **forms)
        got = case.run("log_sum_exp", x, reads, **forms)["y"]
        z = torch.cat([logits(x, reads, **forms),
                       t64(reads["sinks"])[:, None, None].expand(B, H, L, 1)], -1)
        close(got, torch.logsumexp(z, -1, keepdim=True), units=10)


CASES = [masks("?"), masks("f4"), masks("f2", causal=True), fewer_and_more_dimensions,
         fully_masked, causal, windows, alibi, sinks, scales_and_caps, temperatures,
         all_together]
