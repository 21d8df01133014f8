# SPDX-License-Identifier: Apache-2.0
"""The objects of aclnn calls and the rules of their two phases."""
import threading
import unittest

from driver import *

stream = start()
for name in ("aclGetViewShape", "aclGetStorageShape", "aclGetViewStrides"):
    getattr(lib, name).restype = c.c_int


def tensor(shape, strides=None, offset=0, address=None, dtype=0, storage=None):
    storage = shape if storage is None else storage
    return pointer(lib.aclCreateTensor(int64s(shape), c.c_uint64(len(shape)), dtype,
                                       None if strides is None else int64s(strides), c.c_int64(offset), ND,
                                       int64s(storage), c.c_uint64(len(storage)), address))


def shape_of(function, handle):
    values, count = c.POINTER(c.c_int64)(), c.c_uint64()
    assert getattr(lib, function)(handle, c.byref(values), c.byref(count)) == 0
    return [values[i] for i in range(count.value)]


class Objects(unittest.TestCase):
    def test_a_tensor_tells_what_it_was_made_of(self):
        t = tensor([2, 3], [1, 2], 5, None, 1, [7])
        self.assertEqual(shape_of("aclGetViewShape", t), [2, 3])
        self.assertEqual(shape_of("aclGetViewStrides", t), [1, 2])
        self.assertEqual(shape_of("aclGetStorageShape", t), [7])
        offset, form, kind, address = c.c_int64(), c.c_int(), c.c_int(), c.c_void_p(9)
        self.assertEqual(lib.aclGetViewOffset(t, c.byref(offset)), 0)
        self.assertEqual(lib.aclGetFormat(t, c.byref(form)), 0)
        self.assertEqual(lib.aclGetDataType(t, c.byref(kind)), 0)
        self.assertEqual((offset.value, form.value, kind.value), (5, ND, 1))
        self.assertEqual(lib.aclSetRawTensorAddr(t, pointer(4096)), 0)
        self.assertEqual(lib.aclGetRawTensorAddr(t, c.byref(address)), 0)
        self.assertEqual(address.value, 4096)
        self.assertEqual(lib.aclDestroyTensor(t), 0)

    def test_without_strides_a_tensor_is_dense(self):
        self.assertEqual(shape_of("aclGetViewStrides", tensor([2, 3, 4])), [12, 4, 1])
        self.assertEqual(shape_of("aclGetViewShape", tensor([])), [])

    def test_nulls(self):
        self.assertIsNone(lib.aclCreateTensor(None, c.c_uint64(2), 0, None, c.c_int64(0), ND, None, c.c_uint64(0), None))
        self.assertIsNone(lib.aclCreateTensor(int64s([2]), c.c_uint64(1), 0, None, c.c_int64(0), ND, None, c.c_uint64(2), None))
        self.assertIsNone(lib.aclCreateScalar(None, 0))
        self.assertEqual(lib.aclGetViewOffset(None, None), 161001)
        self.assertEqual(lib.aclGetViewShape(tensor([2]), None, None), 161001)
        for kind in ("Tensor", "Scalar", "IntArray", "FloatArray", "BoolArray", "TensorList", "ScalarList"):
            self.assertEqual(getattr(lib, "aclDestroy" + kind)(None), 0)

    def test_lists_and_arrays_know_their_sizes(self):
        size = c.c_uint64()
        array = pointer(lib.aclCreateIntArray(int64s([1, 2, 3]), c.c_uint64(3)))
        self.assertEqual(lib.aclGetIntArraySize(array, c.byref(size)), 0)
        self.assertEqual(size.value, 3)
        members = [tensor([2]), tensor([3])]
        tensors = pointer(lib.aclCreateTensorList((c.c_void_p * 2)(*[m.value for m in members]), c.c_uint64(2)))
        self.assertEqual(lib.aclGetTensorListSize(tensors, c.byref(size)), 0)
        self.assertEqual(size.value, 2)
        self.assertEqual(lib.aclDestroyTensorList(tensors), 0)  # with its tensors


class Phases(unittest.TestCase):
    def setUp(self):
        self.arrays = [np.arange(16, dtype=np.float32), np.ones(16, np.float32), np.zeros(16, np.float32)]
        self.memories = [Memory(a) for a in self.arrays]
        self.tensors = [tensor([16], address=m.address) for m in self.memories]
        one = np.array(1, np.float32)
        self.alpha = pointer(lib.aclCreateScalar(pointer(one.ctypes.data), 0))

    def prepare(self):
        size, executor = c.c_uint64(99), c.c_void_p()
        call("aclnnAddGetWorkspaceSize", self.tensors[0], self.tensors[1], self.alpha, self.tensors[2], c.byref(size),
             c.byref(executor))
        return size, executor

    def result(self):
        call("aclrtSynchronizeStream", stream)
        self.memories[2].fetch()
        return self.memories[2].array.tolist()

    def test_a_dense_sum_needs_no_workspace(self):
        size, executor = self.prepare()
        self.assertEqual(size.value, 0)
        self.assertEqual(lib.aclnnAdd(None, c.c_uint64(0), executor, stream), 0)
        self.assertEqual(self.result(), [i + 1.0 for i in range(16)])

    def test_an_executor_is_used_once(self):
        _, executor = self.prepare()
        self.assertEqual(lib.aclnnAdd(None, c.c_uint64(0), executor, stream), 0)
        self.assertEqual(lib.aclnnAdd(None, c.c_uint64(0), executor, stream), 561000)
        self.assertEqual(lib.aclDestroyAclOpExecutor(executor), 561000)

    def test_a_missing_workspace_uses_the_executor_up(self):
        _, executor = self.prepare()
        self.assertEqual(lib.aclnnAdd(None, c.c_uint64(64), executor, stream), 161001)
        self.assertEqual(lib.aclnnAdd(None, c.c_uint64(0), executor, stream), 561000)

    def test_objects_may_go_when_the_second_phase_has_returned(self):
        _, executor = self.prepare()
        self.assertEqual(lib.aclnnAdd(None, c.c_uint64(0), executor, stream), 0)
        for t in self.tensors:
            lib.aclDestroyTensor(t)
        lib.aclDestroyScalar(self.alpha)
        self.assertEqual(self.result(), [i + 1.0 for i in range(16)])

    def test_a_repeatable_executor_runs_on_other_addresses(self):
        _, executor = self.prepare()
        self.assertEqual(lib.aclSetAclOpExecutorRepeatable(executor), 0)
        for k in range(3):
            other = Memory(np.full(16, 10.0 * k, np.float32))
            self.assertEqual(lib.aclSetInputTensorAddr(executor, c.c_size_t(1), self.tensors[1], other.address), 0)
            self.assertEqual(lib.aclnnAdd(None, c.c_uint64(0), executor, stream), 0)
            self.assertEqual(self.result(), [i + 10.0 * k for i in range(16)])
        self.assertEqual(lib.aclDestroyAclOpExecutor(executor), 0)
        self.assertEqual(lib.aclnnAdd(None, c.c_uint64(0), executor, stream), 561000)

    def test_an_address_that_makes_the_output_an_input_is_seen(self):
        _, executor = self.prepare()
        self.assertEqual(lib.aclSetAclOpExecutorRepeatable(executor), 0)
        self.assertEqual(lib.aclSetTensorAddr(executor, c.c_size_t(2), self.tensors[2], self.memories[0].address), 0)
        self.assertEqual(lib.aclnnAdd(None, c.c_uint64(0), executor, stream), 0)
        call("aclrtSynchronizeStream", stream)
        self.memories[0].fetch()
        self.assertEqual(self.memories[0].array.tolist(), [i + 1.0 for i in range(16)])
        lib.aclDestroyAclOpExecutor(executor)

    def test_wrong_use_of_addresses(self):
        _, executor = self.prepare()
        self.assertEqual(lib.aclSetInputTensorAddr(executor, c.c_size_t(0), None, None), 561103)
        self.assertEqual(lib.aclSetInputTensorAddr(None, c.c_size_t(0), self.tensors[0], None), 561103)
        tensors = pointer(lib.aclCreateTensorList((c.c_void_p * 1)(tensor([2]).value), c.c_uint64(1)))
        self.assertEqual(lib.aclSetDynamicInputTensorAddr(executor, c.c_size_t(0), c.c_size_t(1), tensors, None), 161002)
        self.assertEqual(lib.AclSetDynamicInputTensorAddr(executor, c.c_size_t(0), c.c_size_t(0), tensors, None), 0)
        self.assertEqual(lib.aclSetAclOpExecutorRepeatable(pointer(12345)), 561000)
        self.assertEqual(lib.aclDestroyAclOpExecutor(pointer(12345)), 561000)
        self.assertEqual(lib.aclnnAdd(None, c.c_uint64(0), None, stream), 161001)

    def test_null_results_of_the_first_phase(self):
        size, executor = c.c_uint64(), c.c_void_p()
        given = (self.tensors[0], self.tensors[1], self.alpha, self.tensors[2])
        self.assertEqual(lib.aclnnAddGetWorkspaceSize(*given, None, c.byref(executor)), 161001)
        self.assertEqual(lib.aclnnAddGetWorkspaceSize(*given, c.byref(size), None), 161001)

    def test_a_dead_stream_is_a_runtime_error(self):
        _, executor = self.prepare()
        self.assertEqual(lib.aclnnAdd(None, c.c_uint64(0), executor, pointer(12345)), 361001)

    def test_a_function_without_a_recipe_refuses_by_name(self):
        self.assertEqual(lib.aclnnSvd(None, c.c_uint64(0), None, stream), 207000)
        self.assertIn(b"aclnnSvd", lib.aclGetRecentErrMsg())

    def test_bfloat16_is_rounded_once(self):
        bits = lambda values: (np.array(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)
        memories = [Memory(bits([1.5, 256])), Memory(bits([2.25, 1])), Memory(bits([0, 0]))]
        tensors = [tensor([2], address=m.address, dtype=BFLOAT16) for m in memories]
        size, executor = c.c_uint64(), c.c_void_p()
        call("aclnnAddGetWorkspaceSize", tensors[0], tensors[1], self.alpha, tensors[2], c.byref(size), c.byref(executor))
        call("aclnnAdd", None, size, executor, stream)
        call("aclrtSynchronizeStream", stream)
        memories[2].fetch()
        self.assertEqual(memories[2].array.tolist(), bits([3.75, 256]).tolist())  # 257 is a tie: to even

    def test_threads_share_a_plan(self):
        wrong = []

        def work(seed):
            call("aclrtSetDevice", 0)
            mine = c.c_void_p()
            call("aclrtCreateStream", c.byref(mine))
            rng = np.random.default_rng(seed)
            for _ in range(50):
                a, b = (rng.standard_normal((6, 6)).astype(np.float32) for _ in range(2))
                out = np.zeros((6, 6), np.float32)
                aclnn(mine, "aclnnMatmul", a.T, b, out, 0)
                if not np.allclose(out, a.T @ b, 1e-4, 1e-4):
                    wrong.append(seed)
            call("aclrtDestroyStream", mine)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
