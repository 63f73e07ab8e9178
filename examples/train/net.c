/* SPDX-License-Identifier: MIT */
/* The two layers forward and backward, and Adam. Losses and gradients come from
 * output.c. */
#include "net.h"

#include "data.h"
#include "matmul.h"

#include <math.h>
#include <stdlib.h>

static void draw(float *weights, size_t inputs, size_t outputs, uint64_t *state)
{
    const double deviation = sqrt(2 / (double)(inputs + outputs));
    for (size_t i = 0; i < inputs * outputs; i++)
        weights[i] = (float)(deviation * random_normal(state));
}

/* Weights as Glorot and Bengio (2010) draw them, biases of 0: the logits begin small,
 * so that the first steps do not go into unlearning them. */
static cl_mem initial_values(const struct net *net, uint64_t seed)
{
    const size_t bytes = net->parameters * sizeof(float);
    float *values = calloc(1, bytes);
    if (!values)
        fail("out of memory");
    draw(values, net->inputs, net->hidden, &seed);
    draw(values + net->weights2, net->hidden, net->classes, &seed);
    cl_mem memory = new_buffer(net->device, bytes, values);
    free(values);
    return memory;
}

void net_create(struct net *net, const struct device *d, size_t inputs, size_t hidden,
                size_t classes, size_t max_rows, uint64_t seed)
{
    const size_t f = sizeof(float);
    net->device = d;
    net->inputs = (cl_uint)inputs;
    net->hidden = (cl_uint)hidden;
    net->classes = (cl_uint)classes;
    net->bias1 = net->inputs * net->hidden;
    net->weights2 = net->bias1 + net->hidden;
    net->bias2 = net->weights2 + net->hidden * net->classes;
    net->parameters = net->bias2 + net->classes;
    net->values = initial_values(net, seed);
    net->gradient = new_buffer(d, net->parameters * f, NULL);
    net->mean = new_buffer(d, net->parameters * f, NULL);
    net->square = new_buffer(d, net->parameters * f, NULL);
    net->h = new_buffer(d, max_rows * hidden * f, NULL);
    net->dh = new_buffer(d, max_rows * hidden * f, NULL);
    net->logits = new_buffer(d, max_rows * classes * f, NULL);
    output_create(&net->output, d, classes, max_rows);
    net->steps = 0;
}

void net_destroy(struct net *net)
{
    output_destroy(&net->output);
    cl_mem buffers[] = {net->values, net->gradient, net->mean,  net->square,
                        net->h,      net->dh,       net->logits};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        clReleaseMemObject(buffers[i]);
}

static struct matrix transposed(struct matrix x)
{
    x.transposed = true;
    return x;
}

static struct matrix inputs_of(const struct net *net, const struct batch *b)
{
    return (struct matrix){b->x, (cl_uint)b->first * net->inputs, net->inputs, false};
}

static void forward(const struct net *net, const struct batch *b)
{
    const struct device *d = net->device;
    const struct matrix w1 = {net->values, 0, net->hidden, false};
    const struct matrix w2 = {net->values, net->weights2, net->classes, false};
    const struct matrix h = {net->h, 0, net->hidden, false};
    const struct matrix logits = {net->logits, 0, net->classes, false};
    matmul(d, b->rows, net->hidden, net->inputs, inputs_of(net, b), w1, h);
    LAUNCH(d, KERNEL_add_bias_relu, b->rows * net->hidden, ARG(net->h),
           ARG(net->values), ARG(net->bias1), ARG(net->hidden));
    matmul(d, b->rows, net->classes, net->hidden, h, w2, logits);
    LAUNCH(d, KERNEL_add_bias, b->rows * net->classes, ARG(net->logits),
           ARG(net->values), ARG(net->bias2), ARG(net->classes));
}

static void bias_gradient(const struct net *net, cl_mem from, cl_uint rows,
                          cl_uint cols, cl_uint at)
{
    LAUNCH(net->device, KERNEL_sum_rows, cols, ARG(from), ARG(rows), ARG(cols),
           ARG(net->gradient), ARG(at));
}

/* From the gradient of the logits, in their place, those of all parameters. */
static void backward(const struct net *net, const struct batch *b)
{
    const struct device *d = net->device;
    const cl_uint rows = (cl_uint)b->rows;
    const struct matrix w2 = {net->values, net->weights2, net->classes, false};
    const struct matrix dw1 = {net->gradient, 0, net->hidden, false};
    const struct matrix dw2 = {net->gradient, net->weights2, net->classes, false};
    const struct matrix h = {net->h, 0, net->hidden, false};
    const struct matrix dh = {net->dh, 0, net->hidden, false};
    const struct matrix dlogits = {net->logits, 0, net->classes, false};
    matmul(d, net->hidden, net->classes, rows, transposed(h), dlogits, dw2);
    bias_gradient(net, net->logits, rows, net->classes, net->bias2);
    matmul(d, rows, net->hidden, net->classes, dlogits, transposed(w2), dh);
    LAUNCH(d, KERNEL_relu_backward, rows * net->hidden, ARG(net->dh), ARG(net->h));
    matmul(d, net->inputs, net->hidden, rows, transposed(inputs_of(net, b)), dh, dw1);
    bias_gradient(net, net->dh, rows, net->hidden, net->bias1);
}

double net_train(struct net *net, const struct batch *b, float rate)
{
    net->steps++;
    const float correct_m = (float)(1 - pow(0.9, net->steps));
    const float correct_v = (float)(1 - pow(0.999, net->steps));
    forward(net, b);
    output_gradient(&net->output, net->logits, b);
    backward(net, b);
    LAUNCH(net->device, KERNEL_adam, net->parameters, ARG(net->values),
           ARG(net->gradient), ARG(net->mean), ARG(net->square), ARG(rate),
           ARG(correct_m), ARG(correct_v));
    return output_mean_loss(&net->output, b->rows);
}

double net_loss(struct net *net, const struct batch *b)
{
    forward(net, b);
    output_loss(&net->output, net->logits, b);
    return output_mean_loss(&net->output, b->rows);
}

void net_classify(struct net *net, const struct batch *b, cl_int *classes)
{
    forward(net, b);
    output_classes(&net->output, net->logits, b->rows, classes);
}
