/* SPDX-License-Identifier: MIT */
/* Sorted lists of numbers and their columns, one for each lane: place j of lane d at j VEC + d. */
struct keep {
    SCALAR value[LIST * VEC];
    uint column[LIST * VEC];
};

static SCALAR place_value(const struct keep *keep, uint at)
{
    return keep->value[at];
}

static uint place_column(const struct keep *keep, uint at)
{
    return keep->column[at];
}

static void place_clear(struct keep *keep, uint at)
{
    keep->value[at] = -INFINITY;
    keep->column[at] = NO_COLUMN;
}

static void place_copy(struct keep *keep, uint to, uint from)
{
    keep->value[to] = keep->value[from];
    keep->column[to] = keep->column[from];
}

/* Columns of a lane come in rising order, so an equal one goes behind those before it. From the
 * last place to the first, so that no place waits for another. */
static void list_add(struct keep *keep, uint d, SCALAR v, uint c)
{
    bool beats = v > keep->value[(LIST - 1) * VEC + d];
    if (!beats)
        return;
    EACH_PLACE (uint j = LIST - 1; j > 0; j--) {
        uint at = j * VEC + d, next = at - VEC;
        bool moves = v > keep->value[next];
        keep->value[at] = moves ? keep->value[next] : beats ? v : keep->value[at];
        keep->column[at] = moves ? keep->column[next] : beats ? c : keep->column[at];
        beats = moves;
    }
    keep->value[d] = beats ? v : keep->value[d];
    keep->column[d] = beats ? c : keep->column[d];
}
