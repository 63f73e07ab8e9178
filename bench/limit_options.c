/* SPDX-License-Identifier: MIT */
/* The command line of clsoftmax-limit. */
#include "limit_options.h"

#include <stdint.h>
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
    "  --repeats N      runs a case that are timed (15), on a GPU in five lines "
    "of\n                   16 or more\n"
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

static int parse_number(int letter, struct limit_options *o)
{
    size_t random = o->selection.random, seed = o->selection.seed;
    const struct number numbers[] = {{'n', "random", 1, 100000, &random},
                                     {'e', "seed", 1, INT32_MAX, &seed},
                                     {'r', "repeats", 3, 200, &o->repeats}};
    int result = take_number(letter, numbers, sizeof numbers / sizeof *numbers);
    o->selection.random = (unsigned)random;
    o->selection.seed = seed;
    return result;
}

static int parse_scale(struct limit_options *o)
{
    char *end;
    o->selection.scale = strtod(optarg, &end);
    return end != optarg && !*end && o->selection.scale >= 1 && o->selection.scale < 1e9
               ? -1
               : complain(EXIT_USAGE, "--scale is \"%s\", expected a number from 1",
                          optarg);
}

static int parse_option(int letter, struct limit_options *o)
{
    switch (letter) {
    case 'd':
        o->device = optarg;
        return -1;
    case 'j':
        return json_option(optarg, &o->json_path);
    case 'p':
        o->peers_path = optarg;
        return -1;
    case 'o':
        return selection_add(&o->selection, optarg);
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

int limit_parse(int argc, char **argv, struct limit_options *o)
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
    *o = (struct limit_options){.selection = {.scale = 1, .random = 200, .seed = 1},
                                .repeats = 15};
    for (int letter; (letter = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (letter == 'h') {
            printf("%s", help);
            print_goal_groups();
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
