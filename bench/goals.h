/* SPDX-License-Identifier: MIT */
/* What clsoftmax-limit wants, and the cases that follow from it. A program with a table
 * of its own is compiled with another GOALS_TABLE and GOALS_BYTES. */
#ifndef GOALS_H
#define GOALS_H

#include "forms.h"

#ifndef GOALS_TABLE
#define GOALS_TABLE "goals.def"
#endif
#ifndef GOALS_BYTES /* of x alone: more than any cache, and enough to hide the launch  \
                     */
#define GOALS_BYTES (256 << 20)
#endif

enum kind {
    TIMED,
    RANDOM,
    CLIFFS,
    LATENCY,
    SWEEP,
    BUILD,
    OPEN,
    INPUTS,
    ERRORS,
    THREADS
};
enum against { COPY, TORCH, LAUNCH, NEIGHBOUR, NORMAL, ULP, SECONDS, NOTHING };

enum { MAX_NAMED = 8, MAX_LENGTHS = 16, MOST_PARTS = 32, LONGEST = 1 << 20 };

struct goal {
    const char *group;
    enum kind kind;
    enum against against;
    double goal;
    double peer; /* the best peer's time over ours, wanted besides; 0: no such goal */
    const char *ops[MAX_NAMED], *forms[MAX_NAMED], *types[MAX_NAMED];
    size_t rows[MAX_NAMED], cols[MAX_LENGTHS], inner; /* 0-terminated */
};

extern const struct goal goals[];
extern const unsigned goal_count;

/* One thing to time. */
struct limit_case {
    const struct goal *goal;
    const struct form *form;
    clsm_op op;
    clsm_type type;
    size_t rows, cols, inner;
};

/* What decides which cases there are. */
struct selection {
    const char *only[MOST_PARTS]; /* parts of groups' names; none: all but the sweep */
    unsigned only_count;
    double scale;    /* all sizes are divided by it */
    unsigned random; /* lengths of the random group */
    uint64_t seed;   /* which they come from */
    bool sweep;
};

struct case_list {
    struct limit_case *at;
    size_t count, room;
};

/* Is the goal an upper bound? */
bool goal_is_most(const struct goal *goal);

/* Is a group wanted? */
bool goal_wanted(const struct goal *goal, const struct selection *selection);

/* Take one more part of a group's name; an exit status, or -1 if it is in one. */
int selection_add(struct selection *selection, const char *part);

/* "Groups: ...", for a help. */
void print_goal_groups(void);

/* All cases of the goals that are wanted, to free(list->at); false without memory, or
 * if the table names what there is not, with a message said. A CLIFFS goal is one case
 * for each of its types, whose cols are its longest length. */
bool cases_make(const struct selection *selection, struct case_list *list);

/* Rows that make, with so many columns, as many bytes of x as are wanted. */
size_t case_rows(clsm_type type, size_t cols, double scale);

void case_problem(const struct limit_case *c, clsm_problem *problem);

/* "softmax/f32/4096x1024x1/plain": by it the peers' times are found. */
void case_key(const struct limit_case *c, char *key, size_t bytes);

#endif
