# SPDX-License-Identifier: Apache-2.0
"""Split num_outputs, Pad axes, CenterCropPad, scatter by max and min (18), Pad wrap (19)."""
import numpy as np

from case import case, f32, i64, refused, rng


def cases_split():
    x = f32(7, 4)
    case("Split_num_outputs_uneven", "Split", [x], [x[0:3], x[3:6], x[6:7]], num_outputs=3)
    case("Split_num_outputs_even", "Split", [x], [x[:, 0:2], x[:, 2:4]], num_outputs=2, axis=-1)
    case("Split_num_outputs_one", "Split", [x], [x], num_outputs=1)
    case("Split_by_input", "Split", [x, i64(2, 0, 5)], [x[:2], x[2:2], x[2:]], constants=(1,))
    y = f32(1, 5)
    case("Split_num_outputs_last_smaller", "Split", [y], [y[:, 0:2], y[:, 2:4], y[:, 4:5]], num_outputs=3, axis=1)


def cases_pad():
    x = f32(2, 3, 4)
    zero = np.float32(1.5)
    case("Pad_axes", "Pad", [x, i64(1, 2, 3, 4), zero, i64(0, 2)], [np.pad(x, ((1, 3), (0, 0), (2, 4)), constant_values=zero)],
         constants=(1, 2, 3))
    case("Pad_negative_axes", "Pad", [x, i64(1, 2), zero, i64(-2)], [np.pad(x, ((0, 0), (1, 2), (0, 0)), constant_values=zero)],
         constants=(1, 2, 3))
    case("Pad_axes_int32", "Pad", [x, i64(1, 0), None, np.array([1], np.int32)], [np.pad(x, ((0, 0), (1, 0), (0, 0)))],
         constants=(1, 3))
    for mode, numpys in (("reflect", "reflect"), ("edge", "edge")):
        case(f"Pad_axes_{mode}", "Pad", [x, i64(2, 1), None, i64(2)], [np.pad(x, ((0, 0), (0, 0), (2, 1)), numpys)],
             constants=(1, 3), mode=mode)
    case("Pad_wrap", "Pad", [x, i64(0, 1, 2, 1, 2, 3)], [np.pad(x, ((0, 1), (1, 2), (2, 3)), "wrap")], 19, constants=(1,), mode="wrap")
    case("Pad_wrap_axes", "Pad", [x, i64(3, 4), None, i64(-1)], [np.pad(x, ((0, 0), (0, 0), (3, 4)), "wrap")], 19,
         constants=(1, 3), mode="wrap")
    case("Pad_wrap_more_than_once", "Pad", [x[0, 0], i64(9, 10)], [np.pad(x[0, 0], (9, 10), "wrap")], 19, constants=(1,), mode="wrap")
    case("Pad_wrap_int8", "Pad", [np.arange(4, dtype=np.int8), i64(1, 2)], [np.pad(np.arange(4, dtype=np.int8), (1, 2), "wrap")], 21,
         constants=(1,), mode="wrap")


def center(x, sizes, axes):
    for size, axis in zip(sizes, axes):
        have = x.shape[axis]
        if size <= have:
            x = np.take(x, range((have - size) // 2, (have - size) // 2 + size), axis)
        else:
            widths = [(0, 0)] * x.ndim
            widths[axis] = ((size - have) // 2, size - have - (size - have) // 2)
            x = np.pad(x, widths)
    return x


def cases_center_crop_pad():
    x = f32(7, 6, 5)
    case("CenterCropPad_crop", "CenterCropPad", [x, i64(4, 3, 2)], [center(x, (4, 3, 2), (0, 1, 2))], constants=(1,))
    case("CenterCropPad_pad", "CenterCropPad", [x, i64(10, 7, 8)], [center(x, (10, 7, 8), (0, 1, 2))], constants=(1,))
    case("CenterCropPad_both", "CenterCropPad", [x, i64(4, 9, 5)], [center(x, (4, 9, 5), (0, 1, 2))], constants=(1,))
    case("CenterCropPad_axes", "CenterCropPad", [x, i64(9, 2)], [center(x, (9, 2), (1, 2))], constants=(1,), axes=[1, 2])
    case("CenterCropPad_negative_axes", "CenterCropPad", [x, i64(9, 2)], [center(x, (9, 2), (0, 2))], constants=(1,), axes=[-3, -1])
    case("CenterCropPad_axes_in_another_order", "CenterCropPad", [x, i64(4, 8)], [center(x, (4, 8), (2, 0))], constants=(1,), axes=[2, 0])
    y = rng.integers(-9, 9, (3, 4)).astype(np.int32)
    case("CenterCropPad_int32", "CenterCropPad", [y, i64(5, 3)], [center(y, (5, 3), (0, 1))], constants=(1,))
    case("CenterCropPad_same", "CenterCropPad", [y, i64(3, 4)], [y], constants=(1,))
    refused("CenterCropPad_computed", "CenterCropPad", [(1, (3, 4)), (7, (2,))], "node: CenterCropPad (opset 18): shape must be constant")


def scattered(x, index, updates, axis, f):
    y = x.copy()
    for at in np.ndindex(*index.shape):
        to = list(at)
        to[axis] = index[at]
        y[tuple(to)] = f(y[tuple(to)], updates[at])
    return y


def cases_scatter():
    functions = {"max": np.maximum, "min": np.minimum, "add": np.add, "mul": np.multiply, "none": lambda old, new: new}
    x, updates = f32(4, 5), f32(4, 3)
    index = np.array([[0, 2, 2], [1, 1, 1], [4, -1, 4], [3, 0, 3]], np.int64)
    for name, f in functions.items():
        at = np.array([[0, 2, 4], [1, 3, 0], [4, 1, 2], [3, 0, 1]], np.int64) if name == "none" else index
        case(f"ScatterElements_{name}", "ScatterElements", [x, at, updates], [scattered(x, at, updates, 1, f)], axis=1, reduction=name)
    whole = rng.integers(-9, 9, (4, 5)).astype(np.int64)
    more = rng.integers(-9, 9, (4, 3)).astype(np.int64)
    for name in ("max", "min"):
        case(f"ScatterElements_{name}_int64", "ScatterElements", [whole, index, more], [scattered(whole, index, more, 1, functions[name])],
             axis=-1, reduction=name)
    rows, places = f32(3, 5), np.array([[1], [3], [1]], np.int64)
    for name in ("max", "min", "add", "mul"):
        want = x.copy()
        for row, (place,) in zip(rows, places):
            want[place] = functions[name](want[place], row)
        case(f"ScatterND_{name}", "ScatterND", [x, places, rows], [want], reduction=name)
