/* SPDX-License-Identifier: MIT */
/* Every variant of the table at every edge length, with every kind of input, against
 * the reference: which combinations of types, operation and policy run, and running
 * them. */
#include "lengths.h"
#include "tally.h"

#include <stdio.h>
#include <string.h>

#define PLUS_ONE(...) +1
enum { TYPES = 0 CLSM_TYPES(PLUS_ONE), OPS = 0 CLSM_OPERATIONS(PLUS_ONE) };
enum { ROWS = INPUT_KIND_COUNT + 2 }; /* each kind, and first and last rows twice */

/* What a program is specialised on besides its configuration. */
struct recipe {
    clsm_op op;
    clsm_type x, y;
    clsm_nonfinite policy;
};

/* One configuration on one device. */
struct subject {
    struct tally *tally;
    struct config config;
    char name[64];
    bool first;    /* its variant's first: the defaults, where they are new */
    unsigned rank; /* of its variant among those that run here */
};

/* Does the configuration take rows of this length? */
static bool fits(const struct subject *s, clsm_problem problem, size_t cols)
{
    problem.cols = cols;
    return config_serves(s->tally->device, &s->config, &problem);
}

/* One that it does not take must be refused. */
static void refuse(const struct subject *s, const clsm_problem *problem)
{
    clsm_plan *plan = NULL;
    clsm_status status =
        clsm_plan_create(s->tally->device->session.engine, problem, &plan);
    tally_fact(s->tally, status == CLSM_ERR_VARIANT && !plan, "%s, cols %zu: %s",
               s->name, problem->cols, clsm_status_name(status));
    clsm_plan_destroy(plan);
}

/* All lengths that fit with one plan, since a program serves them all; what is held in
 * registers is compiled in, so that the longest rows have one plan and shorter ones
 * others too. */
static clsm_plan *open_plan(const struct subject *s, clsm_problem problem,
                            const struct lengths *lengths)
{
    clsm_plan *plan = NULL;
    unsigned i = lengths->count;
    while (i > 0 && !fits(s, problem, lengths->cols[i - 1]))
        i--;
    if (clsm_variants[s->config.variant].exact_cols || asked_for("CLSM_TEST_LIST") ||
        i == 0)
        return NULL;
    problem.cols = lengths->cols[i - 1];
    problem.flags = CLSM_OPEN_ROWS | CLSM_OPEN_COLS;
    tally_ok(s->tally,
             clsm_plan_create(s->tally->device->session.engine, &problem, &plan),
             s->name);
    return plan;
}

/* Rows that are held get a plan of their own too, since another number of packs is
 * compiled in: for two types, and where compilers are slow at every fourth length. */
static bool deserves_plan(const struct subject *s, const clsm_problem *p, unsigned i)
{
    bool cpu = s->tally->device->session.engine->traits.bits & TRAIT_CPU;
    return clsm_variants[s->config.variant].packs && p->op == CLSM_SOFTMAX &&
           p->x_type == p->y_type && p->nonfinite == CLSM_NONFINITE_DEFAULT &&
           (p->x_type == CLSM_F32 || p->x_type == CLSM_F16) && (!cpu || i % 4 == 1);
}

/* Every how many of the lengths that fit get a trial: all, unless each has a program of
 * its own and a CPU compiles it; then an operation sees others than the one before. */
static unsigned step_of(const struct subject *s, const clsm_problem *p,
                        const struct lengths *lengths)
{
    bool cpu = s->tally->device->session.engine->traits.bits & TRAIT_CPU;
    bool few = s->first && !asked_for("CLSM_TEST_EXHAUSTIVE");
    unsigned fitting = 0, most = few ? OPS - 1 : 6;
    if (!cpu || !clsm_variants[s->config.variant].exact_cols)
        return 1;
    for (unsigned i = 0; i < lengths->count; i++)
        fitting += fits(s, *p, lengths->cols[i]);
    return fitting == 0 ? 1 : fitting < most ? fitting : most;
}

static void run_lengths(const struct subject *s, struct trial trial,
                        const struct lengths *lengths)
{
    clsm_plan *plan = open_plan(s, trial.problem, lengths);
    const unsigned step = step_of(s, &trial.problem, lengths);
    unsigned turn = step - (unsigned)trial.problem.op % step;
    for (unsigned i = 0; i < lengths->count; i++) {
        trial.problem.cols = lengths->cols[i];
        trial.kind = (enum input_kind)(i % INPUT_KIND_COUNT);
        trial.seed++;
        if (!fits(s, trial.problem, trial.problem.cols)) {
            refuse(s, &trial.problem);
        } else if (turn++ % step == 0) {
            tally_trial(s->tally, &trial, plan);
            if (plan && deserves_plan(s, &trial.problem, i))
                tally_trial(s->tally, &trial, NULL);
        }
    }
    clsm_plan_destroy(plan);
}

static void run_recipe(const struct subject *s, const struct recipe *r)
{
    const struct traits *t = &s->tally->device->session.engine->traits;
    struct trial trial = {.mixed = true, .seed = 1};
    struct problem p;
    bool limit = r->policy == CLSM_NONFINITE_LIMIT;
    trial.problem = problem_of(r->op, r->x, r->y, ROWS, 1);
    trial.problem.nonfinite = r->policy;
    trial.problem.dy_type = r->y;
    trial.problem.variant = s->name;
    if (limit && clsm_op_may(r->op) & CLSM_ONLY_DEFAULT)
        return;
    if (!can_do(s->tally->device, &trial.problem))
        return;
    ck_assert_int_eq(clsm_problem_check(&trial.problem, &p), CLSM_OK);
    struct lengths lengths = edge_lengths(&s->config, &p, t);
    run_lengths(s, trial, &lengths);
}

static void run_all(const struct subject *s)
{
    for (int op = 0; op < OPS; op++)
        for (int x = 0; x < TYPES; x++)
            for (int y = 0; y < TYPES; y++)
                for (int policy = 0; policy <= CLSM_NONFINITE_LIMIT; policy++)
                    run_recipe(s,
                               &(struct recipe){(clsm_op)op, (clsm_type)x, (clsm_type)y,
                                                (clsm_nonfinite)policy});
}

/* Pairs of unlike types: a few of them, others for the next variant. Layouts and the
 * family's types bring more. */
static void run_mixed_types(const struct subject *s)
{
    for (unsigned k = 0; k < TYPES * TYPES; k++) {
        clsm_type x = (clsm_type)(k / TYPES), y = (clsm_type)(k % TYPES);
        if (x != y && (k + s->rank) % 6 == 0)
            run_recipe(s, &(struct recipe){(clsm_op)((k / 3 + s->rank) % OPS), x, y,
                                           CLSM_NONFINITE_DEFAULT});
    }
}

/* Does each of its programs take a CPU's compiler seconds? */
static bool compiles_slowly(const struct subject *s)
{
    const struct traits *t = &s->tally->device->session.engine->traits;
    clsm_problem any = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, ROWS, 1);
    struct problem p;
    ck_assert_int_eq(clsm_problem_check(&any, &p), CLSM_OK);
    bool held = clsm_config_held_words(&s->config, &p, t) > 0;
    return t->bits & TRAIT_CPU && (held || clsm_variants[s->config.variant].pipelined);
}

/* Types take turns, but those that the variant or the device cannot compute in. */
static clsm_type type_in_turn(const struct subject *s, unsigned turn)
{
    bool no_f64 = clsm_variants[s->config.variant].pipelined ||
                  !s->tally->device->session.info.has_fp64;
    clsm_type type = (clsm_type)(turn % TYPES);
    return type == CLSM_F64 && no_f64 ? CLSM_F32 : type;
}

/* The defaults with every operation in every type, one of them with the other policy;
 * which one that is goes round. Where programs take long it is that one alone, and
 * policies take turns. */
static void run_paired(const struct subject *s)
{
    const bool slow = compiles_slowly(s);
    for (unsigned op = 0; op < OPS; op++)
        for (unsigned type = 0; type < TYPES; type++) {
            bool other = type == type_in_turn(s, s->rank + op);
            bool limit = other && (!slow || op % 2) &&
                         !(clsm_op_may((clsm_op)op) & CLSM_ONLY_DEFAULT);
            if (other || !slow)
                run_recipe(s, &(struct recipe){(clsm_op)op, (clsm_type)type,
                                               (clsm_type)type,
                                               limit ? CLSM_NONFINITE_LIMIT
                                                     : CLSM_NONFINITE_DEFAULT});
        }
    run_mixed_types(s);
}

static void run_config(const struct subject *s, unsigned i)
{
    const clsm_type type = type_in_turn(s, i);
    if (asked_for("CLSM_TEST_EXHAUSTIVE"))
        run_all(s);
    else if (s->first)
        run_paired(s);
    else
        run_recipe(s, &(struct recipe){(clsm_op)(i % OPS), type, type,
                                       CLSM_NONFINITE_DEFAULT});
}

START_TEST(every_edge_length_is_within_the_bound)
{
    struct tally t = tally_of(_i);
    unsigned variant = (unsigned)(_i / MAX_DEVICES);
    struct subject s = {.tally = &t,
                        .first = is_new_variant_here(t.device, variant),
                        .rank = rank_of(t.device, variant)};
    for (unsigned i = 0; clsm_config_at(i, &s.config); i++) {
        if (s.config.variant != variant || !is_new_here(t.device, &s.config))
            continue;
        clsm_config_text(&s.config, s.name, sizeof s.name);
        if (runs_here(t.device, &s.config))
            run_config(&s, i);
        else
            note(t.device, "%s does not run here", s.name);
        s.first = false;
    }
    tally_end(&t);
}
END_TEST

/* To 45, and to 100: where terms are relative to a row's start, the last ones are
 * further above that than a power of 2 in an f32 reaches, and those before are no 0. */
START_TEST(a_row_may_rise_far_above_its_start)
{
    enum { COLS = 997, N = 3 * COLS };
    struct tally t = tally_of(_i);
    const struct session *s = &t.device->session;
    float x[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = i % COLS >= 600 ? 100.0f : i % COLS / 16 == 6 ? 45.0f : 0.0f;
    cl_mem in = session_buffer(s, sizeof x, x), out = session_buffer(s, sizeof y, NULL);
    struct subject subject = {.tally = &t};
    clsm_problem p = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, 3, COLS);
    p.variant = subject.name;
    for (unsigned i = 0; clsm_config_at(i, &subject.config); i++) {
        clsm_plan *plan = NULL;
        clsm_report report = {.struct_bytes = sizeof report};
        clsm_config_text(&subject.config, subject.name, sizeof subject.name);
        if (!clsm_variants[subject.config.variant].pipelined ||
            !runs_here(t.device, &subject.config) || !fits(&subject, p, COLS))
            continue;
        tally_ok(&t, clsm_plan_create(s->engine, &p, &plan), subject.name);
        tally_ok(&t, clsm_enqueue(plan, s->queue, in, 0, out, 0, 0, NULL, NULL),
                 subject.name);
        clEnqueueReadBuffer(s->queue, out, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL);
        clsm_status status = clsm_check(&p, x, y, &report);
        tally_fact(&t, status == CLSM_OK && report.pass, "%s: %.3g of the bound",
                   subject.name, report.worst);
        clsm_plan_destroy(plan);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    tally_end(&t);
}
END_TEST

void edges_suite(Suite *suite, int device)
{
    struct config config;
    unsigned last = clsm_variant_count;
    bool pipelined = false;
    for (unsigned i = 0; clsm_config_at(i, &config); last = config.variant, i++) {
        const struct device *d = &devices[device];
        const char *name = clsm_variants[config.variant].name;
        if (config.variant == last ||
            (lanes_are_local(d) && !clsm_variants[config.variant].lanes))
            continue;
        bool runs = runs_here(d, &config);
        pipelined |= runs && clsm_variants[config.variant].pipelined;
        if (runs)
            add_test(suite, device + MAX_DEVICES * (int)config.variant, name,
                     every_edge_length_is_within_the_bound);
        else
            note(d, "variant %s does not run here", name);
    }
    if (pipelined)
        add_test(suite, device, NULL, a_row_may_rise_far_above_its_start);
}
