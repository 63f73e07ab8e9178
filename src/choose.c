/* SPDX-License-Identifier: MIT */
/* Ranking by an estimate; a record of the tuned table goes first. */
#include "choose.h"

#include "status.h"
#include "tuned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_seconds(const void *a, const void *b)
{
    const struct candidate *p = a, *q = b;
    if (!p->misfit != !q->misfit)
        return p->misfit ? 1 : -1;
    if (p->seconds != q->seconds)
        return p->seconds > q->seconds ? 1 : -1;
    return p->place > q->place ? 1 : -1;
}

static bool wished(const struct config *config, const struct config *wish, bool exact)
{
    return config->variant == wish->variant &&
           (!exact || memcmp(config->values, wish->values, sizeof wish->values) == 0);
}

/* Put the configuration of the tuned table first, if it is among those that fit. */
static const struct tuned *prefer_tuned(const struct problem *p, const struct traits *t,
                                        struct choice *c)
{
    const struct tuned *record = clsm_tuned_find(p, t);
    struct config config;
    bool exact;
    if (!record || clsm_config_parse(record->config, &config, &exact) != CLSM_OK)
        return NULL;
    for (unsigned i = 0; i < c->fit; i++) {
        if (!wished(&c->ranked[i].config, &config, true))
            continue;
        struct candidate first = c->ranked[i];
        memmove(c->ranked + 1, c->ranked, i * sizeof first);
        c->ranked[0] = first;
        return record;
    }
    return NULL;
}

static void say_why(const struct tuned *record, const char *wish, struct choice *c)
{
    char second[64] = "";
    double best = c->ranked[0].seconds * 1e6;
    if (c->fit > 1)
        clsm_config_text(&c->ranked[1].config, second, sizeof second);
    if (record)
        snprintf(c->reason, REASON_BYTES,
                 "measured fastest on a %s for rows of %zu to %zu columns", record->on,
                 record->cols_min, record->cols_max);
    else if (wish)
        snprintf(c->reason, REASON_BYTES, "asked for as \"%s\"", wish);
    else if (c->fit > 1)
        snprintf(c->reason, REASON_BYTES,
                 "lowest estimate, %.3g us; next is %s with %.3g us", best, second,
                 c->ranked[1].seconds * 1e6);
    else
        snprintf(c->reason, REASON_BYTES, "the only one that fits");
}

clsm_status clsm_choose(const struct problem *p, const struct traits *t,
                        const char *wish, struct choice *c)
{
    struct config wanted = {0};
    bool exact = false;
    if (wish)
        TRY(clsm_config_parse(wish, &wanted, &exact));
    *c = (struct choice){0};
    struct config config;
    for (unsigned i = 0; clsm_config_at(i, &config) && c->count < MAX_CANDIDATES; i++) {
        if (wish && !wished(&config, &wanted, exact))
            continue;
        struct candidate *candidate = &c->ranked[c->count++];
        candidate->config = config;
        candidate->place = i;
        candidate->misfit = clsm_config_misfit(&config, p, t);
        /* what cannot serve is not estimated */
        candidate->seconds =
            candidate->misfit ? INFINITY : clsm_estimate(&config, p, t);
        c->fit += !candidate->misfit;
    }
    qsort(c->ranked, c->count, sizeof *c->ranked, by_seconds);
    if (!c->fit && wish)
        return clsm_fail(CLSM_ERR_VARIANT, "variant \"%s\" cannot serve here: %s", wish,
                         c->ranked[0].misfit);
    if (!c->fit)
        return clsm_fail(CLSM_ERR_UNSUPPORTED, "no variant can serve here: %s",
                         c->ranked[0].misfit);
    say_why(wish ? NULL : prefer_tuned(p, t, c), wish, c);
    return CLSM_OK;
}
