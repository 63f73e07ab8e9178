/* SPDX-License-Identifier: MIT */
/* Every operation in its dresses (masks, scales, statistics, weights, ...) with every
 * variant, in pairs: each variant sees each form in two programs and each operation in
 * one, others than the next variant, so that a few bring each form to each operation. A
 * program serves all lengths up to its own. With CLSM_TEST_EXHAUSTIVE each variant sees
 * every dress of every operation, in all types, with a program for each length; so does
 * `clsoftmax verify --forms`. */
#include "../../tools/dress.h"
#include "listing.h"
#include "tally.h"

#include <stdint.h>
#include <stdio.h>

#define PLUS_ONE(...) +1
enum { TYPES = 0 CLSM_TYPES(PLUS_ONE) };

static const size_t lengths[] = {0, 1, 37, 300};

/* One variant, operation and type in one dress. */
struct fitting {
    struct tally *tally;
    unsigned variant, dress;
    clsm_op op;
    clsm_type type;
    char config[64]; /* what is asked for */
    struct trial trial;
    unsigned seen[FEATURES]; /* programs of the variant that have each form */
    bool met[CLSM_OP_COUNT]; /* has the operation worn any? */
};

/* What serves the trial: the variant, or, if not all of its configurations that could
 * are new here, one of those in turn. */
static bool find_config(struct fitting *f)
{
    const struct device *device = f->tally->device;
    struct config config, fresh[32];
    unsigned all = 0, n = 0;
    for (unsigned i = 0; clsm_config_at(i, &config) && n < COUNT(fresh); i++) {
        bool could = config.variant == f->variant &&
                     config_serves(device, &config, &f->trial.problem);
        all += could;
        if (could && is_new_here(device, &config))
            fresh[n++] = config;
    }
    snprintf(f->config, sizeof f->config, "%s", clsm_variants[f->variant].name);
    if (n && n < all)
        clsm_config_text(&fresh[(f->op + f->dress) % n], f->config, sizeof f->config);
    return n;
}

/* Softmaxes of mappings that want neighbours have some: a vector and a few more. */
static void give_neighbours(unsigned variant, clsm_problem *p)
{
    const struct variant *v = &clsm_variants[variant];
    p->inner = v->any_axis && v->row_per_lane ? 19 : 1;
}

/* Dress the trial for a length. False if there is no such dress, or nothing serves. */
static bool put_on(struct fitting *f, size_t length)
{
    f->trial = (struct trial){
        .mixed = true, .seed = 100 * f->dress + length, .x_offset = length};
    clsm_problem *p = &f->trial.problem;
    *p = problem_of(f->op, f->type, f->type, DRESS_ROWS, lengths[length]);
    give_neighbours(f->variant, p);
    if (f->dress % 2 && !(clsm_op_may(f->op) & CLSM_ONLY_DEFAULT))
        p->nonfinite = CLSM_NONFINITE_LIMIT;
    bool found =
        dress_problem(f->dress, p) && can_do(f->tally->device, p) && find_config(f);
    p->variant = f->config;
    return found;
}

/* Every length with a program of its own. */
static void run_each(struct fitting *f)
{
    for (size_t i = 0; i < COUNT(lengths); i++)
        if (put_on(f, i))
            tally_trial(f->tally, &f->trial, NULL);
}

/* The longest rows up to a length that are served; 0 for none. */
static size_t longest_served(struct fitting *f, size_t length)
{
    while (length && !put_on(f, length))
        length--;
    return length;
}

/* One program for rows up to the last length, and for all shorter ones if it can. */
static void run_together(struct fitting *f, size_t last)
{
    clsm_plan *plan = NULL;
    const bool alone = clsm_variants[f->variant].exact_cols;
    if (!alone && put_on(f, last) && !asked_for("CLSM_TEST_LIST")) {
        clsm_problem p = f->trial.problem;
        p.flags |= CLSM_OPEN_ROWS | CLSM_OPEN_COLS;
        tally_ok(f->tally,
                 clsm_plan_create(f->tally->device->session.engine, &p, &plan), "plan");
    }
    for (size_t i = alone ? last : 0; i <= last; i++)
        if (put_on(f, i))
            tally_trial(f->tally, &f->trial, plan);
    clsm_plan_destroy(plan);
}

static void run_all(struct fitting *f)
{
    for (unsigned op = 0; op < CLSM_OP_COUNT; op++)
        for (unsigned type = 0; type < TYPES; type++) {
            f->op = (clsm_op)op;
            f->type = (clsm_type)type;
            run_each(f);
        }
}

/* Forms that come for the first time have a program for rows up to 300; the second
 * time, one for shorter rows, for which other parameters are chosen and less is held.
 */
static void run_if_new(struct fitting *f)
{
    size_t last = longest_served(f, 3);
    const unsigned forms = features_of(&f->trial);
    bool first = !f->met[f->op], second = false;
    if (!last)
        return;
    for (unsigned k = 0; k < FEATURES; k++)
        if (forms >> k & 1) {
            first |= f->seen[k] == 0;
            second |= f->seen[k] == 1;
        }
    if (!first && !second)
        return;
    for (unsigned k = 0; k < FEATURES; k++)
        f->seen[k] += forms >> k & 1;
    f->met[f->op] = true;
    size_t shorter = longest_served(f, 2);
    run_together(f, first || !shorter ? last : shorter);
}

/* Every dress of every operation that brings something new; variants begin with others.
 */
static void run_pairs(struct fitting *f)
{
    for (unsigned n = 0; n < CLSM_OP_COUNT; n++) {
        f->op = (clsm_op)((n + f->variant + 2 * f->dress) % CLSM_OP_COUNT);
        run_if_new(f);
    }
}

START_TEST(every_form_is_within_the_bound)
{
    struct tally t = tally_of(_i);
    struct fitting f = {.tally = &t, .variant = (unsigned)(_i / MAX_DEVICES)};
    for (f.dress = 1; f.dress < dress_count(); f.dress++)
        if (asked_for("CLSM_TEST_EXHAUSTIVE"))
            run_all(&f);
        else
            run_pairs(&f);
    tally_end(&t);
}
END_TEST

/* The farthest offsets with the widest window, which leaves nothing out, and the
 * smallest and the largest soft cap. */
START_TEST(forms_are_right_at_the_ends_of_their_range)
{
    const ptrdiff_t offsets[] = {PTRDIFF_MAX, PTRDIFF_MIN};
    const double caps[] = {0x1p-126, 0x1p100};
    struct tally t = tally_of(_i);
    for (unsigned v = 0; v < clsm_variant_count; v++)
        for (size_t i = 0; i < COUNT(caps); i++) {
            struct trial trial = {.mixed = true, .seed = 5 + i};
            clsm_problem *p = &trial.problem;
            *p = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, DRESS_ROWS, 37);
            p->variant = clsm_variants[v].name;
            p->softcap = caps[i];
            p->window = SIZE_MAX;
            p->causal_offset = offsets[i];
            if (is_new_variant_here(t.device, v) && can_serve(t.device, v, p))
                tally_trial(&t, &trial, NULL);
        }
    tally_end(&t);
}
END_TEST

/* Rows of -1e30 have one element as good as the other, whatever rounding takes from it
 * with a scale: each pass over a row has to come to the same logits. */
START_TEST(padding_stays_uniform_with_a_scale)
{
    const clsm_op ops[] = {CLSM_SOFTMAX, CLSM_LOG_SOFTMAX, CLSM_STATISTICS};
    const size_t cols[] = {37, 1000, 4613};
    struct tally t = tally_of(_i);
    for (unsigned v = 0; v < clsm_variant_count; v++)
        for (size_t i = 0; i < COUNT(cols) * COUNT(ops); i++) {
            struct trial trial = {.mixed = true, .seed = 60 + i};
            clsm_problem *p = &trial.problem;
            *p = problem_of(ops[i % COUNT(ops)], CLSM_F32, CLSM_F32, DRESS_ROWS,
                            cols[i / COUNT(ops)]);
            p->variant = clsm_variants[v].name;
            p->scale = 0.3;
            give_neighbours(v, p);
            if (is_new_variant_here(t.device, v) && can_serve(t.device, v, p))
                tally_trial(&t, &trial, NULL);
        }
    tally_end(&t);
}
END_TEST

/* With nothing but a scale, or temperature 0, by every configuration. */
START_TEST(one_form_alone_is_right)
{
    static const struct {
        clsm_op op;
        double scale, temperature;
    } forms[] = {{CLSM_SOFTMAX, -0.3, 1}, {CLSM_LOG_SOFTMAX, 1, 0}};
    const clsm_type types[] = {CLSM_F32, CLSM_F16, CLSM_BF16};
    const size_t lengths[] = {1, 65, 1025};
    struct tally t = tally_of(_i);
    struct config config;
    for (unsigned i = 0; clsm_config_at(i, &config); i++) {
        const clsm_type type = types[i % COUNT(types)];
        char name[64];
        clsm_config_text(&config, name, sizeof name);
        const size_t all = is_new_here(t.device, &config) ? COUNT(forms) : 0;
        for (size_t n = 0; n < all * COUNT(lengths); n++) {
            struct trial trial = {.mixed = true, .seed = 80 + n};
            clsm_problem *p = &trial.problem;
            *p =
                problem_of(forms[n % all].op, type, type, DRESS_ROWS, lengths[n / all]);
            p->variant = name;
            p->scale = forms[n % all].scale;
            p->temperature = forms[n % all].temperature;
            give_neighbours(config.variant, p);
            if (config_serves(t.device, &config, p))
                tally_trial(&t, &trial, NULL);
        }
    }
    tally_end(&t);
}
END_TEST

/* 16-bit rows of which a window leaves out columns on both sides, which are written
 * too. */
START_TEST(columns_that_a_window_leaves_out_are_written)
{
    struct tally t = tally_of(_i);
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        struct trial trial = {.seed = 3};
        clsm_problem *p = &trial.problem;
        *p = problem_of(CLSM_SOFTMAX, CLSM_BF16, CLSM_BF16, DRESS_ROWS, 37);
        p->variant = clsm_variants[v].name;
        p->window = 5;
        if (is_new_variant_here(t.device, v) && can_serve(t.device, v, p))
            tally_trial(&t, &trial, NULL);
    }
    tally_end(&t);
}
END_TEST

void forms_suite(Suite *suite, int device)
{
    const struct device *d = &devices[device];
    add_test(suite, device, NULL, forms_are_right_at_the_ends_of_their_range);
    add_test(suite, device, NULL, padding_stays_uniform_with_a_scale);
    add_test(suite, device, NULL, one_form_alone_is_right);
    add_test(suite, device, NULL, columns_that_a_window_leaves_out_are_written);
    clsm_problem p = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, 1, 1);
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        const char *name = clsm_variants[v].name;
        p.cols = clsm_variants[v].cols.min;
        give_neighbours(v, &p);
        if (is_new_variant_here(d, v) && can_serve(d, v, &p))
            add_test(suite, device + MAX_DEVICES * (int)v, name,
                     every_form_is_within_the_bound);
    }
}
