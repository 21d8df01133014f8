# SPDX-License-Identifier: Apache-2.0
"""Sums and updates of batch normalisation, the binary cross entropy, deformable taps, and assignments; plain numpy."""
import itertools

import numpy as np

from case import case, f32, refused, rng


def batch_norm():
    for shape in ((3, 4, 5, 6), (7, 2), (2, 3, 1, 1)):
        x = f32(*shape)
        axes = tuple(d for d in range(len(shape)) if d != 1)
        wide = x.astype(np.float64)
        sums, squares = wide.sum(axes), (wide**2).sum(axes)
        case("BNTrainingReduce", [x], [sums.astype(np.float32), squares.astype(np.float32)], tolerance=1e-5)
        count = x.size / shape[1]
        scale, offset, mean = f32(shape[1]), f32(shape[1]), f32(shape[1])
        variance = (rng.random(shape[1]) + 0.5).astype(np.float32)
        own, spread = sums / count, np.maximum(squares / count - (sums / count) ** 2, 0)
        line = [1, -1] + [1] * (len(shape) - 2)
        y = (wide - own.reshape(line)) / np.sqrt(spread + 1e-5).reshape(line) * scale.reshape(line) + offset.reshape(line)
        unbiased = spread * count / (count - 1) if count > 1 else spread
        moved = [mean * 0.75 + own * 0.25, variance * 0.75 + unbiased * 0.25]
        wants = [np.asarray(v, np.float32) for v in (y, *moved, own, spread)]
        case("BNTrainingUpdate", [x, sums.astype(np.float32), squares.astype(np.float32), scale, offset, mean, variance], wants,
             tolerance=2e-3, factor=0.25, epsilon=1e-5)
    refused("BNTrainingUpdate", [x, f32(5), f32(5), scale, offset, mean, variance], "input 1", factor=0.25, epsilon=1e-5)


def cross_entropy():
    x, y, weight = rng.random((3, 5)).astype(np.float32), rng.random((3, 5)).astype(np.float32), rng.random((3, 5)).astype(np.float32)
    x[0, 0], x[1, 1] = 0, 1
    with np.errstate(divide="ignore"):
        each = -(y * np.maximum(np.log(x.astype(np.float64)), -100) + (1 - y) * np.maximum(np.log1p(-x.astype(np.float64)), -100))
    for name, f in (("none", lambda v: v), ("mean", np.mean), ("sum", np.sum)):
        for given in (None, weight):
            want = np.asarray(f(each * (1 if given is None else given)), np.float32)
            case("BinaryCrossEntropy", [x, y, given], [want], tolerance=1e-5, reduction=name)
    refused("BinaryCrossEntropy", [x, y[:2], None], "one type and shape", reduction="mean")
    refused("BinaryCrossEntropy", [x, y, None], "reduction", reduction="most")


def pixel(plane, row, column):
    up, left = int(np.floor(row)), int(np.floor(column))
    total = 0.0
    for r, wr in ((up, 1 - (row - up)), (up + 1, row - up)):
        for s, ws in ((left, 1 - (column - left)), (left + 1, column - left)):
            if 0 <= r < plane.shape[0] and 0 <= s < plane.shape[1]:
                total += wr * ws * float(plane[r, s])
    return total


def taps_of(x, offsets, kernel, stride, pad, dilation, groups, modulated):
    """[N, C, kh * kw, Ho, Wo] from NCHW; offsets are all x, all y, all factors."""
    n, c, _, _ = x.shape
    kh, kw = kernel
    _, _, ho, wo = offsets.shape
    each = groups * kh * kw
    made = np.zeros((n, c, kh * kw, ho, wo))
    for b, ch, k, i, j in itertools.product(range(n), range(c), range(kh * kw), range(ho), range(wo)):
        at = ch // (c // groups) * kh * kw + k
        column = j * stride - pad + k % kw * dilation + offsets[b, at, i, j]
        row = i * stride - pad + k // kw * dilation + offsets[b, each + at, i, j]
        factor = offsets[b, 2 * each + at, i, j] if modulated else 1
        made[b, ch, k, i, j] = factor * pixel(x[b, ch], row, column)
    return made


def deformable():
    for kernel, stride, pad, dilation, groups, modulated in (((3, 3), 1, 1, 1, 1, True), ((2, 3), 2, 1, 2, 2, True), ((1, 1), 1, 0, 1, 1, False)):
        x, kh, kw = f32(2, 4, 6, 7), *kernel
        ho, wo = ((s + 2 * pad - dilation * (k - 1) - 1) // stride + 1 for s, k in zip((6, 7), kernel))
        offsets = f32(2, (3 if modulated else 2) * groups * kh * kw, ho, wo)
        taps = taps_of(x.astype(np.float64), offsets.astype(np.float64), kernel, stride, pad, dilation, groups, modulated)
        y = taps.reshape(2, 4, kh, kw, ho, wo).transpose(0, 1, 4, 2, 5, 3).reshape(2, 4, ho * kh, wo * kw)
        last = lambda v: np.ascontiguousarray(v.transpose(0, 2, 3, 1))
        common = {"pads": [pad] * 4, "deformable_groups": groups, "modulated": modulated}
        nchw = {"strides": [1, 1, stride, stride], "dilations": [1, 1, dilation, dilation], "data_format": "NCHW", **common}
        nhwc = {"strides": [1, stride, stride, 1], "dilations": [1, dilation, dilation, 1], "data_format": "NHWC", **common}
        case("DeformableOffsets", [x, offsets], [y.astype(np.float32)], tolerance=1e-5, ksize=list(kernel), **nchw)
        case("DeformableOffsets", [last(x), last(offsets)], [last(y).astype(np.float32)], tolerance=1e-5, ksize=list(kernel), **nhwc)
        for conv_groups in (1, 2):
            filters, bias = f32(6, 4 // conv_groups, kh, kw), f32(6)
            split = taps.reshape(2, conv_groups, 4 // conv_groups, kh * kw, ho, wo)
            w = filters.reshape(conv_groups, 6 // conv_groups, 4 // conv_groups, kh * kw)
            y = np.einsum("bgckij,gfck->bgfij", split, w).reshape(2, 6, ho, wo)
            for given in (None, bias):
                want = y if given is None else y + given[:, None, None]
                case("DeformableConv2D", [x, filters, offsets, given], [want.astype(np.float32)], tolerance=1e-4, groups=conv_groups, **nchw)
                case("DeformableConv2D", [last(x), np.ascontiguousarray(filters.transpose(2, 3, 1, 0)), last(offsets), given],
                     [last(want).astype(np.float32)], tolerance=1e-4, groups=conv_groups, **nhwc)
    refused("DeformableOffsets", [x, f32(2, 5, 6, 7)], "do not fit", ksize=[3, 3], **nchw)


def assignments():
    for dtype in (np.float32, np.int64, np.uint8):
        x = rng.integers(0, 99, (3, 4, 5)).astype(dtype)
        for shape in ((3, 4, 5), (4, 5), (3, 1, 1)):
            mask = rng.random(shape) < 0.5
            whole = np.broadcast_to(mask, x.shape)
            updates = rng.integers(100, 199, int(whole.sum()) + 3).astype(dtype)
            want = x.copy()
            want[whole] = updates[: int(whole.sum())]
            case("MaskedScatter", [x, mask, updates], [want])
        for begin, end, step in (([0, 1, 0], [3, 3, 5], [1, 1, 2]), ([2, 0, 1], [3, 4, 2], [1, 2, 1])):
            at = tuple(slice(*v) for v in zip(begin, end, step))
            value = rng.integers(100, 199, x[at].shape).astype(dtype)
            want = x.copy()
            want[at] = value
            case("StridedSliceAssign", [x, np.int64(begin), np.int64(end), np.int64(step), value], [want])
            case("StridedSliceAssignD", [x, value], [want], begin=begin, end=end, strides=step)
            want = x.copy()
            want[:, at[1], at[2]] = value[0, 0, 0]
            case("StridedSliceAssignD", [x, value[0, 0, 0]], [want], begin=begin, end=end, strides=step, begin_mask=1, end_mask=1)
        for axis, tiles in ((1, 3), (0, 2), (-1, 4)):
            case("TileWithAxis", [x], [np.concatenate([x] * tiles, axis)], axis=axis, tiles=tiles)
    refused("MaskedScatter", [np.float32([1, 2, 3]), np.array([True] * 3), np.float32([1])], "more true places", code=507015)
    refused("StridedSliceAssignD", [f32(3, 4), f32(5)], "the slice has", code=507015, begin=[0, 0], end=[2, 2], strides=[1, 1])
    refused("TileWithAxis", [f32(3)], "axis", axis=2, tiles=3)


batch_norm()
cross_entropy()
deformable()
assignments()
