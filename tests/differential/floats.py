# SPDX-License-Identifier: Apache-2.0
"""Networks of floats with known shapes."""
import layers
import more_layers
import numpy as np
from graph import THREADS, Case, Graph
from layers import activation

OF_IMAGES = [layers.convolution] * 5 + [
    layers.pooling, layers.transposed_convolution, layers.resize, layers.depth_and_space, layers.instance_norm,
    layers.squeeze_and_excite, layers.batch_norm, *more_layers.OF_IMAGES]  # fmt: skip
OF_ANYTHING = [activation] * 3 + [layers.combination] * 4 + [layers.product] * 3 + [
    layers.transpose, layers.reshape, layers.concat, layers.split, layers.cut, layers.gemm, layers.attention,
    layers.layer_norm, layers.reduction, layers.softmax, layers.padding, layers.gather, layers.expand, layers.rank,
    layers.choice, layers.recurrence, *more_layers.OF_ANYTHING]  # fmt: skip


def build(seed, blocks, of_images, low, high):
    """A graph of random blocks with the input x."""
    g = Graph(seed)
    image, pick = g.random.random() < 0.6, g.random.choice
    if image:
        g.input("x", np.float32, (pick([1, 2]), pick([3, 4, 8, 16]), pick([7, 8, 12, 16, 28]), pick([7, 8, 12, 16, 28])))
    else:
        g.input("x", np.float32, pick([(2, 6, 16), (5, 2, 8), (1, 12, 8), (4, 16)]))
    for _ in range(g.random.randrange(low, high)):
        of_image = image and g.random.random() < 0.65
        x = g.pick(lambda shape: len(shape) == 4) if of_image else g.pick()
        if x is not None and 0 < np.prod(g.shapes[x]) < 60000 and g.shapes[x]:
            g.random.choice(of_images if of_image else blocks)(g, x)
    if not g.nodes:
        activation(g, "x")
    return g


def arrays(g, count):
    return [{"x": g.numbers.standard_normal(g.shapes["x"]).astype(np.float32)} for _ in range(count)]


def network(seed):
    g = build(seed, OF_ANYTHING, OF_IMAGES, 6, 22)
    return Case(g.model(), arrays(g, 2), threads=g.random.choice(THREADS), types=g.types, for_numpy=False)


KINDS = {"float": network}
