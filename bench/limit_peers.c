/* SPDX-License-Identifier: MIT */
/* The file of the peers' times that peers.py writes. */
#include "limit.h"

cJSON *peers_read(const char *path)
{
    cJSON *json = json_read(path);
    if (!json || cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(json, "cases")))
        return json;
    complain(EXIT_FAILED, "%s is no file of bench/peers.py: no \"cases\" in it", path);
    cJSON_Delete(json);
    return NULL;
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
