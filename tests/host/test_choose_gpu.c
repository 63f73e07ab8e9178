/* SPDX-License-Identifier: MIT */
/* Choices that were measured on an H200, see bench/NOTES.md: on a GPU like it these
 * problems go to what was the fastest. */
#include "choose.h"
#include "devices.h"
#include "suites.h"

#include <string.h>

static struct choice c;

/* The variant's name. */
static const char *chosen_on_h200(const clsm_problem *given)
{
    struct problem p;
    ck_assert_int_eq(clsm_problem_check(given, &p), CLSM_OK);
    ck_assert_int_eq(clsm_choose(&p, &h200, NULL, &c), CLSM_OK);
    return clsm_variants[c.ranked[0].config.variant].name;
}

struct measured {
    clsm_op op;
    clsm_type type;
    size_t rows, cols;
    const char *variant; /* the fastest */
};

/* Of packed rows, which have the same mask or none. */
static void expect_choice(const struct measured *m, clsm_mask_type mask)
{
    clsm_problem given;
    clsm_problem_init(&given, m->op, m->type, m->rows, m->cols);
    given.mask_type = mask;
    given.operands |= mask ? CLSM_BIT(CLSM_MASK) : 0;
    const char *variant = chosen_on_h200(&given);
    EXPECT(strcmp(variant, m->variant) == 0, "%zu x %zu: %s, expected %s", m->rows,
           m->cols, variant, m->variant);
}

/* Measured on an H200, see bench/NOTES.md. */
START_TEST(a_gpu_takes_the_mapping_that_was_measured_fastest)
{
    static const struct measured cases[] = {
        /* each pack's numbers lie as many rows apart as the pack has */
        {CLSM_DEFERRED_SOFTMAX, CLSM_BF16, 4644481, 1, "staged"},
        {CLSM_STATISTICS, CLSM_F16, 8419009, 4, "staged"},
        {CLSM_SOFTMAX, CLSM_F32, 1763152, 2, "packed"},
        /* few rows: told without a pause, or not shared at all */
        {CLSM_LOG_SUM_EXP, CLSM_F16, 4, 269888, "ahead"},
        {CLSM_STATISTICS, CLSM_F32, 78, 9643, "registers"},
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 1989, 2240, "registers"},
        {CLSM_CROSS_ENTROPY, CLSM_F16, 257751, 98, "staged"},
        /* few long rows: parts that wait are not told ahead */
        {CLSM_LOG_SUM_EXP, CLSM_BF16, 1, 3000000, "joined"},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_BF16, 1, 3000000, "joined"},
        {CLSM_SOFTMAX, CLSM_F32, 1, 1400000, "joined"},
        {CLSM_SOFTMAX, CLSM_F32, 8, 1400000, "ahead"},
        {CLSM_CROSS_ENTROPY, CLSM_F32, 1, 1400000, "joined"},
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 2, 3000000, "joined"},
        {CLSM_FINISH_SOFTMAX, CLSM_F16, 2, 3000000, "split"},
        /* merges hold two parts of a row */
        {CLSM_MERGE_STATISTICS, CLSM_F32, 1008, 26000, "ahead"},
        {CLSM_MERGE_STATISTICS, CLSM_F32, 4000, 26000, "joined"},
        {CLSM_MERGE_STATISTICS, CLSM_F16, 150, 24000, "ahead"},
        /* a row in parts is ahead of a row that fills the registers */
        {CLSM_SOFTMAX_BACKWARD, CLSM_BF16, 2016, 26000, "ahead"},
        /* more columns than all units hold, and a target */
        {CLSM_CROSS_ENTROPY, CLSM_F32, 1, 3000000, "split"},
        {CLSM_CROSS_ENTROPY, CLSM_F32, 8, 16777216, "split"},
        /* a row or two for each unit: reading them twice takes longer */
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 264, 19000, "registers"},
        {CLSM_LOG_SOFTMAX, CLSM_BF16, 264, 23000, "registers"},
        {CLSM_SOFTMAX, CLSM_BF16, 264, 19000, "registers"},
        /* rows of odd lengths move as single halves, which takes longer from local
           memory */
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 536871, 250, "staged"},
        {CLSM_CROSS_ENTROPY, CLSM_BF16, 536871, 251, "cluster"},
        /* in line, parts of rows that wait for others are ahead of whole rows */
        {CLSM_SOFTMAX, CLSM_BF16, 64, 32000, "ahead"},
        {CLSM_SOFTMAX, CLSM_F32, 1, 32000, "ahead"},
        {CLSM_LOG_SOFTMAX, CLSM_BF16, 7491204, 4, "staged"},
        /* finishing is one launch, reading and merging are two */
        {CLSM_FINISH_SOFTMAX, CLSM_F16, 20, 32128, "split"},
        {CLSM_MERGE_STATISTICS, CLSM_F32, 2, 476661, "ahead"},
        /* rows to a work-item each are scattered over memory */
        {CLSM_TOPK, CLSM_BF16, 334998, 320, "cluster"},
        /* reducing counts, and the unit that has the most groups */
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 238403, 29, "staged"},
        {CLSM_MERGE_STATISTICS, CLSM_F32, 133, 22592, "ahead"},
        {CLSM_SOFTMAX, CLSM_BF16, 601874, 223, "staged"},
        /* few long rows that are only read: waiting costs less than being ahead */
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_BF16, 64, 381632, "joined"},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_F32, 199, 45312, "joined"},
        {CLSM_LOG_SUM_EXP, CLSM_BF16, 500, 32768, "joined"},
        /* what is given needs no reduction, so that a work-item has a row to itself */
        {CLSM_FINISH_SOFTMAX, CLSM_F32, 600000, 4, "spatial"},
        {CLSM_FINISH_SOFTMAX, CLSM_F16, 2332265, 1, "packed"},
        /* lanes of one set where nothing is written */
        {CLSM_LOG_SUM_EXP, CLSM_BF16, 19384, 1731, "cluster"},
        {CLSM_STATISTICS, CLSM_F32, 12905, 1300, "cluster"},
        /* one number a row, or two */
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_F32, 8388608, 1, "spatial"},
        {CLSM_STATISTICS, CLSM_F32, 8388608, 1, "staged"},
        {CLSM_LOG_SOFTMAX_BACKWARD, CLSM_BF16, 136, 25858, "ahead"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_choice(&cases[i], CLSM_MASK_NONE);
}
END_TEST

/* Measured too: how many neighbours a work-item takes, by registers and by what a
 * softmax takes for itself. */
START_TEST(classes_of_pixels_go_to_tiles_that_were_measured_fastest)
{
    static const struct {
        clsm_op op;
        size_t rows, cols, inner;
        const char *variant;
        unsigned tile;
    } cases[] = {
        {CLSM_LOG_SOFTMAX, 16, 2, 1048576, "spatial", 512},
        {CLSM_CROSS_ENTROPY, 16, 2, 1048576, "spatial", 256},
        {CLSM_CROSS_ENTROPY_LOSS, 16, 2, 1048576, "spatial", 256},
        {CLSM_CROSS_ENTROPY, 64, 10, 65536, "spatial", 256},
        {CLSM_CROSS_ENTROPY, 51, 5, 262144, "spatial", 256},
        {CLSM_CROSS_ENTROPY, 8, 64, 65536, "spatial", 64},
        {CLSM_LOG_SOFTMAX, 8, 150, 65536, "strided", 64},
        {CLSM_CROSS_ENTROPY, 8, 150, 65536, "strided", 64},
        {CLSM_CROSS_ENTROPY, 8, 21, 262144, "spatial", 128},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        clsm_problem given;
        clsm_problem_init(&given, cases[i].op, CLSM_BF16, cases[i].rows, cases[i].cols);
        given.inner = cases[i].inner;
        ck_assert_str_eq(chosen_on_h200(&given), cases[i].variant);
        ck_assert_uint_eq(clsm_config_tile(&c.ranked[0].config), cases[i].tile);
    }
}
END_TEST

/* Measured too: where rows are held, at once, in parts or in chunks, the largest are
 * chosen among few candidates. */
START_TEST(the_largest_are_chosen_where_rows_are_held)
{
    static const struct {
        size_t rows, cols, k;
        const char *variant;
    } cases[] = {
        {2418, 479, 3, "cluster"},      {1450, 2038, 4, "cluster"},
        {21100, 1100, 1, "cluster"},    {24000, 1700, 6, "cluster"},
        {6132, 735, 7, "cluster"},      {8978, 256, 9, "cluster"},
        {98, 5688, 10, "registers"},    {221, 7737, 16, "registers"},
        {4995, 15680, 14, "registers"}, {1709, 34752, 10, "joined"},
        {212530, 436, 13, "cluster"},   {111848, 150, 4, "staged"},
        {524288, 16, 8, "staged"},      {149, 28330, 6, "registers"},
        {8000, 300, 16, "cluster"},     {3050, 270, 13, "cluster"},
        {128, 128, 8, "cluster"},       {2500, 160, 14, "cluster"},
        {22369, 6000, 1, "registers"},  {16384, 8192, 2, "registers"},
        {15252, 8800, 3, "registers"},  {300, 52000, 1, "reverse"},
        {2581, 52000, 3, "reverse"},    {16384, 8192, 8, "registers"},
        {30000, 704, 14, "cluster"},    {62165, 16, 15, "staged"},
        {67399, 11, 3, "spatial"},      {551173, 7, 3, "staged"},
        {60000, 8, 8, "spatial"},       {1, 128256, 8, "joined"},
        {64, 128256, 50, "joined"},     {1, 50257, 50, "registers"},
        {1024, 128256, 8, "reverse"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        clsm_problem given;
        clsm_problem_init(&given, CLSM_TOPK, CLSM_BF16, cases[i].rows, cases[i].cols);
        given.k = cases[i].k;
        ck_assert_str_eq(chosen_on_h200(&given), cases[i].variant);
    }
}
END_TEST

/* Work-groups that take blocks of rows read all of x, others what a query sees; and
 * masks of a row's own are read one by one there. */
START_TEST(short_rows_that_are_not_read_in_full_or_have_masks_go_elsewhere)
{
    static const struct {
        clsm_type type;
        size_t rows, cols, queries, window;
        unsigned flags, operands;
        const char *variant;
    } cases[] = {
        {CLSM_BF16, 131072, 1024, 0, 0, 0, 0, "registers"},
        {CLSM_BF16, 131072, 1024, 0, 0, CLSM_CAUSAL, 0, "cluster"},
        {CLSM_BF16, 1024, 131072, 0, 0, CLSM_CAUSAL, 0, "ahead"},
        {CLSM_F32, 671089, 100, 100, 0, 0, 0, "staged"},
        {CLSM_F32, 671089, 100, 100, 0, CLSM_CAUSAL, 0, "cluster"},
        {CLSM_F32, 671089, 100, 100, 16, 0, 0, "cluster"},
        {CLSM_F32, 671089, 100, 0, 0, CLSM_CAUSAL, 0, "staged"}, /* the last see all */
        {CLSM_BF16, 671089, 200, 0, 0, 0, 0, "staged"},
        {CLSM_BF16, 671089, 200, 0, 0, 0, CLSM_BIT(CLSM_MASK), "cluster"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        clsm_problem given;
        clsm_problem_init(&given, CLSM_SOFTMAX, cases[i].type, cases[i].rows,
                          cases[i].cols);
        given.queries = cases[i].queries;
        given.window = cases[i].window;
        given.flags = cases[i].flags;
        given.operands = cases[i].operands;
        given.mask_type = cases[i].operands ? CLSM_MASK_BOOL : CLSM_MASK_NONE;
        given.mask_stride.row = cases[i].operands ? (ptrdiff_t)cases[i].cols : 0;
        EXPECT(strcmp(chosen_on_h200(&given), cases[i].variant) == 0,
               "case %zu: %s, expected %s", i, chosen_on_h200(&given),
               cases[i].variant);
    }
}
END_TEST

/* Measured too, with a mask of f32 that all rows share: it settles where many long rows
 * pay for it. */
START_TEST(rows_that_share_a_mask_go_to_what_was_measured_fastest)
{
    static const struct measured cases[] = {
        {CLSM_SOFTMAX, CLSM_BF16, 4096, 32768, "settled"},
        {CLSM_SOFTMAX, CLSM_BF16, 2671, 50257, "settled"},
        {CLSM_SOFTMAX, CLSM_BF16, 1024, 131072, "settled"},
        {CLSM_SOFTMAX, CLSM_BF16, 1460, 44544, "settled"},
        {CLSM_SOFTMAX, CLSM_F32, 512, 131072, "settled"},
        {CLSM_SOFTMAX, CLSM_BF16, 32768, 4096, "registers"},
        {CLSM_SOFTMAX, CLSM_BF16, 16384, 8192, "registers"},
        {CLSM_SOFTMAX, CLSM_BF16, 15, 212608, "joined"},
        {CLSM_SOFTMAX, CLSM_BF16, 20, 127872, "joined"},
        {CLSM_SOFTMAX, CLSM_BF16, 59, 23552, "joined"},
        {CLSM_LOG_SUM_EXP, CLSM_F16, 18, 218432, "joined"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_choice(&cases[i], CLSM_MASK_F32);
}
END_TEST

/* Registers follow the bytes under way in softmax rows with a scale at most. */
START_TEST(records_of_softmax_alone_serve_nothing_else)
{
    static const struct {
        clsm_op op;
        float scale;
        unsigned operands;
        clsm_nonfinite nonfinite;
        unsigned wg;
    } cases[] = {
        {CLSM_SOFTMAX, 1, 0, CLSM_NONFINITE_DEFAULT, 256},
        {CLSM_SOFTMAX, 0.5F, 0, CLSM_NONFINITE_DEFAULT, 256},
        {CLSM_SOFTMAX, -0.5F, 0, CLSM_NONFINITE_DEFAULT, 128},
        {CLSM_SOFTMAX, 1, CLSM_BIT(CLSM_LSE), CLSM_NONFINITE_DEFAULT, 128},
        {CLSM_SOFTMAX, 1, 0, CLSM_NONFINITE_LIMIT, 128},
        {CLSM_LOG_SOFTMAX, 1, 0, CLSM_NONFINITE_DEFAULT, 64},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        clsm_problem given;
        clsm_problem_init(&given, cases[i].op, CLSM_F32, 16384, 4096);
        given.scale = cases[i].scale;
        given.operands = cases[i].operands;
        given.nonfinite = cases[i].nonfinite;
        ck_assert_str_eq(chosen_on_h200(&given), "registers");
        ck_assert_uint_eq(clsm_config_wg(&c.ranked[0].config), cases[i].wg);
    }
}
END_TEST

Suite *choose_gpu_suite(void)
{
    Suite *suite = suite_create("choose_gpu");
    TCase *t = tcase_create("choose_gpu");
    tcase_add_test(t, a_gpu_takes_the_mapping_that_was_measured_fastest);
    tcase_add_test(t, classes_of_pixels_go_to_tiles_that_were_measured_fastest);
    tcase_add_test(t, the_largest_are_chosen_where_rows_are_held);
    tcase_add_test(t, short_rows_that_are_not_read_in_full_or_have_masks_go_elsewhere);
    tcase_add_test(t, rows_that_share_a_mask_go_to_what_was_measured_fastest);
    tcase_add_test(t, records_of_softmax_alone_serve_nothing_else);
    suite_add_tcase(suite, t);
    return suite;
}
