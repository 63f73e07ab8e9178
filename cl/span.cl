/* SPDX-License-Identifier: MIT */
/* What a work-group of one work-item has of n things that stand in a row: an even share. */
struct span {
    size_t first, last; /* the next one's first */
};

INLINE struct span own_span(size_t n)
{
    size_t g = get_group_id(0), groups = get_num_groups(0);
    size_t each = n / groups, extra = n % groups;
    struct span s = {g * each + min(g, extra), 0};
    s.last = s.first + each + (g < extra ? 1 : 0);
    return s;
}
