# SPDX-License-Identifier: Apache-2.0
"""Graphs of quantized numbers. Scales are powers of two and sums stay below 2^24: every step is exact, and so is the answer."""
import numpy as np
from graph import THREADS, Case, Graph

BYTES = [np.int8, np.uint8]


def scale(g, count=None, low=-3, high=1):
    powers = g.numbers.integers(low, high, () if count is None else (count,))
    return g.constant(2.0**powers)


def zero(g, kind, count=None):
    value = g.numbers.integers(-3, 4, () if count is None else (count,)) + (0 if kind == np.int8 else 120)
    return g.constant(value, kind)


def steps(g, kind, *shape):
    limits = np.iinfo(kind)
    return g.constant(g.numbers.integers(limits.min, limits.max, shape, endpoint=True), kind)


def quantize(g, x, kind):
    shape = g.types[x][1]
    if len(shape) > 1 and g.random.random() < 0.3:
        inputs = [x, scale(g, shape[1]), zero(g, kind, shape[1])]
    elif kind == np.uint8 and g.random.random() < 0.2:
        inputs = [x, scale(g)]
    else:
        inputs = [x, scale(g), zero(g, kind)]
    return g.add("QuantizeLinear", inputs, shape, kind, **({"axis": 1} if len(shape) > 1 else {}))


def dequantize(g, x):
    kind, shape = g.types[x]
    if len(shape) > 1 and g.random.random() < 0.3:
        return g.add("DequantizeLinear", [x, scale(g, shape[1]), zero(g, kind, shape[1])], shape, axis=1)
    return g.add("DequantizeLinear", [x, scale(g)] + ([zero(g, kind)] if g.random.random() < 0.7 else []), shape)


def convolution(g, x):
    kind, (n, c, h, w) = g.types[x]
    kernel, channels, group = g.random.choice([1, 3]), g.random.choice([2, 4]), 1
    if g.random.random() < 0.3:
        group, channels = c, c
    pads = [kernel // 2] * 4
    shape = (n, channels, h, w)
    more = {"kernel_shape": [kernel] * 2, "pads": pads, "group": group}
    other = g.random.choice(BYTES if kind == np.uint8 else [np.int8])
    weights = steps(g, other, channels, c // group, kernel, kernel)
    if g.random.random() < 0.5:
        zeros = [zero(g, kind)] + ([g.constant(0 if other == np.int8 else 128, other)] if g.random.random() < 0.7 else [])
        return g.add("ConvInteger", [x, weights, *zeros], shape, np.int32, **more)
    each = channels if other == np.int8 and g.random.random() < 0.5 else None
    zero_w = g.constant(np.zeros(() if each is None else (each,)), other)
    inputs = [x, scale(g), zero(g, kind), weights, scale(g, each), zero_w, scale(g, low=3, high=7), zero(g, kind)]
    if g.random.random() < 0.5:
        inputs.append(g.constant(g.numbers.integers(-500, 500, channels), np.int32))
    return g.add("QLinearConv", inputs, shape, kind, **more)


def product(g, x):
    kind, shape = g.types[x]
    other = g.random.choice(BYTES if kind == np.uint8 else [np.int8])
    weights = steps(g, other, shape[-1], 5)
    left = (*shape[:-1], 5)
    if g.random.random() < 0.5:
        zeros = [zero(g, kind)] + ([g.constant(0 if other == np.int8 else 128, other)] if g.random.random() < 0.7 else [])
        return g.add("MatMulInteger", [x, weights, *zeros], left, np.int32)
    inputs = [x, scale(g), zero(g, kind), weights, scale(g), zero(g, other), scale(g, low=3, high=7), zero(g, kind)]
    return g.add("QLinearMatMul", inputs, left, kind)


def quantized(seed):
    g = Graph(seed)
    shape = g.random.choice([(1, 3, 6, 5), (2, 4, 5, 5), (3, 8), (2, 3, 6)])
    g.input("x", np.float32, shape)
    x = "x"
    for _ in range(g.random.randrange(1, 4)):
        if g.random.random() < 0.1:
            x, size, point = g.add_all("DynamicQuantizeLinear", [x], [(np.uint8, shape), (np.float32, ()), (np.uint8, ())])
            g.add("DequantizeLinear", [x, size, point], shape)
            break
        x = quantize(g, x, g.random.choice(BYTES))
        if g.random.random() < 0.8:
            x = convolution(g, x) if len(shape) == 4 and g.random.random() < 0.7 else product(g, x)
        if g.types[x][0] == np.int32:
            x = g.add("Cast", [x], g.types[x][1], to=1)
            x = g.add("Mul", [x, g.constant(2.0**-8)], g.types[x][1])
        else:
            x = dequantize(g, x)
        shape = g.types[x][1]
        if g.random.random() < 0.4:
            x = g.add(g.random.choice(["Relu", "Neg", "Abs"]), [x], shape)
    inputs = [{"x": (g.numbers.integers(-64, 64, g.types["x"][1]) / 4).astype(np.float32)} for _ in range(2)]
    return Case(g.model(), inputs, exact=True, threads=g.random.choice(THREADS), types=g.types)


KINDS = {"quantized": quantized}
