/* SPDX-License-Identifier: MIT */
/*
 * What kernels with vectors use of OpenCL C, for drivers that read a header of all there is
 * unless they are told that it was read: it is 16000 lines, which take longer than a kernel.
 */
#define EACH_WIDTH(ROW, type)                                                            \
    ROW(type, 2)                                                                         \
    ROW(type, 4)                                                                         \
    ROW(type, 8)                                                                         \
    ROW(type, 16)
#define VECTOR(type, n) typedef type type##n __attribute__((ext_vector_type(n)));
#define VECTORS(type) EACH_WIDTH(VECTOR, type)

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;
VECTORS(uchar)
VECTORS(ushort)
VECTORS(int)
VECTORS(uint)
VECTORS(long)
VECTORS(ulong)
VECTORS(float)

#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define as_uint(x) __builtin_astype(x, uint)
#define as_uint2(x) __builtin_astype(x, uint2)
#define as_uint4(x) __builtin_astype(x, uint4)
#define as_uint8(x) __builtin_astype(x, uint8)
#define as_uint16(x) __builtin_astype(x, uint16)
#define as_int4(x) __builtin_astype(x, int4)
#define as_int8(x) __builtin_astype(x, int8)
#define as_int16(x) __builtin_astype(x, int16)
#define as_float(x) __builtin_astype(x, float)
#define as_float4(x) __builtin_astype(x, float4)
#define as_float8(x) __builtin_astype(x, float8)
#define as_float16(x) __builtin_astype(x, float16)

#define BUILTIN __attribute__((overloadable))
#define PURE_BUILTIN __attribute__((overloadable, const))

size_t PURE_BUILTIN get_group_id(uint);
size_t PURE_BUILTIN get_num_groups(uint);
uint PURE_BUILTIN min(uint, uint);
uint PURE_BUILTIN max(uint, uint);
long PURE_BUILTIN min(long, long);
long PURE_BUILTIN max(long, long);
ulong PURE_BUILTIN min(ulong, ulong);
uint BUILTIN atomic_inc(volatile __global uint *);
float BUILTIN vload_half(size_t, const __global half *);
void BUILTIN vstore_half_rte(float, size_t, __global half *);

#define ON_FLOATS(float)                                                                 \
    float PURE_BUILTIN fabs(float);                                                      \
    float PURE_BUILTIN fma(float, float, float);                                         \
    float PURE_BUILTIN log1p(float);                                                     \
    float PURE_BUILTIN tanh(float);
#define ON_VECTORS(float, n)                                                             \
    ON_FLOATS(float##n)                                                                  \
    float##n BUILTIN vload_half##n(size_t, const half *);                                \
    void BUILTIN vstore_half##n##_rte(float##n, size_t, half *);
ON_FLOATS(float)
EACH_WIDTH(ON_VECTORS, float)
