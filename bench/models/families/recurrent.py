# SPDX-License-Identifier: Apache-2.0
"""Readers of lines and sequences: a small OCR, LSTM, CRNN."""
import numpy as np

from families.net import Net, TensorProto


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


def both_directions(n, x, steps, width, hidden):
    weights = [n.weight((2, 4 * hidden, each), hidden ** -0.5) for each in (width, hidden)]
    start = np.zeros((2, 1, hidden), np.float32)
    y = n.op("LSTM", [x, *weights, n.weight((2, 8 * hidden), 0.02), "", n.constant(start), n.constant(start)], outputs=3,
             hidden_size=hidden, direction="bidirectional")[0]
    y = n.reshape(n.transpose(y, 0, 2, 1, 3), 0, 0, -1)
    return n.reshape(y, steps, 2 * hidden)


def crnn(path, width=100, hidden=256, letters=37):
    n = Net()
    x, cin = n.input("input", [1, 1, 32, width]), 1
    wide = dict(kernel_shape=[2, 2], strides=[2, 1], pads=[0, 1, 0, 1])
    square = dict(kernel_shape=[2, 2], strides=[2, 2])
    for cout, k, pad, pooled in ((64, 3, 1, square), (128, 3, 1, square), (256, 3, 1, None), (256, 3, 1, wide),
                                 (512, 3, 1, None), (512, 3, 1, wide), (512, 2, 0, None)):
        x = n.conv(x, cin, cout, k, bn=False, pad=pad)
        x = n.op("MaxPool", [x], **pooled) if pooled else x
        cin = cout
    steps = width // 4 + 1
    x = n.transpose(n.op("Squeeze", [x, n.constant(np.array([2], np.int64))]), 2, 0, 1)
    x = n.classes(both_directions(n, x, steps, 512, hidden), 2 * hidden, hidden)
    x = both_directions(n, n.reshape(x, steps, 1, hidden), steps, hidden, hidden)
    y = n.reshape(n.classes(x, 2 * hidden, letters), steps, 1, letters)
    n.save(path, [(y, TensorProto.FLOAT)])
