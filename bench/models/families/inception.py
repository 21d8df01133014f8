# SPDX-License-Identifier: Apache-2.0
"""Inception-v3."""
from families.net import Net, TensorProto


class Inception:
    """The blocks, each on the joined outputs of the one before."""

    def __init__(self, n):
        self.n = n

    def conv(self, x, cin, cout, k, stride=1, pad=0):
        return self.n.conv(x, cin, cout, k, stride, bn=False, pad=pad)

    def join(self, *parts):
        return self.n.op("Concat", list(parts), axis=1)

    def averaged(self, x, cin, cout):
        return self.conv(self.n.pool(x, "AveragePool", 3, 1, 1, count_include_pad=1), cin, cout, 1)

    def a(self, x, cin, pooled):
        y = self.conv(self.conv(x, cin, 48, 1), 48, 64, 5, pad=2)
        z = self.conv(self.conv(self.conv(x, cin, 64, 1), 64, 96, 3, pad=1), 96, 96, 3, pad=1)
        return self.join(self.conv(x, cin, 64, 1), y, z, self.averaged(x, cin, pooled))

    def b(self, x, cin):
        z = self.conv(self.conv(self.conv(x, cin, 64, 1), 64, 96, 3, pad=1), 96, 96, 3, 2)
        return self.join(self.conv(x, cin, 384, 3, 2), z, self.n.pool(x, "MaxPool", 3, 2))

    def across(self, x, cin, cout):
        return self.conv(x, cin, cout, (1, 7), pad=(0, 3))

    def down(self, x, cin, cout):
        return self.conv(x, cin, cout, (7, 1), pad=(3, 0))

    def c(self, x, cin, width):
        y = self.down(self.across(self.conv(x, cin, width, 1), width, width), width, 192)
        z = self.across(self.down(self.conv(x, cin, width, 1), width, width), width, width)
        z = self.across(self.down(z, width, width), width, 192)
        return self.join(self.conv(x, cin, 192, 1), y, z, self.averaged(x, cin, 192))

    def d(self, x, cin):
        y = self.conv(self.conv(x, cin, 192, 1), 192, 320, 3, 2)
        z = self.down(self.across(self.conv(x, cin, 192, 1), 192, 192), 192, 192)
        return self.join(y, self.conv(z, 192, 192, 3, 2), self.n.pool(x, "MaxPool", 3, 2))

    def both_ways(self, x, cin):
        return self.join(self.conv(x, cin, 384, (1, 3), pad=(0, 1)), self.conv(x, cin, 384, (3, 1), pad=(1, 0)))

    def e(self, x, cin):
        y = self.both_ways(self.conv(x, cin, 384, 1), 384)
        z = self.both_ways(self.conv(self.conv(x, cin, 448, 1), 448, 384, 3, pad=1), 384)
        return self.join(self.conv(x, cin, 320, 1), y, z, self.averaged(x, cin, 192))


def inception_v3(path, size=299):
    n = Net()
    blocks = Inception(n)
    x = blocks.conv(n.input("input", [1, 3, size, size]), 3, 32, 3, 2)
    x = blocks.conv(blocks.conv(x, 32, 32, 3), 32, 64, 3, pad=1)
    x = n.pool(x, "MaxPool", 3, 2)
    x = blocks.conv(blocks.conv(x, 64, 80, 1), 80, 192, 3)
    x = n.pool(x, "MaxPool", 3, 2)
    for cin, pooled in ((192, 32), (256, 64), (288, 64)):
        x = blocks.a(x, cin, pooled)
    x = blocks.b(x, 288)
    for width in (128, 160, 160, 192):
        x = blocks.c(x, 768, width)
    x = blocks.d(x, 768)
    for cin in (1280, 2048):
        x = blocks.e(x, cin)
    x = n.op("Flatten", [n.op("GlobalAveragePool", [x])])
    n.save(path, [(n.classes(x, 2048), TensorProto.FLOAT)])
