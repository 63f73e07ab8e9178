/* SPDX-License-Identifier: MIT */
/* Numbers of PACK neighbouring softmaxes, one each: they stand side by side, and are moved as one
 * where their address allows that. */
enum { LABEL_WORDS = WORDS_OF(TARGET) };

INLINE void beside_load(uint *w, uint words, const __global void *p, uint bytes)
{
    if (packs_fit(p, 0, bytes))
        words_load(w, words, p);
    else
        words_gather(w, bytes, p, bytes);
}

INLINE void beside_store(const uint *w, uint words, __global void *p, uint bytes)
{
    if (packs_fit(p, 0, bytes))
        words_store(w, words, p);
    else
        words_scatter(w, bytes, p);
}

#if HAS_TARGETS
#define label_int(w, v) as_int((w)[v])
#define label_long(w, v) as_long((uint2)((w)[2 * (v)], (w)[2 * (v) + 1]))

/* Each row's target. */
INLINE void take_labels(struct row *row)
{
    uint w[LABEL_WORDS];
    beside_load(w, LABEL_WORDS, row->target, sizeof(TARGET));
    EACH(v)
        row[v].label = CAT(label_, TARGET)(w, v);
}
#endif

#if REAL_IS_F64
#define words_from_scalar words_from_f64
#else
#define words_from_scalar words_from_f32
#endif

/* What close_row leaves to be written. */
INLINE void write_ones(const struct row *row, const struct result *result)
{
#if OP_WRITES == WRITES_ONE
    real one[PACK];
    uint y[Y_WORDS];
    EACH(v)
        one[v] = op_one(row[v], result[v]);
    CAT(words_from_, Y)(y, one);
    beside_store(y, Y_WORDS, row->y, sizeof(mem_y));
#endif
#if HAS_LOSS
    real loss[PACK];
    uint w[WORDS_OF(SCALAR)];
    EACH(v)
        loss[v] = result[v].loss;
    words_from_scalar(w, loss);
    beside_store(w, WORDS_OF(SCALAR), row->loss_out, sizeof(SCALAR));
#endif
}
