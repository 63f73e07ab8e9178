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

/* A target's x, of those that are held if they are few and all: each is asked, while memory is
 * waited for. */
#define AT_HAND (OP_WRITES == WRITES_ONE ? 4 : FEW_COLUMNS)
INLINE SCALAR label_logit(struct row row, const struct held *held, uint v)
{
    SCALAR x = 0;
    if (DEPTH > 1 || !ONE_TURN || HOLD > AT_HAND)
        return target_x(row, row.label);
    UNROLL for (uint k = 0; k < HOLD; k++)
        x = target_column(row, row.label) == k || !k ? held_element(held, k, v).x : x;
    return x;
}
#endif

/* Each row's target, asked for before x: NVIDIA's compiler would wait for x first. */
INLINE void ask_targets(struct row *row)
{
#if HAS_TARGETS
    uint w[LABEL_WORDS];
    beside_load(w, LABEL_WORDS, row->target, sizeof(TARGET));
    EACH(v)
        row[v].label = CAT(label_, TARGET)(w, v);
#if HAS_PTX
    ptx_ask();
#endif
#endif
}

/* Then, while x is on its way, what rows keep. */
INLINE void keep_asked(struct keep *keep, const struct row *row, const struct held *held)
{
    EACH(v)
    {
#if HAS_TARGETS
        keep_target(keep + v, row[v], row[v].label, label_logit(row[v], held, v));
#else
        keep_start(keep + v, row[v]);
#endif
    }
}

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
