/* SPDX-License-Identifier: MIT */
/* Counting and printing. What is printed are comments of TAP, one line each. */
#include "tally.h"

#include "../../tools/tensors.h"
#include "listing.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct tally tally_of(int index)
{
    const struct device *device = &devices[index % MAX_DEVICES];
    ck_assert_msg(device->session.engine != NULL, "%s", device->failure);
    return (struct tally){.device = device};
}

static void record_failure(struct tally *t, char *text)
{
    for (char *at = text; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    printf("# FAILED %s: %s\n", t->device->label, text);
    if (!t->failed++)
        snprintf(t->first, sizeof t->first, "%.399s", text);
}

bool tally_fact(struct tally *t, bool holds, const char *format, ...)
{
    char text[1024];
    t->done++;
    if (holds)
        return true;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    record_failure(t, text);
    return false;
}

bool tally_ok(struct tally *t, clsm_status status, const char *call)
{
    return tally_fact(t, status == CLSM_OK, "%s: %s, %.600s", call,
                      clsm_status_name(status), clsm_last_message());
}

/* The kind of the row that is furthest off. */
static const char *kind_of(const struct trial *trial, const clsm_report *report)
{
    size_t n = report->worst_row * trial->problem.inner + report->worst_inner;
    return input_kind_name(tensors_kind(trial, n));
}

/* With all its numbers. */
static void describe(const struct trial *trial, char *text, size_t bytes)
{
    const clsm_problem *p = &trial->problem;
    snprintf(text, bytes,
             "%s %s -> %s, %s policy, flags 0x%x, rows %zu, cols %zu, inner %zu, "
             "row strides %zu and %zu, col strides %zu and %zu, offsets %zu and %zu%s, "
             "seed %llu, asked for %s",
             clsm_op_name(p->op), clsm_type_name(p->x_type), clsm_type_name(p->y_type),
             p->nonfinite == CLSM_NONFINITE_LIMIT ? "limit" : "default", p->flags,
             p->rows, p->cols, p->inner, p->x_row_stride, p->y_row_stride,
             p->x_col_stride, p->y_col_stride, trial->x_offset, trial->y_offset,
             trial->in_place ? " in place" : "", (unsigned long long)trial->seed,
             p->variant ? p->variant : "any");
}

/* What runs now, for when it ends the process. */
static char running[512];

static void end_by_signal(int number)
{
    static const char before[] =
        "\n# FAILED, touched what is no memory of its tensors: ";
    (void)!write(STDOUT_FILENO, before, sizeof before - 1);
    (void)!write(STDOUT_FILENO, running, strlen(running));
    (void)!write(STDOUT_FILENO, "\n", 1);
    signal(number, SIG_DFL);
    raise(number);
}

bool tally_trial(struct tally *t, const struct trial *trial, clsm_plan *plan)
{
    struct verdict v;
    struct trial fenced = *trial;
    if (asked_for("CLSM_TEST_LIST")) {
        list_trial(trial);
        return tally_fact(t, true, "listed");
    }
    describe(trial, running, sizeof running);
    fenced.fenced = t->device->session.engine->traits.bits & TRAIT_CPU;
    void (*before)(int) = signal(SIGSEGV, end_by_signal);
    bool right = trial_run(&t->device->session, &fenced, plan, &v);
    signal(SIGSEGV, before);
    return tally_fact(t, right, "%s, %s%s, ran %s: %s: %s", running,
                      kind_of(trial, &v.report), trial->mixed ? " (mixed)" : "",
                      v.variant, clsm_status_name(v.status), v.complaint);
}

void tally_end(const struct tally *t)
{
    note(t->device, "%u checks, %u failed", t->done, t->failed);
    ck_assert_msg(t->done != 0, "nothing was checked");
    ck_assert_msg(t->failed == 0, "%u of %u checks failed; the first: %s", t->failed,
                  t->done, t->first);
}
