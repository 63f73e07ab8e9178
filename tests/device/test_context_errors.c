/* SPDX-License-Identifier: MIT */
/* Queues, buffers and devices that do not belong together, buffers that may not be read
 * or written, and memory objects that are no buffers. */
#include "rig.h"

#include <string.h>

/* A second context on the rig's device, with a queue and a buffer. */
struct stranger {
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer;
};

static struct stranger stranger_open(const struct session *s)
{
    struct stranger other = {
        .context = clCreateContext(NULL, 1, &s->info.device, NULL, NULL, NULL)};
    ck_assert(other.context != NULL);
    other.queue = clCreateCommandQueue(other.context, s->info.device, 0, NULL);
    other.buffer = clCreateBuffer(other.context, CL_MEM_READ_WRITE,
                                  RIG_ELEMENTS * sizeof(float), NULL, NULL);
    ck_assert(other.queue && other.buffer);
    return other;
}

static void stranger_close(struct stranger *other)
{
    clReleaseMemObject(other->buffer);
    clReleaseCommandQueue(other->queue);
    clReleaseContext(other->context);
}

START_TEST(objects_of_another_context_are_refused)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, 0, CLSM_F32, CLSM_F32);
    struct stranger other = stranger_open(rig.session);
    REFUSES(&rig, CLSM_ERR_CONTEXT, "queue", "expected the plan's",
            c.queue = other.queue);
    REFUSES(&rig, CLSM_ERR_CONTEXT, "buffer x", "expected the plan's",
            c.args.x = other.buffer);
    REFUSES(&rig, CLSM_ERR_CONTEXT, "buffer y", "expected the plan's",
            c.args.y = other.buffer);
    cl_event event = clCreateUserEvent(other.context, NULL);
    clSetUserEventStatus(event, CL_COMPLETE);
    REFUSES(&rig, CLSM_ERR_CONTEXT, "wait[0]", "expected the plan's",
            (c.n_wait = 1, c.wait = &event));
    clReleaseEvent(event);
    stranger_close(&other);
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

/* Another device for one context: a neighbour on the platform, else a part of this one.
 * NULL if there is neither. */
static cl_device_id companion(const struct device *d, bool *is_part)
{
    cl_device_id all[8], part = NULL, own = d->session.info.device;
    cl_uint count = 0;
    clGetDeviceIDs(d->session.info.platform, CL_DEVICE_TYPE_ALL, 8, all, &count);
    *is_part = false;
    for (cl_uint i = 0; i < count && i < 8; i++)
        if (all[i] != own)
            return all[i];
    cl_uint parts = 0; /* asked first: Mesa 22.3 ends the program where it cannot */
    clGetDeviceInfo(own, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof parts, &parts,
                    NULL);
    const cl_device_partition_property one[] = {
        CL_DEVICE_PARTITION_BY_COUNTS, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    if (parts < 2 || clCreateSubDevices(own, one, 1, &part, NULL) != CL_SUCCESS)
        return NULL;
    *is_part = true;
    return part;
}

/* Two devices, an engine on the first: a plan of it on a queue of the second. */
static void run_in_pair(struct tally *t, cl_device_id second)
{
    const struct session *s = &t->device->session;
    const cl_device_id pair[] = {s->info.device, second};
    struct tally all = *t;
    struct device two = *t->device;
    two.session.busy = NULL; /* the other session's */
    two.session.context = clCreateContext(NULL, 2, pair, NULL, NULL, NULL);
    ck_assert(two.session.context != NULL);
    two.session.queue = clCreateCommandQueue(two.session.context, pair[0], 0, NULL);
    cl_command_queue wrong = clCreateCommandQueue(two.session.context, second, 0, NULL);
    ck_assert(two.session.queue && wrong);
    all.device = &two;
    if (tally_ok(&all,
                 clsm_engine_create(two.session.context, pair[0], &two.session.engine),
                 "engine in a context of two")) {
        struct rig rig = rig_open(&all, 0, CLSM_F32, CLSM_F32);
        REFUSES(&rig, CLSM_ERR_DEVICE, "queue", "expected the plan's", c.queue = wrong);
        rig_close(&rig);
    }
    clReleaseCommandQueue(wrong);
    session_close(&two.session);
    all.device = t->device;
    *t = all;
}

START_TEST(queue_on_another_device_is_refused)
{
    struct tally t = tally_of(_i);
    bool is_part;
    cl_device_id second = companion(t.device, &is_part);
    ck_assert(second != NULL);
    run_in_pair(&t, second);
    if (is_part)
        clReleaseDevice(second);
    tally_end(&t);
}
END_TEST

START_TEST(engine_wants_a_device_of_its_context)
{
    struct tally t = tally_of(_i);
    const struct session *s = &t.device->session;
    bool is_part;
    clsm_engine *engine = (clsm_engine *)&t;
    clsm_status got = clsm_engine_create(NULL, s->info.device, &engine);
    check_refusal(&t, got, CLSM_ERR_NULL, "context", "NULL", engine, "context");
    engine = (clsm_engine *)&t;
    got = clsm_engine_create(s->context, NULL, &engine);
    check_refusal(&t, got, CLSM_ERR_NULL, "device", "NULL", engine, "device");
    got = clsm_engine_create(s->context, s->info.device, NULL);
    check_refusal(&t, got, CLSM_ERR_NULL, "engine", "NULL", NULL, "engine");
    cl_device_id second = companion(t.device, &is_part);
    if (second) {
        engine = (clsm_engine *)&t;
        got = clsm_engine_create(s->context, second, &engine);
        check_refusal(&t, got, CLSM_ERR_CONTEXT, "device",
                      "one of the context's devices", engine, "another device");
    }
    if (is_part)
        clReleaseDevice(second);
    clsm_engine_destroy(NULL);
    tally_end(&t);
}
END_TEST

START_TEST(forbidden_access_is_refused)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, 0, CLSM_F32, CLSM_F32);
    size_t bytes = RIG_ELEMENTS * sizeof(float);
    cl_context context = rig.session->context;
    cl_mem source = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   bytes, rig.x_data, NULL);
    cl_mem sink = clCreateBuffer(context, CL_MEM_WRITE_ONLY, bytes, NULL, NULL);
    ck_assert(source && sink);
    REFUSES(&rig, CLSM_ERR_ACCESS, "buffer x", "WRITE_ONLY, but it is read",
            c.args.x = sink);
    REFUSES(&rig, CLSM_ERR_ACCESS, "buffer y", "READ_ONLY, but it is written",
            c.args.y = source);
    REFUSES(&rig, CLSM_ERR_ACCESS, "buffer y", "READ_ONLY, but it is written",
            (c.args.x = source, c.args.y = source));
    struct call c = rig_call(&rig);
    c.given = &c.args;
    c.args.x = source;
    c.args.y = sink;
    rig_serves(&rig, &c, "x read-only, y write-only");
    clReleaseMemObject(source);
    clReleaseMemObject(sink);
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

START_TEST(image_is_not_a_buffer)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, 0, CLSM_F32, CLSM_F32);
    cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    cl_mem image = clCreateImage(rig.session->context, CL_MEM_READ_WRITE, &format,
                                 &desc, NULL, NULL);
    ck_assert(image != NULL);
    REFUSES(&rig, CLSM_ERR_BUFFER, "x is a memory object of type 0x10f1",
            "not a buffer", c.args.x = image);
    REFUSES(&rig, CLSM_ERR_BUFFER, "y is a memory object of type 0x10f1",
            "not a buffer", c.args.y = image);
    clReleaseMemObject(image);
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

/* Where parts of a buffer may start. */
static size_t part_bytes(const struct session *s)
{
    cl_uint bits = 1024;
    clGetDeviceInfo(s->info.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits,
                    NULL);
    return bits / 8;
}

static cl_mem part_of(cl_mem whole, size_t first, size_t bytes)
{
    cl_buffer_region region = {first, bytes};
    cl_mem part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE,
                                    CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
    ck_assert_msg(part != NULL, "no sub-buffer of %zu bytes at %zu", bytes, first);
    return part;
}

START_TEST(parts_of_a_buffer_that_overlap_are_refused)
{
    struct tally t = tally_of(_i);
    struct rig rig = rig_open(&t, 0, CLSM_F32, CLSM_F32);
    size_t bytes = RIG_ELEMENTS * sizeof(float), step = part_bytes(rig.session);
    ck_assert_uint_lt(step, bytes);
    cl_mem whole = session_buffer(rig.session, bytes + step, NULL);
    cl_mem first = part_of(whole, 0, bytes), second = part_of(whole, step, bytes);
    REFUSES(&rig, CLSM_ERR_OVERLAP, "x at bytes 0 to 660", "the same elements or none",
            (c.args.x = first, c.args.y = second));
    REFUSES(&rig, CLSM_ERR_OVERLAP, "y at bytes 0 to 660", "the same elements or none",
            (c.args.x = second, c.args.y = first));
    REFUSES(&rig, CLSM_ERR_OVERLAP, "y at bytes 0 to 660", "the same elements or none",
            (c.args.x = second, c.args.y = whole));
    REFUSES(&rig, CLSM_ERR_BUFFER, "buffer y has 660 bytes", "y_offset 1",
            (c.args.y = first, c.args.y_offset = 1));
    clReleaseMemObject(first);
    clReleaseMemObject(second);
    clReleaseMemObject(whole);
    rig_close(&rig);
    tally_end(&t);
}
END_TEST

static bool has_images(const struct device *d)
{
    cl_bool images = CL_FALSE;
    clGetDeviceInfo(d->session.info.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images,
                    &images, NULL);
    return images;
}

void context_errors_suite(Suite *suite, int device)
{
    bool is_part;
    cl_device_id second = companion(&devices[device], &is_part);
    add_test(suite, device, NULL, objects_of_another_context_are_refused);
    add_test(suite, device, NULL, engine_wants_a_device_of_its_context);
    add_test(suite, device, NULL, forbidden_access_is_refused);
    add_test(suite, device, NULL, parts_of_a_buffer_that_overlap_are_refused);
    if (second)
        add_test(suite, device, NULL, queue_on_another_device_is_refused);
    else
        note(&devices[device], "no second device for a context");
    if (has_images(&devices[device]))
        add_test(suite, device, NULL, image_is_not_a_buffer);
    else
        note(&devices[device], "no images");
    if (is_part)
        clReleaseDevice(second);
}
