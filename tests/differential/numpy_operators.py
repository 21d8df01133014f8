# SPDX-License-Identifier: Apache-2.0
"""Operators of ONNX in numpy, each by its definition: f(inputs, attributes, opset). Floats come as float64."""
import math

import numpy as np
from numpy_quantized import (conv_integer, dequantize, dynamic_quantize, matmul_integer, qlinear_conv, qlinear_matmul,
                             quantize)  # fmt: skip
from numpy_windows import average_pool, conv, conv_transpose, max_pool
from onnx import numpy_helper


def axes_of(v, a, rank):
    axes = v[1] if len(v) > 1 and v[1] is not None else a.get("axes")
    if axes is None or len(axes) == 0:
        return () if a.get("noop_with_empty_axes") else tuple(range(rank))
    return tuple(int(axis) % rank for axis in axes)


def reduced(function):
    return lambda v, a, o: function(v[0], axis=axes_of(v, a, v[0].ndim), keepdims=bool(a.get("keepdims", 1)))


def truncated(x, y):
    """The quotient of integers, towards zero, without a detour through floats."""
    quotient = np.abs(x.astype(object)) // np.abs(y.astype(object))
    return np.where((x < 0) != (y < 0), -quotient, quotient)


def divide(v, a, o):
    return v[0] / v[1] if v[0].dtype.kind == "f" else truncated(*np.broadcast_arrays(*v[:2]))


def clip(v, a, o):
    low, high = [*v[1:], None, None][:2]
    x = v[0] if low is None else np.maximum(v[0], low)
    return x if high is None else np.minimum(x, high)


def reshape(v, a, o):
    keeps = not a.get("allowzero", 0)
    return v[0].reshape([v[0].shape[i] if dim == 0 and keeps else int(dim) for i, dim in enumerate(v[1])])


def squeeze(v, a, o):
    axes = None if len(v) < 2 else tuple(int(axis) for axis in v[1])
    return np.squeeze(v[0], axes)


def unsqueeze(v, a, o):
    return np.expand_dims(v[0], tuple(int(axis) for axis in np.atleast_1d(v[1])))


def cut(v, a, o):
    x, starts, ends = v[:3]
    axes = v[3] if len(v) > 3 and v[3] is not None else range(len(starts))
    steps = v[4] if len(v) > 4 and v[4] is not None else [1] * len(starts)
    places = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        size, step = x.shape[int(axis)], int(step)
        start, end = (int(each) + size if each < 0 else int(each) for each in (start, end))
        if step > 0:
            places[int(axis)] = slice(min(max(start, 0), size), min(max(end, 0), size), step)
        else:
            start, end = min(max(start, -1), size - 1), min(max(end, -1), size - 1)
            places[int(axis)] = slice(start, None if end < 0 else end, step)
    return x[tuple(places)]


def split(v, a, o):
    axis = a.get("axis", 0)
    return tuple(np.split(v[0], np.cumsum(v[1])[:-1], axis))


def pad(v, a, o):
    x, pads = v[0], [int(each) for each in v[1]]
    rank = x.ndim
    mode = a.get("mode", "constant")
    more = {}
    if mode == "constant":
        more["constant_values"] = v[2].item() if len(v) > 2 and v[2] is not None else 0
    return np.pad(x, list(zip(pads[:rank], pads[rank:])), mode, **more)


def one_hot(v, a, o):
    depth, axis = int(np.ravel(v[1])[0]), a.get("axis", -1)
    indices = np.mod(v[0], depth)
    places = np.arange(depth)
    axis = axis if axis >= 0 else axis + v[0].ndim + 1
    hot = np.expand_dims(indices, axis) == places.reshape([-1 if i == axis else 1 for i in range(v[0].ndim + 1)])
    known = np.expand_dims((v[0] >= -depth) & (v[0] < depth), axis)
    return np.where(hot & known, v[2][1], v[2][0])


def gather_elements(v, a, o):
    axis = a.get("axis", 0)
    return np.take_along_axis(v[0], np.where(v[1] < 0, v[1] + v[0].shape[axis], v[1]), axis)


REDUCTIONS = {"none": lambda old, new: new, "add": lambda old, new: old + new, "mul": lambda old, new: old * new,
              "max": max, "min": min}  # fmt: skip


def scatter_elements(v, a, o):
    axis, y, join = a.get("axis", 0), v[0].copy(), REDUCTIONS[a.get("reduction", "none")]
    for place in np.ndindex(*v[1].shape):
        to = list(place)
        to[axis] = v[1][place]
        y[tuple(to)] = join(y[tuple(to)], v[2][place])
    return y


def scatter_nd(v, a, o):
    y, join = v[0].copy(), REDUCTIONS[a.get("reduction", "none")]
    for place in np.ndindex(*v[1].shape[:-1]):
        to = tuple(v[1][place])
        y[to] = np.vectorize(join)(y[to], v[2][place]) if y[to].size else y[to]
    return y


def gather_nd(v, a, o):
    return np.array([v[0][tuple(index)] for index in v[1].reshape(-1, v[1].shape[-1])]).reshape(
        v[1].shape[:-1] + v[0].shape[v[1].shape[-1] :])  # fmt: skip


def top_k(v, a, o):
    """Of equals the one with the lower index comes first."""
    x, count, axis = v[0], int(np.ravel(v[1])[0]), a.get("axis", -1)
    rank = np.unique(x, return_inverse=True)[1].reshape(x.shape)  # numbers that can be negated, of any type
    order = np.argsort(-rank if a.get("largest", 1) else rank, axis=axis, kind="stable")
    places = np.take(order, range(count), axis)
    return np.take_along_axis(x, places, axis), places.astype(np.int64)


def cum_sum(v, a, o):
    axis = int(np.ravel(v[1])[0])
    x = np.flip(v[0], axis) if a.get("reverse") else v[0]
    y = np.cumsum(x, axis, dtype=x.dtype)
    if a.get("exclusive"):
        y = y - x
    return np.flip(y, axis) if a.get("reverse") else y


def argument(function):
    def run(v, a, o):
        x, axis = v[0], a.get("axis", 0)
        if a.get("select_last_index"):
            found = x.shape[axis] - 1 - function(np.flip(x, axis), axis=axis)
        else:
            found = function(x, axis=axis)
        return (np.expand_dims(found, axis) if a.get("keepdims", 1) else found).astype(np.int64)

    return run


def batch_norm(v, a, o):
    x, *rest = v
    scale, shift, mean, variance = (each.reshape(1, -1, *[1] * (x.ndim - 2)) for each in rest)
    return (x - mean) / np.sqrt(variance + a.get("epsilon", 1e-5)) * scale + shift


def layer_norm(v, a, o):
    x, axis = v[0], a.get("axis", -1)
    axes = tuple(range(axis % x.ndim, x.ndim))
    centred = x - x.mean(axes, keepdims=True)
    y = centred / np.sqrt((centred**2).mean(axes, keepdims=True) + a.get("epsilon", 1e-5)) * v[1]
    return y + v[2] if len(v) > 2 else y


def softmax(v, a, o):
    axis = a.get("axis", -1)
    e = np.exp(v[0] - v[0].max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(v, a, o):
    """One direction, without a bias. Gates come as i, o, f, c."""
    x, w, r = v[0], v[1][0], v[2][0]
    bias = v[3][0].reshape(2, -1).sum(0) if len(v) > 3 and v[3] is not None else 0
    h = c = np.zeros((x.shape[1], a["hidden_size"]))
    steps = []
    for part in x:
        i, out, f, g = np.split(part @ w.T + h @ r.T + bias, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(out) * np.tanh(c)
        steps.append(h)
    return np.stack(steps)[:, None], h[None], c[None]


def gru(v, a, o):
    """One direction; the gate is applied before the product. Gates come as z, r, h."""
    x, w, r = v[0], v[1][0], v[2][0]
    size = a["hidden_size"]
    wz, wr, wh = np.split(w, 3)
    rz, rr, rh = np.split(r, 3)
    bz, br, bh = np.split(v[3][0].reshape(2, -1).sum(0), 3)
    h, steps = np.zeros((x.shape[1], size)), []
    for part in x:
        z = sigmoid(part @ wz.T + h @ rz.T + bz)
        reset = sigmoid(part @ wr.T + h @ rr.T + br)
        h = (1 - z) * np.tanh(part @ wh.T + (reset * h) @ rh.T + bh) + z * h
        steps.append(h)
    return np.stack(steps)[:, None], h[None]


def gemm(v, a, o):
    left, right = (v[0].T if a.get("transA") else v[0]), (v[1].T if a.get("transB") else v[1])
    y = left @ right * a.get("alpha", 1.0)
    return y + a.get("beta", 1.0) * v[2] if len(v) > 2 else y


def resize(v, a, o):
    """Asymmetric, to the nearest below or linear: what the graphs here have."""
    x = v[0]
    for axis, scale in enumerate(v[2]):
        places = np.arange(int(np.floor(x.shape[axis] * scale))) / scale
        below = np.floor(places).astype(int)
        y = np.take(x, below, axis)
        if a.get("mode") == "linear":
            above = np.take(x, np.minimum(below + 1, x.shape[axis] - 1), axis)
            part = (places - below).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
            y = y + (above - y) * part
        x = y
    return x


def shifted(v, a, o):
    return np.left_shift(*v) if a["direction"] == "LEFT" else np.right_shift(*v)


def modulo(v, a, o):
    if not a.get("fmod", 0):
        return np.mod(*v)
    if v[0].dtype.kind == "f":
        return np.fmod(*v)
    x, y = np.broadcast_arrays(*v)
    return x.astype(object) - truncated(x, y) * y.astype(object)


def unique(v, a, o):
    axis = a.get("axis")
    values, first, inverse, counts = np.unique(v[0], True, True, True, axis)
    if not a.get("sorted", 1):
        order = np.argsort(first)
        values = np.take(values, order, 0 if axis is None else axis)
        rank = np.argsort(order)
        first, inverse, counts = first[order], rank[inverse], counts[order]
    return values, first, inverse.reshape(-1), counts


def compress(v, a, o):
    axis, keep = a.get("axis"), v[1].astype(bool)
    x = v[0].reshape(-1) if axis is None else v[0]
    return np.compress(keep, x, 0 if axis is None else axis)


def overlap(a, b):
    """Of two boxes, by their corners in any order: what they share, of what they cover together."""
    low = np.maximum(np.minimum(a[:2], a[2:]), np.minimum(b[:2], b[2:]))
    high = np.minimum(np.maximum(a[:2], a[2:]), np.maximum(b[:2], b[2:]))
    shared = np.prod(np.maximum(high - low, 0))
    return shared / (np.prod(np.abs(a[2:] - a[:2])) + np.prod(np.abs(b[2:] - b[:2])) - shared)


def non_max_suppression(v, a, o):
    boxes, scores, most, near, least = v
    kept = []
    for batch, kind in np.ndindex(*scores.shape[:2]):
        own = []
        for i in np.argsort(-scores[batch, kind], kind="stable"):
            if scores[batch, kind, i] > least and len(own) < most and all(overlap(boxes[batch, i], boxes[batch, j]) <= near for j in own):
                own.append(i)
        kept += [(batch, kind, i) for i in own]
    return np.asarray(kept, np.int64).reshape(-1, 3)


def filled(v, a, o):
    value = numpy_helper.to_array(a["value"]) if "value" in a else np.zeros(1, np.float32)
    return np.full([int(dim) for dim in v[0]], value[0], value.dtype)


def shape(v, a, o):
    rank = v[0].ndim
    place = lambda value: min(max(value + rank if value < 0 else value, 0), rank)  # noqa: E731
    return np.asarray(v[0].shape[place(a.get("start", 0)) : place(a.get("end", rank))], np.int64)


def trilu(v, a, o):
    k = int(v[1]) if len(v) > 1 and v[1] is not None else 0
    return np.triu(v[0], k) if a.get("upper", 1) else np.tril(v[0], k)


def is_infinite(v, a, o):
    positive, negative = np.isposinf(v[0]), np.isneginf(v[0])
    return (positive & bool(a.get("detect_positive", 1))) | (negative & bool(a.get("detect_negative", 1)))


def folded(function):
    def run(v, a, o):
        y = v[0]
        for each in v[1:]:
            y = function(y, each)
        return y

    return run


def one(function):
    return lambda v, a, o: function(v[0])


def two(function):
    return lambda v, a, o: function(v[0], v[1])


OPERATORS = {
    "Abs": one(np.abs), "Add": two(np.add), "And": two(np.logical_and), "ArgMax": argument(np.argmax),
    "ArgMin": argument(np.argmin), "AveragePool": average_pool, "BatchNormalization": batch_norm, "BitShift": shifted, "BitwiseAnd": two(np.bitwise_and),
    "BitwiseNot": one(np.bitwise_not), "BitwiseOr": two(np.bitwise_or), "BitwiseXor": two(np.bitwise_xor),
    "Cast": one(lambda x: x), "Ceil": one(np.ceil), "Clip": clip, "Compress": compress,
    "Concat": lambda v, a, o: np.concatenate(v, a["axis"]), "Constant": lambda v, a, o: numpy_helper.to_array(a["value"]),
    "ConstantOfShape": filled, "Conv": conv, "ConvInteger": conv_integer, "ConvTranspose": conv_transpose, "CumSum": cum_sum,
    "DequantizeLinear": dequantize, "Div": divide, "DynamicQuantizeLinear": dynamic_quantize, "Equal": two(np.equal),
    "Elu": lambda v, a, o: np.where(v[0] < 0, a.get("alpha", 1.0) * np.expm1(v[0]), v[0]), "Erf": one(np.vectorize(math.erf, [np.float64])),
    "GRU": gru, "HardSwish": one(lambda x: x * np.clip(x / 6 + 0.5, 0, 1)), "ReduceL2": reduced(lambda x, **more: np.sqrt(np.sum(x * x, **more))),
    "Softplus": one(lambda x: np.logaddexp(x, 0)),
    "Exp": one(np.exp), "Expand": lambda v, a, o: v[0] * np.ones([int(dim) for dim in v[1]], v[0].dtype),
    "Flatten": lambda v, a, o: v[0].reshape(int(np.prod(v[0].shape[: a.get("axis", 1)])), -1), "Floor": one(np.floor),
    "Gather": lambda v, a, o: np.take(v[0], v[1], a.get("axis", 0)), "GatherElements": gather_elements, "GatherND": gather_nd,
    "Gemm": gemm, "GlobalAveragePool": lambda v, a, o: v[0].mean(axis=tuple(range(2, v[0].ndim)), keepdims=True),
    "Greater": two(np.greater), "GreaterOrEqual": two(np.greater_equal), "Identity": one(lambda x: x), "IsInf": is_infinite,
    "IsNaN": one(np.isnan), "LSTM": lstm, "LayerNormalization": layer_norm,
    "LeakyRelu": lambda v, a, o: np.where(v[0] < 0, v[0] * a.get("alpha", 0.01), v[0]), "Less": two(np.less),
    "LessOrEqual": two(np.less_equal), "MatMul": two(np.matmul), "MatMulInteger": matmul_integer, "Max": folded(np.maximum),
    "MaxPool": max_pool, "Min": folded(np.minimum), "Mod": modulo, "Mul": two(np.multiply), "Neg": one(np.negative),
    "NonMaxSuppression": non_max_suppression,
    "NonZero": one(lambda x: np.stack(np.nonzero(x)).astype(np.int64) if x.ndim else np.zeros((0, int(x != 0)), np.int64)),
    "Not": one(np.logical_not), "OneHot": one_hot, "Or": two(np.logical_or),
    "PRelu": lambda v, a, o: np.where(v[0] < 0, v[0] * v[1], v[0]), "Pad": pad, "Pow": two(np.power),
    "QLinearConv": qlinear_conv, "QLinearMatMul": qlinear_matmul, "QuantizeLinear": quantize,
    "Range": lambda v, a, o: np.arange(*(each.item() for each in v), dtype=v[0].dtype), "ReduceMax": reduced(np.max),
    "ReduceMean": reduced(np.mean), "ReduceMin": reduced(np.min), "ReduceProd": reduced(np.prod), "ReduceSum": reduced(np.sum),
    "ReduceSumSquare": reduced(lambda x, **more: np.sum(x * x, **more)), "Relu": one(lambda x: np.maximum(x, 0)),
    "Reshape": reshape, "Resize": resize, "Round": one(np.rint), "ScatterElements": scatter_elements, "ScatterND": scatter_nd,
    "Shape": shape, "Sigmoid": one(sigmoid), "Sign": one(np.sign), "Size": one(lambda x: np.asarray(x.size, np.int64)),
    "Slice": cut, "Softmax": softmax, "Split": split, "Sqrt": one(np.sqrt), "Squeeze": squeeze, "Sub": two(np.subtract),
    "Sum": folded(np.add), "Tanh": one(np.tanh), "Tile": lambda v, a, o: np.tile(v[0], [int(each) for each in v[1]]),
    "TopK": top_k, "Transpose": lambda v, a, o: v[0].transpose(a.get("perm")), "Trilu": trilu, "Unique": unique,
    "Unsqueeze": unsqueeze, "Where": lambda v, a, o: np.where(*v), "Xor": two(np.logical_xor),
}  # fmt: skip
