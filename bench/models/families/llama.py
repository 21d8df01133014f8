# SPDX-License-Identifier: Apache-2.0
"""A small Llama: token numbers in, the scores of the next tokens out."""
import numpy as np

from families.net import Net, TensorProto


def rms_norm(n, x, width):
    square = n.op("ReduceMean", [n.op("Pow", [x, n.constant(np.float32(2))])], axes=[-1], keepdims=1)
    root = n.op("Sqrt", [n.op("Add", [square, n.constant(np.float32(1e-5))])])
    x = n.op("Mul", [x, n.op("Div", [n.constant(np.float32(1)), root])])
    return n.op("Mul", [n.constant((1 + 0.1 * n.random.standard_normal(width)).astype(np.float32)), x])


def angles(length, head):
    turns = np.outer(np.arange(length), 10000.0 ** (-np.arange(0, head, 2) / head))
    turns = np.concatenate([turns, turns], axis=1)[None, None]
    return np.cos(turns).astype(np.float32), np.sin(turns).astype(np.float32)


def rotated(n, x, cosine, sine, head):
    far = n.slice(x, 3, head // 2, np.iinfo(np.int64).max)
    turned = n.op("Concat", [n.op("Neg", [far]), n.slice(x, 3, 0, head // 2)], axis=-1)
    return n.op("Add", [n.op("Mul", [x, cosine]), n.op("Mul", [turned, sine])])


def product(n, x, cin, cout):
    return n.op("MatMul", [x, n.weight((cin, cout), cin ** -0.5)])


def layer(n, x, length, width, heads, hidden, cosine, sine, mask):
    head = width // heads
    y = rms_norm(n, x, width)
    q, k, v = (n.transpose(n.reshape(product(n, y, width, width), 1, length, heads, head), 0, 2, 1, 3) for _ in range(3))
    q, k = (rotated(n, each, cosine, sine, head) for each in (q, k))
    scores = n.op("Div", [n.op("MatMul", [q, n.transpose(k, 0, 1, 3, 2)]), n.constant(np.float32(head ** 0.5))])
    scores = n.op("Softmax", [n.op("Add", [scores, mask])], axis=-1)
    y = n.reshape(n.transpose(n.op("MatMul", [scores, v]), 0, 2, 1, 3), 1, length, width)
    x = n.op("Add", [x, product(n, y, width, width)])
    y = rms_norm(n, x, width)
    gate = n.activate(product(n, y, width, hidden), "Silu")
    y = n.op("Mul", [gate, product(n, y, width, hidden)])
    return n.op("Add", [x, product(n, y, hidden, width)])


def llama(path, layers=4, width=512, heads=8, hidden=1376, tokens=32000, length=64):
    n = Net()
    ids = n.input("input", [1, length], TensorProto.INT64)
    x = n.op("Gather", [n.weight((tokens, width), 1), ids], axis=0)
    cosine, sine = (n.constant(each) for each in angles(length, width // heads))
    mask = n.constant(np.triu(np.full((1, 1, length, length), np.finfo(np.float32).min, np.float32), 1))
    for _ in range(layers):
        x = layer(n, x, length, width, heads, hidden, cosine, sine, mask)
    y = product(n, rms_norm(n, x, width), width, tokens)
    n.save(path, [(y, TensorProto.FLOAT)])
