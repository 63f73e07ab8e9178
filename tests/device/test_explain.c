/* SPDX-License-Identifier: MIT */
/* What a plan says about itself, as text and as a struct. */
#include "plan.h"
#include "tally.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 20, COLS = 500, TEXT_BYTES = 16384 };

static clsm_plan *make_plan(struct tally *t, const char *variant)
{
    clsm_plan *plan = NULL;
    clsm_problem p = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F16, ROWS, COLS);
    p.variant = variant;
    tally_ok(t, clsm_plan_create(t->device->session.engine, &p, &plan), "plan");
    return plan;
}

static unsigned times(const char *text, const char *part)
{
    unsigned n = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

static void says(struct tally *t, const char *text, const char *part)
{
    tally_fact(t, strstr(text, part) != NULL, "no \"%s\" in: %s", part, text);
}

/* The chosen variant under its name, each other once among the rejected, with words on
 * why. */
static void check_variants(struct tally *t, const char *text,
                           const clsm_plan_info *info)
{
    size_t length = strcspn(info->variant, ":");
    for (unsigned i = 0; clsm_variant_name(i); i++) {
        char bare[64], with_parameters[64], *line;
        const char *name = clsm_variant_name(i);
        bool chosen = strlen(name) == length && !strncmp(name, info->variant, length);
        snprintf(bare, sizeof bare, "rejected  %s: ", name);
        snprintf(with_parameters, sizeof with_parameters, "rejected  %s:", name);
        line = strstr(text, with_parameters);
        tally_fact(t, times(text, with_parameters) == !chosen,
                   "%s is rejected %u times", name, times(text, with_parameters));
        size_t words = line ? strcspn(line, "\n") : 0;
        tally_fact(t, chosen || words > strlen(bare), "no reason against %s", name);
    }
}

/* Of every configuration one estimate if it fits, none if it does not. */
static void check_estimates(struct tally *t, const char *text, const struct choice *c)
{
    for (unsigned i = 0; clsm_config_name(i); i++) {
        char part[80], other[80], ranked[80] = "";
        const char *name = clsm_config_name(i);
        unsigned rank = 0;
        for (; rank < c->count; rank++) {
            clsm_config_text(&c->ranked[rank].config, ranked, sizeof ranked);
            if (!strcmp(name, ranked))
                break;
        }
        snprintf(part, sizeof part, "estimates %s ", name);
        snprintf(other, sizeof other, "; %s ", name);
        unsigned n = times(text, part) + times(text, other);
        tally_fact(t, rank < c->count && n == (rank < c->fit),
                   "%u estimates of %s in: %s", n, name, text);
    }
}

START_TEST(text_names_choice_reasons_bytes_and_counters)
{
    struct tally t = tally_of(_i);
    clsm_plan *plan = make_plan(&t, NULL);
    clsm_plan_info info = {.struct_bytes = sizeof info};
    clsm_counters n = {.struct_bytes = sizeof n};
    char text[TEXT_BYTES], part[128];
    tally_ok(&t, clsm_plan_explain(plan, text, sizeof text, NULL), "explain");
    tally_ok(&t, clsm_plan_get_info(plan, &info), "info");
    clsm_get_counters(&n);
    snprintf(part, sizeof part, "variant   %s\n", info.variant);
    says(&t, text, part);
    tally_fact(&t, info.reason[0] && strstr(text, info.reason),
               "no reason \"%s\" in: %s", info.reason, text);
    check_variants(&t, text, &info);
    check_estimates(&t, text, &plan->choice);
    tally_fact(&t, info.bytes == ROWS * COLS * (4 + 2), "%llu bytes",
               (unsigned long long)info.bytes);
    snprintf(part, sizeof part, "%llu bytes", (unsigned long long)info.bytes);
    says(&t, text, part);
    snprintf(part, sizeof part, "scratch %llu", (unsigned long long)info.scratch_bytes);
    says(&t, text, part);
    snprintf(part, sizeof part, "%llu programs: %llu built, %llu disk cache hits, ",
             (unsigned long long)n.programs, (unsigned long long)n.builds,
             (unsigned long long)n.disk_hits);
    says(&t, text, part);
    says(&t, text, "softmax f32 -> f16, rows 20, cols 500, inner 1");
    clsm_plan_destroy(plan);
    tally_end(&t);
}
END_TEST

/* In however little room: as much as fits, ended by a 0, and the whole text's size. */
START_TEST(small_room_gets_the_start_of_the_text)
{
    struct tally t = tally_of(_i);
    clsm_plan *plan = make_plan(&t, NULL);
    char whole[TEXT_BYTES], text[TEXT_BYTES];
    size_t needed = 0, asked = 0;
    tally_ok(&t, clsm_plan_explain(plan, NULL, 0, &needed), "length");
    tally_ok(&t, clsm_plan_explain(plan, whole, sizeof whole, &asked), "whole");
    tally_fact(&t, needed == strlen(whole) + 1 && asked == needed,
               "needs %zu, then %zu, but has %zu characters", needed, asked,
               strlen(whole));
    const size_t rooms[] = {0, 1, 2, 20, 100, needed - 1, needed, needed + 1};
    for (size_t i = 0; i < COUNT(rooms); i++) {
        memset(text, '?', sizeof text);
        tally_ok(&t, clsm_plan_explain(plan, text, rooms[i], &asked), "explain");
        size_t length = rooms[i] < needed ? rooms[i] : needed;
        tally_fact(&t, asked == needed, "needs %zu in %zu bytes", asked, rooms[i]);
        tally_fact(&t,
                   !length || (!text[length - 1] && !memcmp(text, whole, length - 1)),
                   "not the start of the text in %zu bytes", rooms[i]);
        tally_fact(&t, text[length] == '?', "wrote past %zu bytes", rooms[i]);
    }
    tally_ok(&t, clsm_plan_explain(plan, text, sizeof text, NULL), "no length");
    clsm_plan_destroy(plan);
    tally_end(&t);
}
END_TEST

/* The variant that a plan tells can be asked for again, and says so. */
START_TEST(told_variant_can_be_asked_for)
{
    struct tally t = tally_of(_i);
    clsm_plan *plan = make_plan(&t, NULL), *again;
    clsm_plan_info info = {.struct_bytes = sizeof info}, second = info;
    tally_ok(&t, clsm_plan_get_info(plan, &info), "info");
    again = make_plan(&t, info.variant);
    tally_ok(&t, clsm_plan_get_info(again, &second), "info");
    tally_fact(&t, !strcmp(info.variant, second.variant), "%s became %s", info.variant,
               second.variant);
    says(&t, second.reason, info.variant);
    clsm_plan_destroy(plan);
    clsm_plan_destroy(again);
    tally_end(&t);
}
END_TEST

/* A program compiled before the struct had `registers` gets all that it knows of, and
 * nothing is written behind it. */
START_TEST(older_struct_is_filled_to_its_end)
{
    struct tally t = tally_of(_i);
    clsm_plan *plan = make_plan(&t, NULL);
    clsm_plan_info whole = {.struct_bytes = sizeof whole}, older;
    size_t bytes = offsetof(clsm_plan_info, registers);
    memset(&older, '?', sizeof older);
    older.struct_bytes = bytes;
    tally_ok(&t, clsm_plan_get_info(plan, &whole), "info");
    tally_ok(&t, clsm_plan_get_info(plan, &older), "older info");
    tally_fact(&t, older.struct_bytes == bytes, "became %zu bytes", older.struct_bytes);
    tally_fact(&t, !strcmp(whole.variant, older.variant) && older.bytes == whole.bytes,
               "%s became %s", whole.variant, older.variant);
    const char *behind = (const char *)&older + bytes;
    tally_fact(&t,
               *behind == '?' && !memcmp(behind, behind + 1, sizeof older - bytes - 1),
               "wrote behind %zu bytes", bytes);
    tally_fact(&t, whole.registers || !whole.spill_bytes, "spills of no registers");
    clsm_plan_destroy(plan);
    tally_end(&t);
}
END_TEST

void explain_suite(Suite *suite, int device)
{
    add_test(suite, device, NULL, text_names_choice_reasons_bytes_and_counters);
    add_test(suite, device, NULL, small_room_gets_the_start_of_the_text);
    add_test(suite, device, NULL, told_variant_can_be_asked_for);
    add_test(suite, device, NULL, older_struct_is_filled_to_its_end);
}
