/* SPDX-License-Identifier: MIT */
/* Which devices are tested, and opening them. They are opened in this process, since a
 * child that is forked after OpenCL has started hangs. */
#include "suites.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct device devices[MAX_DEVICES];
int device_count;

void note(const struct device *device, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("# %s: ", device->label);
    vprintf(format, args);
    printf("\n");
    va_end(args);
}

bool asked_for(const char *name)
{
    const char *value = getenv(name);
    return value && *value && strcmp(value, "0") != 0;
}

/* Names are cut and made safe for TAP, in which '#' starts a directive. */
static void set_label(const clsm_device_info *info, char *label, size_t bytes)
{
    snprintf(label, bytes, "device %u (%.70s)", info->index, info->name);
    for (char *at = label; *at; at++)
        *at = *at == '#' || *at == ':' ? ' ' : *at;
}

static void add_device(const clsm_device_info *info)
{
    for (int i = 0; i < device_count; i++)
        if (devices[i].session.info.index == info->index)
            return;
    if (device_count == MAX_DEVICES)
        return;
    struct device *d = &devices[device_count++];
    set_label(info, d->label, sizeof d->label);
    clsm_status status = session_open_info(info, &d->session);
    d->session.info = *info;
    if (status != CLSM_OK)
        snprintf(d->failure, sizeof d->failure, "did not open: %.200s",
                 clsm_last_message());
    note(d, "%s, %s, driver %s, subgroups: %s", info->platform_name, info->version,
         info->driver,
         d->session.engine ? clsm_lanes_by_name(d->session.engine->traits.lanes_by)
                           : "?");
}

static const char *open_all(void)
{
    unsigned count;
    clsm_device_info info = {.struct_bytes = sizeof info};
    if (clsm_device_count(&count) != CLSM_OK)
        return clsm_last_message();
    for (unsigned i = 0; i < count; i++) {
        if (clsm_device_get(i, &info) != CLSM_OK)
            return clsm_last_message();
        if (info.score > 0)
            add_device(&info);
        else
            printf("# device %u (%s) is %s\n", i, info.name, info.reason);
    }
    return NULL;
}

static const char *open_selected(char *list)
{
    clsm_device_info info = {.struct_bytes = sizeof info};
    char *rest = NULL;
    for (char *one = strtok_r(list, ",", &rest); one;
         one = strtok_r(NULL, ",", &rest)) {
        if (clsm_device_find(one, &info) != CLSM_OK)
            return clsm_last_message();
        add_device(&info);
    }
    return device_count ? NULL : "CLSM_TEST_DEVICES names no device";
}

const char *devices_open(void)
{
    const char *wish = getenv("CLSM_TEST_DEVICES");
    char list[512];
    snprintf(list, sizeof list, "%s", wish ? wish : "");
    return list[0] ? open_selected(list) : open_all();
}

void devices_close(void)
{
    for (int i = 0; i < device_count; i++)
        session_close(&devices[i].session);
}

static TCase *new_case(int index, const char *part)
{
    enum { MAX_TESTS = 4096, NAME_BYTES = 160 };
    static char names[MAX_TESTS][NAME_BYTES]; /* Check keeps the pointer */
    static int used;
    assert(used < MAX_TESTS);
    char *name = names[used++];
    snprintf(name, NAME_BYTES, "%s%s%s", devices[index % MAX_DEVICES].label,
             part ? " " : "", part ? part : "");
    return tcase_create(name);
}

void add_test(Suite *suite, int index, const char *part, const TTest *test)
{
    TCase *tests = new_case(index, part);
    tcase_add_loop_test(tests, test, index, index + 1);
    suite_add_tcase(suite, tests);
}

void add_fixed_test(Suite *suite, int index, const TTest *test, void (*set_up)(void),
                    void (*tear_down)(void))
{
    TCase *tests = new_case(index, NULL);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, test, index, index + 1);
    suite_add_tcase(suite, tests);
}

clsm_problem problem_of(clsm_op op, clsm_type x, clsm_type y, size_t rows, size_t cols)
{
    clsm_problem p;
    clsm_problem_init(&p, op, x, rows, cols);
    p.y_type = y;
    return p;
}

bool can_do(const struct device *device, const clsm_problem *p)
{
    bool f64 = p->x_type == CLSM_F64 || p->y_type == CLSM_F64;
    if (!f64 || device->session.info.has_fp64)
        return true;
    note(device, "no cl_khr_fp64, so no %s %s -> %s", clsm_op_name(p->op),
         clsm_type_name(p->x_type), clsm_type_name(p->y_type));
    return false;
}

bool config_serves(const struct device *device, const struct config *config,
                   const clsm_problem *problem)
{
    struct problem p;
    return clsm_problem_check(problem, &p) == CLSM_OK &&
           !clsm_config_misfit(config, &p, &device->session.engine->traits);
}

bool can_serve(const struct device *device, unsigned variant,
               const clsm_problem *problem)
{
    struct config config;
    for (unsigned i = 0; clsm_config_at(i, &config); i++)
        if (config.variant == variant && config_serves(device, &config, problem))
            return true;
    return false;
}

bool runs_here(const struct device *device, const struct config *config)
{
    static const size_t some[] = {1, 64, 4096, 30000, 300000};
    for (size_t i = 0; i < COUNT(some); i++) {
        clsm_problem any = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, 1, some[i]);
        if (config_serves(device, config, &any))
            return true;
    }
    return false;
}

unsigned rank_of(const struct device *device, unsigned variant)
{
    struct config config;
    unsigned rank = 0, last = variant;
    for (unsigned i = 0; clsm_config_at(i, &config) && config.variant < variant; i++) {
        rank += config.variant != last && runs_here(device, &config);
        last = config.variant;
    }
    return rank;
}

bool lanes_are_local(const struct device *device)
{
    return device->session.engine->traits.lanes_by == LANES_LOCAL;
}

bool is_new_here(const struct device *device, const struct config *config)
{
    return !lanes_are_local(device) ||
           (clsm_variants[config->variant].lanes &&
            clsm_config_workers(config, &device->session.engine->traits) > 1);
}

bool is_new_variant_here(const struct device *device, unsigned variant)
{
    const struct variant *v = &clsm_variants[variant];
    /* clusters of more than one come with lanes */
    return !lanes_are_local(device) || v->needs & (TRAIT_LANES | TRAIT_SWAP) ||
           (v->exact_cols && v->lanes);
}
