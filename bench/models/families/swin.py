# SPDX-License-Identifier: Apache-2.0
"""Swin-tiny: attention within windows, which every other block shifts."""
import numpy as np

from families.net import Net, TensorProto, gelu

WINDOW = 7


def rolled(n, x, by, size):
    """By `by` places along both axes of (1, size, size, width)."""
    for axis in (1, 2):
        parts = [n.slice(x, axis, by % size, np.iinfo(np.int64).max), n.slice(x, axis, 0, by % size)]
        x = n.op("Concat", parts, axis=axis)
    return x


def mask_of(size, shift):
    """0 between places that were neighbours before the roll, -100 between others: (windows, 1, 49, 49)."""
    region = np.zeros((size, size))
    edges = (slice(0, -WINDOW), slice(-WINDOW, -shift), slice(-shift, None))
    for i, rows in enumerate(edges):
        for j, columns in enumerate(edges):
            region[rows, columns] = 3 * i + j
    tiles = size // WINDOW
    region = region.reshape(tiles, WINDOW, tiles, WINDOW).transpose(0, 2, 1, 3).reshape(-1, WINDOW * WINDOW)
    return np.where(region[:, None, :] == region[:, :, None], 0, -100).astype(np.float32)[:, None]


def attention(n, x, windows, width, heads, mask):
    length, head = WINDOW * WINDOW, width // heads
    qkv = n.transpose(n.reshape(n.linear(x, width, 3 * width), windows, length, 3, heads, head), 2, 0, 3, 1, 4)
    q, k, v = (n.op("Gather", [qkv, n.constant(np.array(i, np.int64))], axis=0) for i in range(3))
    scores = n.op("MatMul", [n.scaled(q, head ** -0.5), n.transpose(k, 0, 1, 3, 2)])
    scores = n.op("Add", [scores, n.weight((1, heads, length, length), 0.02)])
    if mask is not None:
        scores = n.reshape(scores, 1, windows, heads, length, length)
        scores = n.op("Add", [scores, n.constant(mask[None])])
        scores = n.reshape(scores, -1, heads, length, length)
    mixed = n.transpose(n.op("MatMul", [n.op("Softmax", [scores], axis=-1), v]), 0, 2, 1, 3)
    return n.linear(n.reshape(mixed, windows, length, width), width, width)


def block(n, x, size, width, heads, shift):
    tiles = size // WINDOW
    y = n.normalize(x, width, 1e-5)
    y = rolled(n, y, shift, size) if shift else y
    y = n.transpose(n.reshape(y, 1, tiles, WINDOW, tiles, WINDOW, width), 0, 1, 3, 2, 4, 5)
    y = n.reshape(y, tiles * tiles, WINDOW * WINDOW, width)
    y = attention(n, y, tiles * tiles, width, heads, mask_of(size, shift) if shift else None)
    y = n.transpose(n.reshape(y, 1, tiles, tiles, WINDOW, WINDOW, width), 0, 1, 3, 2, 4, 5)
    y = n.reshape(y, 1, size, size, width)
    y = rolled(n, y, -shift, size) if shift else y
    x = n.op("Add", [x, y])
    y = n.linear(gelu(n, n.linear(n.normalize(x, width, 1e-5), width, 4 * width)), 4 * width, width)
    return n.op("Add", [x, y])


def merged(n, x, width):
    """Patches of two by two as one of twice the width."""
    most = np.iinfo(np.int64).max
    parts = [n.slice(n.slice(x, 1, row, most, 2), 2, column, most, 2) for row, column in ((0, 0), (1, 0), (0, 1), (1, 1))]
    x = n.normalize(n.op("Concat", parts, axis=-1), 4 * width, 1e-5)
    return n.op("MatMul", [x, n.weight((4 * width, 2 * width), (4 * width) ** -0.5)])


def swin_tiny(path, size=224):
    n = Net()
    x = n.conv(n.input("input", [1, 3, size, size]), 3, 96, 4, 4, bn=False, act=None, pad=0)
    x, width, size = n.normalize(n.transpose(x, 0, 2, 3, 1), 96, 1e-5), 96, size // 4
    for stage, blocks in enumerate((2, 2, 6, 2)):
        if stage:
            x, width, size = merged(n, x, width), 2 * width, size // 2
        for i in range(blocks):
            shift = WINDOW // 2 if i % 2 and size > WINDOW else 0
            x = block(n, x, size, width, width // 32, shift)
    x = n.transpose(n.normalize(x, width, 1e-5), 0, 3, 1, 2)
    x = n.op("Flatten", [n.op("GlobalAveragePool", [x])])
    n.save(path, [(n.classes(x, width), TensorProto.FLOAT)], opset=17)
