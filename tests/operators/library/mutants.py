# SPDX-License-Identifier: Apache-2.0
"""Calls of the other tests, each with a mistake or two: what a program could get wrong in a call that almost fits.

The tensors of a call lie in one block with bytes of a pattern around them. A call is run under two patterns: bytes that
change outside of its tensors were written by a kernel that left them, and results that differ were read from there.
"""
import importlib
import random
import unittest

from driver import *

TESTS = ("attention", "attention_grad", "elementwise", "experts", "gradients", "linear", "lists", "nn", "parameters", "products", "rows",
         "sampling", "sized", "sparse", "tensor", "training", "windows")  # fmt: skip
GAP = 1024
WIDTHS = {code: np.dtype(name).itemsize for name, code in TYPES.items()} | {BFLOAT16: 2, INT4: 0.5}
DIMS = (-1, 1, None, 0, 2)  # added to one, None: doubled, 0: made 0
NUMBERS_AT_RANDOM = (0, 1, -1, 2, 3, 5, -7, 16, 64, 1 << 31, -(1 << 31), 1 << 40, (1 << 63) - 1, -(1 << 63))
REALS = (0.0, -1.0, 1.5, 1e30, float("nan"), float("inf"))
INDICES = ((1 << 63) - 1, -1, 1 << 20, 0, 7, -(1 << 31), 100)


class Given:
    """A tensor of a call: what the library is told and what its memory begins with."""

    def __init__(self, value):
        self.form, self.offset, self.alias = None, 0, None
        if isinstance(value, Int4):
            self.type, self.shape, self.strides, bytes = INT4, list(value.shape), list(value.strides), value.packed
            self.storage = [value.values.size]
        elif isinstance(value, Stored):
            self.type = INT4 if value.bytes.dtype == np.dtype("V1") else TYPES[str(value.bytes.dtype)]
            self.shape, self.strides, bytes = list(value.shape), list(value.strides), value.bytes
            self.form, self.storage = value.form, list(value.storage)
        else:
            array = np.asarray(value)
            self.type, self.shape, bytes = TYPES[str(array.dtype)], list(array.shape), np.ascontiguousarray(array)
            self.storage, self.strides = list(array.shape), None
        self.bytes = np.frombuffer(bytes.tobytes(), np.uint8).copy()
        self.strides = self.strides or self.dense()

    def dense(self):
        return [int(np.prod(self.shape[i + 1 :], dtype=np.int64)) for i in range(len(self.shape))]

    def reach(self):
        """The bytes in front of the address and behind it that the view says are its own."""
        if 0 in self.shape:
            return 1, 0
        steps = [(n - 1) * s for n, s in zip(self.shape, self.strides)]
        low, high = (self.offset + sum(f(0, s) for s in steps) for f in (min, max))
        width = WIDTHS.get(self.type, 8)
        kept = int(np.prod(self.storage)) if self.form else 0  # a private format's memory is what the storage shape says
        return int(-min(low, 0) * width + 1), int(np.ceil((max(high, kept) + 1) * width))

    def __repr__(self):
        return f"T({self.type} {self.shape} {self.strides} +{self.offset} form={self.form} {self.storage} alias={self.alias})"


def is_tensor(value):
    return isinstance(value, (np.ndarray, np.generic, Int4, Stored))


def prepared(kind, value):
    if value is None:
        return None
    if kind == "aclTensor*":
        return Given(value)
    if kind == "aclTensorList*":
        return [None if member is None else Given(member) for member in value]
    return list(value) if kind.endswith("Array*") or kind.endswith("List*") else value


def record(most):
    """Calls that the other tests make: {function: [arguments]}."""
    import aclnn_cases

    found = {}

    def remember(_, name, *arguments, form=ND):
        calls = found.setdefault(name, {})
        text = repr([(getattr(a, "shape", None), str(getattr(a, "dtype", ""))) if is_tensor(a) else repr(a)[:200] for a in arguments])
        if len(calls) < most and text not in calls:
            calls[text] = ([prepared(kind, value) for (kind, _), value in zip(PROTOTYPES[name], arguments)], form)
        return 0

    kept = aclnn_cases.aclnn, aclnn_cases.compare, aclnn_cases.Case.refused
    aclnn_cases.aclnn, aclnn_cases.compare = remember, lambda *_: None
    aclnn_cases.Case.refused = lambda *_: None
    for test in TESTS:
        module = importlib.import_module("test_aclnn_" + test)
        module.aclnn = remember
        unittest.defaultTestLoader.loadTestsFromModule(module).run(unittest.TestResult())
    aclnn_cases.aclnn, aclnn_cases.compare, aclnn_cases.Case.refused = kept
    return [(name, *case) for name, calls in sorted(found.items()) for case in calls.values()]


def tensors_of(arguments):
    for argument in arguments:
        for one in argument if isinstance(argument, list) else [argument]:
            if isinstance(one, Given):
                yield one


class Mutant:
    def __init__(self, rng, name, arguments, form):
        self.rng, self.name, self.form = rng, name, form
        self.kinds = [kind for kind, _ in PROTOTYPES[name]]
        self.arguments = [self.copied(a) for a in arguments]
        if rng.random() < 0.3:
            self.change_a_length()
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
            place = rng.randrange(len(self.arguments))
            self.arguments[place] = self.changed(self.kinds[place], self.arguments[place])

    def change_a_length(self):
        """One length everywhere, so that the tensors still agree."""
        lengths = sorted({n for given in self.tensors() for n in given.shape})
        old, new = self.rng.choice(lengths or [1]), self.rng.choice((0, 0, 0, 1, 2, 7, 33))
        for given in self.tensors():
            if given.form is None and old in given.shape:
                given.shape = [new if n == old else n for n in given.shape]
                given.strides, given.storage = given.dense(), list(given.shape)

    def copied(self, value):
        if isinstance(value, Given):
            made = Given.__new__(Given)
            made.__dict__ = {k: v.copy() if hasattr(v, "copy") else v for k, v in value.__dict__.items()}
            return made
        return [self.copied(v) for v in value] if isinstance(value, list) else value

    def tensors(self):
        return tensors_of(self.arguments)

    def changed(self, kind, value):
        rng = self.rng
        if kind == "aclTensor*":
            if value is None:
                others = list(self.tensors())
                return self.copied(rng.choice(others)) if others else None
            return self.other_tensor(value)
        if kind == "aclTensorList*":
            return self.other_list(value)
        if kind == "aclScalar*":
            return rng.choice((None, True, *REALS, 0, -1, 1 << 40))
        if kind.endswith("Array*"):
            if value is None or rng.random() < 0.15:
                return rng.choice((None, [], [0], [1, 1, 1, 1]))
            number = rng.choice(REALS if "Float" in kind else (True, False) if "Bool" in kind else NUMBERS_AT_RANDOM)
            place = rng.randrange(len(value) + 1)
            return rng.choice((value[:place] + [number] + value[place + 1 :], value[:place], value + [number]))
        if kind == "aclScalarList*":
            return rng.choice((None, [], [1.0], (value or [])[:-1], (value or []) + [float("nan")]))
        if kind == "char*":
            return rng.choice((None, "", "TND", "BSH", "BNSD", "BSND", "NTD", "PA_ND", "none", "x" * 300))
        number = NUMBERS[kind]
        if number in (c.c_double, c.c_float):
            return rng.choice(REALS)
        return not value if number is c.c_bool else rng.choice((*NUMBERS_AT_RANDOM, value + 1, value - 1, value * 2))

    def other_list(self, value):
        rng = self.rng
        if not value or rng.random() < 0.1:
            return rng.choice((None, []))
        place = rng.randrange(len(value))
        what = rng.randrange(5)
        if what == 0:
            return value[:place] + value[place + 1 :]
        if what == 1:
            return value + [self.copied(value[place])]
        if what == 2:
            return value[:place] + [None] + value[place + 1 :]
        one = value[place]
        return value[:place] + [one and self.other_tensor(one)] + value[place + 1 :]

    def other_tensor(self, given):
        rng, what = self.rng, self.rng.randrange(14)
        if what == 0:
            return None
        if what in (1, 2, 3) and given.shape:
            place, by = rng.randrange(len(given.shape)), rng.choice(DIMS)
            n = given.shape[place]
            given.shape[place] = n * 2 if by is None else 0 if by == 0 else max(0, n + by)
            given.strides = given.dense()
            given.storage = list(given.shape) if given.form is None else given.storage
        elif what == 4:
            given.shape = [rng.choice((0, 1, 2, 3, 4, 8)) for _ in range(rng.randint(0, 5))]
            given.strides, given.storage = given.dense(), list(given.shape)
        elif what == 5:
            given.shape = given.shape[1:] if rng.random() < 0.5 else [1] + given.shape
            given.strides = given.dense()
        elif what == 6:
            given.type = rng.choice((0, 1, 27, 2, 3, 4, 9, 10, 11, 12, 16, 29, 7))
        elif what == 7 and given.strides:
            place = rng.randrange(len(given.strides))
            given.strides[place] = rng.choice((0, -given.strides[place], given.strides[place] * 2, 1))
        elif what == 8:
            given.offset = rng.choice((1, 3, 16))
        elif what in (9, 10):
            width = int(max(1, WIDTHS.get(given.type, 1)))
            if given.type in (3, 9, 10, 7, 6, 8) and len(given.bytes) >= width and len(given.bytes) % width == 0:
                view = given.bytes.view({2: np.int16, 4: np.int32, 8: np.int64}[width])
                number = rng.choice(INDICES + (int(view[0]) + 1, int(view[-1]) * 2))
                view[rng.randrange(len(view))] = np.array(number & ((1 << 64) - 1), np.uint64).astype(view.dtype)
            elif len(given.bytes):
                given.bytes[rng.randrange(len(given.bytes))] = rng.choice((0, 1, 127, 128, 255))
        elif what == 11:
            given.alias = rng.randrange(8)
        elif what == 12:
            given.form, given.storage = rng.choice((29, 30, 0, 2)), rng.choice((given.storage, [1, 1, 16, 16], [2, 2, 16, 32], []))
        else:
            given.shape, given.strides = given.shape[::-1], given.dense()[::-1]
        return given

    def describe(self):
        names = [name for _, name in PROTOTYPES[self.name]]
        return f"{self.name}: " + ", ".join(f"{n}={a!r}" for n, a in zip(names, self.arguments))


class OfAnotherType(Mutant):
    """A call with one of its tensors, an input or an output, told to be of another type."""

    def __init__(self, name, arguments, form, place, type):
        self.name, self.form = name, form
        self.kinds = [kind for kind, _ in PROTOTYPES[name]]
        self.arguments = [self.copied(a) for a in arguments]
        list(self.tensors())[place].type = type


def of_other_types(cases):
    """Every call with every tensor as BOOL, INT8, INT32 and FLOAT16."""
    for name, arguments, form in cases:
        for place, given in enumerate(tensors_of(arguments)):
            yield from (OfAnotherType(name, arguments, form, place, other) for other in (12, 2, 3, 1) if other != given.type)


def message_of(code):
    return (lib.aclGetRecentErrMsg() or b"").decode(errors="replace") if code else ""


class Block:
    """The memory of the calls, and the device's tensors in it."""

    ROOM = 8 << 20

    def __init__(self, stream):
        self.stream = stream
        self.address = c.c_void_p()
        call("aclrtMalloc", c.byref(self.address), c.c_size_t(self.ROOM), 0)

    def copy(self, array, to_device):
        ends = (self.address, pointer(array.ctypes.data))
        to, source = ends if to_device else ends[::-1]
        call("aclrtMemcpy", to, c.c_size_t(len(array)), source, c.c_size_t(len(array)), 1 if to_device else 2)

    def place(self, mutant):
        """Where the tensors begin; the mutant's places are kept in `at`. None when they are too many."""
        end, places, mutant.at = GAP, [], {}
        for given in mutant.tensors():
            front, behind = given.reach()
            given.bytes = given.bytes[:behind]  # of a smaller type or shape there is no more
            if given.alias is not None and places and given.alias < len(places):
                other = places[given.alias]
                if front <= 1 and behind <= other[2]:
                    mutant.at[id(given)] = other[1]
                    places.append(other)
                    continue
            start = -(-(end + front) // 64) * 64
            if start + behind + GAP > self.ROOM:
                return None
            places.append((start - front + 1, start, behind))
            mutant.at[id(given)] = start
            end = start + behind + GAP
        mutant.end = end
        mutant.taken = np.zeros(end, bool)
        for (low, start, behind), _ in zip(places, mutant.tensors()):
            mutant.taken[low : start + behind] = True
        return end

    def run(self, mutant, pattern):
        """(code, message, bytes before, bytes after)."""
        before = np.full(mutant.end, pattern, np.uint8)
        before[mutant.taken] = 1
        for given in mutant.tensors():
            at = mutant.at[id(given)]
            before[at : at + len(given.bytes)] = given.bytes
        self.copy(before, True)
        code, message = self.both_phases(mutant)
        after = np.empty_like(before)
        self.copy(after, False)
        return code, message, before, after

    def tensor(self, mutant, given):
        if given is None:
            return None
        form = given.form if given.form is not None else mutant.form
        return lib.aclCreateTensor(int64s(given.shape), c.c_uint64(len(given.shape)), given.type, int64s(given.strides), c.c_int64(given.offset),
                                   form, int64s(given.storage), c.c_uint64(len(given.storage)), pointer(self.address.value + mutant.at[id(given)]))  # fmt: skip

    def both_phases(self, mutant):
        made = AclnnCall(mutant.form)
        made.tensor = lambda given: self.tensor(mutant, given)
        try:
            converted = []
            for kind, value in zip(mutant.kinds, mutant.arguments):
                if kind == "aclTensor*":
                    converted.append(pointer(made.tensor(value)))
                    made.undo.append(("aclDestroyTensor", converted[-1].value))
                elif kind == "aclTensorList*" and value is not None:
                    members = [made.tensor(v) for v in value]
                    converted.append(pointer(lib.aclCreateTensorList((c.c_void_p * max(1, len(members)))(*members), c.c_uint64(len(members)))))
                    made.undo.append(("aclDestroyTensorList", converted[-1].value))
                else:
                    converted.append(made.convert(kind, value))
            size, executor, workspace = c.c_uint64(), c.c_void_p(), c.c_void_p()
            code = getattr(lib, mutant.name + "GetWorkspaceSize")(*converted, c.byref(size), c.byref(executor))
            if code == 0:
                if size.value:
                    call("aclrtMalloc", c.byref(workspace), size, 0)
                code = getattr(lib, mutant.name)(workspace, size, executor, self.stream)
                code = lib.aclrtSynchronizeStream(self.stream) or code
                if size.value:
                    message = message_of(code)
                    lib.aclrtFree(workspace)
                    return code, message
            return code, message_of(code)
        finally:
            made.release()
