/* SPDX-License-Identifier: MIT */
/* What the commands share. */
#include "command.h"
#include "staged.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int complain(int exit_status, const char *format, ...)
{
    va_list args;
    fflush(stdout);
    fprintf(stderr, "clsoftmax: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
    return exit_status;
}

int complain_status(clsm_status status, const char *what)
{
    int exit_status = status == CLSM_ERR_NO_DEVICE ? EXIT_NO_DEVICE
                      : status == CLSM_ERR_VALUE   ? EXIT_USAGE
                                                   : EXIT_FAILED;
    return complain(exit_status, "%s: %s: %s", what, clsm_status_text(status),
                    last_failure());
}

void print_help(const char *help)
{
    printf("%s\nOperations:", help);
    for (int op = 0; strcmp(clsm_op_name((clsm_op)op), "?") != 0; op++)
        printf(" %s", clsm_op_name((clsm_op)op));
    printf("\nTypes:");
    for (int type = 0; clsm_type_bytes((clsm_type)type); type++)
        printf(" %s", clsm_type_name((clsm_type)type));
    printf("\nVariants:");
    for (unsigned i = 0; clsm_variant_name(i); i++)
        printf(" %s", clsm_variant_name(i));
    printf("\n");
}

int usage_error(const char *command)
{
    return complain(EXIT_USAGE, "see 'clsoftmax %s --help'", command);
}

int extra_argument(const char *command, const char *argument)
{
    return complain(EXIT_USAGE,
                    "%s takes no argument \"%s\"; see 'clsoftmax %s --help'", command,
                    argument, command);
}

bool parse_size(const char *text, size_t least, size_t most, size_t *value)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (end == text || *end || *text == '-' || errno || v < least || v > most)
        return false;
    *value = (size_t)v;
    return true;
}

int take_number(int letter, const struct number *numbers, size_t count)
{
    for (const struct number *n = numbers; n < numbers + count; n++)
        if (n->letter == letter)
            return parse_size(optarg, n->least, n->most, n->value)
                       ? -1
                       : complain(EXIT_USAGE, "--%s is \"%s\", expected %zu to %zu",
                                  n->name, optarg, n->least, n->most);
    return EXIT_USAGE;
}

static int on_device(const clsm_device_info *info,
                     int (*one)(const struct session *session, void *context),
                     void *context)
{
    struct session s;
    clsm_status status = session_open_info(info, &s);
    if (status != CLSM_OK)
        return complain_status(status, info->name);
    int result = one(&s, context);
    session_close(&s);
    return result;
}

int on_devices(const char *selector,
               int (*one)(const struct session *session, void *context), void *context)
{
    clsm_device_info info = {.struct_bytes = sizeof info};
    if (!selector || strcmp(selector, "all") != 0) {
        clsm_status status = clsm_device_find(selector, &info);
        return status == CLSM_OK ? on_device(&info, one, context)
                                 : complain_status(status, "device");
    }
    unsigned count = 0, used = 0;
    int worst = EXIT_FINE;
    clsm_device_count(&count);
    for (unsigned i = 0; i < count; i++) {
        if (clsm_device_get(i, &info) != CLSM_OK || info.score <= 0)
            continue;
        used++;
        int result = on_device(&info, one, context);
        worst = result > worst ? result : worst;
    }
    return used ? worst : complain(EXIT_NO_DEVICE, "no usable OpenCL device");
}

cJSON *json_device(const clsm_device_info *info)
{
    cJSON *j = cJSON_CreateObject();
    cJSON_AddNumberToObject(j, "index", info->index);
    cJSON_AddStringToObject(j, "name", info->name);
    cJSON_AddStringToObject(j, "vendor", info->vendor);
    cJSON_AddStringToObject(j, "platform", info->platform_name);
    cJSON_AddStringToObject(j, "driver", info->driver);
    cJSON_AddStringToObject(j, "version", info->version);
    return j;
}

static FILE *only_json; /* what was stdout, where text goes to stderr; else NULL */

static bool put_text(int fd, const void *what)
{
    return staged_put(fd, what, strlen(what)) && staged_put(fd, "\n", 1);
}

static bool write_file(const char *path, const char *text)
{
    struct staged s;
    return staged_begin(path, put_text, text, &s) && staged_commit(&s);
}

static bool print_json(const char *text)
{
    FILE *f = only_json ? only_json : stdout;
    return fprintf(f, "%s\n", text) > 0 && fflush(f) == 0;
}

/* Is there room beside a file? What is no regular file is known when it is written. */
static bool can_write(const char *path)
{
    struct staged s;
    bool good = staged_begin(path, put_text, "", &s);
    if (good)
        staged_discard(&s);
    return good;
}

int json_option(const char *path, const char **to)
{
    *to = path;
    if (strcmp(path, "-") != 0)
        return can_write(path) ? -1
                               : complain(EXIT_FAILED, "cannot write %s: %s", path,
                                          strerror(errno));
    int out = only_json ? -1 : dup(STDOUT_FILENO);
    if (out >= 0 && (only_json = fdopen(out, "w")))
        dup2(STDERR_FILENO, STDOUT_FILENO);
    return -1;
}

bool json_write(const char *path, const cJSON *json)
{
    char *text = cJSON_Print(json);
    bool print = strcmp(path, "-") == 0;
    bool good = text && (print ? print_json(text) : write_file(path, text));
    if (!good)
        complain(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
    cJSON_free(text);
    return good;
}

/* All of it up to a byte of 0, which no JSON has. */
static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    bool good = f && (getdelim(&text, &room, 0, f) >= 0 || feof(f));
    if (f)
        fclose(f);
    if (good && text)
        return text;
    free(text);
    return good ? calloc(1, 1) : NULL;
}

cJSON *json_read(const char *path)
{
    char *text = read_text(path);
    if (!text) {
        complain(EXIT_FAILED, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    cJSON *json = cJSON_Parse(text);
    free(text);
    return json ? json : cJSON_CreateNull();
}
