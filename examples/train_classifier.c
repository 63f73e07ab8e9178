/* SPDX-License-Identifier: MIT */
/*
 * Training a classifier of two layers in C on an OpenCL device, with clsoftmax as its
 * output layer: loss and gradient, the loss alone, the best class. The rest is in
 * train/.
 *
 *     train_classifier [data folder] [curve.svg]
 */
#include "train/curve.h"
#include "train/data.h"
#include "train/matmul.h"
#include "train/net.h"

#include <stdio.h>
#include <stdlib.h>

enum { HIDDEN = 96 };
/* The signs: points of 24 numbers, all in one batch. */
enum { SEEDS = 5, POINTS = 256, POINT_INPUTS = 24, SIGN_STEPS = 15 };
/* The digits: 1437 images make 12 batches, the last a smaller one. */
enum { BATCH = 128, EPOCHS = 20, MAX_BATCHES = 32 };

static const float sign_rate = 0.1f, digit_rate = 0.01f;
static const double loss_wanted = 0.01, accuracy_wanted = 0.95;

/* Loss before each step, and of the signs also after the last. */
struct history {
    double signs[SEEDS][SIGN_STEPS + 1], signs_median[SIGN_STEPS + 1];
    double digits[EPOCHS * MAX_BATCHES], epochs[EPOCHS];
    size_t batches; /* of an epoch */
};

static struct batch upload(const struct device *d, const struct samples *s)
{
    return (struct batch){.x = new_buffer(d, s->rows * s->inputs * sizeof *s->x, s->x),
                          .targets =
                              new_buffer(d, s->rows * sizeof *s->labels, s->labels),
                          .rows = s->rows};
}

static void release(struct batch *b)
{
    clReleaseMemObject(b->x);
    clReleaseMemObject(b->targets);
}

static void train_signs(const struct device *d, uint64_t seed, double *loss)
{
    struct samples s;
    struct net net;
    sign_samples(&s, POINTS, POINT_INPUTS, seed);
    struct batch all = upload(d, &s);
    net_create(&net, d, s.inputs, HIDDEN, s.classes, s.rows, 100 + seed);
    for (int step = 0; step < SIGN_STEPS; step++)
        loss[step] = net_train(&net, &all, sign_rate);
    loss[SIGN_STEPS] = net_loss(&net, &all);
    net_destroy(&net);
    release(&all);
    samples_free(&s);
}

static int by_value(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static double median_at(const struct history *h, int step)
{
    double all[SEEDS];
    for (int i = 0; i < SEEDS; i++)
        all[i] = h->signs[i][step];
    qsort(all, SEEDS, sizeof *all, by_value);
    return all[SEEDS / 2];
}

static bool learn_signs(const struct device *d, struct history *h)
{
    printf("signs: loss after %d steps on %d points:", SIGN_STEPS, POINTS);
    for (int i = 0; i < SEEDS; i++) {
        train_signs(d, (uint64_t)i + 1, h->signs[i]);
        printf(" %.5f", h->signs[i][SIGN_STEPS]);
    }
    for (int step = 0; step <= SIGN_STEPS; step++)
        h->signs_median[step] = median_at(h, step);
    const double median = h->signs_median[SIGN_STEPS];
    printf("\n       median %.5f, wanted below %g\n", median, loss_wanted);
    return median < loss_wanted;
}

/* All batches once; returns their mean loss, each batch measured before its step. */
static double train_epoch(struct net *net, const struct batch *set, double *loss)
{
    double sum = 0;
    for (size_t first = 0; first < set->rows; first += BATCH) {
        struct batch b = *set;
        b.first = first;
        b.rows = set->rows - first < BATCH ? set->rows - first : BATCH;
        *loss = net_train(net, &b, digit_rate);
        sum += *loss++ * (double)b.rows;
    }
    return sum / (double)set->rows;
}

static double accuracy(struct net *net, const struct batch *set, const cl_int *labels)
{
    cl_int *classes = malloc(set->rows * sizeof *classes);
    size_t right = 0;
    if (!classes)
        fail("out of memory");
    net_classify(net, set, classes);
    for (size_t r = 0; r < set->rows; r++)
        right += classes[r] == labels[r];
    free(classes);
    printf("digits: %zu of %zu held-out images right", right, set->rows);
    return (double)right / (double)set->rows;
}

static bool learn_digits(const struct device *d, const char *folder, struct history *h)
{
    struct samples train, held_out;
    struct net net;
    digits_samples(folder, &train, &held_out);
    struct batch train_set = upload(d, &train), held_out_set = upload(d, &held_out);
    h->batches = (train.rows + BATCH - 1) / BATCH;
    if (h->batches > MAX_BATCHES)
        fail("%zu images are too many for this example", train.rows);
    const size_t room = held_out.rows > BATCH ? held_out.rows : BATCH;
    net_create(&net, d, train.inputs, HIDDEN, train.classes, room, 1);
    for (size_t i = 0; i < EPOCHS; i++)
        h->epochs[i] = train_epoch(&net, &train_set, h->digits + i * h->batches);
    printf("digits: loss %.4f in epoch 1, %.4f in epoch %d, on %zu images\n",
           h->epochs[0], h->epochs[EPOCHS - 1], EPOCHS, train.rows);
    const double right = accuracy(&net, &held_out_set, held_out.labels);
    printf(", %.2f%%, wanted at least %g%%\n", 100 * right, 100 * accuracy_wanted);
    net_destroy(&net);
    release(&train_set);
    release(&held_out_set);
    samples_free(&train);
    samples_free(&held_out);
    return right >= accuracy_wanted;
}

static bool draw(const char *path, const struct history *h)
{
    const double steps = (double)(EPOCHS * h->batches), every = (double)h->batches;
    struct line signs[SEEDS + 1];
    for (int i = 0; i < SEEDS; i++)
        signs[i] = (struct line){
            i ? NULL : "each of five seeds", h->signs[i], SIGN_STEPS + 1, 0, 1, false};
    signs[SEEDS] =
        (struct line){"their median", h->signs_median, SIGN_STEPS + 1, 0, 1, true};
    const struct line digits[] = {
        {"each batch", h->digits, EPOCHS * h->batches, 0, 1, false},
        {"mean of each epoch", h->epochs, EPOCHS, (every - 1) / 2, every, true}};
    const struct panel panels[2] = {
        {"Sign of the first of 24 numbers", SIGN_STEPS, 5, signs, SEEDS + 1},
        {"Handwritten digits", steps, 5 * every, digits, 2}};
    return write_curves(path, panels);
}

int main(int argc, char **argv)
{
    static struct history history;
    struct device device;
    if (argc > 3)
        return fprintf(stderr, "usage: %s [data folder] [curve.svg]\n", argv[0]), 2;
    if (!device_open(&device))
        return 77;
    printf("matrix products: %s\n", matmul_by);
    const bool signs = learn_signs(&device, &history);
    const bool digits =
        learn_digits(&device, argc > 1 ? argv[1] : "examples/data", &history);
    device_close(&device);
    if (argc > 2 && !draw(argv[2], &history))
        fail("%s: cannot be written", argv[2]);
    return !(signs && digits);
}
