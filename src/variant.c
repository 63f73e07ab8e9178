/* SPDX-License-Identifier: MIT */
/* Walking the table, naming and parsing its configurations. */
#include "variant.h"

#include "status.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct variant clsm_variants[] = {
#define VARIANT(name, ...) {#name, __VA_ARGS__},
#include "variants.def"
#undef VARIANT
};
const unsigned clsm_variant_count = sizeof clsm_variants / sizeof *clsm_variants;

const char *clsm_parameter_name(enum parameter which)
{
    static const char *const names[] = {"",
#define PARAMETER(name) #name,
                                        PARAMETERS(PARAMETER)
#undef PARAMETER
    };
    return names[which];
}

static unsigned value_count(const struct param *param)
{
    unsigned n = 0;
    while (n < MAX_VALUES && param->values[n])
        n++;
    return n;
}

bool clsm_config_at(unsigned i, struct config *config)
{
    for (unsigned v = 0; v < clsm_variant_count; v++) {
        unsigned choices[MAX_PARAMS], total = 1;
        for (unsigned k = 0; k < MAX_PARAMS; k++) {
            choices[k] = value_count(&clsm_variants[v].params[k]);
            total *= choices[k] ? choices[k] : 1;
        }
        if (i >= total) {
            i -= total;
            continue;
        }
        config->variant = v;
        for (unsigned k = 0; k < MAX_PARAMS; k++) {
            unsigned n = choices[k] ? choices[k] : 1;
            config->values[k] = clsm_variants[v].params[k].values[i % n];
            i /= n;
        }
        return true;
    }
    return false;
}

void clsm_config_text(const struct config *config, char *name, size_t bytes)
{
    const struct variant *v = &clsm_variants[config->variant];
    size_t at = (size_t)snprintf(name, bytes, "%s", v->name);
    for (unsigned k = 0; k < MAX_PARAMS && v->params[k].which && at < bytes; k++)
        at += (size_t)snprintf(name + at, bytes - at, "%c%s=%u", k ? ',' : ':',
                               clsm_parameter_name(v->params[k].which),
                               config->values[k]);
}

static bool find_variant(const char *name, size_t length, unsigned *variant)
{
    for (unsigned v = 0; v < clsm_variant_count; v++)
        if (strlen(clsm_variants[v].name) == length &&
            strncmp(clsm_variants[v].name, name, length) == 0) {
            *variant = v;
            return true;
        }
    return false;
}

/* One "NAME=VALUE" of a configuration's text: what follows it, a comma or the end; NULL
 * if it is none of the table's. */
static const char *parse_value(const char *text, struct config *config)
{
    const struct variant *v = &clsm_variants[config->variant];
    for (unsigned k = 0; k < MAX_PARAMS && v->params[k].which; k++) {
        const struct param *param = &v->params[k];
        const char *name = clsm_parameter_name(param->which);
        size_t length = strlen(name);
        if (strncmp(text, name, length) != 0 || text[length] != '=' ||
            !isdigit((unsigned char)text[length + 1]))
            continue;
        char *end;
        unsigned long value = strtoul(text + length + 1, &end, 10);
        for (unsigned i = 0; i < value_count(param); i++)
            if (param->values[i] == value && (*end == ',' || !*end)) {
                config->values[k] = (unsigned)value;
                return end;
            }
    }
    return NULL;
}

/* "tree:WG=64|128|256": a variant with every value that its parameters take. */
static void name_values(const struct variant *v, char *text, size_t bytes)
{
    size_t at = (size_t)snprintf(text, bytes, "%s", v->name);
    for (unsigned k = 0; k < MAX_PARAMS && v->params[k].which; k++)
        for (unsigned i = 0; i < value_count(&v->params[k]) && at < bytes; i++)
            at += (size_t)(i ? snprintf(text + at, bytes - at, "|%u",
                                        v->params[k].values[i])
                             : snprintf(text + at, bytes - at, "%c%s=%u", k ? ',' : ':',
                                        clsm_parameter_name(v->params[k].which),
                                        v->params[k].values[i]));
}

static clsm_status unknown_variant(const char *name)
{
    char known[256] = "";
    for (unsigned v = 0, at = 0; v < clsm_variant_count && at < sizeof known; v++)
        at += (unsigned)snprintf(known + at, sizeof known - at, " %s",
                                 clsm_variants[v].name);
    return clsm_fail(CLSM_ERR_VARIANT, "variant is \"%s\", expected one of:%s", name,
                     known);
}

clsm_status clsm_config_parse(const char *name, struct config *config, bool *exact)
{
    size_t length = strcspn(name, ":");
    *config = (struct config){0};
    if (!find_variant(name, length, &config->variant))
        return unknown_variant(name);
    const struct variant *v = &clsm_variants[config->variant];
    for (unsigned k = 0; k < MAX_PARAMS; k++)
        config->values[k] = v->params[k].values[0];
    *exact = name[length] == ':';
    const char *text = name + length;
    while (text && *text) /* at the ':' or a ',' */
        text = parse_value(text + 1, config);
    if (text)
        return CLSM_OK;
    char good[128];
    name_values(v, good, sizeof good);
    return clsm_fail(CLSM_ERR_VARIANT, "variant is \"%s\", expected %s", name, good);
}

unsigned clsm_config_value(const struct config *config, enum parameter which,
                           unsigned otherwise)
{
    const struct variant *v = &clsm_variants[config->variant];
    for (unsigned k = 0; k < MAX_PARAMS && v->params[k].which; k++)
        if (v->params[k].which == which)
            return config->values[k];
    return otherwise;
}

const char *clsm_variant_name(unsigned i)
{
    return i < clsm_variant_count ? clsm_variants[i].name : NULL;
}

const char *clsm_config_name(unsigned i)
{
    static _Thread_local char name[64];
    struct config config;
    if (!clsm_config_at(i, &config))
        return NULL;
    clsm_config_text(&config, name, sizeof name);
    return name;
}
