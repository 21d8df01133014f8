# SPDX-License-Identifier: Apache-2.0
"""Tensors whose type or shape does not go with the rest of a call: 161002 with a sentence, where they were read as something else once."""
from aclnn_cases import *
from test_aclnn_attention import fused, score


def ones(*shape, dtype=np.float32):
    return np.ones(shape, dtype)


def true(*shape):
    return np.ones(shape, bool)


class Numbers(Case):
    def test_of_experts_are_not_bool(self):
        order, rows = np.arange(7, dtype=np.int32), Out(ones(7, 4))
        self.refused(161002, "scales of DT_BOOL", "MoeTokenUnpermute", ones(7, 4), order, true(7, 1), False, None, rows)
        for place, name in ((2, "x1"), (3, "x2"), (4, "bias"), (5, "scales")):
            given = [ones(7, 4), order, ones(7, 4), ones(7, 4), ones(7, 4), ones(7, 1), np.zeros((7, 1), np.int32)]
            check("MoeFinalizeRoutingV2", *given, 2, Out(np.full((7, 4), 4.0, np.float32)))
            given[place] = np.ones_like(given[place], bool)
            self.refused(161002, f"{name} of DT_BOOL", "MoeFinalizeRoutingV2", *given, 2, rows)
        self.refused(161002, "x of DT_BOOL", "MoeInitRoutingV3", true(7, 16), np.zeros((7, 1), np.int32), None, None, -1, -1, 12, 0, 1, True, 1, [4, 10], 1,
                     Out(ones(7, 16, dtype=np.int8)), Out(ones(7, dtype=np.int32)), Out(ones(6, dtype=np.int64)), Out(ones(7)))  # fmt: skip

    def test_of_products_are_not_bool(self):
        whole = lambda *shape: ones(*shape, dtype=np.int8)
        half = lambda *shape: ones(*shape, dtype=np.float16)
        self.refused(161002, "token of DT_BOOL", "QuantMatmulV4", whole(5, 64), whole(64, 2), ones(1), None, true(5), None, False, False, Out(half(5, 2)))
        self.refused(161002, "bias of DT_BOOL", "WeightQuantBatchMatmulV2", half(3, 32), whole(32, 8), half(8), None, None, None, true(8), 0, Out(half(3, 8)))

    def test_groups_have_weights(self):
        x, y = ones(7, 16), Out(ones(7, 140))
        self.refused(161002, "no group", "GroupedMatmulV3", [x], [ones(0, 16, 140)], None, None, None, None, None, np.zeros(0, np.int64), 3, 0, [y])

    def test_pads_of_a_pool_are_not_negative(self):
        for pads, size in (([0, -1], (3, 1)), ([-1, 0], (1, 2))):
            self.refused(161002, "below 0", "AvgPool2d", ones(2, 3, 5, 5), [3, 1], [1, 3], pads, False, False, 0, 0, Out(ones(2, 3, *size)))

    def test_a_bias_has_a_number_for_each_channel(self):
        self.refused(161002, "each of 4 channels", "ConvTbc", ones(7, 2, 3), ones(3, 3, 4), np.float32(1), 1, Out(ones(7, 2, 4)), 0)

    def test_in_lists_have_the_type_of_their_updates(self):
        lists = [ones(2, 8, 4, dtype=np.float16) for _ in range(3)]
        lists[1] = true(2, 8, 4)
        self.refused(161002, "updates' type", "ScatterList", [InOut(x, x) for x in lists], np.zeros(3, np.int64), ones(3, 2, 2, 4, dtype=np.float16), None,
                     "update", -2)  # fmt: skip


class Attention(Case):
    def half(self, *shape):
        return ones(*shape, dtype=np.float16)

    def refuses(self, text, q, k, v, version=4, **options):
        options = dict(heads=2, layout="BSND") | options
        self.refused(161002, text, *fused(version, q, k if isinstance(k, list) else [k], v if isinstance(v, list) else [v], Out(q), **options))

    def test_values_must_go_along_with_the_keys(self):
        q, k = self.half(2, 1, 2, 16), self.half(2, 8, 2, 16)
        self.refuses("value has 1 batches, key has 2", q, k, k[:1])
        self.refuses("value has 3 rows, key has 8", q, k, k[:, :3], key_lengths=[3, 3])
        self.refuses("of values", q, k, self.half(2, 8, 1, 16))
        self.refuses("one type", q, k, k.astype(np.int8))
        self.refuses("lists of different lengths", q, [k[:1], k[:1]], [k])
        self.refuses("is a list", self.half(5, 2, 16), [k[0], k[1]], [k[0], k[1]], layout="TND", lengths=[2, 5], key_lengths=[8, 16])

    def test_rotated_parts_must_go_along_with_query_and_key(self):
        q, k = self.half(2, 1, 2, 16), self.half(2, 8, 2, 16)
        for text, rope in (("queryRope", (q[:1], k)), ("queryRope", (q[:, :, :1], k)), ("keyRope has 1 batches", (q, k[:1])),
                           ("keyRope has 4 rows", (q, k[:, :4])),
                           ("queryRope is DT_BOOL", (q.astype(bool), k)), ("keyRope is DT_FLOAT", (q, k.astype(np.float32)))):  # fmt: skip
            self.refuses(text, q, k, k, rope=rope)

    def test_numbers_and_tables_have_their_types(self):
        q, k, blocks = self.half(1, 1, 2, 16), self.half(1, 8, 2, 16), self.half(4, 16, 32)
        self.refuses("sink of DT_BOOL", q, k, k, sink=true(2))
        self.refuses("pse of DT_INT32", q, k, k, pse=ones(1, 2, 1, 8, dtype=np.int32))
        self.refuses("quant_scale of DT_BOOL", q, k, k, quant=(true(1), None))
        self.refuses("queryPaddingSize is", q, k, k, padding=(np.int32([0]), None), lengths=[1])
        self.refuses("kvPaddingSize has", q, k, k, padding=(None, np.int64([0, 0])), key_lengths=[1])
        for kind in (np.float32, np.float16, bool, np.int64):
            self.refuses("blockTable is", q, blocks, blocks, table=np.array([[1]], kind), key_lengths=[8], block=16)
        self.refuses("rows in a block", q, blocks, blocks[:, :8], table=np.int32([[1]]), key_lengths=[8], block=16)
        few = k.astype(np.int8)
        for place in ("key_quant", "value_quant"):
            quants = dict(key_quant=(self.half(2, 16), None), value_quant=(self.half(2, 16), None)) | {place: (true(2, 16), None)}
            self.refuses("_scale of DT_BOOL", q, few, few, **quants)

    def test_in_training_nothing_is_quantised_and_all_batches_are_there(self):
        q, k = ones(2, 2, 3, 16), ones(2, 2, 5, 16)
        sums = [Out(np.zeros((2, 2, 3, 8), np.float32)) for _ in range(2)]
        for text, v, key in (("value has 1 batches", k[:1], k), ("one type", k.astype(np.int8), k.astype(np.int8)),
                             ("value of type DT_BOOL", true(2, 2, 5, 16), k)):  # fmt: skip
            self.refused(161002, text, *score(1, q, key, v, Out(q), *sums, heads=2))
        given = [q, k, k, q[:1], None, None, None, None, ones(2, 2, 3, 8), ones(2, 2, 3, 8), None, q, None, 0.25, 1.0, 65535, 65535, 2, "BNSD", 0, 0]
        self.refused(161002, "dy has shape [1,2,3,16]", "FlashAttentionScoreGrad", *given, Out(q), Out(k), Out(k), None)


if __name__ == "__main__":
    main()
