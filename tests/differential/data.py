# SPDX-License-Identifier: Apache-2.0
"""Graphs whose shapes depend on data: how many elements are not zero, which boxes are kept, how long a range is. Whole numbers:
every result is exact."""
import numpy as np
from graph import THREADS, Case, Graph, helper, onnx_type

SHAPE = (4, 5)


def size_from(g, low, high):
    """A number between low and high that the matrix tells, as [1]."""
    total = g.add("ReduceSum", [g.add("Abs", ["x"], SHAPE)], (1,), keepdims=0)
    number = g.add("Cast", [g.add("Reshape", [total, g.integers([1])], (1,))], (1,), np.int64, to=7)
    rest = g.add("Mod", [number, g.integers([high - low + 1])], (1,), np.int64)
    return g.add("Add", [rest, g.integers([low])], (1,), np.int64)


def non_zero(g, x):
    places = g.add("NonZero", [x], (2, "?"), np.int64)
    return g.add("GatherND", [x, g.add("Transpose", [places], ("?", 2), np.int64, perm=[1, 0])], ("?",))


def compressed(g, x):
    sums = g.add("ReduceSum", [x, g.integers([1])], (4,), keepdims=0)
    keep = g.add("Greater", [sums, g.constant(0)], (4,), bool)
    rows = g.add("Compress", [x, keep], ("?", 5), axis=0)
    return g.add("MatMul", [rows, g.whole(-2, 2, 5)], ("?",))


def unique(g, x):
    more = {"sorted": g.random.choice([0, 1])}
    outputs = [(np.float32, ("?",)), (np.int64, ("?",)), (np.int64, (20,)), (np.int64, ("?",))]
    return g.add_all("Unique", [x], outputs, **more)[0]


def unique_rows(g, x):
    few = g.add("Clip", [x, g.constant(0), g.constant(1)], SHAPE)
    cut = g.add("Slice", [few, *map(g.integers, ([0], [2], [1]))], (4, 2))
    rows = g.add_all("Unique", [cut], [(np.float32, ("?", 2)), (np.int64, ("?",)), (np.int64, (4,)), (np.int64, ("?",))], axis=0)[0]
    return g.add("Reshape", [rows, g.integers([-1])], ("?",))


def counted(g, x):
    limit = g.add("Reshape", [size_from(g, 0, 6), g.constant(np.zeros(0), np.int64)], (), np.int64)
    steps = g.add("Range", [g.integers(0), limit, g.integers(1)], ("?",), np.int64)
    return g.add("Cast", [steps], ("?",), to=onnx_type(np.float32))


def cut(g, x):
    end = size_from(g, 0, 5)
    part = g.add("Slice", [x, g.integers([0]), end, g.integers([1])], (4, "?"))
    return g.add("Reshape", [part, g.integers([-1])], ("?",))


def best(g, x):
    values = g.add_all("TopK", [x, size_from(g, 1, 5)], [(np.float32, (4, "?")), (np.int64, (4, "?"))], axis=1)[0]
    return g.add("Reshape", [values, g.integers([-1])], ("?",))


def repeated(g, x):
    sizes = g.add("Concat", [size_from(g, 1, 3), g.integers([1])], (2,), np.int64, axis=0)
    return g.add("Reshape", [g.add("Tile", [x, sizes], ("?", 5)), g.integers([-1])], ("?",))


def expanded(g, x):
    row = g.add("ReduceMax", [x], (1, 1), keepdims=1)
    sizes = g.add("Concat", [size_from(g, 0, 4), g.integers([3])], (2,), np.int64, axis=0)
    return g.add("Reshape", [g.add("Expand", [row, sizes], ("?", 3)), g.integers([-1])], ("?",))


def filled(g, x):
    return g.add("ConstantOfShape", [size_from(g, 0, 4)], ("?",), value=helper.make_tensor("value", 1, [1], [2.0]))


def padded(g, x):
    pads = g.add("Concat", [g.integers([0, 0, 0]), size_from(g, 0, 3)], (4,), np.int64, axis=0)
    return g.add("Reshape", [g.add("Pad", [x, pads, g.constant(7)], (4, "?")), g.integers([-1])], ("?",))


def hot(g, x):
    indices = g.add("Cast", [g.add("Clip", [x, g.constant(0), g.constant(1)], SHAPE)], SHAPE, np.int64, to=7)
    y = g.add("OneHot", [indices, size_from(g, 2, 4), g.constant([0, 1])], (*SHAPE, "?"))
    return g.add("ReduceSum", [y, g.integers([0, 1])], ("?",), keepdims=0)


def boxes(g, x):
    """Boxes out of the matrix, which overlap by whole quarters."""
    low = g.add("Slice", [g.add("Abs", [x], SHAPE), *map(g.integers, ([0], [2], [1]))], (4, 2))
    high = g.add("Add", [low, g.constant([4, 4])], (4, 2))
    corners = g.add("Unsqueeze", [g.add("Concat", [low, high], (4, 4), axis=1), g.integers([0])], (1, 4, 4))
    scores = g.add("Add", [g.add("ReduceSum", [x, g.integers([1])], (4,), keepdims=0), g.constant([0.125, 0.25, 0.375, 0.5])], (4,))
    scores = g.add("Reshape", [scores, g.integers([1, 1, 4])], (1, 1, 4))
    kept = g.add("NonMaxSuppression", [corners, scores, g.integers([g.random.choice([2, 4])]), g.constant([0.3]), g.constant([-1])],
                 ("?", 3), np.int64)  # fmt: skip
    last = g.add("Gather", [kept, g.integers(2)], ("?",), np.int64, axis=1)
    return g.add("Cast", [last], ("?",), to=onnx_type(np.float32))


SOURCES = [non_zero, compressed, unique, unique_rows, counted, cut, best, repeated, expanded, filled, padded, hot, boxes]


def follow(g, v):
    """What is done with a vector of unknown length."""
    way = g.random.choice(["Neg", "Mul", "Concat", "CumSum", "Slice", "Outer", "Sum", "Shape", "Relu", "Gather", "Where"])
    if way in ("Neg", "Relu"):
        return g.add(way, [v], ("?",))
    if way == "Mul":
        return g.add(way, [v, g.constant(2)], ("?",))
    if way == "Concat":
        return g.add(way, [v, g.constant([1, 2]), v], ("?",), axis=0)
    if way == "CumSum":
        return g.add(way, [v, g.integers(0)], ("?",), reverse=g.random.choice([0, 1]))
    if way == "Slice":
        return g.add(way, [v, *map(g.integers, ([-1], [-(2**31)], [0], [-1]))], ("?",))
    if way == "Outer":
        column = g.add("Unsqueeze", [v, g.integers([1])], ("?", 1))
        y = g.add("MatMul", [column, g.whole(-2, 2, 1, 3)], ("?", 3))
        return g.add("ReduceSum", [y, g.integers([1])], ("?",), keepdims=0)
    if way == "Sum":
        y = g.add("ReduceSum", [v, g.integers([0])], (1,), keepdims=1)
        return g.add("Add", [y, v], ("?",))
    if way == "Gather":
        longer = g.add("Concat", [v, g.constant([5])], ("?",), axis=0)
        return g.add(way, [longer, g.integers([0, -1])], (2,))
    if way == "Where":
        return g.add(way, [g.add("Less", [v, g.constant(1)], ("?",), bool), v, g.constant(9)], ("?",))
    return g.add("Cast", [g.add("Shape", [v], (1,), np.int64)], (1,), to=onnx_type(np.float32))


def dependent(seed):
    g = Graph(seed)
    g.input("x", np.float32, SHAPE)
    for _ in range(g.random.choice([1, 1, 2, 3])):
        v = g.random.choice(SOURCES)(g, "x")
        for _ in range(g.random.randrange(0, 4)):
            v = follow(g, v)
    # Some numbers, nothing but zeros, and nothing but ones.
    inputs = [{"x": g.numbers.integers(-2, 3, SHAPE).astype(np.float32)} for _ in range(2)]
    inputs += [{"x": np.zeros(SHAPE, np.float32)}, {"x": np.ones(SHAPE, np.float32)}]
    g.random.shuffle(inputs)
    return Case(g.model(), inputs, exact=True, threads=g.random.choice(THREADS), types=g.types)


KINDS = {"data": dependent}
