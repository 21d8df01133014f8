# SPDX-License-Identifier: Apache-2.0
"""Quantisation against numpy; sums of integer products are exact."""
import numpy as np

from case import case, f32, refused, rng


def sat(x, kind):
    info = np.iinfo(kind)
    return np.clip(x, info.min, info.max).astype(kind)


def per_axis(v, axis, rank):
    return v.reshape([-1 if d == axis % rank else 1 for d in range(rank)])


def i8(*shape):
    return rng.integers(-128, 128, shape).astype(np.int8)


x = (f32(2, 3, 4) * 40).astype(np.float32)
for name, kind in (("torch.qint8", np.int8), ("torch.quint8", np.uint8), ("torch.qint32", np.int32)):
    scale, zero = np.float32(0.7), np.array(5, kind)
    case("Quantize", [x, scale, zero], [sat(np.rint(x / scale) + 5, kind)], f"Quantize to {name}", dtype=name)
    s, z = rng.uniform(0.2, 2, 3).astype(np.float32), rng.integers(0, 9, 3).astype(kind)
    case("Quantize", [x, s, z], [sat(np.rint(x / per_axis(s, 1, 3)) + per_axis(z.astype(np.float32), 1, 3), kind)],
         f"Quantize to {name} by axis", dtype=name, axis=1)
case("Quantize", [np.array([0.5, 1.5, 2.5, -0.5, 1e9, -1e9, np.nan], np.float32), np.float32(1)],
     [np.array([0, 2, 2, 0, 127, -128, 0], np.int8)], "Quantize rounds to even and saturates", dtype="torch.qint8")
case("Quantize", [x.astype(np.float16), np.float16(0.5)], [sat(np.rint(x.astype(np.float16).astype(np.float32) / 0.5), np.int8)],
     "Quantize of float16", dtype="torch.qint8")
refused("Quantize", [x, np.float32(1)], "dtype odd", dtype="odd")
refused("Quantize", [x, np.ones(2, np.float32)], "does not fit", dtype="torch.qint8")
modes = {"Round": np.rint, "Floor": np.floor, "Ceil": np.ceil, "Trunc": np.trunc}
for mode, f in modes.items():
    want = sat(f(x * np.float32(1.5) + np.float32(0.25)), np.int8)
    case("AscendQuant", [x], [want], f"AscendQuant {mode}", scale=1.5, offset=0.25, round_mode=mode)
    case("AscendQuantV2", [x, np.array([1.5], np.float32), np.array([0.25], np.float32)], [want], f"AscendQuantV2 {mode}",
         round_mode=mode.lower())
case("AscendQuant", [x], [sat(np.rint(x * np.float32(4) + 1), np.int8)], "AscendQuant with a squared scale", scale=2.0, offset=1.0,
     sqrt_mode=True)
s = rng.uniform(0.2, 2, 4).astype(np.float32)
case("AscendQuantV2", [x, s], [sat(np.rint(x * s), np.int8)], "AscendQuantV2 by the last axis")
case("AscendQuantV2", [x, s.reshape(1, 1, 4)], [sat(np.rint(x * s), np.int8)], "AscendQuantV2 by broadcast")
case("AscendQuantV2", [x, s[:3]], [sat(np.rint(x * per_axis(s[:3], 1, 3)), np.int8)], "AscendQuantV2 by axis 1", axis=1)

q = rng.integers(-5000, 5000, (3, 5)).astype(np.int32)
s = rng.uniform(0.01, 0.1, 5).astype(np.float32)
case("AscendDequant", [q, s], [q.astype(np.float32) * s])
case("AscendDequant", [q, s.view(np.uint32).astype(np.uint64)], [q.astype(np.float32) * s], "AscendDequant with scales in 64 bits")
case("AscendDequant", [q, s], [np.maximum((q * s * s).astype(np.float16), 0)], "AscendDequant squared, with relu", sqrt_mode=True,
     relu_flag=True, dtype=1, tolerance=2e-3)
image = rng.integers(-500, 500, (1, 5, 2, 2)).astype(np.int32)
case("AscendDequant", [image, s], [image.astype(np.float32) * per_axis(s, 1, 4)], "AscendDequant by channel")
w = i8(4, 5)
case("AscendAntiQuant", [w], [(w.astype(np.float32) + 3) * np.float32(0.5)], scale=0.5, offset=3.0)
case("AscendAntiQuantV2", [w, s, np.ones(5, np.float32)], [((w.astype(np.float32) + 1) * s).astype(np.float16)], tolerance=1e-3)

t = f32(3, 2, 8)
top = np.abs(t).max(-1)
case("DynamicQuant", [t], [sat(np.rint(t / (top[..., None] / np.float32(127))), np.int8), top / np.float32(127)])
smooth = rng.uniform(0.5, 2, 8).astype(np.float32)
ts = t * smooth
top = np.abs(ts).max(-1)
case("DynamicQuant", [t, smooth], [sat(np.rint(ts / (top[..., None] / np.float32(127))), np.int8), top / np.float32(127)],
     "DynamicQuant smoothed")
case("DynamicQuant", [np.zeros((2, 3), np.float32)], [np.zeros((2, 3), np.int8), np.zeros(2, np.float32)], "DynamicQuant of zeros")
scale = (t.max(-1) - t.min(-1)) / np.float32(255)
offset = np.float32(127) - t.max(-1) / scale
case("DynamicQuantV2", [t], [sat(np.rint(t / scale[..., None] + offset[..., None]), np.int8), scale, offset], tolerance=1e-5)

a, b = i8(2, 6, 300), i8(300, 5)
exact = a.astype(np.int64) @ b.astype(np.int64)
s, bias = rng.uniform(1e-4, 1e-3, 5).astype(np.float32), rng.integers(-9000, 9000, 5).astype(np.int32)
case("QuantBatchMatmulV3", [a, b, s, None, bias], [((exact + bias) * s).astype(np.float16)], dtype=1, tolerance=1e-3)
case("QuantBatchMatmulV3", [a, b.T.copy(), s], [(exact * s).astype(np.float16)], "QuantBatchMatmulV3 transposed", dtype=1,
     transpose_x2=True, tolerance=1e-3)
token = rng.uniform(0.5, 2, 6).astype(np.float32)
half = f32(5)
case("QuantBatchMatmulV3", [a, b, s, None, half, token], [((exact * s) * token[:, None] + half).astype(np.float16)],
     "QuantBatchMatmulV3 by token", dtype=1, tolerance=1e-3)
case("QuantBatchMatmulV3", [a, b, s, np.full(5, 3, np.float32)],
     [sat(np.rint(exact.astype(np.float32) * s) + 3, np.int8)], "QuantBatchMatmulV3 to int8", dtype=2)
xw, w = f32(4, 32).astype(np.float16), i8(32, 6)
s, o = rng.uniform(0.01, 0.1, 6).astype(np.float16), f32(6).astype(np.float16)
real = (w.astype(np.float64) + o) * s
case("WeightQuantBatchMatmulV2", [xw, w, s, o], [(xw.astype(np.float64) @ real).astype(np.float16)], tolerance=4e-3)
case("WeightQuantBatchMatmulV2", [xw, w.T.copy(), s, o, None, None, f := f32(6).astype(np.float16)],
     [(xw.astype(np.float64) @ real + f).astype(np.float16)], "WeightQuantBatchMatmulV2 transposed, with bias",
     transpose_weight=True, tolerance=4e-3)
groups = rng.uniform(0.01, 0.1, (4, 6)).astype(np.float16)
real = w * groups.astype(np.float64).repeat(8, 0)
case("WeightQuantBatchMatmulV2", [xw, w, groups], [(xw.astype(np.float64) @ real).astype(np.float16)],
     "WeightQuantBatchMatmulV2 by group", antiquant_group_size=8, tolerance=4e-3)
