/* SPDX-License-Identifier: MIT */
/* What all runners do around their timing. */
#include "scene.h"

#include "check.h"
#include "measure.h"
#include "report.h"
#include "rounds.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CHECKED = 1 << 18 }; /* elements at either end */

void scene_note(struct scene *scene, const char *format, ...)
{
    char *note = scene->result.note;
    size_t room = sizeof scene->result.note, used = strlen(note);
    va_list args;
    if (used)
        used += (size_t)snprintf(note + used, room - used, "%s", ", ");
    va_start(args, format);
    if (used < room)
        vsnprintf(note + used, room - used, format, args);
    va_end(args);
}

/* Only where time is measured do caches have to be cold. */
static uint64_t cold_bytes(const struct scene *scene)
{
    const struct arena *arena = &scene->run->limit.arena;
    return scene->of->goal->kind == ERRORS ? 0 : arena->cold_bytes;
}

static bool set_stage(struct scene *scene, struct stage *stage, struct pages *pages,
                      const clsm_problem *p, const struct form *form)
{
    bool fits = true;
    clsm_status status = stage_make(scene->run->limit.session, pages, p, form,
                                    cold_bytes(scene), stage, &fits);
    if (status != CLSM_OK)
        keep_failure(status, "buffers", &scene->result);
    else if (!fits)
        scene->result.mark = MARK_TOO_LARGE;
    return status == CLSM_OK && fits;
}

bool scene_open(struct cpu_run *run, const struct limit_case *c, struct scene *scene)
{
    clsm_problem p;
    *scene = (struct scene){.run = run, .of = c};
    scene->result = (struct result){.of = *c, .mark = MARK_NO_GOAL};
    case_problem(c, &p);
    scene->plan = plan_of(run->limit.session, &p, &scene->result);
    return scene->plan && set_stage(scene, &scene->stage, &run->pages[0], &p, c->form);
}

bool scene_twin(struct scene *scene, clsm_type type, const struct form *form)
{
    clsm_problem p = scene->stage.problem;
    p.x_type = p.y_type = type;
    return set_stage(scene, &scene->twin, &scene->run->pages[1], &p, form);
}

void scene_copies(struct scene *scene)
{
    add_device_copy(&scene->all, &scene->stage);
    add_peers(&scene->all, &scene->stage, NULL, ROLE_COPY);
}

static void leave_out(struct candidates *all, unsigned i)
{
    if (all->of[i].call)
        all->of[i].peer->drop(all->of[i].call);
    for (all->count--; i < all->count; i++)
        all->of[i] = all->of[i + 1];
}

static void fail(struct scene *scene, const char *text)
{
    scene->result.mark = MARK_FAILED;
    snprintf(scene->result.note, sizeof scene->result.note, "%s", text);
}

bool scene_check(struct scene *scene)
{
    char text[160];
    double ulp;
    for (unsigned i = 0; i < scene->all.count;) {
        struct candidate *c = &scene->all.of[i];
        if (check_candidate(c, CHECKED, &ulp, text, sizeof text))
            i++;
        else if (c->role == ROLE_OURS)
            return fail(scene, text), false;
        else {
            scene_note(scene, "left out: %s", text);
            leave_out(&scene->all, i);
        }
    }
    return true;
}

/* The ceiling: x to y is read once and written once. */
static void set_copy(struct scene *scene)
{
    struct result *r = &scene->result;
    const struct candidate *copy = fastest(&scene->all, ROLE_COPY);
    double moved = 2 * (double)scene->stage.x_bytes;
    r->copy_seconds = copy->seconds * (double)r->info.bytes / moved;
    for (unsigned i = 0; peer_at(i); i++) /* names outlive the candidates */
        if (copy->peer == peer_at(i))
            r->copied_by = peer_at(i)->name;
    if (!copy->peer)
        r->copied_by = "clEnqueueCopyBuffer";
}

bool scene_time(struct scene *scene)
{
    struct rounds done = rounds_run(&scene->all, scene->run->limit.repeats);
    if (done.failed) {
        char text[160];
        snprintf(text, sizeof text, "%s fails: %s", done.failed, last_failure());
        return fail(scene, text), false;
    }
    set_copy(scene);
    scene->run->timings += done.timings;
    scene->run->disturbed += done.disturbed;
    if (done.disturbed)
        scene_note(scene, "%u of %u timings disturbed", done.disturbed, done.timings);
    return true;
}

void scene_close(struct scene *scene)
{
    report_result(&scene->run->limit, &scene->result);
    candidates_free(&scene->all);
    stage_free(&scene->stage);
    stage_free(&scene->twin);
    clsm_plan_destroy(scene->plan);
}
