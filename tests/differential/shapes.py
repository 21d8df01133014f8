# SPDX-License-Identifier: Apache-2.0
"""Networks whose dimensions only the run knows: told with the dataset, or as gears. A dimension is a number or a text that
computes it."""
import numpy as np
from graph import INT64_MAX, THREADS, Case, Graph


def number(dim, known):
    return int(eval(str(dim), {}, dict(known)))


def activation(g, x):
    op = g.random.choice(["Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSwish", "Elu", "Neg", "Abs", "Erf", "Softplus"])
    g.add(op, [x], g.shapes[x])


def convolution(g, x):
    n, c, h, w = g.shapes[x]
    kernel, stride, channels = g.random.choice([1, 3, 3, 5]), g.random.choice([1, 1, 2]), g.random.choice([4, 8, 16])
    group = c if channels == c and g.random.random() < 0.3 else 1
    out = [dim if stride == 1 else f"(({dim}+{kernel // 2 * 2 - kernel})//2+1)" for dim in (h, w)]
    inputs = [x, g.normal(channels, c // group, kernel, kernel, scale=(c // group * kernel**2) ** -0.5), g.normal(channels)]
    y = g.add("Conv", inputs, (n, channels, *out), kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4, group=group)
    if g.random.random() < 0.4:
        y = g.add("BatchNormalization", [y, *(g.uniform(0.5, 1.5, channels) for _ in range(4))], g.shapes[y])
    if g.random.random() < 0.6:
        activation(g, y)


def pooling(g, x):
    n, c, h, w = g.shapes[x]
    if g.random.random() < 0.5:
        g.add(g.random.choice(["MaxPool", "AveragePool"]), [x], g.shapes[x], kernel_shape=[3, 3], pads=[1] * 4)
    else:
        y = g.add("GlobalAveragePool", [x], (n, c, 1, 1))
        g.add("Mul", [x, g.add("Sigmoid", [y], (n, c, 1, 1))], g.shapes[x])


def head(g, x):
    n, c, _, _ = g.shapes[x]
    y = g.add("GlobalAveragePool", [x], (n, c, 1, 1))
    if g.random.random() < 0.5:
        y = g.add("Flatten", [y], (n, c), axis=1)
    else:
        y = g.add("Reshape", [y, g.integers([0, -1])], (n, c))
    y = g.add("Gemm", [y, g.normal(c, 7, scale=c**-0.5), g.normal(7)], (n, 7))
    g.add("Softmax", [y], (n, 7), axis=1)


def resize(g, x):
    n, c, h, w = g.shapes[x]
    if str(h).count("*") < 1:
        mode = g.random.choice(["nearest", "linear"])
        g.add("Resize", [x, "", g.constant([1, 1, 2, 2])], (n, c, f"({h}*2)", f"({w}*2)"), mode=mode,
              coordinate_transformation_mode="asymmetric", nearest_mode="floor")  # fmt: skip


def tokens(g, x):
    """An image as a row of tokens."""
    n, c, h, w = g.shapes[x]
    y = g.add("Reshape", [x, g.integers([0, 0, -1])], (n, c, f"({h}*{w})"))
    g.add("Transpose", [y], (n, f"({h}*{w})", c), perm=[0, 2, 1])


def combination(g, x):
    shape = g.shapes[x]
    other = g.like(shape) if g.random.random() < 0.6 else g.uniform(0.5, 2, *([shape[-1]] if isinstance(shape[-1], int) else [1]))
    g.add(g.random.choice(["Add", "Mul", "Sub", "Max"]), [x, other], shape)


def product(g, x):
    shape = g.shapes[x]
    if len(shape) < 2 or not isinstance(shape[-1], int):
        return
    y = g.add("MatMul", [x, g.normal(shape[-1], 8, scale=shape[-1] ** -0.5)], (*shape[:-1], 8))
    g.add("Add", [y, g.normal(8)], g.shapes[y])


def attention(g, x):
    if len(g.shapes[x]) != 3 or not isinstance(g.shapes[x][2], int):
        return
    batch, steps, width = g.shapes[x]
    scores = g.add("MatMul", [x, g.add("Transpose", [x], (batch, width, steps), perm=[0, 2, 1])], (batch, steps, steps))
    scores = g.add("Softmax", [g.add("Mul", [scores, g.constant(0.125)], g.shapes[scores])], g.shapes[scores], axis=-1)
    g.add("MatMul", [scores, x], (batch, steps, width))


def reduction(g, x):
    shape = g.shapes[x]
    axis = g.random.randrange(len(shape))
    op, keep = g.random.choice(["ReduceMean", "ReduceMax", "ReduceL2"]), g.random.choice([0, 1])
    y = g.reduce(op, x, [axis], keep, [1 if i == axis else dim for i, dim in enumerate(shape) if keep or i != axis])
    if keep:
        g.add("Sub", [x, y], shape)


def softmax(g, x):
    g.add("Softmax", [x], g.shapes[x], axis=g.random.randrange(len(g.shapes[x])))


def joined(g, x):
    shape = g.shapes[x]
    axis = g.random.randrange(len(shape))
    other = g.like(shape)
    total = 2 * shape[axis] if isinstance(shape[axis], int) else f"({shape[axis]}+{shape[axis]})"
    if str(total).count("(") < 4 and (not isinstance(total, int) or total <= 64):
        g.add("Concat", [x, other], (*shape[:axis], total, *shape[axis + 1 :]), axis=axis)


def cut(g, x):
    shape = g.shapes[x]
    axis = g.random.randrange(len(shape))
    rest = lambda size: (*shape[:axis], size, *shape[axis + 1 :])  # noqa: E731
    way = g.random.choice(["first", "last", "turned"])
    if way == "turned":
        g.add("Slice", [x, *map(g.integers, ([-1], [-INT64_MAX], [axis], [-1]))], shape)
    else:
        bounds = ([0], [1]) if way == "first" else ([-1], [INT64_MAX])
        g.add("Slice", [x, *map(g.integers, (*bounds, [axis]))], rest(1))


def gathered(g, x):
    shape = g.shapes[x]
    axis = g.random.randrange(len(shape))
    g.add("Gather", [x, g.integers([0, -1, 0])], (*shape[:axis], 3, *shape[axis + 1 :]), axis=axis)


def shape_chain(g, x):
    """As exporters write it: sizes taken from Shape go into Reshape."""
    shape = g.shapes[x]
    if len(shape) != 3:
        return
    sizes = g.add("Shape", [x], (3,), np.int64)
    part = [g.add("Gather", [sizes, g.integers([i])], (1,), np.int64) for i in range(3)]
    both = g.add("Mul", [part[0], part[1]], (1,), np.int64)
    if isinstance(shape[2], int):
        target = g.add("Concat", [both, part[2]], (2,), np.int64, axis=0)
        y = g.add("Reshape", [x, target], (f"({shape[0]}*{shape[1]})", shape[2]))
        y = g.add("MatMul", [y, g.normal(shape[2], 5, scale=shape[2] ** -0.5)], (g.shapes[y][0], 5))
        back = g.add("Concat", [part[0], part[1], g.integers([5])], (3,), np.int64, axis=0)
        g.add("Reshape", [y, back], (shape[0], shape[1], 5))


def expanded(g, x):
    shape = g.shapes[x]
    sizes = g.add("Shape", [x], (len(shape),), np.int64)
    y = g.add("Expand", [g.uniform(-1, 1, 1), sizes], shape)
    g.add("Add", [x, y], shape)


def filled(g, x):
    shape = g.shapes[x]
    y = g.add("ConstantOfShape", [g.add("Shape", [x], (len(shape),), np.int64)], shape)
    g.add("Max", [x, y], shape)


def tiled(g, x):
    shape = g.shapes[x]
    if len(shape) < 4 and str(shape[0]).count("*") < 1:
        first = shape[0] * 2 if isinstance(shape[0], int) else f"({shape[0]}*2)"
        g.add("Tile", [x, g.integers([2] + [1] * (len(shape) - 1))], (first, *shape[1:]))


def padded(g, x):
    shape = g.shapes[x]
    longer = shape[-1] + 2 if isinstance(shape[-1], int) else f"({shape[-1]}+2)"
    if str(longer).count("(") < 4:
        g.add("Pad", [x, g.integers([0] * (len(shape) - 1) + [1] + [0] * (len(shape) - 1) + [1]), g.constant(0.5)], (*shape[:-1], longer))


def running(g, x):
    g.add("CumSum", [x, g.integers(g.random.randrange(len(g.shapes[x])))], g.shapes[x])


def recurrence(g, x):
    if len(g.shapes[x]) != 3 or not isinstance(g.shapes[x][2], int):
        return
    steps, batch, width = g.shapes[x]
    op = g.random.choice(["LSTM", "GRU"])
    rows = {"LSTM": 4, "GRU": 3}[op] * 4
    inputs = [x] + [g.normal(1, *shape, scale=0.3) for shape in ((rows, width), (rows, 4), (2 * rows,))]
    y = g.add(op, inputs, (steps, 1, batch, 4), hidden_size=4)
    g.add("Squeeze", [y, g.integers([1])], (steps, batch, 4))


def chosen(g, x):
    shape = g.shapes[x]
    g.add("Where", [g.add("Greater", [x, g.constant(0.1)], shape, bool), x, g.like(shape)], shape)


OF_IMAGES = [convolution, convolution, convolution, pooling, head, resize, tokens]
OF_ANYTHING = [activation, combination, combination, product, product, attention, reduction, softmax, joined, cut, gathered,
               shape_chain, expanded, filled, tiled, padded, running, recurrence, chosen]  # fmt: skip


def build(seed, shape, twice=False):
    """A graph of random blocks with the input x, sometimes two inputs of one shape."""
    g = Graph(seed)
    g.input("x", np.float32, shape)
    if twice:
        g.input("y", np.float32, shape)
        g.add("Add", ["x", "y"], shape)
    for _ in range(g.random.randrange(4, 13)):
        of_image = len(shape) == 4 and g.random.random() < 0.6
        x = g.pick(lambda each: len(each) == 4 and isinstance(each[1], int)) if of_image else g.pick()
        if x is not None and g.shapes[x]:
            g.random.choice(OF_IMAGES if of_image else OF_ANYTHING)(g, x)
    if not g.nodes:
        activation(g, "x")
    return g


def arrays(g, shape, known):
    """The inputs of a run in which the dimensions are known."""
    dims = [number(dim, known) for dim in shape]
    return {each.name: g.numbers.standard_normal(dims).astype(np.float32) for each in g.inputs}


def input_shape(g, shape):
    dims = ",".join(str(dim) if isinstance(dim, int) else "-1" for dim in shape)
    return "--input_shape=" + ";".join(f"{each.name}:{dims}" for each in g.inputs)


SHAPES = [("n", 3, "h", "w"), (1, 4, "h", "w"), ("n", 3, 9, 8), (2, 4, 10, "w"), ("n", "s", 8), (2, "s", 16), ("s", "n", 8), ("n", 16),
          ("n", "s", 6)]  # fmt: skip
SIZES = {"n": [1, 2, 3, 5], "h": [5, 8, 9, 14], "w": [6, 8, 11, 16], "s": [1, 3, 6, 7]}


def dynamic(seed):
    """One model, several shapes, back to earlier ones."""
    pick = np.random.default_rng(seed)
    shape = SHAPES[pick.integers(len(SHAPES))]
    g = build(seed, shape, pick.random() < 0.3)
    inputs = []
    for _ in range(3):
        inputs.append(arrays(g, shape, {name: g.random.choice(sizes) for name, sizes in SIZES.items()}))
    return Case(g.model(), inputs, [input_shape(g, shape)], dynamic=True, threads=g.random.choice(THREADS), types=g.types)


def gears(seed):
    """Two datasets on one model, each with a gear of its own."""
    pick = np.random.default_rng(seed)
    kind = ["batch", "image", "dims"][pick.integers(3)]
    shape = {"batch": [("n", 3, 8, 9), ("n", 6, 8), ("n", 16)], "image": [(1, 3, "h", "w"), (2, 4, "h", "w")],
             "dims": [("n", "s", 8), ("n", 3, "h", 8), ("s", 2, 8)]}[kind]  # fmt: skip
    shape = shape[pick.integers(len(shape))]
    g = build(seed, shape, pick.random() < 0.3)
    names = [dim for dim in shape if isinstance(dim, str)]
    chosen = set()
    while len(chosen) < 3:
        chosen.add(tuple(g.random.choice(SIZES[name]) for name in names))
    chosen = sorted(chosen)
    g.random.shuffle(chosen)
    values = chosen if kind != "dims" else [each * len(g.inputs) for each in chosen]  # of every input, one after the other
    text = ("," if kind == "batch" else ";").join(",".join(map(str, each)) for each in values)
    option = {"batch": "--dynamic_batch_size=", "image": "--dynamic_image_size=", "dims": "--dynamic_dims="}[kind]
    inputs = [arrays(g, shape, dict(zip(names, each))) for each in chosen]
    told = [[dim for array in each.values() for dim in array.shape] if kind == "dims" else list(choice)
            for each, choice in zip(inputs, chosen)]  # fmt: skip
    options = [input_shape(g, shape), option + text] + (["--input_format=ND"] if kind == "dims" else [])
    return Case(g.model(), inputs, options, gears=[(kind, each) for each in told], threads=g.random.choice(THREADS),
                types=g.types)  # fmt: skip


KINDS = {"shapes": dynamic, "gears": gears}
