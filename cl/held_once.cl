/* SPDX-License-Identifier: MIT */
/*
 * Logits, terms and their sum in one pass over what stands in local memory: each bunch of GROUP
 * packs has terms relative to a maximum of its own, and what brings them to the row's is known
 * when they are written.
 */
#if ONE_PASS
/* The logits of bunch b, and their maximum. */
INLINE real bunch_logits(const struct held *h, struct pack *pack, struct row row,
                         struct cut cut, uint first, uint b)
{
    uint mask[GROUP][MASK_WORDS + 1];
    real max = -INFINITY;
    hold_masks(h, mask, row, cut, first, b * GROUP, PACKS);
    UNROLL for (uint j = 0; j < GROUP && b * GROUP + j < PACKS; j++)
    {
        pack[j] = get_stocked(h, b * GROUP + j, 0);
        if (REMAKES_ALL || pack_is_cut(row, pack_column(cut, first, b * GROUP + j)))
            make_logits(&pack[j], row, cut, first, b * GROUP + j, mask[j]);
        max = real_max(max, pack_max(&pack[j], row));
    }
    return max;
}

/* Its terms in their place, and their sum. */
INLINE real bunch_terms(struct held *h, struct pack *pack, struct row row, struct cut cut,
                        uint first, uint b, real max)
{
    real sum = (real)0;
    UNROLL for (uint j = 0; j < GROUP && b * GROUP + j < PACKS; j++)
    {
        real term[PACK];
        pack_terms(&pack[j], row, pack_column(cut, first, b * GROUP + j), max, term);
        pack_set(&pack[j], term);
        set_stocked(h, b * GROUP + j, &pack[j]);
        sum += tree_sum(term);
    }
    return sum;
}

/* What brings bunch b's terms to `max`. */
INLINE real bunch_factor(const struct held *h, uint b, real max)
{
    return exp_nonpositive(below_max(h->bunch_max[b], max));
}

/* The state of this set of lanes. Of elements beside the packs there are logits still. */
INLINE struct state held_once(struct held *h, struct row row, struct cut cut, uint first,
                              __local real *scratch)
{
    struct state s = state_empty();
    real most = -INFINITY, sum[BUNCHES];
    stock_wait();
    UNROLL for (uint b = 0; b < BUNCHES; b++)
    {
        struct pack pack[GROUP];
        real max = bunch_logits(h, pack, row, cut, first, b);
        sum[b] = bunch_terms(h, pack, row, cut, first, b, max);
        h->bunch_max[b] = max;
        most = real_max(most, max);
    }
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
        most = real_max(most, h->edge_x[i]);
    s.max = lanes_max(most, scratch);
    UNROLL for (uint b = 0; b < BUNCHES; b++)
    {
        real part = sum[b] * bunch_factor(h, b, s.max);
        if (ROUGH) /* see add_terms */
            s.sum.hi += part;
        else
            s.sum = pair_add(s.sum, part);
    }
    UNROLL for (uint i = 0; i < EDGES && cut.ragged; i++)
    {
        struct element e = edge_element(h, row, cut, first, i);
        if (e.c != NO_COLUMN)
            s.sum = pair_add(s.sum, op_term(row, e, s.max));
    }
    s.sum = lanes_row_sum(s.sum, scratch);
    return s;
}
#endif
