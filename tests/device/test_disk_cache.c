/* SPDX-License-Identifier: MIT */
/* The disk cache with a real device's binaries: built once, found again by the next
 * engine, rebuilt where an entry is damaged, and out of the way when off. */
#include "tally.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], was[64];

/* A folder of this test's own; the environment's CLSM_CACHE is put back at the end. */
static void set_up(void)
{
    const char *value = getenv("CLSM_CACHE");
    snprintf(was, sizeof was, "%s", value ? value : "");
    strcpy(folder, "/tmp/clsm_cache_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("CLSM_CACHE_DIR", folder, 1);
    setenv("CLSM_CACHE", "on", 1);
}

/* Do something to each file of the folder; how many there are. */
static int each_entry(void (*change)(int folder, const char *name))
{
    DIR *dir = opendir(folder);
    int n = 0;
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.') {
            change(dirfd(dir), e->d_name);
            n++;
        }
    if (dir)
        closedir(dir);
    return n;
}

static void leave(int in, const char *name)
{
    (void)in, (void)name;
}

static void remove_entry(int in, const char *name)
{
    unlinkat(in, name, 0);
}

/* The last byte is the binary's. */
static void flip_last_byte(int in, const char *name)
{
    char byte = 0;
    int file = openat(in, name, O_RDWR);
    ck_assert_int_ge(file, 0);
    off_t last = lseek(file, -1, SEEK_END);
    ck_assert_int_eq(pread(file, &byte, 1, last), 1);
    byte ^= 1;
    ck_assert_int_eq(pwrite(file, &byte, 1, last), 1);
    close(file);
}

static void halve(int in, const char *name)
{
    int file = openat(in, name, O_RDWR);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(ftruncate(file, lseek(file, 0, SEEK_END) / 2), 0);
    close(file);
}

static void tear_down(void)
{
    each_entry(remove_entry);
    rmdir(folder);
    unsetenv("CLSM_CACHE_DIR");
    if (was[0])
        setenv("CLSM_CACHE", was, 1);
    else
        unsetenv("CLSM_CACHE");
}

/* What making one plan with a new engine and running it counts. The engine's probe is
 * a program too, and is left out. */
static clsm_counters run_fresh(struct tally *t, int *from_disk)
{
    struct session s = t->device->session;
    clsm_counters before = {.struct_bytes = sizeof before}, after = before;
    clsm_plan_info info = {.struct_bytes = sizeof info};
    clsm_plan *plan = NULL;
    struct verdict v = {.complaint = "no plan"};
    struct trial trial = {.mixed = true, .seed = 3};
    trial.problem = problem_of(CLSM_SOFTMAX, CLSM_F32, CLSM_F32, 13, 130);
    s.engine = NULL;
    tally_ok(t, clsm_engine_create(s.context, s.info.device, &s.engine), "engine");
    clsm_get_counters(&before);
    if (tally_ok(t, clsm_plan_create(s.engine, &trial.problem, &plan), "plan"))
        trial_run(&s, &trial, plan, &v);
    clsm_get_counters(&after);
    tally_fact(t, !v.complaint[0], "%s", v.complaint);
    if (plan)
        clsm_plan_get_info(plan, &info);
    *from_disk = info.from_disk;
    clsm_plan_destroy(plan);
    clsm_engine_destroy(s.engine);
    after.programs -= before.programs;
    after.builds -= before.builds;
    after.disk_hits -= before.disk_hits;
    after.disk_misses -= before.disk_misses;
    return after;
}

static void expect(struct tally *t, const char *when, unsigned builds, unsigned hits,
                   unsigned misses)
{
    int from_disk;
    clsm_counters n = run_fresh(t, &from_disk);
    tally_fact(t,
               n.programs == 1 && n.builds == builds && n.disk_hits == hits &&
                   n.disk_misses == misses && from_disk == (int)hits,
               "%s: %llu programs, %llu builds, %llu hits, %llu misses, from disk %d",
               when, (unsigned long long)n.programs, (unsigned long long)n.builds,
               (unsigned long long)n.disk_hits, (unsigned long long)n.disk_misses,
               from_disk);
}

START_TEST(program_is_built_once_for_all_engines)
{
    struct tally t = tally_of(_i);
    expect(&t, "cold", 1, 0, 1);
    tally_fact(&t, each_entry(leave) >= 1, "nothing stored");
    expect(&t, "warm", 0, 1, 0);
    tally_end(&t);
}
END_TEST

START_TEST(damaged_entry_is_built_again)
{
    struct tally t = tally_of(_i);
    expect(&t, "cold", 1, 0, 1);
    each_entry(flip_last_byte);
    expect(&t, "a byte flipped", 1, 0, 1);
    expect(&t, "mended", 0, 1, 0);
    each_entry(halve);
    expect(&t, "cut in half", 1, 0, 1);
    expect(&t, "mended again", 0, 1, 0);
    tally_end(&t);
}
END_TEST

START_TEST(switched_off_cache_counts_nothing)
{
    struct tally t = tally_of(_i);
    setenv("CLSM_CACHE", "off", 1);
    expect(&t, "off", 1, 0, 0);
    expect(&t, "still off", 1, 0, 0);
    tally_fact(&t, each_entry(leave) == 0, "something stored");
    tally_end(&t);
}
END_TEST

void disk_cache_suite(Suite *suite, int device)
{
    add_fixed_test(suite, device, program_is_built_once_for_all_engines, set_up,
                   tear_down);
    add_fixed_test(suite, device, damaged_entry_is_built_again, set_up, tear_down);
    add_fixed_test(suite, device, switched_off_cache_counts_nothing, set_up, tear_down);
}
