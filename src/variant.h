/* SPDX-License-Identifier: MIT */
/* The table of cl/variants.def as data, and whether a row fits a problem on a device.
 */
#ifndef CLSM_VARIANT_H
#define CLSM_VARIANT_H

#include "problem.h"
#include "traits.h"

enum geometry {
    ROW_PER_ITEM,     /* a work-item takes a row */
    ROWS_PER_ITEM,    /* a work-item takes neighbouring rows, a work-group TILE of them */
    ROW_PER_LANES,    /* a subgroup takes a row */
    ROW_PER_CLUSTER,  /* CLUSTER lanes of a subgroup take a row */
    ROW_PER_GROUP,    /* a work-group takes a row, or TILE rows */
    ROWS_PER_GROUP,   /* a work-group takes a block of rows, CLUSTER work-items each */
    ROW_PER_GROUPS,   /* several work-groups take a row, or TILE rows */
    ROW_RUN_PER_ITEM, /* a work-group of one work-item takes a run of rows */
};

enum { MOST_PARTS = 1024 };

/* A compute unit of a GPU: work-items at most, at a time, and registers. */
enum { UNIT_ITEMS = 2048, UNIT_REGISTERS = 65536, REGISTER_STEP = 8 };
/* Words that a work-group may hold: half of them. */
enum { GROUP_WORDS = UNIT_REGISTERS / 2 };
enum { MAX_PARAMS = 2, MAX_VALUES = 8 };
enum {
    PACK_BYTES = 16,
    LINE_BYTES = 128,
    MAX_HELD_WORDS = 64, /* of a work-item, in registers; */
    KEPT_WORDS = 32      /* of these, where local memory takes the rest */
};

/* What a configuration has a value of; macros of its kernels. */
#define PARAMETERS(X) X(WG) X(TILE) X(CLUSTER) X(BLOCK) X(PACKS) X(HOLD) X(VEC)
enum parameter {
    PARAM_NONE,
#define PARAMETER(name) PARAM_##name,
    PARAMETERS(PARAMETER)
#undef PARAMETER
};

struct variant {
    const char *name;
    enum geometry geometry;
    struct {
        size_t min, max;
    } cols;               /* the row lengths it gets right */
    bool exact_cols;      /* its programs are for one row length */
    bool any_axis;        /* takes elements that are not neighbours */
    unsigned needs;       /* traits, as bits */
    bool lanes;           /* exchanges values between lanes where the device can */
    bool packs;           /* holds the row in registers, in packs of 16 bytes of x */
    bool candidates;      /* chooses a row's largest among what reaches a threshold */
    bool ahead;           /* has the next part's packs in local memory */
    bool settled;         /* a work-group has the same part of every row */
    bool whole_packs;     /* takes several rows at once, which fill 16 bytes of x */
    bool one_state;       /* brings nothing together but a maximum, a sum, candidates */
    bool pipelined;       /* a row's terms in local memory while the next is read */
    bool row_per_lane;    /* a vector's lanes are rows */
    bool alike;           /* takes rows whose logits are made of x in the same way */
    unsigned launches;    /* of a row that is written; 0: one */
    unsigned reads;       /* how often it reads x for softmax */
    unsigned local_reals; /* local memory per work-item, in reals */
    struct param {
        enum parameter which;        /* PARAM_NONE: no more */
        unsigned values[MAX_VALUES]; /* first = default; 0 ends them */
    } params[MAX_PARAMS];
};

extern const struct variant clsm_variants[];
extern const unsigned clsm_variant_count;

/* A variant with a value for each of its parameters. */
struct config {
    unsigned variant; /* index into variants */
    unsigned values[MAX_PARAMS];
};

/* The i-th of all configurations in the table's order; false past the last. */
bool clsm_config_at(unsigned i, struct config *config);

/* "tree:WG=128,BLOCK=4" and back. */
void clsm_config_text(const struct config *config, char *name, size_t bytes);

/* Parse "tree" (defaults) or "tree:WG=128". *exact: parameters were given. */
clsm_status clsm_config_parse(const char *name, struct config *config, bool *exact);

/* The value of a parameter, or `otherwise` if the variant has none of that name. */
unsigned clsm_config_value(const struct config *config, enum parameter which,
                           unsigned otherwise);

/* "WG". */
const char *clsm_parameter_name(enum parameter which);

/* Will it exchange values between lanes on this device? */
bool clsm_variant_uses_lanes(const struct variant *v, const struct traits *t);

/* How often it reads x for a problem's operation. */
unsigned clsm_config_reads(const struct config *config, const struct problem *p);

/* Work-items of its work-group. */
size_t clsm_config_wg(const struct config *config);

/* Work-items or vector elements that share a row. */
unsigned clsm_config_workers(const struct config *config, const struct traits *t);

/* For how many of a row's k largest each of its workers has a list. One whose list is given
 * away looks for the next among its columns again, while the others wait. */
size_t clsm_config_list(const struct config *config, const struct problem *p,
                        const struct traits *t);

/* Neighbouring rows that a work-group takes together, each with workers of its own. */
unsigned clsm_config_tile(const struct config *config);

/* Of these the neighbours that one worker has. */
unsigned clsm_config_beside(const struct config *config, const struct problem *p);

/* Columns that a worker of a tile holds at a time, see cl/tile.cl; *all: has it no
 * more? */
unsigned clsm_config_hold(const struct config *config, const struct problem *p,
                          bool *all);

/* Columns that it has, if nobody shares the tile. */
size_t clsm_tile_columns(const struct config *config, const struct problem *p);

/* Registers of a work-item of a tile; 0 if nobody limits them. */
unsigned clsm_tile_registers(const struct config *config, const struct problem *p);

/* Rows of a block, at least 1; registers of a work-item that has one, 0 if nobody
 * limits them; why a block cannot serve, in words, or NULL if it can. */
size_t clsm_block_rows(const struct config *config, const struct problem *p,
                       const struct traits *t);
unsigned clsm_block_registers(const struct config *config, const struct problem *p);
size_t clsm_block_list_bytes(const struct config *config, const struct problem *p);
const char *clsm_block_misfit(const struct config *config, const struct problem *p,
                              const struct traits *t);

/* Why a variant with parts of tiles ahead cannot serve, in words; NULL if it can. */
const char *clsm_tile_misfit(const struct config *config, const struct problem *p,
                             const struct traits *t);

/* Work-groups that share a tile. */
size_t clsm_tile_parts(const struct config *config, const struct problem *p,
                       const struct traits *t);

/* Groups that bring records of parts together for everybody; 0: everybody reads all. */
size_t clsm_tile_part_groups(const struct config *config, const struct problem *p,
                             const struct traits *t);

/* Packs of 16 bytes of x that each worker holds. */
unsigned clsm_config_packs(const struct config *config, const struct problem *p,
                           const struct traits *t);

/* Packs that it has a place for, in registers or elsewhere. */
unsigned clsm_config_packs_held(const struct config *config, const struct problem *p,
                                const struct traits *t);

/* Of these, packs that stay in registers. */
unsigned clsm_config_kept(const struct config *config, const struct problem *p,
                          const struct traits *t);

/* Bytes of the others, in local memory. */
size_t clsm_config_stock_bytes(const struct config *config, const struct problem *p,
                               const struct traits *t);

/* Work-groups that share a row. At most MOST_PARTS. */
size_t clsm_config_parts(const struct config *config, const struct problem *p,
                         const struct traits *t);

/* The launches for some rows: bit s says that there is one with stage s of cl/shape.cl.
 * Rows whose statistics are given are only written, and others may not be. */
unsigned clsm_config_stages(const struct config *config, const struct problem *p);

/* How many these are. */
unsigned clsm_config_launches(const struct config *config, const struct problem *p);

/* Work-groups that a row has in a stage, of its parts and of its pieces. */
size_t clsm_stage_groups(unsigned stage, size_t parts, size_t pieces);

/* Work-groups that write a row. */
size_t clsm_config_pieces(const struct config *config, const struct problem *p,
                          const struct traits *t);

/* Rows of one launch whose work-groups leave at most so many records. */
size_t clsm_config_launch_rows(const struct config *config, const struct problem *p,
                               const struct traits *t, size_t records);

/* May the sum of a held row be made again, see held_set_state in cl/held_passes.cl?
 * That takes registers. */
bool clsm_sums_again(const struct problem *p);

/* Does a mask that is added stay in local memory, for all rows that have the same? */
bool clsm_masks_stay(const struct config *config, const struct problem *p);

/* Do all rows start at the same element of a pack, if a call does not say otherwise? */
bool clsm_starts_alike(const struct problem *p);

/* 32-bit words of a row that each work-item holds in registers; 0 if it holds none. */
unsigned clsm_config_held_words(const struct config *config, const struct problem *p,
                                const struct traits *t);

/* So many registers, in the steps that a unit gives them by. */
unsigned clsm_whole_registers(unsigned registers);

/* Registers of a work-item that its compiler may use; 0 if nobody limits them. */
unsigned clsm_config_registers(const struct config *config, const struct problem *p,
                               const struct traits *t);

/* Work-groups that registers and work-items of a unit have room for. */
size_t clsm_config_resident(const struct config *config, const struct problem *p,
                            const struct traits *t);

/* Do registers and local memory hold the rows of a mapping with packs? */
bool clsm_held_fits(const struct config *config, const struct problem *p,
                    const struct traits *t);

/* Columns of the terms that it holds in local memory; 0 if they find no room. */
size_t clsm_config_hold_cols(const struct config *config, const struct problem *p,
                             const struct traits *t);

/* Work-groups that share the rows in runs. */
size_t clsm_config_runs(const struct config *config, size_t rows,
                        const struct traits *t);

/* Local memory that its work-groups bring their results together in. */
size_t clsm_config_scratch_bytes(const struct config *config, const struct problem *p);

/* Workers that have some of a row's columns, which they take by packs or one by one; of
 * a row in parts, those of its last part, which are the fewest. */
size_t clsm_config_busy(const struct config *config, const struct problem *p,
                        const struct traits *t);

/* Where a row's largest elements are chosen among candidates: shares of its workers, of
 * which each has one that is its largest, and how many candidates there is room for in
 * local memory. 0 where lists are made. See cl/topk_candidates.cl. */
size_t clsm_config_shares(const struct config *config, const struct problem *p,
                          const struct traits *t);
size_t clsm_config_candidates(const struct config *config, const struct problem *p,
                              const struct traits *t);
size_t clsm_config_candidate_bytes(const struct config *config, const struct problem *p,
                                   const struct traits *t);

/* Why the configuration cannot serve, in words; NULL if it can. */
const char *clsm_config_misfit(const struct config *config, const struct problem *p,
                               const struct traits *t);

/* Softmaxes that a work-group takes in one round. At least 1. */
size_t clsm_config_rows_per_group(const struct config *config, const struct problem *p,
                                  const struct traits *t);

#endif
