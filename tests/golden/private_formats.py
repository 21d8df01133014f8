# SPDX-License-Identifier: Apache-2.0
"""Private formats by numpy's reshape and transpose: one JSON object a line, for private_formats.cpp."""
import json
import math

import numpy as np

rng = np.random.default_rng(2)
TYPES = {"DT_INT8": (np.int8, 32), "DT_FLOAT16": (np.int16, 16), "DT_FLOAT": (np.int32, 16)}  # bits only; C0


def cdiv(a, b):
    return -(-a // b)


def padded(x, axis, multiple):
    pads = [(0, 0)] * x.ndim
    pads[axis] = (0, -x.shape[axis] % multiple)
    return np.pad(x, pads)


def emit(kind, origin, origin_shape, plain, private, private_shape, stored, groups=1):
    print(json.dumps({"type": kind, "origin": origin, "origin_shape": list(origin_shape), "plain": plain.ravel().tolist(),
                      "private": private, "private_shape": list(private_shape), "stored": stored.ravel().tolist(),
                      "groups": groups}))


def from_nchw(x, origin):
    order = {"NCHW": "NCHW", "NHWC": "NHWC", "HWCN": "HWCN"}[origin]
    return x.transpose(["NCHW".index(c) for c in order])


def nc1hwc0(x, c0):
    x = padded(x, 1, c0)
    n, c, h, w = x.shape
    return x.reshape(n, c // c0, c0, h, w).transpose(0, 1, 3, 4, 2)


def fractal_z(x, c0):
    x = padded(padded(x, 0, 16), 1, c0)
    n, c, h, w = x.shape
    # [No, 16, C1, C0, H, W] -> [C1, H, W, No, 16, C0]
    return x.reshape(n // 16, 16, c // c0, c0, h, w).transpose(2, 4, 5, 0, 1, 3).reshape(-1, n // 16, 16, c0)


def grouped_fractal_z(x, c0, groups):
    """Each part of E groups is a block-diagonal matrix of its own."""
    n, cin, h, w = x.shape
    cout = n // groups
    lcm = lambda a, b: a * b // math.gcd(a, b)
    e = min(lcm(lcm(cin, c0) // cin, lcm(cout, 16) // cout), groups)
    parts = []
    for first in range(0, groups, e):
        block = np.zeros((e * cout, e * cin, h, w), x.dtype)
        for k in range(min(e, groups - first)):
            block[k * cout:(k + 1) * cout, k * cin:(k + 1) * cin] = x[(first + k) * cout:(first + k + 1) * cout]
        parts.append(fractal_z(block, c0))
    return np.concatenate(parts)


def fractal_nz(x, c0):
    x = padded(padded(x, -2, 16), -1, c0)
    *batch, h, w = x.shape
    x = x.reshape(*batch, h // 16, 16, w // c0, c0)
    k = len(batch)
    return x.transpose(*range(k), k + 2, k, k + 1, k + 3)


for kind, (element, c0) in TYPES.items():
    info = np.iinfo(element)
    numbers = lambda *shape: rng.integers(1, info.max, shape).astype(element)
    for shape in ((2, 3, 4, 5), (1, 16, 2, 2), (2, 33, 1, 3), (1, 64, 3, 1)):
        x = numbers(*shape)
        for origin in ("NCHW", "NHWC"):
            plain, stored = from_nchw(x, origin), nc1hwc0(x, c0)
            emit(kind, origin, plain.shape, plain, "NC1HWC0", stored.shape, stored)
    for shape in ((16, 16, 1, 1), (5, 3, 3, 3), (17, 33, 2, 1), (64, 3, 7, 7)):
        x = numbers(*shape)
        for origin in ("NCHW", "NHWC", "HWCN"):
            plain, stored = from_nchw(x, origin), fractal_z(x, c0)
            emit(kind, origin, plain.shape, plain, "FRACTAL_Z", stored.shape, stored)
    for shape, groups in (((8, 1, 3, 3), 8), ((6, 5, 1, 2), 2), ((40, 3, 1, 1), 5), ((64, 2, 2, 2), 32)):
        x = numbers(*shape)
        stored = grouped_fractal_z(x, c0, groups)
        emit(kind, "NCHW", shape, x, "FRACTAL_Z", stored.shape, stored, groups)
    for shape in ((16, 16), (5, 3), (17, 40), (2, 3, 33, 18), (1, 20, 64)):
        x = numbers(*shape)
        stored = fractal_nz(x, c0)
        emit(kind, "ND", shape, x, "FRACTAL_NZ", stored.shape, stored)
