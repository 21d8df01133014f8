# SPDX-License-Identifier: Apache-2.0
"""Blocks of floats that networks have more rarely. None jumps: what is nearly equal before stays so."""
import numpy as np
from graph import onnx_type


def smooth(g, x):
    shape = g.shapes[x]
    newer = [op for op, first in (("Mish", 18), ("Gelu", 20)) if g.opset >= first]
    op = g.random.choice(["Sin", "Cos", "Atan", "Asinh", "Sqrt", "Log", "Reciprocal", "Exp", "Celu", "Pow", "BiasGelu", "FastGelu",
                          "QuickGelu", "Sum", "Mean", "Dropout", "Identity", *newer, *newer])  # fmt: skip
    if op in ("Sqrt", "Log", "Reciprocal"):
        x = g.add("Add", [g.add("Abs", [x], shape), g.constant(1)], shape)
    if op == "Exp":
        x = g.add("Clip", [x, g.constant(-4), g.constant(2)], shape)
    if op == "Pow":
        return g.add(op, [x, g.constant(g.random.choice([2, 3]))], shape)
    if op == "BiasGelu":
        return g.add(op, [x, g.normal(shape[-1])], shape, domain="com.microsoft")
    if op in ("FastGelu", "QuickGelu"):
        return g.add(op, [x], shape, domain="com.microsoft")
    if op in ("Sum", "Mean"):
        return g.add(op, [x, g.like(shape), g.uniform(-1, 1, shape[-1])], shape)
    if op == "Gelu":
        return g.add(op, [x], shape, approximate=g.random.choice(["none", "tanh"]))
    return g.add(op, [x], shape)


def norm(g, x):
    shape = g.shapes[x]
    if len(shape) < 2:
        return
    op = g.random.choice(["LayerNormalization", "LayerNormalization", "LpNormalization", "GroupNormalization", "LRN"])
    if op == "LayerNormalization" and g.opset >= 17:
        axis = g.random.randrange(1, len(shape))
        rest = shape[axis:]
        # A large epsilon: equal numbers have no variance, and the rounding of their mean is not to be magnified.
        g.add(op, [x, g.uniform(0.5, 1.5, *rest), g.uniform(-1, 1, *rest)], shape, axis=axis - len(shape), epsilon=1e-2)
    elif op == "LpNormalization":
        positive = g.add("Add", [g.add("Abs", [x], shape), g.constant(0.5)], shape)
        g.add(op, [positive], shape, axis=g.random.randrange(len(shape)), p=g.random.choice([1, 2]))
    elif op == "GroupNormalization" and g.opset >= 21 and len(shape) == 4 and shape[1] % 2 == 0:
        g.add(op, [x, g.uniform(0.5, 1.5, shape[1]), g.uniform(-1, 1, shape[1])], shape, num_groups=2, epsilon=1e-2)
    elif op == "LRN" and len(shape) == 4:
        g.add(op, [x], shape, size=g.random.choice([3, 5]), alpha=0.01, beta=0.75, bias=1.0)


def line(g, x):
    """Convolution and pooling along one axis."""
    if len(g.shapes[x]) != 3:
        return
    n, c, length = g.shapes[x]
    if g.random.random() < 0.6:
        kernel, channels = g.random.choice([1, 3]), g.random.choice([4, 8])
        weights = [g.normal(channels, c, kernel, scale=(c * kernel) ** -0.5), g.normal(channels)]
        g.add("Conv", [x, *weights], (n, channels, length), kernel_shape=[kernel], pads=[kernel // 2] * 2)
    elif length > 2:
        g.add(g.random.choice(["MaxPool", "AveragePool"]), [x], (n, c, (length - 2) // 2 + 1), kernel_shape=[2], strides=[2])


def volume(g, x):
    if len(g.shapes[x]) != 4:
        return
    n, c, h, w = g.shapes[x]
    shape = (n, 1, c, h, w)
    y = g.add("Reshape", [x, g.integers(shape)], shape)
    if g.random.random() < 0.6:
        g.add("Conv", [y, g.normal(4, 1, 3, 3, 3, scale=0.2), g.normal(4)], (n, 4, c, h, w), kernel_shape=[3] * 3, pads=[1] * 6)
    elif min(c, h, w) >= 2:
        g.add(g.random.choice(["MaxPool", "AveragePool"]), [y], (n, 1, c // 2, h // 2, w // 2), kernel_shape=[2] * 3, strides=[2] * 3)


def more_reductions(g, x):
    shape = g.shapes[x]
    axes = sorted(g.random.sample(range(len(shape)), g.random.randrange(1, len(shape) + 1)))
    op = g.random.choice(["ReduceLogSumExp", "ReduceL1", "ReduceSumSquare", "ReduceLogSum"])
    small = g.add("Clip", [x, g.constant(-3), g.constant(3)], shape)
    if op == "ReduceLogSum":
        small = g.add("Exp", [small], shape)
    g.reduce(op, small, axes, 1, [1 if axis in axes else dim for axis, dim in enumerate(shape)])


def running(g, x):
    axis = g.random.randrange(len(g.shapes[x]))
    g.add("CumSum", [x, g.integers(axis)], g.shapes[x], exclusive=g.random.choice([0, 1]), reverse=g.random.choice([0, 1]))


def largest(g, x):
    """The values alone: which of two nearly equal ones comes first is nobody's business."""
    shape = g.shapes[x]
    axis = g.random.randrange(len(shape))
    count = g.random.randrange(1, shape[axis] + 1)
    left = (*shape[:axis], count, *shape[axis + 1 :])
    types = [(np.float32, left), (np.int64, left)]
    _, places = g.add_all("TopK", [x, g.integers([count])], types, axis=axis, largest=g.random.choice([0, 1]))
    g.hidden.add(places)


def tiles(g, x):
    shape = g.shapes[x]
    repeats = [g.random.choice([1, 1, 2]) for _ in shape]
    g.add("Tile", [x, g.integers(repeats)], [dim * times for dim, times in zip(shape, repeats)])


def places(g, x):
    """Gather and scatter by element and by index."""
    shape = g.shapes[x]
    axis = g.random.randrange(len(shape))
    op = g.random.choice(["GatherElements", "ScatterElements", "GatherND", "ScatterND"])
    if op == "GatherElements":
        g.add(op, [x, g.integers(g.numbers.integers(-shape[axis], shape[axis], shape))], shape, axis=axis)
    elif op == "ScatterElements":
        order = np.argsort(g.numbers.random(shape), axis=axis)  # no place twice
        more = {"reduction": g.random.choice(["none", "add", "mul"])} if g.opset >= 16 else {}
        g.add(op, [x, g.integers(order), g.uniform(-1, 1, *shape)], shape, axis=axis, **more)
    elif op == "GatherND":
        index = g.numbers.integers(0, shape[0], (3, 1))
        g.add(op, [x, g.integers(index)], (3, *shape[1:]))
    else:
        index = g.numbers.permutation(shape[0])[:2].reshape(-1, 1)
        g.add(op, [x, g.integers(index), g.uniform(-1, 1, len(index), *shape[1:])], shape)


def triangle(g, x):
    if len(g.shapes[x]) >= 2:
        g.add("Trilu", [x, g.integers(g.random.choice([-1, 0, 1]))], g.shapes[x], upper=g.random.choice([0, 1]))


def sampled(g, x):
    if len(g.shapes[x]) != 4 or g.opset < 16:
        return
    n, c, h, w = g.shapes[x]
    mode = g.random.choice(["linear" if g.opset >= 20 else "bilinear", "cubic" if g.opset >= 20 else "bicubic"])
    grid = g.uniform(-1.2, 1.2, n, 5, 6, 2)
    g.add("GridSample", [x, grid], (n, c, 5, 6), mode=mode, padding_mode=g.random.choice(["zeros", "border", "reflection"]),
          align_corners=g.random.choice([0, 1]))  # fmt: skip


def einsum(g, x):
    shape = g.shapes[x]
    if len(shape) == 2:
        g.add("Einsum", [x, g.normal(shape[1], 5, scale=shape[1] ** -0.5)], (5, shape[0]), equation="ij,jk->ki")
    elif len(shape) == 3:
        g.add("Einsum", [x, g.normal(shape[2], 5, scale=shape[2] ** -0.5)], (shape[0], 5, shape[1]), equation="bij,jk->bki")


def reversed_rows(g, x):
    shape = g.shapes[x]
    if len(shape) >= 2:
        lengths = g.integers(g.numbers.integers(1, shape[0] + 1, shape[1]))
        g.add("ReverseSequence", [x, lengths], shape, time_axis=0, batch_axis=1)


def shape_of(g, x):
    """As exporters write a flatten: Shape, Gather, Concat, Reshape."""
    shape = g.shapes[x]
    sizes = g.add("Shape", [x], (len(shape),), np.int64)
    first = g.add("Gather", [sizes, g.integers([0])], (1,), np.int64)
    target = g.add("Concat", [first, g.integers([-1])], (2,), np.int64, axis=0)
    g.add("Reshape", [x, target], (shape[0], int(np.prod(shape[1:]))))


def double(g, x):
    """A short way through float64."""
    shape = g.shapes[x]
    y = g.add("Cast", [x], shape, np.float64, to=onnx_type(np.float64))
    y = g.add(g.random.choice(["Add", "Mul"]), [y, g.constant(g.numbers.uniform(0.5, 2, shape[-1:]), np.float64)], shape, np.float64)
    g.add("Cast", [y], shape, to=onnx_type(np.float32))


OF_IMAGES = [norm, volume, sampled]
OF_ANYTHING = [smooth, smooth, smooth, norm, line, more_reductions, running, largest, tiles, places, triangle, einsum,
               reversed_rows, shape_of, double]  # fmt: skip
