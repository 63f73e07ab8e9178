/* SPDX-License-Identifier: MIT */
/* Timing CLBlast's SCOPY on the host's clock; it gives events, but tunes per device. */
#include "copy_clblast.h"

#ifdef HAVE_CLBLAST
#include "measure.h"

#include <clblast_c.h>
#include <stdio.h>

static double once(const struct session *s, cl_mem x, cl_mem y, size_t n)
{
    cl_command_queue queue = s->queue;
    clFinish(queue);
    double start = now();
    if (CLBlastScopy(n, x, 0, 1, y, 0, 1, &queue, NULL) != CLBlastSuccess)
        return 0;
    clFinish(queue);
    return now() - start;
}

void print_clblast_copy(const struct session *s)
{
    const size_t bytes = (size_t)128 << 20;
    const cl_uint one = 0x3f800000;
    cl_mem x = session_buffer(s, bytes, NULL), y = session_buffer(s, bytes, NULL);
    double seconds[8] = {0};
    bool good = x && y &&
                clEnqueueFillBuffer(s->queue, x, &one, sizeof one, 0, bytes, 0, NULL,
                                    NULL) == CL_SUCCESS;
    for (int i = -1; good && i < 8; i++) {
        double t = once(s, x, y, bytes / 4);
        good = t > 0;
        if (i >= 0)
            seconds[i] = t;
    }
    if (good)
        printf("CLBlast's SCOPY: %.1f GB/s\n",
               2e-9 * (double)bytes / median(seconds, 8));
    if (x)
        clReleaseMemObject(x);
    if (y)
        clReleaseMemObject(y);
}
#else
void print_clblast_copy(const struct session *s)
{
    (void)s;
}
#endif
