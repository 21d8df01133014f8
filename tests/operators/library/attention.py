# SPDX-License-Identifier: Apache-2.0
"""Attention in double precision, one score at a time: the oracle of the attention functions."""
import numpy as np


def kept(mode, i, j, sq, skv, *, mask=None, before=2**31 - 1, after=2**31 - 1, prefix=0):
    """Whether row i looks at key j; `mask` is True where the full mask leaves it out."""
    shifted = i + skv - sq
    if mode == 0:
        return mask is None or (not mask and i - before <= j <= i + after)
    if mode == 1:
        return not mask
    if mode == 2:
        return j <= i
    if mode == 3:
        return j <= shifted
    if mode == 4:
        return shifted - before <= j <= shifted + after
    if mode in (5, 6):
        return j <= shifted or j < prefix
    raise ValueError(mode)


def attention(q, k, v, scale, *, keep=None, shift=None, shift_first=False, sink=None, drop=None):
    """q [N,Sq,D], k [Nkv,Skv,D], v [Nkv,Skv,Dv]; keep [N,Sq,Skv] of bool; shift as keep; drop: factors of the weights.
    The result, the largest score, the sum and its logarithm; rows without keys give 0, and inf for the last."""
    q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
    n, sq, _ = q.shape
    group = n // k.shape[0]
    out, most, total = np.zeros((n, sq, v.shape[2])), np.zeros((n, sq)), np.zeros((n, sq))
    lse = np.full((n, sq), np.inf)
    for h in range(n):
        scores = q[h] @ k[h // group].T
        if shift is not None and shift_first:
            scores = scores + shift[h]
        scores = scores * scale
        if shift is not None and not shift_first:
            scores = scores + shift[h]
        for i in range(sq):
            looks = np.ones(k.shape[1], bool) if keep is None else keep[h, i]
            looks = looks & ~np.isneginf(scores[i])
            if not looks.any():
                continue
            s = scores[i, looks]
            most[h, i] = s.max() if sink is None else max(s.max(), sink[h])
            weights = np.exp(s - most[h, i])
            total[h, i] = weights.sum() + (0 if sink is None else np.exp(sink[h] - most[h, i]))
            factors = 1 if drop is None else drop[h, i, looks]
            out[h, i] = (weights * factors) @ v[h // group][looks] / total[h, i]
            lse[h, i] = np.log(total[h, i]) + most[h, i]
    return out, most, total, lse


def to_layout(x, layout):
    """[B,N,S,D] as the layout."""
    b, n, s, d = x.shape
    if layout == "BNSD":
        return np.array(x, order="C")
    if layout == "NBSD":
        return np.array(x.transpose(1, 0, 2, 3), order="C")
    if layout == "BSND":
        return np.array(x.transpose(0, 2, 1, 3), order="C")
    if layout == "BSH":
        return np.array(x.transpose(0, 2, 1, 3), order="C").reshape(b, s, n * d)
    if layout == "SBH":
        return np.array(x.transpose(2, 0, 1, 3), order="C").reshape(s, b, n * d)
    raise ValueError(layout)


def joined(sequences, layout="TND"):
    """A list of [N,S,D] one after another."""
    rows = np.concatenate([x.transpose(1, 0, 2) for x in sequences])
    return np.array(rows if layout == "TND" else rows.transpose(1, 0, 2), order="C")
