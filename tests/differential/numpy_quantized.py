# SPDX-License-Identifier: Apache-2.0
"""Operators of quantized numbers in numpy, by definition."""
import numpy as np
from numpy_windows import conv


def along(value, rank, axis):
    """A scale or zero point, laid along its axis."""
    return value.reshape([-1 if i == axis % rank else 1 for i in range(rank)]) if value.ndim == 1 and value.size > 1 else value.reshape(())


def saturated(x, kind):
    limits = np.iinfo(kind)
    return np.clip(np.rint(x), limits.min, limits.max).astype(kind)


def quantize(v, a, o):
    x, scale = v[0].astype(np.float32), v[1].astype(np.float32)
    zero = v[2] if len(v) > 2 and v[2] is not None else np.zeros((), np.uint8)
    axis = a.get("axis", 1)
    steps = np.rint(x / along(scale, x.ndim, axis))
    return saturated(steps.astype(np.float64) + along(zero, x.ndim, axis).astype(np.float64), zero.dtype)


def dequantize(v, a, o):
    x, axis = v[0].astype(np.int64), a.get("axis", 1)
    if len(v) > 2 and v[2] is not None:
        x = x - along(v[2], x.ndim, axis).astype(np.int64)
    return (x.astype(np.float32) * along(v[1], x.ndim, axis).astype(np.float32)).astype(np.float32)


def dynamic_quantize(v, a, o):
    x = v[0].astype(np.float32)
    low, high = min(x.min(), np.float32(0)), max(x.max(), np.float32(0))
    scale = np.float32((high - low) / np.float32(255))
    zero = saturated(np.float32(0 - low) / scale if scale else np.float32(0), np.uint8)
    return saturated(np.rint(x / scale).astype(np.float64) + float(zero), np.uint8), np.asarray(scale), np.asarray(zero)


def centred(x, zero, rank_axis=None):
    """Integers less their zero point, as int64."""
    x = x.astype(np.int64)
    if zero is None:
        return x
    zero = zero.astype(np.int64)
    return x - (along(zero, x.ndim, rank_axis) if rank_axis is not None else zero)


def matmul_integer(v, a, o):
    v = [*v, None, None][:4]
    left = centred(v[0], None if v[2] is None else v[2].reshape(-1, 1) if v[2].size > 1 else v[2].reshape(()))
    right = centred(v[1], None if v[3] is None else v[3].reshape(1, -1) if v[3].size > 1 else v[3].reshape(()))
    return (left @ right).astype(np.int32)


def conv_integer(v, a, o):
    v = [*v, None, None][:4]
    x = centred(v[0], None if v[2] is None else v[2].reshape(()))
    w = centred(v[1], v[3], 0)
    return conv([x, w], a, o).astype(np.int32)


def requantized(total, scale, ys, yz):
    return saturated(np.rint(total * (scale / ys.reshape(()))) + float(yz.reshape(())), yz.dtype)


def qlinear_matmul(v, a, o):
    x, xs, xz, w, ws, wz, ys, yz = v
    total = centred(x, xz.reshape(())) @ centred(w, wz, -1)
    return requantized(total, xs.reshape(()) * along(ws, total.ndim, -1), ys, yz)


def qlinear_conv(v, a, o):
    x, xs, xz, w, ws, wz, ys, yz = v[:8]
    total = conv([centred(x, xz.reshape(())), centred(w, wz, 0)], a, o)
    if len(v) > 8:
        total = total + v[8].reshape(1, -1, *[1] * (x.ndim - 2))
    return requantized(total, xs.reshape(()) * along(ws, total.ndim, 1), ys, yz)
