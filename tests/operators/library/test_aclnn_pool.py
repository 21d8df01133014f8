# SPDX-License-Identifier: Apache-2.0
"""aclnn calls as engines issue them: all tensors in one pool of memory, given back when the call was issued, not when it ran.

A numpy array stands for the pool: each call is computed there at once, from copies of its inputs. All numbers are small
integers, so that every result is exact and the whole pool can be compared, byte for byte: nothing but results is written to.
"""
import unittest

from driver import *

stream = start()
POOL = 1 << 16
KINDS = (np.float32, np.float16, np.int32)
SMALL = 300  # sums and products of numbers up to here are exact in half floats


class Pool:
    """Memory, what should be in it, and who has which part."""

    def __init__(self, rng):
        self.rng = rng
        self.mirror = rng.integers(0, 256, POOL, np.uint8)
        self.address = c.c_void_p()
        call("aclrtMalloc", c.byref(self.address), c.c_size_t(POOL), 0)
        call("aclrtMemcpy", self.address, c.c_size_t(POOL), pointer(self.mirror.ctypes.data), c.c_size_t(POOL), 1)
        self.signs = np.zeros(POOL, np.uint8)  # bits that do not count: the signs of zeros
        self.taken = []  # (begin, end)

    def take(self, size):
        """The first gap, or a random one: what was given back last is often taken next."""
        size = -(-size // 32) * 32
        gaps, at = [], 0
        for begin, end in sorted(self.taken) + [(POOL, POOL)]:
            if begin - at >= size:
                gaps.append(at)
            at = max(at, end)
        begin = gaps[0] if self.rng.random() < 0.7 else gaps[self.rng.integers(len(gaps))]
        self.taken.append((begin, begin + size))
        return begin

    def give_back(self, begin, size):
        self.taken.remove((begin, begin + -(-size // 32) * 32))

    def view(self, tensor):
        return np.ndarray(tensor.shape, tensor.dtype, self.mirror, tensor.start, tensor.strides)

    def store(self, tensor, value):
        self.view(tensor)[...] = value
        bits = np.dtype(f"uint{8 * tensor.dtype.itemsize}")
        signs = np.ndarray(tensor.shape, bits, self.signs, tensor.start, tensor.strides)
        zeros = (self.view(tensor) == 0) & (tensor.dtype.kind == "f")
        signs[...] = np.where(zeros, bits.type(1 << (8 * bits.itemsize - 1)), bits.type(0))

    def differences(self):
        call("aclrtSynchronizeStream", stream)
        found = np.empty(POOL, np.uint8)
        call("aclrtMemcpy", pointer(found.ctypes.data), c.c_size_t(POOL), self.address, c.c_size_t(POOL), 2)
        return int(((found ^ self.mirror) & ~self.signs != 0).sum())

    def free(self):
        call("aclrtFree", self.address)


class Tensor:
    """A view of a block of the pool: bytes from its beginning, strides in bytes."""

    def __init__(self, block, dtype, shape, strides=None, start=None):
        self.block, self.dtype, self.shape = block, np.dtype(dtype), tuple(shape)
        dense = [int(np.prod(shape[i + 1 :])) * self.dtype.itemsize for i in range(len(shape))]
        self.strides = tuple(dense if strides is None else strides)
        self.start = block[0] if start is None else start

    def handle(self, pool):
        """Based at the beginning of its block with an offset, or right where it begins."""
        based = pool.rng.random() < 0.5
        at = self.block[0] if based else self.start
        size = self.dtype.itemsize
        return pointer(lib.aclCreateTensor(
            int64s(self.shape), c.c_uint64(len(self.shape)), TYPES[str(self.dtype)], int64s([s // size for s in self.strides]),
            c.c_int64((self.start - at) // size), ND, int64s([self.block[1] // size]), c.c_uint64(1), pointer(pool.address.value + at)))  # fmt: skip


class Engine:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.pool = Pool(self.rng)
        self.live, self.later, self.issued = [], [], 0
        for _ in range(6):
            self.fresh(self.shape(), self.kind())

    def kind(self):
        return KINDS[self.rng.integers(len(KINDS))]

    def shape(self):
        return tuple(int(n) for n in self.rng.integers(1, 7, self.rng.integers(1, 4)))

    def new(self, shape, dtype):
        """Dense, or with other strides in a larger block."""
        size, itemsize = int(np.prod(shape)), np.dtype(dtype).itemsize
        if self.rng.random() < 0.7 or len(shape) == 1:
            block = (self.pool.take(size * itemsize), size * itemsize)
            return Tensor(block, dtype, shape)
        order = self.rng.permutation(len(shape))
        room = [shape[d] for d in order]
        room[-1] += 2
        block = (self.pool.take(int(np.prod(room)) * itemsize), int(np.prod(room)) * itemsize)
        strides, step = [0] * len(shape), itemsize
        for d, extent in zip(order[::-1], room[::-1]):
            strides[d], step = step, step * extent
        return Tensor(block, dtype, shape, strides, block[0] + itemsize)

    def fresh(self, shape, dtype):
        """A new tensor of small integers, copied to the device."""
        made = self.new(shape, dtype)
        self.pool.store(made, self.rng.integers(-4, 5, shape))
        begin, size = made.block
        call("aclrtMemcpyAsync", pointer(self.pool.address.value + begin), c.c_size_t(size),
             pointer(self.pool.mirror.ctypes.data + begin), c.c_size_t(size), 1, stream)
        call("aclrtSynchronizeStream", stream)
        self.live.append(made)
        return made

    def values(self, tensor):
        return self.pool.view(tensor).copy()

    def drop(self, tensor):
        if sum(other.block == tensor.block for other in self.live) == 1:
            self.pool.give_back(*tensor.block)
        self.live.remove(tensor)

    def pick(self, dtype=None, shape=None, rank=None):
        fits = [t for t in self.live if dtype in (None, t.dtype) and shape in (None, t.shape) and rank in (None, len(t.shape))]
        if not fits or self.rng.random() < 0.1:
            return self.fresh(shape or tuple(int(n) for n in self.rng.integers(1, 7, rank or 2)), dtype or self.kind())
        return fits[self.rng.integers(len(fits))]

    def target(self, shape, dtype, sources):
        """New memory; or that of an input, exactly or shifted over it."""
        chance = self.rng.random()
        same = [t for t in sources if t.shape == tuple(shape) and t.dtype == dtype and 0 not in t.strides]
        if same and chance < 0.35:
            return same[0]
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        over = [t for t in sources if t.block[1] >= size]
        if over and chance < 0.5:  # somewhere in an input's block, whatever else is there
            block = over[0].block
            shift = int(self.rng.integers(0, (block[1] - size) // 8 + 1)) * 8
            made = Tensor(block, dtype, shape, None, block[0] + shift)
            self.live = [t for t in self.live if t.block != block]  # these were spoilt
            self.live.append(made)
            return made
        made = self.new(shape, dtype)
        self.live.append(made)
        return made

    def issue(self, name, arguments, results):
        """`results`: (tensor, value) of the outputs. The pool's memory is whoever's from now on."""
        handles = []
        converted = []
        for (kind, _), value in zip(PROTOTYPES[name], arguments):
            if isinstance(value, Tensor):
                handles.append(("aclDestroyTensor", value.handle(self.pool)))
                value = handles[-1][1]
            elif kind == "aclTensorList*":
                members = [t.handle(self.pool) for t in value]
                handles.append(("aclDestroyTensorList", pointer(lib.aclCreateTensorList(
                    (c.c_void_p * len(members))(*[m.value for m in members]), c.c_uint64(len(members))))))  # fmt: skip
                value = handles[-1][1]
            elif kind == "aclScalar*":
                number = np.array(value, np.int64)
                handles.append(("aclDestroyScalar", pointer(lib.aclCreateScalar(pointer(number.ctypes.data), TYPES["int64"]))))
                value = handles[-1][1]
            elif kind == "aclIntArray*":
                handles.append(("aclDestroyIntArray", pointer(lib.aclCreateIntArray(int64s(value), c.c_uint64(len(value))))))
                value = handles[-1][1]
            else:
                value = NUMBERS[kind](value)
            converted.append(value)
        runs[name] += 1
        size, executor = c.c_uint64(), c.c_void_p()
        call(name + "GetWorkspaceSize", *converted, c.byref(size), c.byref(executor))
        # What the call asks for, and more than that: right over what is live.
        room = max(int(size.value), int(self.rng.choice([0, 64, 4096])))
        workspace = pointer(self.pool.address.value + int(self.rng.integers(0, POOL - room))) if room else None
        if size.value:
            workspace = pointer(self.pool.address.value + self.pool.take(room))
            self.pool.give_back(workspace.value - self.pool.address.value, room)
        call(name, workspace, c.c_uint64(room), executor, stream)
        for function, handle in handles:
            getattr(lib, function)(handle)
        for tensor, value in results:
            self.pool.store(tensor, value)
        self.issued += 1

    def step(self):
        KINDS_OF_CALL[self.rng.integers(len(KINDS_OF_CALL))](self)
        for tensor in list(self.live):  # given back while the stream still has to get there
            if self.rng.random() < 0.25 and len(self.live) > 3:
                self.drop(tensor)

    def small(self, *tensors):
        return all(np.abs(self.values(t).astype(np.float64)).max(initial=0) <= SMALL for t in tensors)


def binary(e):
    a = e.pick()
    b = e.pick(a.dtype, a.shape)
    if not e.small(a, b):
        return bounded(e, a)
    x, y = e.values(a), e.values(b)
    name, value, extra = [("aclnnAdd", x + y, [1]), ("aclnnSub", x - y, [1]), ("aclnnMaximum", np.maximum(x, y), []),
                          ("aclnnMinimum", np.minimum(x, y), [])][e.rng.integers(4)]  # fmt: skip
    out = e.target(a.shape, a.dtype, [a, b])
    e.issue(name, [a, b, *extra, out], [(out, value)])


def bounded(e, a=None):
    a = a or e.pick()
    out = e.target(a.shape, a.dtype, [a])
    value = np.clip(e.values(a), -3, 3)
    e.issue("aclnnClamp", [a, -3, 3, out], [(out, value)])


def in_place(e):
    a = e.pick()
    row = e.pick(a.dtype, a.shape[-1:]) if e.rng.random() < 0.5 else a
    if not e.small(a, row):
        return bounded(e, a)
    value = e.values(a) + e.values(row)
    e.issue("aclnnInplaceAdd", [a, row, 1], [(a, value)])


def unary(e):
    a = e.pick()
    name, f = [("aclnnNeg", np.negative), ("aclnnAbs", np.abs), ("aclnnRelu", lambda x: np.maximum(x, 0))][e.rng.integers(3)]
    value = f(e.values(a))
    out = e.target(a.shape, a.dtype, [a])
    e.issue(name, [a, out], [(out, value)])


def product(e):
    a = e.pick(np.dtype(np.float32) if e.rng.random() < 0.5 else np.dtype(np.float16), rank=2)
    b = e.pick(a.dtype, (a.shape[1], int(e.rng.integers(1, 7))))
    if max(np.abs(e.values(t).astype(np.float64)).max() for t in (a, b)) > 8:
        return bounded(e, a)
    value = e.values(a) @ e.values(b)
    out = e.target(value.shape, a.dtype, [a, b])
    e.issue("aclnnMatmul", [a, b, out, 0], [(out, value)])


def turned(e):
    a = e.pick(rank=int(e.rng.integers(2, 4)))
    order = [int(d) for d in e.rng.permutation(len(a.shape))]
    value = e.values(a).transpose(order)
    out = e.target(value.shape, a.dtype, [a])
    e.issue("aclnnPermute", [a, order, out], [(out, value)])


def joined(e):
    a = e.pick()
    parts = [a, e.pick(a.dtype, a.shape), a]
    value = np.concatenate([e.values(p) for p in parts], 0)
    out = e.target(value.shape, a.dtype, parts)
    e.issue("aclnnCat", [parts, 0, out], [(out, value)])


def converted(e):
    a = e.pick()
    kind = e.kind()
    value = e.values(a).astype(kind)
    out = e.target(a.shape, np.dtype(kind), [a])
    e.issue("aclnnCast", [a, TYPES[str(np.dtype(kind))], out], [(out, value)])


def summed(e):
    a = e.pick(np.dtype(np.float32), rank=2)
    if not e.small(a):
        return bounded(e, a)
    value = np.cumsum(e.values(a), 1)
    out = e.target(a.shape, a.dtype, [a])
    e.issue("aclnnCumsumV2", [a, 1, False, False, out], [(out, value)])


def ordered(e):
    """Two results; the second over the first, at times: then the first is what remains."""
    a = e.pick(np.dtype(np.float32), rank=2)
    values = e.values(a)
    places = np.argsort(values, 1, kind="stable")
    if e.rng.random() < 0.5:
        first = e.target(a.shape, a.dtype, [a])
        block = (e.pool.take(values.size * 8), values.size * 8)
        second = Tensor(block, np.int64, a.shape)
        e.issue("aclnnSort", [a, True, 1, False, first, second], [(second, places), (first, np.sort(values, 1))])
        e.pool.give_back(*block)
        return
    block = (e.pool.take(values.size * 8), values.size * 8)
    first, second = Tensor(block, a.dtype, a.shape), Tensor(block, np.int64, a.shape)
    e.issue("aclnnSort", [a, True, 1, False, first, second], [(second, places), (first, np.sort(values, 1))])
    e.live.append(first)


def written_into(e):
    """A part of a tensor is replaced, as a cache is filled."""
    a = e.pick(rank=2)
    count = int(e.rng.integers(1, a.shape[0] + 1))
    start = int(e.rng.integers(0, a.shape[0] - count + 1))
    part = Tensor(a.block, a.dtype, (count, a.shape[1]), a.strides, a.start + start * a.strides[0])
    source = e.pick(shape=(a.shape[1],)) if e.rng.random() < 0.5 else e.pick(shape=(count, a.shape[1]))
    if source.dtype.kind == "f" and a.dtype.kind == "i":
        return
    value = np.broadcast_to(e.values(source), part.shape).astype(a.dtype)
    e.issue("aclnnInplaceCopy", [part, source], [(part, value)])


def repeated(e):
    """A row read with stride 0."""
    row = e.pick(rank=1)
    count = int(e.rng.integers(1, 6))
    wide = Tensor(row.block, row.dtype, (count, row.shape[0]), (0, row.strides[0]), row.start)
    if not e.small(row):
        return bounded(e, row)
    value = e.values(wide) + e.values(wide)
    out = e.target(wide.shape, row.dtype, [row])
    e.issue("aclnnAdd", [wide, wide, 1, out], [(out, value)])


def picked(e):
    a = e.pick(rank=2)
    count = int(e.rng.integers(1, 7))
    index = e.fresh((count,), np.int32)
    where = e.rng.integers(0, a.shape[0], count)
    e.issue("aclnnArange", [0, count, 1, index], [(index, np.arange(count))])
    e.issue("aclnnInplaceFillScalar", [index, int(where[0])], [(index, np.full(count, where[0]))])
    value = e.values(a)[np.full(count, where[0])]
    out = e.target(value.shape, a.dtype, [a])
    e.issue("aclnnIndexSelect", [a, 0, index, out], [(out, value)])


KINDS_OF_CALL = (binary, binary, in_place, in_place, bounded, unary, product, product, turned, joined, converted, summed, ordered,
                 written_into, written_into, repeated, picked)  # fmt: skip


class Sequences(unittest.TestCase):
    def test_the_pool_holds_what_the_same_calls_make_in_numpy(self):
        for seed in range(40):
            engine = Engine(seed)
            while engine.issued < 150:
                engine.step()
            wrong = engine.pool.differences()
            engine.pool.free()
            self.assertEqual(wrong, 0, f"seed {seed}: {wrong} bytes differ after {engine.issued} calls")


class Workspace(unittest.TestCase):
    """Nothing is asked for, and what is given is left alone."""

    def check(self, name, *arguments):
        made = AclnnCall()
        converted = [made.convert(kind, value) for (kind, _), value in zip(PROTOTYPES[name], arguments)]
        size, executor = c.c_uint64(99), c.c_void_p()
        call(name + "GetWorkspaceSize", *converted, c.byref(size), c.byref(executor))
        self.assertEqual(size.value, 0, name)
        given = Memory(np.full(1 << 16, 0xDB, np.uint8))
        call(name, given.address, c.c_uint64(given.bytes), executor, stream)
        call("aclrtSynchronizeStream", stream)
        given.fetch()
        self.assertTrue((given.array == 0xDB).all(), name)
        made.fetch()
        made.release()

    def test_of_calls_that_need_memory_of_their_own(self):
        rng = np.random.default_rng(3)
        f32 = lambda *shape: rng.standard_normal(shape).astype(np.float32)
        a, b = f32(48), f32(48)
        wanted = a + b
        self.check("aclnnInplaceAdd", a, b, 1.0)
        np.testing.assert_array_equal(a, wanted)
        x, out = f32(2, 8, 40, 40), np.zeros((2, 8, 40, 40), np.float32)
        mean, rstd = np.zeros((2, 4), np.float32), np.zeros((2, 4), np.float32)
        self.check("aclnnGroupNorm", x, None, None, 2, 8, 1600, 4, 1e-5, out, mean, rstd)
        groups = x.reshape(2, 4, -1).astype(np.float64)
        whitened = (groups - groups.mean(2, keepdims=True)) / np.sqrt(groups.var(2, keepdims=True) + 1e-5)
        np.testing.assert_allclose(out.reshape(2, 4, -1), whitened, 1e-4, 1e-4)
        left, right, product = f32(8, 6), f32(8, 6), np.zeros((6, 6), np.float32)
        self.check("aclnnMatmul", left.T, right, product, 0)
        np.testing.assert_allclose(product, left.T @ right, 1e-4, 1e-4)
        half, whole, mixed = f32(33).astype(np.float16), f32(33), np.zeros(33, np.float32)
        self.check("aclnnMul", half, whole, mixed)
        np.testing.assert_array_equal(mixed, half.astype(np.float32) * whole)


class Places(unittest.TestCase):
    def norm(self, x1, x2, gamma):
        x = x1 + x2
        return x / np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True) + 1e-6) * gamma

    def test_results_at_one_address_end_with_the_one_that_is_named_first(self):
        rng = np.random.default_rng(4)
        for kind, tolerance in ((np.float32, 1e-5), (np.float16, 4e-3)):
            for over_an_input in (False, True):
                x1, x2, gamma = (rng.standard_normal(s).astype(kind) for s in ((5, 64), (5, 64), (64,)))
                wanted = self.norm(x1, x2, gamma)
                both = x1 if over_an_input else np.zeros((5, 64), kind)
                aclnn(stream, "aclnnAddRmsNorm", x1, x2, gamma, 1e-6, both, np.zeros((5, 1), np.float32), both)
                np.testing.assert_allclose(both.astype(np.float64), wanted.astype(np.float64), tolerance, tolerance)

    def test_a_result_may_be_a_part_of_what_it_is_made_of(self):
        base = np.arange(24, dtype=np.float32)
        wanted = base.copy()
        wanted[3:23] = base[0:20] + base[4:24]
        aclnn(stream, "aclnnAdd", base[0:20], base[4:24], 1.0, base[3:23])
        np.testing.assert_array_equal(base, wanted)

    def test_a_repeatable_executor_asks_anew_where_its_tensors_are(self):
        """Each run has other addresses: apart, the same, overlapping."""
        pool = Memory(np.arange(64, dtype=np.float32))
        mirror = pool.array.copy()
        handles = [pointer(lib.aclCreateTensor(int64s([16]), c.c_uint64(1), 0, None, c.c_int64(0), ND, int64s([16]), c.c_uint64(1),
                                               pointer(pool.address.value))) for _ in range(3)]  # fmt: skip
        one = np.array(1, np.float32)
        alpha = pointer(lib.aclCreateScalar(pointer(one.ctypes.data), 0))
        size, executor = c.c_uint64(), c.c_void_p()
        call("aclnnAddGetWorkspaceSize", handles[0], handles[1], alpha, handles[2], c.byref(size), c.byref(executor))
        call("aclSetAclOpExecutorRepeatable", executor)
        for places in ((0, 16, 32), (0, 16, 0), (0, 16, 16), (4, 20, 8), (0, 0, 0), (3, 1, 2), (48, 48, 47)):
            for handle, place in zip(handles, places):
                call("aclSetRawTensorAddr", handle, pointer(pool.address.value + 4 * place))
            call("aclnnAdd", None, c.c_uint64(0), executor, stream)
            a, b, out = (slice(place, place + 16) for place in places)
            mirror[out] = mirror[a] + mirror[b]
            call("aclrtSynchronizeStream", stream)
            pool.fetch()
            np.testing.assert_array_equal(pool.array, mirror, str(places))
        call("aclDestroyAclOpExecutor", executor)


if __name__ == "__main__":
    unittest.main()
