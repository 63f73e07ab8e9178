/* SPDX-License-Identifier: MIT */
/*
 * A temporary folder for the npy suites, and files that are made there byte by byte, so
 * that what NumPy may write is covered without NumPy. Each of the two suites has its
 * own.
 */
#ifndef CLSM_TEST_NPY_FIXTURE_H
#define CLSM_TEST_NPY_FIXTURE_H

#include "../../tools/npy.h"
#include "suites.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DICT(descr, order, shape)                                                      \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"

static char folder[64], file[96], error[400];
static struct npy a;

static void set_up(void)
{
    strcpy(folder, "/tmp/clsm_npy_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/a.npy", folder);
}

/** Files in the folder; with `clear`, remove them. */
static int entries(bool clear)
{
    DIR *dir = opendir(folder);
    int n = 0;

    for (struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.') {
            n++;
            if (clear)
                unlinkat(dirfd(dir), e->d_name, 0);
        }
    closedir(dir);
    return n;
}

static void tear_down(void)
{
    npy_free(&a);
    entries(true);
    rmdir(folder);
}

static void put(int version, const char *header, const void *data, size_t bytes)
{
    size_t n = strlen(header);
    FILE *out = fopen(file, "wb");

    fprintf(out, "\x93NUMPY%c%c%c%c", version, 0, (int)(n & 255), (int)(n >> 8));
    if (version > 1)
        fprintf(out, "%c%c", 0, 0);
    fwrite(header, 1, n, out);
    fwrite(data, 1, bytes, out);
    fclose(out);
}

static bool reads_as(enum npy_want want)
{
    npy_free(&a);
    return npy_read(file, want, &a, error, sizeof error);
}

static bool reads(bool as_bf16)
{
    return reads_as(as_bf16 ? NPY_BF16 : NPY_FLOATS);
}

/** The last call failed, and its sentence names the file and says `what`. */
static void refused(bool ok, const char *what)
{
    ck_assert(!ok);
    ck_assert_msg(strstr(error, file) == error, "no path in: %s", error);
    ck_assert_msg(strstr(error, what) != NULL, "no '%s' in: %s", what, error);
    ck_assert_ptr_null(a.data);
}

static void holds(int dims, const size_t *shape, const void *data, size_t bytes)
{
    ck_assert_int_eq(a.dims, dims);
    ck_assert_mem_eq(a.shape, shape, (size_t)dims * sizeof *shape);
    ck_assert_mem_eq(a.data, data, bytes);
}

#endif
