# SPDX-License-Identifier: Apache-2.0
"""Linear algebra, windows of images, weights in FRACTAL_NZ and losses, against numpy and the examples of the page of
facts."""
import ctypes as c
import itertools
import unittest

from aclnn_cases import *
from driver import INT4, TYPES, Int4, Stored, call, int64s, lib

NZ = 29


def fractals(array, c0):
    """The bytes of [.., r, c] in FRACTAL_NZ: columns by c0, rows by 16, the rest 0."""
    *batch, r, k = array.shape
    padded = np.zeros((*batch, -(-r // 16) * 16, -(-k // c0) * c0), array.dtype)
    padded[..., :r, :k] = array
    tiles = padded.reshape(*batch, padded.shape[-2] // 16, 16, padded.shape[-1] // c0, c0)
    n = len(batch)
    return np.ascontiguousarray(tiles.transpose(*range(n), n + 2, n, n + 1, n + 3))


def stored(array, turned=False, storage=None):
    """A weight of this shape whose memory is in FRACTAL_NZ; `turned`: what is stored is its transpose."""
    c0 = 32 // array.itemsize
    memory = fractals(np.swapaxes(array, -1, -2) if turned else array, c0)
    strides = [int(np.prod(array.shape[i + 1 :])) for i in range(array.ndim)]
    if turned:
        strides[-2:] = [1, array.shape[-2]]
    return Stored(memory, array.shape, NZ, storage or memory.shape, strides)


class Solving(Case):
    def test_triangles(self):
        for dtype, upper, turned in itertools.product((np.float32, np.float64, np.complex64, np.complex128), (True, False), (True, False)):
            for a_batch, b_batch in (((), ()), ((2,), (2,)), ((3, 1), (1, 2)), ((1, 1), (1, 1))):
                a, b = rng.standard_normal((*a_batch, 5, 5)), rng.standard_normal((*b_batch, 5, 3))
                if np.dtype(dtype).kind == "c":
                    a, b = a + 1j * rng.standard_normal(a.shape), b + 1j * rng.standard_normal(b.shape)
                a, b = (a + 4 * np.eye(5)).astype(dtype), b.astype(dtype)
                m = np.triu(a) if upper else np.tril(a)
                batch = np.broadcast_shapes(a_batch, b_batch)
                x = np.linalg.solve(np.swapaxes(m, -1, -2) if turned else m, np.broadcast_to(b, (*batch, 5, 3)))
                tolerance = 1e-3 if dtype in (np.float32, np.complex64) else 1e-9
                self.solve(b, a, upper, turned, False, x, np.broadcast_to(m, (*batch, 5, 5)), tolerance)
        a, b = f32(4, 4), f32(4, 2)
        m = np.tril(a)
        one = np.tril(a, -1) + np.eye(4, dtype=np.float32)
        self.solve(b, a, False, False, True, np.linalg.solve(one, b), m, 1e-3)
        self.refused(161002, "square", "TriangularSolve", b, f32(4, 3), False, False, False, Out(b), Out(a))
        self.refused(161002, "do not fit", "TriangularSolve", f32(3, 2), a, False, False, False, Out(b), Out(a))
        self.refused(161001, "A", "TriangularSolve", b, None, False, False, False, Out(b), Out(a))
        self.refused(161002, "DT_INT32", "TriangularSolve", ints(np.int32, 4, 2), ints(np.int32, 4, 4), False, False, False, Out(ints(np.int32, 4, 2)), Out(ints(np.int32, 4, 4)))

    def solve(self, b, a, upper, turned, unit, x, m, tolerance):
        for layout in (np.ascontiguousarray, strided):
            got_x, got_m = layout(np.zeros(x.shape, a.dtype)), layout(np.zeros(m.shape, a.dtype))
            aclnn(stream, "aclnnTriangularSolve", layout(b), layout(a), upper, turned, unit, got_x, got_m)
            np.testing.assert_allclose(got_x, x, tolerance, tolerance)
            np.testing.assert_array_equal(got_m, m)
            counts["aclnnTriangularSolve"] += 1

    def test_factors(self):
        for dtype in (np.float32, np.float64):
            loose = 2e-3 if dtype == np.float32 else 1e-8
            a = rng.standard_normal((2, 4, 4)).astype(dtype)
            check("Inverse", a, Out(np.linalg.inv(a), dtype, loose))
            sign, log = np.linalg.slogdet(a)
            check("Slogdet", a, Out(sign, dtype), Out(log, dtype, loose))
            with np.errstate(invalid="ignore"):
                check("Logdet", a, Out(np.where(sign > 0, log, np.nan), dtype, loose))
            positive = (a @ np.swapaxes(a, 1, 2) + 4 * np.eye(4)).astype(dtype)
            lower = np.linalg.cholesky(positive)
            check("LinalgCholesky", positive, False, Out(lower, dtype, loose))
            check("LinalgCholesky", positive, True, Out(np.swapaxes(lower, 1, 2), dtype, loose))
            for shape, mode in itertools.product(((5, 3), (3, 5), (4, 4)), ("reduced", "complete")):
                x = rng.standard_normal((2, *shape)).astype(dtype)
                q, r = np.linalg.qr(x, mode)
                got_q, got_r = np.zeros(q.shape, dtype), np.zeros(r.shape, dtype)
                aclnn(stream, "aclnnLinalgQr", x, ("reduced", "complete").index(mode), got_q, got_r)
                np.testing.assert_allclose(got_q @ got_r, x, loose, loose)
                np.testing.assert_allclose(np.swapaxes(got_q, 1, 2) @ got_q, np.broadcast_to(np.eye(q.shape[-1]), (2, q.shape[-1], q.shape[-1])), loose, loose)
                np.testing.assert_allclose(np.tril(got_r, -1), 0, atol=1e-6)
        singular = np.zeros((3, 3), np.float32)
        check("Slogdet", singular, Out(np.float32(0)), Out(np.float32(-np.inf)))


class Windows(Case):
    @staticmethod
    def columns(x, kernel, dilation, padding, stride):
        n, ch, h, w = x.shape
        high, wide = ((s + 2 * p - d * (k - 1) - 1) // t + 1 for s, k, d, p, t in zip((h, w), kernel, dilation, padding, stride))
        full = np.zeros((n, ch, h + 2 * padding[0], w + 2 * padding[1]), x.dtype)
        full[:, :, padding[0] : padding[0] + h, padding[1] : padding[1] + w] = x
        made = np.zeros((n, ch, kernel[0], kernel[1], high, wide), x.dtype)
        for i, j in itertools.product(range(kernel[0]), range(kernel[1])):
            made[:, :, i, j] = full[:, :, i * dilation[0] :, j * dilation[1] :][:, :, : (high - 1) * stride[0] + 1 : stride[0], : (wide - 1) * stride[1] + 1 : stride[1]]
        return made.reshape(n, ch * kernel[0] * kernel[1], high * wide)

    def test_there_and_back(self):
        for dtype in (np.float32, np.float16):
            for given in (((2, 3), (1, 1), (0, 0), (1, 1)), ((3, 3), (2, 1), (1, 2), (2, 1)), ((5, 1), (1, 1), (1, 0), (1, 3))):
                x = floats(dtype, 2, 3, 5, 6)
                want = self.columns(x, *given)
                lists = [list(v) for v in given]
                check("Im2col", x, *lists, Out(want))
                check("Im2col", x[0], *lists, Out(want[0]))
                g = floats(dtype, *want.shape)
                back = np.zeros(x.shape)
                where = self.columns(np.arange(x.size).reshape(x.shape) + 1, *given)  # 0: outside
                np.add.at(back.reshape(-1), where[where > 0] - 1, g[where > 0].astype(np.float64))
                check("Im2colBackward", g, [5, 6], *lists, Out(back, dtype, 1e-2 if dtype == np.float16 else 1e-5))
                check("Im2colBackward", g[0], [5, 6], *lists, Out(back[0], dtype, 1e-2 if dtype == np.float16 else 1e-5))
        self.refused(161002, "stride", "Im2col", x, [2, 2], [1, 1], [0, 0], [0, 1], Out(x))
        self.refused(161002, "kernelSize", "Im2col", x, [2], [1, 1], [0, 0], [1, 1], Out(x))
        self.refused(161002, "out is", "Im2col", x, [2, 2], [1, 1], [0, 0], [1, 1], Out(x))
        self.refused(161001, "stride", "Im2col", x, [2, 2], [1, 1], [0, 0], None, Out(x))

    def test_cross_entropy(self):
        for dtype in (np.float32, np.float16):
            x, y = floats(dtype, 5, 7), rng.dirichlet(np.ones(7), 5).astype(dtype)
            e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
            p = e / e.sum(1, keepdims=True)
            check("SoftmaxCrossEntropyWithLogits", x, y, Out(-(y * np.log(p)).sum(1), dtype), Out(p - y, dtype))
        self.refused(161001, "labels", "SoftmaxCrossEntropyWithLogits", x, None, Out(x[:, 0]), Out(x))


class Products(Case):
    def test_one_matrix_for_all(self):
        for a, b in ((1, 4), (4, 1), (4, 4), (1, 1)):
            x, y = f32(a, 3, 5), f32(b, 5, 2)
            check("BatchMatMul", x, y, Out(x @ y), 0)
        self.refused(161002, "neither is 1", "BatchMatMul", f32(2, 3, 5), f32(3, 5, 2), Out(f32(3, 3, 2)), 0)
        self.refused(161002, "3 dimensions", "BatchMatMul", f32(3, 5), f32(5, 2), Out(f32(3, 2)), 0)

    def test_turned_batches(self):
        x, y = f32(4, 3, 5), f32(4, 5, 2)
        want = (x @ y).transpose(1, 0, 2)
        check("TransposeBatchMatMul", x, y, None, None, [0, 1, 2], [0, 1, 2], [1, 0, 2], 0, 1, Out(want))
        check("TransposeBatchMatMul", np.ascontiguousarray(x.transpose(1, 0, 2)), np.ascontiguousarray(y.transpose(0, 2, 1)), None, None, [1, 0, 2], [0, 2, 1], [1, 0, 2], 0, 1, Out(want))
        parts = np.stack([np.concatenate([(x @ y)[2 * f + i] for i in range(2)], 1) for f in range(2)])
        check("TransposeBatchMatMul", x, y, None, None, [0, 1, 2], [0, 1, 2], [1, 0, 2], 0, 2, Out(parts))
        self.refused(161002, "not supported", "TransposeBatchMatMul", x, y, f32(2), None, [0, 1, 2], [0, 1, 2], [1, 0, 2], 0, 1, Out(want))

    def test_what_follows_a_product(self):
        x, y, bias, third = f32(3, 5), f32(5, 4), f32(4), f32(3, 4)
        p = x @ y
        check("FusedMatmul", x, y, bias, None, "", 0, Out(p + bias))
        check("FusedMatmul", x, y, None, third, "add", 0, Out(p + third))
        check("FusedMatmul", x, y, bias, third, "mul", 0, Out((p + bias) * third))
        check("FusedMatmul", x, y, None, None, "relu", 0, Out(np.maximum(p, 0)))
        self.refused(161002, "fusedOpType", "FusedMatmul", x, y, None, None, "sin", 0, Out(p))
        self.refused(161001, "x3", "FusedMatmul", x, y, None, None, "add", 0, Out(p))


class Fractals(Case):
    def test_the_order_of_the_page(self):
        memory = fractals(np.arange(800, dtype=np.float16).reshape(20, 40), 16)
        self.assertEqual(memory.shape, (3, 2, 16, 16))
        for at, (i, j) in ((512, (0, 16)), (272, (17, 0)), (1335, (19, 39))):
            self.assertEqual(memory.reshape(-1)[at], np.float16(i * 40 + j))

    def test_products_take_them(self):
        for dtype, (k, n) in itertools.product((np.float16, np.float32), ((32, 48), (20, 40), (16, 16), (7, 100))):
            x, w = floats(dtype, 5, k), floats(dtype, k, n)
            want = Out(x.astype(np.float64) @ w.astype(np.float64), dtype, 2e-2 if dtype == np.float16 else 1e-4)
            for turned in (False, True):
                for name, lead in (("Mm", []), ("Matmul", []), ("MatmulWeightNz", [])):
                    self.product(name, want, x, stored(w, turned))
                self.product("Addmm", Out(want.expected + 1, dtype, want.tolerance), np.ones(n, dtype), x, stored(w, turned), 1.0, 1.0)
                self.product("AddmmWeightNz", Out(want.expected + 1, dtype, want.tolerance), np.ones(n, dtype), x, stored(w, turned), 1.0, 1.0)
            xs, ws = floats(dtype, 3, 5, k), floats(dtype, 3, k, n)
            want = Out(xs.astype(np.float64) @ ws.astype(np.float64), dtype, want.tolerance)
            for turned, name in itertools.product((False, True), ("BatchMatMul", "BatchMatMulWeightNz")):
                self.product(name, want, xs, stored(ws, turned))
        self.refused(161002, "FRACTAL_NZ", "Mm", Stored(fractals(x, 8), x.shape, NZ, [1]), w, Out(f32(5, n)), 0)

    def product(self, name, want, *inputs):
        y = want.array()
        aclnn(stream, "aclnn" + name, *inputs, y, 0)
        compare(y, want, name)
        counts["aclnn" + name] += 1

    def test_whole_numbers(self):
        for k, n in ((32, 64), (20, 40)):
            x, w, scale = ints(np.int8, 4, k), ints(np.int8, k, n), (rng.random(n) * 0.1).astype(np.float32)
            want = (x.astype(np.int64) @ w) * scale.astype(np.float64)
            token = (rng.random(4) + 0.5).astype(np.float32)
            for turned in (False, True):
                y = np.zeros((4, n), np.float16)
                aclnn(stream, "aclnnQuantMatmulV4", x, stored(w, turned), scale, None, token, None, False, False, y)
                np.testing.assert_allclose(y, want * token[:, None], 2e-2, 2e-2)
                y = np.zeros((4, n), np.float16)
                aclnn(stream, "aclnnQuantMatmulWeightNz", x, stored(w, turned), token, scale, None, None, None, None, None, False, False, 0, y)
                np.testing.assert_allclose(y, want * token[:, None], 2e-2, 2e-2)
            flag = stored(np.ascontiguousarray(w.T))  # given as [n, k]
            aclnn(stream, "aclnnQuantMatmulWeightNz", x, flag, token, scale, None, None, None, None, None, False, True, 0, y)
            np.testing.assert_allclose(y, want * token[:, None], 2e-2, 2e-2)
            half, fine = floats(np.float16, 4, k), (rng.random(n) * 0.1).astype(np.float16)
            want = half.astype(np.float64) @ (w * fine.astype(np.float64))
            for name in ("V2", "Nz"):
                y = np.zeros((4, n), np.float16)
                aclnn(stream, "aclnnWeightQuantBatchMatmul" + name, half, stored(w), fine, None, None, None, None, 0, y)
                np.testing.assert_allclose(y, want, 2e-2, 2e-2)
            counts["aclnnQuantMatmulWeightNz"] += 4
            counts["aclnnWeightQuantBatchMatmulNz"] += 1

    def test_four_bits(self):
        k, n = 64, 128
        values = rng.integers(-8, 8, (k, n)).astype(np.int8)
        tiles = fractals(values, 64)
        packed = Int4(tiles.reshape(-1), (k, n)).packed
        x, scale = floats(np.float16, 4, k), (rng.random(n) * 0.1).astype(np.float16)
        want = x.astype(np.float64) @ (values * scale.astype(np.float64))
        as_words = Stored(packed.view(np.int32), (k, n // 8), NZ, [n // 64, k // 16, 16, 8])
        y = np.zeros((4, n), np.float16)
        aclnn(stream, "aclnnWeightQuantBatchMatmulNz", x, as_words, scale, None, None, None, None, 0, y)
        np.testing.assert_allclose(y, want, 2e-2, 2e-2)
        aclnn(stream, "aclnnWeightQuantBatchMatmulV2", x, Stored(packed.view("V1"), (k, n), NZ, tiles.shape), scale, None, None, None, None, 0, y)
        np.testing.assert_allclose(y, want, 2e-2, 2e-2)

    def test_groups(self):
        x, w = floats(np.float16, 7, 32), floats(np.float16, 3, 32, 48)
        want = np.concatenate([x[:2] @ w[0], x[2:3] @ w[1], x[3:] @ w[2]]).astype(np.float64)
        none = [None] * 5
        for name, extra in (("GroupedMatmulV5", []), ("GroupedMatmulWeightNz", [0])):
            y = np.zeros((7, 48), np.float16)
            aclnn(stream, "aclnn" + name, [x], [stored(w)], *none, None, np.int64([2, 3, 7]), None, None, None, 2, 0, 0, 0, None, *extra, [y], None, None)
            np.testing.assert_allclose(y, want, 2e-2, 2e-2)
            counts["aclnn" + name] += 1

    def test_sizes(self):
        size = c.c_uint64()
        for shape, want in (([20, 40], 32 * 48), ([3, 510, 270], 3 * 512 * 272)):
            dims = c.c_void_p(lib.aclCreateIntArray(int64s(shape), c.c_uint64(len(shape))))
            call("aclnnCalculateMatmulWeightSize", dims, c.byref(size))
            self.assertEqual(size.value, want)
        for shape, type, want in (([20, 40], 1, 1536), ([20, 40], 2, 2048), ([20, 40], 0, 2048), ([510, 270], 2, 512 * 288), ([20, 40], 27, 1536)):
            dims = c.c_void_p(lib.aclCreateIntArray(int64s(shape), c.c_uint64(len(shape))))
            call("aclnnCalculateMatmulWeightSizeV2", dims, type, c.byref(size))
            self.assertEqual(size.value, want)
        for shape, code, text in (([5], 161002, "2 to 6"), ([5, 0], 161002, "above 0"), ([1] * 7, 161002, "2 to 6")):
            dims = c.c_void_p(lib.aclCreateIntArray(int64s(shape), c.c_uint64(len(shape))))
            with self.assertRaises(Refused) as caught:
                call("aclnnCalculateMatmulWeightSizeV2", dims, 1, c.byref(size))
            self.assertEqual(caught.exception.code, code)
            self.assertIn(text, caught.exception.message)
        with self.assertRaises(Refused) as caught:
            call("aclnnCalculateMatmulWeightSize", None, c.byref(size))
        self.assertEqual(caught.exception.code, 161001)

    def test_a_weight_is_turned_and_used(self):
        for dtype, (n, k) in itertools.product((np.float16, np.float32), ((48, 32), (32, 64), (20, 36))):
            w, x = floats(dtype, n, k), floats(dtype, 5, k)
            memory = w.copy()
            aclnn(stream, "aclnnTransMatmulWeight", memory)
            whole = n % 16 == 0 and k % (32 // w.itemsize) == 0
            np.testing.assert_array_equal(memory.reshape(-1), (fractals(w, 32 // w.itemsize) if whole else w).reshape(-1))
            y = np.zeros((5, n), dtype)
            later = Stored(memory, (k, n), NZ, [n * k], [1, k])  # as a client describes it afterwards
            aclnn(stream, "aclnnMatmul", x, later, y, 0)
            np.testing.assert_allclose(y, x.astype(np.float64) @ w.astype(np.float64).T, 2e-2, 2e-2)
            counts["aclnnTransMatmulWeight"] += 1
        self.refused(161002, "DT_INT32", "TransMatmulWeight", ints(np.int32, 16, 16))
        self.refused(161002, "2 to 6", "TransMatmulWeight", f32(16))
        batches = stored(floats(np.float16, 3, 7, 100))
        for strides in ([-700, 100, 1], [1400, 100, 1]):
            view = Stored(batches.bytes, (3, 7, 100), NZ, batches.storage, strides)
            self.refused(161002, "lie in the storage", "BatchMatMul", floats(np.float16, 3, 5, 7), view, Out(np.zeros((3, 5, 100), np.float16)), 0)
        kept = np.zeros((48, 64), np.float16)
        for view in (kept[:, ::2], kept[:, :32], kept[::-1, :32], np.broadcast_to(kept[0, :32], (48, 32))):
            with self.assertRaises(Refused) as caught:
                aclnn(stream, "aclnnTransMatmulWeight", view)
            self.assertIn("one after another", caught.exception.message)
        self.refused(161001, "mmWeightRef", "TransMatmulWeight", None)


class Formats(Case):
    def form_of(self, shape, dtype, form, wanted, additional=-1):
        x = lib.aclCreateTensor(int64s(shape), c.c_uint64(len(shape)), TYPES[dtype], None, c.c_int64(0), form, int64s(shape), c.c_uint64(len(shape)), None)
        made, rank, actual = c.POINTER(c.c_int64)(), c.c_uint64(), c.c_int()
        call("aclnnNpuFormatCastCalculateSizeAndFormat", c.c_void_p(x), wanted, additional, c.byref(made), c.byref(rank), c.byref(actual))
        self.assertEqual(actual.value, wanted)
        return [made[i] for i in range(rank.value)]

    def test_sizes(self):
        self.assertEqual(self.form_of([20, 40], "float16", 2, NZ), [3, 2, 16, 16])
        self.assertEqual(self.form_of([20, 40], "int8", 2, NZ), [2, 2, 16, 32])
        self.assertEqual(self.form_of([5, 20, 40], "float32", 2, NZ), [5, 5, 2, 16, 8])
        self.assertEqual(self.form_of([20, 40], "float16", 2, NZ, 2), [2, 2, 16, 32])
        self.assertEqual(self.form_of([2, 20, 5, 6], "float16", 0, 3), [2, 2, 5, 6, 16])
        self.assertEqual(self.form_of([2, 5, 6, 20], "float16", 1, 3), [2, 2, 5, 6, 16])
        for shape, dtype, form, wanted, code in (([20], "float16", 2, NZ, 161002), ([20, 0], "float16", 2, NZ, 161002), ([20, 40], "float64", 2, NZ, 161002), ([20, 40], "float16", 2, 3, 361001)):
            with self.assertRaises(Refused) as caught:
                self.form_of(shape, dtype, form, wanted)
            self.assertEqual(caught.exception.code, code, caught.exception.message)

    def test_there_and_back(self):
        for dtype in (np.float16, np.float32, np.int8):
            for shape in ((20, 40), (32, 64), (3, 17, 5)):
                x = ints(np.int8, *shape).astype(dtype)
                want = fractals(x, 32 // x.itemsize)
                memory = np.full(want.shape, 77, dtype)
                aclnn(stream, "aclnnNpuFormatCast", x, Stored(memory, shape, NZ, want.shape))
                np.testing.assert_array_equal(memory, want)
                back = np.zeros(shape, dtype)
                aclnn(stream, "aclnnNpuFormatCast", Stored(memory, shape, NZ, want.shape), back)
                np.testing.assert_array_equal(back, x)
                counts["aclnnNpuFormatCast"] += 2

    def test_images(self):
        x = f32(2, 20, 5, 6)
        want = np.zeros((2, 32, 5, 6), np.float32)
        want[:, :20] = x
        want = np.ascontiguousarray(want.reshape(2, 2, 16, 5, 6).transpose(0, 1, 3, 4, 2))
        memory = np.full(want.shape, 77, np.float32)
        aclnn(stream, "aclnnNpuFormatCast", x, Stored(memory, x.shape, 3, want.shape), form=0)
        np.testing.assert_array_equal(memory, want)
        back = np.zeros_like(x)
        aclnn(stream, "aclnnNpuFormatCast", Stored(memory, x.shape, 3, want.shape), back, form=0)
        np.testing.assert_array_equal(back, x)
        with self.assertRaises(Refused) as caught:
            aclnn(stream, "aclnnNpuFormatCast", x, Stored(memory, x.shape, 3, [2, 2, 5, 6, 8]), form=0)
        self.assertEqual(caught.exception.code, 161002)


if __name__ == "__main__":
    main()
