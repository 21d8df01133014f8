# SPDX-License-Identifier: Apache-2.0
"""A program's own allocator under dynamic-shape models and single operators.

The allocator records every call, and poisons what it gets back at once: a block that is freed early spoils the results.
"""
import os
import tempfile
import threading
import unittest

import onnx
from onnx import TensorProto, helper

from driver import *

libc = c.CDLL(None)
libc.malloc.restype = c.c_void_p
libc.malloc.argtypes = [c.c_size_t]
lib.aclrtAllocatorCreateDesc.restype = c.c_void_p
lib.aclmdlCreateDataset.restype = c.c_void_p
lib.aclmdlGetDatasetBuffer.restype = c.c_void_p
ALLOC = c.CFUNCTYPE(c.c_void_p, c.c_void_p, c.c_size_t)
FREE = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p)
ADDRESS = c.CFUNCTYPE(c.c_void_p, c.c_void_p)

main_stream = start()


class Recorder:
    """Blocks are numbers; memory is never used twice."""

    def __init__(self, fail_at=None, address_fails_at=None):
        self.fail_at, self.address_fails_at = fail_at, address_fails_at
        self.live, self.allocated, self.freed, self.addresses, self.errors = {}, 0, 0, 0, []
        self.bytes = self.peak = 0
        self.lock = threading.Lock()
        self.functions = (ALLOC(self.allocate), FREE(self.free), ADDRESS(self.address))

    def allocate(self, _, size):
        if not self.lock.acquire(False):
            self.errors.append("two calls at once")
            return None
        try:
            self.allocated += 1
            if self.allocated == self.fail_at:
                self.allocated -= 1
                self.fail_at = None
                return None
            address = libc.malloc(size + 64)
            c.memset(address, 0xCD, size + 64)
            self.live[self.allocated] = (address, size)
            self.bytes += size
            self.peak = max(self.peak, self.bytes)
            return self.allocated
        finally:
            self.lock.release()

    def free(self, _, block):
        if block not in self.live:
            self.errors.append(f"block {block} freed again or never given")
            return
        address, size = self.live.pop(block)
        c.memset(address, 0xDB, size)
        self.bytes -= size
        self.freed += 1

    def address(self, block):
        self.addresses += 1
        if block not in self.live:
            self.errors.append(f"address of block {block}, which is not live")
            return None
        if self.addresses == self.address_fails_at:
            return None
        return self.live[block][0]

    def register(self, stream):
        desc = pointer(lib.aclrtAllocatorCreateDesc())
        call("aclrtAllocatorSetObjToDesc", desc, pointer(id(self)))
        call("aclrtAllocatorSetAllocFuncToDesc", desc, self.functions[0])
        call("aclrtAllocatorSetFreeFuncToDesc", desc, self.functions[1])
        call("aclrtAllocatorSetGetAddrFromBlockFuncToDesc", desc, self.functions[2])
        call("aclrtAllocatorRegister", stream, desc)
        call("aclrtAllocatorDestroyDesc", desc)
        return self


def model_file(folder, data_dependent):
    """x [n, 8] -> two layers; or also what is above 0 of it, whose shape only the run can tell."""
    rng = np.random.default_rng(5)
    weights = {f"w{i}": rng.standard_normal((8, 8)).astype(np.float32) for i in range(2)}
    nodes = [helper.make_node("MatMul", ["x", "w0"], ["a"]), helper.make_node("Relu", ["a"], ["b"]),
             helper.make_node("MatMul", ["b", "w1"], ["d"]), helper.make_node("Softmax", ["d"], ["y"], axis=-1)]
    shape = ["n", 8]
    if data_dependent:
        nodes[-1] = helper.make_node("Softmax", ["d"], ["s"], axis=-1)
        nodes += [helper.make_node("NonZero", ["b"], ["i"]), helper.make_node("Transpose", ["i"], ["t"]),
                  helper.make_node("GatherND", ["s", "t"], ["y"])]
        shape = ["m"]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [helper.make_tensor(k, TensorProto.FLOAT, v.shape, v.ravel()) for k, v in weights.items()])
    path = os.path.join(folder, f"m{int(data_dependent)}.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)

    def golden(x):
        b = np.maximum(x @ weights["w0"], 0)
        d = b @ weights["w1"]
        s = np.exp(d - d.max(-1, keepdims=True))
        s /= s.sum(-1, keepdims=True)
        return s[np.nonzero(b)] if data_dependent else s

    return path, golden


class Model:
    def __init__(self, path):
        self.id = c.c_uint32()
        call("aclmdlLoadFromFile", path.encode(), c.byref(self.id))

    def run(self, stream, x, room, wait=True):
        """The result, or the code of the call or of the wait that failed."""
        memories = [Memory(x), Memory(np.zeros(room, np.float32))]
        datasets = []
        for memory in memories:
            dataset = pointer(lib.aclmdlCreateDataset())
            buffer = pointer(lib.aclCreateDataBuffer(memory.address, c.c_size_t(memory.bytes)))
            call("aclmdlAddDatasetBuffer", dataset, buffer)
            datasets.append(dataset)
        desc = tensor_desc(x, ND)
        call("aclmdlSetDatasetTensorDesc", datasets[0], desc, c.c_size_t(0))
        code = lib.aclmdlExecuteAsync(self.id, datasets[0], datasets[1], stream)
        if code or not wait:
            return code
        code = lib.aclrtSynchronizeStream(stream)
        if code:
            return code
        memories[1].fetch()
        return memories[1].array

    def unload(self):
        call("aclmdlUnload", self.id)


def new_stream():
    stream = c.c_void_p()
    call("aclrtCreateStream", c.byref(stream))
    return stream


def reduce_op(stream, x):
    """A single operator that needs workspace: the axes are read when it runs."""
    return aclop(stream, "ReduceSum", [x, np.array([1], np.int64)], [np.zeros(x.shape[0], np.float32)], keep_dims=False)[0]


class Allocator(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.rng = np.random.default_rng(9)

    def x(self, rows):
        return self.rng.standard_normal((rows, 8)).astype(np.float32)

    def whole(self, recorder):
        self.assertEqual(recorder.errors, [])
        self.assertEqual(recorder.live, {})
        self.assertEqual(recorder.allocated, recorder.freed)

    def test_dynamic_models_take_and_return_every_block_once(self):
        for dependent in (False, True):
            path, golden = model_file(self.folder.name, dependent)
            stream, model = new_stream(), Model(path)
            recorder = Recorder().register(stream)
            for rows in (3, 5, 3, 7):
                x = self.x(rows)
                want = golden(x)
                got = model.run(stream, x, (rows * 8,))
                np.testing.assert_allclose(got[: want.size], want.ravel(), 1e-4, 1e-5)
            print(f"{'shapes by data' if dependent else 'shapes by input'}: {recorder.allocated} allocations, "
                  f"peak {recorder.peak} bytes, {recorder.freed} frees")
            self.assertGreaterEqual(recorder.allocated, 4)
            self.whole(recorder)
            model.unload()
            self.whole(recorder)
            call("aclrtDestroyStream", stream)

    def test_null_at_every_allocation_fails_that_execution_only(self):
        for dependent in (False, True):
            path, golden = model_file(self.folder.name, dependent)
            stream, model = new_stream(), Model(path)
            x = self.x(4)
            count = Recorder().register(stream)
            self.assertNotIsInstance(model.run(stream, x, (32,)), int)
            for n in range(1, count.allocated + 1):
                recorder = Recorder(fail_at=n).register(stream)
                self.assertEqual(model.run(stream, x, (32,)), 500002, f"allocation {n}")
                self.whole(recorder)
                want = golden(x)
                np.testing.assert_allclose(model.run(stream, x, (32,))[: want.size], want.ravel(), 1e-4, 1e-5)
                self.whole(recorder)
            recorder = Recorder(address_fails_at=1).register(stream)
            self.assertEqual(model.run(stream, x, (32,)), 500002)
            self.whole(recorder)
            model.unload()

    def test_a_model_that_takes_one_block_fails_in_the_call_itself(self):
        path, golden = model_file(self.folder.name, False)
        stream, model = new_stream(), Model(path)
        recorder = Recorder(fail_at=1).register(stream)
        self.assertEqual(model.run(stream, self.x(4), (32,), wait=False), 500002)
        call("aclrtSynchronizeStream", stream)  # no task was queued
        self.assertEqual(recorder.allocated, 0)
        self.whole(recorder)
        model.unload()

    def test_the_allocator_is_looked_up_at_each_execution(self):
        path, golden = model_file(self.folder.name, False)
        stream, model = new_stream(), Model(path)
        first, second, x = Recorder().register(stream), Recorder(), self.x(4)
        model.run(stream, x, (32,))
        before = first.allocated
        second.register(stream)
        model.run(stream, x, (32,))
        self.assertEqual(first.allocated, before)
        self.assertGreater(second.allocated, 0)
        call("aclrtAllocatorUnregister", stream)
        taken = second.allocated
        np.testing.assert_allclose(model.run(stream, x, (32,)), golden(x).ravel(), 1e-4, 1e-5)
        self.assertEqual(second.allocated, taken)
        self.whole(first)
        self.whole(second)
        model.unload()

    def test_single_operators_use_it_too(self):
        stream = new_stream()
        recorder, x = Recorder().register(stream), self.x(6)
        for _ in range(3):
            np.testing.assert_allclose(reduce_op(stream, x), x.sum(1), 1e-4, 1e-5)
        self.assertGreater(recorder.allocated, 0)
        self.whole(recorder)
        per_run = recorder.allocated // 3
        for n in range(1, per_run + 1):
            recorder = Recorder(fail_at=n).register(stream)
            with self.assertRaises(Refused) as caught:
                reduce_op(stream, x)
            self.assertEqual(caught.exception.code, 500002)
            self.whole(recorder)
            np.testing.assert_allclose(reduce_op(stream, x), x.sum(1), 1e-4, 1e-5)
        call("aclrtDestroyStream", stream)

    def test_a_fixed_operator_fails_in_the_call_itself(self):
        stream = new_stream()
        a, b = (self.rng.integers(-4, 5, (6, 6)).astype(np.float16) for _ in range(2))
        memories = [Memory(t) for t in (a, b, np.zeros((6, 6), np.float32), np.array(1, np.float32), np.array(0, np.float32))]
        p = [memory.address for memory in memories]
        run = lambda: call("aclblasGemmEx", 0, 0, 0, 6, 6, 6, p[3], p[0], -1, 1, p[1], -1, 1, p[4], p[2], -1, 0, 0, stream)
        recorder = Recorder().register(stream)
        run()
        call("aclrtSynchronizeStream", stream)
        memories[2].fetch()
        np.testing.assert_array_equal(memories[2].array, a.astype(np.float32) @ b.astype(np.float32))
        self.assertEqual(recorder.allocated, 1)
        self.whole(recorder)
        recorder = Recorder(fail_at=1).register(stream)
        with self.assertRaises(Refused) as caught:
            run()
        self.assertEqual(caught.exception.code, 500002)
        self.assertIn("returned null", caught.exception.message)
        run()
        call("aclrtSynchronizeStream", stream)
        self.whole(recorder)

    def test_several_streams_have_several_allocators(self):
        streams = [new_stream() for _ in range(3)]
        recorders = [Recorder().register(stream) for stream in streams]
        x = self.x(6)
        for k, stream in enumerate(streams):
            for _ in range(k + 1):
                np.testing.assert_allclose(reduce_op(stream, x), x.sum(1), 1e-4, 1e-5)
        self.assertEqual([r.allocated // recorders[0].allocated for r in recorders], [1, 2, 3])
        for recorder in recorders:
            self.whole(recorder)

    def test_aclnn_calls_and_static_work_never_use_it(self):
        stream = new_stream()
        recorder = Recorder().register(stream)
        a = self.x(8)
        aclnn(stream, "aclnnMatmul", a.T, a, np.zeros((8, 8), np.float32), 0)
        self.assertEqual(recorder.allocated, 0)


if __name__ == "__main__":
    unittest.main()
