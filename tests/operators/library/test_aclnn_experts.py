# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts and caches of keys and values: gating, routing, combining, blocks; against plain loops and the page of facts."""
import itertools
import unittest

from aclnn_cases import *


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def best(row, k):
    return np.argsort(-row, kind="stable")[:k]


class Gating(Case):
    def gate(self, x, bias, k, kept, groups, select, renorm, norm, factor, eps):
        n = softmax(x) if norm == 0 else 1 / (1 + np.exp(-x)) if norm == 1 else np.sqrt(np.log1p(np.exp(x)))
        by = n + bias
        index, y = np.zeros((len(x), k), np.int32), np.zeros((len(x), k))
        for t, row in enumerate(by):
            row = row.copy()
            if groups > 1:
                parts = row.reshape(groups, -1)
                scores = parts.max(1) if select == 0 else np.sort(parts, 1)[:, -2:].sum(1)
                lost = np.setdiff1d(np.arange(groups), best(scores, kept))
                parts[lost] = -np.inf
            index[t] = best(row, k)
            y[t] = n[t, index[t]]
            if norm or renorm:
                y[t] /= y[t].sum() + eps
        return y * factor, index, n

    def test_all_ways_to_choose(self):
        x = rng.permutation(np.linspace(-3, 3, 7 * 24)).reshape(7, 24).astype(np.float32)  # no two alike
        bias = rng.permutation(np.linspace(-0.4, 0.4, 24)).astype(np.float32)
        for norm, renorm, (kept, groups, select), with_bias in itertools.product((0, 1, 2), (0, 1), ((1, 1, 0), (2, 4, 0), (2, 4, 1)), (False, True)):
            added = bias if with_bias else None
            y, index, n = self.gate(x.astype(np.float64), bias.astype(np.float64) * with_bias, 5, kept, groups, select, renorm, norm, 2.5, 1e-20)
            numbers = [5, kept, groups, select, renorm, norm, True, 2.5, 1e-20]
            check("MoeGatingTopK", x, added, *numbers, Out(y, np.float32), Out(index), Out(n, np.float32))
        self.refused(161002, "k is 13", "MoeGatingTopK", x, None, 13, 2, 4, 0, 0, 0, False, 1.0, 0.0, Out(np.zeros((7, 13)), np.float32), Out(np.zeros((7, 13), np.int32)), None)
        self.refused(161002, "normType", "MoeGatingTopK", x, None, 5, 1, 1, 0, 0, 3, False, 1.0, 0.0, Out(y, np.float32), Out(index), None)
        self.refused(161001, "parameter x", "MoeGatingTopK", None, None, 5, 1, 1, 0, 0, 0, False, 1.0, 0.0, Out(y, np.float32), Out(index), None)

    def test_experts_by_the_token(self):
        x, ids, table = f32(4, 6), np.int64([2, 0, 1, 2]), np.int32([[0, 5], [3, 1], [4, 2]])
        n = 1 / (1 + np.exp(-x.astype(np.float64)))
        index = table[ids]
        y = np.take_along_axis(n, index.astype(int), 1)
        check("MoeGatingTopKV2", x, None, ids, table, 2, 1, 1, 0, 0, 1, False, 1.0, 0.0, Out(y / y.sum(1, keepdims=True), np.float32), Out(index), None)

    def test_softmax(self):
        x = rng.permutation(np.linspace(-3, 3, 5 * 9)).reshape(5, 9).astype(np.float32)
        n = softmax(x.astype(np.float64))
        index = np.array([best(row, 3) for row in n], np.int32)
        rows = np.array([[j * 5 + i for j in range(3)] for i in range(5)], np.int32)
        finished = np.array([0, 1, 0, 0, 1], bool)
        y = np.take_along_axis(n, index, 1)
        over = np.where(finished[:, None], 9, index).astype(np.int32)
        check("MoeGatingTopKSoftmax", x, None, 3, Out(y, np.float32), Out(index), Out(rows))
        check("MoeGatingTopKSoftmax", x, finished, 3, Out(y, np.float32), Out(over), Out(rows))
        check("MoeGatingTopKSoftmaxV2", x, None, 3, 0, True, Out(y, np.float32), Out(index), Out(n, np.float32))
        check("MoeGatingTopKSoftmaxV2", x, None, 3, 1, False, Out(softmax(np.take_along_axis(x.astype(np.float64), index, 1)), np.float32), Out(index), None)


class Routing(Case):
    experts = np.int32([[2, 0], [1, 2], [0, 1]])
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    expanded = x[[0, 2, 1, 2, 0, 1]]

    def test_the_examples_of_the_page(self):
        x, experts, expanded = self.x, self.experts, self.expanded
        whole = lambda values: Out(np.int32(values))
        check("MoeInitRouting", x, np.int32([[0, 3], [1, 4], [2, 5]]), experts, 3, Out(expanded), whole([4, 2, 1, 0, 5, 3]), whole([0, 0, 1, 1, 2, 2]))
        self.refused(161002, "no elements", "MoeInitRouting", x[:, :0], np.int32([[0, 3], [1, 4], [2, 5]]), experts, 3, Out(expanded[:, :0]), whole([0] * 6), whole([0] * 6))
        for flag, counts_of in ((1, [2, 4, 6]), (2, [2, 2, 2])):
            check("MoeInitRoutingV2", x, experts, 0, 0, 3, 0, flag, False, Out(expanded), whole([4, 0, 2, 5, 1, 3]), whole(counts_of), None)
        check("MoeInitRoutingV2", x, experts, 4, 0, 3, 0, 0, False, Out(expanded[:4]), whole([4, 0, 2, 5, 1, 3]), None, None)
        check("MoeInitRoutingV2", x, experts, 0, 0, 0, 0, 0, False, Out(expanded), whole([4, 0, 2, 5, 1, 3]), None, None)
        check("MoeInitRoutingV2", x, experts, 0, 1, 3, 1, 0, True, Out(x[[0, 1, 0]].reshape(3, 1, 4)), whole([2, 0, 1, -1, -1, -1]), None, whole([2, 2, 2]))
        rest = np.full((2, 4), 77, np.float32)
        some = np.concatenate([x[[1, 2, 0, 1]], rest])
        numbers = lambda kind, flag, place: [0, 0, 3, 0, kind, flag, -1, [1, 3], place]
        for kind, counts_of in ((0, [2, 4]), (1, [2, 2])):
            check("MoeInitRoutingV3", x, experts, None, None, *numbers(kind, True, 0), Out(some), whole([2, -1, 0, 3, -1, 1]), Out(np.int64(counts_of)), None)
        check("MoeInitRoutingV3", x, experts, None, None, *numbers(2, True, 0), Out(some), whole([2, -1, 0, 3, -1, 1]), Out(np.int64([[1, 2], [2, 2], [0, 0]])), None)
        check("MoeInitRoutingV3", x, experts, None, None, *numbers(0, False, 1), Out(some), whole([2, 5, 0, 3, 77, 77]), Out(np.int64([77, 77])), None)
        check("MoeTokenPermute", x, experts, 0, False, Out(expanded), whole([4, 0, 2, 5, 1, 3]))

    def test_scales_and_quantised_rows(self):
        x, experts = floats(np.float32, 3, 8), self.experts
        order, who = [0, 2, 1, 2, 0, 1], [0, 0, 1, 1, 2, 2]
        carried = floats(np.float32, 3)
        base = [0, 0, 3, 0, 1, False]
        places = Out(np.int32([4, 0, 2, 5, 1, 3]))
        check("MoeInitRoutingV3", x, experts, carried, None, *base, -1, [0, 3], 0, Out(x[order]), places, None, Out(carried[order].reshape(6, 1)))
        scale, offset = np.float32([20.5]), np.float32([1.5])
        static = np.clip(np.rint(x * scale + offset), -128, 127).astype(np.int8)
        check("MoeInitRoutingV3", x, experts, scale, offset, *base, 0, [0, 3], 0, Out(static[order]), places, None, None)
        check("MoeInitRoutingQuantV2", x, experts, scale, offset, 0, 0, 3, 0, 0, False, 0, Out(static[order]), places, None, None, None)
        check("MoeInitRoutingQuant", x, np.int32([[0, 3], [1, 4], [2, 5]]), experts, 3, 20.5, 1.5, Out(static[order]), Out(np.int32([4, 2, 1, 0, 5, 3])), Out(np.int32(who)))
        for smooth in (None, (rng.random((3, 8)) + 0.5).astype(np.float32), (rng.random((1, 8)) + 0.5).astype(np.float32)):
            values = x[order] * (1 if smooth is None else smooth[who] if len(smooth) == 3 else smooth)
            told = np.abs(values).max(1) / 127
            y, scales = np.zeros((6, 8), np.int8), np.zeros((6, 1), np.float32)
            aclnn(stream, "aclnnMoeInitRoutingV3", x, experts, smooth, None, *base, 1, [0, 3], 0, y, places.array(), None, scales)
            np.testing.assert_allclose(scales[:, 0], told, 1e-6)
            self.assertLessEqual(np.abs(y - np.rint(values / told[:, None])).max(), 1)
        self.refused(161002, "quantMode is 2", "MoeInitRoutingV3", x, experts, None, None, *base, 2, [0, 3], 0, Out(static[order]), places, None, None)
        self.refused(161002, "activeExpertRange", "MoeInitRoutingV3", x, experts, None, None, *base, -1, [2, 9], 0, Out(x[order]), places, None, None)

    def test_a_large_routing_comes_back(self):
        tokens, k, count, width = 50, 4, 16, 12
        x, experts = f32(tokens, width), np.stack([rng.permutation(count)[:k] for _ in range(tokens)]).astype(np.int32)
        order = np.argsort(experts.reshape(-1), kind="stable")
        place = np.empty(tokens * k, np.int32)
        place[order] = np.arange(tokens * k)
        counted = np.bincount(experts.reshape(-1), minlength=count)
        check("MoeInitRoutingV2", x, experts, 0, 0, count, 0, 2, False, Out(x[order // k]), Out(place), Out(counted.astype(np.int32)), None)
        check("MoeComputeExpertTokens", np.sort(experts.reshape(-1)).astype(np.int32), count, Out(np.cumsum(counted).astype(np.int32)))
        rows, scales, x1, bias = f32(tokens * k, width), f32(tokens, k), f32(tokens, width), f32(count, width)
        sums = sum(scales[:, j : j + 1].astype(np.float64) * (rows[place.reshape(tokens, k)[:, j]] + bias[experts[:, j]]) for j in range(k)) + x1
        check("MoeFinalizeRoutingV2", rows, place, x1, None, bias, scales, experts, 2, Out(sums, np.float32))
        columns = np.ascontiguousarray(place.reshape(tokens, k).T).reshape(-1)
        check("MoeFinalizeRouting", rows, x1, x1, bias, scales, columns, experts, Out(sums + x1, np.float32))
        check("MoeFinalizeRoutingV3", rows, columns, x1, None, bias, scales, experts, None, None, None, None, 0, None, None, None, Out(sums, np.float32))
        plain = rows[place.reshape(tokens, k)].astype(np.float64).sum(1)
        check("MoeFinalizeRoutingV4", rows, place, None, None, None, None, None, None, None, None, None, 2, None, None, None, k, Out(plain, np.float32))
        dropped = place.copy()
        dropped[rng.random(tokens * k) < 0.3] = -1
        masked = np.where(dropped.reshape(tokens, k, 1) >= 0, rows[dropped.reshape(tokens, k)], 0) * scales[..., None].astype(np.float64)
        check("MoeFinalizeRoutingV2", rows.reshape(10, 20, width), dropped, None, None, None, scales, None, 3, Out(masked.sum(1), np.float32))
        self.refused(161002, "x2 goes with x1", "MoeFinalizeRoutingV2", rows, place, None, x1, None, scales, None, 2, Out(sums, np.float32))
        self.refused(161002, "bias needs expertIdx", "MoeFinalizeRoutingV2", rows, place, None, None, bias, scales, None, 2, Out(sums, np.float32))
        self.refused(161002, "Range", "MoeFinalizeRoutingV3", rows, columns, x1, None, bias, scales, experts, None, None, None, None, 0, [0, 1], None, None, Out(sums, np.float32))

    def test_permute_unpermute_and_gradients(self):
        tokens, k, width = 6, 2, 5
        x, experts, probs = f32(tokens, width), rng.integers(0, 4, (tokens, k)), f32(tokens, k)
        order = np.argsort(experts.reshape(-1), kind="stable")
        place = np.empty(tokens * k, np.int32)
        place[order] = np.arange(tokens * k)
        for asked, kept in ((0, 12), (7, 7), (-3, 9)):
            check("MoeTokenPermute", x, experts, asked, False, Out(x[order // k][:kept]), Out(place))
        check("MoeTokenPermuteV2", x, experts, 0, False, -1, Out(x[order // k]), Out(place), None)
        rows, probs[2, 1] = f32(tokens * k, width), 0
        rows[place[5]] = np.nan  # where the probability is 0 nothing is read
        clean = np.nan_to_num(rows)
        want = (probs[..., None].astype(np.float64) * clean[place.reshape(tokens, k)]).sum(1)
        check("MoeTokenUnpermute", rows, place, probs, False, None, Out(want, np.float32))
        check("MoeTokenUnpermute", clean[:12], place, None, False, None, Out(clean[place]))
        cut = np.where((place < 8).reshape(tokens, k, 1), clean[np.minimum(place, 7).reshape(tokens, k)], 0)
        check("MoeTokenUnpermute", clean[:8], place, probs, False, None, Out((probs[..., None].astype(np.float64) * cut).sum(1), np.float32))
        check("MoeTokenPermuteGrad", clean, place, k, False, Out(clean[place.reshape(tokens, k)].astype(np.float64).sum(1), np.float32))
        check("MoeInitRoutingV2Grad", clean, place, k, 0, 0, Out(clean[place.reshape(tokens, k)].astype(np.float64).sum(1), np.float32))
        grad = f32(tokens, width)
        back, dots = np.zeros((tokens * k, width)), np.zeros((tokens, k))
        for i, j in np.ndindex(tokens, k):
            back[place[i * k + j]] = grad[i] * probs[i, j]
            dots[i, j] = (grad[i].astype(np.float64) * clean[place[i * k + j]]).sum()
        check("MoeTokenUnpermuteGrad", clean, grad, place, probs, False, None, Out(back, np.float32), Out(dots, np.float32))
        columns = np.ascontiguousarray(place.reshape(tokens, k).T).reshape(-1)
        check("MoeFinalizeRoutingV2Grad", grad, columns, clean, probs, None, None, 0, 0, 0, 0, Out(back, np.float32), Out(dots, np.float32))
        self.refused(161002, "paddedMode", "MoeTokenPermute", x, experts, 0, True, Out(x[order // k]), Out(place))


class Caches(Case):
    def test_scatter_and_gather_of_blocks(self):
        blocks, size, n, dk, dv = 5, 4, 2, 32, 16
        key, value = floats(np.float16, 6, n, dk), floats(np.float16, 6, n, dv)
        slots = np.int32([3, -1, 17, 4, 0, 19])
        caches = [floats(np.float16, blocks, size, n, d) for d in (dk, dv)]
        wants = [c.copy() for c in caches]
        for rows, want in zip((key, value), wants):
            for t, slot in enumerate(slots):
                if slot >= 0:
                    want[slot // size, slot % size] = rows[t]
        slices = lambda c: np.array(c.reshape(blocks, size, -1, 16).transpose(0, 2, 1, 3), order="C")
        heads = lambda c: np.array(c.transpose(0, 2, 1, 3), order="C")
        for (mode, scatter, form), index in itertools.product(((None, None, lambda c: c), ("Norm", "None", lambda c: c), ("PA_NZ", None, slices), (None, "NHSD", heads)), (np.int32, np.int64)):
            check("ScatterPaKvCache", key, InOut(form(caches[0]), form(wants[0])), slots.astype(index), value, InOut(form(caches[1]), form(wants[1])), None, None,
                  None, mode, scatter, None, None)  # fmt: skip
        check("ScatterPaKvCache", key, InOut(caches[0], wants[0]), slots, None, None, None, None, None, None, None, None, None)
        check("ScatterPaCache", key, InOut(caches[0], wants[0]), slots, None, None, None, "Norm")
        self.refused(161002, "scatterMode \"Rope\"", "ScatterPaKvCache", key, InOut(caches[0], wants[0]), slots, None, None, None, None, None, None, "Rope", None, None)
        self.refused(161002, "slotMapping has 2", "ScatterPaKvCache", key, InOut(caches[0], wants[0]), slots[:2], None, None, None, None, None, None, None, None, None)
        table, lengths = np.int32([[4, 1, 0], [2, 3, 0]]), np.int32([6, 3])
        for mode, form in (("Norm", lambda c: c), ("PA_NZ", slices)):
            flat = [np.concatenate([c[table[b]].reshape(-1, n, c.shape[3])[: lengths[b]] for b in range(2)]) for c in caches]
            start = [np.zeros((10, n, d), np.float16) for d in (dk, dv)]
            full = [np.concatenate([f, s[:1]]) for f, s in zip(flat, start)]
            check("GatherPaKvCache", *map(form, caches), table, lengths, *(InOut(s, f) for s, f in zip(start, full)), None, mode, False)
            check("GatherPaKvCache", *map(form, caches), table, np.int32([0, 6, 9]), *(InOut(s, f) for s, f in zip(start, full)), None, mode, True)
        empty = [np.zeros((blocks, size, n, 0), np.float16), np.zeros((6, n, 0), np.float16)]
        self.refused(161002, "does not fit rows", "ScatterPaKvCache", key, InOut(caches[0], wants[0]), slots, empty[1], InOut(empty[0], empty[0]), None, None, None, None, None, None, None)
        rooms = [InOut(np.zeros((10, n, d), np.float16), np.zeros((10, n, d))) for d in (dk, dv)]
        self.refused(161002, "does not fit rows", "GatherPaKvCache", caches[0], empty[0], table, lengths, rooms[0], InOut(empty[1], empty[1]), None, None, False)
        self.refused(161002, "seqOffset must have 2", "GatherPaKvCache", *caches, table, lengths, *rooms, np.int32([4]), None, False)
        self.refused(507015, "in no block", "GatherPaKvCache", *caches, table, lengths, *rooms, np.int32([-400, 0]), None, False)
        moved = [np.concatenate([c[table[b, s:]].reshape(-1, n, c.shape[3])[:3] for b, s in ((0, 1), (1, 0))]) for c in caches]
        check("GatherPaKvCache", *caches, table, np.int32([3, 3]), *(InOut(np.zeros_like(m), m) for m in moved), np.int32([4, 0]), "Norm", False)

    def test_updates_by_batch(self):
        data, updates, index = floats(np.float16, 3, 2, 8, 4), floats(np.float16, 3, 2, 2, 4), np.int64([5, 0, 6])
        want = data.copy()
        for b in range(3):
            want[b, :, index[b] : index[b] + 2] = updates[b]
        check("InplaceScatterUpdate", InOut(data, want), index, updates, -2)
        check("ScatterList", [InOut(d, w) for d, w in zip(data, want)], index, updates, None, None, -2)
        mask = np.uint8([1, 0, 1])
        check("ScatterList", [InOut(d, w if m else d) for d, w, m in zip(data, want, mask)], index, updates, mask, "update", 1)
        self.refused(161002, "axis", "InplaceScatterUpdate", InOut(data, want), index, updates, 0)
        self.refused(161002, "mask must have 3", "ScatterList", [InOut(d, d) for d in data], index, updates, mask[:2], "update", 1)
        self.refused(507015, "does not fit", "InplaceScatterUpdate", InOut(data, want), np.int64([5, 2**63 - 1, 6]), updates, -2)
        self.refused(161002, "do not fit", "InplaceScatterUpdate", InOut(data, want), index, floats(np.float16, 3, 2, 9, 4), -2)
        variable, places, rows = f32(5, 3, 2), np.int64([[4], [0], [4]]), f32(3, 3, 2)
        want = variable.copy()
        for i, (at,) in enumerate(places):
            want[at] = rows[i]
        check("ScatterNdUpdate", InOut(variable, want), places, rows)


class Latent(Case):
    """KvRmsNormRopeCache by plain loops."""

    b, s, d, r, blocks, size = 2, 5, 32, 16, 6, 4

    def rows(self, kv, gamma, cos, sin):
        wide = kv.astype(np.float64)[:, 0]
        latent = wide[..., : self.d]
        latent = latent / np.sqrt((latent**2).mean(-1, keepdims=True) + 1e-5) * gamma
        x = wide[..., self.d :]
        x = np.concatenate([x[..., 0::2], x[..., 1::2]], -1)
        turned = np.concatenate([-x[..., self.r // 2 :], x[..., : self.r // 2]], -1)
        return x * cos[:, 0] + turned * sin[:, 0], latent

    def place(self, cache, rows, mode, index):
        made = cache.copy()
        for b, t in itertools.product(range(self.b), range(self.s)):
            row = rows[b, t]
            if mode == "Norm":
                if index[b, t] >= 0:
                    made[b, 0, index[b, t]] = row
                continue
            if "BLK" in mode:
                slot = index[b * -(-self.s // self.size) + t // self.size]
                block, at = slot // self.size, t % self.size
            else:
                slot = index[b * self.s + t]
                block, at = slot // self.size, slot % self.size
            if slot < 0:
                continue
            if mode.endswith("NZ"):
                c0 = 32 // made.itemsize
                flat = made.reshape(self.blocks, -1, self.size, c0)
                flat[block, :, at] = row.reshape(-1, c0)
            else:
                made[block, at, 0] = row
        return made

    def test_all_caches(self):
        for mode, one, whole in itertools.product(("Norm", None, "PA", "PA_BNSD", "PA_NZ", "PA_BLK_BNSD", "PA_BLK_NZ"), (False, True), (False, True)):
            kv, gamma = floats(np.float16, self.b, 1, self.s, self.d + self.r), floats(np.float16, self.d)
            angles = (self.b, 1, 1 if one else self.s, self.r)
            cos, sin = floats(np.float16, *angles), floats(np.float16, *angles)
            rope, latent = self.rows(kv, gamma, cos.astype(float), sin.astype(float))
            kind = mode or "Norm"
            if kind == "Norm":
                index = np.int64([[3, 0, -1, 6, 2], [1, 5, 4, 0, 7]])
                shapes = [(self.b, 1, 8, w) for w in (self.r, self.d)]
            elif "BLK" in kind:
                index = np.int64([8, 0, -1, 20])
                shapes = [(self.blocks, self.size, 1, w) for w in (self.r, self.d)]
            else:
                index = np.int64([3, 9, -1, 23, 0, 12, 5, 1, 7, 20])
                shapes = [(self.blocks, self.size, 1, w) for w in (self.r, self.d)]
            if whole and kind.endswith("NZ"):
                continue  # slices of 32 do not divide 16 components
            scales = [(rng.random(w) * 20 + 10).astype(np.float32) for w in (self.r, self.d)] if whole else [None, None]
            offsets = [f32(w) for w in (self.r, self.d)] if whole else [None, None]
            want = []
            for shape, rows, scale, offset in zip(shapes, (rope, latent), scales, offsets):
                values = np.clip(np.rint(rows * scale + offset), -128, 127).astype(np.int8) if whole else rows
                first = ints(np.int8, *shape) if whole else floats(np.float16, *shape)
                want.append((first, self.place(first, values.astype(first.dtype), kind, index)))
            outs = [Out(rope[:, None], np.float16, 1e-2), Out(latent[:, None], np.float16, 1e-2)]
            for tells in (True, False):
                caches = [np.array(first) for first, _ in want]
                told = [o.array() for o in outs] if tells else [None, None]
                aclnn(stream, "aclnnKvRmsNormRopeCache", kv, gamma, cos, sin, index, *caches, scales[0], scales[1], offsets[0], offsets[1], 1e-5, mode, tells, *told)
                for cache, (_, wanted) in zip(caches, want):
                    if whole:
                        self.assertLessEqual(np.abs(cache.astype(int) - wanted.astype(int)).max(), 1)
                    else:
                        np.testing.assert_allclose(cache.astype(float), wanted.astype(float), 1e-2, 1e-2)
                for got, wanted in zip(told, outs):
                    if tells:
                        np.testing.assert_allclose(got.astype(float), wanted.expected, 1e-2, 1e-2)
                counts["aclnnKvRmsNormRopeCache"] += 1
        caches = [np.zeros(shape, np.float16) for shape in shapes]
        nothing = [None] * 4
        self.refused(161002, "cacheMode", "KvRmsNormRopeCache", kv, gamma, cos, sin, index, *caches, *nothing, 1e-5, "Other", False, None, None)
        self.refused(161002, "v is not supported", "KvRmsNormRopeCacheV2", kv, gamma, cos, sin, index, *caches, *nothing, kv, 1e-5, "PA", False, None, None)
        self.refused(161001, "index", "KvRmsNormRopeCache", kv, gamma, cos, sin, None, *caches, *nothing, 1e-5, "PA", False, None, None)


if __name__ == "__main__":
    main()
