# SPDX-License-Identifier: Apache-2.0
"""ConvNeXt-tiny."""
from families.net import Net, TensorProto, gelu


def channels_normalized(n, x, width):
    return n.transpose(n.normalize(n.transpose(x, 0, 2, 3, 1), width), 0, 3, 1, 2)


def block(n, x, width):
    y = n.conv(x, width, width, 7, groups=width, bn=False, act=None)
    y = n.normalize(n.transpose(y, 0, 2, 3, 1), width)
    y = n.linear(gelu(n, n.linear(y, width, 4 * width)), 4 * width, width)
    y = n.op("Mul", [n.weight((width, 1, 1), 0.3), n.transpose(y, 0, 3, 1, 2)])
    return n.op("Add", [y, x])


def convnext_tiny(path, size=224):
    n = Net()
    x = n.conv(n.input("input", [1, 3, size, size]), 3, 96, 4, 4, bn=False, act=None, pad=0)
    x = channels_normalized(n, x, 96)
    for width, blocks in ((96, 3), (192, 3), (384, 9), (768, 3)):
        if width > 96:
            x = channels_normalized(n, x, width // 2)
            x = n.conv(x, width // 2, width, 2, 2, bn=False, act=None, pad=0)
        for _ in range(blocks):
            x = block(n, x, width)
    x = channels_normalized(n, n.op("GlobalAveragePool", [x]), 768)
    n.save(path, [(n.classes(n.op("Flatten", [x]), 768), TensorProto.FLOAT)], opset=17)
