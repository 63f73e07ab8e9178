/* SPDX-License-Identifier: MIT */
/* `clsoftmax devices`: what there is, and which would be picked. */
#include "command.h"

#include <stdio.h>

static const char help[] =
    "Usage: clsoftmax devices [--json FILE]\n\n"
    "List every OpenCL device of every platform: its index and name for --device, "
    "what\n"
    "it is, and the score by which the default one is picked (marked *).\n\n"
    "  --json FILE  write the list as JSON (- for stdout)\n\n"
    "Example:\n  clsoftmax devices\n  clsoftmax run --device 0 logits.npy probs.npy\n";

enum {
    MAX_SIZES = sizeof((clsm_device_info *)0)->subgroup_sizes /
                sizeof((clsm_device_info *)0)->subgroup_sizes[0]
};

static void sizes_text(const clsm_device_info *d, char *text, size_t bytes)
{
    size_t at = 0;
    text[0] = 0;
    for (int i = 0; i < MAX_SIZES && d->subgroup_sizes[i] && at < bytes; i++)
        at += (size_t)snprintf(text + at, bytes - at, "%s%zu", i ? "/" : ", size ",
                               d->subgroup_sizes[i]);
}

static void print(const clsm_device_info *d, bool picked)
{
    char sizes[64];
    sizes_text(d, sizes, sizeof sizes);
    printf("%c %u  %s\n", picked ? '*' : ' ', d->index, d->name);
    printf("     platform       %s, %s\n", d->platform_name, d->version);
    printf("     vendor         %s, driver %s\n", d->vendor, d->driver);
    printf("     compiles       up to %s\n", d->c_version);
    printf("     compute units  %u, work-groups of up to %zu\n", d->compute_units,
           d->max_work_group);
    printf("     memory         %.1f GiB, %llu KiB local\n",
           (double)d->global_bytes / (1 << 30),
           (unsigned long long)d->local_bytes >> 10);
    printf("     subgroups      %s%s\n", d->subgroups, sizes);
    printf("     fp16 %s, fp64 %s\n",
           d->has_fp16 ? "yes" : "no (f16 data works anyway)",
           d->has_fp64 ? "yes" : "no (no f64 data)");
    printf("     score          %.0f: %s\n", d->score, d->reason);
}

static cJSON *to_json(const clsm_device_info *d, bool picked)
{
    cJSON *j = json_device(d);
    cJSON_AddStringToObject(j, "opencl_c", d->c_version);
    cJSON_AddNumberToObject(j, "compute_units", d->compute_units);
    cJSON_AddNumberToObject(j, "max_work_group", (double)d->max_work_group);
    cJSON_AddNumberToObject(j, "local_bytes", (double)d->local_bytes);
    cJSON_AddNumberToObject(j, "global_bytes", (double)d->global_bytes);
    cJSON_AddStringToObject(j, "subgroups", d->subgroups);
    cJSON *sizes = cJSON_AddArrayToObject(j, "subgroup_sizes");
    for (int i = 0; i < MAX_SIZES && d->subgroup_sizes[i]; i++)
        cJSON_AddItemToArray(sizes, cJSON_CreateNumber((double)d->subgroup_sizes[i]));
    cJSON_AddBoolToObject(j, "fp16", d->has_fp16);
    cJSON_AddBoolToObject(j, "fp64", d->has_fp64);
    cJSON_AddNumberToObject(j, "score", d->score);
    cJSON_AddStringToObject(j, "reason", d->reason);
    cJSON_AddBoolToObject(j, "picked", picked);
    return j;
}

static int list(const char *json_path)
{
    clsm_device_info best = {.struct_bytes = sizeof best}, one = best;
    unsigned count = 0;
    clsm_status found = clsm_device_find(NULL, &best);
    clsm_device_count(&count);
    cJSON *json = cJSON_CreateArray();
    for (unsigned i = 0; i < count; i++) {
        clsm_status status = clsm_device_get(i, &one);
        if (status != CLSM_OK) {
            complain_status(status, "a device that does not answer");
            continue;
        }
        bool picked = found == CLSM_OK && best.index == i;
        print(&one, picked);
        cJSON_AddItemToArray(json, to_json(&one, picked));
    }
    bool good = !json_path || json_write(json_path, json);
    cJSON_Delete(json);
    if (!good)
        return EXIT_FAILED;
    return found == CLSM_OK ? EXIT_FINE : complain_status(found, "no device to pick");
}

int devices_command(int argc, char **argv)
{
    static const struct option options[] = {
        {"json", required_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
    const char *json_path = NULL;
    for (int o; (o = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (o == 'h') {
            fputs(help, stdout);
            return EXIT_FINE;
        }
        if (o != 'j')
            return usage_error("devices");
        int result = json_option(optarg, &json_path);
        if (result != -1)
            return result;
    }
    return optind == argc ? list(json_path) : extra_argument("devices", argv[optind]);
}
