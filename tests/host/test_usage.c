/* SPDX-License-Identifier: MIT */
/* Facts about reading what a compiler's log says of a kernel. */
#include "suites.h"
#include "usage.h"

/* As NVIDIA's driver writes it. */
static const char lean[] =
    "\n"
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'clsm_row' for 'sm_90a'\n"
    "ptxas info    : Function properties for clsm_row\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 40 registers, used 1 barriers, 8 bytes smem, 536 bytes "
    "cmem[0]\n"
    "ptxas info    : Compile time = 12.345 ms\n";

static const char spilled[] =
    "ptxas info    : Compiling entry function 'clsm_row' for 'sm_90'\n"
    "ptxas info    : Function properties for clsm_row\n"
    "    1040 bytes stack frame, 96 bytes spill stores, 128 bytes spill loads\n"
    "ptxas info    : Used 255 registers, 536 bytes cmem[0]\n";

static const char of_two_functions[] =
    "ptxas info    : Function properties for merge\n"
    "    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
    "ptxas info    : Used 64 registers\n"
    "ptxas info    : Function properties for clsm_row\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 32 registers\n";

static const struct {
    const char *log;
    unsigned registers;
    uint64_t spill_bytes;
} logs[] = {
    {lean, 40, 0},
    {spilled, 255, 1040 + 96 + 128},
    {of_two_functions, 64, 16 + 4 + 8},
    {"ptxas info    : Used 24 registers", 24, 0},
};

START_TEST(registers_and_all_bytes_in_memory_are_read)
{
    for (size_t i = 0; i < COUNT(logs); i++) {
        struct usage usage = clsm_usage_of(logs[i].log);
        ck_assert_uint_eq(usage.registers, logs[i].registers);
        ck_assert_uint_eq(usage.spill_bytes, logs[i].spill_bytes);
    }
}
END_TEST

START_TEST(other_text_says_nothing)
{
    static const char *const others[] = {NULL,
                                         "",
                                         "\n",
                                         "Compilation successful",
                                         "a.cl:7: warning: Used registers",
                                         " registers",
                                         "Used  registers, bytes spill stores"};
    for (size_t i = 0; i < COUNT(others); i++) {
        struct usage usage = clsm_usage_of(others[i]);
        ck_assert_uint_eq(usage.registers, 0);
        ck_assert_uint_eq(usage.spill_bytes, 0);
    }
}
END_TEST

Suite *usage_suite(void)
{
    Suite *suite = suite_create("usage");
    TCase *c = tcase_create("usage");
    tcase_add_test(c, registers_and_all_bytes_in_memory_are_read);
    tcase_add_test(c, other_text_says_nothing);
    suite_add_tcase(suite, c);
    return suite;
}
