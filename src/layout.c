/* SPDX-License-Identifier: MIT */
/* Where tensors stand: packed strides filled in, extents, and that nothing overflows.
 */
#include "layout.h"

#include "status.h"

/* a * b + c, or SIZE_MAX where that does not fit. */
static size_t mul_add(size_t a, size_t b, size_t c)
{
    if (c == SIZE_MAX || (a && b > (SIZE_MAX - c) / a))
        return SIZE_MAX;
    return a * b + c;
}

static size_t matrices(const struct problem *p)
{
    return p->queries ? p->rows / p->queries + (p->rows % p->queries != 0) : 0;
}

/* From the first to behind the last of `rows` rows of one matrix. */
static size_t rows_extent(const struct layout *l, size_t rows, size_t inner)
{
    size_t one_row = mul_add(l->cols - 1, l->col_stride, inner);
    return mul_add(rows - 1, l->row_stride, one_row);
}

size_t clsm_layout_extent(const struct layout *l, const struct problem *p)
{
    if (!p->rows || !l->cols || !p->inner)
        return 0;
    size_t count = matrices(p), last = p->rows - (count - 1) * p->queries;
    if (count == 1)
        return rows_extent(l, last, p->inner);
    size_t whole = rows_extent(l, p->queries, p->inner);
    size_t before = mul_add(count - 2, l->matrix_stride, whole);
    size_t end = mul_add(count - 1, l->matrix_stride, rows_extent(l, last, p->inner));
    return before > end ? before : end;
}

static clsm_status fill_strides(const struct problem *p, const char *name,
                                struct layout *l)
{
    if (!l->col_stride)
        l->col_stride = p->inner;
    if (l->col_stride < p->inner && l->cols > 1)
        return clsm_fail(CLSM_ERR_SHAPE,
                         "%s_col_stride is %zu, expected at least inner, %zu", name,
                         l->col_stride, p->inner);
    size_t one_row = l->cols && p->inner ? rows_extent(l, 1, p->inner) : 0;
    if (!l->row_stride)
        l->row_stride = mul_add(l->cols, l->col_stride, 0);
    if (l->row_stride < one_row && p->rows > 1)
        return clsm_fail(
            CLSM_ERR_SHAPE,
            "%s_row_stride is %zu, expected at least one row's extent, %zu", name,
            l->row_stride, one_row);
    size_t one_matrix =
        one_row && p->queries ? rows_extent(l, p->queries, p->inner) : 0;
    if (!l->matrix_stride)
        l->matrix_stride = mul_add(p->queries, l->row_stride, 0);
    if (l->matrix_stride < one_matrix && p->rows > p->queries)
        return clsm_fail(
            CLSM_ERR_SHAPE,
            "%s_matrix_stride is %zu, expected at least one matrix' extent, %zu", name,
            l->matrix_stride, one_matrix);
    return CLSM_OK;
}

static clsm_status check_layout(const struct problem *p, const char *name,
                                struct layout *l)
{
    TRY(fill_strides(p, name, l));
    if (clsm_layout_extent(l, p) > SIZE_MAX / clsm_type_bytes(l->type))
        return clsm_fail(
            CLSM_ERR_SHAPE,
            "%s: rows %zu x cols %zu x inner %zu with row stride %zu do not fit "
            "in size_t bytes",
            name, p->rows, l->cols, p->inner, l->row_stride);
    return CLSM_OK;
}

clsm_status clsm_layouts_check(struct problem *p)
{
    if (p->cols > MAX_COLS)
        return clsm_fail(CLSM_ERR_SHAPE, "cols is %zu, expected at most %zu", p->cols,
                         MAX_COLS);
    if (mul_add(p->rows, p->inner, 0) == SIZE_MAX)
        return clsm_fail(CLSM_ERR_SHAPE, "rows %zu x inner %zu overflow size_t",
                         p->rows, p->inner);
    if (p->one_matrix)
        p->queries = p->rows ? p->rows : 1;
    clsm_y y = clsm_problem_y(p);
    p->x.cols = p->dy.cols = p->cols;
    p->y.cols = y == CLSM_Y_ROW ? p->cols : y == CLSM_Y_K ? p->k : y == CLSM_Y_ONE;
    TRY(check_layout(p, "x", &p->x));
    if (y != CLSM_Y_NONE)
        TRY(check_layout(p, "y", &p->y));
    if (clsm_has(p, CLSM_DY))
        TRY(check_layout(p, "dy", &p->dy));
    if (y == CLSM_Y_K && p->y.col_stride != p->inner)
        return clsm_fail(CLSM_ERR_SHAPE,
                         "y_col_stride is %zu, expected inner, %zu, as %s packs y's "
                         "columns",
                         p->y.col_stride, p->inner, clsm_op_name(p->op));
    if (p->operands && p->rows * p->inner > SIZE_MAX / sizeof(double) / CLSM_MAX_K)
        return clsm_fail(CLSM_ERR_SHAPE,
                         "operands for rows %zu x inner %zu do not fit in size_t bytes",
                         p->rows, p->inner);
    if (clsm_has(p, CLSM_MASK) &&
        clsm_operand_extent(CLSM_MASK, p) > SIZE_MAX / sizeof(float))
        return clsm_fail(CLSM_ERR_SHAPE, "mask_stride does not fit in size_t bytes");
    p->strided = p->inner > 1 || p->x.col_stride > 1 ||
                 (y == CLSM_Y_ROW && p->y.col_stride > 1) ||
                 (clsm_has(p, CLSM_DY) && p->dy.col_stride > 1);
    return CLSM_OK;
}

/* Behind the last element of a row's mask. */
static size_t mask_end(const struct problem *p, size_t batch, size_t head, size_t query)
{
    const clsm_mask_stride *s = &p->mask_stride;
    size_t end = mul_add(batch, s->batch, 1);
    end = mul_add(head, s->head, end);
    end = mul_add(query, s->row, end);
    end = mul_add(p->cols - 1, s->col, end);
    return mul_add(p->inner - 1, s->inner, end);
}

/* The last row of all may have fewer queries or heads before it than others have: those
 * of the matrix before, or of the batch before that, may end behind it. */
static size_t mask_extent(const struct problem *p)
{
    size_t count = matrices(p), heads = p->heads;
    if (!p->cols || !p->inner || !count || !heads)
        return 0;
    size_t last = count - 1, before = last - 1;
    size_t end =
        mask_end(p, last / heads, last % heads, p->rows - last * p->queries - 1);
    size_t of_matrix =
        last ? mask_end(p, before / heads, before % heads, p->queries - 1) : 0;
    size_t of_batch = last && before >= heads
                          ? mask_end(p, before / heads - 1, heads - 1, p->queries - 1)
                          : 0;
    end = end > of_matrix ? end : of_matrix;
    return end > of_batch ? end : of_batch;
}

size_t clsm_operand_extent(clsm_operand operand, const struct problem *p)
{
    size_t count = matrices(p);
    switch (operand) {
    case CLSM_DY:
        return clsm_layout_extent(&p->dy, p);
    case CLSM_MASK:
        return mask_extent(p);
    case CLSM_SLOPES:
    case CLSM_SINKS:
        return count < p->heads ? count : p->heads;
    case CLSM_WEIGHTS:
        return p->cols;
    case CLSM_INDICES:
        return p->rows * p->inner * p->k;
    case CLSM_BAD_TARGETS:
        return 1;
    default:
        return p->rows * p->inner;
    }
}

size_t clsm_operand_bytes(clsm_operand operand, const struct problem *p)
{
    static const size_t mask[] = {
#define ROW(NAME, name, bytes) bytes,
        CLSM_MASKS(ROW)
#undef ROW
    };
    switch (operand) {
    case CLSM_DY:
        return clsm_type_bytes(p->dy.type);
    case CLSM_MASK:
        return mask[p->mask_type];
    case CLSM_TARGETS:
        return p->target_type == CLSM_TARGET_I64 ? 8 : 4;
    case CLSM_INDICES:
    case CLSM_BAD_TARGETS:
        return 4;
    default:
        return clsm_problem_real_bytes(p);
    }
}

clsm_status clsm_problem_extent(const clsm_problem *problem, clsm_operand tensor,
                                size_t *elements, size_t *element_bytes)
{
    struct problem p;
    NEED(elements);
    NEED(element_bytes);
    TRY(clsm_problem_check(problem, &p));
    if (tensor == CLSM_X || tensor == CLSM_Y) {
        const struct layout *l = tensor == CLSM_X ? &p.x : &p.y;
        *elements = clsm_layout_extent(l, &p);
        *element_bytes = clsm_type_bytes(l->type);
        return CLSM_OK;
    }
    if ((unsigned)tensor >= CLSM_OPERAND_COUNT)
        return clsm_fail(CLSM_ERR_VALUE, "tensor is %d, expected %d to %d", (int)tensor,
                         CLSM_X, CLSM_OPERAND_COUNT - 1);
    *elements = clsm_has(&p, tensor) ? clsm_operand_extent(tensor, &p) : 0;
    *element_bytes = clsm_operand_bytes(tensor, &p);
    return CLSM_OK;
}

/* Elements of the mask that differ: broadcast dimensions count once. */
static uint64_t mask_elements(const struct problem *p)
{
    const clsm_mask_stride *s = &p->mask_stride;
    uint64_t count = matrices(p);
    uint64_t batches = count / p->heads + (count % p->heads != 0);
    uint64_t heads = count < p->heads ? count : p->heads;
    uint64_t queries = p->rows < p->queries ? p->rows : p->queries;
    return (s->batch ? batches : 1) * (s->head ? heads : 1) * (s->row ? queries : 1) *
           (s->col ? p->cols : 1) * (s->inner ? p->inner : 1);
}

uint64_t clsm_problem_bytes(const struct problem *p)
{
    uint64_t softmaxes = (uint64_t)p->rows * p->inner;
    if (clsm_problem_is_empty(p))
        return 0;
    uint64_t each = (uint64_t)p->cols * clsm_type_bytes(p->x.type) +
                    (uint64_t)p->y.cols * clsm_type_bytes(p->y.type);
    uint64_t bytes = 0;
    for (unsigned o = 0; o < CLSM_OPERAND_COUNT; o++) {
        clsm_operand operand = (clsm_operand)o;
        if (!clsm_has(p, operand))
            continue;
        uint64_t elements = operand == CLSM_MASK ? mask_elements(p)
                            : operand == CLSM_DY ? softmaxes * p->cols
                                                 : clsm_operand_extent(operand, p);
        bytes += elements * clsm_operand_bytes(operand, p);
    }
    if (each && softmaxes > (UINT64_MAX - bytes) / each)
        return UINT64_MAX;
    return softmaxes * each + bytes;
}
