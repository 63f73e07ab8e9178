/* SPDX-License-Identifier: MIT */
/*
 * What the training example needs of OpenCL: one device with a queue, the library's
 * engine and the example's own small kernels.
 */
#ifndef TRAIN_DEVICE_H
#define TRAIN_DEVICE_H

#include <clsoftmax.h>

#include <stdbool.h>
#include <stdnoreturn.h>

/* The kernels in kernels.c. */
#define KERNELS(X)                                                                     \
    X(matmul) X(add_bias) X(add_bias_relu) X(relu_backward) X(sum_rows) X(adam)

enum kernel {
#define KERNEL_ENUM(name) KERNEL_##name,
    KERNELS(KERNEL_ENUM)
#undef KERNEL_ENUM
        KERNEL_COUNT
};

extern const char *const kernel_sources[KERNEL_COUNT];

struct device {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernels[KERNEL_COUNT];
    clsm_engine *engine;
};

/* Both OpenCL and clsoftmax give 0 for success; anything else ends the program. */
void check(int status, const char *call);

/* End the program with a sentence. */
noreturn void fail(const char *format, ...);

/* Take the best device. False, with the reason on stderr, when there is none. */
bool device_open(struct device *d);
void device_close(struct device *d);

/* A buffer with a copy of the data, or zeros where data is NULL. */
cl_mem new_buffer(const struct device *d, size_t bytes, const void *data);

/* Wait for all that is queued and copy the buffer's first bytes. */
void read_buffer(const struct device *d, cl_mem memory, size_t bytes, void *data);

/* One kernel argument: a variable of exactly the type that the kernel takes. */
struct arg {
    size_t bytes;
    const void *value;
};
#define ARG(variable)                                                                  \
    {                                                                                  \
        sizeof(variable), &(variable)                                                  \
    }

/* Queue a kernel with n work-items. */
void launch(const struct device *d, enum kernel kernel, size_t n,
            const struct arg *args, size_t n_args);
#define LAUNCH(d, kernel, n, ...)                                                      \
    launch(d, kernel, n, (const struct arg[]){__VA_ARGS__},                            \
           sizeof((const struct arg[]){__VA_ARGS__}) / sizeof(struct arg))

#endif
