/* SPDX-License-Identifier: MIT */
/* What the commands share: exit statuses, saying what failed, options, JSON files. */
#ifndef COMMAND_H
#define COMMAND_H

#include "session.h"

#include <cjson/cJSON.h>
#include <getopt.h>

enum exit_status {
    EXIT_FINE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_NO_DEVICE = 77
};

/* A command gets its own arguments, argv[0] being its name. */
int run_command(int argc, char **argv);
int devices_command(int argc, char **argv);
int verify_command(int argc, char **argv);
int bench_command(int argc, char **argv);
int compare_command(int argc, char **argv);

/* "clsoftmax: <what>" on stderr; the exit status for it. */
int complain(int exit_status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for a failed call of the library or of the tools, with its message. */
int complain_status(clsm_status status, const char *what);

/* A command's help, and after it the names that its options take. */
void print_help(const char *help);

/* getopt_long said '?' or ':': say where help is. */
int usage_error(const char *command);

/* An argument that a command does not take: say so. */
int extra_argument(const char *command, const char *argument);

/* A number between least and most; false if the text is none. */
bool parse_size(const char *text, size_t least, size_t most, size_t *value);

/* An option that is such a number. */
struct number {
    int letter;
    const char *name;
    size_t least, most, *value;
};

/* The option of that letter takes optarg: -1, or an exit status with a message said.
 * EXIT_USAGE for a letter that none has. */
int take_number(int letter, const struct number *numbers, size_t count);

/* Run `one` on the device of a selector, or on every usable one for "all". The worst
 * exit status counts. */
int on_devices(const char *selector,
               int (*one)(const struct session *session, void *context), void *context);

/* A device as JSON: what every JSON file says of it. */
cJSON *json_device(const clsm_device_info *info);

/* The path of --json; where it is "-", nothing but JSON goes to stdout from now on, and
 * what else is printed to stderr. -1 to go on, else an exit status: before a long run,
 * it cannot be written to. */
int json_option(const char *path, const char **to);

/* A file as staged.h has it; "-" is stdout. False with a message said. */
bool json_write(const char *path, const cJSON *json);

/* What is in a file, null if that is no JSON; NULL with a message said if it cannot be
 * read. */
cJSON *json_read(const char *path);

#endif
