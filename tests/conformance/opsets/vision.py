# SPDX-License-Identifier: Apache-2.0
"""Col2Im (18), DeformConv (19), GridSample of volumes, AffineGrid and ImageDecoder (20)."""
import itertools

import numpy as np
from onnx import TensorProto, helper

from case import case, f32, i64, refused


def folded(columns, image, block, dilations, pads, strides):
    rank = len(image)
    n, channels = columns.shape[0], columns.shape[1] // int(np.prod(block))
    steps = [(image[d] + pads[d] + pads[d + rank] - dilations[d] * (block[d] - 1) - 1) // strides[d] + 1 for d in range(rank)]
    y = np.zeros((n, channels, *(image[d] + pads[d] + pads[d + rank] for d in range(rank))))
    x = columns.reshape(n, channels, *block, *steps)
    for k in np.ndindex(*block):
        for s in np.ndindex(*steps):
            at = tuple(s[d] * strides[d] + k[d] * dilations[d] for d in range(rank))
            y[(slice(None), slice(None), *at)] += x[(slice(None), slice(None), *k, *s)]
    return y[(slice(None), slice(None), *(slice(pads[d], pads[d] + image[d]) for d in range(rank)))].astype(np.float32)


def cases_col2im():
    for name, image, block, dilations, pads, strides in (
            ("plain", (5, 5), (1, 5), (1, 1), (0, 0, 0, 0), (1, 1)),
            ("strides", (5, 5), (3, 3), (1, 1), (0, 0, 0, 0), (2, 2)),
            ("pads", (5, 5), (1, 5), (1, 1), (0, 1, 0, 1), (1, 1)),
            ("uneven_pads", (5, 4), (2, 3), (1, 1), (0, 1, 1, 2), (1, 1)),
            ("dilations", (6, 6), (2, 2), (1, 5), (0, 0, 0, 0), (1, 1)),
            ("one_dimension", (7,), (3,), (2,), (1, 1), (1,))):
        rank = len(image)
        steps = [(image[d] + pads[d] + pads[d + rank] - dilations[d] * (block[d] - 1) - 1) // strides[d] + 1 for d in range(rank)]
        columns = f32(2, 3 * int(np.prod(block)), int(np.prod(steps)))
        case(f"Col2Im_{name}", "Col2Im", [columns, i64(*image), i64(*block)], [folded(columns, image, block, dilations, pads, strides)],
             constants=(1, 2), dilations=dilations, pads=pads, strides=strides)
    columns = f32(1, 8, 16)
    case("Col2Im_sizes_at_run_time", "Col2Im", [columns, i64(5, 5), i64(2, 2)], [folded(columns, (5, 5), (2, 2), (1, 1), (0, 0, 0, 0), (1, 1))])
    sizes = [helper.make_tensor(name, TensorProto.INT64, [3], [size] * 3) for name, size in (("image", 3), ("block", 2))]
    refused("Col2Im_three_dimensions", "Col2Im", [(1, (1, 8, 8))], "node: Col2Im (opset 18): only one or two dimensions", 18, sizes,
            dilations=[1, 1, 1], pads=[0] * 6, strides=[1, 1, 1])


def linear_at(plane, point):
    """The value between the elements of an array of any rank; zero outside."""
    low = np.floor(point).astype(int)
    total = 0.0
    for corner in itertools.product((0, 1), repeat=plane.ndim):
        at = low + corner
        weight = np.prod([1 - abs(p - a) for p, a in zip(point, at)])
        if all(0 <= a < n for a, n in zip(at, plane.shape)):
            total += weight * plane[tuple(at)]
    return total


def cases_deform_conv():
    for groups, offset_groups, masked in ((1, 1, False), (1, 1, True), (2, 2, True)):
        x, w, b = f32(2, 4, 5, 6), f32(6, 4 // groups, 3, 2), f32(6)
        stride, pads, dilation = (2, 1), (1, 0, 1, 1), (1, 2)
        height = (5 + 2 - 3) // 2 + 1
        width = 6 + 1 - 2 * 1 - 1 + 1
        offset = f32(2, offset_groups * 12, height, width)
        mask = np.abs(f32(2, offset_groups * 6, height, width)) if masked else None
        want = np.zeros((2, 6, height, width))
        for n, o, i, j in np.ndindex(*want.shape):
            group = o // (6 // groups)
            for c, ky, kx in np.ndindex(4 // groups, 3, 2):
                channel = group * (4 // groups) + c
                k = (channel // (4 // offset_groups)) * 6 + ky * 2 + kx
                y = i * stride[0] - pads[0] + ky * dilation[0] + offset[n, 2 * k, i, j]
                z = j * stride[1] - pads[1] + kx * dilation[1] + offset[n, 2 * k + 1, i, j]
                value = linear_at(x[n, channel].astype(np.float64), np.array([y, z]))
                want[n, o, i, j] += value * w[o, c, ky, kx] * (mask[n, k, i, j] if masked else 1)
            want[n, o, i, j] += b[o]
        inputs = [x, w, offset, b] + ([mask] if masked else [])
        case(f"DeformConv_{groups}_{offset_groups}_{'mask' if masked else 'plain'}", "DeformConv", inputs, [want.astype(np.float32)], 19,
             constants=(1, 3), rtol=1e-4, atol=1e-4, strides=stride, pads=pads, dilations=dilation, group=groups, offset_group=offset_groups,
             kernel_shape=[3, 2])


def reflected(p, low, high):
    if high <= low:
        return 0.0
    turns = abs(p - low) % (2 * (high - low))
    return low + min(turns, 2 * (high - low) - turns)


def sampled(x, grid, mode, padding, align):
    spatial = x.shape[2:]
    y = np.zeros((x.shape[0], x.shape[1], *grid.shape[1:-1]))
    for n, c in np.ndindex(x.shape[0], x.shape[1]):
        for at in np.ndindex(*grid.shape[1:-1]):
            point = []
            for d, size in enumerate(spatial):
                g = float(grid[(n, *at)][len(spatial) - 1 - d])  # the grid has x first
                p = (g + 1) / 2 * (size - 1) if align else ((g + 1) * size - 1) / 2
                if padding == "border":
                    p = min(max(p, 0), size - 1)
                if padding == "reflection":
                    p = reflected(p, 0, size - 1) if align else min(max(reflected(p, -0.5, size - 0.5), 0), size - 1)
                point.append(p)
            plane = x[n, c].astype(np.float64)
            if mode == "nearest":
                near = np.rint(point).astype(int)  # to even, as ONNX says
                inside = all(0 <= a < s for a, s in zip(near, spatial))
                y[(n, c, *at)] = plane[tuple(near)] if inside else 0
            else:
                y[(n, c, *at)] = linear_at(plane, np.array(point))
    return y.astype(np.float32)


def cases_grid_sample():
    volume, places = f32(2, 2, 3, 4, 5), f32(2, 2, 3, 4, 3)
    picture, spots = f32(2, 2, 4, 5), f32(2, 3, 4, 2)
    for mode in ("linear", "nearest"):
        for padding in ("zeros", "border", "reflection"):
            for align in (0, 1):
                how = f"{mode}_{padding}_{align}"
                case(f"GridSample_volume_{how}", "GridSample", [volume, places], [sampled(volume, places, mode, padding, align)], 20,
                     rtol=1e-4, atol=1e-5, mode=mode, padding_mode=padding, align_corners=align)
                case(f"GridSample_picture_{how}", "GridSample", [picture, spots], [sampled(picture, spots, mode, padding, align)], 20,
                     rtol=1e-4, atol=1e-5, mode=mode, padding_mode=padding, align_corners=align)
    case("GridSample_default", "GridSample", [picture, spots], [sampled(picture, spots, "linear", "zeros", 0)], 20, rtol=1e-4, atol=1e-5)


def spread(size, align):
    return np.linspace(-1, 1, size) if align else (2 * np.arange(size) + 1) / size - 1


def cases_affine_grid():
    for align in (0, 1):
        theta = f32(2, 2, 3)
        h, w = np.meshgrid(spread(4, align), spread(5, align), indexing="ij")
        points = np.stack([w, h, np.ones_like(w)], -1)
        case(f"AffineGrid_plane_{align}", "AffineGrid", [theta, i64(2, 3, 4, 5)], [np.einsum("nij,hwj->nhwi", theta, points).astype(np.float32)],
             20, constants=(1,), align_corners=align)
        theta = f32(2, 3, 4)
        d, h, w = np.meshgrid(spread(3, align), spread(4, align), spread(5, align), indexing="ij")
        points = np.stack([w, h, d, np.ones_like(w)], -1)
        case(f"AffineGrid_volume_{align}", "AffineGrid", [theta, i64(2, 1, 3, 4, 5)],
             [np.einsum("nij,dhwj->ndhwi", theta, points).astype(np.float32)], 20, constants=(1,), align_corners=align)


def cases_image_decoder():
    refused("ImageDecoder", "ImageDecoder", [(2, (100,))], "node: ImageDecoder (opset 20): no GE operator is known for it", 20)
