/* SPDX-License-Identifier: MIT */
/* Edge lengths: each step of a mapping, and what stands right beside it. */
#include "lengths.h"

#include <assert.h>
#include <string.h>

enum { CPU_PACKS = 3 };

/* A length that the variant serves, into its place. */
static void add(struct lengths *l, const struct variant *v, size_t cols)
{
    if (cols && (cols < v->cols.min || cols > v->cols.max || cols > LONGEST_EDGE))
        return;
    unsigned i = 0;
    while (i < l->count && l->cols[i] < cols)
        i++;
    if (i < l->count && l->cols[i] == cols)
        return;
    assert(l->count < MAX_LENGTHS);
    memmove(l->cols + i + 1, l->cols + i, (l->count++ - i) * sizeof *l->cols);
    l->cols[i] = cols;
}

static void add_around(struct lengths *l, const struct variant *v, size_t cols)
{
    add(l, v, cols - 1);
    add(l, v, cols);
    add(l, v, cols + 1);
}

/* The longest row that fits, by halving. */
static size_t longest_fit(const struct config *config, struct problem p,
                          const struct traits *t)
{
    size_t fits = 0, most = clsm_variants[config->variant].cols.max;
    for (size_t step = most; step > 0; step /= 2) {
        p.cols = p.y.cols = fits + step;
        if (fits + step <= most && !clsm_config_misfit(config, &p, t))
            fits += step;
    }
    return fits;
}

/* The longest row worth a test: loops over packs are unrolled, and a CPU's compiler
 * takes minutes for many. */
static size_t longest_worth(const struct config *config, const struct problem *p,
                            const struct traits *t)
{
    size_t pack = PACK_BYTES / clsm_type_bytes(p->x.type);
    bool packs = clsm_variants[config->variant].packs;
    return packs && t->bits & TRAIT_CPU
               ? CPU_PACKS * clsm_config_workers(config, t) * pack
               : LONGEST_EDGE;
}

/* Packs of 16 bytes: one, one for each worker, as many as each can hold. */
static void add_packs(struct lengths *l, const struct config *config,
                      const struct problem *p, const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    size_t pack = PACK_BYTES / clsm_type_bytes(p->x.type), wg = clsm_config_wg(config);
    size_t workers = v->packs ? clsm_config_workers(config, t) : wg;
    size_t turn = workers * pack * clsm_config_value(config, PARAM_PACKS, 1) *
                  clsm_config_value(config, PARAM_HOLD, 1);
    size_t most = longest_worth(config, p, t);
    size_t longest = longest_fit(config, *p, t);
    add_around(l, v, pack);
    add_around(l, v, 2 * pack);
    add_around(l, v, workers * pack);
    add(l, v, workers * pack + pack + 1); /* a whole pack more, and an edge */
    if (turn <= most) {
        add_around(l, v, turn);
        add(l, v, 2 * turn + pack - 1 <= most ? 2 * turn + pack - 1 : 0);
    }
    if (v->packs && longest && longest <= most) {
        add(l, v, longest - 1);
        add(l, v, longest);
        add(l, v, longest + 1); /* must be refused */
    }
}

struct lengths edge_lengths(const struct config *config, const struct problem *p,
                            const struct traits *t)
{
    const struct variant *v = &clsm_variants[config->variant];
    size_t wg = clsm_config_wg(config), vec = clsm_config_value(config, PARAM_VEC, 1);
    /* of 4, 1, 4, 1 and 1 neighbours; the fourth one's pairs end beyond it */
    static const size_t runs[] = {4, 7, 12, 13, 33};
    size_t lanes = t->bits & TRAIT_LANES ? t->lanes : 1;
    struct lengths l = {.count = 0};
    add(&l, v, 0);
    add(&l, v, v->cols.min);
    add(&l, v, v->cols.min + 1);
    add_around(&l, v, vec);
    add(&l, v, 2 * vec + 1);
    add_around(&l, v, lanes);
    add_around(&l, v, wg);
    add_around(&l, v, clsm_config_value(config, PARAM_BLOCK, 1) * wg);
    for (size_t i = 0; v->exact_cols && i < sizeof runs / sizeof *runs; i++)
        add(&l, v, runs[i]);
    if (v->pipelined) { /* chunks of 64, lines of 16 or 32 */
        add_around(&l, v, 64);
        add(&l, v, 64 + 48 + 5);
        add(&l, v, 4 * 64);
    }
    add(&l, v, 4999); /* a prime */
    if (clsm_config_held_words(config, p, t))
        add_packs(&l, config, p, t);
    else if (v->cols.max <= LONGEST_EDGE)
        add(&l, v, v->cols.max);
    while (l.cols[l.count - 1] > longest_worth(config, p, t))
        l.count--;
    return l;
}
