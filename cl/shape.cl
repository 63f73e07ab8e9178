/* SPDX-License-Identifier: MIT */
/*
 * What one enqueue tells a kernel besides the buffers, as one kernel argument. Host and
 * kernels include this same file; the host defines ulong as cl_ulong.
 * Strides and offsets count elements.
 *
 * Softmax number r belongs to outer row r / inner. Outer rows are (batch, head, query):
 * row o is query o % queries of matrix o / queries, and matrix m is head m % heads of
 * batch m / heads.
 */

/* Columns of which a logarithm shows nothing that rounding took, see exp_terms.cl: mappings that
 * hold as many go by that, and what chooses between them. */
#define FEW_HUNDRED 512

/* What work-groups that share rows leave for one another: a word that counts, with those of
 * settled.cl behind it, one for each part of a row, or of tile_records.cl, one for each group of
 * parts; and for every part of a launch a record of one kind and one of the other. Words of the
 * first kind are told from what stood there before, so none of the second may come in their
 * place. */
#define SHARED_RECORDS 131072
#define SHARED_COUNTS 1024
#define SIGNED_AT (4 * SHARED_COUNTS)              /* bytes; 6 signed words each at most */
#define PLAIN_AT (SIGNED_AT + 48 * SHARED_RECORDS)       /* 4 reals each at most */
#define SHARED_BYTES (PLAIN_AT + 32 * SHARED_RECORDS)

/* What a launch is for, where work-groups share rows without waiting for one another: to leave
 * each part's state, to bring a row's together, to write. */
#define STAGE_READ 0
#define STAGE_MERGE 1
#define STAGE_WRITE 2

/* Where a tensor's elements stand. */
struct place {
    ulong offset;
    ulong matrix, row, col; /* from one matrix, row, element of a softmax to the next */
};

struct shape {
    ulong rows;  /* softmaxes in all: outer rows times inner */
    ulong cols;  /* elements of one softmax */
    ulong inner; /* neighbours in memory that belong to different softmaxes */
    ulong queries, heads;
    struct place x, y, dy;
    ulong mask_batch, mask_head, mask_row, mask_col, mask_inner;
    ulong position; /* signed: query q stands at column q + position */
    ulong window;   /* columns before it, itself included, that it sees */
    ulong ignore;   /* signed: a target that says: leave this row out */
    /* numbers, as the bits of a double, or of a float in the low half */
    ulong scale, softcap, smoothing, z_loss, grad_scale;
    ulong zero;                   /* which no compiler sees through */
    ulong first_row, launch_rows; /* of this launch */
    ulong parts;     /* of a row that several work-groups share, each with a record */
    ulong stage;     /* of its launches, */
    ulong groups;    /* and the work-groups that a row has there */
    ulong epoch;     /* no two launches use the numbers from here to epoch + rows */
    /* offsets of the operands, by their names in clsoftmax.h */
    ulong at_dy, at_mask, at_temperature, at_slopes, at_sinks, at_targets, at_weights,
        at_from_max, at_from_sum, at_max, at_sum, at_lse, at_loss, at_indices,
        at_bad_targets;
};
