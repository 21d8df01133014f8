# SPDX-License-Identifier: Apache-2.0
"""The attention functions against attention in double precision: layouts, shared heads, masks and modes, lengths, blocks."""
import itertools
import unittest

from aclnn_cases import *
from attention import attention, joined, kept, to_layout
from driver import Int4

WHOLE = 2**31 - 1
LEAST = -np.inf
COMPRESSED = np.triu(np.ones((2048, 2048), np.int8), 1)


def normal(dtype, *shape):
    return (rng.standard_normal(shape) * 0.7).astype(dtype)


def fused(version, q, k, v, out, *, heads, layout, lse=None, pse=None, mask=None, lengths=None, key_lengths=None, scale=0.5, before=WHOLE,
          after=WHOLE, key_heads=0, mode=0, table=None, block=0, quant=(None, None), anti=(None, None), anti_mode=0, padding=(None, None),
          key_quant=(None, None), value_quant=(None, None), quant_mode=(0, 0), rope=(None, None), sink=None, flag=None):  # fmt: skip
    """Arguments of FusedInferAttentionScore of a version."""
    a = [q, k, v, pse, mask, lengths, key_lengths, None, None, None, *quant, *anti, table, *padding]
    if version >= 2:
        a += [*key_quant, *value_quant, None, None, None]
    if version >= 3:
        a += [*rope, None]
    if version >= 4:
        a += [None, sink]
    if version >= 5:
        a += [None, None]
    a += [heads, scale, before, after, layout, key_heads, mode, 0, block, anti_mode, flag if flag is not None else lse is not None]
    if version >= 2:
        a += [*quant_mode]
    if version >= 4:
        a += [0]
    if version >= 5:
        a += [0]
    return ["FusedInferAttentionScore" + ("" if version == 1 else f"V{version}"), *a, out, lse]


def batches(q, k, v, scale, **options):
    """The oracle for [B,N,S,D]: out [B,N,S,D], lse [B,N,S,1]; options are lists by batch."""
    made = [attention(q[b], k[b], v[b], scale, **{name: each[b] for name, each in options.items()}) for b in range(len(q))]
    return np.stack([m[0] for m in made]), np.stack([m[3] for m in made])[..., None], np.stack([m[1] for m in made]), np.stack([m[2] for m in made])


def keep_of(mode, n, sq, skv, mask=None, **options):
    return np.array([[[kept(mode, i, j, sq, skv, mask=None if mask is None else bool(mask[i, j]), **options) for j in range(skv)]
                      for i in range(sq)]] * n, bool).reshape(n, sq, skv)  # fmt: skip


class Fused(Case):
    def test_layouts_and_shared_heads(self):
        for (layout, n, nkv), dtype in itertools.product(
                [("BSH", 4, 2), ("BSND", 4, 1), ("BNSD", 4, 4), ("BNSD_BSND", 6, 2), ("BSH_BNSD", 2, 1), ("BSND_BNSD", 2, 2),
                 ("BSH_NBSD", 4, 2), ("BSND_NBSD", 4, 2), ("BNSD_NBSD", 4, 2)], (np.float16, np.float32)):  # fmt: skip
            q, k, v = normal(dtype, 2, n, 5, 16), normal(dtype, 2, nkv, 70, 16), normal(dtype, 2, nkv, 70, 16)
            want, lse, _, _ = batches(q, k, v, 0.3)
            source, to = (layout.split("_") * 2)[:2]
            f = lambda x: to_layout(x, source)
            for version in (1, 2, 3, 4, 5):
                check(*fused(version, f(q), [f(k)], [f(v)], Out(to_layout(want, to), dtype), heads=n, key_heads=nkv, layout=layout, scale=0.3,
                             lse=Out(lse.astype(np.float32), tolerance=1e-4)))  # fmt: skip

    def test_a_large_prompt_in_tiles(self):
        q, k, v = normal(np.float16, 1, 4, 130, 64), normal(np.float16, 1, 2, 300, 64), normal(np.float16, 1, 2, 300, 64)
        keep = [keep_of(3, 4, 130, 300)]
        want, lse, _, _ = batches(q, k, v, 0.125, keep=keep)
        check(*fused(3, q, [k], [v], Out(want, np.float16), heads=4, key_heads=2, layout="BNSD", scale=0.125, mask=COMPRESSED, mode=3,
                     lse=Out(lse.astype(np.float32), tolerance=1e-4)))  # fmt: skip

    def test_modes_keep_what_the_page_says(self):
        picture = {(0, 1, 1): "110001110001110", (2, WHOLE, WHOLE): "100001100011100", (3, WHOLE, WHOLE): "111001111011111",
                   (4, 1, 0): "011000011000011", (4, 2, -1): "110000110000110"}  # fmt: skip
        q, k, v = normal(np.float32, 1, 2, 3, 8), normal(np.float32, 1, 2, 5, 8), normal(np.float32, 1, 2, 5, 8)
        for (mode, before, after), bits in picture.items():
            keep = np.array([c == "1" for c in bits]).reshape(1, 1, 3, 5).repeat(2, 1)
            want, lse, _, _ = batches(q, k, v, 0.5, keep=keep)
            mask = np.zeros((3, 5), bool) if mode == 0 else COMPRESSED
            check(*fused(2, q, [k], [v], Out(want, np.float32), heads=2, layout="BNSD", mask=mask, mode=mode, before=before, after=after,
                         lse=Out(lse.astype(np.float32), tolerance=1e-4)))  # fmt: skip

    def test_masks_of_all_shapes(self):
        b, n, sq, skv = 2, 4, 3, 6
        q, k, v = normal(np.float32, b, n, sq, 8), normal(np.float32, b, n, skv, 8), normal(np.float32, b, n, skv, 8)
        for shape, dtype in (((sq, skv), bool), ((b, sq, skv), np.int8), ((1, sq, skv), np.uint8), ((b, 1, sq, skv), bool), ((1, 1, sq, skv), bool),
                             ((1, 1, sq + 2, skv + 3), bool)):  # fmt: skip
            mask = rng.integers(0, 2, shape).astype(dtype)
            mask[..., 0, :] = 1  # a row at which nobody looks
            full = np.broadcast_to(mask.reshape((1,) * (4 - mask.ndim) + shape) if mask.ndim != 3 else mask[:, None], (b, 1, *shape[-2:]))
            keep = ~full[:, :, :sq, :skv].astype(bool).repeat(n, 1)
            want, lse, _, _ = batches(q, k, v, 0.5, keep=keep)
            self.assertTrue(np.isinf(lse[:, :, 0]).all() and not want[:, :, 0].any())
            for mode in (0, 1):
                check(*fused(2, q, [k], [v], Out(want, np.float32), heads=n, layout="BNSD", mask=mask, mode=mode,
                             lse=Out(lse.astype(np.float32), tolerance=1e-4)))  # fmt: skip

    def test_one_row_ignores_modes_but_not_a_full_mask(self):
        q, k, v = normal(np.float16, 3, 2, 1, 16), normal(np.float16, 3, 2, 7, 16), normal(np.float16, 3, 2, 7, 16)
        want = batches(q, k, v, 0.5)[0]
        check(*fused(3, q, [k], [v], Out(want, np.float16), heads=2, layout="BNSD", mask=COMPRESSED, mode=2, lengths=[0, 0, 0]))
        mask = rng.integers(0, 2, (3, 7)).astype(bool)
        keep = ~mask[:, None, None].repeat(2, 1)
        want = batches(q, k, v, 0.5, keep=keep)[0]
        for shape in ((3, 7), (3, 1, 7), (3, 1, 1, 7)):
            check(*fused(3, q, [k], [v], Out(want, np.float16), heads=2, layout="BNSD", mask=mask.reshape(shape), before=0, after=0))

    def test_what_a_mask_of_two_dimensions_stands_for_does_not_hang_on_the_lengths(self):
        q, k, v = normal(np.float32, 2, 2, 2, 8), normal(np.float32, 2, 2, 3, 8), normal(np.float32, 2, 2, 3, 8)
        mask = np.array([[0, 1, 1], [1, 1, 0]], np.int8)  # [Sq,Skv], although there are as many batches as rows
        for lengths in ([2, 2], [1, 1], [1, 2], [0, 1]):
            want = np.zeros((2, 2, 2, 8))
            for b, count in enumerate(lengths):
                want[b, :, :count] = attention(q[b][:, :count], k[b], v[b], 0.5, keep=np.broadcast_to(mask[:count] == 0, (2, count, 3)))[0]
            for mode in (0, 1):
                check(*fused(2, q, [k], [v], Out(want, np.float32), heads=2, layout="BNSD", mask=mask, mode=mode, lengths=lengths))

    def test_lengths_cut_and_leave_zeros(self):
        b, n, sq, skv = 3, 2, 4, 9
        q, k, v = normal(np.float32, b, n, sq, 8), normal(np.float32, b, n, skv, 8), normal(np.float32, b, n, skv, 8)
        lengths, keys = [4, 2, 0], [9, 0, 5]
        want, lse = np.zeros((b, n, sq, 8)), np.full((b, n, sq, 1), np.inf)
        for i in range(b):
            out, _, _, l = attention(q[i][:, :lengths[i]], k[i][:, :keys[i]], v[i][:, :keys[i]], 0.5, keep=keep_of(3, n, lengths[i], keys[i]))
            want[i, :, :lengths[i]], lse[i, :, :lengths[i], 0] = out, l
        check(*fused(3, q, [k], [v], Out(want, np.float32), heads=n, layout="BNSD", lengths=lengths, key_lengths=keys, mask=COMPRESSED, mode=3,
                     lse=Out(lse.astype(np.float32), tolerance=1e-4)))  # fmt: skip

    def test_a_list_of_keys_for_each_batch(self):
        q = normal(np.float16, 3, 4, 2, 16)
        k = [normal(np.float16, 1, 2, s, 16) for s in (5, 1, 8)]
        v = [normal(np.float16, 1, 2, s, 16) for s in (5, 1, 8)]
        want = np.stack([attention(q[i], k[i][0], v[i][0], 0.5)[0] for i in range(3)])
        check(*fused(1, to_layout(q, "BSND"), [to_layout(x, "BSND") for x in k], [to_layout(x, "BSND") for x in v],
                     Out(to_layout(want, "BSND"), np.float16), heads=4, key_heads=2, layout="BSND"))  # fmt: skip
        self.refused(161002, "one for each batch", *fused(1, to_layout(q, "BSND"), [to_layout(x, "BSND") for x in k[:2]],
                     [to_layout(x, "BSND") for x in v[:2]], Out(to_layout(want, "BSND"), np.float16), heads=4, key_heads=2, layout="BSND"))  # fmt: skip

    def test_sequences_one_after_another(self):
        lengths, keys, n, nkv = [2, 3, 0, 4], [5, 3, 2, 9], 4, 2
        q = [normal(np.float16, n, s, 16) for s in lengths]
        k, v = ([normal(np.float16, nkv, s, 16) for s in keys] for _ in range(2))
        rows = sum(lengths) + 2  # two more than the lengths say
        for layout, mode in itertools.product(("TND", "NTD", "TND_NTD", "NTD_TND"), (0, 3, 4)):
            options = dict(before=2, after=0) if mode == 4 else {}
            want, lse = np.zeros((n, rows, 16)), np.full((rows, n, 1), np.inf)
            for b, first in enumerate(np.cumsum([0] + lengths[:-1])):
                out, _, _, l = attention(q[b], k[b], v[b], 0.5, keep=None if mode == 0 else keep_of(mode, n, lengths[b], keys[b], **options))
                want[:, first : first + lengths[b]], lse[first : first + lengths[b], :, 0] = out, l.T
            source, to = (layout.split("_") * 2)[:2]
            padded = np.concatenate([*q, np.full((n, 2, 16), np.nan, np.float16)], 1)
            query = joined([padded], source)
            check(*fused(3, query, [joined(k, source)], [joined(v, source)], Out(joined([want], to), np.float16), heads=n, key_heads=nkv, layout=layout,
                         lengths=list(np.cumsum(lengths)), key_lengths=list(np.cumsum(keys)), mask=COMPRESSED if mode else None, mode=mode,
                         lse=Out(lse.astype(np.float32), tolerance=1e-3), **options))  # fmt: skip

    def test_blocks_of_keys(self):
        lengths, keys, n, nkv, d, size = [1, 3, 2], [5, 9, 12], 4, 2, 32, 4
        q = [normal(np.float16, n, s, d) for s in lengths]
        k, v = ([normal(np.float16, nkv, s, d) for s in keys] for _ in range(2))
        table = np.full((3, 4), -7, np.int32)
        free = list(rng.permutation(12))
        stores = np.full((2, 12, nkv, size, d), np.nan, np.float16)
        for b in range(3):
            for part in range(-(-keys[b] // size)):
                table[b, part] = free.pop()
                for t in range(part * size, min(keys[b], part * size + size)):
                    stores[0, table[b, part], :, t - part * size], stores[1, table[b, part], :, t - part * size] = k[b][:, t], v[b][:, t]
        forms = {"BnBsH": lambda x: x.transpose(0, 2, 1, 3).reshape(12, size, nkv * d), "BnBsND": lambda x: x.transpose(0, 2, 1, 3),
                 "BnNBsD": lambda x: x, "NZ": lambda x: x.reshape(12, nkv, size, d // 16, 16).transpose(0, 1, 3, 2, 4)}  # fmt: skip
        for (name, form), mode in itertools.product(forms.items(), (0, 3, 4)):
            options = dict(before=2, after=0) if mode == 4 else {}
            want = [attention(q[b], k[b], v[b], 0.2, keep=None if mode == 0 else keep_of(mode, n, lengths[b], keys[b], **options))[0] for b in range(3)]
            caches = [np.ascontiguousarray(form(store)) for store in stores]
            check(*fused(3, joined(q), [caches[0]], [caches[1]], Out(joined(want), np.float16), heads=n, key_heads=nkv, layout="TND", scale=0.2,
                         lengths=list(np.cumsum(lengths)), key_lengths=keys, table=table, block=size, mask=COMPRESSED if mode else None, mode=mode,
                         **options))  # fmt: skip
        caches = [np.ascontiguousarray(forms["BnBsH"](store)) for store in stores]
        out = Out(joined(want), np.float16)
        self.refused(161002, "actualSeqLengthsKv is needed", *fused(3, joined(q), [caches[0]], [caches[1]], out, heads=n, key_heads=nkv, layout="TND",
                     lengths=[1, 4, 6], table=table, block=size))  # fmt: skip
        table[1, 0] = 99
        with self.assertRaises(Refused) as caught:
            aclnn(stream, "aclnnFusedInferAttentionScoreV3", *fused(3, joined(q), [caches[0]], [caches[1]], out.array(), heads=n, key_heads=nkv,
                  layout="TND", lengths=[1, 4, 6], key_lengths=keys, table=table, block=size)[1:])  # fmt: skip
        self.assertIn("block 99", caught.exception.message)

    def test_a_decoding_step_with_blocks(self):
        q, store = normal(np.float16, 2, 4, 1, 16), normal(np.float16, 2, 6, 8, 32)
        table, keys = np.int32([[5, 0], [2, 3]]), [9, 16]
        whole = [np.concatenate([store[:, i] for i in row], 1)[:, :keys[b]].reshape(2, keys[b], 2, 16).transpose(0, 2, 1, 3) for b, row in enumerate(table)]
        want = np.stack([attention(q[b], whole[b][0], whole[b][1], 0.5)[0] for b in range(2)])
        f = lambda x: to_layout(x, "BSH")
        check(*fused(3, f(q), [store[0]], [store[1]], Out(f(want), np.float16), heads=4, key_heads=2, layout="BSH", key_lengths=keys, table=table, block=8))
        check("IncreFlashAttentionV4", f(q), [store[0]], [store[1]], None, None, keys, None, None, None, None, None, None, None, table, None, 4, 0.5, "BSH",
              2, 8, 1, Out(f(want), np.float16))  # fmt: skip

    def test_shift_as_a_client_gives_it(self):
        n, sq, skv = 4, 3, 7
        q, k, v = (to_layout(normal(np.float16, 1, heads, s, 16), "BSND") for heads, s in ((n, sq), (2, skv), (2, skv)))
        few = rng.standard_normal((1, 1, sq + 5, skv)).astype(np.float16)  # more rows than there are queries
        few[..., 3:] = LEAST
        few[:, :, 1] = LEAST
        shift = np.broadcast_to(few[:, :, :sq], (1, n, sq, skv))
        heads = lambda x: x.transpose(0, 2, 1, 3)
        want = batches(heads(q), heads(k), heads(v), 0.25, shift=shift.astype(np.float64))[0]
        self.assertFalse(want[0, :, 1].any())
        for view in (lambda x: x, lambda x: np.ascontiguousarray(x.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)):
            out = np.full((1, sq, n, 16), 7, np.float16)
            aclnn(stream, "aclnnFusedInferAttentionScoreV2", *fused(2, view(q), [view(k)], [view(v)], out, heads=n, key_heads=2, layout="BSND", scale=0.25,
                  pse=shift, before=65535, after=65535)[1:])  # fmt: skip
            np.testing.assert_allclose(heads(out).astype(np.float64), want, 2e-3, 2e-3)

    def test_a_shift_of_one_key_serves_batches_without_keys(self):
        q, k, v = normal(np.float16, 2, 2, 3, 16), normal(np.float16, 2, 2, 1, 16), normal(np.float16, 2, 2, 1, 16)
        shift = normal(np.float16, 2, 2, 3, 1)
        want, lse, _, _ = batches(q, k, v, 0.5, shift=shift.astype(np.float64))
        want[0], lse[0] = 0, np.inf
        check(*fused(3, q, [k], [v], Out(want, np.float16), heads=2, layout="BNSD", key_lengths=[0, 1], pse=shift,
                     lse=Out(lse.astype(np.float32), tolerance=1e-3)))  # fmt: skip

    def test_sinks_and_rotated_parts(self):
        q, k, v = normal(np.float16, 1, 2, 4, 16), normal(np.float16, 1, 1, 6, 16), normal(np.float16, 1, 1, 6, 8)
        qr, kr, sink = normal(np.float16, 1, 2, 4, 64), normal(np.float16, 1, 1, 6, 64), normal(np.float16, 2)
        want, lse, _, _ = batches(np.concatenate([q, qr], -1), np.concatenate([k, kr], -1), v, 0.1, sink=[sink.astype(np.float64)])
        check(*fused(4, q, [k], [v], Out(want, np.float16), heads=2, key_heads=1, layout="BNSD", scale=0.1, rope=(qr, kr), sink=sink,
                     lse=Out(lse.astype(np.float32), tolerance=1e-3)))  # fmt: skip

    def test_keys_of_few_bits(self):
        q = normal(np.float16, 2, 4, 2, 16)
        k, v = rng.integers(-8, 8, (2, 2, 2, 5, 16)).astype(np.int8)
        per_channel, per_head = (rng.random((2, 2, 16)) * 0.2).astype(np.float16), (rng.random((2, 2)) * 0.2).astype(np.float16)
        offset = normal(np.float16, 2, 2, 16)
        per_token, per_both = (rng.random((2, 2, 5)) * 0.2).astype(np.float32), (rng.random((2, 2, 2, 5)) * 0.2).astype(np.float32)
        wide = lambda s: s.astype(np.float64)
        real = {0: lambda x, s: (x + wide(offset)[s, None, :, None]) * wide(per_channel)[s, None, :, None],
                1: lambda x, s: x * wide(per_token)[s][:, None, :, None], 2: lambda x, s: x * wide(per_head)[s][None, :, None, None],
                3: lambda x, s: x * wide(per_both)[s][..., None]}  # fmt: skip
        numbers = {0: per_channel, 1: per_token, 2: per_head, 3: per_both}
        for mode, packed in itertools.product((0, 1, 2, 3), (False, True)):
            want = batches(q, real[mode](k, 0), real[mode](v, 1), 0.5)[0]
            shifts = [offset[0], offset[1]] if mode == 0 else [None, None]
            given = [[Int4(x)] if packed else [x] for x in (k, v)]
            out = np.zeros(q.shape, np.float16)
            aclnn(stream, "aclnnFusedInferAttentionScoreV3", *fused(3, q, *given, out, heads=4, key_heads=2, layout="BNSD", quant_mode=(mode, mode),
                  key_quant=(numbers[mode][0], shifts[0]), value_quant=(numbers[mode][1], shifts[1]))[1:])  # fmt: skip
            np.testing.assert_allclose(out.astype(np.float64), want, 3e-3, 3e-3)
        want = batches(q, real[0](k, 0), real[0](v, 1), 0.5)[0]
        check(*fused(1, q, [k], [v], Out(want, np.float16, tolerance=3e-3), heads=4, key_heads=2, layout="BNSD", anti=(per_channel, offset)))
        self.refused(161002, "need an antiquant scale", *fused(1, q, [k], [v], Out(want, np.float16), heads=4, key_heads=2, layout="BNSD"))

    def test_results_of_eight_bits(self):
        q, k, v = normal(np.float16, 1, 2, 3, 16), normal(np.float16, 1, 2, 5, 16), normal(np.float16, 1, 2, 5, 16)
        real = batches(q, k, v, 0.5)[0]
        scale, offset = np.float32([37.3]), np.float32([3.2])
        want = np.clip(np.rint(real * 37.3 + 3.2), -128, 127)
        out = np.zeros(q.shape, np.int8)
        aclnn(stream, "aclnnFusedInferAttentionScoreV2", *fused(2, q, [k], [v], out, heads=2, layout="BNSD", quant=(scale, offset))[1:])
        self.assertLessEqual(np.abs(out - want).max(), 1)
        self.assertGreater((out == want).mean(), 0.9)

    def test_padding_on_the_left(self):
        q, k, v = normal(np.float16, 2, 2, 5, 16), normal(np.float16, 2, 2, 8, 16), normal(np.float16, 2, 2, 8, 16)
        lengths, keys = [3, 1], [4, 6]
        want = np.zeros((2, 2, 5, 16))
        for b in range(2):
            rows, columns = slice(5 - 1 - lengths[b], 5 - 1), slice(8 - 2 - keys[b], 8 - 2)
            want[b][:, rows] = attention(q[b][:, rows], k[b][:, columns], v[b][:, columns], 0.5)[0]
        check(*fused(3, q, [k], [v], Out(want, np.float16), heads=2, layout="BNSD", lengths=lengths, key_lengths=keys,
                     padding=(np.int64([1]), np.int64([2]))))  # fmt: skip

    def test_no_keys_and_no_queries(self):
        q, none = normal(np.float16, 2, 2, 3, 16), np.zeros((2, 2, 0, 16), np.float16)
        check(*fused(3, q, [none], [none], Out(np.zeros(q.shape), np.float16), heads=2, layout="BNSD", lse=Out(np.full((2, 2, 3, 1), np.inf, np.float32))))
        aclnn(stream, "aclnnFusedInferAttentionScoreV3", *fused(3, none, [q], [q], none.copy(), heads=2, layout="BNSD")[1:])

    def test_softmax_lse_is_left_alone_without_the_flag(self):
        q = normal(np.float16, 1, 2, 3, 16)
        untouched = np.full((4, 4), 5, np.float32)
        want = batches(q, q, q, 0.5)[0]
        check(*fused(3, q, [q], [q], Out(want, np.float16), heads=2, layout="BNSD", lse=InOut(untouched, untouched), flag=False))

    def test_what_is_refused(self):
        q, k = normal(np.float16, 1, 4, 3, 16), normal(np.float16, 1, 2, 5, 16)
        out, one = Out(np.zeros(q.shape), np.float16), np.ones(1, np.float32)
        base = dict(heads=4, key_heads=2, layout="BNSD")
        self.refused(161001, "query", *fused(3, None, [k], [k], out, **base))
        self.refused(161001, "list of tensors", *fused(3, q, None, [k], out, **base))
        self.refused(161001, "attentionOut", *fused(3, q, [k], [k], None, **base))
        self.refused(161002, "inputLayout \"SBH\"", *fused(3, q, [k], [k], out, heads=4, key_heads=2, layout="SBH"))
        self.refused(161002, "inputLayout \"XYZ\"", *fused(3, q, [k], [k], out, heads=4, key_heads=2, layout="XYZ"))
        self.refused(161002, "4 heads cannot share 3", *fused(3, q, [normal(np.float16, 1, 3, 5, 16)] , [normal(np.float16, 1, 3, 5, 16)], out, heads=4, key_heads=3, layout="BNSD"))
        self.refused(161002, "components", *fused(3, q, [normal(np.float16, 1, 2, 5, 8)], [k], out, **base))
        self.refused(161002, "one type", *fused(3, q, [k.astype(np.float32)], [k.astype(np.float32)], out, **base))
        self.refused(161002, "needs attenMask", *fused(3, q, [k], [k], out, mode=3, **base))
        self.refused(161002, "2048 by 2048", *fused(3, q, [k], [k], out, mode=3, mask=np.zeros((3, 5), bool), **base))
        self.refused(161002, "sparseMode 6", *fused(3, q, [k], [k], out, mode=6, mask=COMPRESSED, **base))
        self.refused(161002, "attenMask", *fused(3, q, [k], [k], out, mask=np.zeros((2, 5), bool), **base))
        self.refused(161002, "attenMask is", *fused(3, q, [k], [k], out, mask=np.zeros((3, 5), np.float16), **base))
        self.refused(161002, "actualSeqLengthsKv is 6", *fused(3, q, [k], [k], out, key_lengths=[6], **base))
        self.refused(161002, "attentionOut has shape", *fused(3, q, [k], [k], Out(np.zeros((1, 4, 3, 8)), np.float16), **base))
        self.refused(161002, "attentionOut is", *fused(3, q, [k], [k], Out(np.zeros(q.shape), np.float32), **base))
        self.refused(161002, "softmaxLse", *fused(3, q, [k], [k], out, flag=True, **base))
        self.refused(161002, "pse of shape", *fused(3, q, [k], [k], out, pse=np.zeros((1, 3, 3, 5), np.float16), **base))
        given = fused(3, q, [k], [k], out, **base)
        given[8] = one
        self.refused(161002, "deqScale1 is not supported", *given)
        self.refused(161002, "actualSeqLengths is needed", *fused(3, joined([q[0]]), [joined([k[0]])], [joined([k[0]])], Out(np.zeros((3, 4, 16)), np.float16),
                     heads=4, key_heads=2, layout="TND"))  # fmt: skip


def score(version, q, k, v, out, most, total, *, heads, layout="BNSD", pse=None, drop=None, mask=None, prefix=None, scale=0.5, keep=1.0, before=WHOLE,
          after=WHOLE, mode=0, pse_type=0, sink=None, starts=(None, None), rope=(None, None), lengths=(None, None), softmax_layout=""):  # fmt: skip
    """Arguments of FlashAttentionScore of a version."""
    a = [q, k, v, pse, drop, None, mask]
    if version == 4:
        a += [*rope, None, None, None]
    if version >= 3:
        a += [sink]
    a += [prefix]
    if version == 4:
        a += [*lengths]
    if version >= 2:
        a += [*starts]
    a += [scale, keep, before, after, heads, layout, 0, mode]
    if version == 4:
        a += [0, pse_type, softmax_layout, 0, 0]
    elif version >= 2:
        a += [pse_type]
    return ["FlashAttentionScore" + ("" if version == 1 else f"V{version}"), *a, most, total, None, out]


def eight(x):
    return Out(np.repeat(np.float32(x)[..., None], 8, -1), tolerance=1e-4)


class Training(Case):
    def test_layouts_and_versions(self):
        q, k, v = normal(np.float32, 2, 4, 5, 8), normal(np.float32, 2, 2, 7, 8), normal(np.float32, 2, 2, 7, 8)
        want, _, most, total = batches(q, k, v, 0.5)
        for layout, version in itertools.product(("BNSD", "BSND", "BSH", "SBH"), (1, 2, 3, 4)):
            f = lambda x: to_layout(x, layout)
            check(*score(version, f(q), f(k), f(v), Out(f(want), np.float32), eight(most), eight(total), heads=4, layout=layout))

    def test_modes_and_rows_at_which_nobody_looks(self):
        n, sq, skv = 2, 4, 6
        q, k, v = normal(np.float32, 1, n, sq, 8), normal(np.float32, 1, n, skv, 8), normal(np.float32, 1, n, skv, 8)
        full = rng.integers(0, 2, (1, n, sq, skv)).astype(np.uint8)
        full[:, :, 2] = 1
        cases = {0: (full, {}), 1: (full, {}), 2: (COMPRESSED, {}), 3: (COMPRESSED, {}), 4: (COMPRESSED, dict(before=1, after=0)),
                 6: (np.ones((3072, 2048), np.uint8), dict(prefix=5)), 5: (np.zeros((1, 1, sq, skv), np.uint8), dict(prefix=4))}  # fmt: skip
        for mode, (mask, options) in cases.items():
            keep = np.array([[[kept(mode, i, j, sq, skv, mask=bool(full[0, h, i, j]) if mode < 2 else None, **options) for j in range(skv)]
                              for i in range(sq)] for h in range(n)])  # fmt: skip
            want, _, most, total = batches(q, k, v, 0.5, keep=[keep])
            scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 1, 3, 2) * 0.5
            for h, i in zip(*np.where(~keep.any(-1))):  # as if each score were 40000 less
                most[0, h, i] = scores[0, h, i].max() - 40000
                total[0, h, i] = np.exp(scores[0, h, i] - scores[0, h, i].max()).sum()
            given = dict(options)
            prefix = given.pop("prefix", None)
            sums = Out(np.repeat(np.float32(total)[..., None], 8, -1), tolerance=2e-2)  # of numbers near 40000
            check(*score(1, q, k, v, Out(want, np.float32), eight(most), sums, heads=n, mask=mask, mode=mode, prefix=None if prefix is None else [prefix],
                         **given))  # fmt: skip

    def test_shifts(self):
        n, s = 2, 6
        q, k, v = (normal(np.float32, 2, n, s, 8) for _ in range(3))
        i, j = np.indices((s, s))
        for shape in ((2, n, s, s), (1, n, s, s), (2, n, 1, s)):
            pse = normal(np.float32, *shape)
            wide = np.broadcast_to(pse, (2, n, s, s)).astype(np.float64)
            for version, pse_type, first in ((1, 1, True), (2, 1, True), (2, 0, False)):
                want, _, most, total = batches(q, k, v, 0.5, shift=wide, shift_first=[first] * 2)
                check(*score(version, q, k, v, Out(want, np.float32), eight(most), eight(total), heads=n, pse=pse, pse_type=pse_type))
        for slopes, pse_type in itertools.product((np.float32([0.3, 0.1]), np.float32([[0.3, 0.1], [0.2, 0.7]])), (2, 3)):
            distance = np.abs(i + 3 - j - 1).astype(np.float64)
            wide = -np.broadcast_to(slopes, (2, n))[..., None, None] * (distance if pse_type == 2 else np.sqrt(distance))
            want, _, most, total = batches(q, k, v, 0.5, shift=wide)
            check(*score(2, q, k, v, Out(want, np.float32), eight(most), eight(total), heads=n, pse=slopes, pse_type=pse_type, starts=([3], [1])))

    def test_the_last_rows_of_a_shift_stand_for_all(self):
        s = 1100
        q, k, v = normal(np.float32, 1, 1, s, 4), normal(np.float32, 1, 1, s, 4), normal(np.float32, 1, 1, s, 4)
        by_distance = normal(np.float32, s)
        i, j = np.indices((s, s))
        whole = by_distance[np.clip(i - j, 0, None)].astype(np.float64)
        keep = (j <= i)[None]
        want, _, most, total = batches(q, k, v, 0.5, keep=[keep], shift=[whole[None]])
        check(*score(2, q, k, v, Out(want, np.float32, tolerance=1e-4), eight(most), eight(total), heads=1, mask=COMPRESSED, mode=2,
                     pse=whole[None, None, -1024:].astype(np.float32)))  # fmt: skip

    def test_dropout_by_a_mask(self):
        q, k, v = normal(np.float32, 2, 2, 3, 8), normal(np.float32, 2, 2, 5, 8), normal(np.float32, 2, 2, 5, 8)
        bits = rng.integers(0, 2, (2, 2, 3, 5)).astype(np.uint8)
        packed = np.zeros(16, np.uint8)
        packed[:8] = np.packbits(bits.reshape(-1), bitorder="little")
        want, _, most, total = batches(q, k, v, 0.5, drop=bits / 0.8)
        check(*score(1, q, k, v, Out(want, np.float32), eight(most), eight(total), heads=2, drop=packed, keep=0.8))

    def test_sequences_one_after_another(self):
        n, lengths, keys = 2, [1, 2, 0, 3], [4, 2, 3, 5]
        q = [normal(np.float32, n, s, 8) for s in lengths]
        k, v = ([normal(np.float32, n, s, 8) for s in keys] for _ in range(2))
        ends = [list(np.cumsum(lengths)), list(np.cumsum(keys))]
        qr, kr = [normal(np.float32, n, s, 4) for s in lengths], [normal(np.float32, n, s, 4) for s in keys]
        pse = [normal(np.float32, n, a, b) for a, b in zip(lengths, keys)]
        flat = np.concatenate([p.reshape(-1) for p in pse])
        nothing = [None] * 4
        for version, mode in itertools.product((1, 2, 3, 4, 5), (0, 3, 7, 8)):
            modes = [mode] * 4 if mode < 7 else [3, 3, 3, 4] if mode == 7 else [4, 2, 2, 2]
            keeps = [None if m == 0 else keep_of(m, n, lengths[b], keys[b], before=1, after=0) if m == 4 else keep_of(m, n, lengths[b], keys[b])
                     for b, m in enumerate(modes)]  # fmt: skip
            rope, typed = version in (3, 5), version in (2, 3, 5)
            with_pse = mode != 7 and version in (1, 2)
            join = lambda x, y: np.concatenate([x, y], -1) if rope else x
            made = [attention(join(q[b], qr[b]), join(k[b], kr[b]), v[b], 0.5, keep=keeps[b], shift=pse[b].astype(np.float64) if with_pse else None,
                              shift_first=version == 1) for b in range(4)]  # fmt: skip
            blocks = [np.concatenate([m[i].reshape(-1) for m in made]).reshape(-1, n).astype(np.float32) for i in (1, 2)]
            if version >= 4:
                blocks = [joined([m[i][..., None] for m in made])[..., 0].astype(np.float32) for i in (1, 2)]
            tensors = [joined(q), joined(qr), joined(k), joined(kr), joined(v)] if rope else [joined(q), joined(k), joined(v)]
            a = [*tensors, flat if with_pse else None, None, None, COMPRESSED if mode else None]
            a += [None] if version == 5 else []
            a += [None, *ends]
            a += [None, None] if typed else []
            a += [0.5, 1.0, WHOLE if mode < 7 else 1, WHOLE if mode < 7 else 0, n, "TND", 0, mode]
            a += [0] if typed else []
            a += ["same_as_input"] if version >= 4 else []
            check("FlashAttentionVarLenScore" + ("" if version == 1 else f"V{version}"), *a, eight(blocks[0]), eight(blocks[1]), None,
                  Out(joined([m[0] for m in made]), np.float32))  # fmt: skip


class Worked(Case):
    """The examples of the page of facts."""

    q, k, v = np.float32([[1, 0], [0, 1]]), np.float32([[1, 0], [0, 1], [1, 1]]), np.float32([[1, 2], [3, 4], [5, 6]])

    def run_one(self, out, lse, **options):
        q, k, v = (x[None, None] for x in (self.q, self.k, self.v))
        check(*fused(4, q, [k], [v], Out(np.float32(out)[None, None], tolerance=1e-5), heads=1, layout="BNSD",
                     lse=Out(np.float32(lse).reshape(1, 1, 2, 1), tolerance=1e-5), **options))  # fmt: skip

    def test_plain_masked_shifted_and_with_a_sink(self):
        self.run_one([[3, 4], [3.30191, 4.30191]], [1.45802, 1.45802])
        self.run_one([[1.755081, 2.755081], [3.30191, 4.30191]], [0.974077, 1.45802], mode=3, mask=COMPRESSED)
        self.run_one([[0, 0], [3.30191, 4.30191]], [np.inf, 1.45802], mask=np.array([[1, 1, 1], [0, 0, 0]], bool))
        pse = np.zeros((1, 1, 2, 3), np.float32)
        pse[0, 0, 0, 0] = 1
        self.run_one([[2.205384, 3.205384], [3.30191, 4.30191]], [1.964369, 1.45802], pse=pse)
        self.run_one([[1.837633, 2.450178], [2.022567, 2.635111]], [1.948154, 1.948154], sink=np.float32([1]))
        most, total = np.float32([0.5, 0.5]), np.float32([2.606531, 2.606531])
        check("FlashAttentionScoreV2", *(x[None, None] for x in (self.q, self.k, self.v)), pse, None, None, None, None, None, None, 0.5, 1.0, WHOLE, WHOLE, 1,
              "BNSD", 0, 0, 1, Out(np.repeat(np.float32([1, 0.5]), 8).reshape(1, 1, 2, 8), tolerance=1e-5),
              Out(np.repeat(np.float32([np.exp(1.68027 - 1), 2.606531]), 8).reshape(1, 1, 2, 8), tolerance=1e-5), None,
              Out(np.float32([[2.601431, 3.601431], [3.30191, 4.30191]])[None, None], tolerance=1e-5))  # fmt: skip


if __name__ == "__main__":
    main()
