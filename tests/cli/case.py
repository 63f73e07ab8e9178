# SPDX-License-Identifier: MIT
"""What the tests of the command share: running it, a folder of files, comparing. Plain
unittest; the first argument is the built command, the second the source's root. Without a
device only what needs none is run, and the exit status is 77 (skipped)."""
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMMAND, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
DIGITS = ROOT / "examples" / "data"


def run(*arguments, **environment):
    return subprocess.run(
        [COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, **environment},
    )


HAS_DEVICE = run("devices").returncode == 0
needs_device = unittest.skipUnless(HAS_DEVICE, "no OpenCL device")


def softmax(row):
    largest = max(row)
    terms = [math.exp(v - largest) for v in row]
    return [t / sum(terms) for t in terms]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.x, self.y = self.folder / "x.npy", self.folder / "y.npy"

    def fine(self, *arguments, **environment):
        done = run(*arguments, **environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def fails(self, status, *arguments, says=(), **environment):
        done = run(*arguments, **environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for part in says:
            self.assertIn(part, done.stderr)
        self.assertEqual(list(self.folder.glob("y.npy?*")), [], "a temporary file is left")

    def close(self, got, want, relative=1e-5):
        self.assertEqual(len(got), len(want))
        for g, w in zip(got, want):
            self.assertLessEqual(abs(g - w), relative * abs(w) + 1e-30, (g, w))


def main():
    result = unittest.main(module="__main__", argv=sys.argv[:1], exit=False, verbosity=2).result
    sys.exit(1 if not result.wasSuccessful() else 0 if HAS_DEVICE else 77)
