/* SPDX-License-Identifier: MIT */
/* From the table of goals to the list of cases. */
#include "goals.h"

#include "command.h"
#include "input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct goal goals[] = {
#define GOAL(name, ...) {.group = name, __VA_ARGS__},
#include GOALS_TABLE
#undef GOAL
};
const unsigned goal_count = sizeof goals / sizeof *goals;

static const double X_BYTES = GOALS_BYTES;

bool goal_is_most(const struct goal *goal)
{
    return goal->against == LAUNCH || goal->against == NEIGHBOUR ||
           goal->against == NORMAL || goal->against == ULP || goal->against == SECONDS;
}

static bool is_group(const char *part)
{
    for (unsigned g = 0; g < goal_count; g++)
        if (strstr(goals[g].group, part))
            return true;
    return false;
}

int selection_add(struct selection *selection, const char *part)
{
    if (!is_group(part))
        return complain(EXIT_USAGE, "--only is \"%s\", in no group's name; see --help",
                        part);
    if (selection->only_count == MOST_PARTS)
        return complain(EXIT_USAGE, "--only: %d at most", MOST_PARTS);
    selection->only[selection->only_count++] = part;
    return -1;
}

void print_goal_groups(void)
{
    printf("\nGroups:");
    for (unsigned g = 0; g < goal_count; g++)
        if (!g || strcmp(goals[g].group, goals[g - 1].group) != 0)
            printf(" %s", goals[g].group);
    printf("\n");
}

bool goal_wanted(const struct goal *goal, const struct selection *selection)
{
    if (goal->kind == SWEEP && selection->sweep)
        return true;
    for (unsigned i = 0; i < selection->only_count; i++)
        if (strstr(goal->group, selection->only[i]))
            return true;
    return !selection->only_count && goal->kind != SWEEP;
}

size_t case_rows(clsm_type type, size_t cols, double scale)
{
    double rows =
        ceil(X_BYTES / scale / ((double)cols * (double)clsm_type_bytes(type)));
    return rows > 1 ? (size_t)rows : 1;
}

/* Divide a case's size: first its rows, and what is left by its columns. */
static void shrink(struct limit_case *c, double scale)
{
    double rows = (double)c->rows / scale;
    double cols = rows < 1 ? (double)c->cols * rows : (double)c->cols;
    c->rows = rows < 1 ? 1 : (size_t)rows;
    c->cols = cols < 1 ? 1 : (size_t)cols;
}

static bool add(struct case_list *list, struct limit_case c)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 256;
        struct limit_case *at = realloc(list->at, room * sizeof *at);
        if (!at)
            return complain(false, "out of memory for the cases");
        list->at = at;
        list->room = room;
    }
    list->at[list->count++] = c;
    return true;
}

/* One length, with the rows that the goal names or that make X_BYTES. */
static bool add_length(struct case_list *list, struct limit_case c, size_t cols,
                       double scale)
{
    const size_t *rows = c.goal->rows;
    c.cols = cols;
    c.rows = case_rows(c.type, cols * c.inner, scale);
    if (!*rows) { /* longer than what is wanted in all: scaled down */
        double most = X_BYTES / scale / (double)clsm_type_bytes(c.type);
        c.cols = (double)cols > most ? (size_t)most : cols;
        return add(list, c);
    }
    for (; *rows; rows++) {
        struct limit_case one = c;
        one.rows = *rows;
        if (c.goal->kind != LATENCY && c.goal->kind != ERRORS)
            shrink(&one, scale);
        if (!add(list, one))
            return false;
    }
    return true;
}

static bool is_prime(size_t n)
{
    for (size_t d = 3; d * d <= n; d += 2)
        if (n % d == 0)
            return false;
    return n > 1 && n % 2;
}

/* Odd lengths, every second one a prime; even in the logarithm from 1 to LONGEST. */
static size_t draw_length(uint64_t *state, unsigned i)
{
    double u = (double)(random_next(state) >> 11) * 0x1p-53;
    size_t n = (size_t)pow(LONGEST, u) | 1;
    while (i % 2 && n > 1 && !is_prime(n))
        n += 2;
    return n < LONGEST ? n : LONGEST - 1;
}

static bool add_random(struct case_list *list, const struct limit_case *c,
                       const struct selection *s)
{
    uint64_t state = s->seed;
    bool good = true;
    for (unsigned i = 0; good && i < s->random; i++)
        good = add_length(list, *c, draw_length(&state, i), s->scale);
    return good;
}

/* Powers of two, and odd lengths halfway between two of them. */
static bool add_sweep(struct case_list *list, const struct limit_case *c,
                      const struct selection *s)
{
    bool good = true;
    for (size_t n = 8; good && n <= LONGEST; n *= 2) {
        good = add_length(list, *c, n, s->scale);
        if (good && n < LONGEST)
            good = add_length(list, *c, (size_t)((double)n * sqrt(2)) | 1, s->scale);
    }
    return good;
}

static bool add_longest(struct case_list *list, const struct limit_case *c,
                        const struct selection *s)
{
    return add_length(list, *c, LONGEST, s->scale);
}

static bool add_named(struct case_list *list, const struct limit_case *c,
                      const struct selection *s)
{
    bool good = true;
    for (unsigned i = 0; good && i < MAX_LENGTHS && c->goal->cols[i]; i++)
        good = add_length(list, *c, c->goal->cols[i], s->scale);
    return good;
}

static bool add_goal(struct case_list *list, const struct goal *goal,
                     const struct selection *selection)
{
    static bool (*const adders[])(struct case_list *, const struct limit_case *,
                                  const struct selection *) = {
        [TIMED] = add_named,   [RANDOM] = add_random, [CLIFFS] = add_longest,
        [LATENCY] = add_named, [SWEEP] = add_sweep,   [INPUTS] = add_named,
        [ERRORS] = add_named,  [THREADS] = add_named, [BUILD] = add_named,
        [OPEN] = add_named,
    };
    static const char *const plain[MAX_NAMED] = {"plain"};
    const char *const *forms = goal->forms[0] ? goal->forms : plain;
    for (unsigned o = 0; o < MAX_NAMED && goal->ops[o]; o++)
        for (unsigned f = 0; f < MAX_NAMED && forms[f]; f++)
            for (unsigned t = 0; t < MAX_NAMED && goal->types[t]; t++) {
                struct limit_case c = {.goal = goal, .form = form_find(forms[f])};
                c.inner = goal->inner ? goal->inner : 1;
                if (!c.form || clsm_op_find(goal->ops[o], &c.op) != CLSM_OK ||
                    clsm_type_find(goal->types[t], &c.type) != CLSM_OK)
                    return complain(false, "goals.def: no %s, %s or %s", goal->ops[o],
                                    forms[f], goal->types[t]);
                if (!adders[goal->kind](list, &c, selection))
                    return false;
            }
    return true;
}

bool cases_make(const struct selection *selection, struct case_list *list)
{
    bool good = true;
    *list = (struct case_list){0};
    for (unsigned g = 0; good && g < goal_count; g++)
        if (goal_wanted(&goals[g], selection))
            good = add_goal(list, &goals[g], selection);
    return good;
}

void case_problem(const struct limit_case *c, clsm_problem *problem)
{
    clsm_problem_init(problem, c->op, c->type, c->rows, c->cols);
    problem->inner = c->inner;
    if (c->form->k)
        problem->k = c->form->k;
    if (c->form->dress)
        c->form->dress(problem);
}

void case_key(const struct limit_case *c, char *key, size_t bytes)
{
    snprintf(key, bytes, "%s/%s/%zux%zux%zu/%s", clsm_op_name(c->op),
             clsm_type_name(c->type), c->rows, c->cols, c->inner, c->form->name);
}
