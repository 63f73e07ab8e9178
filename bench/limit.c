/* SPDX-License-Identifier: MIT */
/* clsoftmax-limit: how near the chosen variants come to what the device can do. */
#include "measure.h"
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: clsoftmax-limit [options]\n\n"
    "Time a table of problems, each with the variant that the library chooses, and "
    "hold\n"
    "each against its goal (bench/goals.def): a share of the speed of a plain copy of "
    "as\n"
    "many bytes in the same run, a ratio to torch's speed, to an empty kernel's "
    "launch,\n"
    "or to the neighbouring length where the choice changes. Buffers are rotated so "
    "that\n"
    "caches are cold. A whole run takes some minutes on a fast GPU.\n\n"
    "  --device D       index, gpu, cpu, part of a name; or set CLSM_DEVICE\n"
    "  --only PART      only groups with this in their name; may be repeated\n"
    "  --sweep          the group for bench/plot.py as well\n"
    "  --scale S        divide all sizes by it: 1000 makes a run of a minute on a CPU\n"
    "  --random N       lengths of the random group (200)\n"
    "  --seed N         what they are drawn from (1)\n"
    "  --repeats N      at most so many timings a case (15)\n"
    "  --peers FILE     other libraries' times, made by bench/peers.py\n"
    "  --quiet          print only what is no pass, and the sums\n"
    "  --json FILE      write the results as JSON (- for stdout)\n"
    "  --list-json      print the cases as JSON and time nothing\n\n"
    "Registers and spills are known of programs that are built from source, so that "
    "the\n"
    "caches of programs are off here (CLSM_CACHE=off, CUDA_CACHE_DISABLE=1), unless "
    "the\n"
    "environment says otherwise.\n\n"
    "Example:\n"
    "  clsoftmax-limit --device gpu --list-json > cases.json\n"
    "  python3 bench/peers.py cases.json peers.json\n"
    "  clsoftmax-limit --device gpu --peers peers.json --json limit.json\n"
    "  clsoftmax-limit --scale 1000 --random 10 --only short --only axis\n";

struct options {
    const char *device, *json_path, *peers_path;
    struct selection selection;
    size_t repeats;
    bool list, quiet;
};

static void print_groups(void)
{
    printf("\nGroups:");
    for (unsigned g = 0; g < goal_count; g++)
        if (!g || strcmp(goals[g].group, goals[g - 1].group) != 0)
            printf(" %s", goals[g].group);
    printf("\n");
}

static bool is_group(const char *part)
{
    for (unsigned g = 0; g < goal_count; g++)
        if (strstr(goals[g].group, part))
            return true;
    return false;
}

/* The options that are a number: its name, where it goes, what it may be. */
static int parse_number(int letter, struct options *o)
{
    size_t random = 0, seed = 0;
    const struct {
        int letter;
        const char *name;
        size_t least, most, *value;
    } numbers[] = {{'n', "random", 1, 100000, &random},
                   {'e', "seed", 1, SIZE_MAX, &seed},
                   {'r', "repeats", 3, 200, &o->repeats}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (letter == numbers[i].letter &&
            !parse_size(optarg, numbers[i].least, numbers[i].most, numbers[i].value))
            return complain(EXIT_USAGE, "--%s is \"%s\", expected %zu to %zu",
                            numbers[i].name, optarg, numbers[i].least, numbers[i].most);
    if (random)
        o->selection.random = (unsigned)random;
    if (seed)
        o->selection.seed = seed;
    return -1;
}

static int parse_scale(struct options *o)
{
    char *end;
    o->selection.scale = strtod(optarg, &end);
    return end != optarg && !*end && o->selection.scale >= 1 && o->selection.scale < 1e9
               ? -1
               : complain(EXIT_USAGE, "--scale is \"%s\", expected a number from 1",
                          optarg);
}

static int parse_only(struct options *o)
{
    if (!is_group(optarg))
        return complain(EXIT_USAGE, "--only is \"%s\", in no group's name; see --help",
                        optarg);
    if (o->selection.only_count == MAX_NAMED)
        return complain(EXIT_USAGE, "--only: %d at most", MAX_NAMED);
    o->selection.only[o->selection.only_count++] = optarg;
    return -1;
}

static int parse_option(int letter, struct options *o)
{
    switch (letter) {
    case 'd':
        o->device = optarg;
        return -1;
    case 'j':
        o->json_path = optarg;
        return -1;
    case 'p':
        o->peers_path = optarg;
        return -1;
    case 'o':
        return parse_only(o);
    case 's':
        return parse_scale(o);
    case 'w':
        o->selection.sweep = true;
        return -1;
    case 'l':
        o->list = true;
        return -1;
    case 'q':
        o->quiet = true;
        return -1;
    default:
        return parse_number(letter, o);
    }
}

/* An exit status, or -1 to go on. */
static int parse(int argc, char **argv, struct options *o)
{
    static const struct option options[] = {{"device", required_argument, NULL, 'd'},
                                            {"only", required_argument, NULL, 'o'},
                                            {"sweep", no_argument, NULL, 'w'},
                                            {"scale", required_argument, NULL, 's'},
                                            {"random", required_argument, NULL, 'n'},
                                            {"seed", required_argument, NULL, 'e'},
                                            {"repeats", required_argument, NULL, 'r'},
                                            {"peers", required_argument, NULL, 'p'},
                                            {"quiet", no_argument, NULL, 'q'},
                                            {"json", required_argument, NULL, 'j'},
                                            {"list-json", no_argument, NULL, 'l'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    *o = (struct options){.selection = {.scale = 1, .random = 200, .seed = 1},
                          .repeats = 15};
    for (int letter; (letter = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (letter == 'h') {
            printf("%s", help);
            print_groups();
            return EXIT_FINE;
        }
        int result = letter == '?' ? EXIT_USAGE : parse_option(letter, o);
        if (result != -1)
            return letter == '?' ? complain(result, "see clsoftmax-limit --help")
                                 : result;
    }
    return optind == argc
               ? -1
               : complain(EXIT_USAGE, "\"%s\" is no option; see --help", argv[optind]);
}

static void time_and_tell(struct limit *limit, const struct limit_case *c)
{
    struct result r;
    time_case(limit, c, &r);
    report_result(limit, &r);
}

/* A device that has rested takes a moment to come up to its speed. */
static void wake(const struct limit *limit)
{
    double bytes = (double)((uint64_t)1 << 29) / limit->selection.scale, seconds;
    const char *how;
    for (int i = 0; i < 4; i++)
        measure_copy_over(limit->session, (uint64_t)bytes, 1, &seconds, &how);
}

static void run_all(struct limit *limit, const struct case_list *list)
{
    static void (*const runners[])(struct limit *, const struct limit_case *) = {
        [TIMED] = time_and_tell,  [RANDOM] = time_and_tell, [CLIFFS] = time_cliffs,
        [LATENCY] = time_latency, [SWEEP] = time_and_tell,
    };
    wake(limit);
    report_begin(limit);
    for (size_t i = 0; i < list->count; i++) {
        report_progress(limit->report, i + 1, list->count, &list->at[i]);
        runners[list->at[i].goal->kind](limit, &list->at[i]);
    }
    report_end(limit);
}

static int exit_status_of(const struct report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->results[i].mark == MARK_FAILED)
            return EXIT_FAILED;
    return report->failed ? complain(EXIT_FAILED, "out of memory for the results")
                          : EXIT_FINE;
}

static int limit_on(const struct options *o, const struct session *s,
                    const struct case_list *list, const cJSON *peers)
{
    struct report report = {0};
    double cold = (double)measure_cold_bytes(s) / o->selection.scale;
    struct limit limit = {
        .session = s,
        .selection = o->selection,
        .repeats = (unsigned)o->repeats,
        .quiet = o->quiet,
        .arena = {.session = s, .cold_bytes = (uint64_t)cold},
        .report = &report,
        .peers = peers,
    };
    run_all(&limit, list);
    int result = exit_status_of(&report);
    if (o->json_path) {
        cJSON *json = report_json(&limit);
        result = json_write(o->json_path, json) ? result : EXIT_FAILED;
        cJSON_Delete(json);
    }
    arena_free(&limit.arena);
    copies_free(limit.copies);
    report_free(&report);
    return result;
}

static int open_and_run(const struct options *o, const struct case_list *list)
{
    struct session s;
    cJSON *peers = o->peers_path ? peers_read(o->peers_path) : NULL;
    if (o->peers_path && !peers)
        return EXIT_FAILED;
    setenv("CLSM_CACHE", "off", 0);
    setenv("CUDA_CACHE_DISABLE", "1", 0);
    clsm_status status = session_open(o->device, &s);
    int result = status == CLSM_OK ? limit_on(o, &s, list, peers)
                                   : complain_status(status, "device");
    session_close(&s);
    cJSON_Delete(peers);
    return result;
}

int main(int argc, char **argv)
{
    struct options o;
    struct case_list list;
    int result = parse(argc, argv, &o);
    if (result != -1)
        return result;
    bool good = cases_make(&o.selection, &list);
    result = !good ? EXIT_FAILED : EXIT_FINE;
    if (good && o.list) {
        cJSON *json = cases_json(&list);
        result = json_write("-", json) ? EXIT_FINE : EXIT_FAILED;
        cJSON_Delete(json);
    } else if (good) {
        result = open_and_run(&o, &list);
    }
    free(list.at);
    return result;
}
