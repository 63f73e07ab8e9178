/* SPDX-License-Identifier: MIT */
/* Sorted lists of numbers and their columns, one for each lane of a vector. */
struct list {
    real value[LIST];
    real_u32 column[LIST];
};

static struct top top_at(real v, real_u32 c)
{
    struct top top = {{ordered(v), TO_BITS(~c)}};
    return top;
}

/* The least that a number can be, in whatever column. */
static struct top top_from(real v)
{
    struct top top = {{ordered(v), 0}};
    return top;
}

static struct top place_top(const struct list *list, uint j)
{
    return top_at(list->value[j], list->column[j]);
}

static real top_value(struct top top)
{
    return of_ordered(top.part[0]);
}

static real_u32 top_column(struct top top)
{
    return ~TO_U32(top.part[1]);
}

static void place_clear(struct list *list, uint j)
{
    list->value[j] = (real)(-INFINITY);
    list->column[j] = (real_u32)NO_COLUMN;
}

/* In the lanes of m. */
static void place_copy(struct list *list, uint to, const struct list *from, uint j, places_bool m)
{
    list->value[to] = OF_REALS(m) ? from->value[j] : list->value[to];
    list->column[to] = m ? from->column[j] : list->column[to];
}

/* Columns of a lane come in rising order, so an equal one goes behind those before it. From the
 * last place to the first, so that no place waits for another. */
static void list_add(struct list *list, real v, real_u32 c)
{
    places_bool beats = OF_COLUMNS(v > list->value[LIST - 1]);
    if (!ANY_OF(beats))
        return;
    EACH_PLACE (uint j = LIST - 1; j > 0; j--) {
        places_bool moves = OF_COLUMNS(v > list->value[j - 1]);
        list->value[j] = OF_REALS(moves)   ? list->value[j - 1]
                         : OF_REALS(beats) ? v
                                           : list->value[j];
        list->column[j] = moves ? list->column[j - 1] : beats ? c : list->column[j];
        beats = moves;
    }
    list->value[0] = OF_REALS(beats) ? v : list->value[0];
    list->column[0] = beats ? c : list->column[0];
}
