# SPDX-License-Identifier: Apache-2.0
"""A builder of ONNX files: adds nodes one by one, with random weights that follow from a seed."""
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

    def conv(self, x, cin, cout, k, stride=1, groups=1, bn=True, act="Relu", pad=None):
        """With bn a normalization follows; without, a bias: what exporters leave of the two at inference."""
        kernel = list(k) if isinstance(k, tuple) else [k, k]
        pads = [each // 2 for each in kernel] if pad is None else list(pad) if isinstance(pad, tuple) else [pad, pad]
        attributes = dict(kernel_shape=kernel, strides=[stride] * 2, pads=2 * pads, group=groups)
        y = self.op("Conv", [x, self.weight((cout, cin // groups, *kernel))] + ([] if bn else [self.weight((cout,), 0.1)]),
                    **attributes)
        if bn:
            ones = np.ones(cout, np.float32)
            y = self.op("BatchNormalization", [y, self.constant(ones), self.constant(0 * ones), self.constant(0 * ones),
                                               self.constant(ones)])
        return self.activate(y, act)

    def activate(self, x, act):
        if act == "Silu":
            return self.op("Mul", [x, self.op("Sigmoid", [x])])
        return self.op(act, [x]) if act else x

    def pool(self, x, kind, k, stride, pad=0, **attributes):
        return self.op(kind, [x], kernel_shape=[k, k], strides=[stride] * 2, pads=[pad] * 4, **attributes)

    def reshape(self, x, *dims):
        return self.op("Reshape", [x, self.constant(np.array(dims, np.int64))])

    def transpose(self, x, *perm):
        return self.op("Transpose", [x], perm=list(perm))

    def slice(self, x, axis, start, end, step=1):
        return self.op("Slice", [x] + [self.constant(np.array([each], np.int64)) for each in (start, end, axis, step)])

    def scaled(self, x, factor):
        return self.op("Mul", [x, self.constant(np.float32(factor))])

    def normalize(self, x, width, epsilon=1e-6):
        """As exported from opset 17 on; layer_norm() is what earlier ones get."""
        scale = self.constant((1 + 0.1 * self.random.standard_normal(width)).astype(np.float32))
        return self.op("LayerNormalization", [x, scale, self.weight((width,), 0.02)], axis=-1, epsilon=epsilon)

    def classes(self, x, width, count=1000):
        return self.op("Gemm", [x, self.weight((count, width), 0.02), self.weight((count,), 0.02)], transB=1)

    def linear(self, x, cin, cout):
        y = self.op("MatMul", [x, self.weight((cin, cout), cin ** -0.5)])
        return self.op("Add", [y, self.weight((cout,), 0.02)])

    def save(self, path, outputs, opset=13):
        values = [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs]
        graph = helper.make_graph(self.nodes, path.stem, self.inputs, values, self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), str(path))


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
