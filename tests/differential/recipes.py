# SPDX-License-Identifier: Apache-2.0
"""States of loops. Each starts as a constant, changes with every iteration, and is what a kernel likes to look at when it
is made: weights, limits, axes, sizes. All numbers are whole, so that every result is exact."""
import numpy as np
from graph import helper

RECIPES = []
MATRIX, IMAGE = (3, 4), (1, 2, 5, 5)  # the shapes of the tensors that the states meet


class Recipe:
    """start(numbers): the first value. use(g, matrix, image, state): a tensor of shape `gives`. step(g, state): the next."""

    def __init__(self, start, use, step, gives, kind=np.float32, first=14, exact=True):
        self.start, self.use, self.step = start, use, step
        self.gives, self.kind, self.first, self.exact = tuple(gives), kind, first, exact


def recipe(start, step, gives, **more):
    def note(use):
        RECIPES.append(Recipe(start, use, step, gives, **more))
        return use

    return note


def whole(low, high, *shape):
    return lambda numbers: numbers.integers(low, high + 1, shape).astype(np.float32)


def fixed(values, kind=np.int64):
    return lambda numbers: np.asarray(values, kind)


def same(op, constant):
    """A step that keeps type and shape: op with a constant."""

    def step(g, state):
        kind, shape = g.type_of(state)
        return g.add(op, [state, g.constant(constant, kind)], shape, kind)

    return step


def other(op, **attributes):
    def step(g, state):
        kind, shape = g.type_of(state)
        return g.add(op, [state], shape, kind, **attributes)

    return step


def swapped(g, state):
    return g.add("Gather", [state, g.integers([1, 0])], (2,), np.int64)


def flipped(g, state):
    kind, shape = g.type_of(state)
    return g.add("Sub", [g.constant(1, kind), state], shape, kind)


def total(g, x):
    """The sum of all, whatever the shape: [1]."""
    return g.add("ReduceSum", [g.add("Reshape", [x, g.integers([-1])], ("?",)), g.integers([0])], (1,), keepdims=1)


doubled, more, negated = same("Mul", 2), same("Add", 1), other("Neg")


@recipe(whole(-1, 1, 3, 3), lambda g, s: g.add("MatMul", [g.whole(-1, 1, 3, 3), s], (3, 3)), (3, 4))
def left_factor(g, matrix, image, state):
    return g.add("MatMul", [state, matrix], (3, 4))


@recipe(whole(-1, 1, 4, 2), doubled, (3, 2))
def right_factor(g, matrix, image, state):
    return g.add("MatMul", [matrix, state], (3, 2))


@recipe(whole(-1, 1, 2), more, (3, 2))
def gemm_bias(g, matrix, image, state):
    return g.add("Gemm", [matrix, g.whole(-1, 1, 4, 2), state], (3, 2))


@recipe(whole(-1, 1, 5, 4), negated, (3, 5))
def gemm_weights(g, matrix, image, state):
    return g.add("Gemm", [matrix, state], (3, 5), transB=1)


@recipe(whole(-1, 1, 3, 2, 3, 3), doubled, (1, 3, 5, 5))
def conv_filter(g, matrix, image, state):
    return g.add("Conv", [image, state], (1, 3, 5, 5), kernel_shape=[3, 3], pads=[1, 1, 1, 1])


@recipe(whole(-1, 1, 2, 1, 1, 1), more, (1, 2, 5, 5))
def depthwise_filter(g, matrix, image, state):
    return g.add("Conv", [image, state], IMAGE, kernel_shape=[1, 1], group=2)


@recipe(whole(-2, 2, 4), doubled, (1, 4, 3, 3))
def conv_bias(g, matrix, image, state):
    y = g.add("Conv", [image, g.whole(-1, 1, 4, 2, 3, 3), state], (1, 4, 3, 3), kernel_shape=[3, 3])
    return g.add("Relu", [y], (1, 4, 3, 3))


@recipe(whole(-1, 1, 2, 3, 2, 2), negated, (1, 3, 10, 10))
def transposed_filter(g, matrix, image, state):
    return g.add("ConvTranspose", [image, state], (1, 3, 10, 10), kernel_shape=[2, 2], strides=[2, 2])


@recipe(fixed(0, np.float32), more, MATRIX)
def upper_limit(g, matrix, image, state):
    return g.add("Clip", [matrix, g.constant(-2), state], MATRIX)


@recipe(fixed(-3, np.float32), more, IMAGE)
def lower_limit(g, matrix, image, state):
    y = g.add("Conv", [image, g.whole(-1, 1, 2, 2, 1, 1)], IMAGE, kernel_shape=[1, 1])
    return g.add("Clip", [y, state], IMAGE)


@recipe(whole(-2, 2, 2, 1, 1), more, IMAGE)
def slope(g, matrix, image, state):
    return g.add("PRelu", [image, state], IMAGE)


@recipe(fixed(1, np.float32), doubled, (1, 2, 7, 7))
def pad_value(g, matrix, image, state):
    return g.add("Pad", [image, g.integers([0, 0, 1, 1, 0, 0, 1, 1]), state], (1, 2, 7, 7))


@recipe(fixed([0, 1, 1, 0]), lambda g, s: g.add("Sub", [g.integers([1, 1, 1, 1]), s], (4,), np.int64), (1,))
def pads(g, matrix, image, state):
    return total(g, g.add("Pad", [matrix, state, g.constant(5)], ("?", "?")))


@recipe(fixed([0]), same("Add", 1), (3, 1))
def slice_start(g, matrix, image, state):
    start = g.add("Mod", [state, g.integers([4])], (1,), np.int64)
    end = g.add("Add", [start, g.integers([1])], (1,), np.int64)
    return g.add("Slice", [matrix, start, end, g.integers([1])], (3, 1))


@recipe(fixed([2, -1]), negated, (3, 2))
def gather_index(g, matrix, image, state):
    return g.add("Gather", [matrix, state], (3, 2), axis=1)


@recipe(fixed([[0, 1, 2, 0]]), lambda g, s: g.add("Mod", [g.add("Add", [s, g.integers([1])], (1, 4), np.int64), g.integers([3])],
                                               (1, 4), np.int64), MATRIX)  # fmt: skip
def scattered_index(g, matrix, image, state):
    return g.add("ScatterElements", [matrix, state, g.constant([[10, 20, 30, 40]])], MATRIX, axis=0)


@recipe(fixed([2, 6]), swapped, (12,))
def reshape_target(g, matrix, image, state):
    y = g.add("Transpose", [g.add("Reshape", [matrix, state], ("?", "?"))], ("?", "?"), perm=[1, 0])
    return g.add("Reshape", [y, g.integers([12])], (12,))


@recipe(fixed([0]), flipped, MATRIX)
def reduced_axis(g, matrix, image, state):
    return g.add("Sub", [matrix, g.add("ReduceSum", [matrix, state], ("?", "?"), keepdims=1)], MATRIX)


@recipe(fixed(0), flipped, MATRIX)
def running_axis(g, matrix, image, state):
    return g.add("CumSum", [matrix, state], MATRIX)


@recipe(fixed([0]), flipped, (12,))
def new_axis(g, matrix, image, state):
    y = g.add("Unsqueeze", [matrix, state], ("?", "?", "?"))
    y = g.add("Softmax", [y], ("?", "?", "?"), axis=0)
    return g.add("Round", [g.add("Reshape", [y, g.integers([12])], (12,))], (12,))


@recipe(fixed([1, 1]), more, (1,))
def repeats(g, matrix, image, state):
    return total(g, g.add("Tile", [matrix, state], ("?", "?")))


@recipe(fixed([1, 1, 1]), lambda g, s: g.add("Add", [s, g.integers([1, 0, 0])], (3,), np.int64), (1,))
def expanded_shape(g, matrix, image, state):
    return total(g, g.add("Expand", [matrix, state], ("?", "?", "?")))


@recipe(fixed([1]), lambda g, s: g.add("Min", [same("Add", 1)(g, s), g.integers([4])], (1,), np.int64), (1,))
def top_count(g, matrix, image, state):
    return total(g, g.add_all("TopK", [matrix, state], [(np.float32, (3, "?")), (np.int64, (3, "?"))])[0])


@recipe(fixed([1, 3]), swapped, (3,))
def split_sizes(g, matrix, image, state):
    first = g.add_all("Split", [matrix, state], [(np.float32, (3, "?"))] * 2, axis=1)[0]
    return g.add("ReduceSum", [first, g.integers([1])], (3,), keepdims=0)


@recipe(fixed([2, 1]), same("Add", 1), (1,))
def filled_shape(g, matrix, image, state):
    ones = g.add("ConstantOfShape", [state], ("?", "?"), value=helper.make_tensor("value", 1, [1], [3.0]))
    return total(g, ones)


@recipe(fixed(5), same("Add", 2), (1,))
def range_limit(g, matrix, image, state):
    numbers = g.add("Range", [g.constant(1, np.int64), state, g.constant(2, np.int64)], ("?",), np.int64)
    return total(g, g.add("Cast", [numbers], ("?",), to=1))


@recipe(fixed([1, 1, 1, 1], np.float32), same("Mul", [1, 1, 2, 1]), (1,))
def resize_scales(g, matrix, image, state):
    return total(g, g.add("Resize", [image, "", state], ("?",) * 4, mode="nearest", nearest_mode="floor",
                          coordinate_transformation_mode="asymmetric"))  # fmt: skip


@recipe(fixed(True, bool), other("Not"), MATRIX)
def chosen(g, matrix, image, state):
    return g.add("Where", [state, matrix, g.add("Neg", [matrix], MATRIX)], MATRIX)


@recipe(fixed(0.5, np.float32), doubled, MATRIX, kind=np.int8)
def quantized_scale(g, matrix, image, state):
    return g.add("QuantizeLinear", [matrix, state, g.constant(1, np.int8)], MATRIX, np.int8)


@recipe(fixed(3, np.uint8), same("Add", 1), MATRIX)
def zero_point(g, matrix, image, state):
    steps = g.add("QuantizeLinear", [matrix, g.constant(0.5), g.constant(9, np.uint8)], MATRIX, np.uint8)
    return g.add("DequantizeLinear", [steps, g.constant(2), state], MATRIX)


@recipe(lambda numbers: numbers.integers(0, 200, (4, 2)).astype(np.uint8), same("Add", 7), (3, 2), kind=np.int32)
def integer_factor(g, matrix, image, state):
    steps = g.add("Cast", [g.add("Abs", [matrix], MATRIX)], MATRIX, np.uint8, to=2)
    return g.add("MatMulInteger", [steps, state], (3, 2), np.int32)


@recipe(lambda numbers: numbers.integers(0, 200, (3, 2, 3, 3)).astype(np.uint8), same("Add", 5), (1, 3, 3, 3), kind=np.int32)
def integer_filter(g, matrix, image, state):
    steps = g.add("Cast", [g.add("Abs", [image], IMAGE)], IMAGE, np.uint8, to=2)
    return g.add("ConvInteger", [steps, state], (1, 3, 3, 3), np.int32, kernel_shape=[3, 3])


@recipe(fixed(0), same("Add", 1), (3, 4))
def diagonal(g, matrix, image, state):
    return g.add("Trilu", [matrix, state], MATRIX, upper=1)


@recipe(whole(1, 3, 2), doubled, IMAGE, exact=False)
def norm_scale(g, matrix, image, state):
    zero, one = g.constant([0, 0]), g.constant([1, 1])
    return g.add("BatchNormalization", [image, state, zero, zero, one], IMAGE)


@recipe(whole(-1, 1, 4), more, MATRIX, exact=False)
def layer_shift(g, matrix, image, state):
    y = g.add("Mul", [matrix, g.constant(0.5)], MATRIX)
    if g.opset < 17:
        return g.add("Add", [g.add("Tanh", [y], MATRIX), state], MATRIX)
    return g.add("LayerNormalization", [y, g.constant([1, 2, 1, 2]), state], MATRIX, epsilon=1e-2)


@recipe(lambda numbers: (numbers.integers(-4, 5, (1, 8, 4)) / 8).astype(np.float32), negated, (3, 1, 2), exact=False)
def recurrent_weights(g, matrix, image, state):
    x = g.add("Unsqueeze", [matrix, g.integers([1])], (3, 1, 4))
    y = g.add("LSTM", [x, state, g.constant(np.full((1, 8, 2), 0.25))], (3, 1, 1, 2), hidden_size=2)
    return g.add("Squeeze", [y, g.integers([1])], (3, 1, 2))
