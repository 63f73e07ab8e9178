/* SPDX-License-Identifier: MIT */
/* Shapes for timing, and what a result says of one. */
#include "shapes.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Row lengths of the default list: powers of two, odd ones, vocabularies. */
static const size_t default_cols[] = {7,    64,    100,   256,   1000,   1024,
                                      4096, 16384, 32768, 50257, 131072, 262144};
static const size_t few_rows[][2] = {{1, 128}, {1, 1048576}, {64, 50257}};

static void add(struct shapes *s, size_t rows, size_t cols)
{
    s->rows[s->count] = rows;
    s->cols[s->count++] = cols;
}

/* Digits alone, up to `end`; 0 for others, or too many. */
static size_t parse_length(const char *text, char **end)
{
    errno = 0;
    *end = (char *)text;
    size_t v = isdigit((unsigned char)*text) ? strtoul(text, end, 10) : 0;
    return errno ? 0 : v;
}

static bool parse_shapes(const char *text, struct shapes *s)
{
    while (*text && s->count < MAX_SHAPES) {
        char *end;
        size_t rows = parse_length(text, &end);
        if (!rows || *end != 'x')
            return false;
        size_t cols = parse_length(end + 1, &end);
        if (!cols || (*end != ',' && *end))
            return false;
        add(s, rows, cols);
        text = *end ? end + 1 : end;
    }
    return s->count && !*text;
}

void bench_shapes(const struct bench_options *o, const struct session *s,
                  struct shapes *shapes)
{
    *shapes = o->shapes;
    if (shapes->count)
        return;
    bool cpu = s->info.type & CL_DEVICE_TYPE_CPU;
    size_t bytes = (o->mib ? o->mib : cpu ? 64 : 512) << 20;
    size_t elements = bytes / (2 * clsm_type_bytes(o->type));
    for (size_t i = 0; i < sizeof default_cols / sizeof *default_cols; i++)
        add(shapes, elements / default_cols[i] ? elements / default_cols[i] : 1,
            default_cols[i]);
    for (size_t i = 0; i < sizeof few_rows / sizeof *few_rows; i++)
        add(shapes, few_rows[i][0], few_rows[i][1]);
}

void bench_problem(const struct bench_options *o, size_t rows, size_t cols,
                   clsm_problem *problem)
{
    clsm_problem_init(problem, o->op, o->type, rows, cols);
    problem->k = o->k < cols ? o->k : cols;
    if (o->form)
        form_wear(o->form, problem);
}

uint64_t bench_bytes(const struct bench_options *o, const clsm_problem *problem,
                     uint64_t bytes)
{
    return bytes - (o->form && o->form->left_out ? o->form->left_out(problem) : 0);
}

cJSON *bench_json(const struct bench_options *o, const struct session *s,
                  const clsm_problem *problem, const char *variant, double seconds,
                  double bytes, double copy_seconds)
{
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "device", s->info.name);
    cJSON_AddStringToObject(j, "op", clsm_op_name(problem->op));
    cJSON_AddStringToObject(j, "type", clsm_type_name(problem->x_type));
    cJSON_AddStringToObject(j, "form", bench_form(o));
    cJSON_AddNumberToObject(j, "rows", (double)problem->rows);
    cJSON_AddNumberToObject(j, "cols", (double)problem->cols);
    cJSON_AddNumberToObject(j, "k", (double)problem->k);
    cJSON_AddStringToObject(j, "variant", variant);
    cJSON_AddNumberToObject(j, "seconds", seconds);
    cJSON_AddNumberToObject(j, "gb_per_s", bytes / seconds * 1e-9);
    cJSON_AddNumberToObject(j, "copy_gb_per_s", bytes / copy_seconds * 1e-9);
    return j;
}

const char *bench_form(const struct bench_options *o)
{
    return o->form ? o->form->name : "plain";
}

static int parse_form(struct bench_options *o)
{
    o->form = form_find_dress(optarg);
    return o->form ? -1
                   : complain(EXIT_USAGE,
                              "--form is \"%s\", expected one of those at "
                              "the end of --help",
                              optarg);
}

static int parse_number(int letter, struct bench_options *o)
{
    const struct number numbers[] = {
        {'m', "mib", 1, 1 << 20, &o->mib},
        {'k', "k", 1, CLSM_MAX_K, &o->k},
        {'r', "repeats", 3, 200, &o->repeats},
        {'n', "random", 1, 100000, &o->random},
        {'S', "seed", 1, INT32_MAX, &o->seed},
        {'J', "jobs", 1, 64, &o->jobs},
        {'T', "seconds", 1, 1000000, &o->seconds},
    };
    return take_number(letter, numbers, sizeof numbers / sizeof *numbers);
}

static int parse_within(struct bench_options *o)
{
    char *end;
    o->within = strtod(optarg, &end);
    return end != optarg && !*end && o->within >= 1
               ? -1
               : complain(EXIT_USAGE, "--within is \"%s\", expected a number from 1",
                          optarg);
}

static int parse_share(struct bench_options *o)
{
    int end = 0;
    bool good = sscanf(optarg, "%u/%u%n", &o->share, &o->shares, &end) == 2 &&
                !optarg[end] && o->share && o->share <= o->shares;
    return good
               ? -1
               : complain(EXIT_USAGE,
                          "--build is \"%s\", expected I/N with I from 1 to N", optarg);
}

static int parse_option(int letter, struct bench_options *o)
{
    switch (letter) {
    case 'd':
        o->device = optarg;
        return -1;
    case 'j':
        return json_option(optarg, &o->json_path);
    case 'a':
        o->all = true;
        return -1;
    case 's':
        return parse_shapes(optarg, &o->shapes)
                   ? -1
                   : complain(EXIT_USAGE,
                              "--shapes is \"%s\", expected ROWSxCOLS,... of at most "
                              "%d shapes",
                              optarg, MAX_SHAPES);
    case 'o':
        return clsm_op_find(optarg, &o->op) == CLSM_OK
                   ? -1
                   : complain(EXIT_USAGE, "--op: %s", clsm_last_message());
    case 't':
        return clsm_type_find(optarg, &o->type) == CLSM_OK
                   ? -1
                   : complain(EXIT_USAGE, "--type: %s", clsm_last_message());
    case 'f':
        return parse_form(o);
    case 'w':
        return parse_within(o);
    case 'b':
        return parse_share(o);
    case 'p':
        o->problems = optarg;
        return -1;
    default:
        return parse_number(letter, o);
    }
}

/* Those of `compare` alone stand first. */
enum { COMPARE_ONLY = 8 };
static const struct option options[] = {{"all", no_argument, NULL, 'a'},
                                        {"problems", required_argument, NULL, 'p'},
                                        {"build", required_argument, NULL, 'b'},
                                        {"random", required_argument, NULL, 'n'},
                                        {"seed", required_argument, NULL, 'S'},
                                        {"within", required_argument, NULL, 'w'},
                                        {"seconds", required_argument, NULL, 'T'},
                                        {"jobs", required_argument, NULL, 'J'},
                                        {"device", required_argument, NULL, 'd'},
                                        {"shapes", required_argument, NULL, 's'},
                                        {"op", required_argument, NULL, 'o'},
                                        {"type", required_argument, NULL, 't'},
                                        {"form", required_argument, NULL, 'f'},
                                        {"mib", required_argument, NULL, 'm'},
                                        {"repeats", required_argument, NULL, 'r'},
                                        {"k", required_argument, NULL, 'k'},
                                        {"json", required_argument, NULL, 'j'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};

static bool finds_k(clsm_op op)
{
    clsm_op_info info = {.struct_bytes = sizeof info};
    return clsm_op_get_info(op, &info) == CLSM_OK && info.y == CLSM_Y_K;
}

int bench_parse(int argc, char **argv, const char *help, bool comparing,
                struct bench_options *o)
{
    const struct option *known = options + (comparing ? 0 : COMPARE_ONLY);
    bool shaped = false; /* what --random and --problems have of their own was given, */
    bool drawn = false;  /* or what --random draws from, */
    bool listed = false; /* or what both lists of problems have */
    *o = (struct bench_options){.repeats = 30, .k = 1, .seed = 1, .within = 4};
    for (int letter; (letter = getopt_long(argc, argv, "h", known, NULL)) != -1;) {
        if (letter == 'h') {
            print_help(help);
            printf("Forms:");
            form_print_dresses();
            printf("\n");
            return EXIT_FINE;
        }
        shaped |= strchr("sotka", letter) != NULL;
        drawn |= strchr("nSm", letter) != NULL;
        listed |= strchr("SwTJ", letter) != NULL;
        int result = letter == '?' ? usage_error(argv[0]) : parse_option(letter, o);
        if (result != -1)
            return result;
    }
    if (o->mib && o->shapes.count)
        return complain(EXIT_USAGE, "--mib is the size of shapes that nobody gave: it "
                                    "does not go with --shapes");
    if (o->random && shaped)
        return complain(EXIT_USAGE, "--random draws operation, type and shape: it does "
                                    "not go with --shapes, --op, --type, --k or --all");
    if (o->problems && (shaped || drawn))
        return complain(EXIT_USAGE, "--problems has operations, types and shapes: it "
                                    "does not go with --shapes, --op, --type, --k, "
                                    "--all, --random, --seed or --mib");
    if (listed && !o->random && !o->problems)
        return complain(EXIT_USAGE, "--seed, --within, --seconds and --jobs need "
                                    "--random or --problems");
    if (o->shares && (o->json_path || !(o->random || o->problems)))
        return complain(EXIT_USAGE, "--build needs --random or --problems, and does "
                                    "not go with --json: nothing is timed");
    if (o->k > 1 && !finds_k(o->op))
        return complain(EXIT_USAGE, "--k does not go with %s", clsm_op_name(o->op));
    clsm_problem p;
    clsm_problem_init(&p, o->op, o->type, 1, 1);
    if (o->form && !o->random && !o->problems && !form_wear(o->form, &p))
        return complain(EXIT_USAGE, "--form %s: %s", o->form->name,
                        clsm_last_message());
    return optind == argc ? -1 : extra_argument(argv[0], argv[optind]);
}
