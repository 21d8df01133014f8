# SPDX-License-Identifier: Apache-2.0
"""Reads dump files, statistics files and dump trees. Written from docs/dump.md alone, with struct and numpy: the second
implementation that the library's files are checked against. Shares nothing with it."""
import csv
import dataclasses
import pathlib
import struct

import numpy as np

# Dump number -> numpy type of the bytes; types that numpy lacks are kept as their raw storage.
TYPES = {
    0: ("UNDEFINED", np.int8), 1: ("FLOAT", np.float32), 2: ("FLOAT16", np.float16), 3: ("INT8", np.int8),
    4: ("UINT8", np.uint8), 5: ("INT16", np.int16), 6: ("UINT16", np.uint16), 7: ("INT32", np.int32),
    8: ("INT64", np.int64), 9: ("UINT32", np.uint32), 10: ("UINT64", np.uint64), 11: ("BOOL", np.bool_),
    12: ("DOUBLE", np.float64), 16: ("COMPLEX64", np.complex64), 17: ("COMPLEX128", np.complex128),
    27: ("BF16", np.uint16),
}  # fmt: skip


class DumpError(Exception):
    pass


@dataclasses.dataclass
class Tensor:
    data_type: int = 0
    format: int = 0
    shape: list = None  # None: no such message
    original_op: dict = None
    size: int = 0
    original_shape: list = None
    sub_format: int = 0
    address: int = 0
    offset: int = 0
    arg_index: int = 0
    input_type: int = 0
    data: bytes = b""

    def array(self):
        """The elements in their shape; those of a type that numpy lacks as bytes."""
        name, kind = TYPES.get(self.data_type, ("?", np.uint8))
        flat = np.frombuffer(self.data, dtype=kind)
        count = int(np.prod(self.shape, dtype=np.int64)) if self.shape is not None else flat.size
        return flat.reshape(self.shape) if flat.size == count and self.shape is not None else flat


@dataclasses.dataclass
class Dump:
    version: str = ""
    dump_time: int = 0
    op_name: str = ""
    inputs: list = dataclasses.field(default_factory=list)
    outputs: list = dataclasses.field(default_factory=list)
    buffers: list = dataclasses.field(default_factory=list)
    spaces: list = dataclasses.field(default_factory=list)
    attributes: list = dataclasses.field(default_factory=list)
    dfx_message: str = ""
    header_length: int = 0


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise DumpError("broken varint")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (1 << 64) - 1, at
        shift += 7


def fields(data):
    """(field number, int or bytes) of each field of a message."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 2:
            length, at = varint(data, at)
            if length > len(data) - at:
                raise DumpError("broken length")
            value, at = data[at : at + length], at + length
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
            value, at = int.from_bytes(data[at : at + length], "little"), at + length
        else:
            raise DumpError(f"wire type {wire}")
        yield number, value


def dims(data):
    out = []
    for number, value in fields(data):
        if number != 1:
            continue
        if isinstance(value, int):
            out.append(value)
            continue
        at = 0
        while at < len(value):
            dim, at = varint(value, at)
            out.append(dim)
    return out


def original_op(data):
    op = {"name": "", "output_index": 0, "data_type": 0, "format": 0}
    for number, value in fields(data):
        if 1 <= number <= 4:
            op[list(op)[number - 1]] = value.decode() if number == 1 else value
    return op


OUTPUT = {1: "data_type", 2: "format", 3: "shape", 4: "original_op", 6: "size", 7: "original_shape", 8: "sub_format",
          9: "address", 11: "offset", 12: "arg_index"}  # fmt: skip
INPUT = {1: "data_type", 2: "format", 3: "shape", 5: "size", 6: "original_shape", 7: "sub_format", 8: "address",
         9: "offset", 10: "arg_index", 11: "input_type"}  # fmt: skip
SPACE = {3: "size", 4: "arg_index"}


def tensor(data, names):
    made = Tensor()
    for number, value in fields(data):
        name = names.get(number)
        if name in ("shape", "original_shape"):
            value = dims(value)
        elif name == "original_op":
            value = original_op(value)
        if name:
            setattr(made, name, value)
    return made


def attribute(data):
    found = dict(fields(data))
    return found.get(1, b"").decode(), found.get(2, b"").decode()


def parse(data):
    """A dump file's bytes as a Dump; raises DumpError unless they are one, whole, with nothing behind."""
    if len(data) < 8:
        raise DumpError(f"{len(data)} bytes")
    (length,) = struct.unpack_from("<Q", data)
    if not 0 < length <= len(data) - 8:
        raise DumpError(f"header of {length} bytes in a file of {len(data)}")
    dump = Dump(header_length=length)
    for number, value in fields(data[8 : 8 + length]):
        if number == 1:
            dump.version = value.decode()
        elif number == 2:
            dump.dump_time = value
        elif number == 3:
            dump.outputs.append(tensor(value, OUTPUT))
        elif number == 4:
            dump.inputs.append(tensor(value, INPUT))
        elif number == 5:
            dump.buffers.append(tensor(value, SPACE))
        elif number == 6:
            dump.op_name = value.decode()
        elif number == 7:
            dump.attributes.append(attribute(value))
        elif number == 8:
            dump.spaces.append(tensor(value, SPACE))
        elif number == 9:
            dump.dfx_message = value.decode()
    at = 8 + length
    for group in (dump.inputs, dump.outputs, dump.buffers, dump.spaces):
        for entry in group:
            entry.data = data[at : at + entry.size]
            if len(entry.data) != entry.size:
                raise DumpError("not whole")
            at += entry.size
    if at != len(data):
        raise DumpError(f"{len(data) - at} bytes too many")
    return dump


def read(path):
    return parse(pathlib.Path(path).read_bytes())


def read_statistics(path):
    """The rows of a statistics file as dicts by column."""
    text = pathlib.Path(path).read_text()
    if not text.endswith("\n"):
        raise DumpError("no newline at the end")
    return list(csv.DictReader(text.splitlines()))


@dataclasses.dataclass
class Entry:
    """A file of a dump tree, by what its place says."""

    path: pathlib.Path
    time: str
    device: int
    model: str
    model_id: int
    step: int
    op_type: str
    op_name: str
    task: int
    stream: int
    timestamp: int


def mapping(directory):
    """Digit-only names of a directory -> the names they stand for."""
    file = directory / "mapping.csv"
    lines = file.read_text().splitlines() if file.exists() else []
    return dict(line.split(",", 1) for line in lines)


def tree(dump_path):
    """Every file of a dump, in the order of time. Fails on names that do not follow the rules."""
    root = pathlib.Path(dump_path)
    entries = []
    for path in root.rglob("*"):
        if path.is_dir() or path.name in ("mapping.csv", "watch_summary.csv") or path.name.startswith("overflow_chain_"):
            continue
        name = mapping(path.parent).get(path.name, path.name).removesuffix(".csv")
        op_type, op_name, task, stream, timestamp = name.split(".")
        parts = path.relative_to(root).parts[:-1]
        if len(timestamp) != 16 or len(parts) not in (2, 5):
            raise DumpError(f"{path}: unexpected place or time")
        model = parts[2:] if len(parts) == 5 else ("", "-1", "-1")
        entries.append(
            Entry(path, parts[0], int(parts[1]), model[0], int(model[1]), int(model[2]), op_type, op_name, int(task),
                  int(stream), int(timestamp))  # fmt: skip
        )
    return sorted(entries, key=lambda entry: entry.timestamp)
