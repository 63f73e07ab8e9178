/* SPDX-License-Identifier: MIT */
/*
 * The header of an .npy file: a Python dict's literal of dtype, order and shape, see
 * NumPy's NEP 1 and the documentation of numpy.lib.format.
 */
#include "npy_file.h"

#include <string.h>

/** What is left of the header, a Python dict's literal. */
struct scan {
    const char *at, *end;
};

static void skip_blanks(struct scan *s)
{
    while (s->at < s->end && *s->at && strchr(" \t\r\n", *s->at))
        s->at++;
}

static bool take(struct scan *s, const char *word)
{
    size_t n = strlen(word);

    skip_blanks(s);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0)
        return false;
    s->at += n;
    return true;
}

/** Keep a character if there is room; what would garble a message becomes '?'. */
static void keep(char *text, size_t bytes, size_t *n, char c)
{
    if (*n + 1 < bytes) {
        text[(*n)++] = c >= ' ' && c <= '~' ? c : '?';
        text[*n] = 0;
    }
}

static bool take_string(struct scan *s, char *text, size_t bytes)
{
    const char *quote = take(s, "'") ? "'" : take(s, "\"") ? "\"" : NULL;
    size_t n = 0;

    text[0] = 0;
    if (!quote)
        return false;
    for (; s->at < s->end && *s->at != *quote; s->at++)
        keep(text, bytes, &n, *s->at);
    return take(s, quote);
}

/** A string, or the list of a structured dtype, kept as text to be named when refused.
 */
static bool take_descr(struct scan *s, struct npy_input *f)
{
    size_t n = 0;
    int depth = 0;

    if (take_string(s, f->descr, sizeof f->descr))
        return true;
    for (; s->at < s->end; s->at++) {
        keep(f->descr, sizeof f->descr, &n, *s->at);
        depth += (*s->at == '[' || *s->at == '(') - (*s->at == ']' || *s->at == ')');
        if (depth <= 0)
            return take(s, *s->at == ']' ? "]" : ")");
    }
    return false;
}

static bool take_order(struct scan *s, struct npy_input *f)
{
    f->fortran = take(s, "True");
    return f->fortran || take(s, "False");
}

/** A size; past size_t it becomes SIZE_MAX, which no shape can multiply out. */
static bool take_size(struct scan *s, size_t *size)
{
    const char *from;

    skip_blanks(s);
    from = s->at;
    for (*size = 0; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
        size_t digit = (size_t)(*s->at - '0');
        *size = *size > (SIZE_MAX - digit) / 10 ? SIZE_MAX : *size * 10 + digit;
    }
    if (s->at == from)
        return false;
    take(s, "L"); /* Python 2 wrote long integers so */
    return true;
}

static bool take_shape(struct scan *s, struct npy_input *f)
{
    size_t size;
    bool comma = true;

    if (!take(s, "("))
        return false;
    while (comma && take_size(s, &size)) {
        if (f->dims < NPY_MAX_DIMS)
            f->shape[f->dims] = size;
        f->dims++;
        comma = take(s, ",");
    }
    return take(s, ")") && (f->dims != 1 || comma); /* (3) is no tuple */
}

static bool take_entry(struct scan *s, struct npy_input *f)
{
    static const struct {
        const char *key;
        bool (*take_value)(struct scan *s, struct npy_input *f);
    } entries[] = {
        {"descr", take_descr}, {"fortran_order", take_order}, {"shape", take_shape}};
    char key[16];

    if (!take_string(s, key, sizeof key) || !take(s, ":"))
        return false;
    for (unsigned i = 0; i < COUNT_OF(entries); i++)
        if (strcmp(key, entries[i].key) == 0 && !(f->seen & 1u << i)) {
            f->seen |= 1u << i;
            return entries[i].take_value(s, f);
        }
    return false;
}

static bool take_dict(struct scan *s, struct npy_input *f)
{
    bool comma = true;

    if (!take(s, "{"))
        return false;
    while (!take(s, "}")) {
        if (!comma || !take_entry(s, f))
            return false;
        comma = take(s, ",");
    }
    skip_blanks(s);
    return s->at == s->end && f->seen == 7;
}

bool npy_read_header(const struct npy_report *r, struct npy_input *f)
{
    const unsigned char *b = f->bytes;
    size_t start = b[6] == 1 ? PREFIX_BYTES : PREFIX_BYTES + 2;
    size_t length = b[8] + 256u * b[9];
    struct scan s;

    if (b[6] < 1 || b[6] > 3 || b[7] != 0)
        return npy_fail(r, "has format version %d.%d, expected 1.0, 2.0 or 3.0", b[6],
                        b[7]);
    if (b[6] > 1 && f->size >= start)
        length += 65536u * b[10] + 16777216u * (size_t)b[11];
    if (f->size < start || length > f->size - start)
        return npy_fail(r, "is %zu bytes long, expected at least the %zu of its header",
                        f->size, start + length);
    f->data_at = start + length;
    s.at = (const char *)b + start;
    s.end = s.at + length;
    if (!take_dict(&s, f))
        return npy_fail(r,
                        "has a malformed header near its byte %zu, expected a dict of "
                        "descr, fortran_order and shape, each once",
                        (size_t)(s.at - (const char *)b));
    return true;
}
