# SPDX-License-Identifier: Apache-2.0
"""Attention over few keys, in all layouts, against plain loops in double precision."""
import itertools
import unittest

from aclnn_cases import *


class Tokens:
    """The tokens of some sequences as a layout stores them; `rows[b]` are those of sequence b."""

    def __init__(self, rows, layout, room=None, size=4):
        self.rows, width, dtype = rows, rows[0].shape[1:], rows[0].dtype
        counts_of = [len(r) for r in rows]
        self.table = None
        if layout == "BSND":
            self.array = np.zeros((len(rows), room or max(counts_of), *width), dtype)
            for b, r in enumerate(rows):
                self.array[b, : len(r)] = r
            self.lengths = np.int32(counts_of)
        elif layout == "TND":
            self.array, self.lengths = np.concatenate(rows), np.int32(np.cumsum(counts_of))
        else:
            columns = -(-max(counts_of) // size)
            order = rng.permutation(len(rows) * columns + 2)
            self.table = np.int32(order[: len(rows) * columns].reshape(len(rows), columns))
            self.array, self.lengths = floats(np.float32, len(order), size, *width).astype(dtype), np.int32(counts_of)
            for b, r in enumerate(rows):
                for j, row in enumerate(r):
                    self.array[self.table[b, j // size], j % size] = row
        self.layout = layout

    def spread(self, values, fill):
        """Results of each sequence's tokens, in the layout of these."""
        made = np.full((*self.array.shape[: 1 if self.layout == "TND" else 2], *values[0].shape[1:]), fill, values[0].dtype)
        at = 0
        for b, v in enumerate(values):
            if self.layout == "TND":
                made[at : at + len(v)] = v
                at += len(v)
            else:
                made[b, : len(v)] = v
        return made


LAYOUTS = (("BSND", "BSND"), ("TND", "TND"), ("TND", "PA_BSND"), ("BSND", "PA_BSND"))


class Sparse(Case):
    def test_indexer(self):
        for (layout, of_keys), mode, k in itertools.product(LAYOUTS, (0, 3), (3, 20)):
            q, keys = [f32(n, 4, 8) for n in (2, 5)], [f32(n, 1, 8) for n in (6, 9)]
            w = [f32(n, 4) for n in (2, 5)]
            index, value = [], []
            for b in range(2):
                n, m = len(q[b]), len(keys[b])
                index.append(np.full((n, 1, k), -1, np.int32))
                value.append(np.full((n, 1, k), 77, np.float32))
                for i in range(n):
                    seen = m - n + i + 1 if mode == 3 else m
                    scores = np.einsum("n,nj->j", w[b][i].astype(np.float64), np.maximum(q[b][i].astype(np.float64) @ keys[b][:seen, 0].T, 0))
                    best = np.argsort(-scores, kind="stable")[:k]
                    index[b][i, 0, : len(best)], value[b][i, 0, : len(best)] = best, scores[best]
            tq, tk = Tokens(q, layout), Tokens(keys, of_keys)
            weights = Tokens(w, layout).array
            arguments = [tq.array, tk.array, weights, tq.lengths, tk.lengths, tk.table, layout, of_keys, k, mode, 2**63 - 1, 2**63 - 1]
            wants = Out(tq.spread(index, -1)), Out(tq.spread(value, 77), np.float32, 1e-4)
            check("LightningIndexer", *arguments, True, *wants)
            check("LightningIndexer", *arguments, False, wants[0], None)
        self.refused(161002, "sparseMode is 1", "LightningIndexer", *arguments[:9], 1, 0, 0, False, wants[0], None)
        self.refused(161002, "layout", "LightningIndexer", *arguments[:6], "SBH", *arguments[7:], False, wants[0], None)
        self.refused(161001, "weights", "LightningIndexer", *arguments[:2], None, *arguments[3:], False, wants[0], None)

    def test_quantised_indexer(self):
        q, keys, w = [ints(np.int8, 3, 4, 8)], [ints(np.int8, 7, 1, 8)], f32(3, 4)
        qs, ks = (rng.random((3, 4)) + 0.5).astype(np.float16), (rng.random((7, 1)) + 0.5).astype(np.float16)
        dots = np.einsum("inc,jc->inj", q[0].astype(np.float64), keys[0][:, 0]) * qs[..., None] * ks[:, 0]
        scores = (w[..., None] * np.maximum(dots, 0)).sum(1)
        want = np.argsort(-scores, 1, kind="stable")[:, None, :4].astype(np.int32)
        check("QuantLightningIndexer", q[0][None], keys[0][None], w[None], qs[None], ks[None], None, None, None, 0, 0, "BSND", "BSND", 4, 0, 0, 0, Out(want[None]))

    def test_attention(self):
        for (layout, of_keys), mode, block, sink in itertools.product(LAYOUTS, (0, 3), (1, 2), (None, f32(4))):
            q, keys = [f32(n, 4, 8) for n in (2, 5)], [f32(n, 1, 8) for n in (6, 9)]
            q_rope, k_rope = [f32(n, 4, 2) for n in (2, 5)], [f32(n, 1, 2) for n in (6, 9)]
            y, top, total, named = [], [], [], []
            for b in range(2):
                n, m = len(q[b]), len(keys[b])
                chosen = np.full((n, 1, 3), -1, np.int32)
                out, high, sums = np.zeros((n, 4, 8)), np.zeros((n, 4)), np.zeros((n, 4))
                for i in range(n):
                    seen = m - n + i + 1 if mode == 3 else m
                    given = rng.permutation(-(-m // block))[: 3 if i else 2]
                    chosen[i, 0, : len(given)] = given
                    places = [j for g in given for j in range(g * block, (g + 1) * block) if j < seen]
                    k = np.concatenate([keys[b], k_rope[b]], -1)[places, 0].astype(np.float64)
                    s = np.concatenate([q[b], q_rope[b]], -1)[i].astype(np.float64) @ k.T * 0.5
                    for h in range(4):
                        all_ = s[h] if sink is None else np.append(s[h], sink[h])
                        high[i, h] = all_.max() if len(all_) else -np.inf
                        e = np.exp(s[h] - high[i, h]) if len(places) else np.zeros(0)
                        sums[i, h] = np.exp(all_ - high[i, h]).sum() if len(all_) else 0
                        if len(places):
                            out[i, h] = e @ k[:, :8] / sums[i, h]
                y.append(out), top.append(high), total.append(sums), named.append(chosen)
            tq, tk = Tokens(q, layout), Tokens(keys, of_keys)
            rope = Tokens(q_rope, layout).array
            if of_keys == "PA_BSND":
                turned = np.zeros((*tk.array.shape[:-1], 2), np.float32)
                for b, r in enumerate(k_rope):
                    for j, row in enumerate(r):
                        turned[tk.table[b, j // 4], j % 4] = row
            else:
                turned = Tokens(k_rope, of_keys).array
            index = tq.spread(named, -1)
            name = "SparseFlashAttention" + ("" if sink is None else "V2")
            arguments = [tq.array, tk.array, tk.array, index, tk.table, tq.lengths, tk.lengths, rope, turned]
            numbers = [0.5, block, layout, of_keys, mode, 0, 0, 2]
            high, sums = tq.spread(top, 77), tq.spread(total, 77)
            shape = (1, *high.shape) if layout == "TND" else (high.shape[0], 1, *high.shape[1:])
            outs = [Out(tq.spread(y, 77), np.float32, 1e-4), Out(high.reshape(shape), np.float32, 1e-4), Out(sums.reshape(shape), np.float32, 1e-4)]
            check(name, *arguments, *([] if sink is None else [sink]), *numbers, True, *outs)
            check(name, *arguments, *([] if sink is None else [sink]), *numbers, False, outs[0], None, None)
        self.refused(161002, "same as key", "SparseFlashAttentionV2", *arguments[:2], f32(3, 1, 8), *arguments[3:], None, *numbers, False, outs[0], None, None)

    def test_blocks_longer_than_any_sequence(self):
        q, keys, index = f32(1, 2, 4, 8), f32(1, 9, 1, 8), np.int32([0, 2**31 - 1, -1]).reshape(1, 1, 1, 3).repeat(2, 1)
        k = keys[0, :, 0].astype(np.float64)
        e = np.exp(q[0] @ k.T * 0.5)
        y = Out((e / e.sum(-1, keepdims=True) @ k)[None], np.float32, 1e-4)
        for block in (9, 1 << 31, 1 << 40, (1 << 63) - 1):
            check("SparseFlashAttention", q, keys, keys, index, None, None, None, None, None, 0.5, block, "BSND", "BSND", 0, 0, 0, 2, False, y, None, None)

    def test_tensors_without_elements(self):
        for q, keys in ((f32(1, 5, 0, 8), f32(1, 9, 1, 8)), (f32(1, 5, 4, 0), f32(1, 9, 1, 0))):
            out = Out(np.zeros((1, 5, 1, 3), np.int32))
            self.refused(161002, "no elements", "LightningIndexer", q, keys, f32(1, 5, 4), None, None, None, "BSND", "BSND", 3, 0, 0, 0, False, out, None)
            high = [Out(np.zeros((1, 1, 5, 4)), np.float32) for _ in range(2)]
            index = np.zeros((1, 5, 1, 3), np.int32)
            self.refused(161002, "no elements", "SparseFlashAttention", q, keys, keys, index, None, None, None, None, None, 0.5, 1, "BSND", "BSND", 0, 0, 0, 2, True,
                         Out(q), *high)  # fmt: skip


if __name__ == "__main__":
    main()
