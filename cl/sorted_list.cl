/* SPDX-License-Identifier: MIT */
/*
 * A sorted list of LIST numbers and their columns, largest first, for each lane of a vector: of
 * keys (topk_keys.cl), or of pairs (topk_pairs.cl).
 */
/* Loops over a list's places, which are constants then, so that a short list stays in
 * registers. */
#if LIST <= 32
#define EACH_PLACE UNROLL for
#else
#define EACH_PLACE for
#endif

/* What holds in each lane, as columns are compared; the same for numbers; in any lane. */
#if VEC == 1
typedef bool places_bool;
#define OF_COLUMNS(m) (m)
#define OF_REALS(m) (m)
#define ANY_OF(m) (m)
#else
typedef CAT(int, WIDTH) places_bool;
#if REAL_IS_F64
#define OF_COLUMNS(m) TO(int, m)
#define OF_REALS(m) TO(long, m)
#else
#define OF_COLUMNS(m) (m)
#define OF_REALS(m) (m)
#endif
#define ANY_OF(m) any_lane(m)
static bool any_lane(places_bool m)
{
#if VEC == 16
    int8 eight = m.lo | m.hi;
    int4 four = eight.lo | eight.hi;
#elif VEC == 8
    int4 four = m.lo | m.hi;
#else
    int4 four = m;
#endif
    int2 two = four.lo | four.hi;
    return two.x | two.y;
}
#endif

#if KEY_BITS
struct list {
    real_u32 key[LIST];
};

static struct top place_top(const struct list *list, uint j)
{
    struct top top = {{list->key[j]}};
    return top;
}

static void place_clear(struct list *list, uint j)
{
    list->key[j] = KEY_NONE;
}

/* In the lanes of m. */
static void place_copy(struct list *list, uint to, const struct list *from, uint j, places_bool m)
{
    list->key[to] = m ? from->key[j] : list->key[to];
}

static void list_add(struct list *list, real v, real_u32 c)
{
    real_u32 key = key_of(v, c);
    if (!ANY_OF(key > list->key[LIST - 1]))
        return;
    EACH_PLACE (uint j = LIST - 1; j > 0; j--) {
        real_u32 above = list->key[j - 1], larger = key > list->key[j] ? key : list->key[j];
        list->key[j] = larger < above ? larger : above;
    }
    list->key[0] = key > list->key[0] ? key : list->key[0];
}
#else
struct list {
    real value[LIST];
    real_u32 column[LIST];
};

static struct top place_top(const struct list *list, uint j)
{
    return top_at(list->value[j], list->column[j]);
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
#endif

static void list_start(struct list *list)
{
    for (uint j = 0; j < LIST; j++)
        place_clear(list, j);
}

/* Drop the heads of these lanes' lists. */
static void list_drop(struct list *list, places_bool m)
{
    struct list none;
    place_clear(&none, 0);
    EACH_PLACE (uint j = 0; j + 1 < LIST; j++)
        place_copy(list, j, list, j + 1, m);
    place_copy(list, LIST - 1, &none, 0, m);
}
