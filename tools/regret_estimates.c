/* SPDX-License-Identifier: MIT */
/* Estimates against times, variant by variant. */
#include "measure.h"
#include "regret.h"

#include <stdlib.h>
#include <string.h>

static const double NEAR = 1.15; /* of a problem's best time */

static bool is_of(const struct timing *t, const char *variant)
{
    size_t length = strlen(variant);
    return strncmp(t->config, variant, length) == 0 &&
           (t->config[length] == ':' || !t->config[length]);
}

/* Ratios of those near the best; with `ratios` NULL how many there are. */
static size_t gather(const struct result *results, size_t n, const char *variant,
                     double *ratios)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const struct result *r = &results[i];
        double most = NEAR * r->timings[r->best].seconds;
        for (unsigned k = 0; k < r->count; k++) {
            const struct timing *t = &r->timings[k];
            if (t->outcome != TIMED || t->seconds > most || !is_of(t, variant))
                continue;
            if (ratios)
                ratios[count] = t->estimated / t->seconds;
            count++;
        }
    }
    return count;
}

void regret_print_estimates(FILE *f, const struct result *results, size_t n)
{
    const char *variant, *between = "";
    fprintf(f, "estimates over times up to %g of the best, medians (how many): ", NEAR);
    for (unsigned v = 0; (variant = clsm_variant_name(v)); v++) {
        size_t count = gather(results, n, variant, NULL);
        double *ratios = count ? malloc(count * sizeof *ratios) : NULL;
        if (!ratios)
            continue;
        gather(results, n, variant, ratios);
        fprintf(f, "%s%s %.2f (%zu)", between, variant, median(ratios, (unsigned)count),
                count);
        between = ", ";
        free(ratios);
    }
    fputc('\n', f);
}
