# SPDX-License-Identifier: Apache-2.0
"""Counts, complex numbers, and the steps of engines that serve many sequences, against numpy."""
from aclnn_cases import *


class Counting(Case):
    def test_bincount(self):
        for kind in (np.int64, np.int32, np.int8, np.uint8):
            x = rng.integers(0, 9, 50).astype(kind)
            for least in (0, 5, 20):
                check("Bincount", x, None, least, Out(np.bincount(x, minlength=least)))
                for weights, made in ((np.float32, np.float32), (np.float64, np.float64), (np.int32, np.float64)):
                    given = rng.integers(-5, 5, 50).astype(weights)
                    check("Bincount", x, given, least, Out(np.bincount(x, given, least).astype(made)))
        check("Bincount", np.zeros(0, np.int64), None, 3, Out(np.zeros(3, np.int64)))
        self.refused(507015, "element 2 of self is 4", "Bincount", np.int64([0, 1, 4]), None, 0, Out(np.zeros(4, np.int64)))
        self.refused(507015, "element 1 of self is -1", "Bincount", np.int64([0, -1]), None, 0, Out(np.zeros(4, np.int64)))
        self.refused(161002, "minlength is 9", "Bincount", x, None, 9, Out(np.zeros(8, np.int64)))
        self.refused(161002, "weights has 3 elements", "Bincount", x, f32(3), 0, Out(np.zeros(9, np.float32)))
        self.refused(161002, "one dimension", "Bincount", x.reshape(5, 10), None, 0, Out(np.zeros(9, np.int64)))
        self.refused(161002, "", "Bincount", f32(3), None, 0, Out(np.zeros(9, np.int64)))
        self.refused(161001, "self", "Bincount", None, None, 0, Out(np.zeros(9, np.int64)))

    def test_histogram(self):
        experts = rng.integers(0, 8, 200)
        for kind in (np.int32, np.int64, np.float32, np.float16):
            want = np.bincount(experts, minlength=8)
            check("Histc", experts.astype(kind), 8, 0, 7, Out(want.astype(kind)))  # how experts are counted
            check("Histc", experts.astype(kind).reshape(10, 20), 8, 0.0, 7.0, Out(want.astype(kind)))
        x = rng.standard_normal(1000).astype(np.float32)
        for bins, low, high in ((10, -1, 1), (7, -2.5, 4.0), (100, 0.0, 0.25), (1, -9, 9)):
            edges = np.float32(low), np.float32(high)
            inside = x[(x >= edges[0]) & (x <= edges[1])]
            places = np.minimum((inside - edges[0]) * np.float32(bins) / (edges[1] - edges[0]), bins - 1).astype(int)
            check("Histc", x, bins, low, high, Out(np.bincount(places, minlength=bins).astype(np.float32)))
        own = np.float32([1, 2, 2.5, 3, 5, np.float32(4.999)])
        check("Histc", own, 4, 0, 0, Out(np.float32([1, 2, 1, 2])))  # its own range
        check("Histc", np.float32([3, 3]), 4, 0, 0, Out(np.float32([0, 0, 2, 0])))  # one number: 1 around it
        check("Histc", np.float32([np.nan, 1, np.inf]), 2, 0, 2, Out(np.float32([0, 1])))
        check("Histc", f32(0), 3, 0, 0, Out(np.float32([0, 0, 0])))
        self.refused(161002, "more than max", "Histc", own, 4, 3, 2, Out(f32(4)))
        self.refused(161002, "4 bins", "Histc", own, 4, 0, 2, Out(f32(5)))
        self.refused(161002, "0 bins", "Histc", own, 0, 0, 2, Out(f32(1)))
        self.refused(161001, "max", "Histc", own, 4, 0, None, Out(f32(4)))
        self.refused(507015, "not finite", "Histc", np.float32([1, np.inf]), 4, 0, 0, Out(f32(4)))

    def test_places_of_repeats(self):
        for kind in (np.int64, np.int32):
            for repeats in ([2, 0, 3, 1], [0, 0], [4], [1, 1, 1]):
                repeats = np.array(repeats, kind)
                if repeats.sum():
                    check("RepeatInterleaveTensor", repeats, int(repeats.sum()), Out(np.repeat(np.arange(len(repeats)), repeats).astype(kind)))
        self.refused(507015, "add up to 6", "RepeatInterleaveTensor", np.int64([2, 0, 3, 1]), 7, Out(np.zeros(7, np.int64)))
        self.refused(161002, "out is", "RepeatInterleaveTensor", np.int64([2, 0, 3, 1]), 6, Out(np.zeros(7, np.int64)))
        self.refused(161002, "one dimension", "RepeatInterleaveTensor", np.int64([[2, 0]]), 2, Out(np.zeros(2, np.int64)))
        self.refused(161001, "repeats", "RepeatInterleaveTensor", None, 2, Out(np.zeros(2, np.int64)))


class Complex(Case):
    def test_parts(self):
        for part, whole in ((np.float32, np.complex64), (np.float64, np.complex128)):
            for left, right in (((3, 4), (3, 4)), ((3, 1), (4,)), ((), (2, 5)), ((0, 2), (2,))):
                a, b = floats(part, *left) if left else np.array(1.5, part), floats(part, *right)
                check("Complex", a, b, Out((a + 1j * b).astype(whole)))
                tolerance = 1e-6 if part == np.float32 else 1e-15
                want = a * np.exp(1j * b.astype(np.complex128))
                out = np.zeros(want.shape, whole)
                aclnn(stream, "aclnnPolar", a, b, out)
                np.testing.assert_allclose(out, want, tolerance * 4, tolerance)
                check("Real", out, Out(out.real))
        a = f32(3)
        self.refused(161002, "do not make", "Complex", a, a, Out(np.zeros(3, np.complex128)))
        self.refused(161002, "do not make", "Complex", a, a.astype(np.float64), Out(np.zeros(3, np.complex64)))
        self.refused(161002, "out is [4]", "Complex", a, a, Out(np.zeros(4, np.complex64)))
        self.refused(161002, "the real part", "Real", np.zeros(3, np.complex64), Out(np.zeros(3)))
        self.refused(161001, "imag", "Complex", a, None, Out(np.zeros(3, np.complex64)))
        self.refused(161001, "self", "Real", None, Out(a))


class Serving(Case):
    def test_a_step_of_all_sequences(self):
        """inputTokens = sampled, positions = seqLens, seqLens += 1, slot from the block table."""
        block = 16
        for seqs, queries in ((5, 5), (8, 3), (1, 1)):
            lengths, table = rng.integers(0, 64, seqs), rng.permutation(seqs * 4).reshape(seqs, 4)
            sampled, before = rng.integers(0, 999, (queries, 1)), rng.integers(0, 999, (3, seqs))
            tokens, places, slots = (b.copy() for b in before)
            grown = lengths.copy()
            for i in range(queries):
                tokens[i], places[i], grown[i] = sampled[i, 0], lengths[i], lengths[i] + 1
                slots[i] = table[i, lengths[i] // block] * block + lengths[i] % block
            check("AdvanceStep", InOut(before[0], tokens), sampled, InOut(before[1], places), InOut(lengths, grown), InOut(before[2], slots),
                  table, seqs, queries, block)
        given = lambda *numbers: (InOut(before[0], tokens), sampled, InOut(before[1], places), InOut(lengths, grown), InOut(before[2], slots), table, *numbers)
        self.refused(161002, "blockSize 0", "AdvanceStep", *given(1, 1, 0))
        self.refused(161002, "do not fit", "AdvanceStep", *given(1, 2, 16))
        self.refused(161002, "no room for 2", "AdvanceStep", *given(2, 1, 16))
        self.refused(507015, "in none of its 4 blocks", "AdvanceStep", InOut(before[0], tokens), sampled, InOut(before[1], places), InOut(np.array([64]), grown),
                     InOut(before[2], slots), table, 1, 1, 16)
        self.refused(161002, "DT_INT32 is not INT64", "AdvanceStep", InOut(before[0], tokens), sampled.astype(np.int32), *given(1, 1, 16)[2:])
        self.refused(161001, "blockTables", "AdvanceStep", *given(1, 1, 16)[:5], None, 1, 1, 16)
        self.refused(161001, "seqLens", "AdvanceStep", *given(1, 1, 16)[:3], None, *given(1, 1, 16)[4:])

    def test_tokens_of_all_ranks_by_expert(self):
        for ranks, experts in ((2, 3), (1, 4), (4, 1), (3, 5)):
            for kind, count_kind in ((np.float16, np.int64), (np.int8, np.int32), (np.float32, np.int64)):
                counts_ = rng.integers(0, 4, (ranks, experts)).astype(count_kind)
                counts_[0, 0] += 1
                n = int(counts_.sum())
                tokens, scales = rng.integers(-99, 99, (n, 6)).astype(kind), f32(n)
                expert = np.repeat(np.tile(np.arange(experts), ranks), counts_.reshape(-1))
                order = np.argsort(expert, kind="stable")  # the ranks follow one another already
                told = [Out(order.astype(np.int32)), Out(counts_.sum(0).astype(count_kind))]
                check("MoeReRouting", tokens, counts_, scales, 1, 0, Out(tokens[order]), Out(scales[order]), *told)
                check("MoeReRouting", tokens, counts_, f32(n, 2) * 0 + 1, 1, 0, Out(tokens[order]), Out(np.ones((n, 2), np.float32)), *told)
                check("MoeReRouting", tokens, counts_, None, 1, 0, Out(tokens[order]), None, *told)
        outs = Out(tokens), Out(scales), *told
        self.refused(161002, "expertTokenNumType must be 1", "MoeReRouting", tokens, counts_, scales, 0, 0, *outs)
        self.refused(161002, "idxType must be 0", "MoeReRouting", tokens, counts_, scales, 1, 1, *outs)
        self.refused(161002, "permuteTokenIdxOut", "MoeReRouting", tokens, counts_, scales, 1, 0, *outs[:2], Out(order), outs[3])
        self.refused(161002, "permutePerTokenScalesOut is needed", "MoeReRouting", tokens, counts_, scales, 1, 0, outs[0], None, *outs[2:])
        self.refused(161002, "[ranks,experts]", "MoeReRouting", tokens, counts_.reshape(-1), scales, 1, 0, *outs)
        self.refused(507015, "add up to", "MoeReRouting", tokens, counts_ * 0, scales, 1, 0, *outs)
        self.refused(507015, "add up to more", "MoeReRouting", tokens, counts_ + 1, scales, 1, 0, *outs)
        self.refused(507015, "negative", "MoeReRouting", tokens, -counts_, scales, 1, 0, *outs)
        self.refused(161001, "expertTokenNumPerRank", "MoeReRouting", tokens, None, scales, 1, 0, *outs)

    def test_adapters_of_low_rank(self):
        adapters, layers, rank, into, out, n = 3, 2, 8, 20, 12, 7
        for kind, tolerance in ((np.float32, 1e-4), (np.float16, 4e-3)):
            y, x = floats(kind, n, 30), floats(kind, n, into)
            a, b = (floats(kind, *shape) * kind(0.2) for shape in ((adapters, layers, rank, into), (adapters, layers, out, rank)))
            indices = np.array([0, 2, 1, -1, 2, 0, 0], np.int32)
            for layer, offset, scale in ((0, 0, 1.0), (1, 18, 0.5)):
                want, plain = y.astype(np.float64), y.astype(np.float64)
                narrow = floats(kind, n, rank)
                for r, i in enumerate(indices):
                    if i >= 0:
                        big = b[i, layer].astype(np.float64)
                        want[r, offset : offset + out] += scale * (big @ (a[i, layer].astype(np.float64) @ x[r]))
                        plain[r, offset : offset + out] += scale * (big @ narrow[r].astype(np.float64))
                check("AddLora", y, x, b, indices, a, layer, scale, offset, out, Out(want, kind, tolerance))
                check("AddLora", y, narrow, b, indices, None, layer, scale, offset, out, Out(plain, kind, tolerance))
            same = y.copy()
            aclnn(stream, "aclnnAddLora", same, x, b, indices, a, 1, 0.5, 18, out, same)  # in place
            np.testing.assert_allclose(same.astype(np.float64), want, tolerance, tolerance)
        given = lambda *numbers: (y, x, b, indices, a, *numbers, Out(y))
        self.refused(161002, "layerIdx is 2", "AddLora", *given(2, 1.0, 0, out))
        self.refused(161002, "ySliceSize 12 at yOffset 19", "AddLora", *given(0, 1.0, 19, out))
        self.refused(161002, "ySliceSize 11", "AddLora", *given(0, 1.0, 0, 11))
        self.refused(161002, "the weights do not fit", "AddLora", y, x, b, indices, None, 0, 1.0, 0, out, Out(y))
        self.refused(161002, "the rows do not fit", "AddLora", y, x, b, indices[:3], a, 0, 1.0, 0, out, Out(y))
        self.refused(507015, "index 3 of row 0", "AddLora", y, x, b, indices + 3, a, 0, 1.0, 0, out, Out(y))
        self.refused(161001, "weightB", "AddLora", y, x, None, indices, a, 0, 1.0, 0, out, Out(y))


if __name__ == "__main__":
    main()
