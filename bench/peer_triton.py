# SPDX-License-Identifier: MIT
"""Softmax in Triton, as its tutorial would have it: a block holds whole rows where they
fit, and goes over a longer row twice, with a maximum that moves."""
import triton
import triton.language as tl

LONGEST_HELD = 32768  # elements that the registers of a block hold
PIECE = 8192          # of a longer row


@triton.jit
def held(x, y, rows, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    c = tl.arange(0, BLOCK)[None, :]
    there = (r < rows) & (c < cols)
    at = r * cols + c
    v = tl.load(x + at, mask=there, other=-float("inf")).to(tl.float32)
    v = tl.where(r < rows, v, 0.0)  # rows behind the last: no inf - inf
    e = tl.exp(v - tl.max(v, axis=1)[:, None])
    p = e / tl.sum(e, axis=1)[:, None]
    tl.store(y + at, p.to(y.dtype.element_ty), mask=there)


@triton.jit
def online(x, y, cols, BLOCK: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * cols
    c = tl.arange(0, BLOCK)
    largest = -float("inf")
    total = 0.0
    for start in range(0, cols, BLOCK):
        v = tl.load(x + first + start + c, mask=start + c < cols,
                    other=-float("inf")).to(tl.float32)
        new = tl.maximum(largest, tl.max(v, axis=0))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(v - new), axis=0)
        largest = new
    for start in range(0, cols, BLOCK):
        there = start + c < cols
        v = tl.load(x + first + start + c, mask=there, other=0.0).to(tl.float32)
        tl.store(y + first + start + c, (tl.exp(v - largest) / total).to(y.dtype.element_ty),
                 mask=there)


def launch(x, y):
    """y = softmax of the rows of a packed matrix x."""
    rows, cols = x.shape
    if cols > LONGEST_HELD:
        online[(rows,)](x, y, cols, BLOCK=PIECE, num_warps=16)
        return
    block = triton.next_power_of_2(cols)
    each = max(1, 2048 // block)
    warps = max(4, min(16, block // 512))
    held[(triton.cdiv(rows, each),)](x, y, rows, cols, ROWS=each, BLOCK=block, num_warps=warps)
