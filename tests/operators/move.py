# SPDX-License-Identifier: Apache-2.0
"""Gather, scatter, join, slice, pad, rearrange, order, choose: the oracle is numpy's indexing."""
import numpy as np

from case import Type, case, f32, refused, rng

I32, I64 = np.int32, np.int64
EVERY = ["float32", "float16", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]


def numbers(kind, *shape):
    return rng.integers(0, 2 if kind == "bool" else 90, shape).astype(kind)


def gather():
    for kind in EVERY:
        x = numbers(kind, 4, 5, 6)
        i = rng.integers(0, 5, (2, 3)).astype(I64)
        case("GatherV2", [x, i, I64(1)], [np.take(x, i, 1)], f"GatherV2 of {kind}")
        case("GatherElements", [x, i := rng.integers(-5, 5, (4, 3, 6)).astype(I64)],
             [np.take_along_axis(x, i % 5, 1)], f"GatherElements of {kind}", dim=1)
    x = f32(3, 4, 5)
    for axis in (-3, 0, 1, 2):
        i = rng.integers(-x.shape[axis], x.shape[axis], 7).astype(I32)
        case("GatherV2", [x, i, np.array([axis], I32)], [np.take(x, i, axis)], f"GatherV2 along {axis}",
             negative_index_support=True)
    case("GatherV2", [x, I32(2), I32(1)], [x[:, 2]], "GatherV2 of one index")
    i = rng.integers(0, 4, (3, 2)).astype(I64)
    case("GatherV2", [x, i, I64(1)], [np.stack([x[b][i[b]] for b in range(3)])], "GatherV2 by batch", batch_dims=1)
    x4 = f32(2, 3, 4, 5)
    i = rng.integers(0, 4, (2, 6)).astype(I64)
    case("GatherV2", [x4, i, I64(2)], [np.stack([x4[b][:, i[b]] for b in range(2)])],
         "GatherV2 by batch with an outer dimension", batch_dims=1)
    case("Gather", [x, np.array([2, 0], I32)], [x[[2, 0]]])
    case("GatherV2D", [x, np.array([2, 0], I32)], [x[:, :, [2, 0]]], axis=2)
    case("GatherV2", [x, np.zeros((0,), I32), I32(0)], [np.zeros((0, 4, 5), np.float32)], "GatherV2 of nothing")
    case("GatherNd", [x, np.array([[0, 1], [2, 3]], I64)], [x[[0, 2], [1, 3]]], "GatherNd of rows")
    case("GatherNd", [x, np.array([[[0, 1, 4]], [[2, 3, 0]]], I64)], [x[[[0], [2]], [[1], [3]], [[4], [0]]]],
         "GatherNd of elements")
    case("GatherNd", [x, np.array([[1], [0], [3]], I64)], [np.stack([x[b, i] for b, i in enumerate([1, 0, 3])])],
         "GatherNd by batch", batch_dims=1)
    case("GatherNd", [x, np.array([[-1, -2]], I64)], [x[-1:, -2]], "GatherNd from the end", negative_index_support=True)
    refused("GatherV2", [x, np.array([1, 4], I32), I32(1)], "index 4 (element 1 of the indices) is outside [0, 3]")
    refused("GatherV2", [x, np.array([-1], I32), I32(1)], "outside [0, 3]", "GatherV2 refuses negative indices by default")
    refused("GatherNd", [x, np.array([[0, 9]], I64)], "index 9")
    refused("GatherElements", [x, np.full((3, 4, 5), 3, I64)], "index 3 (element 0 of the indices) is outside [-3, 2]")
    for kind in ("float32", "float16", "int64", "bool"):
        on, off = np.array([3, 1]).astype(kind)
        i = np.array([[0, 2], [4, -1]], I64)
        hot = (i[:, None, :] == np.arange(5)[None, :, None])
        case("OneHot", [i, I64(5), on, off], [np.where(hot, on, off)], f"OneHot of {kind}", axis=1)
    case("OneHotD", [np.array([1, 0], I32), np.float32(1), np.float32(0)], [np.eye(3, dtype=np.float32)[[1, 0]]], depth=3)


def scatter_elements(data, index, updates, axis, f):
    y = data.copy()
    for at in np.ndindex(*index.shape):
        to = list(at)
        to[axis] = index[at]
        y[tuple(to)] = f(y[tuple(to)], updates[at])
    return y


def scatter():
    reductions = {"none": lambda a, b: b, "add": lambda a, b: a + b, "mul": lambda a, b: a * b, "max": max, "min": min}
    for kind in ("float32", "float16", "float64", "int32", "int64", "uint8"):
        for reduction, f in reductions.items():
            data, updates = (rng.integers(0, 4, s).astype(kind) for s in ((4, 5, 3), (2, 5, 2)))
            index = rng.integers(-5, 5, (2, 5, 2)).astype(I64)
            if reduction == "none":  # without duplicates, whose order is not defined
                index = np.tile(np.array([4, -4, 0, -2, 2])[None, :, None], (2, 1, 2)).astype(I64)
            case("ScatterElements", [data, index, updates], [scatter_elements(data, index, updates, 1, f)],
                 f"ScatterElements {reduction} of {kind}", axis=1, reduction=reduction)
    refused("ScatterElements", [f32(3), np.array([3], I64), f32(1)], "index 3")
    x = rng.integers(1, 9, (4, 4, 3)).astype(np.float32)
    rows = np.array([[0], [2], [0]], I64)
    updates = rng.integers(1, 9, (3, 4, 3)).astype(np.float32)

    def nd(f):
        y = x.copy()
        for i, (r,) in enumerate(rows):
            y[r] = f(y[r], updates[i])
        return y

    by_name = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Max": np.maximum, "Min": np.minimum,
               "Update": lambda a, b: b}
    for name, f in by_name.items():
        case("TensorScatter" + name, [x, rows, updates], [nd(f)])
        case("ScatterNd" + name, [x, rows, updates], [nd(f)])
        case("Scatter" + name, [x, rows[:, 0], updates], [nd(f)])
    y = x.copy()
    y[1, 2], y[3, 0] = [1, 2, 3], [4, 5, 6]
    case("TensorScatterUpdate", [x, np.array([[1, 2], [-1, -4]], I64), np.array([[1, 2, 3], [4, 5, 6]], np.float32)], [y],
         "TensorScatterUpdate with negative indices")
    case("ScatterNd", [np.array([[1], [1], [3]], I32), np.array([1, 2, 3], np.float32), np.array([5], I32)],
         [np.array([0, 3, 0, 3, 0], np.float32)])
    refused("TensorScatterUpdate", [x, np.array([[4]], I64), updates[:1]], "index 4 (element 0 of the indices) is outside [-4, 3]")
    refused("ScatterNdAdd", [x, rows, updates[:2]], "24 updates for 36 places")


def join():
    for kind in EVERY:
        parts = [numbers(kind, 3, n, 4) for n in (2, 1, 5)]
        whole = np.concatenate(parts, 1)
        case("ConcatD", parts, [whole], f"ConcatD of {kind}", concat_dim=1, N=3)
        case("SplitV", [whole, np.array([2, 1, 5], I64), I64(1)], parts, f"SplitV of {kind}", num_split=3)
        case("Pack", [parts[0]] * 3, [np.stack([parts[0]] * 3, 2)], f"Pack of {kind}", axis=2, N=3)
        case("Unpack", [parts[0]], list(np.moveaxis(parts[0], 1, 0)), f"Unpack of {kind}", axis=1, num=2)
    parts = [f32(2, 3), f32(2, 4)]
    case("ConcatD", parts, [np.concatenate(parts, -1)], "ConcatD from the end", concat_dim=-1, N=2)
    case("Concat", [I32(1)] + parts, [np.concatenate(parts, 1)])
    case("ConcatV2", parts + [I32(1)], [np.concatenate(parts, 1)])
    case("ConcatD", [f32(0, 3), parts[0]], [parts[0]], "ConcatD with an empty part", concat_dim=0, N=2)
    x = f32(2, 6, 3)
    case("Split", [I32(1), x], np.split(x, 3, 1), num_split=3)
    case("Split", [I32(1), f := f32(2, 7)], [f[:, :3], f[:, 3:6], f[:, 6:]], "Split that does not come out even", num_split=3)
    case("SplitD", [x], np.split(x, 2, -2), split_dim=-2, num_split=2)
    case("SplitVD", [x], [x[:, :1], x[:, 1:]], split_dim=1, num_split=2, size_splits=[1, 5])
    case("SplitV", [x, np.array([4, -1], I32), I32(1)], [x[:, :4], x[:, 4:]], "SplitV with a rest", num_split=2)
    refused("SplitV", [x, np.array([4, 4], I32), I32(1)], "add up to 8, the dimension is 6", num_split=2)
    refused("ConcatD", [f32(2, 3), f32(3, 3)], "differ", concat_dim=1, N=2)


def slices():
    for kind in EVERY:
        x = numbers(kind, 5, 6, 7)
        case("StridedSliceV2", [x, np.array([4, 1], I64), np.array([0, 7], I64), np.array([0, 2], I64), np.array([-2, 3], I64)],
             [x[4:0:-2, :, 1:7:3]], f"StridedSliceV2 of {kind}")
        case("Slice", [x, np.array([1, 0, 3], I32), np.array([2, -1, 4], I32)], [x[1:3, :, 3:7]], f"Slice of {kind}")
    x = f32(4, 5, 6)
    far = 2**63 - 1
    for b, e, s in [(0, far, 1), (-3, -1, 1), (-1, -far, -1), (3, -100, -2), (-100, 100, 2), (4, 2, 1), (10, 20, 1),
                    (-1, -6, -1), (100, 0, -1), (0, far, far)]:
        case("StridedSliceV2", [x, np.array([b], I64), np.array([e], I64), np.array([1], I64), np.array([s], I64)],
             [x[:, slice(b, e, s)]], f"StridedSliceV2 {b}:{e}:{s}")
    case("StridedSliceV2", [x, np.array([1, 2], I32), np.array([3, 4], I32)], [x[1:3, 2:4]], "StridedSliceV2 without axes")
    case("StridedSliceV2", [x, np.array([1, -2], I64), np.array([3, 4], I64), np.array([-1, 0], I64)], [x[-2:4, :, 1:3]],
         "StridedSliceV2 without strides")
    two, one = np.array([1, 2, 0], I32), np.array([1, 1, 1], I32)
    end = np.array([3, 4, 5], I32)
    case("StridedSlice", [x, two, end, one], [x[1:3, 2:4, 0:5]])
    case("StridedSlice", [x, two, end, one], [x[1:3, 2, 0:5]], "StridedSlice that shrinks", shrink_axis_mask=2)
    case("StridedSlice", [x, two, end, one], [x[:3, 2:, :5]], "StridedSlice with open ends", begin_mask=1, end_mask=2)
    case("StridedSlice", [x, two, end, one], [x[1:3, None, 0:5]], "StridedSlice with a new axis", new_axis_mask=2)
    case("StridedSlice", [x, two, end, one], [x[1:3, ..., 0:5]], "StridedSlice with an ellipsis", ellipsis_mask=2)
    case("StridedSlice", [x, np.array([-1], I32), np.array([0], I32), np.array([1], I32)], [x[-1]],
         "StridedSlice of the last", shrink_axis_mask=1)
    case("StridedSliceD", [x], [x[3:0:-1, ::2]], begin=[3, 0], end=[0, 5], strides=[-1, 2])
    case("SliceD", [x], [x[1:3, 0:5, 2:3]], offsets=[1, 0, 2], size=[2, 5, 1])
    refused("StridedSlice", [x, np.array([9], I32), np.array([10], I32), np.array([1], I32)],
            "index 9 is outside a dimension of 4", code=100013, shrink_axis_mask=1)
    refused("StridedSliceV2", [x, np.array([0], I32), np.array([1], I32), np.array([3], I32)], "axis 3")
    refused("StridedSlice", [x, np.array([0], I32), np.array([1], I32), np.array([0], I32)], "stride is 0")
    refused("Slice", [x, np.array([3, 0, 0], I32), np.array([2, 1, 1], I32)], "outside a dimension of 4")


def pad():
    x = f32(3, 4, 5)
    pairs = np.array([[1, 2], [0, 1], [3, 0]], I64)
    case("Pad", [x, pairs], [np.pad(x, pairs)])
    case("PadD", [x], [np.pad(x, pairs)], paddings=pairs.tolist())
    case("PadV2", [x, pairs, np.float32(7)], [np.pad(x, pairs, constant_values=7)])
    case("PadV3", [x, pairs, np.float32(7)], [np.pad(x, pairs, constant_values=7)])
    befores_first = pairs.T.ravel()
    for kind in EVERY:
        x2 = numbers(kind, 3, 4, 5)
        case("PadV3", [x2, befores_first, np.array([1]).astype(kind)], [np.pad(x2, pairs, constant_values=1)],
             f"PadV3 of {kind}", paddings_contiguous=False)
        for mode in ("reflect", "edge", "symmetric", "wrap"):
            small = np.array([[1, 2], [0, 3], [4, 2]], I64)
            case("PadV3", [x2, small], [np.pad(x2, small, mode)], f"PadV3 {mode} of {kind}", mode=mode)
    case("PadV3", [x, np.array([-1, 1, 2, -2, 0, 0], I64)], [np.pad(x[1:, :2], [(0, 1), (2, 0), (0, 0)])],
         "PadV3 that takes away")
    case("MirrorPad", [x, pairs], [np.pad(x, pairs, "reflect")], "MirrorPad REFLECT", mode="REFLECT")
    case("MirrorPad", [x, pairs], [np.pad(x, pairs, "symmetric")], "MirrorPad SYMMETRIC", mode="SYMMETRIC")
    case("PadV3", [x, np.array([0, 0, 0, 0, 9, 9], I64)], [np.pad(x, [(0, 0), (0, 0), (9, 9)], "reflect")],
         "PadV3 reflects more than once", mode="reflect")
    refused("PadV3", [x, pairs], "mode odd", mode="odd")
    refused("PadV3", [x, np.array([1, 1], I64)], "two numbers for each dimension")


def depth_to_space(x, b, mode):
    n, c, h, w = x.shape
    if mode == "DCR":
        return x.reshape(n, b, b, c // b // b, h, w).transpose(0, 3, 4, 1, 5, 2).reshape(n, c // b // b, h * b, w * b)
    return x.reshape(n, c // b // b, b, b, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, c // b // b, h * b, w * b)


def rearrange():
    x = f32(3, 4, 5)
    for kind in EVERY:
        x2 = numbers(kind, 3, 4, 5)
        case("ReverseV2", [x2, np.array([0, -1], I32)], [x2[::-1, :, ::-1]], f"ReverseV2 of {kind}")
        case("Tile", [x2, np.array([2, 1, 3], I64)], [np.tile(x2, (2, 1, 3))], f"Tile of {kind}")
        case("Trilu", [x2, I64(1)], [np.triu(x2, 1)], f"Trilu of {kind}", upper=1)
    case("ReverseV2D", [x], [x[:, ::-1]], axis=[1])
    case("TileD", [x], [np.tile(x, (1, 2, 1))], multiples=[1, 2, 1])
    case("Tile", [f32(0, 2), np.array([2, 2], I64)], [np.zeros((0, 4), np.float32)], "Tile of nothing")
    case("Roll", [x], [np.roll(x, (1, -2), (0, 2))], shifts=[1, -2], dims=[0, 2])
    case("Roll", [x], [np.roll(x, 7)], "Roll of the whole", shifts=[7])
    for k in (-9, -2, 0, 3, 9):
        case("Trilu", [x, I64(k)], [np.tril(x, k)], f"Trilu below {k}", upper=0)
        case("Triu", [x], [np.triu(x, k)], f"Triu {k}", diagonal=k)
        case("Tril", [x], [np.tril(x, k)], f"Tril {k}", diagonal=k)
    case("Trilu", [x], [np.triu(x)], "Trilu without k", upper=1)
    y = x.copy()
    for b, n in enumerate([1, 4, 0, 3, 2]):
        y[0:1, :n, b] = x[0:1, :n, b][:, ::-1]
        y[1:, :n, b] = x[1:, :n, b][:, ::-1]
    case("ReverseSequence", [x, np.array([1, 4, 0, 3, 2], I64)], [y], seq_dim=1, batch_dim=2)
    refused("ReverseSequence", [x, np.array([5, 0, 0, 0, 0], I64)], "index 5", seq_dim=1, batch_dim=2)
    d = f32(2, 8, 3, 2)
    for mode in ("DCR", "CRD"):
        want = depth_to_space(d, 2, mode)
        case("DepthToSpace", [d], [want], f"DepthToSpace {mode}", block_size=2, mode=mode, data_format="NCHW")
        case("DepthToSpace", [d.transpose(0, 2, 3, 1)], [want.transpose(0, 2, 3, 1)], f"DepthToSpace {mode} NHWC",
             block_size=2, mode=mode)
    s = depth_to_space(d, 2, "DCR")
    case("SpaceToDepth", [s], [d], block_size=2, data_format="NCHW")
    case("SpaceToDepth", [s.transpose(0, 2, 3, 1)], [d.transpose(0, 2, 3, 1)], "SpaceToDepth NHWC", block_size=2)
    for x in (f32(2, 12, 3, 5), f32(3, 12), f32(1, 12, 4, 4).astype(np.float16)):
        for group in (1, 2, 3):
            want = x.reshape(x.shape[0], group, 12 // group, -1).swapaxes(1, 2).reshape(x.shape)
            case("ShuffleChannel", [x], [want], f"ShuffleChannel {x.dtype} {x.ndim} in {group}", group=group)
    refused("ShuffleChannel", [f32(1, 6, 2, 2)], "does not divide the channels", group=4)
    refused("DepthToSpace", [f32(1, 6, 2, 2)], "does not divide the channels", block_size=2, data_format="NCHW")


def order():
    for kind in ("float32", "float16", "float64", "int8", "int32", "int64", "uint8"):
        x = numbers(kind, 3, 20, 2)
        up = np.argsort(x, 1, kind="stable")
        down = np.argsort(-x.astype(np.float64), 1, kind="stable")
        for k in (1, 3, 20):
            case("TopK", [x, np.array([k], I64)],
                 [np.take_along_axis(x, down[:, :k], 1), down[:, :k].astype(I32)], f"TopK {k} of {kind}", dim=1)
        case("TopKV2", [x, np.array([4], I32)], [np.take_along_axis(x, up[:, :4], 1), up[:, :4]], f"TopKV2 of {kind}",
             dim=1, largest=False, indices_dtype=9)
        case("Sort", [x], [np.sort(x, 1), up.astype(I32)], f"Sort of {kind}", axis=1)
        case("Sort", [x], [np.take_along_axis(x, down, 1), down], f"Sort of {kind} downwards", axis=1, descending=True,
             y2_dtype=Type("DT_INT64"))
    for kind in ("float32", "float16", "int64", "uint32"):  # few of many, with equal ones among them
        x = rng.integers(-500 if kind[0] != "u" else 0, 500, (4, 3000)).astype(kind)
        x[1] = np.sort(x[1])
        x[2] = np.sort(x[2])[::-1]
        for k in (1, 17, 2000):
            down = np.argsort(-x.astype(np.float64), 1, kind="stable")[:, :k]
            case("TopK", [x, np.array([k], I64)], [np.take_along_axis(x, down, 1), down.astype(I32)],
                 f"TopK {k} of 3000 {kind}", dim=1)
    x = rng.integers(-300, 300, (600, 3)).astype(np.float32)  # lanes that do not lie side by side
    x[::50, 1] = -np.inf
    x[:590, 2] = np.nan
    up, down = np.argsort(x, 0, kind="stable"), np.argsort(np.where(np.isnan(x), -np.inf, -x), 0, kind="stable")
    for k in (1, 12, 64, 65):
        for largest, places in ((True, down[:k]), (False, up[:k])):
            case("TopK", [x, np.array([k], I64)], [np.take_along_axis(x, places, 0), places.astype(I32)],
                 f"TopK {k} of columns {largest}", dim=0, largest=largest)
    zeros = np.array([0.0, -0.0, -1, 0.0, -np.inf], np.float32)
    case("TopK", [zeros, np.array([4], I32)], [zeros[[0, 1, 3, 2]], np.array([0, 1, 3, 2], I32)], "TopK takes zeros for equal")
    n = np.array([1, np.nan, 3, np.inf, np.nan], np.float32)
    case("TopK", [n, np.array([3], I32)], [n[[1, 4, 3]], np.array([1, 4, 3], I32)], "TopK takes NaN for the largest")
    refused("TopK", [f32(3), np.array([4], I32)], "k is 4, the dimension has 3 elements")
    case("SearchSorted", [s := np.array([1, 3, 3, 7], np.float32), v := np.array([[0, 3, 8]], np.float32)],
         [np.searchsorted(s, v)])
    case("SearchSorted", [s, v], [np.searchsorted(s, v, "right").astype(I32)], "SearchSorted on the right", right=True,
         dtype=Type("DT_INT32"))


def choose():
    for kind in EVERY:
        x = rng.integers(0, 2, (3, 4, 5)).astype(kind)
        case("NonZero", [x], [np.array(np.nonzero(x))], f"NonZero of {kind}", transpose=True)
        case("Where", [x], [np.argwhere(x)], f"Where of {kind}")
    case("NonZero", [np.zeros((2, 2), np.float32)], [np.zeros((0, 2), I64)], "NonZero of zeros")
    case("NonZero", [np.array([[1, 0], [0, 1]], np.float32)], [np.array([[0, 0], [1, 1]], I32)], "NonZero in int32",
         dtype=Type("DT_INT32"))
    x, mask = f32(3, 4), rng.integers(0, 2, 4).astype(bool)
    case("MaskedSelect", [x, mask], [x[:, mask].ravel()])
    u = np.array([2, 1, 1, 3, 4, 3], np.float32)
    y, first, inverse, counts = np.unique(u, True, True, True)
    case("UniqueWithCountsAndSorting", [u], [y, inverse, counts], return_inverse=True, return_counts=True)
    case("UniqueWithCountsExt2", [u, np.zeros(0, I64)], [y, first, counts, inverse], sorted=True)
    at = np.argsort(first)
    case("Unique", [u], [u[first[at]], np.argsort(at)[inverse].astype(I32)])
    case("UniqueWithCounts", [u], [u[first[at]], np.argsort(at)[inverse], counts[at]], out_idx=Type("DT_INT64"))
    case("UniqueWithCountsExt2", [u, np.zeros(0, I64)], [u[first[at]], first[at], counts[at], np.argsort(at)[inverse]],
         "UniqueWithCountsExt2 in order of appearance")
    for axis in (0, 1, -1):
        m = rng.integers(0, 2, (4, 3, 5)).astype(np.float32)
        m = np.concatenate([m, m], axis)
        y, first, inverse, counts = np.unique(m, True, True, True, axis)
        case("UniqueWithCountsExt2", [m, np.array([axis], I64)], [y, first, counts, inverse],
             f"UniqueWithCountsExt2 along {axis}", sorted=True)


def diagonal():
    x = f32(2, 3)
    want = np.zeros((2, 3, 3), np.float32)
    for i in range(3):
        want[:, i, i] = x[:, i]
    case("MatrixDiag", [x], [want])
    any_size = [I32(-1), I32(-1)]
    case("MatrixDiagV2", [x, I32(0), *any_size, np.float32(0)], [want])
    up = np.full((2, 4, 4), 9, np.float32)
    for i in range(3):
        up[:, i, i + 1] = x[:, i]
    case("MatrixDiagV2", [x, I32(1), *any_size, np.float32(9)], [up], "MatrixDiagV2 above")
    case("MatrixDiagV2", [x, I32(-1), *any_size, np.float32(9)], [up.transpose(0, 2, 1)], "MatrixDiagV2 below")
    case("MatrixDiagV2", [x, I32(0), I32(3), I32(4), np.float32(0)], [np.pad(want, ((0, 0), (0, 0), (0, 1)))],
         "MatrixDiagV2 of a wide matrix")
    band = np.array([[8, 9, 0], [1, 2, 3], [4, 5, 0]], np.float32)  # diagonals 1, 0, -1
    case("MatrixDiagV2", [band, np.array([-1, 1], I32), I32(3), I32(3), np.float32(0)],
         [np.array([[1, 8, 0], [4, 2, 9], [0, 5, 3]], np.float32)], "MatrixDiagV2 of a band")
    right = np.array([[0, 8, 9], [1, 2, 3], [4, 5, 0]], np.float32)
    case("MatrixDiagV3", [right, np.array([-1, 1], I32), I32(3), I32(3), np.float32(0)],
         [np.array([[1, 8, 0], [4, 2, 9], [0, 5, 3]], np.float32)], "MatrixDiagV3 aligned right above, left below")
    case("Eye", [], [np.eye(3, 4, dtype=np.float32)], num_rows=3, num_columns=4, dtype=0)
    case("Eye", [], [np.tile(np.eye(2, dtype=I64), (3, 1, 1))], "Eye in batches", num_rows=2, batch_shape=[3], dtype=9)
    columns = f32(2, 3 * 6, 12)
    image = np.zeros((2, 3, 7, 8), np.float32)  # padded by 1, 0 before and 1, 1 after
    c6 = columns.reshape(2, 3, 2, 3, 3, 4)
    for ky in range(2):
        for kx in range(3):
            for oy in range(3):
                for ox in range(4):
                    image[:, :, oy * 2 + ky, ox + kx * 2] += c6[:, :, ky, kx, oy, ox]
    case("Col2ImV2", [columns, np.array([5, 7], I64), np.array([2, 3], I64)], [image[:, :, 1:6, 0:7]],
         dilation=[1, 2], padding=[1, 0, 1, 1], stride=[2, 1])
    refused("Col2ImV2", [f32(1, 4, 5), np.array([2, 2], I64), np.array([2, 2], I64)], "elements, the windows",
            dilation=[1], padding=[0], stride=[1])


for family in (gather, scatter, join, slices, pad, rearrange, order, choose, diagonal):
    family()
