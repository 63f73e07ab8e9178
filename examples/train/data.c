/* SPDX-License-Identifier: MIT */
/* Samples: random numbers, and the two .npy files of the digits with a reader for them.
 */
#include "data.h"

#include "device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 64, DIGITS = 10, INK = 16, FIFTH = 5 };

/* SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* In (0, 1), never 0 itself. */
static double random_unit(uint64_t *state)
{
    return ((double)(random_bits(state) >> 12) + 0.5) * 0x1p-52;
}

/* Box and Muller's transform. */
double random_normal(uint64_t *state)
{
    const double radius = sqrt(-2 * log(random_unit(state)));
    return radius * cos(6.283185307179586 * random_unit(state));
}

static void *allocate(size_t n, size_t bytes)
{
    void *memory = calloc(n, bytes);
    if (!memory)
        fail("out of memory");
    return memory;
}

static struct samples samples_new(size_t rows, size_t inputs, size_t classes)
{
    return (struct samples){.rows = rows,
                            .inputs = inputs,
                            .classes = classes,
                            .x = allocate(rows * inputs, sizeof(float)),
                            .labels = allocate(rows, sizeof(cl_int))};
}

void samples_free(struct samples *s)
{
    free(s->x);
    free(s->labels);
}

void sign_samples(struct samples *s, size_t rows, size_t inputs, uint64_t seed)
{
    *s = samples_new(rows, inputs, 2);
    for (size_t i = 0; i < rows * inputs; i++)
        s->x[i] = (float)random_normal(&seed);
    for (size_t r = 0; r < rows; r++)
        s->labels[r] = s->x[r * inputs] > 0;
}

/* The header's text. Of .npy, only version 1 with bytes in C order is read. */
static void read_header(FILE *file, const char *path, char *header, size_t room)
{
    unsigned char start[10] = {0};
    const size_t got = fread(start, 1, sizeof start, file);
    const size_t length = start[8] | (size_t)start[9] << 8;
    if (got != sizeof start || memcmp(start, "\x93NUMPY\x01", 7) != 0)
        fail("%s: not a .npy file of version 1", path);
    if (length >= room || fread(header, 1, length, file) != length)
        fail("%s: cut short in its header", path);
    header[length] = 0;
    header[strcspn(header, "}\n")] = 0; /* without the blanks that fill it up */
    if (!strstr(header, "'descr': '|u1'") || !strstr(header, "'fortran_order': False"))
        fail("%s: must hold bytes (|u1) in C order, but says %s", path, header);
}

/* The rows of a file of bytes with `cols` columns; cols 0 for a file of one dimension.
 */
static unsigned char *read_bytes(const char *folder, const char *name, size_t cols,
                                 size_t *rows)
{
    char path[1024], header[512];
    size_t found = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail("%s: cannot be opened; the data folder is the first argument", path);
    read_header(file, path, header, sizeof header);
    const char *shape = strstr(header, "'shape': (");
    const int numbers = shape ? sscanf(shape, "'shape': (%zu, %zu)", rows, &found) : 0;
    if (numbers != (cols ? 2 : 1) || found != cols)
        fail("%s: expected %zu columns, but it says %s", path, cols, header);
    const size_t bytes = *rows * (cols ? cols : 1);
    unsigned char *data = allocate(bytes, 1);
    if (fread(data, 1, bytes, file) != bytes)
        fail("%s: cut short", path);
    fclose(file);
    return data;
}

/* Fisher and Yates' shuffle. The files have the digits writer by writer. */
static void shuffle(size_t *order, size_t n)
{
    uint64_t state = 1;
    for (size_t i = n; i > 1; i--) {
        const size_t j = random_bits(&state) % i, kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static void take_row(struct samples *s, size_t to, const unsigned char *pixels,
                     unsigned char label)
{
    for (size_t i = 0; i < PIXELS; i++)
        s->x[to * PIXELS + i] = (float)pixels[i] / INK;
    s->labels[to] = label;
}

void digits_samples(const char *folder, struct samples *train, struct samples *held_out)
{
    size_t rows, labelled, trained = 0, held = 0;
    unsigned char *pixels = read_bytes(folder, "digits_pixels.npy", PIXELS, &rows);
    unsigned char *labels = read_bytes(folder, "digits_labels.npy", 0, &labelled);
    if (labelled != rows)
        fail("%s: %zu images, but %zu labels", folder, rows, labelled);
    size_t *order = allocate(rows, sizeof *order);
    for (size_t r = 0; r < rows; r++)
        order[r] = r;
    shuffle(order, rows);
    *held_out = samples_new((rows + FIFTH - 1) / FIFTH, PIXELS, DIGITS);
    *train = samples_new(rows - held_out->rows, PIXELS, DIGITS);
    for (size_t i = 0; i < rows; i++) {
        const size_t r = order[i];
        if (r % FIFTH == 0)
            take_row(held_out, held++, pixels + r * PIXELS, labels[r]);
        else
            take_row(train, trained++, pixels + r * PIXELS, labels[r]);
    }
    free(order);
    free(pixels);
    free(labels);
}
