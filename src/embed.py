#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn the .cl files into C byte arrays: embed.py VARIANTS.DEF OUTPUT.INC OUTPUT.D

Quoted includes are written out where they stand, with #line so that a
driver's build log names the .cl and its line. Byte arrays, since C promises string
literals of 4095 characters only.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'#include "([\w.]+)"\s*$')


def lines_of(path, seen):
    """The text of one file as lines, includes written out, and what it was made of."""
    seen.append(path)
    yield f'#line 1 "{path.name}"'
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield from lines_of(path.parent / match.group(1), seen)
            yield f'#line {number + 1} "{path.name}"'
        else:
            yield line


def array(name, text):
    data = text.encode()
    body = "\n".join(
        "    " + " ".join(f"{b}," for b in data[i : i + 20]) for i in range(0, len(data), 20)
    )
    return (
        f"static const unsigned char bytes_{name}[] = {{\n{body}\n}};\n"
        f"static const struct source source_{name} = {{bytes_{name}, {len(data)}}};\n"
    )


def main():
    table, output, depfile = map(pathlib.Path, sys.argv[1:])
    folder = table.parent
    for name in re.findall(r"^VARIANT\((\w+)", table.read_text(), re.M):
        if not (folder / f"{name}.cl").is_file():
            sys.exit(f"{table.name}: variant '{name}' has no file cl/{name}.cl")
    seen = []
    parts = [
        array(path.stem, "\n".join(lines_of(path, seen)) + "\n")
        for path in sorted(folder.glob("*.cl"))
    ]
    output.write_text("\n".join(parts))
    inputs = " ".join(str(p) for p in sorted(set(seen)))
    depfile.write_text(f"{output}: {table} {inputs}\n")


if __name__ == "__main__":
    main()
