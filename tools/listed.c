/* SPDX-License-Identifier: MIT */
/* Reading them. A list of configurations' times names its problem once for each. */
#include "listed.h"

#include "command.h"

#include <stdlib.h>
#include <string.h>

struct list {
    const char *form, *other; /* wanted; found instead, if not NULL */
    clsm_problem *problems;
    size_t count, room;
};

/* A whole number from 1 on; 0 if it is none. */
static size_t whole(const cJSON *j, const char *name)
{
    const cJSON *one = cJSON_GetObjectItemCaseSensitive(j, name);
    double v = cJSON_IsNumber(one) ? one->valuedouble : 0;
    return v >= 1 && v <= 0x1p53 && v == (double)(size_t)v ? (size_t)v : 0;
}

static const char *word(const cJSON *j, const char *name)
{
    const cJSON *one = cJSON_GetObjectItemCaseSensitive(j, name);
    return cJSON_IsString(one) ? one->valuestring : "";
}

static bool problem_of(const cJSON *j, clsm_problem *p)
{
    clsm_op op;
    clsm_type type;
    size_t rows = whole(j, "rows"), cols = whole(j, "cols"), k = whole(j, "k");
    if (!rows || !cols || clsm_op_find(word(j, "op"), &op) != CLSM_OK ||
        clsm_type_find(word(j, "type"), &type) != CLSM_OK)
        return false;
    clsm_problem_init(p, op, type, rows, cols);
    p->k = k ? k : p->k;
    return true;
}

static bool same(const clsm_problem *a, const clsm_problem *b)
{
    return a->op == b->op && a->x_type == b->x_type && a->rows == b->rows &&
           a->cols == b->cols && a->k == b->k;
}

static bool add(struct list *list, const clsm_problem *p)
{
    if (list->count && same(&list->problems[list->count - 1], p))
        return true;
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        clsm_problem *more = realloc(list->problems, room * sizeof *more);
        if (!more)
            return false;
        list->problems = more;
        list->room = room;
    }
    list->problems[list->count++] = *p;
    return true;
}

/* One element of the file's array: a problem, or several. */
static bool add_all(struct list *list, const cJSON *j)
{
    const cJSON *one, *problems = cJSON_GetObjectItemCaseSensitive(j, "problems");
    const char *form = word(j, "form");
    clsm_problem p;
    if (*form && strcmp(form, list->form) != 0) {
        list->other = form;
        return false;
    }
    if (!problems)
        return problem_of(j, &p) && add(list, &p);
    cJSON_ArrayForEach(one, problems)
    {
        if (!problem_of(one, &p) || !add(list, &p))
            return false;
    }
    return true;
}

bool listed_problems(const char *path, const char *form, clsm_problem **problems,
                     size_t *count)
{
    struct list list = {.form = form};
    cJSON *json = json_read(path);
    const cJSON *one;
    bool good = cJSON_IsArray(json);
    cJSON_ArrayForEach(one, json) good = good && add_all(&list, one);
    if (list.other)
        complain(EXIT_FAILED, "%s has problems of form %s, expected %s: see --form",
                 path, list.other, form);
    else if (json && (!good || !list.count))
        complain(EXIT_FAILED,
                 "%s lists no problems: expected an array of objects with \"op\", "
                 "\"type\", \"rows\" and \"cols\"; %zu read",
                 path, list.count);
    cJSON_Delete(json);
    if (!good || !list.count) {
        free(list.problems);
        return false;
    }
    *problems = list.problems;
    *count = list.count;
    return true;
}
