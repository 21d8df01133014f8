# SPDX-License-Identifier: Apache-2.0
"""Calls the library's single operators and aclnn functions on numpy arrays, through the C interface.

Arrays go to device memory and come back; a view of an array keeps its strides and offset.
"""
import atexit
import collections
import csv
import ctypes as c
import os
import pathlib
import re

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
lib = c.CDLL(os.environ["BELAY_LIBRARY"])
lib.aclGetRecentErrMsg.restype = c.c_char_p
for name in ("aclCreateTensorDesc", "aclCreateDataBuffer", "aclopCreateAttr", "aclCreateTensor", "aclCreateScalar",
             "aclCreateIntArray", "aclCreateFloatArray", "aclCreateBoolArray", "aclCreateTensorList",
             "aclCreateScalarList"):
    getattr(lib, name).restype = c.c_void_p

TYPES = {"float32": 0, "float16": 1, "int8": 2, "int32": 3, "uint8": 4, "int16": 6, "uint16": 7, "uint32": 8,
         "int64": 9, "uint64": 10, "float64": 11, "bool": 12, "complex64": 16, "complex128": 17}
BFLOAT16, INT4, UNDEFINED = 27, 29, -1
ND, NCHW, NHWC, NCL, NCDHW = 2, 0, 1, 47, 30


runs = collections.Counter()  # of each operator and aclnn function


def write_runs():
    """For scripts/operator-tests: adds to the file that the environment names."""
    with open(os.environ["BELAY_RUNS_FILE"], "a", encoding="utf-8") as file:
        file.writelines(f"{name}\t{count}\n" for name, count in runs.items())


if "BELAY_RUNS_FILE" in os.environ:
    atexit.register(write_runs)


class Refused(Exception):
    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


def call(function, *arguments):
    code = getattr(lib, function)(*arguments)
    if code != 0:
        raise Refused(code, (lib.aclGetRecentErrMsg() or b"").decode())


def start():
    call("aclInit", None)
    call("aclrtSetDevice", 0)
    stream = c.c_void_p()
    call("aclrtCreateStream", c.byref(stream))
    return stream


def pointer(address):
    return c.c_void_p(address)


class Memory:
    """Device memory with the elements of an array and of whatever lies around it."""

    def __init__(self, array):
        self.array = array
        base = array
        while isinstance(base.base, np.ndarray):
            base = base.base
        self.base = base
        self.bytes = base.nbytes
        self.address = c.c_void_p()
        call("aclrtMalloc", c.byref(self.address), c.c_size_t(max(self.bytes, 1)), 0)
        if self.bytes:
            source = np.ascontiguousarray(base)
            call("aclrtMemcpy", self.address, c.c_size_t(self.bytes), pointer(source.ctypes.data),
                 c.c_size_t(self.bytes), 1)

    def offset(self):
        step = self.array.__array_interface__["data"][0] - self.base.__array_interface__["data"][0]
        return step // self.array.itemsize

    def fetch(self):
        """The device's elements go into the array."""
        if self.bytes:
            call("aclrtMemcpy", pointer(self.base.ctypes.data), c.c_size_t(self.bytes), self.address,
                 c.c_size_t(self.bytes), 2)

    def __del__(self):
        lib.aclrtFree(self.address)


def int64s(values):
    return (c.c_int64 * len(values))(*values)


class Type(int):
    """An attribute that is a data type."""


def set_attribute(attr, key, value):
    key = key.encode()
    if isinstance(value, bool):
        call("aclopSetAttrBool", attr, key, c.c_uint8(value))
    elif isinstance(value, Type):
        call("aclopSetAttrDataType", attr, key, c.c_int(value))
    elif isinstance(value, int):
        call("aclopSetAttrInt", attr, key, c.c_int64(value))
    elif isinstance(value, float):
        call("aclopSetAttrFloat", attr, key, c.c_float(value))
    elif isinstance(value, str):
        call("aclopSetAttrString", attr, key, value.encode())
    elif value and isinstance(value[0], bool):
        call("aclopSetAttrListBool", attr, key, len(value), (c.c_uint8 * len(value))(*value))
    elif value and isinstance(value[0], float):
        call("aclopSetAttrListFloat", attr, key, len(value), (c.c_float * len(value))(*value))
    elif value and isinstance(value[0], str):
        call("aclopSetAttrListString", attr, key, len(value), (c.c_char_p * len(value))(*[v.encode() for v in value]))
    elif value and isinstance(value[0], list):
        rows = [int64s(row) for row in value]
        pointers = (c.c_void_p * len(rows))(*[c.addressof(row) for row in rows])
        call("aclopSetAttrListListInt", attr, key, len(rows), (c.c_int * len(rows))(*map(len, value)), pointers)
    else:
        call("aclopSetAttrListInt", attr, key, len(value), int64s(value))


class Const:
    """An input that the operator is told as a constant."""

    def __init__(self, array):
        self.array = np.asarray(array)


def tensor_desc(array, form):
    if array is None:
        return pointer(lib.aclCreateTensorDesc(UNDEFINED, 0, None, UNDEFINED))
    array = array.array if isinstance(array, Const) else array
    return pointer(lib.aclCreateTensorDesc(TYPES[str(array.dtype)], array.ndim, int64s(array.shape), form))


def aclop(stream, op, inputs, outputs, form=ND, entry="aclopExecuteV2", **attributes):
    """Runs an operator; `outputs` are arrays that receive the results."""
    runs[op] += 1
    inputs = [i if i is None or isinstance(i, Const) else np.asarray(i) for i in inputs]
    attr = pointer(lib.aclopCreateAttr())
    descs, buffers, memories = [], [], []
    try:
        for key, value in attributes.items():
            set_attribute(attr, key, value)
        for array in list(inputs) + list(outputs):
            descs.append(tensor_desc(array, form))
            if isinstance(array, Const):
                data = np.ascontiguousarray(array.array)
                call("aclSetTensorConst", descs[-1], pointer(data.ctypes.data), c.c_size_t(data.nbytes))
            if array is None or isinstance(array, Const):
                memories.append(None)
                buffers.append(pointer(lib.aclCreateDataBuffer(None, c.c_size_t(0))))
            else:
                memories.append(Memory(np.array(array) if memories.__len__() < len(inputs) else array))
                buffers.append(pointer(lib.aclCreateDataBuffer(memories[-1].address, c.c_size_t(array.nbytes))))
        n, m = len(inputs), len(outputs)
        pointers = lambda items: (c.c_void_p * max(len(items), 1))(*[item.value for item in items])
        middle = (0, 0, None) if "Compile" in entry else ()
        call(entry, op.encode(), n, pointers(descs[:n]), pointers(buffers[:n]), m, pointers(descs[n:]),
             pointers(buffers[n:]), attr, *middle, stream)
        call("aclrtSynchronizeStream", stream)
        for memory in memories[n:]:
            memory.fetch()
    finally:
        lib.aclopDestroyAttr(attr)
        for desc in descs:
            lib.aclDestroyTensorDesc(desc)
        for buffer in buffers:
            lib.aclDestroyDataBuffer(buffer)
    return outputs


def read_prototypes():
    """{function: [(type, name)]} of the first phases of aclnn calls."""
    found = {}
    with open(ROOT / "abi" / "aclnn.tsv", encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["function"].endswith("GetWorkspaceSize"):
                pairs = [re.match(r"\s*(?:const )?(.*?)\s*(\w+)$", text).groups() for text in row["parameters"].split(",")]
                found[row["function"][: -len("GetWorkspaceSize")]] = pairs[:-2]
    return found


PROTOTYPES = read_prototypes()
NUMBERS = {"int64_t": c.c_int64, "uint64_t": c.c_uint64, "double": c.c_double, "float": c.c_float, "bool": c.c_bool,
           "int8_t": c.c_int8, "int32_t": c.c_int32, "int": c.c_int32, "aclDataType": c.c_int32}


class Int4:
    """A tensor of INT4: `values` in the order of the memory, two in a byte; shape and strides count elements."""

    def __init__(self, values, shape=None, strides=None, offset=0):
        flat = np.asarray(values, np.int8).reshape(-1)
        self.values = np.asarray(values)
        self.packed = (flat[0::2] & 15 | (np.append(flat[1::2], np.zeros(len(flat) % 2, np.int8)) & 15) << 4).astype(np.uint8)
        self.shape = tuple(shape or self.values.shape)
        dense = [int(np.prod(self.shape[i + 1 :])) for i in range(len(self.shape))]
        self.strides, self.offset = list(strides or dense), offset


class Stored:
    """A tensor whose memory, `bytes`, is in a format of the device: its own shape, strides and storage shape."""

    def __init__(self, bytes, shape, form, storage, strides=None):
        self.bytes, self.shape, self.form, self.storage = bytes, tuple(shape), form, list(storage)
        self.strides = strides or [int(np.prod(self.shape[i + 1 :])) for i in range(len(self.shape))]


class Scalar:
    """A scalar of a certain type; plain Python numbers become bool, int64 or float."""

    def __init__(self, value, dtype):
        self.value = np.array(value, dtype)


class AclnnCall:
    """The arguments of one aclnn call as the library wants them. Arrays that share memory share it on the device."""

    def __init__(self, form=ND):
        self.form, self.memories, self.undo, self.tensors = form, {}, [], []

    def memory(self, array):
        base = array
        while isinstance(base.base, np.ndarray):
            base = base.base
        if id(base) not in self.memories:
            self.memories[id(base)] = Memory(base)
        return self.memories[id(base)], base

    def tensor(self, array):
        if array is None:
            return None
        if isinstance(array, Int4):
            made = lib.aclCreateTensor(int64s(array.shape), c.c_uint64(len(array.shape)), INT4, int64s(array.strides),
                                       c.c_int64(array.offset), self.form, int64s([array.values.size]), c.c_uint64(1),
                                       self.memory(array.packed)[0].address)  # fmt: skip
            self.tensors.append(made)
            return made
        if isinstance(array, Stored):
            type = INT4 if array.bytes.dtype == np.dtype("V1") else TYPES[str(array.bytes.dtype)]
            made = lib.aclCreateTensor(int64s(array.shape), c.c_uint64(len(array.shape)), type, int64s(array.strides), c.c_int64(0),
                                       array.form, int64s(array.storage), c.c_uint64(len(array.storage)),
                                       self.memory(array.bytes)[0].address)  # fmt: skip
            self.tensors.append(made)
            return made
        memory, base = self.memory(array)
        start = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        strides = [stride // array.itemsize for stride in array.strides]
        made = lib.aclCreateTensor(int64s(array.shape), c.c_uint64(array.ndim), TYPES[str(array.dtype)],
                                   int64s(strides), c.c_int64(start // array.itemsize if array.size else 0), self.form,
                                   int64s(base.shape), c.c_uint64(base.ndim), memory.address)
        self.tensors.append(made)
        return made

    def convert(self, kind, value):
        if kind == "aclTensor*":
            made = self.tensor(value if value is None or isinstance(value, (np.ndarray, Int4, Stored)) else np.asarray(value))
            self.undo.append(("aclDestroyTensor", made))
        elif kind == "aclScalar*":
            if value is None:
                return None
            if not isinstance(value, Scalar):
                value = Scalar(value, {bool: np.bool_, int: np.int64, float: np.float32}[type(value)])
            made = lib.aclCreateScalar(pointer(value.value.ctypes.data), TYPES[str(value.value.dtype)])
            self.undo.append(("aclDestroyScalar", made))
        elif kind == "aclIntArray*":
            made = None if value is None else lib.aclCreateIntArray(int64s(value), c.c_uint64(len(value)))
            self.undo.append(("aclDestroyIntArray", made))
        elif kind in ("aclFloatArray*", "aclBoolArray*"):
            create = lib.aclCreateFloatArray if "Float" in kind else lib.aclCreateBoolArray
            element = c.c_float if "Float" in kind else c.c_bool
            made = None if value is None else create((element * len(value))(*value), c.c_uint64(len(value)))
            self.undo.append(("aclDestroyFloatArray" if "Float" in kind else "aclDestroyBoolArray", made))
        elif kind == "aclScalarList*":
            if value is None:
                return None
            members = [lib.aclCreateScalar(pointer(np.array(v, np.float32).ctypes.data), 0) for v in value]
            made = lib.aclCreateScalarList((c.c_void_p * len(members))(*members), c.c_uint64(len(members)))
            self.undo.append(("aclDestroyScalarList", made))
        elif kind == "aclTensorList*":
            if value is None:
                return None
            members = [self.tensor(v if v is None or isinstance(v, (Int4, Stored)) else np.asarray(v)) for v in value]
            made = lib.aclCreateTensorList((c.c_void_p * len(members))(*members), c.c_uint64(len(members)))
            self.undo.append(("aclDestroyTensorList", made))
        elif kind == "char*":
            return c.c_char_p(None if value is None else value.encode())
        else:
            return NUMBERS[kind](value)
        return pointer(made)

    def fetch(self):
        for memory in self.memories.values():
            memory.fetch()

    def release(self):
        for function, handle in self.undo:
            getattr(lib, function)(pointer(handle))


def aclnn(stream, name, *arguments, form=ND):
    """Both phases; arrays that are outputs receive the results. Returns the workspace size."""
    runs[name] += 1
    prototype = PROTOTYPES[name]
    assert len(arguments) == len(prototype), f"{name}: {prototype}"
    made = AclnnCall(form)
    try:
        converted = [made.convert(kind, value) for (kind, _), value in zip(prototype, arguments)]
        size, executor = c.c_uint64(), c.c_void_p()
        call(name + "GetWorkspaceSize", *converted, c.byref(size), c.byref(executor))
        workspace = c.c_void_p()
        if size.value:
            call("aclrtMalloc", c.byref(workspace), size, 0)
        call(name, workspace, size, executor, stream)
        call("aclrtSynchronizeStream", stream)
        made.fetch()
        if size.value:
            call("aclrtFree", workspace)
        return size.value
    finally:
        made.release()
