/* SPDX-License-Identifier: MIT */
/*
 * subgroup: one subgroup a row, several rows a work-group, no barrier. Reads x three times
 * (twice from the nearest cache: such rows are short), writes y once. Wins on short rows.
 * The row loop counts whole work-groups, so that all subgroups go round it equally often.
 */
#ifndef WG
#define WG 128
#endif

INLINE real set_max(real v, __local real *scratch)
{
    return lanes_max(v, scratch);
}

INLINE struct pair set_sum(struct pair s, __local real *scratch)
{
    return lanes_sum(s, scratch);
}

INLINE struct top set_top(struct top top, uint later, __local real *scratch)
{
    return lanes_top(top, scratch);
}

__kernel WORK_GROUP(WG) LANES_ATTRIBUTE void
clsm_row(TENSORS)
{
    __local real scratch[LANES_SCRATCH + 1];
    size_t sets = lanes_count();
    for (size_t r = get_group_id(0) * sets; r < shape.rows; r += get_num_groups(0) * sets)
        three_passes(ROW_AT(r + lanes_id()), lane_id(), lanes_size(),
                     scratch);
}
