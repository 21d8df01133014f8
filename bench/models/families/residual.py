# SPDX-License-Identifier: Apache-2.0
"""ResNet-50."""
from families.net import Net, TensorProto


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
