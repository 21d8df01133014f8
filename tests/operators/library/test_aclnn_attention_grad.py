# SPDX-License-Identifier: Apache-2.0
"""The gradients of attention against differences of the oracle, in all layouts, with masks, shifts, dropout, sinks and
rotated parts."""
import itertools
import unittest

from aclnn_cases import *
from attention import attention, joined, kept, to_layout

SCALE = 0.5
COMPRESSED = np.triu(np.ones((2048, 2048), np.uint8), 1)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def slopes(f, *arrays):
    """The gradient of a number by each array, by differences."""
    made = []
    for x in arrays:
        slope = np.zeros(x.shape)
        for at in np.ndindex(*x.shape):
            kept_value, values = x[at], []
            for step in (1e-5, -1e-5):
                x[at] = kept_value + step
                values.append(f())
            x[at] = kept_value
            slope[at] = (values[0] - values[1]) / 2e-5
        made.append(slope)
    return made


def call(name, given):
    """check() with the arguments of a function by their names; what is not given is null, 0 or the usual."""
    usual = {"scaleValue": SCALE, "keepProb": 1.0, "preTokens": 2**31 - 1, "nextTokens": 2**31 - 1, "innerPrecise": 0, "sparseMode": 0,
             "pseType": 1, "seed": 0, "offset": 0, "outDtype": 0}  # fmt: skip
    check(name, *[given.get(parameter, usual.get(parameter)) for _, parameter in PROTOTYPES["aclnn" + name]])


class Backward(Case):
    def expect(self, sequences, layout, names, given=None, sink=None, rope=0, keep=None, shift=None, first=False, drop=None):
        """Each sequence is (q, k, v) of [N,S,D]; with `rope` the last components of q and k are given apart."""
        wide = [[x.astype(np.float64) for x in s] for s in sequences]
        g = [normal(len(q), q.shape[1], v.shape[2]) for q, _, v in sequences]
        sinks = None if sink is None else sink.astype(np.float64)
        options = [dict(keep=None if keep is None else keep[b], shift=None if shift is None else shift[b], shift_first=first,
                        sink=sinks, drop=None if drop is None else drop[b]) for b in range(len(wide))]  # fmt: skip
        told = [attention(*s, SCALE, **o) for s, o in zip(wide, options)]
        total = lambda: sum((gg * attention(*s, SCALE, **o)[0]).sum() for gg, s, o in zip(g, wide, options))
        flat = slopes(total, *[x for s in wide for x in s], *([] if sink is None else [sinks]))
        d = [flat[i::3][: len(wide)] for i in range(3)] if sink is None else [flat[:-1][i::3] for i in range(3)]
        arrange = (lambda xs: joined(xs)) if layout == "TND" else lambda xs: to_layout(np.stack(xs), layout)
        cut = lambda xs, end: [x[..., : x.shape[-1] - rope] if not end else x[..., x.shape[-1] - rope :] for x in xs]
        q, k, v = ([s[i] for s in sequences] for i in range(3))
        stacked = lambda i: [np.repeat(t[i].astype(np.float32)[..., None], 8, -1) for t in told]
        flat_sums = lambda i: np.concatenate([s.reshape(-1, 8) for s in stacked(i)]).reshape(-1, len(q[0]), 8) if layout == "TND" else np.stack(stacked(i))
        out = lambda x: Out(arrange(x).astype(np.float32), np.float32, 2e-3)
        arguments = {"query": arrange(cut(q, False)), "keyIn": arrange(cut(k, False)), "value": arrange(v), "dy": arrange(g),
                     "softmaxMaxOptional": flat_sums(1), "softmaxSumOptional": flat_sums(2), "headNum": len(q[0]), "inputLayout": layout,
                     "dqOut": out(cut(d[0], False)), "dkOut": out(cut(d[1], False)), "dvOut": out(d[2]), **(given or {})}  # fmt: skip
        if rope:
            more = {"queryRope": arrange(cut(q, True)), "keyInRope": arrange(cut(k, True)), "dqRopeOut": out(cut(d[0], True)), "dkRopeOut": out(cut(d[1], True))}
            arguments |= more | {"queryRopeOptional": more["queryRope"], "keyRopeOptional": more["keyInRope"]}
        if sink is not None:
            arguments |= {"sinkInOptional": sink, "dsinkOut": Out(flat[-1], np.float32, 2e-3)}
        if layout == "TND":
            arguments |= {"actualSeqQLenOptional": list(np.cumsum([x.shape[1] for x in q])), "actualSeqKvLenOptional": list(np.cumsum([x.shape[1] for x in k]))}
        for name in names:
            call(name, arguments)
        return arguments

    def batch(self, n=4, shared=2, sq=3, skv=4, d=4, dv=4):
        return normal(n, sq, d), normal(shared, skv, d), normal(shared, skv, dv)

    def test_layouts_and_versions(self):
        versions = ["FlashAttentionScoreGrad" + v for v in ("", "V2", "V3", "V4")]
        for layout in ("BNSD", "BSND", "BSH", "SBH"):
            self.expect([self.batch(), self.batch()], layout, versions)
        self.expect([self.batch(dv=3)], "BNSD", versions[:1])
        self.expect([self.batch()], "BSND", versions[2:], sink=normal(4))
        self.expect([self.batch(d=6)], "BSND", versions[3:], rope=2)

    def test_sequences(self):
        unpadding = ["FlashAttentionUnpaddingScoreGrad" + v for v in ("", "V2", "V3", "V4", "V5")]
        sequences = [self.batch(sq=2, skv=3), self.batch(sq=1, skv=2), self.batch(sq=3, skv=3)]
        self.expect(sequences, "TND", unpadding[:2] + unpadding[3:])
        self.expect([self.batch(d=6), self.batch(d=6, sq=2)], "TND", unpadding[2:3] + unpadding[4:], rope=2)
        self.expect(sequences, "TND", unpadding[4:], sink=normal(4))

    def test_masks_shifts_and_dropout(self):
        full = rng.integers(0, 2, (2, 4, 3, 4)).astype(np.uint8)
        full[:, :, 1] = 1  # a row at which nobody looks
        keep = [np.array(1 - full[b], bool) for b in range(2)]
        given = {"attenMaskOptional": full, "sparseMode": 1}
        sequences = [self.batch(), self.batch()]
        self.expect(sequences, "BNSD", ["FlashAttentionScoreGrad", "FlashAttentionScoreGradV2"], given, keep=keep)
        for mode in (2, 3):
            causal = np.array([[[kept(mode, i, j, 3, 4) for j in range(4)] for i in range(3)]] * 4)
            self.expect(sequences, "BSH", ["FlashAttentionScoreGrad"], {"attenMaskOptional": COMPRESSED, "sparseMode": mode}, keep=[causal] * 2)
        pse = normal(2, 4, 3, 4)
        wide = pse.astype(np.float64)
        self.expect(sequences, "BNSD", ["FlashAttentionScoreGrad"], {"pseShiftOptional": pse}, shift=wide, first=True)
        self.expect(sequences, "BNSD", ["FlashAttentionScoreGradV2"], {"pseShiftOptional": pse, "pseType": 0}, shift=wide)
        bits = rng.integers(0, 2, (2, 4, 3, 4)).astype(np.uint8)
        packed = np.zeros(16, np.uint8)
        packed[:12] = np.packbits(bits.reshape(-1), bitorder="little")
        self.expect(sequences, "BNSD", ["FlashAttentionScoreGrad"], {"dropMaskOptional": packed, "keepProb": 0.5}, drop=bits / 0.5)

    def test_what_is_refused(self):
        given = self.expect([self.batch()], "BNSD", [])
        for missing, code in (("query", 161001), ("dy", 161001), ("softmaxMaxOptional", 161001), ("inputLayout", 161001)):
            with self.assertRaises(Refused) as caught:
                call("FlashAttentionScoreGrad", {k: v for k, v in given.items() if k != missing})
            self.assertEqual(caught.exception.code, code)
            self.assertIn(missing, caught.exception.message)
        for wrong, text in (({"softmaxSumOptional": normal(3)}, "softmaxSum"), ({"dkOut": Out(normal(1, 2, 5, 4))}, "dk is"), ({"dy": normal(1, 4, 3, 3)}, "dy has"), ({"keepProb": 0.5}, "dropMask")):
            with self.assertRaises(Refused) as caught:
                call("FlashAttentionScoreGrad", {**given, **wrong})
            self.assertEqual(caught.exception.code, 161002)
            self.assertIn(text, caught.exception.message)


if __name__ == "__main__":
    main()
