/* SPDX-License-Identifier: MIT */
/* The `clsoftmax` command: finding the sub-command. */
#include "command.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *text;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "softmax of a .npy file, written to another", run_command},
    {"devices", "every OpenCL device, and which would be picked", devices_command},
    {"verify", "check every variant on a device against the reference", verify_command},
    {"bench", "the chosen variant against the copy bandwidth", bench_command},
    {"compare", "all variants against each other, and what was chosen",
     compare_command},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_commands(void)
{
    printf("clsoftmax %s: softmax in OpenCL\n\nUsage: clsoftmax COMMAND ...\n\n",
           clsm_version());
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-9s %s\n", commands[i].name, commands[i].text);
    printf("\nExample:\n  clsoftmax run logits.npy probs.npy --verify\n\n"
           "'clsoftmax COMMAND --help' tells each one's options.\n\n"
           "Exit status: 0 fine, 1 the job failed, 2 wrong usage, 77 no device.\n"
           "Environment: CLSM_DEVICE, CLSM_VARIANT (as --device, --variant),\n"
           "  CLSM_CACHE=off, CLSM_CACHE_DIR, CLSM_CACHE_MIB (programs kept on disk),\n"
           "  CLSM_SUBGROUPS=auto, off (use none) or local (emulate them).\n");
}

static int serve(int argc, char **argv)
{
    if (argc < 2) {
        print_commands();
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_commands();
        return EXIT_FINE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("clsoftmax %s\n", clsm_version());
        return EXIT_FINE;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return complain(EXIT_USAGE, "no command \"%s\"; see 'clsoftmax --help'", argv[1]);
}

int main(int argc, char **argv)
{
    int result = serve(argc, argv);
    bool lost = fflush(stdout) != 0 || ferror(stdout);
    return lost && !result ? complain(EXIT_FAILED, "standard output cannot be written")
                           : result;
}
