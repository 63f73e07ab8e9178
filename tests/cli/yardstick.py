# SPDX-License-Identifier: MIT
"""What the checks against other libraries share: `clsoftmax run` as a function of arrays,
and cases that run side by side, each with random numbers and a folder of its own."""
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback

import numpy as np

COMMAND = sys.argv[1]
WORKERS = 2
# By the type of the result.
RELATIVE = {"f2": 2e-3, "f4": 1e-5, "f8": 1e-13}
ABSOLUTE = {"f2": 1e-6, "f4": 1e-7, "f8": 1e-15}


class Case:
    def __init__(self, seed, number, folder):
        self.random = np.random.default_rng([seed, number])
        self.folder, self.files = pathlib.Path(folder), 0
        self.runs = 0

    def normal(self, shape, dtype="f4", spread=(0.5, 3, 20)):
        x = self.random.standard_normal(shape) * self.random.choice(spread)
        return x.astype(dtype)

    def file(self, array=None):
        self.files += 1
        path = self.folder / f"{self.files}.npy"
        if array is not None:
            np.save(path, array)
        return path

    def run(self, op, x, reads=None, writes=(), has_y=True, says=None, **options):
        """{"y": ..., name of what is written: ...}; what is False or None is not said."""
        command = [COMMAND, "run", "--op", op, "--verify"]
        for name, value in options.items():
            if value is not None and value is not False:
                command += ["--" + name.replace("_", "-")]
                command += [] if value is True else [str(value)]
        for name, array in (reads or {}).items():
            if array is not None:
                command += ["--in", f"{name}={self.file(array)}"]
        written = {name: self.file() for name in writes}
        command += [a for n, f in written.items() for a in ("--out", f"{n}={f}")]
        command += [self.file(x)]
        if has_y:
            written["y"] = self.file()
            command += [written["y"]]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        self.runs += 1
        if done.returncode:
            words = " ".join(map(str, command[2:]))
            raise AssertionError(f"{words}\n{x.shape}\n{done.stdout}{done.stderr}")
        if says is not None:
            says.append(done.stdout)
        return {name: np.load(path) for name, path in written.items()}


def close(got, want, what="", absolute=None, units=1):
    """Within the tolerance of got's type, NaN and infinities the same. The absolute one
    may be given, or be several units of the type's."""
    want = np.asarray(want)
    assert got.shape == want.shape, (what, got.shape, want.shape)
    kind = got.dtype.str[1:]
    absolute = units * ABSOLUTE[kind] if absolute is None else absolute
    np.testing.assert_allclose(got.astype("f8"), want, rtol=RELATIVE[kind], atol=absolute,
                               err_msg=str(what))


def _one(seed, number, case):
    start = time.time()
    with tempfile.TemporaryDirectory() as folder:
        c = Case(seed, number, folder)
        try:
            case(c)
            return f"fine: {case.__name__}, {c.runs} runs, {time.time() - start:.1f} s", True
        except Exception:  # every case is told, whatever became of the others
            return f"FAILED: {case.__name__}\n{traceback.format_exc()}", False


def main(cases):
    """Run the cases; a second argument is a seed to run again."""
    if subprocess.run([COMMAND, "devices"], capture_output=True).returncode == 77:
        print("skipped: no device")
        sys.exit(77)
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else np.random.SeedSequence().entropy % 2**32
    print("seed", seed, flush=True)
    good = True
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for text, fine in pool.map(_one, [seed] * len(cases), range(len(cases)), cases):
            print(text, flush=True)
            good = good and fine
    sys.exit(0 if good else 1)
