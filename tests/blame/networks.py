# SPDX-License-Identifier: Apache-2.0
"""Ten small networks: convolutional, attention, recurrent, with control flow; in float, half precision and bfloat16."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "models"))
from families.net import Net, hard_swish, layer_norm  # noqa: E402
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

FLOAT, FLOAT16, BFLOAT16 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16


def finished(n, outputs):
    """The model of a net, its outputs' shapes left open."""
    values = [helper.make_tensor_value_info(name, FLOAT, None) for name in outputs]
    graph = helper.make_graph(n.nodes, "net", n.inputs, values, n.weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def residual(seed=0):
    n = Net(seed)
    x = n.conv(n.input("x", [1, 3, 20, 20]), 3, 8, 3, 2)
    x = n.pool(x, "MaxPool", 3, 2, 1)
    for width in (8, 16):
        y = n.conv(n.conv(x, 8, width, 3), width, width, 3, act=None)
        short = x if width == 8 else n.conv(x, 8, width, 1, act=None)
        x = n.op("Relu", [n.op("Add", [y, short])])
    x = n.pool(x, "AveragePool", 3, 1, 1)
    x = n.conv(x, 16, 24, 3, 2, act="Sigmoid")
    x = n.op("Flatten", [n.op("GlobalAveragePool", [x])])
    return finished(n, [n.op("Softmax", [n.classes(x, 24, 10)], axis=-1)])


def mobile():
    n = Net(1)
    x = hard_swish(n, n.conv(n.input("x", [1, 3, 24, 24]), 3, 8, 3, 2, act=None))
    for cin, cout, stride in ((8, 8, 1), (8, 12, 2)):
        y = n.conv(x, cin, 2 * cin, 1)
        y = n.conv(y, 2 * cin, 2 * cin, 3, stride, 2 * cin)
        s = n.op("ReduceMean", [y], axes=[2, 3], keepdims=1)
        s = n.op("HardSigmoid", [n.conv(n.conv(s, 2 * cin, 4, 1, bn=False), 4, 2 * cin, 1, bn=False, act=None)])
        y = n.conv(n.op("Mul", [y, s]), 2 * cin, cout, 1, act=None)
        x = n.op("Add", [x, y]) if stride == 1 and cin == cout else y
    x = n.op("Concat", [x, n.op("Neg", [x])], axis=1)
    x = n.op("Clip", [x, n.constant(np.float32(-1)), n.constant(np.float32(1))])
    return finished(n, [n.classes(n.op("Flatten", [n.op("GlobalAveragePool", [x])]), 24, 10)])


def attention(n, x, length, width, heads):
    def split(y, *order):
        return n.transpose(n.reshape(n.linear(y, width, width), 1, length, heads, width // heads), *order)

    scores = n.op("MatMul", [split(x, 0, 2, 1, 3), split(x, 0, 2, 3, 1)])
    scores = n.op("Softmax", [n.scaled(scores, (width // heads) ** -0.5)], axis=-1)
    y = n.transpose(n.op("MatMul", [scores, split(x, 0, 2, 1, 3)]), 0, 2, 1, 3)
    return n.linear(n.reshape(y, 1, length, width), width, width)


def encoder(seed=2, layers=2, length=6, width=24, heads=3):
    n = Net(seed)
    x = n.input("x", [1, length, width])
    for _ in range(layers):
        x = layer_norm(n, n.op("Add", [x, attention(n, x, length, width, heads)]), width)
        y = n.op("Tanh", [n.linear(x, width, 2 * width)])
        x = layer_norm(n, n.op("Add", [x, n.linear(y, 2 * width, width)]), width)
    return finished(n, [n.linear(x, width, 8)])


def decoder():
    """Rotated positions, root mean squares, gates: what Llama is made of."""
    n = Net(3)
    length, width = 5, 16
    x = n.input("x", [1, length, width])
    for _ in range(2):
        square = n.op("ReduceMean", [n.op("Mul", [x, x])], axes=[-1], keepdims=1)
        y = n.op("Div", [x, n.op("Sqrt", [n.op("Add", [square, n.constant(np.float32(1e-5))])])])
        first, second = n.slice(y, 2, 0, width // 2), n.slice(y, 2, width // 2, width)
        angle = n.constant(n.random.standard_normal((length, width // 2)).astype(np.float32))
        turned = n.op("Sub", [n.op("Mul", [first, n.op("Cos", [angle])]), n.op("Mul", [second, n.op("Sin", [angle])])])
        y = n.op("Concat", [turned, second], axis=2)
        x = n.op("Add", [x, attention(n, y, length, width, 2)])
        gate = n.linear(x, width, 2 * width)
        gate = n.op("Mul", [gate, n.op("Sigmoid", [gate])])
        x = n.op("Add", [x, n.linear(n.op("Mul", [gate, n.linear(x, width, 2 * width)]), 2 * width, width)])
    return finished(n, [x])


def recurrent(kind="LSTM", seed=4):
    n = Net(seed)
    x = n.input("x", [6, 1, 10])
    gates, width = {"LSTM": 4, "GRU": 3}[kind], 10
    for hidden in (12, 8):
        outputs = n.op(kind, [x, n.weight((1, gates * hidden, width)), n.weight((1, gates * hidden, hidden)),
                              n.weight((1, 2 * gates * hidden), 0.1)], 3 if kind == "LSTM" else 2, hidden_size=hidden)
        x, width = n.op("Tanh", [n.op("Squeeze", [outputs[0], n.constant(np.array([1], np.int64))])]), hidden
        x = n.op("Add", [n.scaled(x, 1.5), n.weight((hidden,), 0.1)])
    x = n.op("LeakyRelu", [n.linear(x, width, 12)], alpha=0.1)
    x = n.op("Exp", [n.op("Neg", [n.op("Abs", [x])])])
    x = n.op("Sub", [x, n.op("ReduceMax", [x], axes=[-1], keepdims=1)])
    return finished(n, [n.op("LogSoftmax", [n.linear(x, 12, 6)], axis=-1)])


def branch(n, x, width, kind, name):
    inner = Net(11 if kind == "Relu" else 12)
    inner.count = 1000 if kind == "Relu" else 2000
    y = inner.op("MatMul", [x, inner.weight((width, width))])
    y = inner.op(kind, [inner.op("Add", [y, x])])
    for i, weight in enumerate(inner.weights):
        weight.name = f"{name}_w{i}"
    for node in inner.nodes:
        node.name = f"{name}_{node.name}"
        node.input[:] = [f"{name}_{each}" if each.startswith("w") else each for each in node.input]
    return helper.make_graph(inner.nodes, name, [], [helper.make_tensor_value_info(y, FLOAT, None)], inner.weights)


def control():
    """A loop whose body has a branch that depends on data, between layers."""
    n = Net(5)
    width = 6
    x = n.linear(n.input("x", [4, width]), width, width)
    body = Net(6)
    body.count = 500
    state = "state"
    y = body.op("Tanh", [body.op("MatMul", [state, body.weight((width, width))])])
    total = body.op("ReduceSum", [y], keepdims=0)
    positive = body.op("Greater", [total, body.constant(np.float32(0))])
    y = body.op("If", [positive], then_branch=branch(body, y, width, "Relu", "then"),
                else_branch=branch(body, y, width, "Sigmoid", "else"))  # fmt: skip
    y = body.op("Add", [body.op("Mul", [y, body.constant(np.float32(0.5))]), state])
    again = body.op("Identity", ["goes_on"])
    for i, weight in enumerate(body.weights):
        weight.name = f"body_w{i}"
    for node in body.nodes:
        node.name = "body_" + node.name
        node.input[:] = ["body_" + each if each.startswith("w") else each for each in node.input]
    graph = helper.make_graph(
        body.nodes, "body",
        [helper.make_tensor_value_info("trip", TensorProto.INT64, []), helper.make_tensor_value_info("goes_on", TensorProto.BOOL, []),
         helper.make_tensor_value_info(state, FLOAT, [4, width])],
        [helper.make_tensor_value_info(again, TensorProto.BOOL, []), helper.make_tensor_value_info(y, FLOAT, [4, width])],
        body.weights)  # fmt: skip
    x = n.op("Loop", [n.constant(np.array(3, np.int64)), "", x], body=graph)
    mean = n.op("Greater", [n.op("ReduceMean", [x], keepdims=0), n.constant(np.float32(-5))])
    x = n.op("If", [mean], then_branch=branch(n, x, width, "Relu", "main_then"),
             else_branch=branch(n, x, width, "Sigmoid", "main_else"))  # fmt: skip
    x = n.op("Softplus", [n.linear(x, width, width)])
    return finished(n, [n.op("Softmax", [n.linear(n.op("Sqrt", [x]), width, 5)], axis=-1)])


def bfloat16_bits(array):
    """To nearest, ties to even."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def narrow(model, kind):
    """The same network in another type."""
    for weight in model.graph.initializer:
        if weight.data_type != FLOAT:
            continue
        array = numpy_helper.to_array(weight)
        raw = array.astype(np.float16) if kind == FLOAT16 else bfloat16_bits(array)
        weight.CopyFrom(helper.make_tensor(weight.name, kind, array.shape, raw.tobytes(), raw=True))
    for value in [*model.graph.input, *model.graph.output]:
        value.type.tensor_type.elem_type = kind
    return model


def stored(array, kind):
    """What a program puts into the input's buffer."""
    array = np.ascontiguousarray(array, np.float32)
    return {FLOAT: array, FLOAT16: array.astype(np.float16)}.get(kind, None) if kind != BFLOAT16 else bfloat16_bits(array)


# name -> (its model, the type of its input, options for atc)
FORCE_HALF = ["--precision_mode=force_fp16"]
NETWORKS = {
    "residual": lambda: (residual(), FLOAT, []),
    "mobile": lambda: (mobile(), FLOAT, []),
    "encoder": lambda: (encoder(), FLOAT, []),
    "decoder": lambda: (decoder(), FLOAT, []),
    "lstm": lambda: (recurrent(), FLOAT, []),
    "control": lambda: (control(), FLOAT, []),
    "residual_fp16": lambda: (residual(7), FLOAT, FORCE_HALF),
    "gru_fp16": lambda: (narrow(recurrent("GRU", 8), FLOAT16), FLOAT16, []),
    "encoder_fp16": lambda: (narrow(encoder(9), FLOAT16), FLOAT16, []),
    "residual_bf16": lambda: (narrow(residual(10), BFLOAT16), BFLOAT16, []),
}


def shape_of(model):
    return [each.dim_value for each in model.graph.input[0].type.tensor_type.shape.dim]


def save(name, folder):
    """Writes NAME.onnx; (its path, the shape of its input, the input's type, options for atc)."""
    model, kind, options = NETWORKS[name]()
    path = pathlib.Path(folder) / f"{name}.onnx"
    onnx.save(model, str(path))
    return path, shape_of(model), kind, options
