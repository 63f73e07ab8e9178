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
 * cols elements. inner is 1 when the softmax axis is the last one. Sizes, strides and
 * offsets count elements, never bytes.
 *
 * Numbers. 16-bit data is summed in f32. If x or y is f64, all arithmetic is f64. Against a
 * double-precision reference the relative error of an f32 output in the normal range is at
 * most (8 + 2 D) * 2^-24, where D is |x - max| for softmax and |ln|y|| for log-softmax, on
 * every device, for rows up to 2^24; for f64 outputs the same with 2^-53. f16 and bf16
 * outputs are that result rounded to nearest even. See clsm_check().
 *
 * Non-finite rows. By default a row with NaN or +inf, or of nothing but -inf, becomes NaN,
 * and -inf elements elsewhere become 0 (log-softmax: -inf). See clsm_nonfinite.
 *
 * Errors. Every function that can fail returns a clsm_status; clsm_last_message() then
 * says, for the calling thread, which argument it was, its value and what was expected, or
 * gives the driver's build log. An error leaves output pointers NULL and nothing queued.
 *
 * Threads. Everything may be called from many threads at once, also on one engine and one
 * plan; only the destroy calls must be the last use of their object.
 */
#ifndef CLSOFTMAX_H
#define CLSOFTMAX_H

#include <stddef.h>
#include <stdint.h>

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
    X(ERR_OVERLAP, -2009, "x and y overlap without being the same elements")             \
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

/** The calling thread's message on its last failed call; "" before any. Never NULL. */
CLSM_API const char *clsm_last_message(void);

/** The OpenCL code behind the calling thread's last CLSM_ERR_OPENCL or CLSM_ERR_BUILD. */
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

/** Operations. Each is one file cl/op_<name>.cl and one reference. */
#define CLSM_OPERATIONS(X)                                                               \
    X(SOFTMAX, softmax)         /* y = exp(x - max) / sum(exp(x - max)) */               \
    X(LOG_SOFTMAX, log_softmax) /* y = x - max - log(sum(exp(x - max))) */

typedef enum clsm_op {
#define CLSM_OP_ENUM(NAME, name) CLSM_##NAME,
    CLSM_OPERATIONS(CLSM_OP_ENUM)
#undef CLSM_OP_ENUM
} clsm_op;

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
    /** rows may differ at each enqueue; problem.rows is only a hint (0: unknown). */
    CLSM_OPEN_ROWS = 1u << 0,
    /** cols may be anything from 0 to problem.cols at each enqueue. */
    CLSM_OPEN_COLS = 1u << 1,
    /** A row's bits do not depend on how many rows come with it. */
    CLSM_DETERMINISTIC = 1u << 2,
};

/** One problem. Fill it with clsm_problem_init(), then change what differs. */
typedef struct clsm_problem {
    size_t struct_bytes; /**< set by clsm_problem_init(); lets the struct grow */
    clsm_op op;
    clsm_type x_type;
    clsm_type y_type;         /**< may differ from x_type */
    clsm_nonfinite nonfinite; /**< CLSM_NONFINITE_DEFAULT */
    unsigned flags;           /**< CLSM_OPEN_ROWS, ...; 0 */
    size_t rows;              /**< 0 is a no-op */
    size_t cols;              /**< elements of one softmax, up to 2^31; 0 is a no-op */
    size_t inner;             /**< 1; or the product of the dimensions after the axis */
    size_t x_row_stride;      /**< 0: packed, cols * col_stride */
    size_t y_row_stride;
    size_t x_col_stride; /**< 0: packed, inner */
    size_t y_col_stride;
    /** NULL: the library chooses. Otherwise a variant, "tree", or a variant with its
     *  parameters, "tree:WG=128". The environment's CLSM_VARIANT serves when NULL. */
    const char *variant;
} clsm_problem;

/** Fill *problem for a packed (rows, cols) matrix of one type, softmax over cols. */
CLSM_API void clsm_problem_init(clsm_problem *problem, clsm_op op, clsm_type type,
                                size_t rows, size_t cols);

/** Bytes of one element; 0 for a bad type. */
CLSM_API size_t clsm_type_bytes(clsm_type type);

/** "f32", "f16", ...; "?" for a bad type. */
CLSM_API const char *clsm_type_name(clsm_type type);

/** "softmax", "log_softmax", ...; "?" for a bad operation. */
CLSM_API const char *clsm_op_name(clsm_op op);

/** Find a type or an operation by its name. CLSM_ERR_VALUE if there is none. */
CLSM_API clsm_status clsm_type_find(const char *name, clsm_type *type);
CLSM_API clsm_status clsm_op_find(const char *name, clsm_op *op);

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

/** Describe device `index`. CLSM_ERR_NO_DEVICE if there are fewer. */
CLSM_API clsm_status clsm_device_get(unsigned index, clsm_device_info *info);

/**
 * Find a device: by index ("1"), by kind ("gpu", "cpu", "accelerator"), by a part of its
 * name, vendor, platform or version ("h200", "pocl"), or, with NULL, by the environment's
 * CLSM_DEVICE and then by the highest score. Among several the highest score wins.
 */
CLSM_API clsm_status clsm_device_find(const char *selector, clsm_device_info *info);

/* ------------------------------------------------------------------------- engine -- */

/** A context and a device made ready: traits, built programs. Opaque. */
typedef struct clsm_engine clsm_engine;

/**
 * Make a device of a context ready. Asks the device about itself and, where it claims
 * subgroups, runs a tiny kernel with known results; a device that fails it is served
 * without them. That probe's queue and buffer live only during this call; the library
 * makes no others.
 *
 * @param context  retained until the engine and its plans are gone
 * @param device   one of the context's devices
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
 */
CLSM_API clsm_status clsm_plan_create(clsm_engine *engine, const clsm_problem *problem,
                                      clsm_plan **plan);

/** Release a plan after its last enqueue has been called. NULL is fine. */
CLSM_API void clsm_plan_destroy(clsm_plan *plan);

/** What a plan will do. */
typedef struct clsm_plan_info {
    size_t struct_bytes;    /**< set it to sizeof(clsm_plan_info) before the call */
    char variant[64];       /**< with parameters; clsm_problem.variant takes it back */
    char reason[192];       /**< why it was chosen, a sentence */
    uint64_t bytes;         /**< each input element read once, each output written once */
    uint64_t scratch_bytes; /**< device memory that the plan holds besides the buffers */
    double build_seconds;   /**< 0 when the program was there already */
    int from_disk;          /**< the program came from the disk cache */
} clsm_plan_info;

CLSM_API clsm_status clsm_plan_get_info(const clsm_plan *plan, clsm_plan_info *info);

/**
 * Explain a plan in a few lines of text: variant, parameters, why, what was rejected and
 * why, bytes, scratch, and the program counters of the process.
 *
 * @param text    gets at most `bytes` characters with the final 0; may be NULL
 * @param needed  gets the bytes of the whole text with the final 0; may be NULL
 */
CLSM_API clsm_status clsm_plan_explain(const clsm_plan *plan, char *text, size_t bytes,
                                       size_t *needed);

/**
 * Queue y = op(x) for the plan's problem.
 *
 * Everything is checked first: both buffers must be of the plan's context and hold
 * offset + the tensor's extent, the queue must be on its device, and y must either be x
 * itself (same buffer, offset, strides and element size) or not overlap it at all.
 *
 * @param x, y      (rows, cols, inner) elements, see the top of this header
 * @param x_offset  of the first element, in elements
 * @param n_wait    events in `wait` to finish first; 0 with NULL for none
 * @param done      gets an event to release with clReleaseEvent(); NULL to skip
 */
CLSM_API clsm_status clsm_enqueue(clsm_plan *plan, cl_command_queue queue, cl_mem x,
                                  size_t x_offset, cl_mem y, size_t y_offset,
                                  cl_uint n_wait, const cl_event *wait, cl_event *done);

/** The arguments of one enqueue. Fill it with clsm_args_init(), then set the buffers. */
typedef struct clsm_args {
    size_t struct_bytes; /**< set by clsm_args_init() */
    size_t rows;         /**< another value needs CLSM_OPEN_ROWS */
    size_t cols;         /**< another value needs CLSM_OPEN_COLS */
    size_t x_row_stride; /**< 0: packed for these cols */
    size_t y_row_stride;
    cl_mem x;
    cl_mem y;
    size_t x_offset;
    size_t y_offset;
} clsm_args;

/** Fill *args with the plan's own shape and no buffers. */
CLSM_API clsm_status clsm_args_init(const clsm_plan *plan, clsm_args *args);

/** As clsm_enqueue(), with the shape of this call in the arguments. */
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

/**
 * The operation on the host in double precision (long double inside where it is wider).
 *
 * @param x  host memory, in the problem's x layout and type
 * @param y  packed (rows, cols, inner) doubles
 */
CLSM_API clsm_status clsm_reference(const clsm_problem *problem, const void *x,
                                    double *y);

/** How far a result is from the reference. */
typedef struct clsm_report {
    size_t struct_bytes; /**< set it to sizeof(clsm_report) before the call */
    int pass;            /**< every element within the bound */
    uint64_t checked;    /**< elements compared */
    uint64_t failed;     /**< of these, outside the bound */
    double worst;        /**< largest error over its bound; at most 1 passes */
    double max_ulp;      /**< largest error in ulps of y's type, outputs in the normal
                              range of y's type only */
    double max_abs;      /**< largest absolute error */
    size_t worst_row, worst_col, worst_inner; /**< where `worst` stands */
    double expected, got;                     /**< the values there */
} clsm_report;

/**
 * Compare a result with clsm_reference() by the bound at the top of this header: f32 and
 * f64 within (8 + 2 D) units of 2^-24 or 2^-53, f16 and bf16 within one ulp of the exact
 * value. Outputs below the normal range may be off by the smallest normal number of their
 * type (f16: of f32, and one ulp). NaN and infinities must match exactly.
 *
 * @param x, y  host memory, in the problem's layouts and types
 */
CLSM_API clsm_status clsm_check(const clsm_problem *problem, const void *x,
                                const void *y, clsm_report *report);

/** Convert n elements between types, rounding to nearest even. Any pair of types. */
CLSM_API clsm_status clsm_convert(clsm_type from, const void *src, clsm_type to,
                                  void *dst, size_t n);

#ifdef __cplusplus
}
#endif

#endif
