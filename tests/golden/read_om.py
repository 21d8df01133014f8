# SPDX-License-Identifier: Apache-2.0
"""Reads .om files with struct alone: a second decoder that shares nothing with the library.

OmFile(bytes) has .header, .partitions, .inputs, .outputs (MODEL_INOUT_INFO), .graphs (lists of ops) and .weights().
"""
import struct

MAGIC, HEADER = 0x444F4D49, 256
PARTITIONS = {0: "MODEL_DEF", 1: "WEIGHTS_DATA", 2: "TASK_INFO", 3: "TBE_KERNELS", 8: "MODEL_INOUT_INFO"}
# TensorDescriptor.dtype, and the numbers of MODEL_INOUT_INFO, as numpy names.
PROTO_TYPES = {1: "float32", 2: "float16", 3: "int8", 4: "uint8", 5: "int16", 6: "uint16", 7: "int32", 8: "int64",
               9: "uint32", 10: "uint64", 11: "bool", 12: "float64"}
GE_TYPES = {0: "float32", 1: "float16", 2: "int8", 3: "int32", 4: "uint8", 6: "int16", 7: "uint16", 8: "uint32", 9: "int64",
            10: "uint64", 11: "float64", 12: "bool"}


class OmError(Exception):
    pass


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data):
            raise OmError("a number is cut off")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value & (1 << 64) - 1, at


def fields(data):
    """(number, wire type, value) of each field of a protobuf message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            value, at = data[at:at + size], at + size
        elif wire == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise OmError(f"field {number} is cut off")
        else:
            raise OmError(f"wire type {wire}")
        yield number, wire, value


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def numbers(wire, value):
    if wire == 0:
        return [signed(value)]
    values, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        values.append(signed(number))
    return values


def attribute(message):
    """AttrDef as a Python value."""
    for number, wire, value in fields(message):
        if number == 1:
            return list_value(value)
        if number == 2:
            return value.decode("utf-8", "replace")
        if number in (3, 15):
            return signed(value)
        if number == 4:
            return struct.unpack("<f", value)[0]
        if number == 5:
            return bool(value)
        if number == 12:
            return tensor(value)
    return None


def list_value(message):
    values = []
    for number, wire, value in fields(message):
        if number == 2:
            values.append(value.decode("utf-8", "replace"))
        elif number in (3, 5, 12):
            values += numbers(wire, value)
        elif number == 4:
            values += [v[0] for v in struct.iter_unpack("<f", value)]
    return values


def attributes(entries):
    made = {}
    for entry in entries:
        parts = {number: value for number, _, value in fields(entry)}
        made[parts.get(1, b"").decode("utf-8")] = attribute(parts.get(2, b""))
    return made


def tensor(message):
    parts = {number: value for number, _, value in fields(message)}
    made = Desc(parts.get(1, b""))
    made.data = parts.get(2, b"")
    return made


class Desc:
    """TensorDescriptor."""

    def __init__(self, message):
        self.dtype, self.shape, self.layout, self.offset, self.weight_size, self.data = None, [], "", 0, 0, b""
        entries = []
        for number, wire, value in fields(message):
            if number == 2:
                self.dtype = PROTO_TYPES.get(value, value)
            elif number == 3:
                self.shape = [n for _, w, v in fields(value) for n in numbers(w, v)]
            elif number == 4:
                self.layout = value.decode()
            elif number == 5:
                entries.append(value)
            elif number == 11:
                self.weight_size = value
            elif number == 18:
                self.offset = value
        self.attributes = attributes(entries)


class Op:
    def __init__(self, message):
        self.name = self.type = ""
        self.inputs, self.input_descs, self.output_descs, self.subgraphs, entries, self.id = [], [], [], [], [], 0
        for number, _, value in fields(message):
            if number == 1:
                self.name = value.decode()
            elif number == 2:
                self.type = value.decode()
            elif number == 5:
                self.inputs.append(value.decode())
            elif number == 10:
                entries.append(value)
            elif number == 21:
                self.id = value
            elif number == 33:
                self.input_descs.append(Desc(value))
            elif number == 34:
                self.output_descs.append(Desc(value))
            elif number == 35:
                self.subgraphs.append(value.decode())
        self.attributes = attributes(entries)


class OmFile:
    def __init__(self, data):
        if len(data) < HEADER or struct.unpack_from("<I", data)[0] != MAGIC:
            raise OmError("no .om file")
        self.data = data
        head_size, version = struct.unpack_from("<II", data, 4)
        length, = struct.unpack_from("<I", data, 76)
        model_num, = struct.unpack_from("<I", data, 156)
        model_length, = struct.unpack_from("<Q", data, 184)
        self.header = {"headsize": head_size, "version": version, "name": data[84:116].rstrip(b"\0").decode(),
                       "model_num": model_num, "modeltype": data[82], "dynamic": data[193]}
        if (model_length or length) != len(data) - HEADER:
            raise OmError("the length in the header is wrong")
        self.wide = model_length != 0
        self.partitions = self._partitions()
        self.inputs, self.outputs = self._in_out(self.partitions.get("MODEL_INOUT_INFO", b""))
        self._model(self.partitions["MODEL_DEF"])

    def _partitions(self):
        count, = struct.unpack_from("<I", self.data, HEADER)
        at = HEADER + (8 if self.wide else 4)
        entry = struct.Struct("<I4xQQ" if self.wide else "<III")
        rows = [entry.unpack_from(self.data, at + i * entry.size) for i in range(count)]
        start, found = at + count * entry.size, {}
        for kind, offset, size in rows:
            if start + offset + size > len(self.data):
                raise OmError("a partition leaves the file")
            found[PARTITIONS.get(kind, kind)] = self.data[start + offset:start + offset + size]
        if sum(size for _, _, size in rows) != len(self.data) - start:
            raise OmError("the partitions do not fill the file")
        return found

    @staticmethod
    def _in_out(data):
        sides, at = {0: [], 1: []}, 0
        while at < len(data):
            kind, length = struct.unpack_from("<II", data, at)
            block, at = data[at + 8:at + 8 + length], at + 8 + length
            if kind not in sides:
                continue
            count, = struct.unpack_from("<I", block)
            place = 4
            for _ in range(count):
                size, form, dtype, name, dims, dims2, ranges = struct.unpack_from("<QIIIIII", block, place)
                place += 32
                text = block[place:place + name].decode()
                shape = [v[0] for v in struct.iter_unpack("<q", block[place + name:place + name + dims])]
                place += name + dims + dims2 + ranges
                sides[kind].append({"name": text, "size": size, "format": form, "dtype": GE_TYPES.get(dtype, dtype),
                                    "dims": shape})
        return sides[0], sides[1]

    def _model(self, message):
        self.graphs, entries, self.name = [], [], ""
        for number, _, value in fields(message):
            if number == 1:
                self.name = value.decode()
            elif number == 7:
                self.graphs.append([Op(v) for n, _, v in fields(value) if n == 6])
            elif number == 11:
                entries.append(value)
        self.attributes = attributes(entries)
        if self.attributes.get("om_compress_version") == 1:
            for graph in self.graphs:
                for op in graph:
                    op.attributes = self._decoded(op.attributes)
                    for desc in op.input_descs + op.output_descs:
                        desc.attributes = self._decoded(desc.attributes)

    def _decoded(self, coded):
        names, texts = self.attributes["attr_name_enum"], self.attributes["attr_value_enum"]
        plain = {}
        for key, value in coded.items():
            if key.startswith("\0"):
                index = sum((ord(digit) - 1) * 127**k for k, digit in enumerate(key[1:]))
                if self.attributes["attrs_use_string_value"][index]:
                    value = [texts[v] for v in value] if isinstance(value, list) else texts[value]
                key = names[index]
            plain[key] = value
        return plain

    def weights(self):
        """Name, type, shape and bytes of every Const."""
        blob = self.partitions.get("WEIGHTS_DATA", b"")
        for graph in self.graphs:
            for op in graph:
                if op.type in ("Const", "Constant"):
                    value = op.attributes["value"]
                    data = value.data or blob[value.offset:value.offset + value.weight_size]
                    yield op.name, value.dtype, value.shape, data
