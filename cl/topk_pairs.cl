/* SPDX-License-Identifier: MIT */
/* Sorted lists of numbers and their columns, one for each lane of a vector. */
struct keep {
    real value[LIST];
    real_u32 column[LIST];
};

static struct top place_top(const struct keep *keep, uint j)
{
    struct top top = {{ordered(keep->value[j]), TO_BITS(~keep->column[j])}};
    return top;
}

static real top_value(struct top top)
{
    return of_ordered(top.part[0]);
}

static real_u32 top_column(struct top top)
{
    return ~TO_U32(top.part[1]);
}

static void place_clear(struct keep *keep, uint j)
{
    keep->value[j] = (real)(-INFINITY);
    keep->column[j] = (real_u32)NO_COLUMN;
}

/* In the lanes of m. */
static void place_copy(struct keep *keep, uint to, const struct keep *from, uint j, places_bool m)
{
    keep->value[to] = OF_REALS(m) ? from->value[j] : keep->value[to];
    keep->column[to] = m ? from->column[j] : keep->column[to];
}

/* Columns of a lane come in rising order, so an equal one goes behind those before it. From the
 * last place to the first, so that no place waits for another. */
static void list_add(struct keep *keep, real v, real_u32 c)
{
    places_bool beats = OF_COLUMNS(v > keep->value[LIST - 1]);
    if (!ANY_OF(beats))
        return;
    EACH_PLACE (uint j = LIST - 1; j > 0; j--) {
        places_bool moves = OF_COLUMNS(v > keep->value[j - 1]);
        keep->value[j] = OF_REALS(moves)   ? keep->value[j - 1]
                         : OF_REALS(beats) ? v
                                           : keep->value[j];
        keep->column[j] = moves ? keep->column[j - 1] : beats ? c : keep->column[j];
        beats = moves;
    }
    keep->value[0] = OF_REALS(beats) ? v : keep->value[0];
    keep->column[0] = beats ? c : keep->column[0];
}
