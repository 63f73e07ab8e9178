/* SPDX-License-Identifier: MIT */
/* The file of the peers' times that peers.py writes. */
#include "limit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    long bytes = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    char *text = bytes >= 0 ? calloc(1, (size_t)bytes + 1) : NULL;
    if (text) {
        rewind(f);
        if (fread(text, 1, (size_t)bytes, f) != (size_t)bytes) {
            free(text);
            text = NULL;
        }
    }
    if (f)
        fclose(f);
    return text;
}

cJSON *peers_read(const char *path)
{
    char *text = read_text(path);
    cJSON *json = text ? cJSON_Parse(text) : NULL;
    if (!text)
        complain(EXIT_FAILED, "cannot read %s: %s", path, strerror(errno));
    else if (!cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(json, "cases"))) {
        complain(EXIT_FAILED, "%s is no file of bench/peers.py: no \"cases\" in it",
                 path);
        cJSON_Delete(json);
        json = NULL;
    }
    free(text);
    return json;
}

const cJSON *peers_of(const cJSON *peers, const struct limit_case *c)
{
    char key[160];
    case_key(c, key, sizeof key);
    const cJSON *cases = cJSON_GetObjectItemCaseSensitive(peers, "cases");
    return cJSON_GetObjectItemCaseSensitive(cases, key);
}

double peer_seconds(const cJSON *of_case, const char *peer)
{
    const cJSON *one = cJSON_GetObjectItemCaseSensitive(of_case, peer);
    return cJSON_IsNumber(one) ? one->valuedouble : 0;
}
