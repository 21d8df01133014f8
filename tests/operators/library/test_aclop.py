# SPDX-License-Identifier: Apache-2.0
"""Single operators through aclop* and aclblas*, against numpy."""
import os
import pathlib
import tempfile
import unittest

from driver import *

stream = start()
rng = np.random.default_rng(3)
ENTRIES = ("aclopExecuteV2", "aclopExecute", "aclopCompileAndExecute", "aclopCompileAndExecuteV2")
FLOATS = (np.float32, np.float16, np.float64)
NUMBERS = FLOATS + (np.int8, np.int16, np.int32, np.int64, np.uint8)


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def near(got, want, tolerance=1e-5):
    np.testing.assert_allclose(np.asarray(got, np.float64), np.asarray(want, np.float64), tolerance, tolerance)


def run(op, inputs, want, tolerance=1e-5, form=ND, entry="aclopExecuteV2", **attributes):
    wants = want if isinstance(want, list) else [want]
    wants = [np.asarray(w) for w in wants]
    outputs = [np.zeros(w.shape, w.dtype) for w in wants]
    aclop(stream, op, inputs, outputs, form, entry, **attributes)
    for got, wanted in zip(outputs, wants):
        near(got, wanted, tolerance)


class Execute(unittest.TestCase):
    def test_every_entry_adds_with_broadcasting(self):
        for entry in ENTRIES:
            for left, right in [((4, 3), (3,)), ((), (2,)), ((2, 1), (1, 3)), ((0, 3), (3,)), ((), ())]:
                a, b = f32(*left), f32(*right)
                run("Add", [a, b], a + b, entry=entry)

    def test_types(self):
        for dtype in NUMBERS:
            a, b = (rng.integers(1, 9, (3, 4)).astype(dtype) for _ in range(2))
            for op, f in {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Maximum": np.maximum,
                          "Minimum": np.minimum, "Less": np.less, "Equal": np.equal}.items():
                run(op, [a, b], f(a, b))
        for dtype in FLOATS:
            x = rng.uniform(0.5, 2, (5, 7)).astype(dtype)
            for op, f in {"Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Tanh": np.tanh, "Abs": np.abs,
                          "Relu": lambda x: np.maximum(x, 0), "Neg": np.negative, "Floor": np.floor,
                          "Reciprocal": lambda x: 1 / x}.items():
                run(op, [x], f(x.astype(np.float64)).astype(dtype), 2e-3 if dtype == np.float16 else 1e-5)

    def test_hardtanh_has_a_shape_rule_and_default_limits(self):
        for dtype in FLOATS:
            x = (3 * rng.standard_normal((4, 5))).astype(dtype)
            run("HardtanhV2", [x], np.clip(x, -1, 1))
            run("HardtanhV2", [x], np.clip(x, dtype(-0.5), dtype(0.75)), min_val=-0.5, max_val=0.75)

    def test_attributes_of_every_kind(self):
        x = f32(2, 3, 4)
        e = np.exp(x - x.max(1, keepdims=True))
        run("SoftmaxV2", [x], e / e.sum(1, keepdims=True), axes=[1])                      # ListInt
        run("LeakyRelu", [x], np.where(x > 0, x, np.float32(0.2) * x), negative_slope=0.2)  # Float
        run("Cast", [x], x.astype(np.int32), dst_type=3)                                    # Int
        run("ConcatD", [x, x], np.concatenate([x, x], 2), concat_dim=2, N=2)
        run("ArgMaxV2", [x, Const(np.int64(2))], x.argmax(2).astype(np.int32), dtype=Type(3))  # DataType
        a, b = f32(3, 4), f32(5, 3)
        run("MatMulV2", [a, b], a.T @ b.T, 1e-4, transpose_x1=True, transpose_x2=True)      # Bool
        image, weight = f32(1, 3, 6, 6), f32(4, 3, 1, 1)
        run("Conv2D", [image, weight], np.einsum("nchw,oc->nohw", image, weight[:, :, 0, 0]), 1e-4, NCHW,
            strides=[1, 1, 1, 1], pads=[0, 0, 0, 0], data_format="NCHW")                    # String

    def test_constants_decide_shapes(self):
        x = f32(2, 3, 4)
        run("ReduceSum", [x, Const(np.array([1], np.int64))], x.sum(1), keep_dims=False)
        run("ReduceSum", [x, np.array([0, 2], np.int64)], x.sum((0, 2)), 1e-4, keep_dims=False)  # read when it runs
        run("Transpose", [x, Const(np.array([2, 0, 1], np.int32))], x.transpose(2, 0, 1))
        run("Tile", [x, Const(np.array([1, 2, 1], np.int32))], np.tile(x, (1, 2, 1)))

    def test_an_optional_input_may_be_left_open(self):
        image, weight = f32(1, 2, 4, 4), f32(3, 2, 1, 1)
        run("Conv2D", [image, weight, None, None], np.einsum("nchw,oc->nohw", image, weight[:, :, 0, 0]), 1e-4, NCHW,
            strides=[1, 1, 1, 1], pads=[0, 0, 0, 0], data_format="NCHW")

    def test_a_shape_that_depends_on_data_comes_back_in_the_descriptor(self):
        x = np.array([0, 3, 0, 5], np.float32)
        memory, out = Memory(x), Memory(np.zeros(4, np.int64))
        descs = [tensor_desc(x, ND), tensor_desc(np.zeros((4, 1), np.int64), ND)]
        buffers = [pointer(lib.aclCreateDataBuffer(m.address, c.c_size_t(m.bytes))) for m in (memory, out)]
        one = lambda item: (c.c_void_p * 1)(item.value)
        call("aclopExecuteV2", b"NonZero", 1, one(descs[0]), one(buffers[0]), 1, one(descs[1]), one(buffers[1]), None, stream)
        rows = c.c_int64()
        call("aclGetTensorDescDimV2", descs[1], c.c_size_t(0), c.byref(rows))
        self.assertEqual(rows.value, 2)
        out.fetch()
        self.assertEqual(out.array[:2].tolist(), [1, 3])


class Handles(unittest.TestCase):
    def make(self, shape=(4,)):
        x = f32(*shape)
        descs = [tensor_desc(x, ND) for _ in range(3)]
        handle = c.c_void_p()
        pair = (c.c_void_p * 2)(descs[0].value, descs[1].value)
        call("aclopCreateHandle", b"Add", 2, pair, 1, (c.c_void_p * 1)(descs[2].value), None, c.byref(handle))
        return handle

    def test_a_handle_runs_many_times(self):
        handle = self.make()
        for _ in range(3):
            a, b = f32(4), f32(4)
            memories = [Memory(a), Memory(b), Memory(np.zeros(4, np.float32))]
            buffers = [pointer(lib.aclCreateDataBuffer(m.address, c.c_size_t(16))) for m in memories]
            call("aclopExecWithHandle", handle, 2, (c.c_void_p * 2)(buffers[0].value, buffers[1].value), 1,
                 (c.c_void_p * 1)(buffers[2].value), stream)
            call("aclrtSynchronizeStream", stream)
            memories[2].fetch()
            near(memories[2].array, a + b)
        lib.aclopDestroyHandle(handle)

    def test_wrong_counts(self):
        handle = self.make()
        for counts, code in (((1, 1), 100021), ((2, 2), 100022)):
            with self.assertRaises(Refused) as caught:
                call("aclopExecWithHandle", handle, counts[0], None, counts[1], None, stream)
            self.assertEqual(caught.exception.code, code)
            self.assertIn("the handle was made for", caught.exception.message)


class WrongUse(unittest.TestCase):
    def refused(self, code, text, op, inputs, outputs, **options):
        with self.assertRaises(Refused) as caught:
            aclop(stream, op, inputs, outputs, **options)
        self.assertEqual(caught.exception.code, code, caught.exception.message)
        self.assertIn(text, caught.exception.message)

    def test_what_cannot_run_is_not_found(self):
        x = f32(2, 3)
        for entry, code in (("aclopExecuteV2", 100024), ("aclopCompileAndExecute", 500002)):
            self.refused(code, "there is no operator", "Addd", [x, x], [x.copy()], entry=entry)
            self.refused(code, "inputs (x1, x2), the call gives 3", "Add", [x, x, x], [x.copy()], entry=entry)
            self.refused(code, "outputs", "Add", [x, x], [x.copy(), x.copy()], entry=entry)
            self.refused(code, "output 0 is DT_FLOAT [2,3], the call says DT_FLOAT [2,2]", "Add", [x, x], [f32(2, 2)], entry=entry)
            self.refused(code, "DT_INT32", "Add", [x, x], [x.astype(np.int32)], entry=entry)
            self.refused(code, "", "Add", [x, f32(4)], [x.copy()], entry=entry)
            self.refused(code, "attribute strides", "Conv2D", [f32(1, 1, 3, 3), f32(1, 1, 1, 1)], [f32(1, 1, 3, 3)], form=NCHW, entry=entry)
            self.refused(code, "input 1 (x2) is required", "Add", [x, None], [x.copy()], entry=entry)

    def test_private_formats(self):
        x = f32(16, 16)
        self.refused(100024, "FRACTAL_NZ", "Relu", [x], [x.copy()], form=29)
        desc = tensor_desc(x, ND)
        call("aclSetTensorFormat", desc, 3)
        one = (c.c_void_p * 1)(desc.value)
        self.assertEqual(lib.aclopCompile(b"Relu", 1, one, 1, one, None, 0, 0, None), 100024)
        self.assertIn(b"NC1HWC0", lib.aclGetRecentErrMsg())

    def test_null_pointers(self):
        for arguments in ((None, 0, None, None, 0, None, None, None, stream), (b"Add", 2, None, None, 1, None, None, None, stream)):
            self.assertEqual(lib.aclopExecuteV2(*arguments), 100000)
        self.assertEqual(lib.aclopSetAttrInt(None, b"x", c.c_int64(1)), 100000)
        attr = pointer(lib.aclopCreateAttr())
        self.assertEqual(lib.aclopSetAttrInt(attr, None, c.c_int64(1)), 100000)
        self.assertEqual(lib.aclopSetAttrListInt(attr, b"x", 2, None), 100000)
        self.assertEqual(lib.aclopSetAttrListInt(attr, b"x", -1, None), 100000)
        lib.aclopDestroyAttr(attr)

    def test_unknown_dimensions_and_small_buffers(self):
        unknown = pointer(lib.aclCreateTensorDesc(0, 1, int64s([-1]), ND))
        one = (c.c_void_p * 1)(unknown.value)
        buffer = pointer(lib.aclCreateDataBuffer(None, c.c_size_t(0)))
        b = (c.c_void_p * 1)(buffer.value)
        self.assertEqual(lib.aclopExecuteV2(b"Abs", 1, one, b, 1, one, b, None, stream), 100000)
        known = pointer(lib.aclCreateTensorDesc(0, 1, int64s([4]), ND))
        one = (c.c_void_p * 1)(known.value)
        self.assertEqual(lib.aclopExecuteV2(b"Abs", 1, one, b, 1, one, b, None, stream), 100000)
        self.assertIn(b"needs 16 bytes", lib.aclGetRecentErrMsg())

    def test_options(self):
        self.assertEqual(lib.aclopSetMaxOpQueueNum(c.c_uint64(0)), 100000)
        self.assertEqual(lib.aclSetCompileopt(2, b"GA"), 200006)
        self.assertEqual(lib.aclSetCompileopt(99, b"x"), 100000)
        self.assertEqual(lib.aclSetCompileopt(0, b"force_fp16"), 0)
        text = c.create_string_buffer(32)
        self.assertEqual(lib.aclGetCompileopt(0, text, c.c_size_t(32)), 0)
        self.assertEqual(text.value, b"force_fp16")
        self.assertEqual(lib.aclGetCompileopt(0, text, c.c_size_t(3)), 100000)
        desc = (c.c_void_p * 1)(tensor_desc(f32(3), ND).value)
        self.assertEqual(lib.aclopCompile(b"Abs", 1, desc, 1, desc, None, 0, 0, None), 0)
        self.assertEqual(lib.aclopCompile(b"Abs", 1, desc, 1, desc, None, 0, 7, None), 200001)
        self.assertEqual(lib.aclopCompile(b"Abs", 1, desc, 1, desc, None, 0, 1, None), 100000)

    def test_model_directories(self):
        self.assertEqual(lib.aclopSetModelDir(b"/nowhere/at/all"), 100014)
        self.assertEqual(lib.aclopSetModelDir(None), 100000)
        self.assertEqual(lib.aclopLoad(b"abc", c.c_size_t(0)), 100000)
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(lib.aclopSetModelDir(empty.encode()), 0)
            self.assertEqual(lib.aclopSetModelDir(empty.encode()), 100002)


class Others(unittest.TestCase):
    def test_cast(self):
        x = f32(5) * 4
        for dtype in (np.float16, np.int32, np.float64):
            descs = [tensor_desc(x, ND), tensor_desc(x.astype(dtype), ND)]
            memories = [Memory(x), Memory(np.zeros(5, dtype))]
            buffers = [pointer(lib.aclCreateDataBuffer(m.address, c.c_size_t(m.bytes))) for m in memories]
            call("aclopCast", descs[0], buffers[0], descs[1], buffers[1], 0, stream)
            call("aclrtSynchronizeStream", stream)
            memories[1].fetch()
            np.testing.assert_array_equal(memories[1].array, x.astype(dtype))
            with self.assertRaises(Refused) as caught:
                call("aclopCast", descs[0], buffers[0], descs[1], buffers[1], 1, stream)
            self.assertEqual(caught.exception.code, 200006)
            self.assertIn("truncate is 1; only 0 is supported", caught.exception.message)
            handle = c.c_void_p()
            self.assertEqual(lib.aclopCreateHandleForCast(descs[0], descs[1], 2, c.byref(handle)), 200006)

    def test_infer_shape_reads_values_in_host_memory(self):
        x, axes = f32(2, 3, 4), np.array([1], np.int64)
        descs = [tensor_desc(x, ND), tensor_desc(axes, ND), tensor_desc(np.zeros(1, np.float32), ND)]
        buffers = [pointer(lib.aclCreateDataBuffer(pointer(a.ctypes.data), c.c_size_t(a.nbytes))) for a in (x, axes)]
        call("aclopInferShape", b"ReduceSum", 2, (c.c_void_p * 2)(*[d.value for d in descs[:2]]),
             (c.c_void_p * 2)(*[b.value for b in buffers]), 1, (c.c_void_p * 1)(descs[2].value), None)
        size = c.c_int64()
        for i, want in enumerate((2, 4)):
            call("aclGetTensorDescDimV2", descs[2], c.c_size_t(i), c.byref(size))
            self.assertEqual(size.value, want)

    def test_matrix_products(self):
        cases = [(np.float16, np.float16, 1, 1e-2), (np.float16, np.float32, 0, 1e-3), (np.int8, np.int32, 3, 0),
                 (np.float32, np.float32, 0, 1e-4)]
        for dtype, result, code, tolerance in cases:
            for ta in (0, 1):
                for tb in (0, 1):
                    m, n, k = 3, 5, 4
                    a = rng.integers(-4, 5, (k, m) if ta else (m, k)).astype(dtype)
                    b = rng.integers(-4, 5, (n, k) if tb else (k, n)).astype(dtype)
                    y = rng.integers(-4, 5, (m, n)).astype(result)
                    want = 2 * ((a.T if ta else a).astype(np.float64) @ (b.T if tb else b)) + 3 * y.astype(np.float64)
                    memories = [Memory(t) for t in (a, b, y, np.array(2, result), np.array(3, result))]
                    p = [m.address for m in memories]
                    call("aclblasGemmEx", ta, tb, 0, m, n, k, p[3], p[0], -1, TYPES[str(a.dtype)], p[1], -1,
                         TYPES[str(b.dtype)], p[4], p[2], -1, TYPES[str(y.dtype)], 0, stream)
                    call("aclrtSynchronizeStream", stream)
                    memories[2].fetch()
                    near(memories[2].array, want, tolerance)
        self.assertEqual(lib.aclblasGemmEx(0, 0, 0, 0, 1, 1, p[3], p[0], -1, 0, p[1], -1, 0, p[4], p[2], -1, 0, 0, stream), 100000)
        self.assertEqual(lib.aclblasGemmEx(2, 0, 0, 1, 1, 1, p[3], p[0], -1, 0, p[1], -1, 0, p[4], p[2], -1, 0, 0, stream), 100000)

    def test_a_product_of_halves_has_the_bits_of_the_calls_that_it_stands_for(self):
        """Matmul, Muls, Muls, Add of aclnn: each rounds once. All in all some results differ from those rounded at the end."""
        half = lambda *shape: rng.standard_normal(shape).astype(np.float16)
        otherwise = 0
        for m, n, k in ((1, 1, 1), (1, 40, 33), (5, 1, 64), (3, 7, 130), (16, 16, 16), (33, 65, 70), (64, 48, 300), (130, 20, 1000)):
            for alpha, beta in ((1, 1), (1, 0), (0.3, -1.7), (3, 0.01), (-0.0625, 1), (0, 2)):
                for ta, tb in ((0, 0), (0, 1), (1, 0), (1, 1)):
                    a, b, y = half(*((k, m) if ta else (m, k))), half(*((n, k) if tb else (k, n))), half(m, n)
                    left, right = a.T if ta else a, b.T if tb else b
                    product, sums, others, want = (np.zeros((m, n), np.float16) for _ in range(4))
                    factors = np.float16(alpha), np.float16(beta)
                    aclnn(stream, "aclnnMatmul", left, right, product, 0)
                    aclnn(stream, "aclnnMuls", product, float(factors[0]), sums)
                    aclnn(stream, "aclnnMuls", y, float(factors[1]), others)
                    aclnn(stream, "aclnnAdd", sums, others, 1, want)
                    memories = [Memory(t) for t in (a, b, y.copy(), np.array(factors[0]), np.array(factors[1]))]
                    p = [memory.address for memory in memories]
                    call("aclblasHgemm", ta, tb, 0, m, n, k, p[3], p[0], -1, p[1], -1, p[4], p[2], -1, 0, stream)
                    call("aclrtSynchronizeStream", stream)
                    memories[2].fetch()
                    where = f"{m}x{n}x{k}, {alpha}, {beta}, {ta}{tb}"
                    np.testing.assert_array_equal(memories[2].array.view(np.uint16), want.view(np.uint16), where)
                    made = np.zeros((m, n), np.float16)
                    aclop(stream, "GEMM", [a, b, y, *factors], [made], transpose_a=bool(ta), transpose_b=bool(tb))
                    np.testing.assert_array_equal(made.view(np.uint16), want.view(np.uint16), where)
                    exact = float(factors[0]) * (left.astype(np.float64) @ right.astype(np.float64)) + float(factors[1]) * y.astype(np.float64)
                    near(made, exact, 1e-2)
                    otherwise += int((exact.astype(np.float16) != made).sum())
        self.assertGreater(otherwise, 0)

    def test_matrix_times_vector(self):
        a, x, y = (rng.integers(-4, 5, s).astype(np.float16) for s in ((3, 4), (4,), (3,)))
        memories = [Memory(t) for t in (a, x, y, np.array(1, np.float16), np.array(2, np.float16))]
        p = [m.address for m in memories]
        want = a.astype(np.float64) @ x + 2 * y.astype(np.float64)
        call("aclblasHgemv", 0, 3, 4, p[3], p[0], -1, p[1], -1, p[4], p[2], -1, 0, stream)
        call("aclrtSynchronizeStream", stream)
        memories[2].fetch()
        near(memories[2].array, want, 1e-2)

    def test_selectors_are_called(self):
        kind = c.CFUNCTYPE(c.c_int, c.c_int, c.c_void_p, c.c_int, c.c_void_p, c.c_void_p, c.c_void_p)
        lib.aclopSetKernelArgs.argtypes = [c.c_void_p, c.c_char_p, c.c_uint32, c.c_char_p, c.c_uint32]

        @kind
        def choose(inputs, inputDesc, outputs, outputDesc, attr, kernel):
            return lib.aclopSetKernelArgs(kernel, b"k1", 1, b"args", 4)

        desc = (c.c_void_p * 1)(tensor_desc(f32(3), ND).value)
        self.assertEqual(lib.aclopUpdateParams(b"Mine", 1, desc, 1, desc, None), 100028)
        self.assertEqual(lib.aclopRegisterCompileFunc(b"Mine", choose), 0)
        self.assertEqual(lib.aclopRegisterCompileFunc(b"Mine", choose), 100030)
        self.assertEqual(lib.aclopUpdateParams(b"Mine", 1, desc, 1, desc, None), 100029)
        self.assertEqual(lib.aclopCreateKernel(b"Mine", b"k1", b"kernel", b"bin", 3, 1, None), 0)
        self.assertEqual(lib.aclopCreateKernel(b"Mine", b"k1", b"kernel", b"bin", 3, 1, None), 100031)
        self.assertEqual(lib.aclopUpdateParams(b"Mine", 1, desc, 1, desc, None), 0)
        self.assertEqual(lib.aclopUnregisterCompileFunc(b"Mine"), 0)


if __name__ == "__main__":
    unittest.main()
