/* SPDX-License-Identifier: MIT */
/* A number and its column as two whole numbers. */
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

static real top_value(struct top top)
{
    return of_ordered(top.part[0]);
}

static real_u32 top_column(struct top top)
{
    return ~TO_U32(top.part[1]);
}
