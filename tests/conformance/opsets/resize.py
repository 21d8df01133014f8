# SPDX-License-Identifier: Apache-2.0
"""Resize: antialias, axes and keep_aspect_ratio_policy (18), half_pixel_symmetric (19). The oracle adds up the weights of
ONNX's definition in float64, one axis after the other."""
import math

import numpy as np

from case import case, f32, i64


def triangle(d):
    return max(0.0, 1 - abs(d))


def keys(a):
    def weight(d):
        d = abs(d)
        if d <= 1:
            return ((a + 2) * d - (a + 3)) * d * d + 1
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a if d < 2 else 0.0
    return weight


def position(x, scale, length, out, mode):
    if mode == "asymmetric":
        return x / scale
    if mode == "align_corners":
        return x * (length - 1) / (out - 1)
    if mode == "half_pixel_symmetric":
        adjustment = out / (scale * length)
        return length / 2 * (1 - adjustment) + (x + 0.5) / scale - 0.5
    return (x + 0.5) / scale - 0.5


def resized_axis(x, axis, out, scale, weight, reach, antialias, exclude, mode):
    length = x.shape[axis]
    narrow = min(scale, 1.0) if antialias else 1.0
    matrix = np.zeros((out, length))
    for y in range(out):
        at = position(y, scale, length, out, mode)
        span = math.ceil(reach / narrow) + 1
        for i in range(math.floor(at) - span, math.floor(at) + span + 1):
            if exclude and not 0 <= i < length:
                continue
            matrix[y, min(max(i, 0), length - 1)] += weight((i - at) * narrow)
        matrix[y] /= matrix[y].sum()
    return np.moveaxis(np.tensordot(matrix, np.moveaxis(x, axis, 0), 1), 0, axis)


def resized(x, axes, outs, scales, kind="linear", antialias=False, exclude=False, mode="half_pixel"):
    y = x.astype(np.float64)
    weight, reach = (triangle, 1) if kind == "linear" else (keys(-0.75), 2)
    for axis, out, scale in zip(axes, outs, scales):
        y = resized_axis(y, axis, out, scale, weight, reach, antialias, exclude, mode)
    return y.astype(np.float32)


def cases_antialias():
    x = f32(1, 2, 9, 12)
    for kind in ("linear", "cubic"):
        for exclude in (0, 1):
            outs, scales = (4, 5), np.array([1, 1, 0.5, 0.45], np.float32)
            want = resized(x, (2, 3), outs, (0.5, float(np.float32(0.45))), kind, True, bool(exclude))
            case(f"Resize_antialias_{kind}_exclude_{exclude}", "Resize", [x, None, scales], [want], constants=(2,), rtol=1e-4, atol=1e-5,
                 mode=kind, antialias=1, exclude_outside=exclude)
        sizes = i64(1, 2, 3, 30)  # one axis smaller, one larger
        want = resized(x, (2, 3), (3, 30), (3 / 9, 30 / 12), kind, True)
        case(f"Resize_antialias_{kind}_sizes", "Resize", [x, None, None, sizes], [want], constants=(3,), rtol=1e-4, atol=1e-5,
             mode=kind, antialias=1)
        want = resized(x, (2, 3), (3, 4), (3 / 9, 4 / 12), kind, True, mode="align_corners")
        case(f"Resize_antialias_{kind}_align_corners", "Resize", [x, None, None, i64(1, 2, 3, 4)], [want], constants=(3,), rtol=1e-4,
             atol=1e-5, mode=kind, antialias=1, coordinate_transformation_mode="align_corners")
        want = resized(x, (2, 3), (3, 4), (3 / 9, 4 / 12), kind, True, mode="asymmetric")
        case(f"Resize_antialias_{kind}_asymmetric", "Resize", [x, None, None, i64(1, 2, 3, 4)], [want], constants=(3,), rtol=1e-4,
             atol=1e-5, mode=kind, antialias=1, coordinate_transformation_mode="asymmetric")


def cases_axes():
    x = f32(1, 2, 4, 6)
    want = resized(x, (2, 3), (8, 9), (2, 1.5))
    case("Resize_axes_scales", "Resize", [x, None, np.array([2, 1.5], np.float32)], [want], constants=(2,), mode="linear", axes=[2, 3])
    case("Resize_axes_turned", "Resize", [x, None, np.array([1.5, 2], np.float32)], [want], constants=(2,), mode="linear", axes=[3, 2])
    case("Resize_axes_sizes", "Resize", [x, None, None, i64(8, 9)], [want], constants=(3,), mode="linear", axes=[-2, -1])
    near = x[:, :, [0, 0, 1, 1, 2, 2, 3, 3]]
    case("Resize_axes_nearest", "Resize", [x, None, np.array([2], np.float32)], [near], constants=(2,), mode="nearest", axes=[2])


def cases_aspect_ratio():
    x = f32(1, 1, 4, 6)
    for policy, choose in (("not_larger", min), ("not_smaller", max)):
        for height, width in ((8, 9), (3, 3), (7, 12)):
            scale = choose(height / 4, width / 6)
            outs = [math.floor(scale * n + 0.5) for n in (4, 6)]
            want = resized(x, (2, 3), outs, (scale, scale))
            case(f"Resize_{policy}_{height}_{width}", "Resize", [x, None, None, i64(height, width)], [want], constants=(3,), rtol=1e-4,
                 atol=1e-5, mode="linear", axes=[2, 3], keep_aspect_ratio_policy=policy)


def cases_half_pixel_symmetric():
    x = f32(1, 1, 5, 7)
    scales = np.array([1, 1, 0.6, 1.3], np.float32)
    outs = (3, 9)
    want = resized(x, (2, 3), outs, [float(s) for s in scales[2:]], mode="half_pixel_symmetric")
    case("Resize_half_pixel_symmetric", "Resize", [x, None, scales], [want], 19, constants=(2,), rtol=1e-4, atol=1e-5, mode="linear",
         coordinate_transformation_mode="half_pixel_symmetric")
