# SPDX-License-Identifier: Apache-2.0
"""Quantised products: QuantMatmul, WeightQuantBatchMatmul and GroupedMatmul against whole numbers and doubles of numpy."""
import itertools
import unittest

from aclnn_cases import *
from driver import Int4

KINDS = (np.float16, np.float32)


def int8(*shape, low=-128, high=128):
    return rng.integers(low, high, shape).astype(np.int8)


def words(scales):
    """What aclnnTransQuantParamV2 makes of them, and what the words are worth."""
    bits = np.float32(scales).view(np.uint32) & np.uint32(0xFFFFE000)
    return bits.astype(np.uint64) | np.uint64(1 << 46), bits.view(np.float32).astype(np.float64)


def with_offset(word, offset):
    return word & np.uint64(0x4000FFFFFFFF) | np.uint64(offset & 0x1FF) << np.uint64(37)


def eight_bits(x):
    return np.clip(np.rint(x), -128, 127).astype(np.int8)


def as_int32(values):
    """Eight INT4 in each element."""
    return Int4(values).packed.view(np.int32).reshape(*values.shape[:-1], values.shape[-1] // 8)


def run(name, *arguments):
    """Once, for what a strided copy of the arguments cannot show (INT4)."""
    given = [arrange(argument, np.ascontiguousarray) for argument in arguments]
    aclnn(stream, "aclnn" + name, *given)
    for wanted, array in pairs(arguments, given):
        compare(array, wanted, name)
    counts["aclnn" + name] += 1


class QuantMatmul(Case):
    def setUp(self):
        self.a, self.b = int8(5, 40), int8(40, 150)
        self.sums = self.a.astype(np.int64) @ self.b.astype(np.int64)
        self.bias = rng.integers(-1000, 1000, 150).astype(np.int32)

    def test_versions_and_results(self):
        a, b, bias, sums = self.a, self.b, self.bias, self.sums
        scale = (rng.random(150) * 1e-3).astype(np.float32)
        word, worth = words(scale)
        offset = np.float32(rng.integers(-20, 20, 150))
        token = (rng.random(5) + 0.5).astype(np.float32)
        check("QuantMatmul", a, b, bias, 0.001, Out((sums + bias) * np.float32(0.001).astype(np.float64), np.float16))
        check("QuantMatmulV2", a, b, None, word, False, False, Out(sums * worth, np.float16))
        check("QuantMatmulV3", a, b, word, None, bias, False, False, Out((sums + bias) * worth, np.float16))
        check("QuantMatmulV3", a, b, word[:1], None, None, False, False, Out(sums * worth[0], np.float16))
        check("QuantMatmulV3", a, b, word, offset, bias, False, False, Out(eight_bits(np.float32(sums + bias) * np.float32(worth) + offset)))
        inside = np.array([with_offset(w, int(o)) for w, o in zip(word, offset)])
        check("QuantMatmulV3", a, b, inside, None, bias, False, False, Out(eight_bits(np.float32(sums + bias) * np.float32(worth) + offset)))
        check("QuantMatmulV3", a, b, inside, offset, bias, False, False, Out(eight_bits(np.float32(sums + bias) * np.float32(worth) + offset)))
        check("QuantMatmulV3", a, b, inside, None, bias, False, False, Out((sums + bias) * worth, np.float16))
        check("QuantMatmulV4", a, b, scale, None, token, bias, False, False, Out((sums + bias) * scale.astype(np.float64) * token[:, None], np.float16))
        real = f32(150)
        check("QuantMatmulV4", a, b, scale, None, token, real, False, False, Out(sums * scale.astype(np.float64) * token[:, None] + real, np.float16))
        check("QuantMatmulV4", a, b, scale, None, None, bias, False, False, Out((sums + bias).astype(np.int32)))
        check("QuantMatmulV5", a, b, token, scale, None, None, None, None, bias, False, False, 0,
              Out((sums + bias) * scale.astype(np.float64) * token[:, None], np.float16))  # fmt: skip

    def test_transposition_by_flags_and_by_views(self):
        scale = np.float32([0.01])
        want = Out(self.sums * np.float64(scale), np.float16)
        token = np.ones(5, np.float32)
        for turned_a, turned_b in itertools.product((False, True), repeat=2):
            a = np.ascontiguousarray(self.a.T) if turned_a else self.a
            b = np.ascontiguousarray(self.b.T) if turned_b else self.b
            check("QuantMatmulV4", a, b, scale, None, token, None, turned_a, turned_b, want)
            out = np.zeros((5, 150), np.float16)
            aclnn(stream, "aclnnQuantMatmulV4", a.T if turned_a else a, b.T if turned_b else b, scale, None, token, None, False, False, out)
            np.testing.assert_allclose(out.astype(np.float64), want.expected, 2e-3)

    def test_batches(self):
        a, b = int8(3, 1, 4, 16), int8(2, 16, 6)
        scale, bias = np.float32([0.02]), rng.integers(-100, 100, (6, 1, 6)).astype(np.int32)
        sums = a.astype(np.int64) @ b.astype(np.int64)
        want = (sums + bias.reshape(3, 2, 1, 6)) * 0.02
        check("QuantMatmulV4", a, b, scale, None, np.ones(4, np.float32), bias, False, False, Out(want, np.float16))

    def test_four_bits(self):
        a, b = int8(3, 16, low=-8, high=8), int8(16, 24, low=-8, high=8)
        scale, token = (rng.random(24) * 0.1).astype(np.float32), np.float32([1, 0.5, 2])
        want = (a.astype(np.int64) @ b.astype(np.int64)) * scale.astype(np.float64) * token[:, None]
        for left, right in ((Int4(a), Int4(b)), (as_int32(a), as_int32(b)), (Int4(a), Int4(b.T, (16, 24), (1, 16)))):
            run("QuantMatmulV4", left, right, scale, None, token, None, False, False, Out(want, np.float16))

    def test_what_is_refused(self):
        a, b, scale, out = self.a, self.b, np.float32([0.1]), Out(np.zeros((5, 150)), np.float16)
        for at, name in enumerate(("x1", "x2", "scale")):
            given = [a, b, scale]
            given[at] = None
            self.refused(161001, name, "QuantMatmulV4", *given, None, None, None, False, False, out)
        self.refused(161001, "out", "QuantMatmulV4", a, b, scale, None, None, None, False, False, None)
        self.refused(161002, "do not fit", "QuantMatmulV4", a, b, scale, None, None, None, True, False, out)
        self.refused(161002, "do not go together", "QuantMatmulV4", a, f32(40, 150), scale, None, None, None, False, False, out)
        self.refused(161002, "scale has 3", "QuantMatmulV4", a, b, f32(3), None, None, None, False, False, out)
        self.refused(161002, "tokens needs 5", "QuantMatmulV4", a, b, scale, None, f32(4), None, False, False, out)
        self.refused(161002, "bias has shape", "QuantMatmulV4", a, b, scale, None, None, np.zeros(4, np.int32), False, False, out)
        self.refused(161002, "out has shape", "QuantMatmulV4", a, b, scale, None, None, None, False, False, Out(np.zeros((5, 149)), np.float16))
        self.refused(161002, "groupSize", "QuantMatmulV5", a, b, None, scale, None, None, None, None, None, False, False, 1 << 32, out)
        self.refused(161002, "yScale", "QuantMatmulV5", a, b, None, scale, f32(1), None, None, None, None, False, False, 0, out)
        self.refused(161002, "offset goes with", "QuantMatmulV4", a, b, scale, f32(1), None, None, False, False, out)


class WeightQuant(Case):
    def test_weights_of_eight_bits(self):
        k, n, m = 64, 130, 3
        x, w = floats(np.float16, m, k), int8(k, n)
        bias = floats(np.float16, n)
        for group, rows in ((0, 1), (32, 2), (64, 1), (96, 1)):
            scale, offset = (rng.random((rows, n)) * 0.05).astype(np.float16), floats(np.float16, rows, n)
            spread = lambda p: np.repeat(p.astype(np.float64), k // rows, 0)
            for shift in (None, offset):
                real = (w + (0 if shift is None else spread(shift))) * spread(scale)
                want = x.astype(np.float64) @ real
                for version in ("V2", "V3"):
                    more = [0] if version == "V3" else []
                    check("WeightQuantBatchMatmul" + version, x, w, scale, shift, None, None, bias, group, *more, Out(want + bias, np.float16, tolerance=4e-3))
                check("WeightQuantBatchMatmulV2", x, np.ascontiguousarray(w.T).T, scale, shift, None, None, None, group, Out(want, np.float16, tolerance=4e-3))
        want = x.astype(np.float64) @ (w * 0.01)
        for shape in ((1,), (1, 1)):
            check("WeightQuantBatchMatmulV2", x, w, np.full(shape, 0.01, np.float16), None, None, None, None, 0,
                  Out(x.astype(np.float64) @ (w * np.float64(np.float16(0.01))), np.float16, tolerance=4e-3))  # fmt: skip
        outer = words([8.0])[0]
        want = np.clip(np.rint(want * 8 + 2), -128, 127)
        out = np.zeros((m, n), np.int8)
        aclnn(stream, "aclnnWeightQuantBatchMatmulV2", x, w, np.full(1, 0.01, np.float16), None, outer, np.float32([2]), None, 0, out)
        self.assertLessEqual(np.abs(out - want).max(), 2)

    def test_the_example_of_the_page(self):
        weight = Int4([1, -2, 3, 0, -8, 7, -1, 5], (4, 2), (1, 4))
        self.assertEqual(weight.packed.tobytes().hex(), "e103785f")
        x, scale = np.float16([[1, 1, 1, 2]]), np.float16([[0.5, 2]])
        run("WeightQuantBatchMatmulV2", x, weight, scale, None, None, None, None, 0, Out(np.float16([[1, 16]])))
        run("WeightQuantBatchMatmulV2", x, weight, scale, np.float16([[1, 1]]), None, None, None, 0, Out(np.float16([[3.5, 26]])))

    def test_four_bits_as_clients_give_them(self):
        k, n, m = 96, 40, 5
        x, w = floats(np.float16, m, k), int8(k, n, low=-8, high=8)
        scale = (rng.random((n, 3)) * 0.1).astype(np.float16)  # memory of [n, groups]
        want = x.astype(np.float64) @ (w * np.repeat(scale.T.astype(np.float64), 32, 0))
        for weight in (Int4(w.T, (k, n), (1, k)), Int4(w), as_int32(w)):
            run("WeightQuantBatchMatmulV2", x, weight, scale.T, None, None, None, None, 32, Out(want, np.float16, tolerance=4e-3))
        shifted = np.concatenate([[3], w.T.reshape(-1)])  # begins in the middle of a byte
        run("WeightQuantBatchMatmulV2", x, Int4(shifted, (k, n), (1, k), 1), scale.T, None, None, None, None, 32, Out(want, np.float16, tolerance=4e-3))

    def test_what_is_refused(self):
        x, w, scale, out = floats(np.float16, 2, 64), int8(64, 8), np.ones((1, 8), np.float16), Out(np.zeros((2, 8)), np.float16)
        self.refused(161001, "antiquantScale", "WeightQuantBatchMatmulV2", x, w, None, None, None, None, None, 0, out)
        self.refused(161002, "multiple of 32", "WeightQuantBatchMatmulV2", x, w, scale, None, None, None, None, 33, out)
        self.refused(161002, "rows of 8", "WeightQuantBatchMatmulV2", x, w, scale, None, None, None, None, 32, out)
        self.refused(161002, "x of type", "WeightQuantBatchMatmulV2", f32(2, 64), w, scale, None, None, None, None, 0, out)
        self.refused(161002, "weight of type", "WeightQuantBatchMatmulV2", x, f32(64, 8), scale, None, None, None, None, 0, out)
        self.refused(161002, "y is", "WeightQuantBatchMatmulV2", x, w, scale, None, None, None, None, 0, Out(np.zeros((2, 8)), np.float32))
        self.refused(207000, "WeightQuantBatchMatmul", "WeightQuantBatchMatmul", x, w, None, None, None, None, None, None, False, False, 1.0, 0.0, out)


def grouped(x, weight, groups, out, *, bias=None, scale=None, offset=None, anti=(None, None), token=None, split=3, group_type=0, list_type=0, act=0):
    """Arguments of GroupedMatmulV4."""
    lists = lambda value: None if value is None else value if isinstance(value, list) else [value]
    return ["GroupedMatmulV4", lists(x), lists(weight), lists(bias), lists(scale), lists(offset), lists(anti[0]), lists(anti[1]), lists(token), groups,
            None, None, None, split, group_type, list_type, act, lists(out), None, None]  # fmt: skip


class Grouped(Case):
    def setUp(self):
        self.x, self.w = f32(7, 16), f32(3, 16, 140)
        self.ends = np.int64([3, 3, 5])  # two rows are in no group
        self.which = [0, 0, 0, 2, 2]

    def written(self, want, rest=77):
        made = np.full((7, want.shape[1]), rest, np.float64)
        made[: len(want)] = want
        return made

    def test_groups_by_lists_of_all_types(self):
        want = self.written(np.stack([self.x[i].astype(np.float64) @ self.w[g] for i, g in enumerate(self.which)]))
        for numbers, list_type in ((self.ends, 0), (np.int64([3, 0, 2]), 1), (np.int64([[0, 3], [2, 2], [1, 0]]), 2)):
            check(*grouped(self.x, self.w, numbers, Out(want, np.float32), list_type=list_type))
        check("GroupedMatmulV3", [self.x], [self.w], None, None, None, None, None, self.ends, 3, 0, [Out(want, np.float32)])
        check("GroupedMatmulV2", [self.x], [self.w], None, None, None, None, None, [3, 3, 5], 3, 0, [Out(want, np.float32)])
        check("GroupedMatmulV5", *grouped(self.x, self.w, self.ends, Out(want, np.float32))[1:17], None, [Out(want, np.float32)], None, None)
        many = [np.ascontiguousarray(w) for w in self.w]
        check(*grouped(self.x, many, self.ends, Out(want, np.float32)))
        turned = np.ascontiguousarray(self.w.transpose(0, 2, 1)).transpose(0, 2, 1)
        check(*grouped(self.x, turned, self.ends, Out(want, np.float32)))

    def test_bias_and_activations(self):
        bias = f32(3, 140)
        sums = np.stack([self.x[i].astype(np.float64) @ self.w[g] + bias[g] for i, g in enumerate(self.which)])
        erf = np.vectorize(__import__("math").erf)
        acts = {1: np.maximum(sums, 0), 2: 0.5 * sums * (1 + np.tanh(0.7978845608 * (sums + 0.044715 * sums**3))), 3: 0.5 * sums * (1 + erf(sums / 2**0.5)),
                4: sums / (1 + np.exp(-1.702 * sums)), 5: sums / (1 + np.exp(-sums))}  # fmt: skip
        for act, want in acts.items():
            check(*grouped(self.x, self.w, self.ends, Out(self.written(want), np.float32, tolerance=1e-4), bias=bias, act=act))

    def test_lists_of_x(self):
        xs, ws = [f32(2, 8), f32(0, 8), f32(5, 8)], [f32(8, 6) for _ in range(3)]
        wants = [x.astype(np.float64) @ w for x, w in zip(xs, ws)]
        check(*grouped(xs, ws, None, [Out(w, np.float32) for w in wants], split=0, group_type=-1))
        check(*grouped(xs, ws, None, Out(np.concatenate(wants), np.float32), split=2))
        check("GroupedMatmul", xs, ws, None, None, None, None, None, None, 0, [Out(w, np.float32) for w in wants])
        wide = [f32(3, 4), f32(2, 6)], [f32(4, 5), f32(6, 7)]
        check(*grouped(*wide, None, [Out(x.astype(np.float64) @ w, np.float32) for x, w in zip(*wide)], split=0, group_type=-1))

    def test_groups_along_the_sum(self):
        x, w = f32(10, 4), f32(10, 6)  # the view [4, 10] is transposed in memory
        ends = [0, 3, 3, 8]
        wants = np.stack([x[a:b].T.astype(np.float64) @ w[a:b] for a, b in zip([0] + ends[:-1], ends)])
        out = np.full((4, 4, 6), 7, np.float32)
        aclnn(stream, "aclnnGroupedMatmulV4", *grouped(x.T, w, np.int64(ends), out, group_type=2)[1:])
        np.testing.assert_allclose(out, wants, 1e-5, 1e-5)
        y = f32(4, 4, 6)
        check("GroupedMatmulAdd", x, w, np.int64(ends), InOut(y, (y + wants).astype(np.float32), 1e-5), True, False, 2)
        check("GroupedMatmulAddV2", x, w, np.int64([0, 3, 0, 5]), InOut(y, (y + wants).astype(np.float32), 1e-5), True, False, 2, 1)

    def test_eight_bits(self):
        x, w = int8(7, 32), int8(3, 32, 24)
        scale, token = (rng.random((3, 24)) * 1e-3).astype(np.float32), (rng.random(7) + 0.5).astype(np.float32)
        bias = rng.integers(-500, 500, (3, 24)).astype(np.int32)
        sums = np.stack([x[i].astype(np.int64) @ w[g].astype(np.int64) + bias[g] for i, g in enumerate(self.which)])
        scaled = np.stack([s * scale[g].astype(np.float64) * token[i] for i, (s, g) in enumerate(zip(sums, self.which))])
        check(*grouped(x, w, self.ends, Out(self.written(scaled), np.float16), scale=scale, token=token, bias=bias))
        check(*grouped(x, w, self.ends, Out(self.written(sums), np.int32), bias=bias))
        word, worth = words(scale)
        offset = np.float32(rng.integers(-9, 9, (3, 24)))
        want = np.stack([eight_bits(np.float32(s) * np.float32(worth[g]) + offset[g]) for s, g in zip(sums, self.which)])
        check(*grouped(x, w, self.ends, Out(self.written(want), np.int8), scale=word, offset=offset, bias=bias))

    def test_few_bits_in_the_weight(self):
        x, w = floats(np.float16, 7, 64), int8(3, 64, 24, low=-8, high=8)
        for rows in (1, 2):
            scale, offset = (rng.random((3, rows, 24)) * 0.1).astype(np.float16), floats(np.float16, 3, rows, 24)
            spread = lambda p: np.repeat(p.astype(np.float64), 64 // rows, 1)
            shape = (3, 24) if rows == 1 else (3, rows, 24)
            for shift in (None, offset):
                real = (w + (0 if shift is None else spread(shift))) * spread(scale)
                want = Out(self.written(np.stack([x[i].astype(np.float64) @ real[g] for i, g in enumerate(self.which)])), np.float16, tolerance=4e-3)
                anti = (scale.reshape(shape), None if shift is None else shift.reshape(shape))
                if rows == 1:
                    check(*grouped(x, w, self.ends, want, anti=anti))
                for weight in (Int4(w), as_int32(w)):
                    run(*grouped(x, weight, self.ends, want, anti=anti))

    def test_eight_by_four_and_four_by_four_bits(self):
        x, w, sizes = int8(5, 512), int8(3, 512, 8, low=-8, high=8), np.int64([3, 0, 2])
        word, worth = words(rng.random((3, 2, 8)) * 1e-3)
        token = (rng.random(5) + 0.5).astype(np.float32)
        real = w * np.repeat(worth.reshape(3, 2, 8), 256, 1)
        bias = (8 * real.sum(1)).astype(np.float32)
        want = np.stack([(x[i].astype(np.float64) @ real[g]) * token[i] for i, g in enumerate(self.which)])
        run(*grouped(x, Int4(w), sizes, Out(want, np.float16, tolerance=6e-3), scale=word, token=token, bias=bias))
        small = int8(5, 512, low=-8, high=8)
        want = np.stack([(small[i].astype(np.float64) @ real[g]) * token[i] for i, g in enumerate(self.which)])
        run(*grouped(Int4(small), Int4(w), sizes, Out(want, np.float16, tolerance=6e-3), scale=word, token=token, list_type=1))

    def test_swiglu_with_quantisation(self):
        x, w = int8(7, 32), int8(3, 32, 24)
        scale, token, smooth = (rng.random((3, 24)) * 1e-2).astype(np.float32), (rng.random(7) * 0.02).astype(np.float32), (rng.random((3, 12)) + 0.5).astype(np.float32)
        real = np.stack([(x[i].astype(np.int64) @ w[g].astype(np.int64)) * scale[g].astype(np.float64) * token[i] for i, g in enumerate(self.which)])
        gated = real[:, :12] / (1 + np.exp(-real[:, :12])) * real[:, 12:]
        for version, factors in ((1, 1), (2, smooth[self.which])):
            values = gated * factors
            most = np.abs(values).max(1) / 127
            y, told = np.full((7, 12), 77, np.int8), np.full(7, 77, np.float32)
            if version == 1:
                aclnn(stream, "aclnnGroupedMatmulSwigluQuant", x, w, None, None, scale, token, self.ends, y, told, None)
            else:
                aclnn(stream, "aclnnGroupedMatmulSwigluQuantV2", x, [w], [scale], None, None, token, smooth, self.ends, 0, 0, 0, 0, None, y, told)
            counts["aclnnGroupedMatmulSwigluQuant" + ("" if version == 1 else "V2")] += 1
            np.testing.assert_allclose(told, np.append(most, [77, 77]), 1e-5)
            self.assertLessEqual(np.abs(y[:5] - np.rint(values / most[:, None])).max(), 1)
            self.assertTrue((y[5:] == 77).all())

    def test_what_is_refused(self):
        x, w, out = self.x, self.w, Out(np.zeros((7, 140)), np.float32)
        self.refused(161001, "list of tensors", *grouped(None, w, self.ends, out))
        self.refused(161001, "list of tensors", *grouped(x, None, self.ends, out))
        self.refused(161001, "out", *grouped(x, w, self.ends, None))
        self.refused(161002, "groupList must not be null", *grouped(x, w, None, out))
        self.refused(161002, "splitItem 3 gives one", *grouped(x, w, self.ends, [out, out]))
        self.refused(161002, "does not fit a weight", *grouped(f32(7, 15), w, self.ends, out))
        self.refused(161002, "groupList has shape", *grouped(x, w, self.ends, out, list_type=2))
        self.refused(161002, "groups; there are 3 weights", *grouped(x, w, np.int64([1, 2, 3, 4]), out))
        self.refused(161002, "do not go together", *grouped(x, int8(3, 16, 140), self.ends, out))
        self.refused(161002, "actType", *grouped(x, w, self.ends, out, act=6))
        self.refused(161002, "scale of the tokens", *grouped(int8(7, 16), int8(3, 16, 140), self.ends, Out(np.zeros((7, 140)), np.float16), scale=f32(3, 140), token=f32(3)))
        with self.assertRaises(Refused) as caught:
            aclnn(stream, "aclnnGroupedMatmulV4", *grouped(x, w, np.int64([3, 2, 9]), np.zeros((7, 140), np.float32))[1:])
        self.assertIn("groupList is [3,2,9]", caught.exception.message)
        want = Out(np.zeros((7, 140)), np.float32)
        self.refused(507015, "there are 7 rows", *grouped(self.x, self.w, np.int64([3, 2**63 - 1, 1]), want, group_type=0, list_type=1))


if __name__ == "__main__":
    main()
