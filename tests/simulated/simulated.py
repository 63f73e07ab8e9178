# SPDX-License-Identifier: MIT
"""Mappings with inline PTX, on a simulated GPU: simulated.py PROGRAM CLANG

The machines that test have no GPU, and CPU runtimes run work-groups one after another, so that
none can wait for others. So clang compiles these kernels for the host, functions of inline PTX
left to PROGRAM, which runs the work-items in turn.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# operation, type, rows, columns, inner, variant, and work-groups that run at a time
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
softmax     bf16 20 9000  1 settled:WG=128,HOLD=4         6
softmax+mask bf16 20 9000 1 settled:WG=128,HOLD=4         6
softmax+mask bf16 20 9001 1 settled:WG=128,HOLD=4         7
softmax+mask+offset bf16 20 9000 1 settled:WG=128,HOLD=4  6
softmax+mask f32 20 9000  1 settled:WG=128,HOLD=5         6
softmax+mask+offset f32 20 9000 1 settled:WG=128,HOLD=5   6
softmax+mask f32 20 5003  1 settled:WG=128,HOLD=5         5
log_softmax+mask f16 20 6000 1 settled:WG=128,HOLD=4      4
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
softmax+temperature bf16 599 10 1 staged:CLUSTER=1,WG=64  2
log_softmax+temperature f32 99 50 1 staged:CLUSTER=4,WG=64 2
log_softmax bf16 40  700 32 strided:WG=128,TILE=32        2
log_softmax f32  3  2000 32 strided:WG=512,TILE=16        2
softmax     f32  3  1000 64 strided:WG=256,TILE=16        2
softmax     bf16 2  1000 64 strided:WG=512,TILE=32        2
softmax     bf16 3  3000 32 strided:WG=256,TILE=32        2
log_softmax bf16 40  100 64 strided:WG=64,TILE=64         2
softmax     bf16 3    21 64 spatial:WG=64,TILE=256        2
log_softmax f16  3   100 64 spatial:WG=64,TILE=64         2
log_softmax f32  2     5 512 spatial:WG=64,TILE=256       2
cross_entropy f16 2    5 512 spatial:WG=64,TILE=512       1
cross_entropy f32 3   40 64 spatial:WG=64,TILE=128        2
log_softmax bf16 2     2 512 spatial:WG=64,TILE=256       2
log_softmax f16  2     8 512 spatial:WG=64,TILE=128       2
cross_entropy bf16 2   3 512 spatial:WG=64,TILE=128       2
cross_entropy+z_loss bf16 2 3 512 spatial:WG=64,TILE=128  2
cross_entropy+z_loss f16 2 12 512 spatial:WG=64,TILE=128  2
cross_entropy+z_loss bf16 599 37 1 staged:CLUSTER=1,WG=64 2
"""

# a function of inline PTX, or one that is made of them
PTX = re.compile(r"^static ([\w ]+?)(\**)(ptx_\w+)\(([^)]*)\)\n\{\n(.*?)^\}\n", re.M | re.S)


def declared(match):
    """A function as its declaration, if it is one of PTX."""
    returns, stars, name, arguments, body = match.groups()
    if "asm" not in body and "PTX_" not in body:
        return match[0]
    return f"{returns} {stars}{name}({arguments});\n"


def compiled(program, clang, folder, case):
    """A library with a case's kernel."""
    source, library = folder / "kernel.cl", folder / "kernel.so"
    options = subprocess.run([program, "source", source, *case], capture_output=True, text=True,
                             check=True).stdout.split()
    source.write_text(PTX.sub(declared, source.read_text()))
    options = [o for o in options if not o.startswith("-cl-") or o.startswith("-cl-std")]
    subprocess.run([clang, "-x", "cl", *options, "-w", "-O1", "-fPIC", "-ffp-contract=off",
                    "-Xclang", "-finclude-default-header", "-target", "x86_64-linux-gnu", "-shared",
                    "-nostdlib", "-o", library, source], check=True)
    return library


def main(program, clang):
    cases = [line.split() for line in CASES.strip().splitlines()]
    print(f"1..{len(cases)}", flush=True)
    failed = 0
    for number, (*case, groups) in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            library = compiled(program, clang, pathlib.Path(folder), case)
            run = subprocess.run([program, "run", library, groups, *case], capture_output=True,
                                 text=True, check=False)
        bad = run.returncode != 0
        failed += bad
        print(f"{'not ' * bad}ok {number} - {' '.join(case)}: {(run.stderr or run.stdout).strip()}",
              flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
