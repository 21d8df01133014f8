# SPDX-License-Identifier: Apache-2.0
"""Operators that belong to no family, against numpy or plain loops."""
import math

import numpy as np

from case import case, f32, refused, rng


def einsum():
    for equation, *shapes in (
        ("ij,jk->ik", (3, 4), (4, 5)), ("ij->ji", (3, 4)), ("ij->", (3, 4)), ("ij->i", (3, 4)), ("i,i->", (5,), (5,)),
        ("i,j->ij", (3,), (4,)), ("bii->bi", (2, 3, 3)), ("ii", (4, 4)), ("bij, bjk -> bik", (2, 3, 4), (2, 4, 5)),
        ("bhid,bhjd->bhij", (2, 3, 4, 5), (2, 3, 6, 5)), ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
        ("ba,ca", (2, 3), (4, 3)), ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)), ("...a->...", (2, 3, 4)),
        ("abc,cd->abd", (2, 3, 4), (4, 5)), ("aij,bij->ab", (2, 3, 4), (5, 3, 4)), ("ij,k->ik", (2, 3), (4,)),
        ("bxi,oij,byj->boxy", (2, 3, 4), (5, 4, 6), (2, 2, 6)), ("AB,BC->AC", (2, 3), (3, 2)), ("i...->...", (3, 2, 2)),
        ("ijk->j", (5, 70, 600)), ("ijkl->lj", (3, 4, 5, 700)), ("ijkl->ik", (3, 40, 5, 6)), ("bij,j->b", (2, 3, 40), (40,)),
    ):
        x = [f32(*shape) for shape in shapes]
        want = np.einsum(equation, *[v.astype(np.float64) for v in x])
        for kind, tolerance in ((np.float32, 2e-5), (np.float64, 1e-6), (np.float16, 2e-2)):
            y = [v.astype(kind) for v in x]
            want = np.asarray(np.einsum(equation, *[v.astype(np.float64) for v in y]))
            case("Einsum", y, [want.astype(kind)], f"Einsum {equation} {np.dtype(kind)}", tolerance, equation=equation, N=len(y))
    a, b = rng.integers(-9, 9, (3, 4)).astype(np.int32), rng.integers(-9, 9, (4, 2)).astype(np.int32)
    case("Einsum", [a, b], [a @ b], "Einsum of integers", equation="ij,jk->ik", N=2)
    refused("Einsum", [f32(2, 3), f32(4, 5)], "but it is", equation="ij,jk->ik", N=2)
    refused("Einsum", [f32(3, 4), f32(3, 0)], "but it is", equation="ij,kj->ik", N=2)
    refused("Einsum", [f32(2, 3)], "letters for operand", equation="ijk->i", N=1)
    refused("Einsum", [f32(2, 3)], "no operand has", equation="ij->ik", N=1)
    refused("Einsum", [f32(2, 3)], "operands", equation="ij,jk->ik", N=1)


def determinant():
    for shape in ((2, 2), (3, 5, 5), (2, 3, 4, 4), (1, 1)):
        x = f32(*shape)
        case("MatrixDeterminant", [x], [np.asarray(np.linalg.det(x.astype(np.float64)), np.float32)], f"det {shape}", 1e-5)
    singular = np.float64([[1, 2], [2, 4]])
    case("MatrixDeterminant", [singular], [np.float64(0)], "det of a singular matrix")
    refused("MatrixDeterminant", [f32(2, 3)], "square")


def sum_norm():
    for width in (3, 770):
        a, b, gain, shift, bias = f32(4, 5, width), f32(4, 5, width), f32(width), f32(width), f32(width)
        for extra in ([], [bias]):
            x = (a + b + bias if extra else a + b).astype(np.float64)
            mean, factor = x.mean(-1, keepdims=True), 1 / np.sqrt(x.var(-1, keepdims=True) + 1e-3)
            case("AddLayerNorm", [a, b, gain, shift, *extra],
                 [v.astype(np.float32) for v in ((x - mean) * factor * gain + shift, mean, factor, x)],
                 f"AddLayerNorm of {width} with {len(extra)} bias", 1e-5, epsilon=1e-3)
        x = (a + b).astype(np.float64)
        factor = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-3)
        case("AddRmsNorm", [a, b, gain], [v.astype(np.float32) for v in (x * factor * gain, factor, x)],
             f"AddRmsNorm of {width}", 1e-5, epsilon=1e-3)


def lrn():
    x = f32(2, 7, 3, 2)
    for size in (1, 2, 3, 4, 5):
        alpha, beta, bias = 0.9, 0.6, 1.5
        want = np.zeros(x.shape)
        for c in range(7):  # ONNX: the window reaches floor((size-1)/2) channels before and ceil((size-1)/2) behind
            low, high = max(0, c - (size - 1) // 2), min(6, c + math.ceil((size - 1) / 2))
            squares = (x[:, low:high + 1].astype(np.float64)**2).sum(1)
            want[:, c] = x[:, c] / (bias + alpha / size * squares)**beta
        case("LRN", [x], [want.astype(np.float32)], f"LRN of {size}", 1e-5, depth_radius=(size - 1) // 2, size=size,
             alpha=alpha / size, beta=beta, bias=bias)


def rotary():
    x, angle = f32(2, 3, 4, 8), f32(1, 1, 4, 8)
    cos, sin = np.cos(angle), np.sin(angle)
    halves = np.concatenate([-x[..., 4:], x[..., :4]], -1)
    pairs = np.stack([-x[..., 1::2], x[..., 0::2]], -1).reshape(x.shape)
    case("RotaryMul", [x, cos, sin], [x * cos + halves * sin], tolerance=1e-5)
    case("RotaryPositionEmbedding", [x, cos, sin], [x * cos + halves * sin], "rotary halves", 1e-5, mode=0)
    case("RotaryPositionEmbedding", [x, cos, sin], [x * cos + pairs * sin], "rotary pairs", 1e-5, mode=1)
    x, angle = f32(2, 3, 5, 130), f32(2, 1, 5, 130)
    cos, sin = np.cos(angle), np.sin(angle)
    case("RotaryMul", [x, cos, sin], [x * cos + np.concatenate([-x[..., 65:], x[..., :65]], -1) * sin], "rotary of long rows", 1e-5)
    refused("RotaryMul", [f32(1, 1, 1, 3), f32(1, 1, 1, 3), f32(1, 1, 1, 3)], "even")


def bilinear(plane, y, x):
    height, width = plane.shape
    total = 0.0
    for row in (math.floor(y), math.floor(y) + 1):
        for column in (math.floor(x), math.floor(x) + 1):
            if 0 <= row < height and 0 <= column < width:
                total += plane[row, column] * (1 - abs(y - row)) * (1 - abs(x - column))
    return total


def deform(x, w, offset, b, mask, strides, pads, dilations, groups, offset_groups):
    n, c, _, _ = x.shape
    f, per, kh, kw = w.shape
    _, _, oh, ow = offset.shape
    y = np.zeros((n, f, oh, ow))
    for s, o, i, j in np.ndindex(n, f, oh, ow):
        total = b[o] if b is not None else 0.0
        for k, u, v in np.ndindex(per, kh, kw):
            channel = o // (f // groups) * per + k
            tap = channel // (c // offset_groups) * kh * kw + u * kw + v
            at = (i * strides[0] - pads[0] + u * dilations[0] + offset[s, 2 * tap, i, j],
                  j * strides[1] - pads[1] + v * dilations[1] + offset[s, 2 * tap + 1, i, j])
            total += w[o, k, u, v] * bilinear(x[s, channel], *at) * (mask[s, tap, i, j] if mask is not None else 1)
        y[s, o, i, j] = total
    return y


def deform_conv():
    for groups, offset_groups, strides, dilations, pads, oh, ow in (
            (1, 1, [1, 1], [1, 1], [0, 0, 0, 0], 4, 3), (2, 2, [2, 1], [1, 2], [1, 1, 1, 1], 3, 3),
            (1, 2, [1, 1], [1, 1], [1, 1, 1, 1], 6, 5)):
        x, w, b = f32(2, 4, 6, 5), f32(6, 4 // groups, 3, 3), f32(6)
        offset, mask = f32(2, 18 * offset_groups, oh, ow), rng.uniform(0, 1, (2, 9 * offset_groups, oh, ow)).astype(np.float32)
        for bias, weight in ((b, mask), (None, None)):
            y = deform(x, w, offset, bias, weight, strides, pads, dilations, groups, offset_groups)
            case("DeformConv", [x, w, offset, bias, weight], [y.astype(np.float32)], f"DeformConv {groups} {offset_groups}",
                 1e-4, strides=strides, pads=pads, dilations=dilations, groups=groups, offset_group=offset_groups)
    refused("DeformConv", [f32(1, 1, 4, 4), f32(1, 1, 3, 3), f32(1, 4, 2, 2)], "offset", strides=[1, 1], pads=[0, 0, 0, 0],
            dilations=[1, 1])


def full_connection():
    x, w, b = f32(3, 2, 2, 2), f32(5, 8), f32(5)
    want = (x.reshape(3, 8) @ w.T + b).reshape(3, 5, 1, 1)
    case("FullyConnection", [x, w, b], [want], tolerance=1e-5, num_output=5)
    case("FullyConnection", [x, np.ascontiguousarray(w.T), b], [want], "FullyConnection transposed", 1e-5, num_output=5,
         transpose=True)
    refused("FullyConnection", [x, f32(5, 7)], "wrong shape", num_output=5)


for family in (einsum, determinant, sum_norm, lrn, rotary, deform_conv, full_connection):
    family()
