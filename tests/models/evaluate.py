# SPDX-License-Identifier: Apache-2.0
"""ONNX models in float64, by definition: numpy, one function for each operator, nothing clever."""
import math

import numpy as np
from onnx import helper, numpy_helper

ERF = np.vectorize(math.erf, otypes=[np.float64])


def pad_spatial(x, pads, value=0.0):
    return np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])), constant_values=value)


def taps(x, kernel, strides):
    """(i, j, the elements under tap i, j for every place of the result)."""
    oh = (x.shape[2] - kernel[0]) // strides[0] + 1
    ow = (x.shape[3] - kernel[1]) // strides[1] + 1
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            yield i, j, x[:, :, i:i + strides[0] * oh:strides[0], j:j + strides[1] * ow:strides[1]]


def conv(inputs, kernel_shape, strides=(1, 1), pads=(0, 0, 0, 0), group=1):
    x, w = inputs[:2]
    y = 0.0
    for i, j, part in taps(pad_spatial(x, pads), kernel_shape, strides):
        if group == 1:
            y = y + np.einsum("oc,nchw->nohw", w[:, :, i, j], part, optimize=True)
        else:
            split = part.reshape(part.shape[0], group, -1, *part.shape[2:])
            filters = w[:, :, i, j].reshape(group, -1, w.shape[1])
            y = y + np.einsum("goc,ngchw->ngohw", filters, split).reshape(part.shape[0], -1, *part.shape[2:])
    return y + inputs[2].reshape(1, -1, 1, 1) if len(inputs) > 2 else y


def conv_transpose(inputs, kernel_shape, strides=(1, 1)):
    x, w = inputs[:2]
    n, _, height, width = x.shape
    y = np.zeros((n, w.shape[1], (height - 1) * strides[0] + kernel_shape[0], (width - 1) * strides[1] + kernel_shape[1]))
    for i in range(kernel_shape[0]):
        for j in range(kernel_shape[1]):
            y[:, :, i:i + strides[0] * height:strides[0], j:j + strides[1] * width:strides[1]] += np.einsum(
                "nchw,co->nohw", x, w[:, :, i, j], optimize=True)
    return y + inputs[2].reshape(1, -1, 1, 1) if len(inputs) > 2 else y


def max_pool(x, kernel_shape, strides=(1, 1), pads=(0, 0, 0, 0)):
    return np.max([part for _, _, part in taps(pad_spatial(x, pads, -np.inf), kernel_shape, strides)], axis=0)


def batch_norm(x, scale, bias, mean, variance, epsilon=1e-5):
    scale, bias, mean, variance = (v.reshape(1, -1, 1, 1) for v in (scale, bias, mean, variance))
    return (x - mean) / np.sqrt(variance + epsilon) * scale + bias


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(inputs, hidden_size):
    """One direction: y [length, 1, batch, hidden], the last h, the last c. Gates come as i, o, f, c."""
    x, w, r, b = (v for v in inputs)
    w, r, bias = w[0], r[0], b[0][:4 * hidden_size] + b[0][4 * hidden_size:]
    h = c = np.zeros((x.shape[1], hidden_size))
    steps = []
    for t in range(x.shape[0]):
        i, o, f, g = np.split(x[t] @ w.T + h @ r.T + bias, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        steps.append(h)
    return np.stack(steps)[:, None], h[None], c[None]


def gemm(inputs, transA=0, transB=0, alpha=1.0, beta=1.0):
    a, b = inputs[0].T if transA else inputs[0], inputs[1].T if transB else inputs[1]
    return alpha * (a @ b) + (beta * inputs[2] if len(inputs) > 2 else 0)


OPERATORS = {
    "Add": lambda v: v[0] + v[1],
    "BatchNormalization": lambda v, **a: batch_norm(*v, **a),
    "Concat": lambda v, axis: np.concatenate(v, axis),
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "Div": lambda v: v[0] / v[1],
    "Erf": lambda v: ERF(v[0]),
    "Flatten": lambda v: v[0].reshape(v[0].shape[0], -1),
    "Gemm": gemm,
    "GlobalAveragePool": lambda v: v[0].mean(axis=(2, 3), keepdims=True),
    "HardSigmoid": lambda v, alpha, beta: np.clip(alpha * v[0] + beta, 0, 1),
    "LSTM": lstm,
    "MatMul": lambda v: v[0] @ v[1],
    "MaxPool": lambda v, **a: max_pool(v[0], **a),
    "Mul": lambda v: v[0] * v[1],
    "Pow": lambda v: v[0]**v[1],
    "ReduceMean": lambda v, axes, keepdims: v[0].mean(axis=tuple(axes), keepdims=bool(keepdims)),
    "Relu": lambda v: np.maximum(v[0], 0),
    "Reshape": lambda v: v[0].reshape([int(d) for d in v[1]]),
    "Sigmoid": lambda v: sigmoid(v[0]),
    "Softmax": lambda v, axis=-1: softmax(v[0], axis),
    "Sqrt": lambda v: np.sqrt(v[0]),
    "Squeeze": lambda v: np.squeeze(v[0], tuple(int(a) for a in v[1])),
    "Sub": lambda v: v[0] - v[1],
    "Transpose": lambda v, perm: v[0].transpose(perm),
}


def evaluate(model, inputs):
    """The outputs of an onnx.ModelProto for inputs by name."""
    values = {w.name: numpy_helper.to_array(w) for w in model.graph.initializer} | inputs
    values = {name: v.astype(np.float64) if v.dtype.kind == "f" else v for name, v in values.items()}
    for node in model.graph.node:
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        result = OPERATORS[node.op_type]([values[name] for name in node.input], **attributes)
        values.update(zip(node.output, result if isinstance(result, tuple) else (result,)))
    return [values[output.name] for output in model.graph.output]
