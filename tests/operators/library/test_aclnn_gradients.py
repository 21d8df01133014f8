# SPDX-License-Identifier: Apache-2.0
"""Gradients against differences of the function in double precision, and functions beside them against numpy."""
import itertools
import math
import unittest

from aclnn_cases import *

TYPES16 = (np.float32, np.float16)
erf = np.vectorize(math.erf)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x, tanh=False):
    return 0.5 * x * (1 + (np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)) if tanh else erf(x / np.sqrt(2))))


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def out(value, dtype):
    return Out(value, dtype, 6e-3 if dtype == np.float16 else 2e-4)


# name: the function, and the scalars that follow the tensors
OF_X = {
    "SiluBackward": (lambda x: x * sigmoid(x), ()),
    "GeluBackward": (gelu, ()),
    "FastGeluBackward": (lambda x: x * sigmoid(1.702 * x), ()),
    "MishBackward": (lambda x: x * np.tanh(np.log1p(np.exp(x))), ()),
    "ThresholdBackward": (lambda x: np.where(x > 0.3, x, 0.1), (0.3,)),
    "LeakyReluBackward": (lambda x: np.where(x > 0, x, 0.2 * x), (0.2, False)),
    "HardswishBackward": (lambda x: x * np.clip(x + 3, 0, 6) / 6, ()),
    "HardswishBackwardV2": (lambda x: x * np.clip(x + 3, 0, 6) / 6, ()),
    "HardsigmoidBackward": (lambda x: np.clip(x + 3, 0, 6) / 6, ()),
    "HardtanhBackward": (lambda x: np.clip(x, -0.5, 0.7), (-0.5, 0.7)),
    "HardshrinkBackward": (lambda x: np.where(np.abs(x) > 0.5, x, 0), (0.5,)),
    "SoftshrinkBackward": (lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0), (0.5,)),
    "SoftplusBackward": (lambda x: np.log1p(np.exp(2 * x)) / 2, (2.0, 20.0)),
}


class Elementwise(Case):
    def test_of_the_input(self):
        for dtype, (name, (f, scalars)) in itertools.product(TYPES16, OF_X.items()):
            g, x = floats(dtype, 4, 7), (floats(dtype, 4, 7) * 2).astype(dtype)
            check(name, g, x, *scalars, out(g * slope(f, x.astype(np.float64)), dtype))
        g, x = f32(4, 7), f32(4, 7)
        for approximate in ("none", "tanh"):
            check("GeluBackwardV2", g, x, approximate, out(g * slope(lambda v: gelu(v, approximate == "tanh"), x.astype(np.float64)), np.float32))
        self.refused(161002, "is not", "GeluBackwardV2", g, x, "erf", Out(x))
        for beta in (None, 1.5):
            f = lambda v: v * sigmoid((beta or 1) * v)
            check("SwishBackward", g, x, beta, out(g * slope(f, x.astype(np.float64)), np.float32))
        check("LogSigmoidBackward", g, x, np.zeros(1, np.float32), out(g * sigmoid(-x), np.float32))
        check("LogSigmoidForward", x, out(np.log(sigmoid(x)), np.float32), Out(np.float32([77])))
        self.refused(161002, "negativeSlope", "LeakyReluBackward", g, x, -0.1, True, Out(x))
        self.refused(161001, "gradOutput", "SiluBackward", None, x, Out(x))

    def test_of_the_output(self):
        for dtype in TYPES16:
            g, x = floats(dtype, 4, 7), floats(dtype, 4, 7)
            wide = x.astype(np.float64)
            y = sigmoid(wide).astype(dtype)
            check("SigmoidBackward", g, y, out(g * y.astype(float) * (1 - y.astype(float)), dtype))
            y = np.tanh(wide).astype(dtype)
            check("TanhBackward", g, y, out(g * (1 - y.astype(float) ** 2), dtype))
            elu = lambda v: 1.5 * np.where(v > 0, v, 0.7 * (np.exp(v * 0.5) - 1))
            check("EluBackward", g, 0.7, 1.5, 0.5, False, x, out(g * slope(elu, wide), dtype))
            check("EluBackward", g, 0.7, 1.5, 0.5, True, elu(wide).astype(dtype), out(g * slope(elu, wide), dtype))
            alpha, scale = 1.6732632423543772, 1.0507009873554805
            selu = lambda v: scale * np.where(v > 0, v, alpha * (np.exp(v) - 1))
            check("SeluBackward", g, selu(wide).astype(dtype), out(g * slope(selu, wide), dtype))

    def test_over_a_dimension(self):
        for dtype, dim in itertools.product(TYPES16, (0, 1, -1)):
            g, x = floats(dtype, 4, 6), floats(dtype, 4, 6)
            p = softmax(x.astype(np.float64), dim)
            check("SoftmaxBackward", g, p.astype(dtype), dim, out(p * (g - (g * p).sum(dim, keepdims=True)), dtype))
            check("LogSoftmaxBackward", g, np.log(p).astype(dtype), dim, out(g - p * g.astype(float).sum(dim, keepdims=True), dtype))
            a, b = np.split(x.astype(np.float64), 2, dim)
            half = floats(dtype, *a.shape)
            s = sigmoid(b)
            check("GluBackward", half, x, dim, out(np.concatenate([half * s, half * a * s * (1 - s)], dim), dtype))

    def test_channels(self):
        for shape in ((3, 5, 4), (2, 5), (2, 5, 3, 2)):
            g, x = f32(*shape), f32(*shape)
            for weight in (f32(5), f32(1)):
                w = weight.reshape([-1] + [1] * (len(shape) - 2))
                lost = np.where(x > 0, 0, g * x)
                axes = tuple(d for d in range(len(shape)) if d != 1)
                check("PreluBackward", g, x, weight, out(np.where(x > 0, g, g * w), np.float32), out(lost.sum(axes) if weight.size > 1 else [lost.sum()], np.float32))
        for training, shape in itertools.product((True, False), ((3, 5, 4), (6, 5), (2, 5, 3, 2))):
            g, x, weight = f32(*shape), f32(*shape), f32(5)
            axes = tuple(d for d in range(len(shape)) if d != 1)
            line = [1, -1] + [1] * (len(shape) - 2)
            mean, var = x.mean(axes), x.var(axes)
            running = [f32(5), (rng.random(5) + 0.5).astype(np.float32)]
            r = (1 / np.sqrt(var + 1e-5)).astype(np.float32)
            m, s = (mean, r) if training else (running[0], 1 / np.sqrt(running[1] + 1e-5))
            away = (x - m.reshape(line)) * s.reshape(line)
            n = x.size / 5
            inner = g - (g.sum(axes).reshape(line) / n + away * (g * away).sum(axes).reshape(line) / n if training else 0)
            for w in (weight, None):
                dx = inner * s.reshape(line) * (1 if w is None else w.reshape(line))
                wants = [out(dx, np.float32), out((g * away).sum(axes), np.float32), out(g.sum(axes), np.float32)]
                check("BatchNormBackward", g, x, w, *running, mean, r, training, 1e-5, [True] * 3, *wants)
            check("BatchNormBackward", g, x, None, *running, mean, r, training, 1e-5, [True, False, True], wants[0], None, wants[2])
        self.refused(161001, "saveMean", "BatchNormBackward", g, x, weight, *running, None, r, True, 1e-5, [True] * 3, *wants)


class Statistics(Case):
    def test_of_channels(self):
        for dtype, shape in itertools.product(TYPES16, ((3, 5, 4), (6, 5), (2, 5, 3, 2))):
            x = floats(dtype, *shape)
            axes, line = tuple(d for d in range(len(shape)) if d != 1), [1, -1] + [1] * (len(shape) - 2)
            wide = x.astype(np.float64)
            mean, invstd = wide.mean(axes), 1 / np.sqrt(wide.var(axes) + 1e-3)
            check("BatchNormReduce", x, out(wide.sum(axes), np.float32), out((wide**2).sum(axes), np.float32))
            check("BatchNormStats", x, 1e-3, out(mean, np.float32), out(invstd, np.float32))
            m, r, w, b = mean.astype(np.float32), invstd.astype(np.float32), f32(5), f32(5)
            n = (wide - mean.reshape(line)) * invstd.reshape(line)
            check("BatchNormElemt", x, w, b, m, r, 1e-3, out(n * w.reshape(line) + b.reshape(line), dtype))
            check("BatchNormElemt", x, None, None, m, r, 1e-3, out(n, dtype))

    def test_of_groups(self):
        x, gamma, beta = f32(2, 6, 3, 2), f32(6), f32(6)
        rows = x.astype(np.float64).reshape(2, 3, -1)
        mean, rstd = rows.mean(2), 1 / np.sqrt(rows.var(2) + 1e-5)
        y = ((rows - mean[..., None]) * rstd[..., None]).reshape(x.shape) * gamma[:, None, None] + beta[:, None, None]
        for asked in (False, True):
            want = y * sigmoid(1.5 * y) if asked else y
            check("GroupNormSwish", x, gamma, beta, 3, "NCHW", 1e-5, asked, 1.5, out(want, np.float32), out(mean, np.float32), out(rstd, np.float32))
            check("GroupNormSiluV2", x, gamma, beta, 3, 1e-5, asked, out(y * sigmoid(y) if asked else y, np.float32), out(mean, np.float32), out(rstd, np.float32))
        self.refused(161002, "NHWC", "GroupNormSwish", x, gamma, beta, 3, "NHWC", 1e-5, True, 1.0, Out(x), Out(mean, np.float32), Out(rstd, np.float32))

    def test_shapes(self):
        x, w, bias = f32(7, 2, 3), f32(3, 3, 4), f32(4)
        full = np.pad(x, ((1, 1), (0, 0), (0, 0)))
        check("ConvTbc", x, w, bias, 1, out(sum(full[k : k + 7] @ w[k] for k in range(3)) + bias, np.float32), 0)
        theta = f32(2, 2, 3)
        for align in (False, True):
            at = lambda n: np.linspace(-1, 1, n) if align else (np.arange(n) * 2 + 1) / n - 1
            grid = np.stack([*np.meshgrid(at(5), at(4)), np.ones((4, 5))], -1)
            check("AffineGrid", theta, [2, 3, 4, 5], align, out(np.einsum("hwk,njk->nhwj", grid, theta), np.float32))


class Losses(Case):
    def test_with_their_gradients(self):
        x, t, g = f32(3, 5), f32(3, 5), f32(3, 5)
        wide = x.astype(np.float64)
        p, chance = rng.random((3, 5)).astype(np.float32) * 0.9 + 0.05, rng.random((3, 5)).astype(np.float32)
        weight, positive = rng.random((3, 5)).astype(np.float32), rng.random(5).astype(np.float32) + 0.5
        sign = np.sign(t)
        log_p = np.log(p)
        softplus = lambda v: np.log1p(np.exp(-np.abs(v))) + np.maximum(v, 0)
        logits = lambda v, pw: (1 - chance) * softplus(v) + pw * chance * softplus(-v)
        for reduction in range(3):
            fold = (lambda v: v, np.mean, np.sum)[reduction]
            given = g if reduction == 0 else np.float32(1.5)
            share = given / (x.size if reduction == 1 else 1)
            as32 = lambda v: out(v, np.float32)
            check("MseLossBackward", given, x, t, reduction, as32(2 * (wide - t) * share))
            check("L1LossBackward", given, x, t, reduction, as32(np.sign(wide - t) * share))
            d = wide - t
            check("SmoothL1LossBackward", given, x, t, reduction, 0.5, as32(np.where(np.abs(d) < 0.5, d / 0.5, np.sign(d)) * share))
            check("SoftMarginLoss", x, sign, reduction, as32(fold(np.log1p(np.exp(-sign * wide)))))
            check("SoftMarginLossBackward", given, x, sign, reduction, as32(-sign * sigmoid(-sign * wide) * share))
            check("KlDiv", x, p, reduction, False, as32(fold(p * (np.log(p) - wide))))
            check("KlDiv", x, log_p, reduction, True, as32(fold(p * (log_p - wide))))
            check("KlDivBackward", given, x, p, reduction, False, as32(-p * share))
            check("KlDivBackward", given, x, log_p, reduction, True, as32(-p * share))
            check("KlDivTargetBackward", given, x, p, reduction, False, as32((np.log(p) + 1 - wide) * share))
            check("KlDivTargetBackward", given, x, log_p, reduction, True, as32(p * (log_p + 1 - wide) * share))
            for w in (None, weight):
                by = 1 if w is None else w
                check("BinaryCrossEntropyBackward", given, p, chance, w, reduction, as32((p - chance) / (p * (1 - p)) * share * by))
                for pw in (None, positive):
                    k = 1 if pw is None else pw
                    check("BinaryCrossEntropyWithLogits", x, chance, w, pw, reduction, as32(fold(logits(wide, k) * by)))
                    check("BinaryCrossEntropyWithLogitsBackward", given, x, chance, w, pw, reduction, as32(slope(lambda v: logits(v, k), wide) * share * by))
                    dt = softplus(-wide) * k - softplus(wide)
                    check("BinaryCrossEntropyWithLogitsTargetBackward", given, x, chance, w, pw, reduction, as32(dt * share * by))
        self.refused(161002, "reduction", "MseLossBackward", g, x, t, 3, Out(x))


class Others(Case):
    def test_functions(self):
        x = (f32(3, 5) * 3).astype(np.float32)
        check("Logit", sigmoid(x).astype(np.float32), -1.0, Out(x, np.float32, 1e-3))
        p = rng.random((3, 5)).astype(np.float32)
        inside = np.clip(p.astype(np.float64), 0.2, 0.8)
        check("Logit", p, 0.2, Out(np.log(inside / (1 - inside)), np.float32, 1e-4))
        g = f32(3, 5)
        check("LogitGrad", p, g, -1.0, Out(g / (p * (1 - p)), np.float32, 1e-3))
        f, l = np.float32(0.2), np.float32(0.8)
        check("LogitGrad", p, g, 0.2, Out(np.where((p >= f) & (p <= l), g / (p * (1 - p)), 0), np.float32, 1e-3))
        check("SquaredRelu", x, Out(np.maximum(x, 0) ** 2, np.float32, 1e-5))
        check("HardSigmoid", x, 0.3, 0.4, Out(np.clip(x * 0.3 + 0.4, 0, 1), np.float32))
        check("HardSwish", x, Out(x * np.clip(x + 3, 0, 6) / 6, np.float32))
        check("Sinc", x, Out(np.sinc(x), np.float32))
        check("Sinc", np.zeros(3, np.float32), Out(np.ones(3, np.float32)))
        check("IsInf", np.float32([1, np.inf, -np.inf, np.nan]), Out(np.array([False, True, True, False])))
        check("Signbit", np.float32([1, -1, 0.0, -0.0, np.inf, -np.inf]), Out(np.array([False, True, False, True, False, True])))
        check("Xlog1py", np.float32([0, 2, 0]), np.float32([-1, 3, 1]), Out(np.float32([0, 2 * np.log(4), 0])))
        check("MaskedScale", x, (x > 0).astype(np.uint8), 2.0, Out(np.where(x > 0, 2 * x, 0)))
        check("RoundDecimals", x, 2, Out(np.round(x.astype(np.float64), 2), np.float32, 1e-3))
        check("RoundDecimals", (x * 100).astype(np.float32), -1, Out(np.round((x * 100).astype(np.float32), -1)))
        self.refused(161002, "decimals", "RoundDecimals", ints(np.int32, 3), 1, Out(ints(np.int32, 3)))
        check("AngleV2", np.float32([1, -2, 0]), Out(np.float32([0, np.pi, 0])))
        check("Trace", f := f32(3, 5), Out(np.float32(np.trace(f))))
        check("ReduceLogSum", p, [1], True, False, Out(np.log(p.sum(1, keepdims=True)), np.float32))
        check("IsInScalarTensor", 3, np.int32([1, 3]), False, False, Out(np.array(True)))
        check("IsInScalarTensor", 2, np.int32([1, 3]), False, True, Out(np.array(True)))
        y = f32(2, 6, 4, 3)
        check("ChannelShuffle", y, 3, Out(y.reshape(2, 3, 2, 4, 3).swapaxes(1, 2).reshape(y.shape)))

    def test_places(self):
        x, flat = f32(3, 4), np.int64([5, 0, 11])
        for accumulate in (False, True):
            want = x.copy().reshape(-1)
            values = f32(3)
            want[flat] = want[flat] + values if accumulate else values
            check("InplacePut", InOut(x, want.reshape(3, 4)), flat, values, accumulate)
        rows, updates = np.int32([2, 0]), f32(2, 4)
        for name, f in (("TfScatterAdd", np.add), ("ScatterMul", np.multiply), ("ScatterMax", np.maximum), ("ScatterMin", np.minimum)):
            want = x.copy()
            want[rows] = f(want[rows], updates)
            check(name, InOut(x, want), rows, updates, *([] if name == "TfScatterAdd" else [False]))


class States(Case):
    def rule(self, q, k, v, beta, state, lengths, places, g, gk, accepted, scale):
        """RecurrentGatedDeltaRule by plain loops; without places a state for each sequence."""
        state, y, t0 = state.astype(np.float64), np.zeros(v.shape), 0
        for b, n in enumerate(lengths):
            for h in range(v.shape[1]):
                kh = h // (v.shape[1] // q.shape[1])
                first = b if places is None else places[t0 + (0 if accepted is None else accepted[b] - 1)]
                s = state[first, h].copy()
                for t in range(t0, t0 + n):
                    s *= 1 if g is None else np.exp(g[t, h])
                    s *= 1 if gk is None else np.exp(gk[t, h])
                    change = (v[t, h] - s @ k[t, kh]) * beta[t, h]
                    s = s + np.outer(change, k[t, kh])
                    y[t, h] = s @ (q[t, kh] * scale)
                    if places is not None:
                        state[places[t], h] = s
                if places is None and n:
                    state[b, h] = s
            t0 += n
        return y, state

    def test_delta_rule(self):
        one = lambda *shape: (rng.random(shape) - 0.5).astype(np.float32)
        q, k, v, beta, g, gk = one(6, 2, 4), one(6, 2, 4), one(6, 4, 3), one(6, 4), -np.abs(one(6, 4)), -np.abs(one(6, 4, 4))
        state, lengths, places = one(9, 4, 3, 4), np.int32([2, 0, 3]), np.int32([4, 1, 7, 0, 3, 8])
        for gate, each, accepted in itertools.product((None, g), (None, gk), (None, np.int32([2, 1, 1]))):
            y, kept = self.rule(q, k, v, beta, state, lengths, places, gate, each, accepted, 0.5)
            y[5:] = 77
            check("RecurrentGatedDeltaRule", q, k, v, beta, InOut(state, kept, 1e-5), lengths, places, gate, each, accepted, 0.5, Out(y, np.float32))
        y, kept = self.rule(q, k, v, beta, state[:3], lengths, None, g, None, None, 0.5)
        y[5:] = 77
        check("ChunkGatedDeltaRule", q, k, v, beta, state[:3], lengths, g, 0.5, Out(y, np.float32), Out(kept, np.float32))
        example = [np.float32(value) for value in ([[[1, 0]]], [[[.6, .8]]], [[[2]]], [[.5]], [[[[.5, .25]]]])]
        q1, k1, v1, b1, s1 = example
        check("RecurrentGatedDeltaRule", q1, k1, v1, b1, InOut(s1, np.float32([[[[0.916693, 0.845242]]]]), 1e-5), np.int32([1]), np.int32([0]), np.float32([[-0.1]]), None, None, 0.70710678, Out(np.float32([[[0.6482]]]), tolerance=1e-4))
        self.refused(161002, "key heads", "RecurrentGatedDeltaRule", one(6, 3, 4), one(6, 3, 4), v, beta, InOut(state, state), lengths, places, None, None, None, 0.5, Out(v))

    def test_parts_of_attention(self):
        parts, lse = [f32(5, 8) for _ in range(3)], [f32(5) for _ in range(3)]
        lse[1][2] = np.inf  # a part without keys
        real = np.where(np.isinf(lse), -np.inf, np.array(lse, np.float64))
        whole = np.log(np.exp(real).sum(0))
        want = sum(p * np.exp(l - whole)[:, None] for p, l in zip(parts, real))
        check("AttentionUpdate", lse, parts, 1, Out(want, np.float32), Out(whole, np.float32))
        check("AttentionUpdate", lse, parts, 0, Out(want, np.float32), None)
        self.refused(161002, "updateType is 2", "AttentionUpdate", lse, parts, 2, Out(want, np.float32), None)
        s, b, n, d = 3, 2, 2, 4
        for layout in ("SBH", "TND"):
            t, lengths = s * b, [0, 2, 6]
            shape = (s, b, n * d) if layout == "SBH" else (t, n, d)
            outs = [floats(np.float16, *shape) for _ in range(2)]
            rows = [(rng.standard_normal(t * n), rng.random(t * n) + 0.5) for _ in range(2)]  # in the order of memory
            if layout == "SBH":
                order = [(bb * n + nn) * s + ss for ss in range(s) for bb in range(b) for nn in range(n)]
            else:
                order = [n * lengths[i] + nn * (lengths[i + 1] - lengths[i]) + r for i in range(2) for r in range(lengths[i + 1] - lengths[i]) for nn in range(n)]
            (m1, s1), (m2, s2) = rows
            m = np.maximum(m1, m2)
            a1, a2 = s1 * np.exp(m1 - m), s2 * np.exp(m2 - m)
            flat = [o.astype(np.float64).reshape(-1, d) for o in outs]
            want = (flat[0] * a1[order][:, None] + flat[1] * a2[order][:, None]) / (a1 + a2)[order][:, None]
            wide = lambda v: np.repeat(v.astype(np.float32)[:, None], 8, 1).reshape((b, n, s, 8) if layout == "SBH" else (t, n, 8))
            ends = None if layout == "SBH" else np.int64(lengths)
            check("RingAttentionUpdate", outs[0], wide(m1), wide(s1), outs[1], wide(m2), wide(s2), ends, layout, Out(want.reshape(shape), np.float16), Out(wide(m)), Out(wide(a1 + a2)))
        order = list(range(t * n))
        want = (flat[0] * a1[:, None] + flat[1] * a2[:, None]) / (a1 + a2)[:, None]
        check("RingAttentionUpdateV2", outs[0], wide(m1), wide(s1), outs[1], wide(m2), wide(s2), None, "TND", "TND", Out(want.reshape(shape), np.float16), Out(wide(m)), Out(wide(a1 + a2)))
        self.refused(161002, "actualSeqQlen", "RingAttentionUpdate", outs[0], wide(m1), wide(s1), outs[1], wide(m2), wide(s2), None, "TND", Out(outs[0]), Out(wide(m)), Out(wide(m)))


if __name__ == "__main__":
    main()
