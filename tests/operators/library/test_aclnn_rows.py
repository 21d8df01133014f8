# SPDX-License-Identifier: Apache-2.0
"""Norms, gated units, rotary embeddings and quantisation, row by row; against numpy and the examples of the page of facts."""
import itertools
import math
import unittest

from aclnn_cases import *

TYPES16 = (np.float32, np.float16)
erf = np.vectorize(math.erf)


def wide(x):
    return x.astype(np.float64)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x, tanh=False):
    return 0.5 * x * (1 + (np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)) if tanh else erf(x / np.sqrt(2))))


def rms(x, eps):
    return 1 / np.sqrt((wide(x) ** 2).mean(-1, keepdims=True) + eps)


def whole(x, low=-128, high=127):
    return np.clip(np.rint(x), low, high).astype(np.int8)


def dynamic(v):
    """INT8 with a scale for each row, and that scale."""
    scale = np.abs(v).max(-1, keepdims=True) / 127
    return np.rint(np.divide(v, scale, out=np.zeros_like(v), where=scale > 0)), scale[..., 0]


class Norms(Case):
    def test_root_mean_square(self):
        for dtype, shape in itertools.product(TYPES16, ((3, 16), (2, 3, 4, 32), (1, 1), (5, 1, 7))):
            x, gamma = floats(dtype, *shape), floats(dtype, shape[-1])
            r = rms(x, 1e-6)
            check("RmsNorm", x, gamma, 1e-6, Out(wide(x) * r * gamma, dtype), Out(r, np.float32))
            check("RmsNorm", x, gamma.astype(np.float32), 1e-6, Out(wide(x) * r * gamma, dtype), Out(r[..., 0], np.float32))
            check("GemmaRmsNorm", x, gamma, 1e-6, Out(wide(x) * r * (1 + wide(gamma)), dtype), Out(r, np.float32))
        x = f32(2, 4, 6)
        gamma = f32(4, 6)  # two dimensions are normed
        r = 1 / np.sqrt((wide(x) ** 2).mean((1, 2), keepdims=True))
        check("RmsNorm", x, gamma, 0.0, Out(wide(x) * r * gamma, np.float32), Out(r, np.float32))
        self.refused(161002, "gamma", "RmsNorm", x, f32(5), 1e-6, Out(x), Out(r, np.float32))
        self.refused(161001, "x must not be null", "RmsNorm", None, gamma, 1e-6, Out(x), Out(r, np.float32))
        self.refused(161001, "rstdOut", "RmsNorm", x, gamma, 1e-6, Out(x), None)
        self.refused(161002, "DT_INT32", "RmsNorm", ints(np.int32, 2, 6), f32(6), 1e-6, Out(np.zeros((2, 6), np.int32)), Out(r, np.float32))

    def test_after_a_sum(self):
        for dtype in TYPES16:
            x1, x2, gamma = floats(dtype, 3, 4, 16), floats(dtype, 3, 4, 16), floats(dtype, 16)
            x = (x1.astype(np.float32) + x2.astype(np.float32)).astype(dtype)
            r = rms(x, 1e-5)
            y = wide((wide(x) * r).astype(dtype)) * gamma
            check("AddRmsNorm", x1, x2, gamma, 1e-5, Out(y, dtype), Out(r, np.float32), Out(x))
            check("AddRmsNorm", x1, x2, gamma, 1e-5, Out(y, dtype), None, None)
            check("AddRmsNorm", x1, x2, gamma, 1e-5, Out(y, dtype), None, Out(x))
            self.refused(161001, "parameter xOut must not be null when rstdOut is given", "AddRmsNorm", x1, x2, gamma, 1e-5, Out(y, dtype), Out(r, np.float32), None)
            check("AddRmsNormCast", x1, x2, gamma, 1e-5, Out(y, np.float32), Out(y, dtype), Out(r, np.float32), Out(x))
            check("InplaceAddRmsNorm", InOut(x1, y), InOut(x2, x), gamma, 1e-5, Out(r, np.float32))
            beta, bias = floats(dtype, 16), floats(dtype, 16)
            for added in (None, bias, floats(dtype, 3, 4, 16)):
                s = wide(x1) + x2 + (0 if added is None else wide(added))
                m, v = s.mean(-1, keepdims=True), s.var(-1, keepdims=True)
                y = (s - m) / np.sqrt(v + 1e-5) * gamma + beta
                check("AddLayerNorm", x1, x2, gamma, beta, added, 1e-5, True, Out(y, dtype), Out(m, np.float32), Out(1 / np.sqrt(v + 1e-5), np.float32), Out(s, dtype))
            check("AddLayerNorm", x1, x2, gamma, beta, added, 1e-5, False, Out(y, dtype), Out(m, np.float32), Out(1 / np.sqrt(v + 1e-5), np.float32), Out(np.full(s.shape, 77, dtype)))
            s = wide(x1) * 0.5 + x2
            m, v = s.mean(-1, keepdims=True), s.var(-1, keepdims=True)
            check("DeepNorm", x1, x2, beta, gamma, 0.5, 1e-5, Out(m, np.float32), Out(1 / np.sqrt(v + 1e-5), np.float32), Out((s - m) / np.sqrt(v + 1e-5) * gamma + beta, dtype))
        out = (Out(y, dtype), Out(r, np.float32), Out(x))
        self.refused(161002, "gamma has shape [1]", "AddRmsNorm", x1, x2, gamma[:1], 1e-5, *out)
        self.refused(161002, "alike", "AddRmsNorm", x1, x2.astype(np.int8), gamma, 1e-5, *out)
        self.refused(161002, "alike", "AddRmsNormCast", x1, x2.astype(np.float32), gamma, 1e-5, Out(y, np.float32), Out(y, dtype), Out(r, np.float32), Out(x))

    def test_a_sum_is_normed_as_it_is_stored_and_in_steps(self):
        x1, x2, gamma = floats(np.float16, 64, 64), floats(np.float16, 64, 64), floats(np.float16, 64)
        single = lambda a: a.astype(np.float32)
        x = (single(x1) + single(x2)).astype(np.float16)
        y, rstd, total = np.zeros((64, 64), np.float16), np.zeros((64, 1), np.float32), np.zeros((64, 64), np.float16)
        aclnn(stream, "aclnnAddRmsNorm", x1, x2, gamma, 1e-6, y, rstd, total)
        np.testing.assert_array_equal(total, x)
        np.testing.assert_allclose(rstd, rms(x, 1e-6), 1e-6)
        by_steps = (single((single(x) * rstd).astype(np.float16)) * single(gamma)).astype(np.float16)
        np.testing.assert_array_equal(y, by_steps)
        a, b = x1.copy(), x2.copy()
        aclnn(stream, "aclnnInplaceAddRmsNorm", a, b, gamma, 1e-6, rstd)
        np.testing.assert_array_equal(a, by_steps)
        np.testing.assert_array_equal(b, x)

    def test_as_whole_numbers(self):
        x1, x2, gamma, beta = f32(6, 32), f32(6, 32), f32(32), f32(32)
        x = x1 + x2
        n = wide(x) * rms(x, 1e-6) * gamma
        s1, s2, z1 = (rng.random(32) * 0.05 + 0.02).astype(np.float32), (rng.random(32) * 0.05 + 0.02).astype(np.float32), ints(np.int32, 32)
        unused = Out(np.full((6, 32), 77, np.int8))
        check("AddRmsNormQuant", x1, x2, gamma, s1, None, z1, None, -1, 1e-6, True, Near(whole(n / s1 + z1)), unused, Out(x))
        check("AddRmsNormQuant", x1, x2, gamma, s1, s2, z1, None, -1, 1e-6, True, Near(whole(n / s1 + z1)), Near(whole(n / s2)), Out(x))
        check("AddRmsNormQuant", x1, x2, gamma, 1 / s1, None, None, None, -1, 1e-6, False, Near(whole(n / s1)), None, Out(x))
        check("AddRmsNormQuantV2", x1, x2, gamma, s1, None, z1, None, beta, -1, 1e-6, True, Near(whole((n + beta) / s1 + z1)), unused, Out(x), Out(n, np.float32))
        scale, offset = np.float32([0.04]), np.int8([3])
        y = wide(x1) * rms(x1, 1e-6) * gamma + beta
        check("RmsNormQuant", x1, gamma, beta, scale, offset, 1e-6, Near(whole(y / scale + offset)))
        told, scales = dynamic(n)
        once = np.float32([77])
        check("AddRmsNormDynamicQuant", x1, x2, gamma, None, None, 1e-6, Near(told), unused, Out(x), Out(scales, np.float32), Out(np.full(6, 77, np.float32)))
        check("AddRmsNormDynamicQuant", x1, x2, gamma, None, None, 1e-6, Near(told), Out(np.int8([77])), Out(x), Out(scales, np.float32), Out(once))
        smooth = [(rng.random(32) + 0.5).astype(np.float32) for _ in range(2)]
        made = [dynamic(n * s) for s in smooth]
        both = [Near(made[0][0]), Near(made[1][0]), Out(x), Out(made[0][1], np.float32), Out(made[1][1], np.float32)]
        check("AddRmsNormDynamicQuant", x1, x2, gamma, *smooth, 1e-6, *both)
        told, scales = dynamic(n + beta)
        left = Out(np.full(6, 77, np.float32))
        check("AddRmsNormDynamicQuantV2", x1, x2, gamma, None, None, beta, 1e-6, [True, False], Near(told), unused, Out(x), Out(scales, np.float32), left)
        check("AddRmsNormDynamicQuantV2", x1, x2, gamma, None, None, beta, 1e-6, [False, True], unused, Near(told), Out(x), left, Out(scales, np.float32))
        told, scales = dynamic(y * smooth[0])
        check("RmsNormDynamicQuant", x1, gamma, smooth[0], beta, 1e-6, 2, Near(told), Out(scales, np.float32))
        self.refused(161002, "dstType is 29", "RmsNormDynamicQuant", x1, gamma, None, None, 1e-6, 29, Near(told), Out(scales, np.float32))
        self.refused(161001, "scales1", "AddRmsNormQuant", x1, x2, gamma, None, None, None, None, -1, 1e-6, True, unused, unused, Out(x))
        nothing = np.zeros((6, 32), np.float32)
        check("RmsNormDynamicQuant", nothing, gamma, None, None, 1e-6, 2, Out(np.zeros((6, 32), np.int8)), Out(np.zeros(6, np.float32)))

    def test_gradients(self):
        for dtype in TYPES16:
            x, dy, gamma = floats(dtype, 5, 2, 12), floats(dtype, 5, 2, 12), floats(dtype, 12)
            loose = 5e-3 if dtype == np.float16 else 1e-4
            r = rms(x, 1e-6).astype(np.float32)
            g, xh = wide(dy) * gamma, wide(x) * r
            dx = r * (g - xh * (g * xh).mean(-1, keepdims=True))
            check("RmsNormGrad", dy, x, r, gamma, Out(dx, dtype, loose), Out((wide(dy) * xh).sum((0, 1)), np.float32, loose))
            m = wide(x).mean(-1, keepdims=True)
            r = 1 / np.sqrt(wide(x).var(-1, keepdims=True) + 1e-5)
            xh = (x - m) * r
            dx = r * (g - g.mean(-1, keepdims=True) - xh * (g * xh).mean(-1, keepdims=True))
            m32, r32 = m.astype(np.float32), r.astype(np.float32)
            dgamma, dbeta = (wide(dy) * xh).sum((0, 1)), wide(dy).sum((0, 1))
            outs = [Out(dx, dtype, loose), Out(dgamma, dtype, loose * 4), Out(dbeta, dtype, loose * 4)]
            check("LayerNormBackward", dy, x, [12], m32, r32, gamma, gamma, [True, True, True], *outs)
            more = floats(dtype, 5, 2, 12)
            check("AddLayerNormGrad", dy, x, np.zeros_like(x), r32, m32, gamma, more, Out(dx + more, dtype, loose), Out(dgamma, np.float32, loose * 4),
                  Out(dbeta, np.float32, loose * 4))  # fmt: skip
            for kind in (np.int8, bool):
                few = Out(np.zeros(12), kind)
                for places in ((few, outs[2]), (outs[1], few)):
                    self.refused(161002, "DT_FLOAT or", "LayerNormBackward", dy, x, [12], m32, r32, gamma, gamma, [True] * 3, outs[0], *places)
                    self.refused(161002, "DT_FLOAT or", "AddLayerNormGrad", dy, x, x, r32, m32, gamma, None, outs[0], *places)
                self.refused(161002, "dgamma is", "RmsNormGrad", dy, x, r32, gamma, outs[0], few)
            self.refused(161002, "dy of", "LayerNormBackward", dy.astype(np.int32), x, [12], m32, r32, gamma, gamma, [True] * 3, *outs)
            check("LayerNormBackward", dy, x, [12], m32, r32, gamma, None, [True, False, True], outs[0], None, outs[2])
            bare = r * (dy - wide(dy).mean(-1, keepdims=True) - xh * (dy * xh).mean(-1, keepdims=True))
            check("LayerNormBackward", dy, x, [12], m32, r32, None, None, [True, False, False], Out(bare, dtype, loose), Out(np.full(12, 77, dtype)), None)
        self.refused(161002, "do not fit", "RmsNormGrad", dy, x[:4], r32, gamma, Out(x), Out(gamma, np.float32))

    def test_the_example_of_the_page(self):
        x1, x2, gamma = np.float32([[1, 2]]), np.float32([[3, 0]]), np.float32([1, 2])
        check("AddRmsNorm", x1, x2, gamma, 1e-6, Out(np.float32([[1.264911, 1.264911]])), Out(np.float32([[0.31622775]])), Out(np.float32([[4, 2]])))


class Gates(Case):
    def test_swiglu(self):
        check("SwiGlu", np.float32([1, 2, 3, 4]), -1, Out(np.float32([2.193176, 7.046377])))
        for dtype, (shape, dim) in itertools.product(TYPES16, (((3, 8), 1), ((2, 6, 5), 1), ((4, 3, 2), -3), ((7, 1, 34), 2))):
            x = floats(dtype, *shape)
            a, b = np.split(wide(x), 2, dim)
            check("SwiGlu", x, dim, Out(a * sigmoid(a) * b, dtype))
            g = floats(dtype, *a.shape)
            s = sigmoid(a)
            loose = 4e-3 if dtype == np.float16 else 2e-5
            check("SwiGluGrad", g, x, dim, Out(np.concatenate([g * b * (s + s * (1 - s) * a), g * a * s], dim), dtype, loose))
        self.refused(161002, "must be even", "SwiGlu", f32(3, 5), 1, Out(f32(3, 2)))
        self.refused(161002, "dim is 2", "SwiGlu", f32(3, 4), 2, Out(f32(3, 2)))
        self.refused(161002, "0 dimensions", "SwiGlu", np.float32(3), 0, Out(f32(1)))
        self.refused(161001, "out", "SwiGlu", f32(3, 4), 1, None)

    def test_geglu(self):
        for approximate, left, want in ((0, True, [2.524034, 7.817999]), (0, False, [2.99595, 7.999747]), (1, True, [2.523576, 7.818391])):
            x = np.float32([1, 2, 3, 4])
            part = wide(x[:2] if left else x[2:])
            check("GeGluV3", x, -1, approximate, left, Out(np.float32(want)), Out(gelu(part, approximate == 1), np.float32))
        for dtype, approximate, (shape, dim) in itertools.product(TYPES16, (0, 1, 5), (((3, 8), 1), ((2, 6, 5), 1))):
            x = floats(dtype, *shape)
            a, b = np.split(wide(x), 2, dim)
            inner = gelu(b, approximate == 1)
            check("GeGlu", x, dim, approximate, Out(a * inner, dtype), Out(inner, dtype))
            check("GeGluV3", x, dim, approximate, False, Out(a * inner, dtype), Out(inner, dtype))
            inner = gelu(a, approximate == 1)
            check("GeGluV3", x, dim, approximate, True, Out(b * inner, dtype), Out(inner, dtype))
        self.refused(161001, "outGelu", "GeGluV3", f32(2, 4), 1, 0, True, Out(f32(2, 2)), None)
        x, g = f32(3, 8), f32(3, 4)
        a, b = np.split(wide(x), 2, 1)
        for approximate, left in itertools.product((0, 1), (True, False)):
            h = 1e-5
            gate, other = (a, b) if left else (b, a)
            slope = (gelu(gate + h, approximate == 1) - gelu(gate - h, approximate == 1)) / (2 * h)
            d_gate, d_other = g * other * slope, g * gelu(gate, approximate == 1)
            want = np.concatenate([d_gate, d_other] if left else [d_other, d_gate], 1)
            given = gelu(gate, approximate == 1).astype(np.float32)
            check("GeGluV3Backward", g, x, given, 1, approximate, left, Out(want, np.float32, 1e-4))
            if not left:
                check("GeGluBackward", g, x, given, 1, approximate, Out(want, np.float32, 1e-4))

    def test_clipped_and_others(self):
        check("ClippedSwiglu", np.float32([1, 8, 3, -9]), None, -1, 1.702, 7.0, 1.0, False, Out(np.float32([3.383183, -41.999719])))
        x = (f32(6, 4, 10) * 6).astype(np.float32)
        for interleaved, dim in itertools.product((True, False), (-1, 1, 2)):
            rows = wide(x).reshape(6, 40) if dim == 1 else wide(x)
            a, b = (rows[..., 0::2], rows[..., 1::2]) if interleaved else np.split(rows, 2, -1)
            a, b = np.minimum(a, 7), np.clip(b, -7, 7)
            y = a * sigmoid(1.702 * a) * (b + 1)
            shape = (6, 2, 10) if dim == 1 else (6, 4, 5)
            check("ClippedSwiglu", x, None, dim, 1.702, 7.0, 1.0, interleaved, Out(y.reshape(shape), np.float32))
        flat = x[:, 0]
        a, b = np.split(np.minimum(wide(flat), 7), 2, 1)
        y = a * sigmoid(1.702 * a) * (np.maximum(b, -7) + 1)
        y[4:] = 77
        check("ClippedSwiglu", flat, np.int64([1, 3]), -1, 1.702, 7.0, 1.0, False, Out(y, np.float32))
        a, b = np.split(wide(flat), 2, 1)
        for name in ("none", "tanh", None):
            check("GeluMul", flat, name, Out(gelu(a, name == "tanh") * b, np.float32))
        self.refused(161002, "approximate", "GeluMul", flat, "sigmoid", Out(a, np.float32))
        up = 3 * np.tanh(b / 3)
        check("SituGlu", flat, -1, 2.0, 3.0, True, Out(2 * np.tanh(a / 2) * sigmoid(a) * up, np.float32))
        check("SituGlu", flat, -1, 2.0, 0.0, False, Out(2 * np.tanh(b / 2) * sigmoid(b) * a, np.float32))
        check("FatreluMul", flat, 0.5, Out(np.where(a > 0.5, a, 0) * b, np.float32))

    def test_with_quantisation(self):
        row = np.float32([[1, 2, 3, 4]])
        check("DequantSwigluQuant", row, None, None, None, np.float32([0.05]), np.float32([3]), None, True, "static", Out(np.int8([[47, 127]])), None)
        x = ints(np.int32, 7, 16, low=-900, high=900)
        weight, token = (rng.random(16) * 0.01).astype(np.float32), (rng.random(7) + 0.5).astype(np.float32)
        whole_bias, bias = ints(np.int32, 16, low=-50, high=50), f32(16)
        smooth = (rng.random(8) + 0.5).astype(np.float32)
        for added, left in itertools.product((None, whole_bias, bias), (True, False)):
            d = wide(x) + (whole_bias if added is whole_bias else 0)
            d = d * weight * token[:, None] + (bias if added is bias else 0)
            a, b = np.split(d, 2, 1)
            y = a * sigmoid(a) * b if left else a * b * sigmoid(b)
            told, scales = dynamic(y * smooth)
            check("DequantSwigluQuant", x, weight, token, added, smooth, None, None, left, "dynamic", Near(told), Out(scales, np.float32, 1e-4))
            fixed = np.float32([0.1])
            check("DequantSwigluQuant", x, weight, token, added, fixed, None, None, left, None, Near(whole(y / fixed)), Out(np.full(7, 77, np.float32)))
        groups, weights, smooths = np.int64([2, 0, 3]), (rng.random((3, 16)) * 0.01).astype(np.float32), (rng.random((3, 8)) + 0.5).astype(np.float32)
        who = [0, 0, 2, 2, 2]
        d = wide(x[:5]) * weights[who] * token[:5, None]
        a, b = np.split(d, 2, 1)
        told, scales = dynamic(a * sigmoid(a) * b * smooths[who])
        told, scales = np.concatenate([told, np.full((2, 8), 77)]), np.append(scales, [77, 77])
        check("DequantSwigluQuant", x, weights, token, None, smooths, None, groups, True, "dynamic", Near(told), Out(scales, np.float32, 1e-4))
        x = (f32(6, 16) * 5).astype(np.float32)
        for mode in range(4):
            a, b = (wide(x)[:, 0::2], wide(x)[:, 1::2]) if mode == 1 else np.split(wide(x), 2, 1)
            if mode in (1, 2):
                a, b = np.minimum(a, 7), np.clip(b, -7, 7)
                y = a * sigmoid(1.702 * a) * (b + 1)
            elif mode == 3:
                y = np.minimum(a * sigmoid(a), 7) * np.clip(b, -7, 7)
            else:
                y = a * sigmoid(a) * b
            told, scales = dynamic(y)
            check("DequantSwigluQuantV2", x, None, None, None, None, None, None, True, "dynamic", 2, "rint", -1, mode, 7.0, 1.702, 1.0, Near(told), Out(scales, np.float32, 1e-4))
        self.refused(161002, "swigluMode is 4", "DequantSwigluQuantV2", x, None, None, None, None, None, None, True, "dynamic", 2, "rint", -1, 4, 7.0, 1.702, 1.0, Near(told), Out(scales, np.float32))
        self.refused(161002, "quantMode", "DequantSwigluQuant", x, None, None, None, None, None, None, True, "other", Near(told), Out(scales, np.float32))
        a, b = np.split(wide(x), 2, 1)
        y = a * sigmoid(a) * b
        ends = np.int32([2, 5])
        smooths = (rng.random((2, 8)) + 0.5).astype(np.float32)
        factor = np.ones((6, 8))
        factor[:2], factor[2:5] = smooths[0], smooths[1]
        told, scales = dynamic(y * factor)
        check("SwiGluQuant", x, smooths, None, ends, True, "dynamic", Near(told), Out(1 / scales, np.float32, 1e-4))
        check("SwiGluQuantV2", x, smooths, None, np.int32([2, 3]), True, None, 1, 2, Near(told), Out(1 / scales, np.float32, 1e-4))
        told, scales = dynamic(y * smooths[0])
        check("SwiGluQuantV2", x, smooths[:1], None, None, True, None, 0, 2, Near(told), Out(1 / scales, np.float32, 1e-4))


class Rotary(Case):
    @staticmethod
    def turned(x, mode):
        if mode == 1:
            return np.stack([-x[..., 1::2], x[..., 0::2]], -1).reshape(x.shape)
        parts = np.split(x, 4 if mode == 2 else 2, -1)
        return np.concatenate([-parts[1], parts[0]] + ([-parts[3], parts[2]] if mode == 2 else []), -1)

    def rotate(self, x, cos, sin, mode):
        if mode == 3:
            x = np.concatenate([x[..., 0::2], x[..., 1::2]], -1)
        return x * cos + self.turned(x, min(mode, 2) if mode < 3 else 0) * sin

    def test_the_examples_of_the_page(self):
        x, cos, sin = np.float32([1, 2, 3, 4]).reshape(1, 1, 1, 4), np.float32([.1, .2, .3, .4]).reshape(1, 1, 1, 4), np.float32([.5, .6, .7, .8]).reshape(1, 1, 1, 4)
        for mode, want in ((0, [-1.4, -2, 1.6, 3.2]), (1, [-0.9, 1, -1.9, 4]), (3, [-0.9, -1.8, 1.3, 4])):
            check("RotaryPositionEmbedding", x, cos, sin, mode, Out(np.float32(want).reshape(x.shape)))
        x = np.arange(1, 9, dtype=np.float32).reshape(1, 1, 1, 8)
        check("RotaryPositionEmbedding", x, np.ones_like(x), np.full_like(x, .5), 2, Out(np.float32([-0.5, 0, 3.5, 5, 1.5, 2, 9.5, 11]).reshape(x.shape)))
        head, row = np.float32([[1, 2, 3, 4, 5, 6]]), np.float32([[.6, .8, .8, .6]])
        for neox, want in ((True, [-1.8, -0.8, 2.6, 4.4, 5, 6]), (False, [-1, 2, 0, 5, 5, 6])):
            outs = [Out(np.float32([want])), Out(np.float32([want]))]
            check("RopeWithSinCosCache", np.int64([0]), head, head, row, None, 6, neox, *outs)

    def test_all_modes_and_broadcasts(self):
        for dtype, mode in itertools.product(TYPES16, range(4)):
            for shape, angles in (((2, 3, 4, 16), (1, 1, 4, 16)), ((2, 3, 4, 16), (2, 1, 4, 16)), ((2, 3, 4, 16), (2, 3, 4, 16)), ((2, 3, 4, 16), (1, 3, 1, 16)), ((5, 4, 16), (5, 1, 16))):
                x, cos, sin = floats(dtype, *shape), floats(dtype, *angles), floats(dtype, *angles)
                y = self.rotate(wide(x), wide(cos), wide(sin), mode)
                check("RotaryPositionEmbedding", x, cos, sin, mode, Out(y, dtype))
                check("RotaryPositionEmbeddingV2", x, cos, sin, mode, None, Out(y, dtype))
        matrix = floats(dtype, 16, 16)
        check("RotaryPositionEmbeddingV2", x, cos, sin, 0, matrix, Out(wide(x) * cos + wide(x) @ wide(matrix) * sin, dtype, 1e-2))
        x, cos = floats(dtype, 2, 1, 5, 64), [floats(dtype, 2, 1, 5, 64) for _ in range(2)]
        check("InterleaveRope", x, *cos, Out(self.rotate(wide(x), wide(cos[0]), wide(cos[1]), 3), dtype))
        self.refused(161002, "mode is 4", "RotaryPositionEmbedding", x, *cos, 4, Out(x))
        self.refused(161002, "do not fit", "RotaryPositionEmbedding", x, cos[0][:, :, :3], cos[1][:, :, :3], 0, Out(x))
        self.refused(161001, "cos", "RotaryPositionEmbedding", x, None, cos[1], 0, Out(x))

    def test_a_view_of_longer_heads(self):
        heads = f32(2, 5, 3, 32)
        x = heads[..., :16]
        cos, sin = f32(1, 5, 1, 16), f32(1, 5, 1, 16)
        want = self.rotate(wide(x), wide(cos), wide(sin), 1)
        y = np.zeros(x.shape, np.float32)
        aclnn(stream, "aclnnRotaryPositionEmbedding", x, cos, sin, 1, y)
        np.testing.assert_allclose(y, want, 1e-5, 1e-5)
        same = np.ascontiguousarray(x)
        aclnn(stream, "aclnnRotaryPositionEmbedding", same, cos, sin, 1, same)  # its own memory
        np.testing.assert_allclose(same, want, 1e-5, 1e-5)

    def test_both_in_place(self):
        for name, mode in (("half", 0), ("interleave", 1), ("quarter", 2)):
            q, k, cos, sin = f32(2, 3, 4, 16), f32(2, 3, 2, 16), f32(2, 3, 1, 8), f32(2, 3, 1, 8)
            want = []
            for x in (q, k):
                made = x.copy().astype(np.float64)
                made[..., :8] = self.rotate(wide(x[..., :8]), wide(cos), wide(sin), mode)
                want.append(made)
            check("ApplyRotaryPosEmbV2", InOut(q, want[0]), InOut(k, want[1]), cos, sin, 1, name)
            if mode == 0:
                check("ApplyRotaryPosEmb", InOut(q, want[0]), InOut(k, want[1]), cos, sin, 1)
        self.refused(161002, "layout is 7", "ApplyRotaryPosEmb", InOut(q, q), InOut(k, k), cos, sin, 7)
        self.refused(161002, "rotaryMode", "ApplyRotaryPosEmbV2", InOut(q, q), InOut(k, k), cos, sin, 1, "third")

    def test_gradients(self):
        for mode in range(4):
            x, dy, cos, sin = f32(2, 3, 4, 8), f32(2, 3, 4, 8), f32(1, 3, 1, 8), f32(1, 3, 1, 8)
            at = lambda v: np.stack([self.rotate(np.eye(8)[i], wide(cos)[0, v, 0], wide(sin)[0, v, 0], mode) for i in range(8)])
            dx = np.stack([wide(dy[:, v]) @ at(v).T for v in range(3)], 1)
            first = np.concatenate([x[..., 0::2], x[..., 1::2]], -1) if mode == 3 else x
            dcos, dsin = (wide(dy) * first).sum((0, 2), keepdims=True), (wide(dy) * self.turned(wide(first), 0 if mode == 3 else mode)).sum((0, 2), keepdims=True)
            check("RotaryPositionEmbeddingGrad", dy, cos, sin, x, mode, Out(dx, np.float32), Out(dcos, np.float32), Out(dsin, np.float32))
            check("RotaryPositionEmbeddingGrad", dy, cos, sin, None, mode, Out(dx, np.float32), None, None)

    def test_a_table_of_angles(self):
        table, q, k = f32(20, 8), f32(6, 3 * 12), f32(6, 1 * 12)
        for neox, rows, turns in itertools.product((True, False), (1, 3), (0, 1)):
            if rows == 1 and turns:
                continue
            positions = rng.integers(0, 20, (rows, 6)) if rows > 1 else rng.integers(0, 20, 6)
            sections = [2, 1, 1]
            cos, sin = np.zeros((6, 4)), np.zeros((6, 4))
            for i in range(4):
                row = int(np.searchsorted(np.cumsum(sections), i, "right"))
                if turns:
                    row = i % 3 if i % 3 and i < 3 * sections[i % 3] else 0
                place = positions[row] if rows > 1 else positions
                cos[:, i], sin[:, i] = table[place, i], table[place, 4 + i]
            want = []
            for x, heads in ((q, 3), (k, 1)):
                made = wide(x).reshape(6, heads, 12).copy()
                a, b = (slice(0, 4), slice(4, 8)) if neox else (slice(0, 8, 2), slice(1, 8, 2))
                left, right = made[..., a].copy(), made[..., b].copy()
                made[..., a] = left * cos[:, None] - right * sin[:, None]
                made[..., b] = right * cos[:, None] + left * sin[:, None]
                want.append(Out(made.reshape(x.shape), np.float32))
            check("RopeWithSinCosCacheV2", positions.astype(np.int64), q, k, table, sections if rows > 1 else None, 12, neox, turns, *want)


class Quantising(Case):
    def test_dynamic(self):
        check("DynamicQuant", np.float32([[0.5, -1, 0.25, 0.3]]), None, Out(np.int8([[64, -127, 32, 38]])), Out(np.float32([0.007874016])))
        check("DynamicQuantV2", np.float32([[0.5, -1, 0.25, 0.3]]), None, None, 2, Out(np.int8([[127, -128, 84, 93]])), Out(np.float32([0.005882353])), Out(np.float32([42])))
        for dtype in TYPES16:
            x, smooth = floats(dtype, 2, 5, 16), floats(dtype, 16)
            told, scales = dynamic(wide(x))
            check("DynamicQuant", x, None, Near(told), Out(scales, np.float32))
            told, scales = dynamic((x.astype(np.float32) * smooth).astype(np.float64))
            check("DynamicQuant", x, smooth, Near(told), Out(scales, np.float32))
            check("DynamicQuantV3", x, smooth, None, 2, True, "pertoken", Near(told), Out(scales, np.float32), None)
            flat, experts = x.reshape(10, 16), floats(dtype, 3, 16)
            who = [0] * 4 + [2] * 6
            told, scales = dynamic((flat.astype(np.float32) * experts[who]).astype(np.float64))
            check("DynamicQuantV2", flat, experts, np.int32([4, 4, 10]), 2, Near(told), Out(scales, np.float32), None)
            scale = np.abs(wide(x)).max() / 127
            check("DynamicQuantV3", x, None, None, 2, True, "pertensor", Near(np.rint(x / scale)), Out(np.float32([scale])), None)
            column, scales = dynamic(wide(np.swapaxes(x, 1, 2)))
            check("DynamicQuantV3", x, None, None, 2, True, "perchannel", Near(np.swapaxes(column, 1, 2)), Out(scales, np.float32), None)
        check("DynamicQuant", np.zeros((3, 8), np.float32), None, Out(np.zeros((3, 8), np.int8)), Out(np.zeros(3, np.float32)))
        x = f32(4, 16)
        scale = np.abs(x).max(1, keepdims=True) / np.float32(7)
        packed = np.zeros((4, 2), np.int32)
        scales = np.zeros(4, np.float32)
        aclnn(stream, "aclnnDynamicQuantV2", x, None, None, 3, packed, scales, None)
        nibbles = (packed.view(np.uint32)[..., None] >> np.arange(0, 32, 4, dtype=np.uint32) & 15).astype(np.int8).reshape(4, 16)
        self.assertLessEqual(np.abs(np.where(nibbles > 7, nibbles - 16, nibbles) - np.rint(x / scale)).max(), 1)
        self.refused(161002, "quantMode", "DynamicQuantV3", x, None, None, 2, True, "perhaps", Out(np.zeros((4, 16), np.int8)), Out(np.zeros(4, np.float32)), None)
        self.refused(161002, "scaleOut", "DynamicQuant", x, None, Out(np.zeros((4, 16), np.int8)), Out(np.zeros(5, np.float32)))
        self.refused(161001, "yOut", "DynamicQuant", x, None, None, Out(np.zeros(4, np.float32)))

    def test_blocks(self):
        x = f32(5, 300)
        y, scales = np.zeros((5, 300)), np.zeros((3, 3))
        for i, j in itertools.product(range(3), range(3)):
            block = wide(x[2 * i : 2 * i + 2, 128 * j : 128 * j + 128])
            scales[i, j] = np.abs(block).max() / 127
            y[2 * i : 2 * i + 2, 128 * j : 128 * j + 128] = np.rint(block / scales[i, j])
        check("DynamicBlockQuant", x, 0.0, "rint", 2, 2, 128, Near(y), Out(scales, np.float32))
        check("DynamicBlockQuantV2", x, 0.0, None, 2, 5, 300, 0.0, Near(np.rint(x / (np.abs(x).max() / 127))), Out(np.float32([[np.abs(x).max() / 127]])))
        whole_scale = np.float32([[np.abs(x).max() / 127]])
        check("DynamicBlockQuantV2", x, 0.0, None, 2, 1 << 62, 1 << 62, 0.0, Near(np.rint(x / (np.abs(x).max() / 127))), Out(whole_scale))
        self.refused(161002, "roundMode", "DynamicBlockQuant", x, 0.0, "floor", 2, 2, 128, Near(y), Out(scales, np.float32))

    def test_given_scales(self):
        for dtype in TYPES16:
            x = (floats(dtype, 3, 6, 8) * 40).astype(dtype)
            scale, offset = (rng.random(8) + 0.5).astype(dtype), ints(np.int8, 8).astype(dtype)
            rounds = {"round": np.rint, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}
            for name, f in rounds.items():
                want = np.clip(f(x.astype(np.float32) * scale.astype(np.float32) + offset.astype(np.float32)), -128, 127)
                check("AscendQuant", x, scale, offset, False, name, 2, Out(want.astype(np.int8)))
            want = np.clip(np.rint(x.astype(np.float32) * np.float32(scale[:1]) * np.float32(scale[:1])), -128, 127)
            check("AscendQuant", x, scale[:1], None, True, "round", 2, Out(want.astype(np.int8)))
            along = (rng.random(6) + 0.5).astype(dtype)
            want = np.clip(np.rint(x.astype(np.float32) * along.astype(np.float32)[:, None]), -128, 127)
            check("AscendQuantV3", x, along, None, False, "round", 2, -2, Out(want.astype(np.int8)))
            check("AscendQuantV3", x, along.reshape(1, 6, 1), None, False, "round", 2, -1, Out(want.astype(np.int8)))
        x, scales = (f32(4, 6) * 30).astype(np.float32), (rng.random(6) + 0.5).astype(np.float32)
        for target, code, zero in ((np.int8, 2, np.int8), (np.uint8, 4, np.uint8), (np.int32, 3, np.int32)):
            zeros = ints(zero, 6, low=0)
            limit = np.iinfo(target)
            want = np.clip(np.rint(x / scales + zeros.astype(np.float32)), limit.min, limit.max)
            check("Quantize", x, scales, zeros, code, 1, Out(want.astype(target)))
        check("Quantize", x, scales[:4], None, 2, 0, Out(whole(x / scales[:4, None])))
        self.refused(161002, "axis is 5", "Quantize", x, scales, None, 2, 5, Out(whole(x)))
        groups, each = np.int32([1, 4]), (rng.random((2, 6)) + 0.5).astype(np.float32)
        want = whole(x * each[[0, 1, 1, 1]] + np.float32(2))
        check("GroupQuant", x, each, groups, np.float32([2]), 2, Out(want))

    def test_back_to_floats(self):
        x = ints(np.int8, 3, 4, 6, low=-100, high=100)
        for scale, offset in ((f32(1), f32(1)), (f32(6), f32(6)), (f32(4), None)):
            s, o = (v if v is None or v.size != 4 else v[:, None] for v in (scale, offset))
            y = (x.astype(np.float64) + (0 if o is None else o)) * s
            check("AscendAntiQuant", x, scale, offset, 1, False, Out(y, np.float16, 2e-3))
        check("AscendAntiQuant", x, f32(1) * 0 + 0.5, None, 1, True, Out(x * 0.25, np.float16))
        self.refused(161002, "dstType", "AscendAntiQuant", x, f32(1), None, 27, False, Out(x, np.float16))


if __name__ == "__main__":
    main()
