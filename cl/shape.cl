/* SPDX-License-Identifier: MIT */
/*
 * The shape of one enqueue, as one kernel argument. Host and kernels include this same
 * file; the host defines ulong as cl_ulong. Strides and offsets count elements.
 */
struct shape {
    ulong rows;  /* softmaxes in all: outer rows times inner */
    ulong cols;  /* elements of one softmax */
    ulong inner; /* neighbours in memory that belong to different softmaxes */
    ulong x_offset, y_offset;
    ulong x_row, y_row; /* from one outer row to the next */
    ulong x_col, y_col; /* from one element of a softmax to the next */
};
