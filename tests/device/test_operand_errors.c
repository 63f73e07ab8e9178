/* SPDX-License-Identifier: MIT */
/* What an enqueue refuses of operands: missing, too small, without the access that is
 * needed, or sharing memory with something that is written. */
#include "rig.h"

enum { LAST = RIG_ELEMENTS - 1 };

/* A cross-entropy with everything it may have. */
struct loss {
    struct tally *tally;
    const struct session *session;
    clsm_plan *plan;
    clsm_args args;
};

static cl_mem buffer(const struct session *s, cl_mem_flags flags, size_t bytes)
{
    cl_int error;
    cl_mem made = clCreateBuffer(s->context, flags, bytes, NULL, &error);
    ck_assert_ptr_nonnull(made);
    return made;
}

static struct loss loss_open(struct tally *t)
{
    struct loss l = {.tally = t, .session = &t->device->session};
    clsm_problem p =
        problem_of(CLSM_CROSS_ENTROPY, CLSM_F32, CLSM_F32, RIG_ROWS, RIG_COLS);
    p.operands = CLSM_LOSS_BITS & ~CLSM_ONLY_DEFAULT;
    ck_assert_int_eq(clsm_plan_create(l.session->engine, &p, &l.plan), CLSM_OK);
    ck_assert_int_eq(clsm_args_init(l.plan, &l.args), CLSM_OK);
    l.args.x = buffer(l.session, CL_MEM_READ_WRITE, 4 * RIG_ELEMENTS);
    l.args.y = buffer(l.session, CL_MEM_READ_WRITE, 4 * RIG_ELEMENTS);
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (o == CLSM_TARGETS || o == CLSM_LOSS || p.operands & CLSM_BIT(o))
            l.args.operand[o].memory =
                buffer(l.session, CL_MEM_READ_WRITE, 4 * RIG_COLS);
    return l;
}

static void loss_close(struct loss *l)
{
    clFinish(l->session->queue);
    clReleaseMemObject(l->args.x);
    clReleaseMemObject(l->args.y);
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (l->args.operand[o].memory)
            clReleaseMemObject(l->args.operand[o].memory);
    clsm_plan_destroy(l->plan);
}

static void refuses(const struct loss *l, const clsm_args *args, clsm_status status,
                    const char *says, const char *expected, const char *name)
{
    cl_event done = (cl_event)l;
    clsm_status got =
        clsm_enqueue_args(l->plan, l->session->queue, args, 0, NULL, &done);
    check_refusal(l->tally, got, status, says, expected, done, name);
}

#define SPOILED(l, status, says, expected, spoil)                                      \
    do {                                                                               \
        clsm_args a = (l)->args;                                                       \
        spoil;                                                                         \
        refuses(l, &a, status, says, expected, #spoil);                                \
    } while (0)

START_TEST(missing_operands_are_named)
{
    struct tally t = tally_of(_i);
    struct loss l = loss_open(&t);
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++)
        if (l.args.operand[o].memory)
            SPOILED(&l, CLSM_ERR_NULL, clsm_operand_name((clsm_operand)o), "is NULL",
                    a.operand[o].memory = NULL);
    tally_ok(&t, clsm_enqueue_args(l.plan, l.session->queue, &l.args, 0, NULL, NULL),
             "a right call");
    loss_close(&l);
    tally_end(&t);
}
END_TEST

START_TEST(buffers_for_operands_that_the_plan_does_not_have_are_refused)
{
    struct tally t = tally_of(_i);
    struct loss l = loss_open(&t);
    SPOILED(&l, CLSM_ERR_VALUE, "args.operand: mask is", "expected NULL",
            a.operand[CLSM_MASK].memory = a.operand[CLSM_LSE].memory);
    SPOILED(&l, CLSM_ERR_VALUE, "args.operand: indices is", "expected NULL",
            a.operand[CLSM_INDICES].memory = a.operand[CLSM_LSE].memory);
    loss_close(&l);
    tally_end(&t);
}
END_TEST

START_TEST(small_operands_are_refused)
{
    struct tally t = tally_of(_i);
    struct loss l = loss_open(&t);
    SPOILED(&l, CLSM_ERR_BUFFER, "buffer targets has 132 bytes", "extent 5",
            a.operand[CLSM_TARGETS].offset = RIG_COLS - RIG_ROWS + 1);
    SPOILED(&l, CLSM_ERR_BUFFER, "buffer weights has 132 bytes", "extent 33",
            a.operand[CLSM_WEIGHTS].offset = 1);
    SPOILED(&l, CLSM_ERR_BUFFER, "buffer bad_targets", "extent 1",
            a.operand[CLSM_BAD_TARGETS].offset = SIZE_MAX);
    loss_close(&l);
    tally_end(&t);
}
END_TEST

START_TEST(operands_need_the_right_access)
{
    struct tally t = tally_of(_i);
    struct loss l = loss_open(&t);
    cl_mem reads = buffer(l.session, CL_MEM_READ_ONLY, 4 * RIG_COLS);
    cl_mem writes = buffer(l.session, CL_MEM_WRITE_ONLY, 4 * RIG_COLS);
    SPOILED(&l, CLSM_ERR_ACCESS, "loss was created CL_MEM_READ_ONLY", "written",
            a.operand[CLSM_LOSS].memory = reads);
    SPOILED(&l, CLSM_ERR_ACCESS, "targets was created CL_MEM_WRITE_ONLY", "read",
            a.operand[CLSM_TARGETS].memory = writes);
    /* they are counted up */
    SPOILED(&l, CLSM_ERR_ACCESS, "bad_targets was created CL_MEM_READ_ONLY", "written",
            a.operand[CLSM_BAD_TARGETS].memory = reads);
    SPOILED(&l, CLSM_ERR_ACCESS, "bad_targets was created CL_MEM_WRITE_ONLY", "read",
            a.operand[CLSM_BAD_TARGETS].memory = writes);
    clReleaseMemObject(reads);
    clReleaseMemObject(writes);
    loss_close(&l);
    tally_end(&t);
}
END_TEST

START_TEST(operands_share_no_memory_with_what_is_written)
{
    struct tally t = tally_of(_i);
    struct loss l = loss_open(&t);
    SPOILED(&l, CLSM_ERR_OVERLAP, "y at bytes", "lse",
            (a.operand[CLSM_LSE].memory = a.y, a.operand[CLSM_LSE].offset = LAST - 5));
    SPOILED(&l, CLSM_ERR_OVERLAP, "x at bytes", "loss",
            a.operand[CLSM_LOSS].memory = a.x);
    SPOILED(&l, CLSM_ERR_OVERLAP, "max at bytes", "sum",
            a.operand[CLSM_SUM].memory = a.operand[CLSM_MAX].memory);
    SPOILED(&l, CLSM_ERR_OVERLAP, "targets at bytes", "loss",
            a.operand[CLSM_LOSS].memory = a.operand[CLSM_TARGETS].memory);
    loss_close(&l);
    tally_end(&t);
}
END_TEST

START_TEST(the_short_form_says_which_operand_is_missing)
{
    struct tally t = tally_of(_i);
    struct loss l = loss_open(&t);
    clsm_status got =
        clsm_enqueue(l.plan, l.session->queue, l.args.x, 0, l.args.y, 0, 0, NULL, NULL);
    check_refusal(&t, got, CLSM_ERR_NULL, "targets", "is NULL", NULL, "clsm_enqueue");
    loss_close(&l);
    tally_end(&t);
}
END_TEST

void operand_errors_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, missing_operands_are_named);
    add_test(suite, device, NULL,
             buffers_for_operands_that_the_plan_does_not_have_are_refused);
    add_test(suite, device, NULL, small_operands_are_refused);
    add_test(suite, device, NULL, operands_need_the_right_access);
    add_test(suite, device, NULL, operands_share_no_memory_with_what_is_written);
    add_test(suite, device, NULL, the_short_form_says_which_operand_is_missing);
}
