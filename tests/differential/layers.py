# SPDX-License-Identifier: Apache-2.0
"""Random graphs of floats out of what networks are made of, with known shapes. Same seed, same graph."""
import numpy as np


def activation(g, x):
    shape = g.shapes[x]
    plain = ["Relu", "Sigmoid", "Tanh", "HardSwish", "HardSigmoid", "Softplus", "Erf", "Selu", "Abs", "Neg", "Softsign"]
    op = g.random.choice([*plain, "LeakyRelu", "Elu", "PRelu", "Clip", "Gelu", "Silu", "Mish"])
    if op == "Clip":
        return g.add(op, [x, g.constant(g.random.choice([-1, 0])), g.constant(g.random.choice([1, 6]))], shape)
    if op == "Gelu":
        return gelu(g, x)
    if op == "Silu":
        return g.add("Mul", [x, g.add("Sigmoid", [x], shape)], shape)
    if op == "Mish":
        return g.add("Mul", [x, g.add("Tanh", [g.add("Softplus", [x], shape)], shape)], shape)
    if op == "PRelu":
        slope = [shape[1]] + [1] * (len(shape) - 2) if len(shape) > 1 else [1]
        return g.add(op, [x, g.uniform(-0.5, 0.5, *slope)], shape)
    alpha = {"alpha": g.random.choice([0.01, 0.2, 1.0])} if op in ("LeakyRelu", "Elu") else {}
    return g.add(op, [x], shape, **alpha)


def gelu(g, x):
    """As exporters write it, the factors in either order."""
    shape = g.shapes[x]
    erf = g.add("Erf", [g.add("Div", [x, g.constant(1.4142135)], shape)], shape)
    one = g.add("Add", [erf, g.constant(1)], shape)
    if g.random.random() < 0.5:
        return g.add("Mul", [g.add("Mul", [x, one], shape), g.constant(0.5)], shape)
    return g.add("Mul", [g.add("Mul", [x, g.constant(0.5)], shape), one], shape)


def convolution(g, x):
    n, c, h, w = g.shapes[x]
    pick = g.random.choice
    kernel, stride, dilation = pick([1, 1, 3, 3, 5, 7]), pick([1, 1, 1, 2]), pick([1, 1, 1, 2])
    reach = (kernel - 1) * dilation + 1
    pad = pick([0, reach // 2])
    if min(h, w) + 2 * pad < reach:
        kernel = reach = dilation = 1
        pad = 0
    group = pick([1, 1, 1, c, 2 if c % 2 == 0 else 1])
    channels = c if group == c and c > 1 else pick([4, 8, 16, 24])
    if channels % group:
        channels = 2 * group
    inputs = [x, g.normal(channels, c // group, kernel, kernel, scale=(c // group * kernel**2) ** -0.5)]
    if g.random.random() < 0.6:
        inputs.append(g.normal(channels))
    out = [(size + 2 * pad - reach) // stride + 1 for size in (h, w)]
    y = g.add("Conv", inputs, (n, channels, *out), kernel_shape=[kernel] * 2, strides=[stride] * 2,
              dilations=[dilation] * 2, group=group, pads=[pad] * 4)  # fmt: skip
    if g.random.random() < 0.4:
        y = batch_norm(g, y)
    if g.random.random() < 0.3:
        both = [y, g.like(g.shapes[y])]
        y = g.add("Add", both[:: pick([1, -1])], g.shapes[y])
    return activation(g, y) if g.random.random() < 0.6 else y


def batch_norm(g, x):
    c = g.shapes[x][1]
    scale, shift, mean, variance = g.uniform(0.5, 1.5, c), g.uniform(-1, 1, c), g.uniform(-1, 1, c), g.uniform(0.5, 2, c)
    return g.add("BatchNormalization", [x, scale, shift, mean, variance], g.shapes[x], epsilon=g.random.choice([1e-5, 1e-3]))


def instance_norm(g, x):
    c = g.shapes[x][1]
    return g.add("InstanceNormalization", [x, g.uniform(0.5, 1.5, c), g.uniform(-1, 1, c)], g.shapes[x])


def transposed_convolution(g, x):
    n, c, h, w = g.shapes[x]
    kernel, stride, pad, channels = (g.random.choice(values) for values in ([2, 3, 4], [1, 2], [0, 1], [4, 8]))
    out = [(size - 1) * stride + kernel - 2 * pad for size in (h, w)]
    if min(out) < 1 or max(out) > 64:
        return
    inputs = [x, g.normal(c, channels, kernel, kernel, scale=(c * kernel) ** -0.5), g.normal(channels)]
    g.add("ConvTranspose", inputs, (n, channels, *out), kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4)


def pooling(g, x):
    n, c, h, w = g.shapes[x]
    op = g.random.choice(["MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool"])
    if op.startswith("Global"):
        return g.add(op, [x], (n, c, 1, 1))
    kernel, stride = g.random.choice([2, 3]), g.random.choice([1, 2])
    pad = g.random.choice([0, 1]) if kernel == 3 else 0
    if min(h, w) < kernel:
        return None
    more = {"count_include_pad": g.random.choice([0, 1])} if op == "AveragePool" else {}
    out = [(size + 2 * pad - kernel) // stride + 1 for size in (h, w)]
    return g.add(op, [x], (n, c, *out), kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4, **more)


def squeeze_and_excite(g, x):
    n, c, _, _ = g.shapes[x]
    small = (n, c, 1, 1)
    y = g.add("GlobalAveragePool", [x], small)
    y = g.add("Conv", [y, g.normal(c, c, 1, 1, scale=c**-0.5)], small, kernel_shape=[1, 1])
    y = g.add(g.random.choice(["HardSigmoid", "Sigmoid"]), [y], small)
    g.add("Mul", [x, y], g.shapes[x])


def resize(g, x):
    n, c, h, w = g.shapes[x]
    if h > 32:
        return
    mode = g.random.choice(["nearest", "linear", "cubic"])
    place = g.random.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
    nearest = {"nearest_mode": "floor"} if mode == "nearest" else {}
    g.add("Resize", [x, "", g.constant([1, 1, 2, 2])], (n, c, 2 * h, 2 * w), mode=mode,
          coordinate_transformation_mode="asymmetric" if nearest else place, **nearest)  # fmt: skip


def depth_and_space(g, x):
    n, c, h, w = g.shapes[x]
    if c % 4 == 0:
        mode = g.random.choice(["DCR", "CRD"])
        g.add("DepthToSpace", [x], (n, c // 4, 2 * h, 2 * w), blocksize=2, mode=mode)
    elif h % 2 == 0 and w % 2 == 0:
        g.add("SpaceToDepth", [x], (n, 4 * c, h // 2, w // 2), blocksize=2)


def combination(g, x):
    shape, kind = g.shapes[x], g.random.random()
    op = g.random.choice(["Add", "Mul", "Sub", "Div", "Max", "Min", "Add", "Mul"])
    if kind < 0.4:
        y = g.like(shape)
        if op == "Div":
            y = g.add("Add", [g.add("Abs", [y], shape), g.constant(1)], shape)
    else:
        dims = [dim if g.random.random() < 0.5 else 1 for dim in shape]
        y = g.uniform(0.5, 2, *dims[g.random.randrange(len(dims) + 1) :])
    turned = op != "Div" and g.random.random() < 0.3
    g.add(op, [y, x] if turned else [x, y], shape)


def transpose(g, x):
    order = list(range(len(g.shapes[x])))
    g.random.shuffle(order)
    g.add("Transpose", [x], [g.shapes[x][axis] for axis in order], perm=order)


def reshape(g, x):
    left, shape = int(np.prod(g.shapes[x])), []
    for _ in range(g.random.randrange(1, 4)):
        shape.append(g.random.choice([d for d in range(1, left + 1) if left % d == 0]))
        left //= shape[-1]
    shape.append(left)
    asked = list(shape)
    if g.random.random() < 0.5:
        asked[g.random.randrange(len(asked))] = -1
    g.add("Reshape", [x, g.integers(asked)], shape)


def concat(g, x):
    shape = g.shapes[x]
    axis = g.random.randrange(len(shape))
    fits = lambda other: other[:axis] + other[axis + 1 :] == shape[:axis] + shape[axis + 1 :]  # noqa: E731
    parts = [x] + [g.pick(lambda other: len(other) == len(shape) and fits(other)) for _ in range(g.random.randrange(1, 3))]
    total = sum(g.shapes[part][axis] for part in parts)
    if total <= 256:
        g.add("Concat", parts, (*shape[:axis], total, *shape[axis + 1 :]), axis=axis - g.random.choice([0, len(shape)]))


def long_axis(g, x):
    axes = [axis for axis, dim in enumerate(g.shapes[x]) if dim > 1]
    return g.random.choice(axes) if axes else None


def split(g, x):
    shape, axis = g.shapes[x], long_axis(g, x)
    if axis is None:
        return
    first = g.random.randrange(1, shape[axis])
    sizes = [first, shape[axis] - first]
    parts = [(np.float32, (*shape[:axis], size, *shape[axis + 1 :])) for size in sizes]
    g.add_all("Split", [x, g.integers(sizes)], parts, axis=axis)


def cut(g, x):
    shape, axis = g.shapes[x], long_axis(g, x)
    if axis is None:
        return
    size, step = shape[axis], g.random.choice([1, 1, 2, -1])
    begin, end = (g.random.randrange(0, size // 2 + 1), g.random.choice([size, 2**31])) if step > 0 else (size - 1, -(2**31))
    left = len(range(size)[begin:end:step]) if step > 0 else size
    inputs = [x] + [g.integers([value]) for value in (begin, end, axis, step)]
    g.add("Slice", inputs, (*shape[:axis], left, *shape[axis + 1 :]))


def product(g, x):
    shape = g.shapes[x]
    if len(shape) < 2:
        return
    columns = g.random.choice([4, 8, 16, 31])
    y = g.add("MatMul", [x, g.normal(shape[-1], columns, scale=shape[-1] ** -0.5)], (*shape[:-1], columns))
    if g.random.random() < 0.6:
        y = g.add("Add", [y, g.normal(columns)][:: g.random.choice([1, -1])], g.shapes[y])
    if g.random.random() < 0.5:
        activation(g, y)


def gemm(g, x):
    if len(g.shapes[x]) != 2:
        x = g.add("Flatten", [x], (g.shapes[x][0], int(np.prod(g.shapes[x][1:]))), axis=1)
    rows, inner = g.shapes[x]
    columns, turned = g.random.choice([4, 10, 16]), g.random.choice([0, 1])
    weights = g.normal(*((columns, inner) if turned else (inner, columns)), scale=inner**-0.5)
    g.add("Gemm", [x, weights, g.normal(columns)], (rows, columns), transB=turned, alpha=g.random.choice([1.0, 0.5]),
          beta=g.random.choice([1.0, 2.0]))  # fmt: skip


def attention(g, x):
    if len(g.shapes[x]) != 3:
        return
    batch, steps, width = g.shapes[x]
    turned = g.add("Transpose", [x], (batch, width, steps), perm=[0, 2, 1])
    scores = g.add("MatMul", [x, turned], (batch, steps, steps))
    scores = g.add(*g.random.choice([("Div", [scores, g.constant(8)]), ("Mul", [scores, g.constant(0.125)])]), g.shapes[scores])
    scores = g.add("Softmax", [scores], g.shapes[scores], axis=-1)
    g.add("MatMul", [scores, x], (batch, steps, width))


def layer_norm(g, x):
    """As exporters write it before opset 17. Equal numbers have no variance: a large epsilon keeps the rounding of their
    mean, which is all that is left of them, from being magnified."""
    shape = g.shapes[x]
    if len(shape) < 2:
        return
    one = (*shape[:-1], 1)
    centred = g.add("Sub", [x, g.reduce("ReduceMean", x, [-1], 1, one)], shape)
    square = g.add(*g.random.choice([("Pow", [centred, g.constant(2)]), ("Mul", [centred, centred])]), shape)
    variance = g.reduce("ReduceMean", square, [-1], 1, one)
    y = g.add("Div", [centred, g.add("Sqrt", [g.add("Add", [variance, g.constant(1e-3)], one)], one)], shape)
    if g.random.random() < 0.8:
        y = g.add("Mul", [y, g.uniform(0.5, 1.5, shape[-1])], shape)
        g.add("Add", [y, g.uniform(-1, 1, shape[-1])], shape)


def reduction(g, x):
    shape = g.shapes[x]
    axes = sorted(g.random.sample(range(len(shape)), g.random.randrange(1, len(shape) + 1)))
    keep, op = g.random.choice([0, 1]), g.random.choice(["ReduceMean", "ReduceMax", "ReduceMin", "ReduceL2", "ReduceSum"])
    left = [1 if axis in axes else dim for axis, dim in enumerate(shape) if keep or axis not in axes]
    if not left:
        return
    y = g.reduce(op, x, axes, keep, left)
    if op == "ReduceSum":
        g.add("Mul", [y, g.constant(1 / np.prod([shape[axis] for axis in axes]))], left)


def softmax(g, x):
    rank = len(g.shapes[x])
    g.add(g.random.choice(["Softmax", "LogSoftmax"]), [x], g.shapes[x], axis=g.random.randrange(-rank, rank))


def padding(g, x):
    shape, mode = g.shapes[x], g.random.choice(["constant", "reflect", "edge"])
    before, after = ([g.random.randrange(0, 2) if dim > 1 else 0 for dim in shape] for _ in range(2))
    inputs = [x, g.integers(before + after)] + ([g.constant(1.5)] if mode == "constant" else [])
    g.add("Pad", inputs, [sum(sizes) for sizes in zip(shape, before, after)], mode=mode)


def gather(g, x):
    shape = g.shapes[x]
    axis, count = g.random.randrange(len(shape)), g.random.randrange(1, 4)
    places = g.integers(g.numbers.integers(-shape[axis], shape[axis], count))
    g.add("Gather", [x, places], (*shape[:axis], count, *shape[axis + 1 :]), axis=axis)


def expand(g, x):
    shape = [3 if dim == 1 and g.random.random() < 0.7 else dim for dim in g.shapes[x]]
    g.add("Expand", [x, g.integers(shape)], shape)


def rank(g, x):
    shape = g.shapes[x]
    ones = [axis for axis, dim in enumerate(shape) if dim == 1]
    if ones and len(shape) > 1 and g.random.random() < 0.5:
        axis = g.random.choice(ones)
        g.add("Squeeze", [x, g.integers([axis])], shape[:axis] + shape[axis + 1 :])
    elif len(shape) < 5:
        axis = g.random.randrange(len(shape) + 1)
        g.add("Unsqueeze", [x, g.integers([axis])], (*shape[:axis], 1, *shape[axis:]))


def choice(g, x):
    shape = g.shapes[x]
    larger = g.add("Greater", [x, g.constant(0.1)], shape, bool)
    g.add("Where", [larger, x, g.like(shape)], shape)


def recurrence(g, x):
    if len(g.shapes[x]) != 3:
        return
    steps, batch, width = g.shapes[x]
    op, hidden, ways = g.random.choice(["LSTM", "GRU", "RNN"]), g.random.choice([4, 8]), g.random.choice([1, 2])
    rows = {"LSTM": 4, "GRU": 3, "RNN": 1}[op] * hidden
    more = {"linear_before_reset": g.random.choice([0, 1])} if op == "GRU" else {}
    direction = "bidirectional" if ways == 2 else g.random.choice(["forward", "reverse"])
    inputs = [x] + [g.normal(ways, *shape, scale=0.3) for shape in ((rows, width), (rows, hidden), (2 * rows,))]
    y = g.add(op, inputs, (steps, ways, batch, hidden), hidden_size=hidden, direction=direction, **more)
    y = g.add("Transpose", [y], (steps, batch, ways, hidden), perm=[0, 2, 1, 3])
    g.add("Reshape", [y, g.integers([0, 0, -1])], (steps, batch, ways * hidden))
