# SPDX-License-Identifier: Apache-2.0
"""Losses of classes, steps of AdamW, running extremes, medians, words of scales and pools with a mask, against numpy."""
import itertools
import math
import unittest

from aclnn_cases import *
from driver import Int4, Stored

NZ = 29


class Losses(Case):
    def test_classes(self):
        for shape in ((5, 4), (2, 4, 3), (2, 4, 3, 2)):
            x = f32(*shape)
            e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
            logs = np.log(e / e.sum(1, keepdims=True))
            target = rng.integers(0, 4, (shape[0], *shape[2:]))
            target.reshape(-1)[0] = -100
            weight = rng.random(4).astype(np.float32) + 0.5
            name = "NLLLoss2d" if len(shape) == 4 else "NLLLoss"
            for w, kind, smooth in itertools.product((weight, None), (np.int64, np.int32), (0.0, 0.25)):
                by = np.ones(4) if w is None else w.astype(np.float64)
                kept = target >= 0
                safe = np.where(kept, target, 0)
                picked = np.take_along_axis(logs, safe[:, None], 1)[:, 0]
                each = np.where(kept, -by[safe] * picked, 0)
                total = (by[safe] * kept).sum()
                line = by.reshape([1, 4] + [1] * (len(shape) - 2))
                hot = np.moveaxis(np.eye(4)[safe], -1, 1) * kept[:, None]
                spread = -(line * logs).sum(1) * kept / 4
                for reduction, text in enumerate(("none", "mean", "sum")):
                    fold = lambda v: v if reduction == 0 else v.sum() / (total if reduction == 1 else 1)
                    g = f32(*target.shape) if reduction == 0 else np.float32(1.5)
                    share = (g[:, None] if reduction == 0 else g) / (total if reduction == 1 else 1)
                    t = target.astype(kind)
                    if smooth == 0:
                        check(name, logs.astype(np.float32), t, np.ones(4, np.float32) if w is None else w, reduction, -100, Out(fold(each), np.float32, 1e-4), Out(total, np.float32, 1e-4))
                        check(name + "Backward", g, logs.astype(np.float32), t, np.ones(4, np.float32) if w is None else w, reduction, -100, np.float32(total), Out(-line * hot * share, np.float32, 1e-4))
                    mixed = (1 - smooth) * each + smooth * spread
                    check("CrossEntropyLoss", x, t, w, text, -100, smooth, 0.0, False, Out(fold(mixed), np.float32, 1e-4), Out(logs, np.float32, 1e-4), None, None)
                    soft = np.exp(logs) * ((1 - smooth) * by[safe] * kept + smooth / 4 * by.sum() * kept)[:, None]
                    slope = soft - (1 - smooth) * line * hot - smooth / 4 * line * kept[:, None]
                    check("CrossEntropyLossGrad", g, logs.astype(np.float32), t, w, None, None, text, -100, smooth, 0.0, Out(slope * share, np.float32, 1e-4))
        self.refused(161002, "reduction", "CrossEntropyLoss", x, t, None, "all", -100, 0.0, 0.0, False, Out(np.float32(0)), Out(x), None, None)
        self.refused(161001, "target", "NLLLoss", x, None, weight, 1, -100, Out(np.float32(0)), Out(np.float32(0)))
        with self.assertRaises(Refused) as caught:
            aclnn(stream, "aclnnNLLLoss", f32(2, 4), np.int64([0, 9]), weight, 1, -100, np.zeros((), np.float32), np.zeros((), np.float32))
        self.assertIn("target 1 is 9", caught.exception.message)


class Steps(Case):
    def test_adamw(self):
        for dtype, largest, maximize, kind in itertools.product((np.float32, np.float16), (False, True), (False, True), (np.int64, np.float32)):
            var, m, grad = (floats(dtype, 3, 4) for _ in range(3))
            v, most = (rng.random((3, 4)).astype(dtype) for _ in range(2))
            lr, b1, b2, decay, eps, t = 0.125, 0.875, 0.9375, 0.25, 1e-3, 3
            g = -grad.astype(float) if maximize else grad.astype(float)
            m2, v2 = b1 * m.astype(float) + (1 - b1) * g, b2 * v.astype(float) + (1 - b2) * g * g
            top = np.maximum(most, v2) if largest else v2
            moved = var * (1 - lr * decay) - lr * (m2 / (1 - b1**t)) / (np.sqrt(top / (1 - b2**t)) + eps)
            loose = 6e-3 if dtype == np.float16 else 1e-5
            refs = [InOut(var, moved, loose), InOut(m, m2, loose), InOut(v, v2, loose)]
            check("ApplyAdamWV2", *refs, InOut(most, top, loose) if largest else None, grad, np.array([t], kind), lr, b1, b2, decay, eps, largest, maximize)
            numbers = [np.array([value], dtype) for value in (b1 ** (t - 1), b2 ** (t - 1), lr, decay, b1, b2, eps)]
            check("ApplyAdamW", *refs, *numbers, grad, InOut(most, top, loose) if largest else None, largest, maximize)
        self.refused(161001, "step", "ApplyAdamWV2", *refs, None, grad, None, lr, b1, b2, decay, eps, False, False)

    def test_scale_of_losses(self):
        for found, tracker, scale in ((0, 1, 4.0), (1, 1, 4.0), (0, 2, 4.0), (0, 2, 3e38)):
            grown = scale * 2
            hit = tracker + 1 == 3
            now = scale * 0.5 if found else grown if hit and grown < 3.4e38 else scale
            check("AmpUpdateScale", np.float32([scale]), np.int32([tracker]), np.float32([found]), 2.0, 0.5, 3, Out(np.float32([now])), Out(np.int32([0 if found or hit else tracker + 1])))


class Lines(Case):
    def test_running_extremes(self):
        for dtype, dim in itertools.product((np.float32, np.int32, np.float16), (0, 1, -1)):
            x = ints(np.int8, 4, 6).astype(dtype)
            for name, f in (("Cummax", np.maximum), ("Cummin", np.minimum)):
                want = f.accumulate(x, dim)
                index = np.zeros(x.shape, np.int64)
                moved, values, places = np.moveaxis(x, dim, 0), np.moveaxis(want, dim, 0), np.moveaxis(index, dim, 0)
                for i in range(len(moved)):
                    places[i] = i if i == 0 else np.where(moved[i] == values[i], i, places[i - 1])
                check(name, x, dim, Out(want), Out(index))
        check("Cummax", np.float32([1, np.nan, 3]), 0, Out(np.float32([1, np.nan, np.nan])), Out(np.int64([0, 1, 1])))

    def test_orders(self):
        for dtype in (np.float32, np.int64):
            x = rng.permutation(30).reshape(5, 6).astype(dtype)
            for dim in (0, 1, -1):
                order = np.argsort(x, dim, kind="stable")
                n = x.shape[dim]
                for k in (1, n // 2, n):
                    place = np.take(order, [k - 1], dim)
                    want = np.take_along_axis(x, place, dim)
                    check("Kthvalue", x, k, dim, True, Out(want), Out(place))
                place = np.take(order, [(n - 1) // 2], dim)
                check("MedianDim", x, dim, True, Out(np.take_along_axis(x, place, dim)), Out(place))
                check("MedianDim", x, dim, False, Out(np.take_along_axis(x, place, dim).squeeze(dim)), Out(place.squeeze(dim)))
            check("Median", x, Out(np.sort(x.reshape(-1))[14]))
        x = np.float32([3, np.nan, 1, 2, np.nan])
        check("Median", x, Out(np.float32(np.nan)))
        check("NanMedian", x, Out(np.float32(2)))
        check("NanMedianDim", x, 0, False, Out(np.float32(2)), Out(np.int64(3)))
        self.refused(161002, "k is 9", "Kthvalue", x, 9, 0, False, Out(np.float32(0)), Out(np.int64(0)))

    def test_functions(self):
        a, b = f32(3, 5), f32(3, 5)
        check("LinalgCross", a, b, 0, Out(np.cross(a, b, axis=0)))
        check("LinalgCross", a.T.copy(), b.T.copy(), -1, Out(np.cross(a.T, b.T)))
        self.refused(161002, "must have 3", "LinalgCross", a, b, 1, Out(a))
        y = np.linspace(-2.5, 2.5, 41)
        x = np.vectorize(math.erf)(y)
        check("Erfinv", x.astype(np.float64), Out(y, np.float64, 1e-7))
        check("Erfinv", x.astype(np.float32), Out(y, np.float32, 5e-3))
        check("Erfinv", np.float32([-1, 1, 2, np.nan, 0]), Out(np.float32([-np.inf, np.inf, np.nan, np.nan, 0])))
        z = np.concatenate([np.linspace(0.1, 20, 50), [-3.7, -2.6, -1.5, -0.3]])
        h = 1e-5
        slope = [(math.lgamma(v + h) - math.lgamma(v - h)) / (2 * h) for v in z]
        check("Digamma", z, Out(np.array(slope), np.float64, 1e-5))


class Words(Case):
    def test_scales(self):
        words = lambda *v: Out(np.array(v, np.uint64))
        check("TransQuantParamV2", np.float32([1.0, 0.1]), None, words(0x40003F800000, 0x40003DCCC000))
        check("TransQuantParamV2", np.float32([0.1]), np.float32([5]), words(0x40A03DCCC000))
        check("TransQuantParamV2", np.float32([1.0]), np.float32([-3]), words(0x7FA03F800000))
        check("TransQuantParamV2", np.float32([1.0]), np.float32([-3, 0]), words(0x7FA03F800000, 0x40003F800000))
        check("TransQuantParamV3", np.float32([0.1]), None, 0, words(0x40003DCCC000))
        check("TransQuantParamV3", np.float32([0.1]), None, 1, words(0x40003DCCC000 if (0x3DCCCCCD + 0xFFF + (0x3DCCCCCD >> 13 & 1)) >> 13 == 0x3DCCC000 >> 13 else 0x40003DCCE000))
        self.refused(161002, "roundMode is 2", "TransQuantParamV3", np.float32([0.1]), None, 2, words(0))
        self.refused(161002, "as many", "TransQuantParamV2", f32(3), f32(2), words(0, 0, 0))

    def test_packing(self):
        values = rng.integers(-8, 8, (20, 72)).astype(np.int32)
        packed = Int4(values.astype(np.int8)).packed
        plain = np.zeros((20, 9), np.int32)
        aclnn(stream, "aclnnConvertWeightToINT4Pack", values, plain)
        np.testing.assert_array_equal(plain.view(np.uint8).reshape(-1), packed.reshape(-1))
        padded = np.zeros((32, 128), np.int8)
        padded[:20, :72] = values
        tiles = padded.reshape(2, 16, 2, 64).transpose(2, 0, 1, 3)
        memory = np.full((2, 2, 16, 8), 77, np.int32)
        aclnn(stream, "aclnnConvertWeightToINT4Pack", values, Stored(memory, (20, 9), NZ, memory.shape))
        np.testing.assert_array_equal(memory.view(np.uint8).reshape(-1), Int4(tiles.reshape(-1)).packed)
        self.refused(161002, "do not fit", "ConvertWeightToINT4Pack", values, Out(np.zeros((20, 8), np.int32)))

    def test_sums_of_products(self):
        x, weight, token = ints(np.int32, 4, 6, low=-900, high=900), f32(6), f32(4)
        for added in (None, ints(np.int32, 6), f32(6)):
            whole = added is not None and added.dtype == np.int32
            y = (x + (added if whole else 0)) * weight.astype(np.float64) * token[:, None] + (added if added is not None and not whole else 0)
            check("DequantBias", x, weight, token, added, 1, Out(y, np.float16, 3e-3))
        self.refused(161002, "outputDtype", "DequantBias", x, weight, token, None, 27, Out(y, np.float16))


class Pools(Case):
    def test_with_a_mask(self):
        for dtype, (kernel, stride, padding, ceil) in itertools.product((np.float32, np.float16), (((2, 2), (2, 2), (0, 0), False), ((3, 2), (2, 1), (1, 1), False), ((3, 3), (2, 2), (1, 1), True), ((1, 1), (2, 1), (0, 0), False))):
            x = rng.permutation(2 * 3 * 7 * 6).reshape(2, 3, 7, 6).astype(dtype)
            sizes = []
            for s, k, t, p in zip((7, 6), kernel, stride, padding):
                n = -(-(s + 2 * p - k) // t) + 1 if ceil else (s + 2 * p - k) // t + 1
                sizes.append(n - 1 if ceil and (n - 1) * t >= s + p else n)
            y, back, g = np.zeros((2, 3, *sizes)), np.zeros(x.shape), floats(dtype, 2, 3, *sizes)
            for n, c, i, j in itertools.product(range(2), range(3), *map(range, sizes)):
                r, s = max(i * stride[0] - padding[0], 0), max(j * stride[1] - padding[1], 0)
                window = x[n, c, r : i * stride[0] - padding[0] + kernel[0], s : j * stride[1] - padding[1] + kernel[1]]
                y[n, c, i, j] = window.max()
                a, b = np.unravel_index(window.argmax(), window.shape)
                back[n, c, r + a, s + b] += g[n, c, i, j]
            mask = np.full((2, 3, kernel[0] * kernel[1], (-(-sizes[0] * sizes[1] // 16) + 1) * 32), 77, np.int8)
            numbers = [list(kernel), list(stride), list(padding), [1, 1], ceil]
            got = np.zeros(y.shape, dtype)
            aclnn(stream, "aclnnMaxPool2dWithMask", x, *numbers, got, mask)
            np.testing.assert_array_equal(got, y.astype(dtype))
            check("MaxPool2dWithMaskBackward", g, x, mask, *numbers, Out(back, dtype, 5e-3))
            counts["aclnnMaxPool2dWithMask"] += 1
        self.refused(161002, "indices are", "MaxPool2dWithMask", x, *numbers, Out(y, np.float16), Out(np.zeros(5, np.int8)))
        self.refused(161002, "dilation", "MaxPool2dWithMask", x, *numbers[:3], [2, 2], False, Out(y, np.float16), Out(mask))


if __name__ == "__main__":
    main()
