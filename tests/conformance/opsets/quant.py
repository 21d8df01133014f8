# SPDX-License-Identifier: Apache-2.0
"""QuantizeLinear and DequantizeLinear: scales of float16 (19), 16-bit integers, blocks and output_dtype (21), 4-bit and
8-bit floating types, which are refused by name."""
import numpy as np
from onnx import TensorProto, helper

from case import case, f32, refused, rng


def steps(x, scale, zero, kind):
    limits = np.iinfo(kind)
    return np.clip(np.rint(x.astype(np.float64) / scale) + zero, limits.min, limits.max).astype(kind)


def cases_whole_tensor():
    x = f32(3, 4) * 40
    for kind, opset in (("int8", 19), ("uint8", 19), ("int8", 21), ("uint8", 21), ("int16", 21), ("uint16", 21)):
        limits = np.iinfo(kind)
        scale = np.float32(0.25 if "8" in kind else 0.01)
        zero = np.array(7 if limits.min < 0 else (limits.max + 1) // 2, kind)
        case(f"QuantizeLinear_{opset}_{kind}", "QuantizeLinear", [x, scale, zero], [steps(x, scale, int(zero), kind)], opset, constants=(1, 2))
        q = rng.integers(limits.min, limits.max, (3, 4), dtype=kind, endpoint=True)
        want = ((q.astype(np.int64) - int(zero)) * scale).astype(np.float32)
        case(f"DequantizeLinear_{opset}_{kind}", "DequantizeLinear", [q, scale, zero], [want], opset, constants=(1, 2))
    q = rng.integers(-9999, 9999, (3, 4)).astype(np.int32)
    case("DequantizeLinear_21_int32", "DequantizeLinear", [q, np.float32(0.5)], [(q * 0.5).astype(np.float32)], 21, constants=(1,))


def cases_int32():
    """Numbers that floats do not hold: 2^24 + 1 would be rounded before it is divided."""
    x = np.append(rng.integers(-(1 << 31), 1 << 31, 58), [16777217, -16777219, 33554435, (1 << 31) - 1, -(1 << 31), 0]).astype(np.int32).reshape(8, 8)
    for kind, opset, scale in (("int8", 10, 2.0), ("uint8", 13, 16777217 / 100), ("int8", 13, 1e7)):
        zero = np.array(3, kind)
        scale = np.float32(scale)
        case(f"QuantizeLinear_{opset}_from_int32_{kind}_{int(scale)}", "QuantizeLinear", [x, scale, zero], [steps(x, np.float64(scale), 3, kind)], opset,
             constants=(1, 2))
    scales, wide = np.array([1e7, 3e7, 5e6, 2e7, 1e8, 4e6, 1e9, 7e6], np.float32), (slice(None), None)
    case("QuantizeLinear_13_from_int32_axis", "QuantizeLinear", [x, scales, np.zeros(8, np.int8)],
         [steps(x, scales[wide].astype(np.float64), 0, "int8")], 13, constants=(1, 2), axis=0)
    for kind in ("int16", "uint16"):  # in single steps
        case(f"QuantizeLinear_23_from_int32_{kind}", "QuantizeLinear", [x, np.float32(65537), np.array(5, kind)],
             [steps(x, np.float64(65537), 5, kind)], 23, constants=(1, 2))


def cases_half_scales():
    x = (f32(3, 4) * 4).astype(np.float16)
    scale = np.float16(0.25)
    case("QuantizeLinear_19_half", "QuantizeLinear", [x, scale, np.int8(3)], [steps(x, 0.25, 3, np.int8)], 19, constants=(1, 2))
    q = rng.integers(-20, 20, (3, 4)).astype(np.int8)
    case("DequantizeLinear_19_half", "DequantizeLinear", [q, scale, np.int8(3)], [((q.astype(np.int32) - 3) * 0.25).astype(np.float16)], 19,
         constants=(1, 2))


def cases_axis():
    x = f32(2, 3, 4) * 40
    scale, zero = np.array([0.25, 0.5, 1], np.float32), np.array([1, -2, 300], np.int16)
    wide = (None, slice(None), None)
    case("QuantizeLinear_21_axis", "QuantizeLinear", [x, scale, zero], [steps(x, scale[wide], zero[wide], np.int16)], 21, constants=(1, 2), axis=1)
    q = rng.integers(-500, 500, (2, 3, 4)).astype(np.int16)
    case("DequantizeLinear_21_axis", "DequantizeLinear", [q, scale, zero], [((q - zero[wide].astype(np.int32)) * scale[wide]).astype(np.float32)], 21,
         constants=(1, 2), axis=-2)


def cases_blocks():
    x = f32(2, 6, 3) * 40
    scale, zero = np.abs(f32(2, 3, 3)) + np.float32(0.1), rng.integers(-9, 9, (2, 3, 3))
    whole_scale, whole_zero = np.repeat(scale, 2, 1), np.repeat(zero, 2, 1)
    for kind in ("int8", "int16"):
        want = steps(x, whole_scale, whole_zero, kind)
        case(f"QuantizeLinear_21_blocks_{kind}", "QuantizeLinear", [x, scale, zero.astype(kind)], [want], 21, constants=(1, 2), axis=1, block_size=2)
        q = rng.integers(-90, 90, x.shape).astype(kind)
        want = ((q.astype(np.int64) - whole_zero) * whole_scale.astype(np.float64)).astype(np.float32)
        case(f"DequantizeLinear_21_blocks_{kind}", "DequantizeLinear", [q, scale, zero.astype(kind)], [want], 21, constants=(1, 2), axis=1, block_size=2)
    q = rng.integers(-90, 90, (2, 5, 3)).astype(np.int8)  # the last block is a short one
    want = (q * np.repeat(scale, 2, 1)[:, :5].astype(np.float64)).astype(np.float32)
    case("DequantizeLinear_21_short_block", "DequantizeLinear", [q, scale], [want], 21, constants=(1,), axis=1, block_size=2)


def cases_output_type():
    x = f32(3, 4) * 40
    for kind, number in (("int8", 3), ("uint8", 2), ("int16", 5), ("uint16", 4)):
        case(f"QuantizeLinear_21_output_dtype_{kind}", "QuantizeLinear", [x, np.float32(0.5)], [steps(x, 0.5, 0, kind)], 21, constants=(1,),
             output_dtype=number)


def cases_refused_types():
    for number, name in ((17, "FLOAT8E4M3FN"), (19, "FLOAT8E5M2"), (21, "UINT4"), (22, "INT4")):
        zero = helper.make_tensor("zero", TensorProto.INT8, [1], [0])
        zero.data_type = number
        scale = helper.make_tensor("scale", TensorProto.FLOAT, [], [0.5])
        refused(f"QuantizeLinear_{name}", "QuantizeLinear", [(1, (2, 2))], f"zero: initializer: element type {name} is not supported", 21, [scale, zero])
        refused(f"QuantizeLinear_output_dtype_{name}", "QuantizeLinear", [(1, (2, 2))],
                f"node: QuantizeLinear (opset 21): element type {name} is not supported", 21, [scale], output_dtype=number)
        refused(f"DequantizeLinear_{name}", "DequantizeLinear", [(number, (2, 2))], f"x0: graph input: element type {name} is not supported", 21, [scale])
