# SPDX-License-Identifier: Apache-2.0
"""Parameters of which only some values are supported: what they may be, and that all else is refused by name."""
import unittest

from aclnn_cases import *

WHOLE = 2**31 - 1


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def score(q, k, v, out, *, shift=None, mask=None, keep=1.0, before=WHOLE, after=WHOLE, sparse=0, softmax_out=None):
    """Arguments of FlashAttentionScore with a scale of 0.5 and two heads."""
    sums = np.zeros((*q.shape[:3], 8), np.float32)
    return [q, k, v, shift, None, None, mask, None, 0.5, keep, before, after, 2, "BNSD", 0, sparse, sums, sums.copy(), softmax_out, out]


class Attention(Case):
    def setUp(self):
        self.q, self.k, self.v = (f32(1, 2, 6, 8) for _ in range(3))
        self.scores = self.q @ self.k.transpose(0, 1, 3, 2) * np.float32(0.5)

    def test_a_window_is_applied_with_a_mask(self):
        i, j = np.indices((6, 6))
        nobody = np.zeros((6, 6), bool)
        for before, after in ((2, 1), (0, 0), (WHOLE, 0), (3, WHOLE), (100, 2)):
            inside = (j >= i - before) & (j <= i + after)
            want = softmax(np.where(inside, self.scores, -np.inf)) @ self.v
            check("PromptFlashAttention", self.q, self.k, self.v, None, nobody, None, 2, 0.5, before, after, "BNSD", 2,
                  Out(want, tolerance=1e-4))  # fmt: skip
            out = np.zeros_like(self.q)
            aclnn(stream, "aclnnFlashAttentionScore", *score(self.q, self.k, self.v, out, mask=nobody, before=before, after=after))
            np.testing.assert_allclose(out, want, 1e-4, 1e-4)
            counts["aclnnFlashAttentionScore"] += 1

    def test_a_window_and_a_mask_act_together(self):
        i, j = np.indices((6, 6))
        mask = rng.integers(0, 2, (6, 6)).astype(bool) & (i != j)
        want = softmax(np.where(mask | (j > i), -np.inf, self.scores)) @ self.v
        check("PromptFlashAttention", self.q, self.k, self.v, None, mask, None, 2, 0.5, WHOLE, 0, "BNSD", 2, Out(want, tolerance=1e-4))

    def test_a_window_that_holds_everything_needs_no_mask(self):
        want = softmax(self.scores) @ self.v
        check("PromptFlashAttention", self.q, self.k, self.v, None, None, None, 2, 0.5, 6, 6, "BNSD", 2, Out(want, tolerance=1e-4))

    def test_a_window_without_a_mask_has_no_effect(self):
        want = softmax(self.scores) @ self.v
        for before, after in ((WHOLE, 0), (2, WHOLE), (0, 0)):
            check("PromptFlashAttention", self.q, self.k, self.v, None, None, None, 2, 0.5, before, after, "BNSD", 2, Out(want, tolerance=1e-4))

    def test_a_window_may_begin_behind_the_diagonal(self):
        longer, (i, j) = f32(1, 2, 9, 8), np.indices((6, 9))
        scores = self.q @ longer.transpose(0, 1, 3, 2) * np.float32(0.5)
        for before, after in ((-1, 3), (3, -1), (WHOLE, 0)):
            inside = (j >= i - before) & (j <= i + after)
            weights = np.where(inside.any(1, keepdims=True), softmax(np.where(inside | ~inside.any(1, keepdims=True), scores, -np.inf)), 0)
            check("PromptFlashAttention", self.q, longer, longer, None, np.zeros((6, 9), bool), None, 2, 0.5, before, after, "BNSD", 2,
                  Out(weights @ longer, tolerance=1e-4))  # fmt: skip
        self.refused(161002, "nextTokens -3 leave nothing", "PromptFlashAttention", self.q, self.k, self.v, None, np.zeros((6, 6), bool), None, 2, 0.5, 1, -3,
                     "BNSD", 2, Out(np.zeros_like(self.q)))  # fmt: skip

    def test_what_score_does_not_support_is_refused_by_name(self):
        out = np.zeros_like(self.q)
        mask = np.zeros((6, 6), bool)
        for text, keys in (("keepProb", {"keep": 0.9}), ("2048 by 2048", {"sparse": 2, "mask": mask}), ("sparseMode 7", {"sparse": 7, "mask": mask})):
            self.refused(161002, text, "FlashAttentionScore", *score(self.q, self.k, self.v, out, **keys))
        two = score(self.q, self.k, self.v, out, shift=np.zeros((1, 2, 6, 6), np.float32))
        self.refused(161002, "slopes", "FlashAttentionScoreV2", *two[:8], None, None, *two[8:16], 2, *two[16:])


class Others(Case):
    def test_modes(self):
        x, index = f32(4, 3), np.array([3, 1])
        check("GatherV3", x, 0, index, 0, 0, Out(x[index]))
        self.refused(161002, "mode is 1; it must be 0", "GatherV3", x, 0, index, 0, 1, Out(x[index]))
        self.refused(161002, "batchDims", "GatherV3", x, 0, index, 1, 0, Out(x[index]))
        source, want = f32(2, 3), x.copy()
        want[index] += source
        check("IndexAddV2", x, 0, index, source, 1.0, 0, Out(want))
        self.refused(161002, "mode is 2; it must be 0", "IndexAddV2", x, 0, index, source, 1.0, 2, Out(want))

    def test_sizes_that_are_said_twice_must_agree(self):
        x = f32(2, 3)
        check("RepeatInterleaveInt", x, 2, 12, Out(np.repeat(x, 2)))
        self.refused(161002, "outputSize is 11; it must be 12", "RepeatInterleaveInt", x, 2, 11, Out(np.repeat(x, 2)))
        check("RepeatInterleaveIntWithDim", x, 2, 1, 6, Out(np.repeat(x, 2, 1)))
        self.refused(161002, "outputSize is 5; it must be 6", "RepeatInterleaveIntWithDim", x, 2, 1, 5, Out(np.repeat(x, 2, 1)))
        image = f32(2, 4, 3, 3)
        outs = [Out(image), Out(np.zeros((2, 2), np.float32)), Out(np.zeros((2, 2), np.float32))]
        for at, name in enumerate(("N", "C", "HxW")):
            sizes = [2, 4, 9]
            sizes[at] += 1
            self.refused(161002, f"{name} is {sizes[at]}; it must be {sizes[at] - 1}", "GroupNorm", image, None, None, *sizes, 2, 1e-5, *outs)
        weight = f32(4, 1, 3, 3)
        self.refused(161002, "kernelSize is [2,3]; the tensors say [3,3]", "ConvDepthwise2d", image, weight, [2, 3], None, [1, 1], [0, 0],
                     [1, 1], Out(np.zeros((2, 4, 1, 1), np.float32)), 0)  # fmt: skip

    def test_types_that_are_said_twice_must_agree(self):
        edges, x = np.float32([1, 2, 3]), np.float32([0, 1, 1.5, 9])
        check("Bucketize", x, edges, False, False, Out(np.searchsorted(edges, x)))
        check("Bucketize", x, edges, True, False, Out(np.searchsorted(edges, x).astype(np.int32)))
        self.refused(161002, "outInt32", "Bucketize", x, edges, True, False, Out(np.searchsorted(edges, x)))
        self.refused(161002, "outInt32", "SearchSorted", edges, x, False, False, None, Out(np.zeros(4, np.int32)))
        check("LinalgVectorNorm", x, 2.0, [0], False, 0, Out(np.linalg.norm(x)))
        self.refused(161002, "dtype", "LinalgVectorNorm", x, 2.0, [0], False, 1, Out(np.linalg.norm(x)))

    def test_a_scale_must_be_the_ratio(self):
        x = np.arange(6, dtype=np.float32).reshape(1, 1, 6)
        for size, scale in ((10, 0.0), (12, 2.0), (3, 0.5)):
            index = np.floor((np.arange(size) + 0.5) * 6 / size).astype(int)
            check("UpsampleNearestExact1d", x, [size], scale, Out(x[..., index]), form=47)
        self.refused(161002, "a scale of 2 does not make 10 of 6", "UpsampleNearestExact1d", x, [10], 2.0, Out(np.zeros((1, 1, 10), np.float32)))

    def test_a_sequence_sorted_elsewhere(self):
        x, wanted = f32(3, 9), f32(3, 4)
        order = np.argsort(x, 1)
        for right in (False, True):
            found = np.stack([np.searchsorted(np.sort(row), w, "right" if right else "left") for row, w in zip(x, wanted)])
            check("SearchSorted", x, wanted, False, right, order, Out(found))

    def test_nan_may_be_near_nan(self):
        x, y = np.array([1, np.nan, np.nan, 2, np.inf], np.float32), np.array([1.00001, np.nan, 1, 3, np.inf], np.float32)
        for equal in (False, True):
            check("IsClose", x, y, 1e-4, 1e-5, equal, Out(np.isclose(x, y, 1e-4, 1e-5, equal)))


if __name__ == "__main__":
    main()
