# SPDX-License-Identifier: Apache-2.0
"""Sums and formulas of 16-bit tensors: computed in float32, rounded once. In this program 16-bit unsigned integers are
the bits of bfloat16. Oracle: numpy in double precision on the same inputs; a result that was rounded once lies within half
a unit of its last bit, and little more."""
import unittest

import driver
from aclnn_cases import *
from driver import Scalar

driver.TYPES["uint16"] = driver.BFLOAT16


def bits(values):
    """bfloat16: rounded to the nearest, ties to even."""
    wide = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((wide + 0x7FFF + ((wide >> 16) & 1)) >> 16).astype(np.uint16).reshape(np.shape(values))


def stored(kind, values):
    return bits(values) if kind == np.uint16 else np.asarray(values, kind)


def worth(array):
    flat = np.ascontiguousarray(array).reshape(-1)
    wide = (flat.astype(np.uint32) << 16).view(np.float32) if array.dtype == np.uint16 else flat
    return wide.astype(np.float64).reshape(array.shape)


def unit(kind, values):
    """Of the last bit of these numbers."""
    low, digits = (-14, 10) if kind == np.float16 else (-126, 7)
    return 2.0 ** (np.maximum(np.floor(np.log2(np.maximum(np.abs(values), 1e-300))), low) - digits)


class Halves(Case):
    def once(self, kind, want, name, *arguments, after=(), most=0.502):
        """The result, behind the arguments, is `want` but for one rounding."""
        out = np.full(np.shape(want), 77, kind)
        aclnn(stream, "aclnn" + name, *arguments, out, *after)
        counts["aclnn" + name] += 1
        away = np.abs(worth(out) - want) / unit(kind, want)
        self.assertLess(np.max(away, initial=0), most, f"{name} of {kind.__name__}: {worth(out)} for {want}")

    def test_what_meets_in_one_place_is_added_in_float(self):
        n = 4096
        for kind in (np.float16, np.uint16):
            ones, zero = stored(kind, np.ones((n, 2))), stored(kind, np.zeros((3, 2)))
            rows, index = np.ones(n, np.int64), np.ones((n, 2), np.int64)
            want = np.array([[0, 0], [n, n], [0, 0]])
            self.once(kind, want, "IndexAdd", zero, 0, rows, ones, 1)
            self.once(kind, want, "IndexAddV2", zero, 0, rows, ones, 1, 0)
            self.once(kind, want, "ScatterAdd", zero, 0, index, ones)
            self.once(kind, want, "Scatter", zero, 0, index, ones, 1)
            for name, given in (("IndexPutImpl", ([rows], ones, True, False)), ("InplacePut", (rows, stored(kind, np.ones(n)), True))):
                out = zero.copy()
                aclnn(stream, "aclnn" + name, out, *given)
                counts["aclnn" + name] += 1
                self.assertEqual(worth(out).max(), n, name)
            x, factors = stored(kind, rng.random((4, 3)) + 0.5), stored(kind, rng.random((60, 3)) + 0.5)
            places, want = rng.integers(0, 4, (60, 3)), worth(x)
            np.multiply.at(want, (places, np.arange(3)), worth(factors))
            self.once(kind, want, "Scatter", x, 0, places, factors, 2)

    def given(self, kind, *shapes):
        for shape in shapes:
            made = stored(kind, rng.standard_normal(shape))
            yield made
            yield worth(made)

    def test_sums_into_rows_and_elements_have_the_bits_of_float(self):
        """Rows that all differ, rows that meet, few and many of them: the sum of floats in their order, rounded once."""
        for kind in (np.float16, np.uint16):
            for width in (1, 3, 700, 5000):
                rows = 40 if width > 1 else 4000
                x = stored(kind, rng.standard_normal((rows, width)))
                for index in (rng.permutation(rows)[: rows // 2], rng.integers(0, rows, rows), np.array([3, 1, 3]), np.array([5]), np.arange(rows)):
                    index = index.astype(np.int64)
                    source = stored(kind, rng.standard_normal((len(index), width)))
                    for factor in (1, 2.5, -0.3):
                        want, scaled = worth(x).astype(np.float32), worth(source).astype(np.float32) * np.float32(factor)
                        np.add.at(want, index, scaled)
                        out = np.empty_like(x)
                        aclnn(stream, "aclnnIndexAdd", x, 0, index, source, float(factor), out)
                        np.testing.assert_array_equal(out, stored(kind, want))
                        if factor == 1:
                            put = x.copy()
                            aclnn(stream, "aclnnIndexPutImpl", put, [index], source, True, False)
                            np.testing.assert_array_equal(put, out)
                counts["aclnnIndexAdd"] += 1

    def test_what_nothing_is_added_to_keeps_its_bits(self):
        for kind, odd in ((np.float16, [0x7D01, 0x7E55, 0xFC01, 0x8000, 0x0001]), (np.uint16, [0x7F81, 0x7FC5, 0xFF81, 0x8000, 0x0001])):
            x = np.tile(np.array(odd, np.uint16).view(kind), 40).reshape(200, 1)
            for index in (np.array([199]), np.array([199, 199]), np.full(150, 199)):
                out = x.copy()
                aclnn(stream, "aclnnIndexPutImpl", out, [index.astype(np.int64)], stored(kind, np.ones((len(index), 1))), True, False)
                np.testing.assert_array_equal(out.view(np.uint16)[:199], x.view(np.uint16)[:199])

    def test_sums_with_a_factor_have_the_bits_of_float(self):
        def add(x, y, factor):
            return x + np.float32(factor) * y

        for kind in (np.float16, np.uint16):
            for left, right in (((5, 1000), (5, 1000)), ((3, 1, 7), (1, 4, 7)), ((2000,), (1,)), ((1,), (3, 1500)), ((4, 5), ()), ((0, 3), (3,))):
                a, b = (stored(kind, rng.standard_normal(shape)) for shape in (left, right))
                wide = [worth(v).astype(np.float32) for v in (a, b)]
                for name, want in (("Add", add(*wide, 0.3)), ("Sub", add(*wide, -0.3)), ("Rsub", add(wide[1], wide[0], -0.3)), ("AddRelu", np.maximum(add(*wide, 0.3), 0))):
                    if name == "AddRelu" and kind == np.uint16:
                        continue
                    check(name, a, b, 0.3, Out(stored(kind, want), tolerance=0))
            a = stored(kind, rng.standard_normal((5, 100)))
        for left, right in (((5, 3000), (5, 3000)), ((3, 1, 7), (1, 4, 7)), ((1,), (3, 1500))):
            a, b = f32(*left), f32(*right)
            check("Add", a, b, 0.3, Out(add(a, b, 0.3), tolerance=0))
            check("Sub", a, b, 0.3, Out(add(a, b, -0.3), tolerance=0))
        a, b = floats(np.float64, 3, 4), floats(np.float64, 4)
        check("Add", a, b, Scalar(0.3, np.float64), Out(a + 0.3 * b, tolerance=1e-15))
        check("Add", a, f32(4) * 0 + 1, Scalar(2, np.int64), Out(a + 2))
        self.refused(161001, "parameter alpha must not be null", "Add", a, b, None, Out(a))
        self.refused(161001, "parameter self must not be null", "Add", None, b, 2.0, Out(a))
        self.refused(161001, "parameter other must not be null", "Sub", a, None, 2.0, Out(a))
        self.refused(161001, "parameter alpha must not be null", "IndexAdd", a, 0, np.array([0]), a[:1], None, Out(a))

    def test_formulas_of_several_steps(self):
        k = float(np.float32(0.3))
        for kind in (np.float16, np.uint16):
            a, x, b, y, c, z = self.given(kind, *[200] * 3)
            self.once(kind, x + 3 * y, "Add", a, b, 3.0)
            self.once(kind, x + k * y, "Add", a, b, 0.3)
            self.once(kind, x - k * y, "Sub", a, b, 0.3)
            self.once(kind, x + k * k, "Adds", a, 0.3, 0.3)
            self.once(kind, y - k * x, "Rsub", a, b, 0.3)
            self.once(kind, k - k * x, "Rsubs", a, 0.3, 0.3)
            self.once(kind, x * k, "Muls", a, 0.3)
            self.once(kind, x / k, "Divs", a, 0.3)
            self.once(kind, x + k * y * z, "Addcmul", a, b, c, 0.3)
            self.once(kind, x + k * y / z, "Addcdiv", a, b, c, 0.3)
            self.once(kind, x + k * (y - x), "Lerps", a, b, 0.3)
            self.once(kind, x + z * (y - x), "Lerp", a, b, c)
            self.once(kind, np.logaddexp(x, y), "LogAddExp", a, b)
            self.once(kind, np.logaddexp2(x, y), "LogAddExp2", a, b)
            self.once(kind, np.abs(x) ** k, "PowTensorScalar", stored(kind, np.abs(x)), 0.3)
            self.once(kind, x[:100] / (1 + np.exp(-x[100:])), "Glu", a, 0)
            self.once(kind, ((x - y) ** 2).mean(), "MseLoss", a, b, 1)
            # What is between is too large, or too near to another, for 16 bits.
            one, big = stored(kind, np.ones(1)), stored(kind, np.full(1, 300))
            self.once(kind, np.array([1 + 90000 * float(np.float32(1e-5))]), "Addcmul", one, big, big, 1e-5)

    def test_scaled_products(self):
        k = float(np.float32(0.3))
        for kind in (np.float16, np.uint16):
            a, x, b, y, c, z = self.given(kind, (8, 50), (50, 6), (8, 6))
            self.once(kind, k * z + k * (x @ y), "Addmm", c, a, b, 0.3, 0.3, after=(0,))
            self.once(kind, k * (x @ y) + k * z, "Gemm", a, b, c, 0.3, 0.3, 0, 0, after=(0,))
            p, u, q, v, r, w = self.given(kind, (3, 8, 50), (3, 50, 6), (3, 8, 6))
            self.once(kind, k * w + k * (u @ v), "Baddbmm", r, p, q, 0.3, 0.3, after=(0,))
            self.once(kind, k * z + k * (u @ v).sum(0), "Addbmm", c, p, q, 0.3, 0.3, after=(0,))
            f, g, h, i = self.given(kind, 50, 8)
            self.once(kind, k * i + k * (x @ g), "Addmv", h, a, f, 0.3, 0.3, after=(0,))
            self.once(kind, k * x + k * np.outer(i, g), "Addr", a, h, f, 0.3, 0.3)
            large = stored(kind, np.full((1, 64), 40))
            self.once(kind, np.array([[102400 * float(np.float32(1e-3))]]), "Addmm", stored(kind, [[0]]), large, large.T.copy(), 1.0, 1e-3, after=(0,))
            out = np.zeros((8, 6), np.float32)  # nothing is rounded to 16 bits on the way to an output of 32
            aclnn(stream, "aclnnMatmul", a, b, out, 0)
            np.testing.assert_allclose(out, x @ y, 1e-5, 1e-5)

    def test_a_bias_in_float_is_not_rounded(self):
        for kind in (np.float16, np.uint16):
            a, x, b, y = self.given(kind, (1, 3, 1, 5), (4, 3, 1, 1))
            bias = f32(4)
            want = np.einsum("ncij,oc->noij", x, y[:, :, 0, 0]) + bias.reshape(1, 4, 1, 1)
            self.once(kind, want, "Convolution", a, b, bias, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, after=(0,), most=0.51)


if __name__ == "__main__":
    main()
