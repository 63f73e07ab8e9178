/* SPDX-License-Identifier: MIT */
/* The options of `clsoftmax run`: a table of the problem's scalars, and the few others.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

/* NAME=FILE of --in or --out; the name is one that is read, or one that is written. */
static int parse_tensor(const char *option, bool written, const char *text,
                        const char **files)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    char names[256] = "";
    int found = -1;
    for (int o = 0; o < CLSM_OPERAND_COUNT; o++) {
        const char *name = clsm_operand_name((clsm_operand)o);
        if (run_is_written(o) != written)
            continue;
        if (strlen(name) == length && strncmp(name, text, length) == 0)
            found = o;
        strncat(names, " ", sizeof names - strlen(names) - 1);
        strncat(names, name, sizeof names - strlen(names) - 1);
    }
    if (found < 0 || !equals || !equals[1])
        return complain(EXIT_USAGE,
                        "%s is \"%s\", expected NAME=FILE.npy with one of%s", option,
                        text, names);
    if (files[found - CLSM_X])
        return complain(EXIT_USAGE, "%s %.*s is given twice", option, (int)length,
                        text);
    files[found - CLSM_X] = equals + 1;
    return EXIT_FINE;
}

static int parse_policy(const char *text, clsm_nonfinite *policy)
{
    *policy =
        strcmp(text, "limit") == 0 ? CLSM_NONFINITE_LIMIT : CLSM_NONFINITE_DEFAULT;
    return *policy || strcmp(text, "default") == 0
               ? EXIT_FINE
               : complain(EXIT_USAGE,
                          "--nonfinite is \"%s\", expected default or limit", text);
}

static int parse_axis(const char *text, long *axis)
{
    char *end;
    *axis = strtol(text, &end, 10);
    return *text && !*end
               ? EXIT_FINE
               : complain(EXIT_USAGE, "--axis is \"%s\", not a number", text);
}

/* Options with an argument. */
static int parse_argument(int o, struct run_job *job)
{
    switch (o) {
    case 'o':
        return clsm_op_find(optarg, &job->problem.op) == CLSM_OK
                   ? EXIT_FINE
                   : complain(EXIT_USAGE, "--op: %s", clsm_last_message());
    case 'a':
        return parse_axis(optarg, &job->axis);
    case 't':
        job->bf16 = strcmp(optarg, "bf16") == 0;
        return job->bf16
                   ? EXIT_FINE
                   : complain(EXIT_USAGE,
                              "--type is \"%s\"; only bf16 has to be said, others "
                              "stand in the file",
                              optarg);
    case 'T':
        job->has_out_type = clsm_type_find(optarg, &job->problem.y_type) == CLSM_OK;
        return job->has_out_type
                   ? EXIT_FINE
                   : complain(EXIT_USAGE, "--out-type: %s", clsm_last_message());
    case 'n':
        return parse_policy(optarg, &job->problem.nonfinite);
    case 'I':
        return parse_tensor("--in", false, optarg, job->in);
    case 'O':
        return parse_tensor("--out", true, optarg, job->out);
    default:
        return o >= RUN_FIRST_SCALAR
                   ? run_parse_scalar((unsigned)(o - RUN_FIRST_SCALAR), optarg, job)
                   : usage_error("run");
    }
}

static int parse_option(int o, struct run_job *job)
{
    const struct {
        int o;
        const char **text;
    } texts[] = {
        {'d', &job->device}, {'v', &job->problem.variant}, {'l', &job->labels}};
    const struct {
        int o;
        bool *flag;
    } flags[] = {{'V', &job->verify}, {'e', &job->explain}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].o == o) {
            *texts[i].text = optarg;
            return EXIT_FINE;
        }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].o == o) {
            *flags[i].flag = true;
            return EXIT_FINE;
        }
    if (o != 'c')
        return parse_argument(o, job);
    job->problem.flags |= CLSM_CAUSAL;
    job->said |= RUN_SAID_CAUSAL;
    return EXIT_FINE;
}

static int take_files(int argc, char **argv, struct run_job *job)
{
    bool has_y = job->op.y != CLSM_Y_NONE;
    if (argc - optind != 1 + has_y)
        return complain(EXIT_USAGE, "%s needs IN.npy%s; see 'clsoftmax run --help'",
                        clsm_op_name(job->problem.op),
                        has_y ? " and OUT.npy" : " alone");
    job->in[0] = argv[optind];
    job->out[CLSM_Y - CLSM_X] = has_y ? argv[optind + 1] : NULL;
    int result = run_check_scalars(job);
    if (!result)
        result = run_check_operands(job);
    return result ? result : run_check_files(job);
}

int run_parse(int argc, char **argv, const char *help, struct run_job *job)
{
    static const struct option others[] = {{"op", required_argument, NULL, 'o'},
                                           {"axis", required_argument, NULL, 'a'},
                                           {"type", required_argument, NULL, 't'},
                                           {"out-type", required_argument, NULL, 'T'},
                                           {"nonfinite", required_argument, NULL, 'n'},
                                           {"in", required_argument, NULL, 'I'},
                                           {"out", required_argument, NULL, 'O'},
                                           {"device", required_argument, NULL, 'd'},
                                           {"variant", required_argument, NULL, 'v'},
                                           {"labels", required_argument, NULL, 'l'},
                                           {"causal", no_argument, NULL, 'c'},
                                           {"verify", no_argument, NULL, 'V'},
                                           {"explain", no_argument, NULL, 'e'},
                                           {"help", no_argument, NULL, 'h'},
                                           {0}};
    struct option options[RUN_SCALARS + sizeof others / sizeof *others];
    run_scalar_options(options);
    memcpy(options + RUN_SCALARS, others, sizeof others);
    for (int o; (o = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (o == 'h') {
            print_help(help);
            run_print_operations();
            return EXIT_FINE;
        }
        int result = parse_option(o, job);
        if (result)
            return result;
    }
    job->op.struct_bytes = sizeof job->op;
    clsm_op_get_info(job->problem.op, &job->op);
    int result = take_files(argc, argv, job);
    return result ? result : -1;
}
