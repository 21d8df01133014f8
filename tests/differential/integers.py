# SPDX-License-Identifier: Apache-2.0
"""Graphs of integers and of booleans. Every bit counts; what overflows wraps."""
import numpy as np
from graph import INT64_MAX, THREADS, Case, Graph, onnx_type

SIGNED, UNSIGNED = [np.int8, np.int16, np.int32, np.int64], [np.uint8, np.uint16, np.uint32, np.uint64]
WIDE = [np.int32, np.int64]
SHAPES = [(3, 4), (2, 3, 4), (7,), (5, 6)]


def numbers(g, kind, shape):
    """Small numbers, or some of all sizes."""
    limits = np.iinfo(kind)
    low, high = (max(-6, limits.min), 9) if g.random.random() < 0.6 else (limits.min, limits.max)
    return g.numbers.integers(low, high, shape, kind, endpoint=True)


def pick(g, *kinds, wanted=lambda shape: True):
    """A tensor of one of the types that an input or a node gave, mostly a recent one."""
    made = [each.name for each in g.inputs] + [name for node in g.nodes for name in node.output if name]
    found = [name for name in made if g.types[name][0] in kinds and wanted(g.types[name][1])]
    if not found:
        return None
    return g.random.choice(found[-5:] if g.random.random() < 0.7 else found)


def arithmetic(g, x, kind, shape):
    op = g.random.choice(["Add", "Sub", "Mul", "Add", "Sub"])
    other = pick(g, kind, wanted=lambda each: each == shape) if g.random.random() < 0.5 else g.constant(numbers(g, kind, shape[-1:]), kind)
    g.add(op, [x, other][:: g.random.choice([1, -1])], shape, kind)


def division(g, x, kind, shape):
    divisor = g.numbers.integers(1, 7, shape[-1:])
    if kind in SIGNED and g.random.random() < 0.4:
        divisor = -divisor - 1
    op = g.random.choice(["Div", "Mod", "Mod"])
    more = {"fmod": g.random.choice([0, 1])} if op == "Mod" else {}
    g.add(op, [x, g.constant(divisor, kind)], shape, kind, **more)


def plain(g, x, kind, shape):
    op = g.random.choice(["Abs", "Sign", "Identity", *(["Neg"] if kind in SIGNED else [])])
    g.add(op, [x], shape, kind)


def limits(g, x, kind, shape):
    op = g.random.choice(["Min", "Max", "Clip"])
    if op == "Clip":
        low, high = sorted(numbers(g, kind, (2,)))
        g.add(op, [x, g.constant(low, kind), g.constant(high, kind)], shape, kind)
    else:
        g.add(op, [x, g.constant(numbers(g, kind, shape[-1:]), kind)], shape, kind)


def bits(g, x, kind, shape):
    if kind in UNSIGNED and g.random.random() < 0.5:
        places = g.constant(g.numbers.integers(0, 8 * np.dtype(kind).itemsize, shape[-1:]), kind)
        g.add("BitShift", [x, places], shape, kind, direction=g.random.choice(["LEFT", "RIGHT"]))
    elif g.opset >= 18:
        op = g.random.choice(["BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot"])
        g.add(op, [x] if op == "BitwiseNot" else [x, g.constant(numbers(g, kind, shape[-1:]), kind)], shape, kind)


def reduction(g, x, kind, shape):
    axes = sorted(g.random.sample(range(len(shape)), g.random.randrange(1, len(shape) + 1)))
    keep = g.random.choice([0, 1])
    left = [1 if axis in axes else dim for axis, dim in enumerate(shape) if keep or axis not in axes]
    op = g.random.choice(["ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin"] if kind in WIDE else ["ReduceMax", "ReduceMin"])
    if kind in WIDE or kind in (np.int8, np.uint8):
        g.reduce(op, x, axes, keep, left, kind)


def places(g, x, kind, shape):
    axis = g.random.randrange(len(shape))
    left = (*shape[:axis], 1, *shape[axis + 1 :])
    g.add(g.random.choice(["ArgMax", "ArgMin"]), [x], left, np.int64, axis=axis, select_last_index=g.random.choice([0, 1]))


def running(g, x, kind, shape):
    if kind in WIDE:
        axis = g.random.randrange(len(shape))
        g.add("CumSum", [x, g.integers(axis)], shape, kind, exclusive=g.random.choice([0, 1]), reverse=g.random.choice([0, 1]))


def largest(g, x, kind, shape):
    axis = g.random.randrange(len(shape))
    if shape[axis] == 0:
        return
    count = g.random.randrange(1, shape[axis] + 1)
    left = (*shape[:axis], count, *shape[axis + 1 :])
    g.add_all("TopK", [x, g.integers([count])], [(kind, left), (np.int64, left)], axis=axis, largest=g.random.choice([0, 1]))


def moved(g, x, kind, shape):
    axis = g.random.randrange(len(shape))
    rest = lambda size: (*shape[:axis], size, *shape[axis + 1 :])  # noqa: E731
    way = g.random.choice(["Transpose", "Gather", "GatherElements", "ScatterElements", "ScatterND", "Slice", "Concat", "Split",
                           "Pad", "Tile", "Expand", "Trilu", "Reshape"])  # fmt: skip
    if way == "Transpose":
        order = list(range(len(shape)))
        g.random.shuffle(order)
        g.add(way, [x], [shape[i] for i in order], kind, perm=order)
    elif way == "Gather":
        g.add(way, [x, g.integers(g.numbers.integers(-shape[axis], shape[axis], 3))], rest(3), kind, axis=axis)
    elif way == "GatherElements":
        g.add(way, [x, g.integers(g.numbers.integers(-shape[axis], shape[axis], shape))], shape, kind, axis=axis)
    elif way == "ScatterElements":
        order = np.argsort(g.numbers.random(shape), axis=axis)
        more = {"reduction": g.random.choice(["none", "add"])} if g.opset >= 16 else {}
        g.add(way, [x, g.integers(order), g.constant(numbers(g, kind, shape), kind)], shape, kind, axis=axis, **more)
    elif way == "ScatterND":
        index = g.numbers.permutation(shape[0])[:2].reshape(-1, 1)
        g.add(way, [x, g.integers(index), g.constant(numbers(g, kind, (len(index), *shape[1:])), kind)], shape, kind)
    elif way == "Slice":
        g.add(way, [x, *map(g.integers, ([-1], [-INT64_MAX], [axis], [-1]))], shape, kind)
    elif way == "Concat":
        g.add(way, [x, g.constant(numbers(g, kind, rest(2)), kind)], rest(shape[axis] + 2), kind, axis=axis)
    elif way == "Split" and shape[axis] > 1:
        g.add_all(way, [x, g.integers([1, shape[axis] - 1])], [(kind, rest(1)), (kind, rest(shape[axis] - 1))], axis=axis)
    elif way == "Pad" and kind in (np.int8, np.uint8, np.int32, np.int64):
        mode = g.random.choice(["constant", "edge", "reflect"]) if min(shape) > 1 else "constant"
        inputs = [x, g.integers([1] * len(shape) + [0] * len(shape))] + ([g.constant(3, kind)] if mode == "constant" else [])
        g.add(way, inputs, [dim + 1 for dim in shape], kind, mode=mode)
    elif way == "Tile":
        g.add(way, [x, g.integers([2] + [1] * (len(shape) - 1))], (2 * shape[0], *shape[1:]), kind)
    elif way == "Expand":
        g.add(way, [x, g.integers([2, *shape])], (2, *shape), kind)
    elif way == "Trilu" and len(shape) >= 2 and kind in WIDE:
        g.add(way, [x], shape, kind, upper=g.random.choice([0, 1]))
    elif way == "Reshape":
        g.add(way, [x, g.integers([-1])], (int(np.prod(shape)),), kind)


def product(g, x, kind, shape):
    if len(shape) == 2 and kind in (np.int32, np.int64, np.uint32, np.uint64):
        g.add("MatMul", [x, g.constant(numbers(g, kind, (shape[1], 3)), kind)], (shape[0], 3), kind)


def chosen(g, x, kind, shape):
    other = g.constant(numbers(g, kind, shape[-1:]), kind)
    op = g.random.choice(["Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"])
    condition = g.add(op, [x, other], shape, bool)
    g.add("Where", [condition, x, other], shape, kind)


def cast(g, x, kind, shape):
    to = g.random.choice([*SIGNED, *UNSIGNED, bool, np.float32, np.float64])
    g.add("Cast", [x], shape, to, to=onnx_type(to))


def power(g, x, kind, shape):
    if kind in WIDE:
        small = g.add("Clip", [x, g.constant(-5, kind), g.constant(5, kind)], shape, kind)
        g.add("Pow", [small, g.constant(g.random.choice([2, 3]), kind)], shape, kind)


def one_hot(g, x, kind, shape):
    if kind in WIDE:  # indices beyond the depth: docs/convert.md
        x = g.add("Clip", [x, g.constant(-5, kind), g.constant(4, kind)], shape, kind)
        g.add("OneHot", [x, g.integers([5]), g.constant([-1, 7], kind)], (*shape, 5), kind, axis=-1)


BLOCKS = [arithmetic, arithmetic, arithmetic, division, division, plain, limits, bits, bits, reduction, places, running, largest,
          moved, moved, moved, product, chosen, cast, power, one_hot]  # fmt: skip


def integers(seed):
    g = Graph(seed)
    main, shape = g.random.choice([*SIGNED, *UNSIGNED, *WIDE]), g.random.choice(SHAPES)
    g.input("x", main, shape)
    for _ in range(g.random.randrange(3, 10)):
        x = pick(g, *SIGNED, *UNSIGNED, wanted=lambda each: len(each) > 0)
        kind, dims = g.types[x]
        if np.prod(dims) < 2000:
            g.random.choice(BLOCKS)(g, x, kind.type, dims)
    if not g.nodes:
        plain(g, "x", main, shape)
    inputs = [{"x": numbers(g, main, shape)} for _ in range(2)]
    return Case(g.model(), inputs, exact=True, threads=g.random.choice(THREADS), types=g.types)


def booleans(seed):
    """Comparisons of floats, some of them infinite or no numbers, and what is made of the answers."""
    g = Graph(seed)
    shape = g.random.choice(SHAPES)
    g.input("x", np.float32, shape)
    g.input("y", np.float32, shape)
    for _ in range(g.random.randrange(3, 9)):
        floats = [pick(g, np.float32), pick(g, np.float32)]
        truth = [pick(g, np.bool_), pick(g, np.bool_)]
        way = g.random.choice(["compare", "compare", "combine", "combine", "not", "where", "kind", "cast", "same", "sum", "nan"])
        if way == "compare" or truth[0] is None:
            op = g.random.choice(["Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"])
            g.add(op, floats, shape, bool)
        elif way == "combine":
            g.add(g.random.choice(["And", "Or", "Xor"]), truth, shape, bool)
        elif way == "not":
            g.add("Not", truth[:1], shape, bool)
        elif way == "where":
            g.add("Where", [truth[0], *floats], shape)
        elif way == "kind":
            g.add("IsInf", floats[:1], shape, bool, detect_negative=g.random.choice([0, 1]), detect_positive=g.random.choice([0, 1]))
        elif way == "nan":
            g.add("IsNaN", floats[:1], shape, bool)
        elif way == "cast":
            g.add("Cast", truth[:1], shape, to=onnx_type(np.float32))
        elif way == "same":
            g.add("Equal", truth, shape, bool)
        else:
            count = g.add("Cast", truth[:1], shape, np.int32, to=onnx_type(np.int32))
            g.add("ReduceSum", [count], (), np.int32, keepdims=0)
    inputs = []
    for _ in range(2):
        arrays = {}
        for name in ("x", "y"):
            arrays[name] = g.numbers.integers(-2, 3, shape).astype(np.float32)
            odd = g.numbers.random(shape)
            arrays[name][odd < 0.1], arrays[name][odd > 0.9] = np.nan, np.inf
            arrays[name][(odd > 0.1) & (odd < 0.15)] = -np.inf
        inputs.append(arrays)
    return Case(g.model(), inputs, exact=True, threads=g.random.choice(THREADS), types=g.types)


KINDS = {"integer": integers, "boolean": booleans}
