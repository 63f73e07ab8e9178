# SPDX-License-Identifier: MIT
"""Reading and writing .npy files without NumPy, for tests that must run everywhere."""
import ast
import struct

CODES = {"f2": "e", "f4": "f", "f8": "d", "u2": "H", "u1": "B", "b1": "?", "i4": "i",
         "i8": "q", "u4": "I"}


def write(path, values, shape, kind="<f4", fortran=False):
    """Values in the order in which they stand in the file."""
    head = f"{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {tuple(shape)}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    order = kind[0] if kind[0] in "<>" else "<"
    body = struct.pack(f"{order}{len(values)}{CODES[kind[1:]]}", *values)
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + body)


def read(path):
    """(values, shape, kind)"""
    with open(path, "rb") as f:
        data = f.read()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    size = struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10 : 10 + size].decode())
    assert not head["fortran_order"]
    kind = head["descr"]
    body = data[10 + size :]
    item = int(kind[2:])
    order = kind[0] if kind[0] in "<>" else "<"
    values = struct.unpack(f"{order}{len(body) // item}{CODES[kind[1:]]}", body)
    return list(values), head["shape"], kind
