/* SPDX-License-Identifier: MIT */
/* What plans cost: the first one of a process, and one that leaves its shape open. */
#include "measure.h"
#include "report.h"

#include <stdio.h>

/* An engine of its own has no programs yet. */
void time_build(struct limit *limit, const struct limit_case *c)
{
    const struct session *s = limit->session;
    struct result r = {.of = *c, .info = {.struct_bytes = sizeof r.info}};
    clsm_engine *engine;
    clsm_plan *plan = NULL;
    clsm_problem p;
    case_problem(c, &p);
    clsm_status status = clsm_engine_create(s->context, s->info.device, &engine);
    double start = now();
    if (status == CLSM_OK)
        status = clsm_plan_create(engine, &p, &plan);
    r.seconds = r.value = now() - start;
    if (status == CLSM_OK)
        status = clsm_plan_get_info(plan, &r.info);
    if (status != CLSM_OK)
        keep_failure(status, "plan", &r);
    clsm_plan_destroy(plan);
    clsm_engine_destroy(engine);
    report_result(limit, &r);
}

void time_open(struct limit *limit, const struct limit_case *c)
{
    struct result closed, open;
    struct limit_case plain = *c;
    plain.form = form_find("plain");
    time_case(limit, &plain, &closed);
    if (!(closed.seconds > 0)) { /* nothing to hold it against */
        closed.of = *c;
        report_result(limit, &closed);
        return;
    }
    time_case(limit, c, &open);
    if (open.seconds > 0) {
        open.value = 1 - closed.seconds / open.seconds;
        snprintf(open.note, sizeof open.note, "%s %.2f us where all is known",
                 closed.info.variant, closed.seconds * 1e6);
    }
    report_result(limit, &open);
}
