# SPDX-License-Identifier: Apache-2.0
"""Networks of real size with random weights, as ONNX files.

usage: networks.py DIRECTORY [NAME...]
"""
import pathlib
import sys

import numpy as np

for alias, kind in (("float", float), ("int", int), ("bool", bool), ("object", object)):  # onnx 1.12 uses them
    setattr(np, alias, kind)
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402


class Net:
    """Adds nodes one by one; every method returns the name of its output."""

    def __init__(self, seed=0):
        self.random = np.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.count = [], [], [], 0

    def input(self, name, shape, kind=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def weight(self, shape, scale=None):
        fan_in = np.prod(shape[1:]) if len(shape) > 1 else shape[0]
        scale = scale if scale is not None else (2.0 / fan_in) ** 0.5
        return self.constant((self.random.standard_normal(shape) * scale).astype(np.float32))

    def constant(self, values):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def op(self, kind, inputs, outputs=1, **attributes):
        names = [f"t{self.count + i}" for i in range(outputs)]
        self.count += outputs
        self.nodes.append(helper.make_node(kind, inputs, names, f"{kind}_{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    def conv(self, x, cin, cout, k, stride=1, groups=1, bn=True, act="Relu"):
        attributes = dict(kernel_shape=[k, k], strides=[stride] * 2, pads=[k // 2] * 4, group=groups)
        y = self.op("Conv", [x, self.weight((cout, cin // groups, k, k))] + ([] if bn else [self.weight((cout,), 0.1)]),
                    **attributes)
        if bn:
            ones = np.ones(cout, np.float32)
            y = self.op("BatchNormalization", [y, self.constant(ones), self.constant(0 * ones), self.constant(0 * ones),
                                               self.constant(ones)])
        return self.op(act, [y]) if act else y

    def linear(self, x, cin, cout):
        y = self.op("MatMul", [x, self.weight((cin, cout), cin ** -0.5)])
        return self.op("Add", [y, self.weight((cout,), 0.02)])

    def save(self, path, outputs, opset=13):
        values = [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs]
        graph = helper.make_graph(self.nodes, path.stem, self.inputs, values, self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), str(path))


def resnet50(path, size=224):
    n = Net()
    x = n.conv(n.input("input", [1, 3, size, size]), 3, 64, 7, 2)
    x = n.op("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    cin = 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            s = stride if block == 0 else 1
            shortcut = n.conv(x, cin, 4 * width, 1, s, act=None) if block == 0 else x
            y = n.conv(x, cin, width, 1)
            y = n.conv(y, width, width, 3, s)
            y = n.conv(y, width, 4 * width, 1, act=None)
            x = n.op("Relu", [n.op("Add", [y, shortcut])])
            cin = 4 * width
    x = n.op("Flatten", [n.op("GlobalAveragePool", [x])])
    y = n.op("Gemm", [x, n.weight((1000, 2048), 0.02), n.weight((1000,), 0.02)], transB=1)
    n.save(path, [(y, TensorProto.FLOAT)])


def mobilenet(path, size=224):
    n = Net()
    x = n.conv(n.input("input", [1, 3, size, size]), 3, 16, 3, 2, act=None)
    x = hard_swish(n, x)
    cin = 16
    rows = [(3, 16, 16, 0, 1), (3, 64, 24, 0, 2), (3, 72, 24, 0, 1), (5, 72, 40, 1, 2), (5, 120, 40, 1, 1),
            (5, 120, 40, 1, 1), (3, 240, 80, 0, 2), (3, 200, 80, 0, 1), (3, 184, 80, 0, 1), (3, 480, 112, 1, 1),
            (3, 672, 112, 1, 1), (5, 672, 160, 1, 2), (5, 960, 160, 1, 1), (5, 960, 160, 1, 1)]
    for k, expand, cout, squeeze, stride in rows:
        y = hard_swish(n, n.conv(x, cin, expand, 1, act=None))
        y = hard_swish(n, n.conv(y, expand, expand, k, stride, groups=expand, act=None))
        if squeeze:
            s = n.op("GlobalAveragePool", [y])
            s = n.conv(s, expand, expand // 4, 1, bn=False)
            s = n.conv(s, expand // 4, expand, 1, bn=False, act=None)
            y = n.op("Mul", [y, n.op("HardSigmoid", [s], alpha=1 / 6, beta=0.5)])
        y = n.conv(y, expand, cout, 1, act=None)
        x = n.op("Add", [x, y]) if stride == 1 and cin == cout else y
        cin = cout
    x = hard_swish(n, n.conv(x, cin, 960, 1, act=None))
    x = n.op("Flatten", [n.op("GlobalAveragePool", [x])])
    y = n.op("Gemm", [x, n.weight((1000, 960), 0.02), n.weight((1000,), 0.02)], transB=1)
    n.save(path, [(y, TensorProto.FLOAT)])


def hard_swish(n, x):
    return n.op("Mul", [x, n.op("HardSigmoid", [x], alpha=1 / 6, beta=0.5)])


def layer_norm(n, x, width):
    mean = n.op("ReduceMean", [x], axes=[-1], keepdims=1)
    d = n.op("Sub", [x, mean])
    variance = n.op("ReduceMean", [n.op("Pow", [d, n.constant(np.float32(2))])], axes=[-1], keepdims=1)
    deviation = n.op("Sqrt", [n.op("Add", [variance, n.constant(np.float32(1e-5))])])
    y = n.op("Div", [d, deviation])
    y = n.op("Mul", [y, n.constant(np.ones(width, np.float32))])
    return n.op("Add", [y, n.constant(np.zeros(width, np.float32))])


def gelu(n, x):
    e = n.op("Erf", [n.op("Div", [x, n.constant(np.float32(2 ** 0.5))])])
    return n.op("Mul", [n.op("Mul", [x, n.op("Add", [e, n.constant(np.float32(1))])]), n.constant(np.float32(0.5))])


def bert(path, layers=12, width=768, heads=12, length=128):
    n = Net()
    x = n.input("input", [1, length, width])
    head = width // heads

    def split_heads(t, perm):
        t = n.op("Reshape", [t, n.constant(np.array([1, length, heads, head], np.int64))])
        return n.op("Transpose", [t], perm=perm)

    for _ in range(layers):
        q = split_heads(n.linear(x, width, width), [0, 2, 1, 3])
        k = split_heads(n.linear(x, width, width), [0, 2, 3, 1])
        v = split_heads(n.linear(x, width, width), [0, 2, 1, 3])
        scores = n.op("Div", [n.op("MatMul", [q, k]), n.constant(np.float32(head ** 0.5))])
        mixed = n.op("MatMul", [n.op("Softmax", [scores], axis=-1), v])
        mixed = n.op("Transpose", [mixed], perm=[0, 2, 1, 3])
        mixed = n.op("Reshape", [mixed, n.constant(np.array([1, length, width], np.int64))])
        x = layer_norm(n, n.op("Add", [x, n.linear(mixed, width, width)]), width)
        hidden = gelu(n, n.linear(x, width, 4 * width))
        x = layer_norm(n, n.op("Add", [x, n.linear(hidden, 4 * width, width)]), width)
    n.save(path, [(x, TensorProto.FLOAT)])


def ocr(path):
    n = Net()
    x = n.input("input", [1, 1, 32, "width"])
    cin = 1
    for cout, pool in ((32, (2, 2)), (64, (2, 2)), (128, (2, 1)), (128, (2, 1)), (256, (2, 1))):
        x = n.conv(x, cin, cout, 3)
        x = n.op("MaxPool", [x], kernel_shape=list(pool), strides=list(pool))
        cin = cout
    x = n.op("Squeeze", [x, n.constant(np.array([2], np.int64))])
    x = n.op("Transpose", [x], perm=[0, 2, 1])
    y = n.op("Softmax", [n.linear(x, 256, 96)], axis=-1)
    n.save(path, [(y, TensorProto.FLOAT)])


def lstm(path, length=64, width=128, hidden=256):
    n = Net()
    x = n.input("input", [length, 1, width])
    for _ in range(2):
        w = n.weight((1, 4 * hidden, width), width ** -0.5)
        r = n.weight((1, 4 * hidden, hidden), hidden ** -0.5)
        b = n.weight((1, 8 * hidden), 0.02)
        y = n.op("LSTM", [x, w, r, b], outputs=3, hidden_size=hidden)[0]
        x = n.op("Squeeze", [y, n.constant(np.array([1], np.int64))])
        width = hidden
    n.save(path, [(x, TensorProto.FLOAT)])


def unet(path, size=256):
    n = Net()
    x = n.input("input", [1, 3, size, size])
    skips, cin = [], 3
    for cout in (16, 32, 64, 128):
        x = n.conv(n.conv(x, cin, cout, 3), cout, cout, 3)
        skips.append((x, cout))
        x = n.op("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])
        cin = cout
    x = n.conv(n.conv(x, cin, 256, 3), 256, 256, 3)
    cin = 256
    for skip, cout in reversed(skips):
        x = n.op("ConvTranspose", [x, n.weight((cin, cout, 2, 2)), n.weight((cout,), 0.02)], kernel_shape=[2, 2],
                 strides=[2, 2])
        x = n.op("Concat", [skip, x], axis=1)
        x = n.conv(n.conv(x, 2 * cout, cout, 3), cout, cout, 3)
        cin = cout
    x = n.conv(x, cin, 2, 1, bn=False, act="Sigmoid")
    n.save(path, [(x, TensorProto.FLOAT)])


NETWORKS = {"resnet50": resnet50, "mobilenet": mobilenet, "bert": bert, "ocr": ocr, "lstm": lstm, "unet": unet}

if __name__ == "__main__":
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or NETWORKS:
        if not (directory / f"{name}.onnx").exists():
            NETWORKS[name](directory / f"{name}.onnx")
