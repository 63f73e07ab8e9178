/* SPDX-License-Identifier: MIT */
/*
 * Blocks of up to ROWS rows of COLS elements between global and local memory, as bits: 16
 * bytes at a time where rows stand without gaps, at whatever address a block begins, and
 * element by element elsewhere. `unit` is an element's size, a constant once inlined.
 *
 * In local memory a block lies without gaps from element `phase` of the first 16 bytes
 * on, where it begins in global memory, so that 16 bytes there are 16 bytes here.
 */
#define BLOCK_CHUNKS(unit) ((ROWS * COLS * (unit) + 31 - (unit)) / 16) /* from any phase on */

/* The rows that a work-group has in hand. */
struct block {
    size_t row;    /* the first one */
    uint elements; /* of all of them */
};

/* Where element e of a block stands, in rows of so many. */
static size_t element_at(struct place place, struct shape shape, struct block block,
                         uint e, uint cols, bool no_gaps)
{
    if (no_gaps)
        return place.offset + block.row * cols + e;
    size_t r = block.row + e / cols, at = place.offset + e % cols;
#if MATRICES
    return at + r / shape.queries * place.matrix + r % shape.queries * place.row;
#else
    return at + r * place.row;
#endif
}

/* A block's phase in global memory; 0 of one with gaps. */
static uint block_phase(const __global void *tensor, struct place place,
                        struct shape shape, struct block block, uint unit)
{
    size_t at = (size_t)tensor + (place.offset + block.row * COLS) * unit;
    return has_no_gaps(place, shape, COLS) ? (uint)(at % 16) / unit : 0;
}

/* A block cut at its 16-byte borders: elements, chunks of 16 bytes, elements. */
struct pieces {
    uint head, chunks, tail;
    uint tail_at;
};

static struct pieces block_pieces(struct block block, uint phase, uint unit)
{
    struct pieces p;
    const uint each = 16 / unit;
    p.head = min((each - phase) % each, block.elements);
    p.chunks = (block.elements - p.head) / each;
    p.tail_at = p.head + p.chunks * each;
    p.tail = block.elements - p.tail_at;
    return p;
}

/* Element i of one to element j of the other. */
#define COPY_ELEMENT(to_space, to, i, from_space, from, j, unit)                         \
    if ((unit) == 2)                                                                     \
        ((to_space ushort *)(to))[i] = ((from_space ushort *)(from))[j];                 \
    else if ((unit) == 4)                                                                \
        ((to_space uint *)(to))[i] = ((from_space uint *)(from))[j];                     \
    else                                                                                 \
        ((to_space ulong *)(to))[i] = ((from_space ulong *)(from))[j]

INLINE void element_in(__local void *to, uint i, const __global void *from, size_t j,
                       uint unit)
{
    COPY_ELEMENT(__local, to, i, const __global, from, j, unit);
}

INLINE void element_out(__global void *to, size_t i, const __local void *from, uint j,
                        uint unit)
{
    COPY_ELEMENT(__global, to, i, const __local, from, j, unit);
}

/* Chunks that a work-item copies at most. */
#define COPIES(unit) (ROWS * COLS * (unit) / 16 / WG + 1)

/* Is a block all whole chunks, of a number that is known? Its first one may do without asking. */
static bool is_full(struct block block, uint phase, uint unit)
{
    return ROWS * COLS * unit % 16 == 0 && phase == 0 && block.elements == ROWS * COLS;
}

/* Is there chunk k of work-item i, of so many? */
#define HAS_CHUNK(k, i, chunks) (((k) + 1) * WG <= (chunks) || (k)*WG + (i) < (chunks))

/* All loads are on their way before the first is waited for. */
INLINE void chunks_in(__local uint4 *to, const __global uint4 *from, uint chunks,
                      uint unit)
{
    uint i = get_local_id(0);
#if HAS_PTX
    UNROLL for (uint k = 0; k < COPIES(unit); k++)
        if (HAS_CHUNK(k, i, chunks))
            ptx_copy_16(to + i + k * WG, from + i + k * WG);
#else
    uint4 flying[COPIES(8)];
    UNROLL for (uint k = 0; k < COPIES(unit); k++)
        if (HAS_CHUNK(k, i, chunks))
            flying[k] = from[k * WG + i];
    UNROLL for (uint k = 0; k < COPIES(unit); k++)
        if (HAS_CHUNK(k, i, chunks))
            to[k * WG + i] = flying[k];
#endif
}

INLINE void chunks_out(__global uint4 *to, const __local uint4 *from, uint chunks, uint unit)
{
    uint i = get_local_id(0);
    UNROLL for (uint k = 0; k < COPIES(unit); k++)
        if (HAS_CHUNK(k, i, chunks))
            to[i + k * WG] = from[i + k * WG];
}

/* To local memory; it is there for everybody after blocks_wait and a barrier. */
INLINE void block_in(__local uint4 *to, const __global void *tensor, struct place place,
                     struct shape shape, struct block block, uint unit)
{
    uint i = get_local_id(0);
    if (!has_no_gaps(place, shape, COLS)) {
        ROLLED for (uint e = i; e < block.elements; e += WG)
            element_in(to, e, tensor, element_at(place, shape, block, e, COLS, false), unit);
        return;
    }
    uint phase = block_phase(tensor, place, shape, block, unit);
    const __global uchar *from =
        (const __global uchar *)tensor + (place.offset + block.row * COLS) * unit;
    if (is_full(block, phase, unit)) {
        chunks_in(to, (const __global uint4 *)from, ROWS * COLS * unit / 16, unit);
        return;
    }
    struct pieces p = block_pieces(block, phase, unit);
    chunks_in(to + (phase != 0), (const __global uint4 *)(from + p.head * unit), p.chunks,
              unit);
    if (i < p.head)
        element_in(to, phase + i, from, i, unit);
    if (i < p.tail)
        element_in(to, phase + p.tail_at + i, from, p.tail_at + i, unit);
}

INLINE void blocks_wait(void)
{
#if HAS_PTX
    ptx_wait_copies();
#endif
}

/* From local memory, where its phase is `phase`, which may be another one than there. */
INLINE void block_out(__global void *tensor, struct place place, struct shape shape,
                      struct block block, uint unit, const __local uint4 *from,
                      uint phase)
{
    uint i = get_local_id(0);
    bool no_gaps = has_no_gaps(place, shape, COLS);
    if (!no_gaps || block_phase(tensor, place, shape, block, unit) != phase) {
        ROLLED for (uint e = i; e < block.elements; e += WG)
            element_out(tensor, element_at(place, shape, block, e, COLS, no_gaps), from,
                        phase + e, unit);
        return;
    }
    __global uchar *to =
        (__global uchar *)tensor + (place.offset + block.row * COLS) * unit;
    if (is_full(block, phase, unit)) {
        chunks_out((__global uint4 *)to, from, ROWS * COLS * unit / 16, unit);
        return;
    }
    struct pieces p = block_pieces(block, phase, unit);
    chunks_out((__global uint4 *)(to + p.head * unit), from + (phase != 0), p.chunks, unit);
    if (i < p.head)
        element_out(to, i, from, phase + i, unit);
    if (i < p.tail)
        element_out(to, p.tail_at + i, from, phase + p.tail_at + i, unit);
}
