/* SPDX-License-Identifier: MIT */
/* What a program is built with. */
#include "devices.h"
#include "program.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *options_of(const clsm_problem *given, const char *text,
                              const struct traits *t)
{
    static struct build b;
    struct problem p;
    struct config config;
    bool exact;
    ck_assert_int_eq(clsm_problem_check(given, &p), CLSM_OK);
    ck_assert_int_eq(clsm_config_parse(text, &config, &exact), CLSM_OK);
    clsm_program_describe(&p, &config, t, &b);
    return b.options;
}

/* x is the last that leaves an NVIDIA GPU's cache where a row is written, but for who
 * reads that soon, and for rows that wait for instructions. */
START_TEST(x_stays_where_rows_are_written_that_nobody_reads_soon)
{
    enum { MASK = 1, SOON = 2 };
    static const struct {
        clsm_op op;
        clsm_type type;
        const char *config;
        int with;
        bool gpu, stays;
    } cases[] = {
        {CLSM_SOFTMAX, CLSM_F32, "registers:WG=256", 0, true, true},
        {CLSM_SOFTMAX, CLSM_F32, "registers:WG=256", SOON, true, false},
        {CLSM_SOFTMAX, CLSM_F32, "fused:VEC=8", 0, false, false},
        {CLSM_SOFTMAX_BACKWARD, CLSM_BF16, "ahead:WG=256,HOLD=4", 0, true, true},
        {CLSM_CROSS_ENTROPY, CLSM_BF16, "registers:WG=128", 0, true, true},
        {CLSM_CROSS_ENTROPY_LOSS, CLSM_BF16, "registers:WG=128", 0, true, false},
        {CLSM_LOG_SUM_EXP, CLSM_F32, "joined:WG=128,HOLD=16", 0, true, false},
        {CLSM_SOFTMAX, CLSM_F32, "settled:WG=128,HOLD=5", MASK, true, true},
        {CLSM_SOFTMAX, CLSM_BF16, "settled:WG=128,HOLD=4", MASK, true, false},
        {CLSM_SOFTMAX, CLSM_BF16, "ahead:WG=128,HOLD=4", MASK, true, true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        clsm_problem given;
        clsm_problem_init(&given, cases[i].op, cases[i].type, 4096, 32768);
        given.flags |= cases[i].with & SOON ? CLSM_READ_SOON : 0;
        given.mask_type = cases[i].with & MASK ? CLSM_MASK_F32 : CLSM_MASK_NONE;
        const char *options =
            options_of(&given, cases[i].config, cases[i].gpu ? &h200 : &cpu);
        ck_assert_msg((strstr(options, " -DSTAYS=1") != NULL) == cases[i].stays,
                      "%zu: %s", i, options);
    }
}
END_TEST

/* Room for a row's terms comes in few sizes, so that few programs are built; but what
 * there is serves all rows that fit. */
START_TEST(terms_are_held_as_far_as_there_is_room)
{
    static const struct {
        size_t cols;
        const char *options;
    } rows[] = {{700, " -DHOLD_COLS=1024 "},      {1025, " -DHOLD_COLS=1280 "},
                {200000, " -DHOLD_COLS=229376 "}, {229377, " -DHOLD_COLS=260864 "},
                {260864, " -DHOLD_COLS=260864 "}, {260865, " -DHOLD_COLS=0 "}};
    struct traits t = cpu;
    t.local_bytes = 1048576;
    for (size_t i = 0; i < COUNT(rows); i++) {
        clsm_problem given;
        clsm_problem_init(&given, CLSM_SOFTMAX, CLSM_F32, 100, rows[i].cols);
        const char *options = options_of(&given, "fused:VEC=8", &t);
        ck_assert_msg(strstr(options, rows[i].options) != NULL, "%zu: %s", rows[i].cols,
                      options);
    }
}
END_TEST

/* A number that a program for so many of a row's largest is built with. */
static size_t number_of(const char *name, const char *config, size_t k, size_t cols)
{
    clsm_problem given;
    char option[32];
    clsm_problem_init(&given, CLSM_TOPK, CLSM_BF16, 100, cols);
    given.k = k;
    snprintf(option, sizeof option, " -D%s=", name);
    const char *at = strstr(options_of(&given, config, &h200), option);
    ck_assert_ptr_nonnull(at);
    return (size_t)strtoul(at + strlen(option), NULL, 10);
}

/* How long the lists of a row's workers are. */
static size_t list_places(const char *config, size_t k)
{
    return number_of("LIST", config, k, 20000);
}

/* In how many of so many rows has a worker more of the k largest than its list is long?
 */
static unsigned rows_that_run_out(size_t places, size_t k, size_t workers,
                                  unsigned rows)
{
    enum { MOST = 1024 };
    unsigned out = 0;
    ck_assert_uint_le(workers, MOST);
    for (unsigned r = 0; r < rows; r++) {
        size_t given[MOST] = {0}, most = 0;
        for (size_t i = 0; i < k; i++) {
            size_t n = ++given[(size_t)rand() % workers];
            most = n > most ? n : most;
        }
        out += most > places;
    }
    return out;
}

/* Where rows are held, hardly any; and no list is left to run out of for a few, or
 * where a row has one worker. */
START_TEST(lists_rarely_run_out)
{
    static const size_t few[] = {1, 4, 6}, more[] = {7, 16, 64, 128},
                        workers[] = {64, 256, 1024};
    enum { ROWS = 20000, MOST_OUT = ROWS / 500 };
    for (size_t w = 0; w < COUNT(workers); w++) {
        char config[32];
        snprintf(config, sizeof config, "registers:WG=%zu", workers[w]);
        for (size_t i = 0; i < COUNT(few); i++)
            ck_assert_uint_eq(list_places(config, few[i]), few[i]);
        for (size_t i = 0; i < COUNT(more); i++) {
            size_t places = list_places(config, more[i]);
            ck_assert_uint_lt(places, more[i]);
            ck_assert_uint_le(rows_that_run_out(places, more[i], workers[w], ROWS),
                              MOST_OUT);
        }
    }
    ck_assert_uint_eq(list_places("item", 100), 100);
    ck_assert_uint_eq(list_places("online:WG=256,BLOCK=8", 4), 3);
}
END_TEST

static int descending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x < y) - (x > y);
}

/* How many of a row of random numbers reach number k of the largest of each share,
 * whose workers take packs of 8 in turn. */
static size_t reaching(size_t k, size_t workers, size_t shares, size_t cols)
{
    enum { MOST = 16384 };
    int row[MOST], most[1024] = {0};
    size_t n = 0;
    ck_assert_uint_le(cols, MOST);
    for (size_t c = 0; c < cols; c++) {
        int *share = &most[c / 8 % workers % shares];
        row[c] = 1 + rand() % (1 << 30);
        *share = row[c] > *share ? row[c] : *share;
    }
    qsort(most, shares, sizeof *most, descending);
    for (size_t c = 0; c < cols; c++)
        n += row[c] >= most[k - 1];
    return n;
}

/* Columns of the last of a row's parts, which take sets of packs in turn: the fewest.
 */
static size_t last_part(size_t cols, size_t workers, size_t parts)
{
    size_t packs = cols / 8, round = workers * parts, left = packs % round;
    size_t others = workers * (parts - 1);
    return parts == 1
               ? cols
               : 8 * (packs / round * workers + (left > others ? left - others : 0));
}

/* Shares are no fewer than places, and what reaches their threshold finds room; workers
 * that are too few for their places, or that have no columns, make lists. */
START_TEST(candidates_hardly_ever_lack_room)
{
    static const struct {
        const char *config;
        size_t workers, k, cols;
    } rows[] = {{"registers:WG=64", 64, 8, 2000},
                {"registers:WG=64", 64, 32, 4000},
                {"registers:WG=128", 128, 50, 3000},
                {"registers:WG=256", 256, 20, 4096},
                {"registers:WG=256", 256, 50, 700},
                {"registers:WG=256", 256, 128, 4096},
                {"registers:WG=512", 512, 128, 4096},
                {"cluster:CLUSTER=16,WG=64", 16, 8, 512},
                {"cluster:CLUSTER=8,WG=64", 8, 8, 256},
                {"joined:WG=256,HOLD=8", 256, 50, 128256},
                {"joined:WG=128,HOLD=2", 128, 8, 50257},
                {"joined:WG=256,HOLD=1", 256, 8, 5000},
                {"joined:WG=256,HOLD=1", 256, 8, 4200}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t k = rows[i].k, cols = rows[i].cols, crowded = 0;
        size_t shares = number_of("SHARES", rows[i].config, k, cols);
        size_t room = number_of("CANDIDATES", rows[i].config, k, cols);
        size_t parts = number_of("PARTS", rows[i].config, k, cols);
        size_t least = last_part(cols, rows[i].workers, parts);
        ck_assert_uint_ge(shares, k);
        ck_assert_uint_eq(rows[i].workers % shares, 0);
        for (unsigned r = 0; r < 500; r++)
            crowded += reaching(k, rows[i].workers, shares, least) > room;
        ck_assert_msg(crowded <= 1, "%s, %zu of %zu: %zu of 500 rows", rows[i].config,
                      k, cols, crowded);
    }
    ck_assert_uint_eq(number_of("SHARES", "registers:WG=64", 33, 4000), 0);
    ck_assert_uint_eq(number_of("SHARES", "registers:WG=256", 100, 700), 0);
    ck_assert_uint_eq(number_of("SHARES", "cluster:CLUSTER=8,WG=64", 9, 256), 0);
}
END_TEST

Suite *program_suite(void)
{
    Suite *s = suite_create("program");
    TCase *tc = tcase_create("program");
    tcase_add_test(tc, x_stays_where_rows_are_written_that_nobody_reads_soon);
    tcase_add_test(tc, terms_are_held_as_far_as_there_is_room);
    tcase_add_test(tc, lists_rarely_run_out);
    tcase_add_test(tc, candidates_hardly_ever_lack_room);
    suite_add_tcase(s, tc);
    return s;
}
