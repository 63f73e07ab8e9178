/* SPDX-License-Identifier: MIT */
/* Plans whose rows or columns change with each enqueue: nothing is built after the
 * first, and every shape comes out right. */
#include "tally.h"

enum { STEPS = 1000, SAMPLE = 97, OTHER = 77 };

static clsm_counters counters_now(void)
{
    clsm_counters n = {.struct_bytes = sizeof n};
    ck_assert_int_eq(clsm_get_counters(&n), CLSM_OK);
    return n;
}

/* Where the rows stand for all lengths: as far apart as the longest. */
struct steps {
    struct tally *tally;
    clsm_plan *plan;
    cl_mem x, y;
};

static void enqueue(const struct steps *s, const clsm_problem *p)
{
    clsm_args args;
    ck_assert_int_eq(clsm_args_init(s->plan, &args), CLSM_OK);
    args.rows = p->rows;
    args.cols = p->cols;
    args.x_row_stride = p->x_row_stride;
    args.y_row_stride = p->y_row_stride;
    args.x = s->x;
    args.y = s->y;
    tally_ok(s->tally,
             clsm_enqueue_args(s->plan, s->tally->device->session.queue, &args, 0, NULL,
                               NULL),
             "enqueue");
}

/* Each step is enqueued; every 97th, the first and the last, also compared. */
static void run_step(const struct steps *s, const clsm_problem *p, size_t step)
{
    struct trial trial = {.problem = *p, .mixed = true, .seed = step};
    if (step % SAMPLE == 0 || step == 1 || step == STEPS)
        tally_trial(s->tally, &trial, s->plan);
    else
        enqueue(s, p);
}

static void run(struct tally *t, clsm_problem p, size_t *changing)
{
    const struct session *session = &t->device->session;
    size_t bytes = p.rows * p.cols * sizeof(float);
    struct steps s = {.tally = t};
    s.x = session_buffer(session, bytes, NULL);
    s.y = session_buffer(session, bytes, NULL);
    ck_assert(s.x && s.y);
    tally_ok(t, clsm_plan_create(session->engine, &p, &s.plan), "plan");
    clsm_counters before = counters_now();
    for (*changing = 1; s.plan && *changing <= STEPS; (*changing)++)
        run_step(&s, &p, *changing);
    clFinish(session->queue);
    clsm_counters after = counters_now();
    tally_fact(t, after.builds == before.builds && after.programs == before.programs,
               "%llu builds and %llu programs after the plan was made",
               (unsigned long long)(after.builds - before.builds),
               (unsigned long long)(after.programs - before.programs));
    clsm_plan_destroy(s.plan);
    clReleaseMemObject(s.x);
    clReleaseMemObject(s.y);
}

START_TEST(thousand_growing_columns_build_nothing)
{
    struct tally t = tally_of(_i);
    clsm_problem p = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, 12, STEPS);
    p.flags = CLSM_OPEN_COLS;
    p.x_row_stride = p.y_row_stride = STEPS;
    run(&t, p, &p.cols);
    p.x_type = p.y_type = CLSM_BF16;
    p.x_row_stride = p.y_row_stride = 0;
    run(&t, p, &p.cols);
    tally_end(&t);
}
END_TEST

START_TEST(thousand_batch_sizes_build_nothing)
{
    struct tally t = tally_of(_i);
    clsm_problem p = problem_of(CLSM_LOG_SOFTMAX, CLSM_F32, CLSM_F32, STEPS, OTHER);
    p.flags = CLSM_OPEN_ROWS;
    run(&t, p, &p.rows);
    tally_end(&t);
}
END_TEST

/* rows is a hint in an open plan; 0 says that nothing is known. */
START_TEST(unknown_rows_are_served)
{
    struct tally t = tally_of(_i);
    clsm_plan *plan = NULL;
    struct trial trial = {.mixed = true, .seed = 5};
    trial.problem = problem_of(CLSM_SOFTMAX, CLSM_F16, CLSM_F32, 0, OTHER);
    trial.problem.flags = CLSM_OPEN_ROWS | CLSM_OPEN_COLS;
    tally_ok(&t, clsm_plan_create(t.device->session.engine, &trial.problem, &plan),
             "plan");
    trial.problem.flags = 0;
    for (size_t rows = 0; plan && rows <= 40; rows += 8) {
        trial.problem.rows = rows;
        trial.problem.cols = OTHER - rows;
        tally_trial(&t, &trial, plan);
    }
    clsm_plan_destroy(plan);
    tally_end(&t);
}
END_TEST

START_TEST(plans_of_one_specialisation_share_a_program)
{
    struct tally t = tally_of(_i);
    clsm_plan *plans[8] = {NULL};
    clsm_plan_info info = {.struct_bytes = sizeof info};
    clsm_counters before, after;
    for (size_t i = 0; i < COUNT(plans); i++) {
        clsm_problem p =
            problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, 100 + i, 1000 + i);
        p.variant = "tree";
        before = counters_now();
        tally_ok(&t, clsm_plan_create(t.device->session.engine, &p, &plans[i]), "plan");
        after = counters_now();
        tally_ok(&t, clsm_plan_get_info(plans[i], &info), "info");
        tally_fact(&t, !i || (after.programs == before.programs && !info.build_seconds),
                   "plan %zu built again in %g s", i, info.build_seconds);
    }
    for (size_t i = 0; i < COUNT(plans); i++)
        clsm_plan_destroy(plans[i]);
    tally_end(&t);
}
END_TEST

void open_plans_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, thousand_growing_columns_build_nothing);
    add_test(suite, device, NULL, thousand_batch_sizes_build_nothing);
    add_test(suite, device, NULL, unknown_rows_are_served);
    add_test(suite, device, NULL, plans_of_one_specialisation_share_a_program);
}
