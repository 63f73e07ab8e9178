/* SPDX-License-Identifier: MIT */
/* Row lengths at which the library changes its mind: where another configuration is
 * chosen than for a row one shorter, both must be right. */
#include "choose.h"
#include "tally.h"

#include <string.h>

/* More switches than this are a comb of few kinds, of which first and last will do. */
enum { LONGEST = 70000, MAX_SWITCHES = 8192, FEW_SWITCHES = 24 };

struct switches {
    unsigned count;
    struct {
        size_t cols; /* the first length of the new choice */
        struct config from, to;
    } at[MAX_SWITCHES];
};

static bool same(const struct config *a, const struct config *b)
{
    return a->variant == b->variant &&
           memcmp(a->values, b->values, sizeof a->values) == 0;
}

static struct config chosen(const clsm_problem *from, const struct traits *t)
{
    static struct choice choice;
    struct problem p;
    ck_assert_int_eq(clsm_problem_check(from, &p), CLSM_OK);
    ck_assert_int_eq(clsm_choose(&p, t, NULL, &choice), CLSM_OK);
    return choice.ranked[0].config;
}

/* Every length is asked for: switches may be as near to each other as they like. */
static void find_switches(clsm_problem *p, const struct traits *t, size_t longest,
                          struct switches *s)
{
    p->cols = 1;
    struct config last = chosen(p, t);
    s->count = 0;
    for (p->cols = 2; p->cols <= longest; p->cols++) {
        struct config now = chosen(p, t);
        if (same(&now, &last))
            continue;
        ck_assert_int_lt(s->count, MAX_SWITCHES);
        s->at[s->count].cols = p->cols;
        s->at[s->count].from = last;
        s->at[s->count++].to = last = now;
    }
}

/* Is there no switch between the same two before it, or none behind it? */
static bool at_an_end(const struct switches *s, unsigned i)
{
    unsigned before = 0, behind = 0;
    for (unsigned k = 0; k < s->count; k++)
        if (same(&s->at[k].from, &s->at[i].from) && same(&s->at[k].to, &s->at[i].to)) {
            before += k < i;
            behind += k > i;
        }
    return !before || !behind;
}

static void run_around(struct tally *t, const clsm_problem *p, size_t cols)
{
    struct trial trial = {.problem = *p, .mixed = true, .seed = cols};
    for (size_t c = cols - 1; c <= cols + 1; c++) {
        trial.problem.cols = c;
        tally_trial(t, &trial, NULL);
    }
}

/* All lengths at which the plan for so many rows changes, and their neighbours. */
static void run_rows(struct tally *t, clsm_op op, clsm_type type, size_t rows,
                     size_t longest)
{
    static struct switches s;
    const struct traits *traits = &t->device->session.engine->traits;
    clsm_problem p = problem_of(op, type, type, rows, 1);
    find_switches(&p, traits, longest, &s);
    bool all = s.count <= FEW_SWITCHES;
    note(t->device, "%s, %zu rows: %u switches%s", clsm_type_name(type), rows, s.count,
         all ? "" : "; of each kind the first and the last are tested");
    for (unsigned i = 0; i < s.count; i++)
        if (all || at_an_end(&s, i))
            run_around(t, &p, s.at[i].cols);
    run_around(t, &p, longest - 1);
}

START_TEST(both_sides_of_every_switch_are_right)
{
    struct tally t = tally_of(_i);
    run_rows(&t, CLSM_SOFTMAX, CLSM_F32, INPUT_KIND_COUNT, LONGEST);
    run_rows(&t, CLSM_LOG_SOFTMAX, CLSM_F16, INPUT_KIND_COUNT, LONGEST);
    run_rows(&t, CLSM_SOFTMAX, CLSM_F32, 1, LONGEST);
    run_rows(&t, CLSM_SOFTMAX, CLSM_F32, 1500, 1100);
    run_rows(&t, CLSM_LOG_SOFTMAX, CLSM_F16, 1500, 1100);
    tally_end(&t);
}
END_TEST

/* The longest row whose terms find room in local memory. *fits: the variant does, on
 * this device. */
static size_t longest_held(const clsm_problem *from, const struct traits *t, bool *fits)
{
    static struct choice choice;
    struct problem p;
    size_t held = 0;
    ck_assert_int_eq(clsm_problem_check(from, &p), CLSM_OK);
    *fits = clsm_choose(&p, t, from->variant, &choice) == CLSM_OK;
    if (!*fits)
        return 0;
    for (size_t step = t->local_bytes / sizeof(float); step > 0; step /= 2) {
        p.cols = held + step;
        if (clsm_config_hold_cols(&choice.ranked[0].config, &p, t))
            held += step;
    }
    return held;
}

START_TEST(rows_whose_terms_just_find_room_are_right)
{
    struct tally t = tally_of(_i);
    clsm_problem p = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, INPUT_KIND_COUNT, 1);
    p.variant = "fused";
    bool fits;
    size_t cols = longest_held(&p, &t.device->session.engine->traits, &fits);
    note(t.device, "%s holds the terms of up to %zu columns", p.variant, cols);
    if (cols)
        run_around(&t, &p, cols);
    tally_fact(&t, cols || !fits, "it holds none");
    tally_end(&t);
}
END_TEST

void switches_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, rows_whose_terms_just_find_room_are_right);
    add_test(suite, device, NULL, both_sides_of_every_switch_are_right);
}
