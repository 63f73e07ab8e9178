#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""readme_example.py SOURCE_ROOT: the README's C program is examples/softmax.c, to the byte."""
import difflib
import pathlib
import sys


def c_blocks(text):
    """The contents of the ```c blocks, in order."""
    block = None
    for line in text.splitlines(keepends=True):
        if block is None:
            if line.rstrip() == "```c":
                block = []
        elif line.rstrip() == "```":
            yield "".join(block)
            block = None
        else:
            block.append(line)


def main(root):
    readme = (root / "README.md").read_bytes().decode()
    example = (root / "examples" / "softmax.c").read_bytes().decode()
    programs = [block for block in c_blocks(readme) if "int main" in block]
    if not programs:
        return "README.md has no ```c block with int main"
    if programs[0] == example:
        return 0
    sys.stdout.writelines(difflib.unified_diff(
        example.splitlines(keepends=True), programs[0].splitlines(keepends=True),
        "examples/softmax.c", "README.md"))
    return "the README's program is not examples/softmax.c"


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
