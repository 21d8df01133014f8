# SPDX-License-Identifier: Apache-2.0
"""Programs that use aclnn calls wrongly, in a hurry or from everywhere: each answer is a code, and nothing crashes or hangs."""
import os
import random
import subprocess
import sys
import threading
import unittest

from driver import *

stream = start()
FLOAT = TYPES["float32"]


def tensor(shape, address=None, strides=None, dtype=FLOAT, offset=0):
    return pointer(lib.aclCreateTensor(int64s(shape), c.c_uint64(len(shape)), dtype, None if strides is None else int64s(strides),
                                       c.c_int64(offset), ND, int64s(shape), c.c_uint64(len(shape)), address))  # fmt: skip


class Sum:
    """out = a + b of 16 numbers, prepared."""

    def __init__(self):
        self.memories = [Memory(np.arange(16, dtype=np.float32)), Memory(np.ones(16, np.float32)), Memory(np.zeros(16, np.float32))]
        self.tensors = [tensor([16], memory.address) for memory in self.memories]
        one = np.array(1, np.int64)
        self.alpha = pointer(lib.aclCreateScalar(pointer(one.ctypes.data), TYPES["int64"]))
        self.executor = self.prepare()

    def prepare(self):
        size, executor = c.c_uint64(), c.c_void_p()
        call("aclnnAddGetWorkspaceSize", self.tensors[0], self.tensors[1], self.alpha, self.tensors[2], c.byref(size), c.byref(executor))
        return executor

    def result(self, on=None):
        call("aclrtSynchronizeStream", on or stream)
        self.memories[2].fetch()
        return self.memories[2].array.tolist()


EXPECTED = [i + 1.0 for i in range(16)]


def together(count, body):
    """The bodies of all threads at once, each with a device, a stream and its number."""
    gate, errors = threading.Barrier(count), []

    def work(number):
        try:
            call("aclrtSetDevice", 0)
            mine = c.c_void_p()
            call("aclrtCreateStream", c.byref(mine))
            gate.wait()
            body(number, mine)
            call("aclrtDestroyStream", mine)
        except Exception as e:  # pylint: disable=broad-except
            errors.append(repr(e))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


class Executors(unittest.TestCase):
    def test_of_threads_that_want_one_executor_one_gets_it(self):
        for _ in range(20):
            made, codes = Sum(), []
            errors = together(4, lambda _, mine: codes.append((lib.aclnnAdd(None, c.c_uint64(0), made.executor, mine), made.result(mine))))
            self.assertEqual(errors, [])
            self.assertEqual(sorted(code for code, _ in codes), [0, 561000, 561000, 561000])
            self.assertEqual(made.result(), EXPECTED)

    def test_a_repeatable_executor_serves_a_hundred_threads_while_one_destroys_it(self):
        made = Sum()
        call("aclSetAclOpExecutorRepeatable", made.executor)
        codes = set()

        def body(number, mine):
            for turn in range(50):
                if number == 0 and turn == 40:
                    codes.add(("destroy", lib.aclDestroyAclOpExecutor(made.executor)))
                codes.add(lib.aclnnAdd(None, c.c_uint64(0), made.executor, mine))
            call("aclrtSynchronizeStream", mine)

        self.assertEqual(together(100, body), [])
        self.assertLessEqual(codes, {0, 561000, ("destroy", 0)})
        self.assertEqual(made.result(), EXPECTED)

    def test_everything_may_be_destroyed_between_the_phases(self):
        made = Sum()
        for each in made.tensors:
            call("aclDestroyTensor", each)
        call("aclDestroyScalar", made.alpha)
        call("aclnnAdd", None, c.c_uint64(0), made.executor, stream)
        self.assertEqual(made.result(), EXPECTED)

    def test_a_list_may_be_destroyed_between_the_phases(self):
        parts = [Memory(np.full(4, k, np.float32)) for k in range(3)]
        out = Memory(np.zeros(12, np.float32))
        members = [tensor([4], part.address) for part in parts]
        tensors = pointer(lib.aclCreateTensorList((c.c_void_p * 3)(*[m.value for m in members]), c.c_uint64(3)))
        result = tensor([12], out.address)
        size, executor = c.c_uint64(), c.c_void_p()
        call("aclnnCatGetWorkspaceSize", tensors, c.c_int64(0), result, c.byref(size), c.byref(executor))
        call("aclDestroyTensorList", tensors)
        call("aclDestroyTensor", result)
        call("aclnnCat", None, c.c_uint64(0), executor, stream)
        call("aclrtSynchronizeStream", stream)
        out.fetch()
        self.assertEqual(out.array.tolist(), [0.0] * 4 + [1.0] * 4 + [2.0] * 4)

    def test_the_executor_of_another_function_is_run_as_what_it_is(self):
        made = Sum()
        call("aclnnMul", None, c.c_uint64(0), made.executor, stream)
        self.assertEqual(made.result(), EXPECTED)

    def test_a_thread_without_a_device_is_told_so(self):
        made, codes = Sum(), []
        thread = threading.Thread(target=lambda: codes.append(lib.aclnnAdd(None, c.c_uint64(0), made.executor, None)))
        thread.start()
        thread.join()
        self.assertEqual(codes, [361001])

    def test_workspaces_that_are_no_memory_are_never_touched(self):
        for workspace in (1, 4096, 0xFFFFFFFFFFFF0000):
            made = Sum()
            call("aclnnAdd", pointer(workspace), c.c_uint64(1 << 40), made.executor, stream)
            self.assertEqual(made.result(), EXPECTED)


def issue_while_the_device_is_reset():
    """Prints the codes that twenty threads saw."""
    stop, seen = threading.Event(), set()
    ready = threading.Barrier(21)

    def work():
        call("aclrtSetDevice", 0)
        mine, made = c.c_void_p(), Sum()
        call("aclrtCreateStream", c.byref(mine))
        call("aclSetAclOpExecutorRepeatable", made.executor)
        ready.wait()
        while not stop.is_set():
            seen.add(lib.aclnnAdd(None, c.c_uint64(0), made.executor, mine))

    threads = [threading.Thread(target=work) for _ in range(20)]
    for thread in threads:
        thread.start()
    ready.wait()
    while 0 not in seen:
        pass
    call("aclrtResetDeviceForce", 0)
    while len(seen) < 2:
        pass
    call("aclFinalize")
    stop.set()
    for thread in threads:
        thread.join()
    print(sorted(seen))


class Devices(unittest.TestCase):
    def test_calls_on_a_device_that_is_reset_are_refused(self):
        for _ in range(5):
            done = subprocess.run([sys.executable, "-B", __file__, "--reset"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout.strip()), (0, "[0, 361001]"), done.stderr)


class Tensors(unittest.TestCase):
    def first_phase(self, out, *given):
        one = np.array(1, np.int64)
        alpha = pointer(lib.aclCreateScalar(pointer(one.ctypes.data), TYPES["int64"]))
        size, executor = c.c_uint64(), c.c_void_p()
        return lib.aclnnAddGetWorkspaceSize(*given, alpha, out, c.byref(size), c.byref(executor)), executor

    def test_sizes_that_no_memory_has(self):
        for shape in ([1 << 62, 4], [-1], [1 << 40, 1 << 40], [0, -5], [1 << 31, 1 << 31, 4]):
            code, _ = self.first_phase(tensor(shape), tensor(shape), tensor(shape))
            self.assertEqual(code, 161002, shape)
            self.assertIn(b"dimension", lib.aclGetRecentErrMsg())

    def test_types_that_are_none(self):
        memory = Memory(np.zeros(4, np.float32))
        for kind in (9999, -7, 13):  # the last is text
            for place in range(3):
                given = [tensor([4], memory.address, dtype=kind if place == k else FLOAT) for k in range(3)]
                self.assertEqual(self.first_phase(given[2], given[0], given[1])[0], 161002)
                self.assertIn(f"{kind} is not a data type".encode(), lib.aclGetRecentErrMsg())

    def test_rows_without_elements(self):
        x, y, scale = Memory(np.zeros(1, np.float16)), Memory(np.zeros(1, np.int8)), Memory(np.zeros(1, np.float32))
        size, executor = c.c_uint64(), c.c_void_p()
        self.assertEqual(lib.aclnnDynamicQuantGetWorkspaceSize(
            tensor([2, 8, 0], x.address, dtype=TYPES["float16"]), None, tensor([], y.address, dtype=TYPES["int8"]),
            tensor([], scale.address), c.byref(size), c.byref(executor)), 161002)  # fmt: skip

    def test_numbers_that_say_more_than_the_output_holds(self):
        out = Memory(np.zeros((2, 2), np.float32))
        size, executor = c.c_uint64(), c.c_void_p()
        answers = (c.byref(size), c.byref(executor))
        self.assertEqual(lib.aclnnEyeGetWorkspaceSize(c.c_int64(1 << 40), c.c_int64(1 << 20), tensor([2, 2], out.address), *answers), 161002)
        zero = np.array(0, np.float32)
        bound = pointer(lib.aclCreateScalar(pointer(zero.ctypes.data), FLOAT))
        self.assertEqual(lib.aclnnLinspaceGetWorkspaceSize(bound, bound, c.c_int64(1 << 50), tensor([4], out.address), *answers), 161002)

    def test_operands_that_do_not_fit(self):
        x, slopes, out = (Memory(np.zeros(s, np.float32)) for s in ((2, 3, 4), (2, 2, 3, 4), (2, 3, 4)))
        size, executor = c.c_uint64(), c.c_void_p()
        self.assertEqual(lib.aclnnPreluGetWorkspaceSize(tensor([2, 3, 4], x.address), tensor([2, 2, 3, 4], slopes.address),
                                                        tensor([2, 3, 4], out.address), c.byref(size), c.byref(executor)), 161002)  # fmt: skip

    def test_paddings_and_sizes_that_the_output_does_not_have(self):
        x, out = Memory(np.zeros((2, 3, 4), np.float32)), Memory(np.zeros((2, 3, 4), np.float32))
        pads = pointer(lib.aclCreateIntArray(int64s([1 << 40, 1]), c.c_uint64(2)))
        size, executor = c.c_uint64(), c.c_void_p()
        self.assertEqual(lib.aclnnReplicationPad1dGetWorkspaceSize(tensor([2, 3, 4], x.address), pads, tensor([2, 3, 4], out.address),
                                                                  c.byref(size), c.byref(executor)), 161002)  # fmt: skip
        self.assertEqual(lib.aclnnReplicationPad1dBackwardGetWorkspaceSize(tensor([2, 3, 4], x.address), tensor([2, 3, 4], x.address), pads,
                                                                          tensor([2, 3, 4], out.address), c.byref(size), c.byref(executor)), 161002)  # fmt: skip
        cube = pointer(lib.aclCreateIntArray(int64s([1, 1, 1]), c.c_uint64(3)))
        self.assertEqual(lib.aclnnAdaptiveAvgPool3dGetWorkspaceSize(tensor([], x.address), cube, tensor([], out.address), c.byref(size),
                                                                   c.byref(executor)), 161002)  # fmt: skip

    def test_nothing_is_computed_on_empty_tensors(self):
        code, executor = self.first_phase(tensor([0, 4]), tensor([0, 4]), tensor([0, 4]))
        self.assertEqual(code, 0)
        self.assertEqual(lib.aclnnAdd(None, c.c_uint64(0), executor, stream), 0)
        self.assertEqual(lib.aclrtSynchronizeStream(stream), 0)

    def test_tensors_without_memory(self):
        code, executor = self.first_phase(tensor([4]), tensor([4]), tensor([4]))
        self.assertEqual(code, 0)
        self.assertEqual(lib.aclnnAdd(None, c.c_uint64(0), executor, stream), 161001)

    def test_an_output_of_stride_0_gets_one_of_its_values(self):
        a, b, out = Memory(np.arange(4, dtype=np.float32)), Memory(np.ones(4, np.float32)), Memory(np.full(4, 9, np.float32))
        code, executor = self.first_phase(tensor([4], out.address, [0]), tensor([4], a.address), tensor([4], b.address))
        self.assertEqual(code, 0)
        call("aclnnAdd", None, c.c_uint64(0), executor, stream)
        call("aclrtSynchronizeStream", stream)
        out.fetch()
        self.assertIn(out.array[0], [1.0, 2.0, 3.0, 4.0])
        self.assertEqual(out.array[1:].tolist(), [9.0] * 3)


class Anything:
    """Arguments at random. Tensors lie in one block, whatever their strides."""

    KINDS = (0, 1, 27, 2, 3, 9, 12, 4, 11, 29, 10, 16)
    SHAPES = ([4], [2, 4], [4, 4], [2, 3, 4], [2, 4, 8, 8], [8, 16], [1, 2, 4, 16], [], [0, 4])
    TEXTS = (None, b"", b"BSND", b"BSH", b"BNSD", b"TND", b"mean", b"none", b"nonsense", b"dynamic", b"ij,jk->ik", b"tanh")
    ROOM = 1 << 20

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.block = Memory(np.random.default_rng(seed).integers(0, 4, self.ROOM, np.uint8))

    def shape(self):
        if self.rng.random() < 0.8:
            return list(self.rng.choice(self.SHAPES)) if self.rng.random() < 0.3 else list(self.common)
        shape = [1 << 20]
        while np.prod(shape, dtype=np.int64) > 2048:
            shape = [self.rng.choice([0, 1, 2, 3, 4, 8, 16, 32]) for _ in range(self.rng.randint(0, 5))]
        return shape

    def tensor(self):
        if self.rng.random() < 0.03:
            return None
        kind = self.kind if self.rng.random() < 0.9 else self.rng.choice(self.KINDS)
        kind = 9999 if self.rng.random() < 0.01 else kind
        shape = self.shape()
        dense = [int(np.prod(shape[d + 1 :])) for d in range(len(shape))]
        strides = [self.rng.choice([0, 1, 2, s]) for s in dense] if self.rng.random() < 0.1 else dense
        offset = 0 if self.rng.random() < 0.9 else self.rng.randint(0, 16)
        address = None if self.rng.random() < 0.02 else pointer(self.block.address.value + self.rng.choice([0, 0, 4096, 8192, 65536, 64, 4]))
        made = tensor(shape, address, strides, kind, offset)
        return made.value

    def array(self, make, kind, values):
        return None if self.rng.random() < 0.2 else pointer(make((kind * max(1, len(values)))(*values), c.c_uint64(len(values))))

    def argument(self, kind):
        rng = self.rng
        if kind == "aclTensor*":
            return pointer(self.tensor())
        if kind == "aclTensorList*":
            return self.array(lib.aclCreateTensorList, c.c_void_p, [self.tensor() for _ in range(rng.randint(0, 3))])
        if kind == "aclScalar*":
            value = np.array(rng.choice([0, 1, -1, 7, 1 << 40]), np.int64) if rng.random() < 0.4 else np.array(
                rng.choice([0, 1, -1, 2, 3.5, 1e30, float("nan")]), rng.choice([np.float32, np.float64]))  # fmt: skip
            return None if rng.random() < 0.1 else pointer(lib.aclCreateScalar(pointer(value.ctypes.data), TYPES[str(value.dtype)]))
        if kind == "aclIntArray*":
            return self.array(lib.aclCreateIntArray, c.c_int64, [rng.choice([-2, -1, 0, 1, 2, 3, 4, 16, 1 << 40]) for _ in range(rng.randint(0, 4))])
        if kind == "aclFloatArray*":
            return self.array(lib.aclCreateFloatArray, c.c_float, [rng.choice([0.0, 1.0, -1.0]) for _ in range(rng.randint(0, 4))])
        if kind == "aclBoolArray*":
            return self.array(lib.aclCreateBoolArray, c.c_bool, [rng.random() < 0.5 for _ in range(rng.randint(0, 4))])
        if kind == "char*":
            return c.c_char_p(rng.choice(self.TEXTS))
        number = NUMBERS.get(kind)
        if number in (c.c_double, c.c_float):
            return number(rng.choice([0.0, 1.0, -1.0, 1e-5, 0.5, 1e30, float("nan")]))
        return None if number is None else number(rng.choice([0, 1, -1, 2, 3, 4, 8, -5, 16, 1 << 30]) & (1 if number is c.c_bool else -1))

    def call(self, name):
        self.kind, self.common = self.rng.choice((0, 1, 27, 3, 9, 2)), self.rng.choice(self.SHAPES)
        arguments = [self.argument(kind.replace("const ", "")) for kind, _ in PROTOTYPES[name]]
        size, executor = c.c_uint64(), c.c_void_p()
        code = getattr(lib, name + "GetWorkspaceSize")(*arguments, c.byref(size), c.byref(executor))
        if code == 0:
            code = getattr(lib, name)(None, c.c_uint64(0), executor, stream)
            lib.aclrtSynchronizeStream(stream)  # kernels refuse values, such as places outside of a tensor
        return code


class Functions(unittest.TestCase):
    CALLS = 8

    def in_child(self, names, seed):
        """The name at which a child that calls them all ended; None when it did not."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.set_inheritable(writing, True)
            os.execve("/proc/self/exe", ["python3", "-B", __file__, "--anything", str(writing), str(seed), *names], {**os.environ})
        os.close(writing)
        with os.fdopen(reading, "rb") as said:
            seen = said.read().decode().split()
        _, status = os.waitpid(child, 0)
        return None if status == 0 else (seen[-1] if seen else "the beginning", status)

    def test_none_crashes_or_hangs_whatever_it_is_given(self):
        names = [name for name in sorted(PROTOTYPES) if hasattr(lib, name + "GetWorkspaceSize") and hasattr(lib, name)]
        self.assertGreater(len(names), 1000)
        self.assertIsNone(self.in_child(names, 18))


def call_anything(writing, seed, names):
    anything = Anything(seed)
    for name in names:
        os.write(writing, (name + " ").encode())
        if not name.startswith("aclnnSleep"):
            for _ in range(Functions.CALLS):
                anything.call(name)


if __name__ == "__main__":
    for maker in ("aclCreateFloatArray", "aclCreateBoolArray"):
        getattr(lib, maker).restype = c.c_void_p
    if sys.argv[1:2] == ["--anything"]:
        call_anything(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
    elif sys.argv[1:2] == ["--reset"]:
        issue_while_the_device_is_reset()
    else:
        unittest.main()
