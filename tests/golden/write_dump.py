# SPDX-License-Identifier: Apache-2.0
"""Writes dump files from docs/dump.md alone, with struct: the files that the tools are tested with."""
import struct

import numpy as np

NUMBERS = {np.float32: 1, np.float16: 2, np.int8: 3, np.uint8: 4, np.int16: 5, np.uint16: 6, np.int32: 7, np.int64: 8,
           np.uint32: 9, np.uint64: 10, np.bool_: 11, np.float64: 12, np.complex64: 16, np.complex128: 17}  # fmt: skip


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def number(field, value):
    return varint(field << 3) + varint(value) if value else b""


def message(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def shape(dims):
    packed = b"".join(varint(dim) for dim in dims)
    return message(1, packed) if packed else b""


def tensor(data, dims, data_type, is_input, fmt=2, original=None, sub_format=0, origin=None):
    """The fields of an OpInput or OpOutput; origin: (name, output index, format) of the operator before fusion."""
    size, original_shape, sub = (5, 6, 7) if is_input else (6, 7, 8)
    body = number(1, data_type) + number(2, fmt) + message(3, shape(dims))
    if origin:
        body += message(4, message(1, origin[0].encode()) + number(2, origin[1]) + number(4, origin[2]))
    body += number(size, len(data))
    return body + message(original_shape, shape(dims if original is None else original)) + number(sub, sub_format)


def entry(array, is_input, **more):
    return {"body": tensor(array.tobytes(), array.shape, NUMBERS[array.dtype.type], is_input, **more), "data": array.tobytes()}


def raw_entry(data, dims, data_type, is_input, **more):
    return {"body": tensor(data, dims, data_type, is_input, **more), "data": data}


def dump(op_name, inputs=(), outputs=(), spaces=(), time=1700000000123456):
    header = message(1, b"2.0") + number(2, time)
    header += b"".join(message(3, one["body"]) for one in outputs) + b"".join(message(4, one["body"]) for one in inputs)
    header += message(6, op_name.encode())
    header += b"".join(message(8, number(3, len(data))) for data in spaces)
    data = b"".join(one["data"] for one in inputs) + b"".join(one["data"] for one in outputs) + b"".join(spaces)
    return struct.pack("<Q", len(header)) + header + data
