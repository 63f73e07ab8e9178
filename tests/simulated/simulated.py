# SPDX-License-Identifier: MIT
"""Mappings with inline PTX or subgroups, on a simulated GPU: simulated.py PROGRAM CLANG [WATCH]

The machines that test have no GPU, and CPU runtimes run work-groups one after another, so that
none can wait for others. So clang compiles these kernels for the host, functions of inline PTX
and those of subgroups left to PROGRAM, which runs the work-items in turn. WATCH, AddressSanitizer's
library, sees who leaves a kernel's local memory.

And CPU mappings with inline assembly: PoCL 5 and 6 end the process where it stands in a kernel's
own body, so that it has to be in functions of its own.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# operation (and what it wears, see case.h), type, rows, columns, inner, variant, and work-groups
# that run at a time, where they loop over rows
CASES = """
softmax     f32  2  4096 32 strided_ahead:WG=256,TILE=32 12
softmax     f32  1  9000 32 strided_ahead:WG=256,TILE=32 20
softmax     f32  2  9000 32 strided_ahead:WG=256,TILE=32 36
softmax     bf16 1 20000 32 strided_ahead:WG=128,TILE=32 41
log_softmax f32  1  9000 32 strided_ahead:WG=256,TILE=32 19
softmax     f32  1  9000 16 strided_ahead:WG=256,TILE=16 12
softmax     f32  3   700 64 strided_ahead:WG=128,TILE=64 12
softmax     f32  5   100 32 strided_ahead:WG=128,TILE=32  3
softmax     bf16 2  4096 32 strided_ahead:WG=128,TILE=32 12
softmax     bf16 1 20000 32 strided_ahead:WG=256,TILE=16 24
log_softmax f32  1  3000 32 strided_ahead:WG=256,TILE=32 10
log_softmax bf16 1  3000 32 strided_ahead:WG=128,TILE=32 10
log_sum_exp f32  1  9000 32 strided_ahead:WG=256,TILE=32 20
log_softmax_backward f32 1 9000 32 strided_ahead:WG=256,TILE=32 36
finish_softmax f32 2 3000 32 strided_ahead:WG=128,TILE=32   6
finish_softmax bf16 2 3000 32 strided_ahead:WG=256,TILE=64  3
finish_log_softmax f32 5 700 16 strided_ahead:WG=256,TILE=16 3
softmax     f32  20 9000  1 ahead:WG=128,HOLD=3           6
softmax     bf16 20 9001  1 ahead:WG=128,HOLD=3           7
softmax+offset bf16 20 9000 1 ahead:WG=128,HOLD=3         7
log_softmax f32  20 5003  1 ahead:WG=128,HOLD=8           2
softmax     f32  20 9000  1 joined:WG=256,HOLD=2          9
log_sum_exp f32  20 9000  1 joined:WG=128,HOLD=2          9
topk+k=8    f32  20 9000  1 joined:WG=256,HOLD=2          9
topk+k=3    bf16 20 9001  1 joined:WG=128,HOLD=4          9
topk+k=50   bf16 20 20001 1 joined:WG=128,HOLD=4         12
topk+k=50   f16  20 70001 1 joined:WG=256,HOLD=8          8
topk+mask_alone+k=8 f32 20 9001 1 joined:WG=128,HOLD=2         12
finish_softmax bf16 20 9000 1 joined:WG=128,HOLD=2        4
log_sum_exp f32  20 9000  1 ahead:WG=128,HOLD=3           6
cross_entropy_loss bf16 20 9000 1 ahead:WG=128,HOLD=4     3
merge_statistics f16 20 9000 1 ahead:WG=128,HOLD=3        3
log_sum_exp+mask_alone f32 20 9001 1 ahead:WG=128,HOLD=3        4
finish_log_softmax f32 20 9000 1 ahead:WG=128,HOLD=3      4
softmax     bf16 20 9000  1 settled:WG=128,HOLD=4         6
softmax+mask_alone bf16 20 9000 1 settled:WG=128,HOLD=4         6
softmax+mask_alone bf16 20 9001 1 settled:WG=128,HOLD=4         7
softmax+mask_alone+offset bf16 20 9000 1 settled:WG=128,HOLD=4  6
softmax+mask_alone f32 20 9000  1 settled:WG=128,HOLD=5         6
softmax+mask_alone+offset f32 20 9000 1 settled:WG=128,HOLD=5   6
softmax+mask_alone f32 20 5003  1 settled:WG=128,HOLD=5         5
log_softmax+mask_alone f16 20 6000 1 settled:WG=128,HOLD=4      4
softmax+bool_mask_alone f32 20 9001 1 settled:WG=128,HOLD=5     5
softmax+bool_mask_alone bf16 20 9001 1 settled:WG=128,HOLD=4    7
softmax+bool_mask_alone f32 20 9001 1 ahead:WG=128,HOLD=3       6
softmax     f16  20 6000  1 ahead:WG=128,HOLD=4           4
softmax     f16  2  3000 32 strided_ahead:WG=128,TILE=32 10
softmax     f32  40 1000  1 cluster:CLUSTER=16,WG=64      3
log_softmax bf16 40 1001  1 cluster:CLUSTER=32,WG=64      3
softmax     bf16 20 5000  1 registers:WG=128              2
log_softmax f16  20 3001  1 registers:WG=64               2
softmax     bf16 99  100  1 staged:CLUSTER=4,WG=64        2
log_softmax f32  99   33  1 staged:CLUSTER=1,WG=64        2
cross_entropy bf16 599 10 1 staged:CLUSTER=1,WG=64        2
cross_entropy f32 99   50 1 staged:CLUSTER=2,WG=64        1
cross_entropy bf16 40 100 1 cluster:CLUSTER=4,WG=64       2
log_softmax_backward bf16 300 10 1 staged:CLUSTER=1,WG=64 2
log_softmax_backward f32 99 50 1 staged:CLUSTER=4,WG=64   2
softmax_backward+offset f16>f32 39 255 1 staged:CLUSTER=16,WG=64 4
merge_statistics+offset bf16 39 211 1 staged:CLUSTER=16,WG=64 2
log_softmax+temperature_0_alone bf16 99 30 1 staged:CLUSTER=1,WG=64 2
log_softmax+temperature_0_alone f16 40 300 1 cluster:CLUSTER=16,WG=64 2
log_softmax+temperature_0_alone bf16 20 5000 1 registers:WG=128 2
log_softmax+temperature_0_alone bf16 3 100 64 spatial:WG=64,TILE=64 2
log_softmax+temperature_0_alone bf16 3 700 32 strided:WG=128,TILE=32 2
softmax+temperatures bf16 599 10 1 staged:CLUSTER=1,WG=64  2
log_softmax+temperatures f32 99 50 1 staged:CLUSTER=4,WG=64 2
log_softmax bf16 40  700 32 strided:WG=128,TILE=32        2
log_softmax+in_place bf16 40 8 32 strided:WG=64,TILE=32  20
log_softmax f32  3  2000 32 strided:WG=512,TILE=16        2
softmax     f32  3  1000 64 strided:WG=256,TILE=16        2
softmax     bf16 2  1000 64 strided:WG=512,TILE=32        2
softmax     bf16 3  3000 32 strided:WG=256,TILE=32        2
log_softmax bf16 40  100 64 strided:WG=64,TILE=64         2
log_softmax bf16 3   150 64 strided:WG=64,TILE=32         2
log_softmax f32  3    90 64 strided:WG=128,TILE=64        2
log_sum_exp f32  3     1 63 strided:WG=64,TILE=64         2
log_softmax bf16 3     1 64 strided:WG=64,TILE=16         2
log_sum_exp bf16 3   200 64 strided:WG=128,TILE=16        2
cross_entropy bf16 3 150 64 strided:WG=128,TILE=64        2
cross_entropy f32 3   40 64 strided:WG=64,TILE=32         2
softmax     bf16 3   150 64 strided:WG=128,TILE=64        2
softmax     f32  3    21 20 strided:WG=128,TILE=64        1
softmax_backward f16 3 45 60 strided:WG=128,TILE=64       2
softmax     bf16 3    21 64 spatial:WG=64,TILE=256        2
log_softmax f16  3   100 64 spatial:WG=64,TILE=64         2
log_softmax f32  2     5 512 spatial:WG=64,TILE=256       2
cross_entropy f16 2    5 512 spatial:WG=64,TILE=512       1
cross_entropy f32 3   40 64 spatial:WG=64,TILE=128        2
cross_entropy_loss bf16 3 150 64 spatial:WG=64,TILE=128   2
cross_entropy_loss bf16 3 10 64 spatial:WG=64,TILE=128    2
cross_entropy f32 3     10 20 spatial:WG=64,TILE=128      2
cross_entropy_loss f32 3  64 64 strided:WG=64,TILE=32     2
log_softmax bf16 2     2 512 spatial:WG=64,TILE=256       2
log_softmax f16  2     8 512 spatial:WG=64,TILE=128       2
cross_entropy bf16 2   3 512 spatial:WG=64,TILE=128       2
cross_entropy+z_loss bf16 2 3 512 spatial:WG=64,TILE=128  2
cross_entropy+z_loss f16 2 12 512 spatial:WG=64,TILE=128  2
log_sum_exp f32  3   200 64 spatial:WG=64,TILE=64         2
log_sum_exp bf16 2   300 64 spatial:WG=64,TILE=128        2
cross_entropy+z_loss bf16 599 37 1 staged:CLUSTER=1,WG=64 2
softmax+in_place f32 9  5000  1 split:WG=128,PACKS=4       1
log_sum_exp bf16  9  9001  1 split:WG=128,PACKS=4          1
cross_entropy+in_place f32 9 5000 1 split:WG=128,PACKS=4   1
cross_entropy+in_place bf16 9 9001 1 split:WG=128,PACKS=4  1
cross_entropy+in_place f32 2 300 32 strided_split:WG=256,TILE=32 1
cross_entropy+in_place bf16 2 300 32 strided_split:WG=512,TILE=32 1
statistics+causal bf16 20 9001 1 ahead:WG=128,HOLD=3      6
cross_entropy+class_weights f32 20 9001 1 ahead:WG=128,HOLD=3 6
deferred_softmax+alibi f32 20 9001 1 joined:WG=256,HOLD=2 9
topk+window bf16 20 9001  1 joined:WG=128,HOLD=2          9
merge_statistics f32 20 9001 1 joined:WG=128,HOLD=2       9
finish_log_softmax+alibi f16 20 9001 1 settled:WG=128,HOLD=4 7
deferred_softmax+causal f16 20 9001 1 settled:WG=128,HOLD=4 7
statistics+mask_alone f32 20 5003 1 settled:WG=128,HOLD=5 7
softmax+window f16 20 9001 1 reverse:WG=256,PACKS=4       2
log_softmax+mask bf16 20 5001 1 registers:WG=128          2
finish_softmax+causal bf16 40 1001 1 cluster:CLUSTER=16,WG=64 3
log_softmax+causal f16 99 100 1 cluster:CLUSTER=4,WG=64   2
deferred_softmax+bool_mask f32 99 101 1 staged:CLUSTER=4,WG=64 2
cross_entropy+all_of_a_loss bf16 99 101 1 staged:CLUSTER=4,WG=64 2
cross_entropy_loss+smoothing f16 300 8 1 spatial:WG=64,TILE=64 2
softmax+bool_mask+limit+gaps f32 20 9001 1 ahead:WG=128,HOLD=3 6
log_softmax+limit+gaps bf16 20 9001 1 joined:WG=128,HOLD=2 9
log_softmax_backward+gaps bf16 20 9001 1 ahead:WG=128,HOLD=3 6
softmax     f64  20 9001  1 ahead:WG=128,HOLD=4          20
log_softmax+mask_alone f64 20 9001 1 settled:WG=128,HOLD=4 20
log_sum_exp+causal f64 99 100 1 cluster:CLUSTER=16,WG=64  3
cross_entropy+all_of_a_loss f64 99 101 1 staged:CLUSTER=4,WG=64 2
deferred_softmax+mask_alone+gaps f32 99 101 1 staged:CLUSTER=4,WG=64 2
topk+row_results bf16 300 8 1 spatial:WG=64,TILE=64       2
log_sum_exp+row_results f16 400 2 1 packed:WG=128         2
softmax+row_results bf16 400 4 1 packed:WG=128            2
log_sum_exp+scale f16 9 9001 1 split:WG=128,PACKS=4       1
statistics+mask f16 5 100 64 strided:WG=64,TILE=64        2
topk+k=4+intel f32 40 1001 1 cluster:CLUSTER=32,WG=64     2
topk+k=2+intel bf16 20 5001 1 registers:WG=128            2
log_softmax f16>f32 2 1000 32 strided_ahead:WG=128,TILE=16 12
log_softmax bf16>f32 20 3001 1 registers:WG=64            2
softmax+scale f32>bf16 9 2049 1 reverse:WG=512,PACKS=4    2
softmax_backward f64>f32 9 5000 1 joined:WG=256,HOLD=1   40
topk     f16>f64 20  501  1 subgroup:WG=128               2
softmax+intel bf16 40 1001 1 cluster:CLUSTER=16,WG=64     2
log_softmax+bool_mask+in_place+intel f16 99 101 1 staged:CLUSTER=4,WG=64 2
cross_entropy+in_place+intel f32 9 3000 1 registers:WG=128 2
log_softmax+in_place+intel f32 9 300 32 strided:WG=128,TILE=32 2
softmax+khr f32  20 1001 1 subgroup:WG=128                2
log_softmax+alibi+khr bf16 20 1001 1 subgroup:WG=128      2
topk+k=5+khr f16 20 501 1 subgroup:WG=128                 2
log_sum_exp+khr f32 9 3001 1 group:WG=256                 2
softmax_backward+large+khr f32 9 300 1 subgroup:WG=128    2
"""

# operation, type, rows, columns, inner, variant
WITH_ASSEMBLY = """
softmax       bf16 64     21 64 neighbours:VEC=16
log_softmax   bf16 64    700 64 neighbours:VEC=16
cross_entropy bf16 64     21 64 neighbours:VEC=16
softmax       bf16 999   100  1 lines:VEC=16
log_softmax   bf16 999   101  1 lines:VEC=16
softmax       bf16 999    10  1 transposed:VEC=16
cross_entropy bf16 999    10  1 transposed:VEC=16
softmax       bf16 999  1000  1 fused:VEC=16
log_softmax   bf16 999  1001  1 fused:VEC=16
softmax       bf16 1  200000  1 wide_split:VEC=16
"""

# what subgroups.c has, of which clang 14 does not know all in OpenCL C 1.2, and others not the
# shuffle; under names that none has
SUBGROUPS = "".join(f"#define {name} simulated_{name}\n"
                    f"{returns} __attribute__((overloadable)) {name}({takes});\n"
                    for returns, name, takes in (
                        ("uint", "get_sub_group_size", "void"),
                        ("uint", "get_sub_group_local_id", "void"),
                        ("uint", "get_sub_group_id", "void"),
                        ("uint", "get_num_sub_groups", "void"),
                        ("void", "sub_group_barrier", "uint"),
                        ("float", "sub_group_reduce_add", "float"),
                        ("float", "sub_group_reduce_max", "float"),
                        ("uint", "sub_group_reduce_max", "uint"),
                        ("float", "intel_sub_group_shuffle_xor", "float, uint")))

# a function of inline PTX, or one that is made of them
PTX = re.compile(r"^static ([\w ]+?)(\**)(ptx_\w+)\(([^)]*)\)\n\{\n(.*?)^\}\n", re.M | re.S)


def declared(match):
    """A function as its declaration, if it is one of PTX; of doubles with a name of its own."""
    returns, stars, name, arguments, body = match.groups()
    if "asm" not in body and "PTX_" not in body:
        return match[0]
    symbol = name.removesuffix("_f64") + "_f64" * (returns.strip() == "double")
    return f'{returns} {stars}{name}({arguments}) __asm__("{symbol}");\n'


def compiled(program, clang, folder, case, *how):
    """A case's kernel, as a file of what clang is told to make."""
    source, made = folder / "kernel.cl", folder / "kernel.so"
    options = subprocess.run([program, "source", source, *case], capture_output=True, text=True,
                             check=True).stdout.split()
    source.write_text(SUBGROUPS + PTX.sub(declared, source.read_text()))
    options = [o for o in options if not o.startswith("-cl-") or o.startswith("-cl-std")]
    subprocess.run([clang, "-x", "cl", *options, "-w", "-O1", "-ffp-contract=off", "-Xclang",
                    "-finclude-default-header", "-target", "x86_64-linux-gnu", *how, "-o", made,
                    source], check=True)
    return made


# problems drawn at random besides; CLSM_TEST_SEED=N and CLSM_TEST_PLANS=N draw others, or more
RANDOM = 50

# work-items have stacks of their own, which confuse it
NO_STACKS = ["-mllvm", "-asan-stack=0"]
FOUND = re.compile(r"AddressSanitizer: \S+ on|(?:READ|WRITE) of size \d+|is located .*")


def watching(watch, folder):
    """The environment of a program whose kernel is watched."""
    options = f"log_path={folder / 'watch'}:detect_leaks=0:detect_odr_violation=0"
    return {"LD_PRELOAD": watch, "ASAN_OPTIONS": options} if watch else {}


def runs(program, clang, watch, folder, case):
    """Whether a case runs as it should, and what there is to say."""
    watched = ["-fsanitize=address", *NO_STACKS] if watch else []
    library = compiled(program, clang, folder, case, "-fPIC", "-shared", "-nostdlib", *watched)
    run = subprocess.run([program, "run", library, *case], capture_output=True, text=True,
                         check=False, env={**os.environ, **watching(watch, folder)})
    for report in folder.glob("watch.*"):
        if found := FOUND.findall(report.read_text()):
            return False, "; ".join(found)
    if run.returncode < 0:
        return False, f"ended by signal {-run.returncode}"
    return run.returncode == 0, (run.stderr or run.stdout).strip()


def keeps_assembly_out(program, clang, _, folder, case):
    """Whether there is inline assembly, and none in the kernel itself."""
    text = compiled(program, clang, folder, case, "-S", "-emit-llvm",
                    "-march=skylake-avx512").read_text()
    (kernel,) = re.findall(r"^define [^\n]*@clsm_row\(.*?^\}", text, re.M | re.S)
    if " asm " not in text:
        return False, "no inline assembly"
    inside = " asm " in kernel
    return not inside, f"inline assembly {'in the kernel' if inside else 'out of line'}"


def main(program, clang, watch=None):
    tests = [(judge, line.split()) for judge, cases in
             ((runs, CASES), (keeps_assembly_out, WITH_ASSEMBLY))
             for line in cases.strip().splitlines()]
    first = int(os.environ.get("CLSM_TEST_SEED", 1))
    plans = int(os.environ.get("CLSM_TEST_PLANS", RANDOM))
    tests += [(runs, ["random", str(seed)]) for seed in range(first, first + plans)]
    print(f"1..{len(tests)}", flush=True)
    failed = 0
    for number, (judge, case) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as folder:
            good, said = judge(program, clang, watch, pathlib.Path(folder), case)
        failed += not good
        print(f"{'not ' * (not good)}ok {number} - {' '.join(case)}: {said}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
