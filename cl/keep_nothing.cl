/* SPDX-License-Identifier: MIT */
/* For operations that keep nothing of their own while they go over a row. */
struct keep {
    char nothing;
};

static void keep_start(struct keep *keep, struct row row)
{
}
