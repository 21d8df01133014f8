# SPDX-License-Identifier: Apache-2.0
"""VGG-16 and DenseNet-121."""
import numpy as np

from families.net import Net, TensorProto


def vgg16(path, size=224):
    n = Net()
    x, cin = n.input("input", [1, 3, size, size]), 3
    for width, convolutions in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(convolutions):
            x = n.conv(x, cin, width, 3, bn=False)
            cin = width
        x = n.pool(x, "MaxPool", 2, 2)
    x = n.pool(x, "AveragePool", 1, 1)  # of an adaptive pooling to 7 x 7
    x = n.op("Flatten", [x])
    for width in (512 * 49, 4096):
        x = n.op("Relu", [n.classes(x, width, 4096)])
    n.save(path, [(n.classes(x, 4096), TensorProto.FLOAT)])


def normalized(n, x, channels):
    def around(middle):
        return n.constant((middle + 0.1 * n.random.standard_normal(channels)).astype(np.float32))

    return n.op("Relu", [n.op("BatchNormalization", [x, around(1), around(0), around(0), around(1)])])


def densenet121(path, size=224):
    n = Net()
    x = n.conv(n.input("input", [1, 3, size, size]), 3, 64, 7, 2, bn=False)
    x, channels, growth = n.pool(x, "MaxPool", 3, 2, 1), 64, 32
    for block, layers in enumerate((6, 12, 24, 16)):
        features = [x]
        for _ in range(layers):
            y = n.op("Concat", features, axis=1)
            y = n.conv(normalized(n, y, channels), channels, 4 * growth, 1, bn=False)
            features.append(n.op("Conv", [y, n.weight((growth, 4 * growth, 3, 3))], kernel_shape=[3, 3], pads=[1] * 4))
            channels += growth
        x = normalized(n, n.op("Concat", features, axis=1), channels)
        if block < 3:
            x = n.op("Conv", [x, n.weight((channels // 2, channels, 1, 1))], kernel_shape=[1, 1])
            x, channels = n.pool(x, "AveragePool", 2, 2), channels // 2
    x = n.op("Flatten", [n.op("GlobalAveragePool", [x])])
    n.save(path, [(n.classes(x, channels), TensorProto.FLOAT)])
