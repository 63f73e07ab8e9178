/* SPDX-License-Identifier: MIT */
/* The command line of clsoftmax-cpu-peers. */
#include "options.h"

#include "candidate.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: clsoftmax-cpu-peers [options]\n\n"
    "Time the library on a CPU device beside what it is measured against, in turn and\n"
    "on the same buffers, all threads for all, and hold it against a table of goals\n"
    "(bench/cpu_peers/goals.def):\n\n"
    "  c   the best copy of as many bytes: clEnqueueCopyBuffer, memcpy, non-temporal\n"
    "      stores without and with software prefetch (\"stream-ahead\")\n"
    "  p   the best peer: oneDNN in its fastest mode, XNNPACK, plain C loops compiled\n"
    "      with -O3 -ffast-math -march=native; those that were built in\n\n"
    "Every thread has a processor of its own. Each round runs every candidate in\n"
    "turn. A time is the median over the rounds, less timings during which other\n"
    "processes had the processors, and rounds whose copy was slower than 0.8 of its\n"
    "median; where hardly any are left the calmest quarter counts: do not trust a "
    "line\n"
    "with most timings disturbed. Results are compared with the reference first: a\n"
    "peer that is wrong is left out, and if the library is, the exit status is 1. A\n"
    "goal that is not met changes no exit status. A whole run takes some minutes.\n\n"
    "  --only PART      only groups with this in their name; may be repeated\n"
    "  --rounds N       at least so many, up to four times where disturbed (15)\n"
    "  --bytes SIZE     of x, as 4M, 64M or 1G (64M)\n"
    "  --threads N      for all, instead of as many as there are\n"
    "  --device D       an OpenCL device: cpu, index, part of a name (cpu)\n"
    "  --peers FILE     other libraries' times, made by bench/peers.py\n"
    "  --quiet          print only what is no pass, and the table\n"
    "  --json FILE      write the results as JSON (- for stdout)\n"
    "  --list-json      print the cases as JSON and time nothing\n\n"
    "Example:\n"
    "  clsoftmax-cpu-peers --only 1k-4k --only errors\n"
    "  clsoftmax-cpu-peers --list-json > cases.json\n"
    "  python3 bench/peers.py --peer torch-cpu cases.json torch.json\n"
    "  clsoftmax-cpu-peers --peers torch.json --json cpu.json\n";

/* "64M"; false if it is none, or less than a kilobyte. */
static bool parse_bytes(const char *text, double *bytes)
{
    static const char units[] = "KMG";
    char *end;
    double v = strtod(text, &end);
    const char *unit = end != text && *end ? strchr(units, *end) : NULL;
    for (const char *u = units; unit && u <= unit; u++)
        v *= 1024;
    *bytes = v;
    return end != text && !*(unit ? end + 1 : end) && v >= 1024 && v <= 0x1p40;
}

static int parse_number(int letter, struct cpu_options *o)
{
    const struct number numbers[] = {{'r', "rounds", 3, MOST_ROUNDS, &o->rounds},
                                     {'t', "threads", 1, MOST_THREADS, &o->threads}};
    return take_number(letter, numbers, sizeof numbers / sizeof *numbers);
}

static int parse_option(int letter, struct cpu_options *o)
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
    case 'b':
        return parse_bytes(optarg, &o->bytes)
                   ? -1
                   : complain(EXIT_USAGE, "--bytes is \"%s\", expected a size as 64M",
                              optarg);
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

static int finish(int argc, char **argv, struct cpu_options *o)
{
    o->selection.scale = GOALS_BYTES / o->bytes;
    return optind == argc
               ? -1
               : complain(EXIT_USAGE, "\"%s\" is no option; see --help", argv[optind]);
}

int cpu_parse(int argc, char **argv, struct cpu_options *o)
{
    static const struct option options[] = {{"device", required_argument, NULL, 'd'},
                                            {"only", required_argument, NULL, 'o'},
                                            {"rounds", required_argument, NULL, 'r'},
                                            {"bytes", required_argument, NULL, 'b'},
                                            {"threads", required_argument, NULL, 't'},
                                            {"peers", required_argument, NULL, 'p'},
                                            {"quiet", no_argument, NULL, 'q'},
                                            {"json", required_argument, NULL, 'j'},
                                            {"list-json", no_argument, NULL, 'l'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    *o = (struct cpu_options){.device = "cpu", .bytes = GOALS_BYTES, .rounds = 15};
    for (int letter; (letter = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (letter == 'h') {
            printf("%s", help);
            print_goal_groups();
            return EXIT_FINE;
        }
        int result = letter == '?'
                         ? complain(EXIT_USAGE, "see clsoftmax-cpu-peers --help")
                         : parse_option(letter, o);
        if (result != -1)
            return result;
    }
    return finish(argc, argv, o);
}
