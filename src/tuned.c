/* SPDX-License-Identifier: MIT */
/* Looking up the shipped table of measured choices. */
#include "tuned.h"

static const struct tuned records[] = {
#define TUNED(...) {__VA_ARGS__},
#include "tuned.def"
#undef TUNED
    {.cols_max = 0},
};

const struct tuned *clsm_tuned_find(const struct problem *p, const struct traits *t)
{
    if (p->strided)
        return NULL; /* measured on packed rows */
    size_t rows = p->open_rows || p->deterministic ? 0 : p->rows;
    for (const struct tuned *r = records; r->cols_max; r++)
        if (!(r->needs & ~t->bits) && !(r->lacks & t->bits) && rows >= r->rows_min &&
            p->cols >= r->cols_min && p->cols <= r->cols_max)
            return r;
    return NULL;
}
