/* SPDX-License-Identifier: MIT */
/* Runners: against copy and peers; other inputs against N(0, 1); the largest error. */
#include "scene.h"

#include "check.h"

#include <stdio.h>

/* Peers have the table's first operation, as it is. */
static bool peers_can(const struct limit_case *c)
{
    return c->op == (clsm_op)0 && c->inner == 1 && !c->form->dress &&
           !c->form->in_place;
}

/* The times of this case's peers and copies, where reports look for them. */
static void keep_times(struct scene *scene)
{
    char key[160];
    case_key(scene->of, key, sizeof key);
    cJSON *cases = cJSON_GetObjectItemCaseSensitive(scene->run->peers, "cases");
    cJSON *times = cJSON_GetObjectItemCaseSensitive(cases, key);
    if (!times)
        times = cJSON_AddObjectToObject(cases, key);
    for (unsigned i = 0; i < scene->all.count; i++) {
        const struct candidate *c = &scene->all.of[i];
        if (c->role != ROLE_PEER)
            continue;
        cJSON_DeleteItemFromObjectCaseSensitive(times, c->name);
        cJSON_AddNumberToObject(times, c->name, c->seconds);
    }
}

static void set_values(struct scene *scene)
{
    struct result *r = &scene->result;
    const struct candidate *peer = fastest(&scene->all, ROLE_PEER);
    r->seconds = fastest(&scene->all, ROLE_OURS)->seconds;
    r->value = r->copy_seconds / r->seconds;
    if (!peer)
        return;
    r->peer = peer->peer->name;
    r->peer_ratio = peer->seconds / r->seconds;
}

/* Peers first, the library last: its candidates are in the order of their list. */
static bool add_all(struct scene *scene)
{
    const struct form *plain = form_find("plain");
    bool peers = peers_can(scene->of), lacks_f16 = scene->of->type == CLSM_F16;
    if (peers && lacks_f16 && !scene_twin(scene, CLSM_BF16, plain))
        return false;
    if (peers)
        add_peers(&scene->all, &scene->stage, lacks_f16 ? &scene->twin : NULL,
                  ROLE_PEER);
    scene_copies(scene);
    add_plan(&scene->all, "clsoftmax", &scene->stage, scene->plan);
    return true;
}

void time_against_peers(struct cpu_run *run, const struct limit_case *c)
{
    struct scene scene;
    if (scene_open(run, c, &scene) && add_all(&scene) && scene_check(&scene) &&
        scene_time(&scene)) {
        set_values(&scene);
        keep_times(&scene);
        if (c->goal->peer > 0 && !scene.result.peer)
            scene_note(&scene, "no peer can do this here");
        scene_note(&scene, "c by %s", scene.result.copied_by);
    }
    scene_close(&scene);
}

void time_input(struct cpu_run *run, const struct limit_case *c)
{
    struct scene scene;
    bool good =
        scene_open(run, c, &scene) && scene_twin(&scene, c->type, form_find("plain"));
    if (good) {
        scene_copies(&scene);
        add_plan(&scene.all, "N(0, 1)", &scene.twin, scene.plan);
        add_plan(&scene.all, c->form->name, &scene.stage, scene.plan);
    }
    if (good && scene_check(&scene) && scene_time(&scene)) {
        double normal = scene.all.of[scene.all.count - 2].seconds;
        scene.result.seconds = scene.all.of[scene.all.count - 1].seconds;
        scene.result.value = scene.result.seconds / normal;
        scene_note(&scene, "N(0, 1) %.2f us", normal * 1e6);
    }
    scene_close(&scene);
}

/* Ours into the result, a peer's into its note. */
static void find_error(struct scene *scene, struct candidate *c)
{
    char text[160];
    double ulp;
    bool right =
        check_candidate(c, scene->stage.problem.rows * scene->stage.problem.cols, &ulp,
                        text, sizeof text);
    if (c->role != ROLE_OURS) {
        scene_note(scene, "%s %.3g ulp", c->name, ulp);
    } else if (right) {
        scene->result.value = ulp;
    } else {
        scene->result.mark = MARK_FAILED;
        scene_note(scene, "%s", text);
    }
}

void find_errors(struct cpu_run *run, const struct limit_case *c)
{
    struct scene scene;
    if (scene_open(run, c, &scene)) {
        add_peers(&scene.all, &scene.stage, NULL, ROLE_PEER);
        add_plan(&scene.all, "clsoftmax", &scene.stage, scene.plan);
        for (unsigned i = 0; i < scene.all.count; i++)
            find_error(&scene, &scene.all.of[i]);
    }
    scene_close(&scene);
}
