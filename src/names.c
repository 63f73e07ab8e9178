/* SPDX-License-Identifier: MIT */
/* The public tables as data: types, operations, operands, and their names. */
#include "problem.h"
#include "status.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
#define ROW(NAME, name, bytes) {#name, bytes},
    CLSM_TYPES(ROW)
#undef ROW
};

static const struct {
    const char *name;
    clsm_y y;
    unsigned needs, may;
} ops[] = {
#define ROW(NAME, name, y, needs, may) {#name, CLSM_##y, needs, may},
    CLSM_OPERATIONS(ROW)
#undef ROW
};

static const char *const operands[] = {
#define ROW(NAME, name) #name,
    CLSM_OPERANDS(ROW)
#undef ROW
};

static const char *const masks[] = {
#define ROW(NAME, name, bytes) #name,
    CLSM_MASKS(ROW)
#undef ROW
};

size_t clsm_type_count(void)
{
    return COUNT(types);
}

size_t clsm_type_bytes(clsm_type type)
{
    return (size_t)type < COUNT(types) ? types[type].bytes : 0;
}

const char *clsm_type_name(clsm_type type)
{
    return (size_t)type < COUNT(types) ? types[type].name : "?";
}

const char *clsm_op_name(clsm_op op)
{
    return (size_t)op < COUNT(ops) ? ops[op].name : "?";
}

const char *clsm_mask_name(clsm_mask_type type)
{
    return masks[type];
}

const char *clsm_operand_name(clsm_operand operand)
{
    if (operand == CLSM_X || operand == CLSM_Y)
        return operand == CLSM_X ? "x" : "y";
    return (size_t)operand < COUNT(operands) ? operands[operand] : "?";
}

unsigned clsm_op_needs(clsm_op op)
{
    return ops[op].needs;
}

unsigned clsm_op_may(clsm_op op)
{
    return ops[op].may;
}

clsm_y clsm_problem_y(const struct problem *p)
{
    return ops[p->op].y;
}

clsm_status clsm_op_get_info(clsm_op op, clsm_op_info *info)
{
    NEED_STRUCT(info, "set it to sizeof(clsm_op_info)");
    if ((size_t)op >= COUNT(ops))
        return clsm_fail(CLSM_ERR_VALUE, "op is %d, expected 0 to %zu", (int)op,
                         COUNT(ops) - 1);
    info->y = ops[op].y;
    info->needs = ops[op].needs;
    info->may = ops[op].may;
    return CLSM_OK;
}

clsm_status clsm_type_find(const char *name, clsm_type *type)
{
    NEED(name);
    NEED(type);
    for (size_t i = 0; i < COUNT(types); i++)
        if (strcmp(name, types[i].name) == 0) {
            *type = (clsm_type)i;
            return CLSM_OK;
        }
#define ROW(NAME, name, ...) " " #name
    return clsm_fail(CLSM_ERR_VALUE, "type is \"%s\", expected one of:%s", name,
                     CLSM_TYPES(ROW));
#undef ROW
}

clsm_status clsm_op_find(const char *name, clsm_op *op)
{
    NEED(name);
    NEED(op);
    for (size_t i = 0; i < COUNT(ops); i++)
        if (strcmp(name, ops[i].name) == 0) {
            *op = (clsm_op)i;
            return CLSM_OK;
        }
#define ROW(NAME, name, ...) " " #name
    return clsm_fail(CLSM_ERR_VALUE, "operation is \"%s\", expected one of:%s", name,
                     CLSM_OPERATIONS(ROW));
#undef ROW
}
