# SPDX-License-Identifier: Apache-2.0
"""BERT and ViT-B/16."""
import numpy as np

from families.net import Net, TensorProto, gelu, layer_norm


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


def vit_block(n, x, length, width, heads):
    head = width // heads
    y = n.linear(n.normalize(x, width), width, 3 * width)
    qkv = n.transpose(n.reshape(y, 1, length, 3, heads, head), 2, 0, 3, 1, 4)
    q, k, v = (n.op("Gather", [qkv, n.constant(np.array(i, np.int64))], axis=0) for i in range(3))
    root = head ** -0.25  # both factors of the product carry half of the scale
    scores = n.op("MatMul", [n.scaled(q, root), n.scaled(n.transpose(k, 0, 1, 3, 2), root)])
    mixed = n.transpose(n.op("MatMul", [n.op("Softmax", [scores], axis=-1), v]), 0, 2, 1, 3)
    x = n.op("Add", [x, n.linear(n.reshape(mixed, 1, length, width), width, width)])
    y = n.linear(gelu(n, n.linear(n.normalize(x, width), width, 4 * width)), 4 * width, width)
    return n.op("Add", [x, y])


def vit_b16(path, size=224, layers=12, width=768, heads=12):
    n = Net()
    patches = (size // 16) ** 2
    x = n.conv(n.input("input", [1, 3, size, size]), 3, width, 16, 16, bn=False, act=None, pad=0)
    x = n.transpose(n.reshape(x, 1, width, patches), 0, 2, 1)
    x = n.op("Concat", [n.weight((1, 1, width), 0.02), x], axis=1)
    x = n.op("Add", [x, n.weight((1, patches + 1, width), 0.02)])
    for _ in range(layers):
        x = vit_block(n, x, patches + 1, width, heads)
    x = n.op("Gather", [n.normalize(x, width), n.constant(np.array(0, np.int64))], axis=1)
    n.save(path, [(n.classes(x, width), TensorProto.FLOAT)], opset=17)
