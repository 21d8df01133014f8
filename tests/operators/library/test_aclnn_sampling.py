# SPDX-License-Identifier: Apache-2.0
"""Random numbers against a plain Philox4x32-10, which is checked with the vectors published with it; the choice of
tokens against plain loops."""
import math
import unittest

from aclnn_cases import *


def block(counter, key):
    c, k, mask = list(counter), list(key), 0xFFFFFFFF
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & mask, (a >> 32) ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return c


def words(seed, offset, count):
    made = []
    for i in range((count + 3) // 4):
        made += block([i, 0, offset & 0xFFFFFFFF, offset >> 32], [seed & 0xFFFFFFFF, seed >> 32])
    return made[:count]


def uniform(seed, offset, count):
    return (np.array(words(seed, offset, count), np.float64) + 0.5) * 2.0**-32


def normal(seed, offset, count):
    u = uniform(seed, offset, count + count % 2)
    radius, angle = np.sqrt(-2 * np.log(u[0::2])), 2 * np.pi * u[1::2]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(-1)[:count]


def bits(seed, offset, count, keep):
    return np.packbits(uniform(seed, offset, count * 8) < keep, bitorder="little")


class Numbers(Case):
    def test_the_generator(self):
        full, pi = 0xFFFFFFFF, (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
        self.assertEqual(block([0] * 4, [0] * 2), [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8])
        self.assertEqual(block([full] * 4, [full] * 2), [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD])
        self.assertEqual(block(pi, [0xA4093822, 0x299F31D0]), [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1])

    def test_distributions(self):
        for seed, offset in ((0, 0), (123456789, 8), (2**40 + 5, 2**33 + 1)):
            any_ = np.zeros((5, 7), np.float32)
            u, n = uniform(seed, offset, 35).reshape(5, 7), normal(seed, offset, 35).reshape(5, 7)
            check("InplaceUniform", InOut(any_, -2 + u * 5), -2.0, 3.0, seed, offset)
            check("InplaceNormal", InOut(any_, 1 + n * 0.5), 1.0, 0.5, seed, offset)
            check("NormalFloatFloat", 1.0, 0.5, seed, offset, Out(1 + n * 0.5, np.float32))
            mean, deviation = f32(5, 7), np.abs(f32(5, 7))
            check("NormalFloatTensor", 1.0, deviation, seed, offset, Out(1 + n * deviation, np.float32))
            check("NormalTensorFloat", mean, 0.5, seed, offset, Out(mean + n * 0.5, np.float32))
            check("NormalTensorTensor", mean, deviation, seed, offset, Out(mean + n * deviation, np.float32))
            for p in (0.0, 0.25, 1.0):
                check("InplaceBernoulli", InOut(any_, u < p), p, seed, offset)
                check("Bernoulli", any_, p, seed, offset, Out(u < p, np.int32))
            chance = rng.random((5, 7)).astype(np.float32)
            check("BernoulliTensor", any_, chance, seed, offset, Out(u < chance, np.float32))
            check("InplaceBernoulliTensor", InOut(any_, u < chance), chance, seed, offset)
            late = -np.log(u.reshape(-1)) / 2
            late[20:] = 9  # as it was
            check("SimThreadExponential", InOut(any_ + 9, late.reshape(5, 7)), 20, 2.0, seed, offset)
            wide = [w[1] << 32 | w[0] for w in np.array(words(seed, offset, 70), object).reshape(35, 2)]
            drawn = np.array([-3 + w % 11 for w in wide]).reshape(5, 7)
            check("InplaceRandom", InOut(np.zeros((5, 7), np.int64), drawn), -3, 8, seed, offset)
            check("InplaceRandom", InOut(any_, drawn.astype(np.float32)), -3, 8, seed, offset)
            check("InplaceRandomWithoutFromTo", InOut(np.zeros((5, 7), np.int8), np.array([w % 128 for w in wide]).reshape(5, 7).astype(np.int8)), seed, offset)
            order = sorted(range(35), key=lambda i: wide[i])
            check("Randperm", 35, seed, offset, Out(np.int64(order)))
            tensors = [np.int64([seed]), np.int64([3])]
            again = uniform(seed, offset + 3, 35).reshape(5, 7)
            check("InplaceUniformTensor", InOut(any_, -2 + again * 5), -2.0, 3.0, *tensors, offset)
            check("InplaceNormalTensor", InOut(any_, normal(seed, offset + 3, 35).reshape(5, 7)), 0.0, 1.0, *tensors, offset)
        self.refused(161002, "above to", "InplaceUniform", InOut(any_, any_), 3.0, 2.0, 0, 0)
        self.refused(161002, "std is -1", "InplaceNormal", InOut(any_, any_), 0.0, -1.0, 0, 0)
        self.refused(161002, "prob is 1.5", "InplaceBernoulli", InOut(any_, any_), 1.5, 0, 0)
        self.refused(161002, "not below to", "InplaceRandom", InOut(any_, any_), 8, 8, 0, 0)
        check("InplaceUniform", InOut(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32)), 0.0, 1.0, 0, 0)

    def test_large_draws_look_right(self):
        x = np.zeros(200000, np.float32)
        aclnn(stream, "aclnnInplaceNormal", x, 2.0, 3.0, 7, 0)
        self.assertLess(abs(x.mean() - 2), 0.05)
        self.assertLess(abs(x.std() - 3), 0.05)
        aclnn(stream, "aclnnInplaceUniform", x, 0.0, 1.0, 7, 0)
        self.assertTrue(0 <= x.min() and x.max() < 1)

    def test_dropout(self):
        x = f32(9, 31)
        n = x.size
        room = (n + 127) // 128 * 16
        mask = bits(5, 2, room, 0.75)
        kept = np.unpackbits(mask, bitorder="little")[:n].reshape(x.shape)
        check("DropoutGenMask", [9, 31], 0.25, 5, 2, Out(mask))
        check("DropoutGenMaskV2", [9, 31], 0.25, 5, 2, 0, Out(mask))
        check("DropoutGenMaskV2Tensor", [9, 31], 0.25, np.int64([5]), np.int64([1]), 1, 0, Out(mask))
        check("DropoutDoMask", x, mask, 0.25, Out(np.where(kept, x / 0.75, 0), np.float32))
        check("DropoutDoMask", x, mask, 0.0, Out(x))
        check("DropoutDoMask", x, mask, 1.0, Out(np.zeros_like(x)))
        check("Dropout", x, 0.25, True, 5, 2, Out(np.where(kept, x / 0.75, 0), np.float32), Out(mask))
        check("Dropout", x, 0.25, False, 5, 2, Out(x), Out(np.full(room, 255, np.uint8)))
        check("DropoutV3", x, None, 0.25, 5, 2, Out(np.where(kept, x / 0.75, 0), np.float32), Out(mask))
        check("DropoutBackward", x, mask, 2.0, Out(np.where(kept, x * 2, 0)))
        check("DropoutBackward", x, mask, 0.0, Out(np.zeros_like(x)))
        check("DropoutV3Grad", x, mask, 2.0, Out(np.where(kept, x * 2, 0)))
        self.refused(161002, "scale is 0.5", "DropoutBackward", x, mask, 0.5, Out(x))
        self.refused(161002, "prob is", "DropoutGenMask", [9, 31], 1.5, 5, 2, Out(mask))
        self.refused(161002, "mask", "DropoutDoMask", x, mask[:10], 0.25, Out(x))

    def test_multinomial(self):
        weights = rng.random((3, 6)).astype(np.float32)
        weights[1, 2] = 0
        u = uniform(9, 1, 18).reshape(3, 6)
        with np.errstate(divide="ignore"):
            order = np.argsort(-(weights / -np.log(u)), 1, kind="stable")[:, :4]
        check("Multinomial", weights, 4, False, 9, 1, Out(order.astype(np.int64)))
        sums = np.cumsum(weights.astype(np.float64), 1)
        drawn = [[np.searchsorted(sums[r], uniform(9, 1, 24)[r * 8 + s] * sums[r, -1], "right") for s in range(8)] for r in range(3)]
        check("Multinomial", weights, 8, True, 9, 1, Out(np.int64(drawn)))
        check("MultinomialTensor", weights, 8, True, np.int64([9]), np.int64([1]), 0, Out(np.int64(drawn)))
        check("Multinomial", weights[0], 1, False, 9, 1, Out(order[0, :1].astype(np.int64)))
        self.refused(161002, "numsamples is 7", "Multinomial", weights, 7, False, 9, 1, Out(np.zeros((3, 7), np.int64)))
        counts = np.zeros((1, 40000), np.int64)
        aclnn(stream, "aclnnMultinomial", np.float32([[1, 2, 3, 4]]), 40000, True, 3, 0, counts)
        np.testing.assert_allclose(np.bincount(counts[0]) / 40000, [0.1, 0.2, 0.3, 0.4], atol=0.01)


def filtered(row, k, p):
    order = np.argsort(row, kind="stable")
    made = row.astype(np.float64).copy()
    if k is not None and 0 < k < len(row):
        made[made < np.sort(made)[-k]] = -np.inf
    if p is not None:
        e = np.exp(made - made.max())
        cumulated = np.cumsum((e / e.sum())[order])
        for i, at in enumerate(order[:-1]):
            if cumulated[i] <= 1 - p:
                made[at] = -np.inf
    return made


class Tokens(Case):
    def test_filter(self):
        check("ApplyTopKTopP", np.float32([[1, 3, 2, 0]]), np.float32([0.8]), np.int32([3]), Out(np.float32([[-np.inf, 3, 2, -np.inf]])))
        for dtype in (np.float32, np.float16):
            logits = rng.permutation(np.linspace(-3, 3, 4 * 50)).reshape(4, 50).astype(dtype)
            logits[2, 5:9] = logits[2].max()  # ties
            p, k = np.array([0.9, 0.3, 0.65, 1.0], dtype), np.int32([5, 0, 2, 60])
            for given_p, given_k in ((p, k), (None, k), (p, None)):
                want = [filtered(row, None if given_k is None else k[i], None if given_p is None else float(p[i])) for i, row in enumerate(logits)]
                check("ApplyTopKTopP", logits, given_p, given_k, Out(np.array(want), dtype))
        self.refused(161001, "p and k", "ApplyTopKTopP", logits, None, None, Out(logits))
        self.refused(161002, "k has shape", "ApplyTopKTopP", logits, None, k[:2], Out(logits))

    def test_sample(self):
        logits = rng.permutation(np.linspace(-3, 3, 4 * 50)).reshape(4, 50).astype(np.float16)
        tops, shares, noise = np.int32([5, 0, 50, 7]), np.float16([0.9, 0.5, 1.0, 0.01]), (rng.random((4, 50)) + 0.1).astype(np.float32)
        for q in (None, noise):
            chosen, kept = [], np.full((4, 50), -np.inf)
            for r, row in enumerate(logits.astype(np.float64)):
                order = np.argsort(-row, kind="stable")
                order = order[: tops[r]] if 1 <= tops[r] <= 50 else order
                e = np.exp(row[order] - row.max())
                e /= e.sum()
                before = np.cumsum(e) - e
                some = order if shares[r] >= 1 else order[(before <= float(shares[r])) | (np.arange(len(order)) == 0)]
                kept[r, some] = row[some]
                chance = e[: len(some)] if q is None else e[: len(some)] / (q[r, some] + 1e-8)
                chosen.append(some[np.argmax(chance)])
            check("TopKTopPSample", logits, tops, shares, q, 1e-8, True, 32, Out(np.int64(chosen)), Out(kept, np.float32))
            check("TopKTopPSample", logits, tops, shares, q, 1e-8, False, 32, Out(np.int64(chosen)), None)
        for k, p in ((tops[:0], shares), (tops, shares[:0])):
            self.refused(161002, "has no elements", "TopKTopPSample", logits, k, p, None, 1e-8, False, 32, Out(np.int64(chosen)), None)
        self.refused(161002, "isNeedLogits", "TopKTopPSample", logits, tops, shares, None, 1e-8, True, 32, Out(np.int64(chosen)), None)


if __name__ == "__main__":
    main()
