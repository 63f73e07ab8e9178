/* SPDX-License-Identifier: MIT */
/* Facts about the names of statuses, types and operations, and about the message that
 * each thread has for itself. */
#include "status.h"
#include "suites.h"

#include <pthread.h>

#undef fail /* an old macro of Check's */

static const struct {
    clsm_status status;
    const char *name;
} all[] = {
#define ROW(name, value, text) {CLSM_##name, "CLSM_" #name},
    CLSM_STATUSES(ROW)
#undef ROW
};

START_TEST(every_status_has_its_c_name_and_a_text_of_its_own)
{
    for (size_t i = 0; i < COUNT(all); i++) {
        ck_assert_str_eq(clsm_status_name(all[i].status), all[i].name);
        ck_assert_str_ne(clsm_status_text(all[i].status), "");
        for (size_t j = 0; j < i; j++) {
            ck_assert_int_ne(all[i].status, all[j].status);
            ck_assert_str_ne(clsm_status_text(all[i].status),
                             clsm_status_text(all[j].status));
        }
    }
    ck_assert_int_eq(CLSM_OK, 0);
}
END_TEST

START_TEST(values_stay_clear_of_opencls_own)
{
    for (size_t i = 0; i < COUNT(all); i++)
        ck_assert(all[i].status == CLSM_OK || all[i].status < -2000);
}
END_TEST

START_TEST(an_unknown_status_is_called_so)
{
    ck_assert_str_eq(clsm_status_name((clsm_status)-1), "CLSM_UNKNOWN");
    ck_assert_str_eq(clsm_status_name((clsm_status)7), "CLSM_UNKNOWN");
    ck_assert_str_ne(clsm_status_text((clsm_status)7), "");
}
END_TEST

START_TEST(the_version_is_the_headers)
{
    ck_assert_str_eq(clsm_version(), CLSM_VERSION);
}
END_TEST

START_TEST(a_failure_keeps_status_and_message)
{
    ck_assert_int_eq(clsm_fail(CLSM_ERR_SHAPE, "rows is %d", 7), CLSM_ERR_SHAPE);
    ck_assert_str_eq(clsm_last_message(), "rows is 7");
}
END_TEST

START_TEST(an_opencl_failure_names_call_and_code)
{
    ck_assert_int_eq(clsm_fail_cl(CL_OUT_OF_RESOURCES, "clFinish"), CLSM_ERR_OPENCL);
    ck_assert_str_eq(clsm_last_message(), "clFinish failed: CL_OUT_OF_RESOURCES (-5)");
    ck_assert_int_eq(clsm_last_cl_error(), CL_OUT_OF_RESOURCES);
    ck_assert_int_eq(clsm_fail_cl(CL_OUT_OF_HOST_MEMORY, "clFinish"), CLSM_ERR_MEMORY);
    ck_assert_int_eq(clsm_fail_cl(-9999, "clFinish"), CLSM_ERR_OPENCL);
    SAYS("-9999");
    ck_assert_str_eq(clsm_cl_error_name(CL_INVALID_KERNEL_ARGS),
                     "CL_INVALID_KERNEL_ARGS");
}
END_TEST

START_TEST(a_message_longer_than_its_room_is_cut)
{
    static char longer[20000];
    memset(longer, 'x', sizeof longer - 1);
    clsm_fail(CLSM_ERR_BUILD, "%s", longer);
    size_t length = strlen(clsm_last_message());
    ck_assert(length > 4000 && length < sizeof longer - 1);
}
END_TEST

/* What another thread finds before and after a failure of its own. */
struct other {
    char before[64], after[64];
    cl_int code_before;
};

static void *fail_elsewhere(void *data)
{
    struct other *other = data;
    strncpy(other->before, clsm_last_message(), sizeof other->before - 1);
    other->code_before = clsm_last_cl_error();
    clsm_fail_cl(CL_INVALID_VALUE, "clElsewhere");
    strncpy(other->after, clsm_last_message(), sizeof other->after - 1);
    return NULL;
}

START_TEST(each_thread_has_its_own_message_and_code)
{
    struct other other = {0};
    pthread_t thread;
    clsm_fail_cl(CL_INVALID_CONTEXT, "clHere");
    ck_assert_int_eq(pthread_create(&thread, NULL, fail_elsewhere, &other), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_str_eq(other.before, "");
    ck_assert_int_eq(other.code_before, 0);
    ck_assert_ptr_nonnull(strstr(other.after, "clElsewhere"));
    SAYS("clHere");
    ck_assert_int_eq(clsm_last_cl_error(), CL_INVALID_CONTEXT);
}
END_TEST

START_TEST(types_and_operations_are_found_by_name)
{
    clsm_type type;
    clsm_op op;
#define ROW(NAME, name, bytes)                                                         \
    ck_assert_int_eq(clsm_type_find(#name, &type), CLSM_OK);                           \
    ck_assert_int_eq(type, CLSM_##NAME);                                               \
    ck_assert_str_eq(clsm_type_name(type), #name);                                     \
    ck_assert_uint_eq(clsm_type_bytes(type), bytes);
    CLSM_TYPES(ROW)
#undef ROW
#define ROW(NAME, name, ...)                                                           \
    ck_assert_int_eq(clsm_op_find(#name, &op), CLSM_OK);                               \
    ck_assert_int_eq(op, CLSM_##NAME);                                                 \
    ck_assert_str_eq(clsm_op_name(op), #name);
    CLSM_OPERATIONS(ROW)
#undef ROW
}
END_TEST

START_TEST(operands_have_their_names)
{
    ck_assert_str_eq(clsm_operand_name(CLSM_X), "x");
    ck_assert_str_eq(clsm_operand_name(CLSM_Y), "y");
#define ROW(NAME, name) ck_assert_str_eq(clsm_operand_name(CLSM_##NAME), #name);
    CLSM_OPERANDS(ROW)
#undef ROW
    ck_assert_str_eq(clsm_operand_name(CLSM_OPERAND_COUNT), "?");
    ck_assert_str_eq(clsm_operand_name((clsm_operand)-3), "?");
}
END_TEST

START_TEST(an_operation_tells_what_it_takes_and_gives)
{
    clsm_op_info info = {.struct_bytes = sizeof info};
#define ROW(NAME, name, y_is, need, might)                                             \
    ck_assert_int_eq(clsm_op_get_info(CLSM_##NAME, &info), CLSM_OK);                   \
    ck_assert_int_eq(info.y, CLSM_##y_is);                                             \
    ck_assert_uint_eq(info.needs, need);                                               \
    ck_assert_uint_eq(info.may, might);                                                \
    ck_assert_uint_eq(info.struct_bytes, sizeof info);
    CLSM_OPERATIONS(ROW)
#undef ROW
    REFUSED(clsm_op_get_info(CLSM_OP_COUNT, &info), CLSM_ERR_VALUE, "op is ",
            "expected 0 to ");
    REFUSED(clsm_op_get_info((clsm_op)-1, &info), CLSM_ERR_VALUE, "op is -1", "0 to");
    REFUSED(clsm_op_get_info(CLSM_SOFTMAX, NULL), CLSM_ERR_NULL, "info is NULL", "");
    info.struct_bytes = 0;
    REFUSED(clsm_op_get_info(CLSM_SOFTMAX, &info), CLSM_ERR_STRUCT, "struct_bytes is 0",
            "sizeof(clsm_op_info)");
}
END_TEST

START_TEST(unknown_names_are_refused_with_the_list)
{
    clsm_type type;
    clsm_op op;
    REFUSED(clsm_type_find("f31", &type), CLSM_ERR_VALUE, "\"f31\"", "bf16");
    REFUSED(clsm_op_find("hardmax", &op), CLSM_ERR_VALUE, "\"hardmax\"", "log_softmax");
    REFUSED(clsm_type_find(NULL, &type), CLSM_ERR_NULL, "name is NULL", "");
    REFUSED(clsm_op_find("softmax", NULL), CLSM_ERR_NULL, "op is NULL", "");
    ck_assert_str_eq(clsm_type_name((clsm_type)-1), "?");
    ck_assert_str_eq(clsm_op_name((clsm_op)99), "?");
    ck_assert_uint_eq(clsm_type_bytes((clsm_type)99), 0);
}
END_TEST

Suite *status_suite(void)
{
    Suite *suite = suite_create("status");
    TCase *c = tcase_create("status");
    tcase_add_test(c, every_status_has_its_c_name_and_a_text_of_its_own);
    tcase_add_test(c, values_stay_clear_of_opencls_own);
    tcase_add_test(c, an_unknown_status_is_called_so);
    tcase_add_test(c, the_version_is_the_headers);
    tcase_add_test(c, a_failure_keeps_status_and_message);
    tcase_add_test(c, an_opencl_failure_names_call_and_code);
    tcase_add_test(c, a_message_longer_than_its_room_is_cut);
    tcase_add_test(c, each_thread_has_its_own_message_and_code);
    tcase_add_test(c, types_and_operations_are_found_by_name);
    tcase_add_test(c, operands_have_their_names);
    tcase_add_test(c, an_operation_tells_what_it_takes_and_gives);
    tcase_add_test(c, unknown_names_are_refused_with_the_list);
    suite_add_tcase(suite, c);
    return suite;
}
