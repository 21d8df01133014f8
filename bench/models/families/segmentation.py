# SPDX-License-Identifier: Apache-2.0
"""U-Net."""
from families.net import Net, TensorProto


def unet(path, size=256):
    n = Net()
    x = n.input("input", [1, 3, size, size])
    skips, cin = [], 3
    for cout in (16, 32, 64, 128):
        x = n.conv(n.conv(x, cin, cout, 3), cout, cout, 3)
        skips.append((x, cout))
        x = n.op("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])
        cin = cout
    x = n.conv(n.conv(x, cin, 256, 3), 256, 256, 3)
    cin = 256
    for skip, cout in reversed(skips):
        x = n.op("ConvTranspose", [x, n.weight((cin, cout, 2, 2)), n.weight((cout,), 0.02)], kernel_shape=[2, 2],
                 strides=[2, 2])
        x = n.op("Concat", [skip, x], axis=1)
        x = n.conv(n.conv(x, 2 * cout, cout, 3), cout, cout, 3)
        cin = cout
    x = n.conv(x, cin, 2, 1, bn=False, act="Sigmoid")
    n.save(path, [(x, TensorProto.FLOAT)])
