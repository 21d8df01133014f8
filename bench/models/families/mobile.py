# SPDX-License-Identifier: Apache-2.0
"""Small networks for images: MobileNet-v3, SqueezeNet 1.1, ShuffleNet-v2, EfficientNet-B0."""
import numpy as np

from families.net import Net, TensorProto, hard_swish


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


def squeezenet(path, size=224):
    n = Net()
    x = n.conv(n.input("input", [1, 3, size, size]), 3, 64, 3, 2, bn=False, pad=0)
    cin = 64
    for stage in (((16, 64), (16, 64)), ((32, 128), (32, 128)), ((48, 192), (48, 192), (64, 256), (64, 256))):
        x = n.pool(x, "MaxPool", 3, 2, ceil_mode=1)
        for squeezed, expanded in stage:
            x = n.conv(x, cin, squeezed, 1, bn=False)
            x = n.op("Concat", [n.conv(x, squeezed, expanded, k, bn=False) for k in (1, 3)], axis=1)
            cin = 2 * expanded
    x = n.conv(x, cin, 1000, 1, bn=False)
    n.save(path, [(n.op("Flatten", [n.op("GlobalAveragePool", [x])]), TensorProto.FLOAT)])


def shuffled(n, x, channels, size):
    x = n.transpose(n.reshape(x, 1, 2, channels // 2, size, size), 0, 2, 1, 3, 4)
    return n.reshape(x, 1, channels, size, size)


def shuffle_branch(n, x, cin, cout, stride):
    x = n.conv(x, cin, cout, 1, bn=False)
    x = n.conv(x, cout, cout, 3, stride, groups=cout, bn=False, act=None)
    return n.conv(x, cout, cout, 1, bn=False)


def shufflenet(path, size=224):
    n = Net()
    x = n.conv(n.input("input", [1, 3, size, size]), 3, 24, 3, 2, bn=False)
    x, cin, size = n.pool(x, "MaxPool", 3, 2, 1), 24, size // 4
    for cout, units in ((116, 4), (232, 8), (464, 4)):
        half, size = cout // 2, size // 2
        y = n.conv(n.conv(x, cin, cin, 3, 2, groups=cin, bn=False, act=None), cin, half, 1, bn=False)
        x = n.op("Concat", [y, shuffle_branch(n, x, cin, half, 2)], axis=1)
        x = shuffled(n, x, cout, size)
        for _ in range(units - 1):
            kept, y = n.op("Split", [x, n.constant(np.array([half, half], np.int64))], outputs=2, axis=1)
            x = n.op("Concat", [kept, shuffle_branch(n, y, half, half, 1)], axis=1)
            x = shuffled(n, x, cout, size)
        cin = cout
    x = n.conv(x, cin, 1024, 1, bn=False)
    x = n.op("ReduceMean", [x], axes=[2, 3], keepdims=0)
    n.save(path, [(n.classes(x, 1024), TensorProto.FLOAT)])


def efficientnet_b0(path, size=224):
    n = Net()
    x = n.conv(n.input("input", [1, 3, size, size]), 3, 32, 3, 2, bn=False, act="Silu")
    cin = 32
    for ratio, k, first_stride, cout, layers in ((1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3),
                                                 (6, 5, 1, 112, 3), (6, 5, 2, 192, 4), (6, 3, 1, 320, 1)):
        for layer in range(layers):
            stride, width = first_stride if layer == 0 else 1, cin * ratio
            y = n.conv(x, cin, width, 1, bn=False, act="Silu") if ratio > 1 else x
            y = n.conv(y, width, width, k, stride, groups=width, bn=False, act="Silu")
            s = n.conv(n.op("GlobalAveragePool", [y]), width, cin // 4, 1, bn=False, act="Silu")
            y = n.op("Mul", [n.conv(s, cin // 4, width, 1, bn=False, act="Sigmoid"), y])
            y = n.conv(y, width, cout, 1, bn=False, act=None)
            x = n.op("Add", [y, x]) if stride == 1 and cin == cout else y
            cin = cout
    x = n.conv(x, cin, 1280, 1, bn=False, act="Silu")
    x = n.op("Flatten", [n.op("GlobalAveragePool", [x])])
    n.save(path, [(n.classes(x, 1280), TensorProto.FLOAT)])
