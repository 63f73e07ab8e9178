/* SPDX-License-Identifier: MIT */
/*
 * clsoftmax: softmax and its family in OpenCL, for C programs.
 *
 * Describe a problem once, get a plan, enqueue it as often as you like on your own queue
 * and buffers:
 *
 *     clsm_engine *engine;  clsm_plan *plan;  clsm_problem problem;
 *
 *     clsm_engine_create(context, device, &engine);
 *     clsm_problem_init(&problem, CLSM_SOFTMAX, CLSM_F32, rows, cols);
 *     clsm_plan_create(engine, &problem, &plan);            // builds or finds the kernel
 *     clsm_enqueue(plan, queue, x, 0, y, 0, 0, NULL, NULL); // light, from any thread
 *
 * Shapes. A tensor is seen as (rows, cols, inner): element (r, c, i) stands at
 * offset + r * row_stride + c * col_stride + i, and each (r, i) is one softmax over the
 * cols elements. inner is 1 when the softmax axis is the last one. Where problem.queries is
 * set, r / queries * matrix_stride + r % queries * row_stride stands for r * row_stride.
 * Sizes, strides and offsets count elements, never bytes.
 *
 * Operations. See CLSM_OPERATIONS for what there is, CLSM_OPERANDS for what else they read
 * and write, and "Logits" above clsm_problem for how masks, scales and the like come in.
 * clsm_enqueue() serves those with x and y alone, clsm_enqueue_args() all.
 *
 * Numbers. 16-bit data is summed in f32. If x, y or dy is f64, all arithmetic is f64.
 * Against a double-precision reference the relative error of an f32 output in the normal
 * range is at most (8 + 2 D) * 2^-24, where D is |x - max| for softmax and |ln|y|| for
 * log-softmax, on every device, for rows up to 2^24; for f64 outputs the same with 2^-53.
 * f16 and bf16 outputs are that result rounded to nearest even (an f64 result to f32 first),
 * so within one ulp. With u for 2^-24 or 2^-53, max is exact, sum within 8 u of itself, lse
 * within 8 u (|max| + |log(sum)|). Sums of either sign (backward, losses) have their error in
 * proportion to the sum of their terms' magnitudes, and each form of the logits adds its own
 * rounding. See clsm_check().
 *
 * Non-finite rows. By default a row with NaN or +inf, or of nothing but -inf, becomes NaN,
 * and -inf elements elsewhere become 0 (log-softmax: -inf). See clsm_nonfinite. max passes
 * over NaN; sum and lse are NaN then. A row with +inf has that as its max, and NaN as its sum
 * and lse; the operation log-sum-exp gives +inf, and so does lse under the limit policy. A row
 * of nothing but -inf has sum 0 and lse -inf.
 * The backward operations make a row NaN whose dy has NaN or an infinity.
 *
 * Errors. Every function that can fail returns a clsm_status; clsm_last_message() then
 * says, for the calling thread, which argument it was, its value and what was expected, or
 * gives the driver's build log. An error leaves output pointers NULL and nothing queued (but
 * see clsm_enqueue() on plans of several launches).
 * CLSM_ERR_NULL and CLSM_ERR_STRUCT may come from all that takes a pointer or a struct,
 * CLSM_ERR_OPENCL and CLSM_ERR_MEMORY from all that calls a driver; what else a function
 * returns stands beside it.
 *
 * Files. Programs are kept on disk, in clsoftmax of $XDG_CACHE_HOME or ~/.cache, up to 128 MiB;
 * the environment's CLSM_CACHE=off, CLSM_CACHE_DIR and CLSM_CACHE_MIB change that. Nothing else
 * is written.
 *
 * Threads. Everything may be called from many threads at once, also on one engine and one
 * plan; only the destroy calls must be the last use of their object.
 */
#ifndef CLSOFTMAX_H
#define CLSOFTMAX_H

#include <stddef.h>
#include <stdint.h>

/* A program that uses more than OpenCL 1.2 defines CL_TARGET_OPENCL_VERSION, or includes
 * CL/cl.h, before this header. */
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(_WIN32)
#define CLSM_API __attribute__((visibility("default")))
#else
#define CLSM_API
#endif

#define CLSM_VERSION "0.1.0"

/* ------------------------------------------------------------------------- status -- */

/** Every status: name, value, what it means. Values stay clear of OpenCL's own. */
#define CLSM_STATUSES(X)                                                                 \
    X(OK, 0, "success")                                                                  \
    X(ERR_NULL, -2001, "a required pointer is NULL")                                     \
    X(ERR_VALUE, -2002, "an enum, flag or name has a value that does not exist")         \
    X(ERR_STRUCT, -2003, "a struct was not filled by its init function")                 \
    X(ERR_SHAPE, -2004, "sizes, strides or offsets overflow or do not fit together")     \
    X(ERR_BUFFER, -2005, "a buffer is too small, or not a buffer")                       \
    X(ERR_CONTEXT, -2006, "queue, buffer or device belong to another context")           \
    X(ERR_DEVICE, -2007, "the queue is on another device than the plan")                 \
    X(ERR_ACCESS, -2008, "a buffer's flags forbid the access that is needed")            \
    X(ERR_OVERLAP, -2009, "tensors overlap without being the same elements")             \
    X(ERR_UNSUPPORTED, -2010, "the device cannot do this")                               \
    X(ERR_VARIANT, -2011, "the asked-for variant does not fit problem or device")        \
    X(ERR_BUILD, -2012, "no kernel could be built; the message holds the log")           \
    X(ERR_OPENCL, -2013, "an OpenCL call failed; see clsm_last_cl_error()")              \
    X(ERR_MEMORY, -2014, "out of host memory")                                           \
    X(ERR_NO_DEVICE, -2015, "no OpenCL device matches")

typedef enum clsm_status {
#define CLSM_STATUS_ENUM(name, value, text) CLSM_##name = value,
    CLSM_STATUSES(CLSM_STATUS_ENUM)
#undef CLSM_STATUS_ENUM
} clsm_status;

/** The status as it is spelled in C ("CLSM_ERR_SHAPE"), or "CLSM_UNKNOWN". Never NULL. */
CLSM_API const char *clsm_status_name(clsm_status status);

/** What a status means, in one sentence. Never NULL. */
CLSM_API const char *clsm_status_text(clsm_status status);

/** The calling thread's message on its last failed call; "" before any. A call that succeeds
 * may leave that of something it tried on the way. Never NULL. */
CLSM_API const char *clsm_last_message(void);

/** The OpenCL code behind the calling thread's last CLSM_ERR_OPENCL or CLSM_ERR_BUILD, or behind
 * something that a call since has tried on the way. */
CLSM_API cl_int clsm_last_cl_error(void);

/** The library's version, "major.minor.patch"; compare with CLSM_VERSION. */
CLSM_API const char *clsm_version(void);

/* ------------------------------------------------------------------------ problem -- */

/** Element types of a buffer: name, bytes of one element. */
#define CLSM_TYPES(X)                                                                    \
    X(F32, f32, 4)                                                                       \
    X(F16, f16, 2)   /* IEEE binary16 */                                                 \
    X(BF16, bf16, 2) /* the upper half of an f32 */                                      \
    X(F64, f64, 8)   /* only where the device has cl_khr_fp64 */

typedef enum clsm_type {
#define CLSM_TYPE_ENUM(NAME, name, bytes) CLSM_##NAME,
    CLSM_TYPES(CLSM_TYPE_ENUM)
#undef CLSM_TYPE_ENUM
} clsm_type;

/** What else an operation reads or writes besides x and y: name, elements and type. A
 *  "real" is f64 where x, y or dy is f64, and f32 otherwise. One per softmax: packed, number
 *  row * inner + i. Their buffers go to clsm_args.operand. */
#define CLSM_OPERANDS(X)                                                                 \
    X(DY, dy)                   /* in: as x, of dy_type and with strides of its own */   \
    X(MASK, mask)               /* in: mask_type, see clsm_problem.mask_stride */        \
    X(TEMPERATURE, temperature) /* in: real, one per softmax: 0, or 2^-126 to 2^126 */   \
    X(SLOPES, slopes)           /* in: real, one per head */                             \
    X(SINKS, sinks)             /* in: real, one per head */                             \
    X(TARGETS, targets)         /* in: target_type, one per softmax */                   \
    X(WEIGHTS, weights)         /* in: real, one per column */                           \
    X(FROM_MAX, from_max)       /* in: real, one per softmax */                          \
    X(FROM_SUM, from_sum)       /* in: real, one per softmax */                          \
    X(MAX, max)                 /* out: real, one per softmax: its largest logit */      \
    X(SUM, sum)                 /* out: real, one per softmax: of exp(x - max) */        \
    X(LSE, lse)                 /* out: real, one per softmax: max + log(sum) */         \
    X(LOSS, loss)               /* out: real, one per softmax */                         \
    X(INDICES, indices)         /* out: i32, (rows, k, inner), packed */                 \
    X(BAD_TARGETS, bad_targets) /* in and out: one u32, counted up */

typedef enum clsm_operand {
    CLSM_X = -2, /* where a function takes any tensor */
    CLSM_Y = -1,
#define CLSM_OPERAND_ENUM(NAME, name) CLSM_##NAME,
    CLSM_OPERANDS(CLSM_OPERAND_ENUM)
#undef CLSM_OPERAND_ENUM
        CLSM_OPERAND_COUNT
} clsm_operand;

/** Places for operands in a struct that goes on behind them, with room for more. */
enum { CLSM_OPERAND_ROOM = 24 };

/** An operand as a bit of clsm_problem.operands. */
#define CLSM_BIT(operand) (1u << (operand))

/** Statistics that a forward pass can write beside y. */
#define CLSM_STATISTICS_BITS (CLSM_BIT(CLSM_MAX) | CLSM_BIT(CLSM_SUM) | CLSM_BIT(CLSM_LSE))
/** Operands that are written; all others are read. */
#define CLSM_WRITTEN_BITS                                                                \
    (CLSM_STATISTICS_BITS | CLSM_BIT(CLSM_LOSS) | CLSM_BIT(CLSM_INDICES) |               \
     CLSM_BIT(CLSM_BAD_TARGETS))
/** The max and sum that finishing operations go on from. */
#define CLSM_FROM_BITS (CLSM_BIT(CLSM_FROM_MAX) | CLSM_BIT(CLSM_FROM_SUM))
/** What makes logits of x, see "forms" in clsm_problem. An operation that takes one of
 *  these operands takes all forms of the problem that need no operand as well. */
#define CLSM_FORM_BITS (CLSM_BIT(CLSM_MASK) | CLSM_BIT(CLSM_SLOPES))
#define CLSM_FORWARD_BITS                                                                \
    (CLSM_FORM_BITS | CLSM_BIT(CLSM_TEMPERATURE) | CLSM_BIT(CLSM_SINKS) |                \
     CLSM_STATISTICS_BITS)
#define CLSM_LOSS_BITS                                                                   \
    (CLSM_BIT(CLSM_WEIGHTS) | CLSM_BIT(CLSM_BAD_TARGETS) | CLSM_STATISTICS_BITS |        \
     CLSM_ONLY_DEFAULT)

/** Operations with one non-finite policy only, as bits of their row: log_sum_exp is always
 *  the limit, and cross-entropy always the default. */
#define CLSM_ONLY_LIMIT (1u << 31)
#define CLSM_ONLY_DEFAULT (1u << 30)
/** Operations whose result is a logarithm of the row's sum, as a bit of their row. */
#define CLSM_LOGARITHM (1u << 29)

/** What stands in y: as many columns as x, one, problem.k, or no y at all. */
typedef enum clsm_y { CLSM_Y_ROW, CLSM_Y_ONE, CLSM_Y_K, CLSM_Y_NONE } clsm_y;

/** Operations: name; what y is; the operands it needs; those it may have besides. Each is
 *  one file cl/op_<name>.cl and one reference.
 *
 *  softmax               y = exp(x - max) / sum(exp(x - max))
 *  log_softmax           y = x - max - log(sum(exp(x - max)))
 *  deferred_softmax      y = exp(x - max), and the sum, to be divided by later
 *  log_sum_exp           y = max + log(sum(exp(x - max)))
 *  statistics            max and sum, of a whole row or of a slice of its columns
 *  merge_statistics      from the max (x) and sum (dy) of each slice those of the row; the
 *                        slices are the columns
 *  finish_softmax        softmax of x with max and sum given
 *  finish_log_softmax    log_softmax of x with max and sum given
 *  softmax_backward      x is softmax's y: y = grad_scale x (dy - sum(dy x))
 *  log_softmax_backward  x is log_softmax's y: y = grad_scale (dy - exp(x) sum(dy))
 *  cross_entropy         y = the gradient of the loss, grad_scale dloss/dx; see below
 *  cross_entropy_loss    y = the loss
 *  topk                  y = the k largest of softmax(x), largest first, and their columns in
 *                        `indices`; of equal ones the lower column first. argmax is k = 1.
 *                        NaN sorts as +inf; -inf is not listed; places left free at the
 *                        end get column -1 and 0, or NaN in rows that become NaN
 *
 *  The loss of a row, with w the weights (1 without), t its target, e the label smoothing
 *  and z the z-loss: (1 - e) w[t] (lse - x[t]) + e / cols sum_c(w[c] (lse - x[c])) + z lse^2.
 *  A row whose target is ignore_index has loss and gradient 0. One whose target is outside
 *  [0, cols) has loss NaN and gradient 0, and is counted in bad_targets. Losses are one per
 *  row, and gradients those of their sum: for the mean's, grad_scale is 1 over the number of
 *  rows that are not ignored, or over the sum of their w[t]. It does not scale the loss. */
#define CLSM_OPERATIONS(X)                                                               \
    X(SOFTMAX, softmax, Y_ROW, 0, CLSM_FORWARD_BITS)                                     \
    X(LOG_SOFTMAX, log_softmax, Y_ROW, 0, CLSM_FORWARD_BITS | CLSM_LOGARITHM)            \
    X(DEFERRED_SOFTMAX, deferred_softmax, Y_ROW, CLSM_BIT(CLSM_SUM), CLSM_FORWARD_BITS)  \
    X(LOG_SUM_EXP, log_sum_exp, Y_ONE, 0,                                                \
      CLSM_FORWARD_BITS | CLSM_ONLY_LIMIT | CLSM_LOGARITHM)                              \
    X(STATISTICS, statistics, Y_NONE, CLSM_BIT(CLSM_MAX) | CLSM_BIT(CLSM_SUM),           \
      CLSM_FORM_BITS | CLSM_BIT(CLSM_SINKS) | CLSM_BIT(CLSM_LSE))                        \
    X(MERGE_STATISTICS, merge_statistics, Y_NONE,                                        \
      CLSM_BIT(CLSM_DY) | CLSM_BIT(CLSM_MAX) | CLSM_BIT(CLSM_SUM), CLSM_BIT(CLSM_LSE))   \
    X(FINISH_SOFTMAX, finish_softmax, Y_ROW, CLSM_FROM_BITS, CLSM_FORM_BITS)             \
    X(FINISH_LOG_SOFTMAX, finish_log_softmax, Y_ROW, CLSM_FROM_BITS, CLSM_FORM_BITS)     \
    X(SOFTMAX_BACKWARD, softmax_backward, Y_ROW, CLSM_BIT(CLSM_DY), 0)                   \
    X(LOG_SOFTMAX_BACKWARD, log_softmax_backward, Y_ROW, CLSM_BIT(CLSM_DY), 0)           \
    X(CROSS_ENTROPY, cross_entropy, Y_ROW,                                               \
      CLSM_BIT(CLSM_TARGETS) | CLSM_BIT(CLSM_LOSS), CLSM_LOSS_BITS | CLSM_LOGARITHM)     \
    X(CROSS_ENTROPY_LOSS, cross_entropy_loss, Y_ONE, CLSM_BIT(CLSM_TARGETS),             \
      CLSM_LOSS_BITS | CLSM_LOGARITHM)                                                   \
    X(TOPK, topk, Y_K, CLSM_BIT(CLSM_INDICES), CLSM_FORWARD_BITS)

typedef enum clsm_op {
#define CLSM_OP_ENUM(NAME, ...) CLSM_##NAME,
    CLSM_OPERATIONS(CLSM_OP_ENUM)
#undef CLSM_OP_ENUM
        CLSM_OP_COUNT
} clsm_op;

/** Types of a mask: name, bytes. f32 and f16 are added; in bool, 0 leaves an element out. */
#define CLSM_MASKS(X)                                                                    \
    X(NONE, none, 0)                                                                     \
    X(F32, f32, 4)                                                                       \
    X(F16, f16, 2)                                                                       \
    X(BOOL, u8, 1)

typedef enum clsm_mask_type {
#define CLSM_MASK_ENUM(NAME, name, bytes) CLSM_MASK_##NAME,
    CLSM_MASKS(CLSM_MASK_ENUM)
#undef CLSM_MASK_ENUM
} clsm_mask_type;

/** Types of targets. */
typedef enum clsm_target_type { CLSM_TARGET_I32, CLSM_TARGET_I64 } clsm_target_type;

/** From one batch, head, query, column, inner element to the next, in elements of the
 *  mask; 0 broadcasts. */
typedef struct clsm_mask_stride {
    size_t batch, head, row, col, inner;
} clsm_mask_stride;

/** What non-finite rows become; the same on every device and variant. */
typedef enum clsm_nonfinite {
    /** As PyTorch, NumPy and SciPy: NaN, +inf or nothing but -inf make the row NaN. */
    CLSM_NONFINITE_DEFAULT,
    /** The limit: a row of nothing but -inf becomes 0 (log: -inf), k elements of +inf
     *  share the mass, 1/k each (log: -log k), and NaN still makes the row NaN. */
    CLSM_NONFINITE_LIMIT,
} clsm_nonfinite;

/** Flags of a problem, to be or'ed. */
enum {
    /** rows may differ at each enqueue; problem.rows is only a hint (0: unknown) of a shape
     *  that would be allowed, and what clsm_enqueue() takes: with 0 it has nothing to do. */
    CLSM_OPEN_ROWS = 1u << 0,
    /** cols may be anything from 0 to problem.cols at each enqueue. */
    CLSM_OPEN_COLS = 1u << 1,
    /** A row's bits do not depend on how many rows come with it, nor on its address. Slower
     *  where rows do not start at multiples of 16 bytes. */
    CLSM_DETERMINISTIC = 1u << 2,
    /** Query q sees columns up to p = q + causal_offset; those beyond may hold anything. */
    CLSM_CAUSAL = 1u << 3,
    /** y is read soon: it stays in the caches, as far as they reach, however large it is.
     *  Without it large results are written past a CPU's, and leave an NVIDIA GPU's before
     *  x does, which is faster. */
    CLSM_READ_SOON = 1u << 4,
};

/**
 * Logits. An operation that may have a mask and slopes (CLSM_FORM_BITS) makes these of x
 * first and then works on them as if they were x. Softmax (r, i) belongs to query q of head
 * h of batch b, see `queries`, which stands at column p = q + causal_offset. For column c,
 * in this order, each step rounded to the type that is computed in:
 *
 *     v = x[r, c, i]
 *     v = v * scale / temperature     the field's, or, with the operand TEMPERATURE, that
 *                                     of softmax (r, i)
 *     v = softcap * tanh(v / softcap)                     unless softcap is 0
 *     v = v + slopes[h] * (c - p)                         operand SLOPES, ALiBi
 *     v = v + mask[b, h, q, c, i]                         mask_type f32 or f16
 *     v = -inf  where the mask is 0                       mask_type bool
 *               where c > p                               flag CLSM_CAUSAL
 *               where |c - p| >= window                   unless window is 0
 *
 * The last step leaves out NaN and infinities, too. Offsets beyond 2^61 count as 2^61.
 *
 * With the operand SINKS, sinks[h] is one more logit of each row: it takes part in max and
 * sum, has no y, and none of the steps above. Temperature 0 leaves out the division; then
 * all mass is on the first of the largest logits: y is 1 there and 0 elsewhere, sum is 1,
 * and a sink takes no part.
 *
 * A step that overflows makes an infinity; the row is then as clsm_nonfinite says. Operands'
 * values are not checked: a temperature outside its range is no error, and nothing is promised.
 */

/** One problem. Fill it with clsm_problem_init(), then change what differs. A field that
 *  the operation has no use for must stay as it was filled, or plans are refused
 *  (CLSM_ERR_VALUE). Ignored are strides and types of tensors that it does not have (but a
 *  type has to be one), heads where there is no MASK, SLOPES or SINKS (though 0 is refused),
 *  and nonfinite in both backward operations. */
typedef struct clsm_problem {
    size_t struct_bytes; /**< set by clsm_problem_init(): programs that were compiled
                              with an older, shorter struct go on working */
    clsm_op op;
    clsm_type x_type;
    clsm_type y_type;         /**< may differ from x_type */
    clsm_nonfinite nonfinite; /**< CLSM_NONFINITE_DEFAULT */
    unsigned flags;           /**< CLSM_OPEN_ROWS, ...; 0 */
    size_t rows;              /**< 0 is a no-op */
    size_t cols;              /**< elements of one softmax, up to 2^31; with 0 only
                                   row results are written */
    size_t inner;             /**< 1; or the product of the dimensions after the axis */
    size_t x_row_stride;      /**< 0: packed, cols * col_stride */
    size_t y_row_stride;
    size_t x_col_stride; /**< 0: packed, inner */
    size_t y_col_stride; /**< in top-k always packed */
    /** NULL: the library chooses. Otherwise a variant, "tree", or a variant with its
     *  parameters, "tree:WG=128". The environment's CLSM_VARIANT serves when NULL. */
    const char *variant;

    unsigned operands; /**< CLSM_BIT()s beyond those the operation needs; 0 */

    /* Rows as (batch, head, query): outer row o is query o % queries of matrix o / queries;
     * matrix m is head m % heads of batch m / heads. */
    size_t queries;         /**< 0: all rows are one matrix */
    size_t heads;           /**< 1 */
    size_t x_matrix_stride; /**< 0: packed, queries * row_stride */
    size_t y_matrix_stride;

    clsm_type dy_type; /**< of the second input */
    size_t dy_matrix_stride, dy_row_stride, dy_col_stride; /**< 0: packed */

    /* Forms, for operations with logits; see above. */
    double scale;         /**< 1; over the temperature it must be normal: finite, not 0 */
    double temperature;   /**< 1; 0 or more. Statistics and finishing take no 0. 1 with
                               the operand TEMPERATURE */
    double softcap;       /**< 0: none; else 2^-126 to 2^100 (f64: 2^-1022 to 2^1000) */
    clsm_mask_type mask_type;     /**< CLSM_MASK_NONE; any other makes MASK an operand */
    clsm_mask_stride mask_stride; /**< all 0 but col, 1 */
    ptrdiff_t causal_offset; /**< 0; for CLSM_CAUSAL, window and SLOPES, else refused */
    size_t window;           /**< 0: none; else columns on either side of p, p included */

    size_t k; /**< 1; topk's, up to CLSM_MAX_K */

    /* Losses. */
    clsm_target_type target_type; /**< CLSM_TARGET_I32 */
    int64_t ignore_index;         /**< -100 */
    double label_smoothing;       /**< 0; up to 1 */
    double z_loss;                /**< 0; not negative */

    double grad_scale; /**< 1; each gradient is multiplied by it */
} clsm_problem;

enum { CLSM_MAX_K = 128 };

/** Fill *problem for a packed (rows, cols) matrix of one type, softmax over cols. Nothing
 *  is checked before a plan is made. A macro, so that the struct's size is that of the
 *  header a program was compiled with. */
#define clsm_problem_init(problem, op, type, rows, cols)                                 \
    clsm_problem_init_sized(problem, sizeof(clsm_problem), op, type, rows, cols)
CLSM_API void clsm_problem_init_sized(clsm_problem *problem, size_t struct_bytes,
                                      clsm_op op, clsm_type type, size_t rows,
                                      size_t cols);

/** Bytes of one element; 0 for a bad type. */
CLSM_API size_t clsm_type_bytes(clsm_type type);

/** "f32", "f16", ...; "?" for a bad type. */
CLSM_API const char *clsm_type_name(clsm_type type);

/** "softmax", "log_softmax", ...; "?" for a bad operation. */
CLSM_API const char *clsm_op_name(clsm_op op);

/** "x", "y", "dy", "mask", ...; "?" for a bad operand. */
CLSM_API const char *clsm_operand_name(clsm_operand operand);

/** What an operation takes and gives. CLSM_ERR_VALUE for a bad operation. */
typedef struct clsm_op_info {
    size_t struct_bytes; /**< set it to sizeof(clsm_op_info) before the call */
    clsm_y y;
    unsigned needs; /**< CLSM_BIT()s */
    unsigned may;   /**< the same, and CLSM_ONLY_DEFAULT, CLSM_ONLY_LIMIT, CLSM_LOGARITHM */
} clsm_op_info;

CLSM_API clsm_status clsm_op_get_info(clsm_op op, clsm_op_info *info);

/** Find a type or an operation by its name. CLSM_ERR_VALUE if there is none. */
CLSM_API clsm_status clsm_type_find(const char *name, clsm_type *type);
CLSM_API clsm_status clsm_op_find(const char *name, clsm_op *op);

/**
 * How large a tensor's buffer must be for a problem: its elements, from the first to behind
 * the last, and the bytes of one. 0 elements where the problem has no such tensor.
 * CLSM_ERR_VALUE, CLSM_ERR_SHAPE for a problem that no plan would take.
 *
 * @param tensor  an operand, CLSM_X or CLSM_Y
 */
CLSM_API clsm_status clsm_problem_extent(const clsm_problem *problem, clsm_operand tensor,
                                         size_t *elements, size_t *element_bytes);

/* ------------------------------------------------------------------------ devices -- */

/** One OpenCL device, as clsm_device_get() finds it. */
typedef struct clsm_device_info {
    size_t struct_bytes; /**< set it to sizeof(clsm_device_info) before the call */
    unsigned index;
    cl_platform_id platform;
    cl_device_id device;
    cl_device_type type;
    char name[128];
    char vendor[128];
    char platform_name[128];
    char driver[128];
    char version[128];   /**< CL_DEVICE_VERSION */
    char c_version[128]; /**< the newest OpenCL C it takes */
    unsigned compute_units;
    size_t max_work_group;
    uint64_t local_bytes;
    uint64_t global_bytes;
    int has_fp16; /**< cl_khr_fp16; the library needs none for f16 data */
    int has_fp64;
    char subgroups[64];     /**< how subgroups are reached, or "none" */
    size_t subgroup_sizes[8]; /**< 0-terminated; empty when the device does not tell */
    double score;           /**< the highest is picked by default; 0: unusable */
    char reason[160];       /**< why that score, in words */
} clsm_device_info;

/** How many devices the loader finds on all platforms; 0 is no error. */
CLSM_API clsm_status clsm_device_count(unsigned *count);

/** Describe device `index`. CLSM_ERR_NO_DEVICE if there are fewer; CLSM_ERR_VALUE for an
 * environment that asks for what there is not. */
CLSM_API clsm_status clsm_device_get(unsigned index, clsm_device_info *info);

/**
 * Find a device: by index ("1"), by kind ("gpu", "cpu", "accelerator"), by a part of its
 * name, vendor, platform or version ("h200", "pocl"), or, with NULL, by the environment's
 * CLSM_DEVICE and then by the highest score. Among several the highest score wins.
 * CLSM_ERR_NO_DEVICE if none matches that can be used; CLSM_ERR_VALUE as above.
 */
CLSM_API clsm_status clsm_device_find(const char *selector, clsm_device_info *info);

/* ------------------------------------------------------------------------- engine -- */

/** A context and a device made ready: traits, built programs. Opaque. */
typedef struct clsm_engine clsm_engine;

/**
 * Make a device of a context ready. Asks the device about itself and, where it claims
 * subgroups, runs a tiny kernel with known results; a device that fails it is served
 * without them. That probe's queue and buffer live only during this call; the library makes
 * no other queue, and no other buffer but the one of info.scratch_bytes.
 *
 * @param context  retained until the engine and its plans are gone
 * @param device   one of the context's devices, or CLSM_ERR_CONTEXT
 *
 * CLSM_ERR_VALUE: what the environment's CLSM_SUBGROUPS says is none of its values.
 */
CLSM_API clsm_status clsm_engine_create(cl_context context, cl_device_id device,
                                        clsm_engine **engine);

/** Release an engine; its plans stay usable. NULL is fine. */
CLSM_API void clsm_engine_destroy(clsm_engine *engine);

/* --------------------------------------------------------------------------- plan -- */

/** A problem with its chosen, built kernel. Opaque. */
typedef struct clsm_plan clsm_plan;

/**
 * Choose the variant that is fastest for this problem on this device and build it, or
 * find it built. Heavy: do it once. Variants that do not build there are passed over.
 * The problem and its strings may go afterwards.
 *
 * CLSM_ERR_VALUE, CLSM_ERR_SHAPE: the problem; CLSM_ERR_UNSUPPORTED: f64 on a device without
 * it, or no variant serves; CLSM_ERR_VARIANT: the one that was asked for, by the problem or
 * by CLSM_VARIANT, does not exist or does not fit; CLSM_ERR_BUILD: none could be built.
 */
CLSM_API clsm_status clsm_plan_create(clsm_engine *engine, const clsm_problem *problem,
                                      clsm_plan **plan);

/** Release a plan. What it has queued may still be running, and will finish. NULL is fine. */
CLSM_API void clsm_plan_destroy(clsm_plan *plan);

/** What a plan will do. A program compiled with an older, shorter struct goes on working. */
typedef struct clsm_plan_info {
    size_t struct_bytes;    /**< set it to sizeof(clsm_plan_info) before the call */
    char variant[64];       /**< with parameters; clsm_problem.variant takes it back */
    char reason[192];       /**< why it was chosen, a sentence */
    uint64_t bytes;         /**< each input element read once, each output written once */
    uint64_t scratch_bytes; /**< device memory used besides the buffers: one piece for all
                                 plans of a context and device that need any */
    double build_seconds;   /**< 0 when the program was there already */
    int from_disk;          /**< the program came from the disk cache */
    /** What the compiler says that a work-item takes. NVIDIA's says so of programs that
     *  were built from source; 0 where it is not known. */
    unsigned registers;
    uint64_t spill_bytes;   /**< that it keeps in memory instead: stack frame, spill stores
                                 and spill loads together */
    unsigned launches;      /**< kernels that one enqueue of the plan's shape queues */
} clsm_plan_info;

CLSM_API clsm_status clsm_plan_get_info(const clsm_plan *plan, clsm_plan_info *info);

/**
 * Explain a plan in a few lines of text: variant, parameters, why, what was rejected and
 * why, the estimates, bytes, scratch, and the program counters of the process.
 *
 * @param text    gets at most `bytes` characters with the final 0; may be NULL
 * @param needed  gets the bytes of the whole text with the final 0; may be NULL
 */
CLSM_API clsm_status clsm_plan_explain(const clsm_plan *plan, char *text, size_t bytes,
                                       size_t *needed);

/**
 * Queue y = op(x) for the plan's problem.
 *
 * Everything is checked first: all buffers must be of the plan's context and hold
 * offset + the tensor's extent, the queue must be on its device, and y must either be x
 * itself (same buffer, offset, strides and element size; not in top-k) or not overlap it at
 * all. In the backward operations y may also be dy. No other tensors may overlap one that is
 * written.
 *
 * The queue may be out of order: launches of one enqueue wait for each other, but between
 * enqueues events are the caller's. Nothing is flushed, but a queue that another one waits for.
 *
 * Plans whose work-groups share rows (info.scratch_bytes is not 0) use one piece of memory of
 * the context and device: their enqueues run one after another, by whatever engines and
 * queues, in the order of the calls. So one that waits for an event of the caller's holds up
 * those after it, and may take them along if that fails. Other commands hold up nobody, but
 * that on a GPU the first launch on a second queue waits for all that the first queue holds by
 * then. Where an enqueue takes several launches, an error of a later one leaves the earlier
 * ones queued. The latest launch's queue stays retained until a later one has another, or,
 * with the context, until after the last engine a call finds it ended. Other processes take
 * turns with them, unless a device runs several at a time (NVIDIA's MPS): work-groups that
 * wait for others could then each have a part of it. Variants but `joined`, `ahead`, `settled`
 * and `strided_ahead` never wait.
 *
 * CLSM_ERR_BUFFER, CLSM_ERR_CONTEXT, CLSM_ERR_DEVICE, CLSM_ERR_ACCESS, CLSM_ERR_OVERLAP: as
 * above and in CLSM_STATUSES; CLSM_ERR_NULL: a buffer is missing, an operand's, too;
 * CLSM_ERR_VALUE: `wait` without n_wait. Empty problems need no buffers.
 *
 * @param x         (rows, cols, inner) elements, see the top of this header
 * @param y         (rows, cols, inner), (rows, inner) or (rows, k, inner), see clsm_y;
 *                  ignored where the operation has no y
 * @param x_offset  of the first element, in elements; y_offset likewise
 * @param n_wait    events in `wait` to finish first; 0 with NULL for none
 * @param done      gets an event to release with clReleaseEvent(); NULL to skip. It is the last
 *                  launch's: where there are several (info.launches), its profile tells the
 *                  time of that one alone
 */
CLSM_API clsm_status clsm_enqueue(clsm_plan *plan, cl_command_queue queue, cl_mem x,
                                  size_t x_offset, cl_mem y, size_t y_offset,
                                  cl_uint n_wait, const cl_event *wait, cl_event *done);

/** A buffer and where in it a tensor begins, in elements. */
typedef struct clsm_buffer {
    cl_mem memory;
    size_t offset;
} clsm_buffer;

/** The arguments of one enqueue. Fill it with clsm_args_init(), then set the buffers.
 *  Fields that the plan's problem has no use for are ignored, but grad_scale has to be finite;
 *  a buffer for an operand that it does not have is CLSM_ERR_VALUE. */
typedef struct clsm_args {
    size_t struct_bytes; /**< set by clsm_args_init() */
    size_t rows;         /**< another value needs CLSM_OPEN_ROWS */
    size_t cols;         /**< another value needs CLSM_OPEN_COLS; all below is free */
    size_t x_row_stride; /**< 0: packed for these cols */
    size_t y_row_stride;
    cl_mem x;
    cl_mem y; /**< ignored where the operation has no y */
    size_t x_offset;
    size_t y_offset;

    clsm_buffer operand[CLSM_OPERAND_ROOM]; /**< args.operand[CLSM_LSE], ... */
    size_t x_matrix_stride, y_matrix_stride; /**< 0: packed for these rows and cols */
    size_t dy_row_stride, dy_matrix_stride;
    clsm_mask_stride mask_stride;
    ptrdiff_t causal_offset;
    double grad_scale;
} clsm_args;

/** Fill *args with the plan's own shape and no buffers. A macro for its size, as above. */
#define clsm_args_init(plan, args) clsm_args_init_sized(plan, args, sizeof(clsm_args))
CLSM_API clsm_status clsm_args_init_sized(const clsm_plan *plan, clsm_args *args,
                                          size_t struct_bytes);

/** As clsm_enqueue(), with the shape and the operands of this call in the arguments.
 *  CLSM_ERR_SHAPE: rows or cols that the plan does not leave open, strides that do not fit;
 *  CLSM_ERR_VALUE: grad_scale is not finite. */
CLSM_API clsm_status clsm_enqueue_args(clsm_plan *plan, cl_command_queue queue,
                                       const clsm_args *args, cl_uint n_wait,
                                       const cl_event *wait, cl_event *done);

/* ----------------------------------------------------------------------- variants -- */

/** The i-th variant of the table; NULL past the end. */
CLSM_API const char *clsm_variant_name(unsigned i);

/** The i-th variant with parameters, "tree:WG=128"; NULL past the end. Valid until the
 *  calling thread asks again. */
CLSM_API const char *clsm_config_name(unsigned i);

/** What this process has done so far. */
typedef struct clsm_counters {
    size_t struct_bytes;    /**< set it to sizeof(clsm_counters) before the call */
    uint64_t programs;      /**< programs made, built from source or loaded */
    uint64_t builds;        /**< of these, built from source */
    uint64_t disk_hits;     /**< of these, loaded from the disk cache */
    uint64_t disk_misses;   /**< looked for in the disk cache and not found or not fit */
} clsm_counters;

CLSM_API clsm_status clsm_get_counters(clsm_counters *counters);

/* ---------------------------------------------------------------------- reference -- */

/** The tensors of one call in host memory, each in the problem's layout and type. */
typedef struct clsm_host_args {
    size_t struct_bytes; /**< set it to sizeof(clsm_host_args), and all else to 0 */
    const void *x;
    void *y;
    void *operand[CLSM_OPERAND_COUNT];
} clsm_host_args;

/**
 * The operation on the host in double precision (long double inside where it is wider).
 *
 * Errors are those of clsm_problem_extent().
 *
 * @param x  host memory, in the problem's x layout and type
 * @param y  packed (rows, y's columns, inner) doubles
 */
CLSM_API clsm_status clsm_reference(const clsm_problem *problem, const void *x,
                                    double *y);

/**
 * The same for an operation with operands.
 *
 * @param in   x and the operands that are read
 * @param out  y and the operands that are written, of those that are not NULL; all of them
 *             packed doubles, indices and bad_targets too
 */
CLSM_API clsm_status clsm_reference_args(const clsm_problem *problem,
                                         const clsm_host_args *in,
                                         const clsm_host_args *out);

/** How far a result is from the reference. */
typedef struct clsm_report {
    size_t struct_bytes; /**< set it to sizeof(clsm_report) before the call */
    int pass;            /**< every element within the bound */
    uint64_t checked;    /**< elements compared */
    uint64_t failed;     /**< of these, outside the bound */
    double worst;        /**< largest error over its bound; at most 1 passes */
    double max_ulp;      /**< y's largest error in ulps of its type, outputs in the normal
                              range of that type only */
    double max_abs;      /**< largest absolute error of y and what else was compared */
    size_t worst_row, worst_col, worst_inner; /**< where `worst` stands */
    double expected, got;                     /**< the values there */
    clsm_operand worst_operand; /**< in which tensor; CLSM_Y mostly */
} clsm_report;

/**
 * Compare a result with clsm_reference() by the bound at the top of this header: f32 and
 * f64 within (8 + 2 D) units of 2^-24 or 2^-53, f16 and bf16 within one ulp of the exact
 * value. Outputs below the normal range may be off by the smallest normal number of their
 * type (f16: of f32, and one ulp). NaN and infinities must match exactly.
 *
 * @param x  host memory, in the problem's layout and type
 * @param y  host memory likewise
 */
CLSM_API clsm_status clsm_check(const clsm_problem *problem, const void *x,
                                const void *y, clsm_report *report);

/**
 * The same for an operation with operands: y and every operand that is written and not
 * NULL is compared. An index may be another column's only where the rounding of their logits
 * could have made the two equal. bad_targets must hold the count alone.
 */
CLSM_API clsm_status clsm_check_args(const clsm_problem *problem,
                                     const clsm_host_args *args, clsm_report *report);

/** Convert n elements between types, rounding to nearest even. Any pair of types; src and
 *  dst may overlap only if it is one type. CLSM_ERR_VALUE for a bad type. */
CLSM_API clsm_status clsm_convert(clsm_type from, const void *src, clsm_type to,
                                  void *dst, size_t n);

#ifdef __cplusplus
}
#endif

#endif
