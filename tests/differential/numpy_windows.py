# SPDX-License-Identifier: Apache-2.0
"""Convolutions and pools in numpy, by definition."""
import itertools

import numpy as np


def windows(x, kernel, strides, pads, dilations, value=0):
    """The elements under each tap of a window, for every place of the result: [(tap, elements)]."""
    n = len(kernel)
    x = np.pad(x, [(0, 0), (0, 0), *zip(pads[:n], pads[n:])], constant_values=value)
    sizes = [(x.shape[2 + i] - (kernel[i] - 1) * dilations[i] - 1) // strides[i] + 1 for i in range(n)]
    for tap in itertools.product(*map(range, kernel)):
        places = tuple(slice(t * d, t * d + (size - 1) * s + 1, s) for t, d, size, s in zip(tap, dilations, sizes, strides))
        yield tap, x[(slice(None), slice(None), *places)]


def conv(v, a, o):
    x, w = v[:2]
    n, group = x.ndim - 2, a.get("group", 1)
    y = 0
    taps = windows(x, w.shape[2:], a.get("strides", [1] * n), a.get("pads", [0] * 2 * n), a.get("dilations", [1] * n))
    for tap, part in taps:
        part = part.reshape(part.shape[0], group, -1, *part.shape[2:])
        filters = w[(slice(None), slice(None), *tap)].reshape(group, -1, w.shape[1])
        y = y + np.einsum("goc,ngc...->ngo...", filters, part)
    y = y.reshape(y.shape[0], -1, *y.shape[3:])
    return y + v[2].reshape(1, -1, *[1] * n) if len(v) > 2 and v[2] is not None else y


def conv_transpose(v, a, o):
    x, w, strides = v[0], v[1], a.get("strides", [1, 1])
    n, _, height, width = x.shape
    y = np.zeros((n, w.shape[1], (height - 1) * strides[0] + w.shape[2], (width - 1) * strides[1] + w.shape[3]))
    for i, j in itertools.product(range(w.shape[2]), range(w.shape[3])):
        y[:, :, i : i + strides[0] * height : strides[0], j : j + strides[1] * width : strides[1]] += np.einsum(
            "nchw,co->nohw", x, w[:, :, i, j])  # fmt: skip
    return y + v[2].reshape(1, -1, 1, 1) if len(v) > 2 else y


def max_pool(v, a, o):
    n = v[0].ndim - 2
    taps = windows(v[0], a["kernel_shape"], a.get("strides", [1] * n), a.get("pads", [0] * 2 * n), a.get("dilations", [1] * n),
                   -np.inf)  # fmt: skip
    return np.max([part for _, part in taps], axis=0)


def average_pool(v, a, o):
    """Padding does not count."""
    n = v[0].ndim - 2
    where = (a["kernel_shape"], a.get("strides", [1] * n), a.get("pads", [0] * 2 * n), a.get("dilations", [1] * n))
    total = sum(part for _, part in windows(v[0], *where))
    return total / sum(part for _, part in windows(np.ones_like(v[0]), *where))
