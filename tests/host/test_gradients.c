/* SPDX-License-Identifier: MIT */
/* Facts about the backward passes and cross-entropy's gradient: they are the
 * derivatives of what the forward references give, by central differences in f64. */
#include "sample.h"
#include "suites.h"

#include <math.h>

enum { ROWS = 7, MAX = ROWS * 40 };

static const size_t widths[] = {1, 2, 7, 40};
static const double step = 0x1p-18;
static struct sample s;

static void tear_down(void)
{
    sample_free(&s);
}

static void near(double got, double want, double size, size_t at)
{
    EXPECT(fabs(got - want) <= 1e-8 * (size + fabs(want)),
           "element %zu: got %.12g, expected %.12g", at, got, want);
}

/* sum_c(dy_c op(x)_c) of the row that element `at` is in, with that element moved. */
static double projected(clsm_op op, const double *x, const double *dy, size_t cols,
                        size_t at, double move)
{
    double row[MAX], y[MAX], sum = 0;
    size_t first = at / cols * cols;
    clsm_problem problem;
    memcpy(row, x + first, cols * sizeof *row);
    row[at - first] += move;
    clsm_problem_init(&problem, op, CLSM_F64, 1, cols);
    ck_assert_int_eq(clsm_reference(&problem, row, y), CLSM_OK);
    for (size_t c = 0; c < cols; c++)
        sum += dy[first + c] * y[c];
    return sum;
}

/* The gradient of softmax or log-softmax by `backward`, which reads the forward's y. */
static void is_derivative(clsm_op op, clsm_op backward, size_t cols, double scale)
{
    double x[MAX];
    clsm_problem problem;
    clsm_problem_init(&problem, backward, CLSM_F64, ROWS, cols);
    problem.grad_scale = scale;
    sample_make(&s, &problem);
    for (size_t i = 0; i < ROWS * cols; i++)
        x[i] = 6 * sample_random() - 3;
    problem.op = op;
    problem.grad_scale = 1;
    ck_assert_int_eq(clsm_reference(&problem, x, (double *)s.in.x), CLSM_OK);
    sample_run(&s);
    const double *dy = s.in.operand[CLSM_DY];
    for (size_t i = 0; i < ROWS * cols; i++) {
        double slope =
            projected(op, x, dy, cols, i, step) - projected(op, x, dy, cols, i, -step);
        near(sample_out(&s, CLSM_Y)[i], scale * slope / (2 * step), 1, i);
    }
}

START_TEST(softmaxs_backward_pass_is_its_derivative)
{
    is_derivative(CLSM_SOFTMAX, CLSM_SOFTMAX_BACKWARD, widths[_i], 1);
    sample_free(&s);
    is_derivative(CLSM_SOFTMAX, CLSM_SOFTMAX_BACKWARD, widths[_i], -2.5);
}
END_TEST

START_TEST(log_softmaxs_backward_pass_is_its_derivative)
{
    is_derivative(CLSM_LOG_SOFTMAX, CLSM_LOG_SOFTMAX_BACKWARD, widths[_i], 1);
    sample_free(&s);
    is_derivative(CLSM_LOG_SOFTMAX, CLSM_LOG_SOFTMAX_BACKWARD, widths[_i], 0.125);
}
END_TEST

static const struct {
    bool weights;
    double smoothing, z_loss, scale;
} losses[] = {
    {false, 0, 0, 1},     {true, 0, 0, 1},      {false, 0.1, 0, 1},
    {false, 0, 0.01, 1},  {true, 0.1, 0, 3},    {true, 0.3, 0.05, -2.5},
    {true, 1, 0.01, 0.5}, {false, 1, 0, 0.125},
};

static double loss_with(const clsm_host_args *in, const clsm_problem *gradient,
                        size_t at, double move)
{
    double loss[ROWS];
    clsm_problem problem = *gradient;
    clsm_host_args out = {.struct_bytes = sizeof out, .y = loss};
    double *x = (double *)in->x, before = x[at];
    problem.op = CLSM_CROSS_ENTROPY_LOSS;
    problem.grad_scale = 1;
    x[at] += move;
    ck_assert_int_eq(clsm_reference_args(&problem, in, &out), CLSM_OK);
    x[at] = before;
    return loss[at / problem.cols];
}

START_TEST(cross_entropys_gradient_is_the_derivative_of_its_loss)
{
    size_t cols = widths[_i % 4];
    clsm_problem problem;
    clsm_problem_init(&problem, CLSM_CROSS_ENTROPY, CLSM_F64, ROWS, cols);
    problem.operands = losses[_i / 4].weights ? CLSM_BIT(CLSM_WEIGHTS) : 0;
    problem.label_smoothing = losses[_i / 4].smoothing;
    problem.z_loss = losses[_i / 4].z_loss;
    problem.grad_scale = losses[_i / 4].scale;
    problem.target_type = _i % 2 ? CLSM_TARGET_I32 : CLSM_TARGET_I64;
    sample_make(&s, &problem);
    sample_run(&s);
    for (size_t i = 0; i < ROWS * cols; i++) {
        double got = sample_out(&s, CLSM_Y)[i];
        if (i / cols == 4 || i / cols == 5) { /* ignored, and no class */
            EXPECT(got == 0, "element %zu of a row that does not count: %g", i, got);
            continue;
        }
        double slope =
            loss_with(&s.in, &problem, i, step) - loss_with(&s.in, &problem, i, -step);
        near(got, problem.grad_scale * slope / (2 * step), 1, i);
    }
}
END_TEST

/* The forms of the library's own numbers: what an element adds must vanish in the sum.
 */
START_TEST(gradients_of_a_row_sum_to_0)
{
    const clsm_op ops[] = {CLSM_SOFTMAX_BACKWARD, CLSM_LOG_SOFTMAX_BACKWARD};
    const clsm_op forward[] = {CLSM_SOFTMAX, CLSM_LOG_SOFTMAX};
    clsm_problem problem;
    double x[40];
    for (size_t i = 0; i < 40; i++)
        x[i] = 6 * sample_random() - 3;
    clsm_problem_init(&problem, ops[_i], CLSM_F64, 1, 40);
    sample_make(&s, &problem);
    problem.op = forward[_i];
    ck_assert_int_eq(clsm_reference(&problem, x, (double *)s.in.x), CLSM_OK);
    sample_run(&s);
    double sum = 0;
    for (size_t i = 0; i < 40; i++)
        sum += sample_out(&s, CLSM_Y)[i];
    ck_assert_double_eq_tol(sum, 0, 1e-13);
}
END_TEST

Suite *gradients_suite(void)
{
    Suite *suite = suite_create("gradients");
    TCase *c = tcase_create("gradients");
    const int n = (int)COUNT(widths);
    tcase_add_checked_fixture(c, NULL, tear_down);
    tcase_add_loop_test(c, softmaxs_backward_pass_is_its_derivative, 0, n);
    tcase_add_loop_test(c, log_softmaxs_backward_pass_is_its_derivative, 0, n);
    tcase_add_loop_test(c, cross_entropys_gradient_is_the_derivative_of_its_loss, 0,
                        n * (int)COUNT(losses));
    tcase_add_loop_test(c, gradients_of_a_row_sum_to_0, 0, 2);
    suite_add_tcase(suite, c);
    return suite;
}
