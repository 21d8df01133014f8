# SPDX-License-Identifier: Apache-2.0
"""Element by element: bits (18), Mish (18), Cast and Equal (19), IsInf, IsNaN and Gelu (20)."""
import math

import numpy as np
from onnx import TensorProto, helper

from case import case, f32, refused, rng

BFLOAT16, FLOAT8E4M3FN = 16, 17
erf = np.vectorize(math.erf)


def cases_bits():
    for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        limits = np.iinfo(kind)
        a, b = (rng.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True) for shape in ((3, 4), (4,)))
        case(f"BitwiseAnd_{kind}", "BitwiseAnd", [a, b], [a & b])
        case(f"BitwiseOr_{kind}", "BitwiseOr", [a, b], [a | b])
        case(f"BitwiseXor_{kind}", "BitwiseXor", [a, b], [a ^ b])
        case(f"BitwiseNot_{kind}", "BitwiseNot", [a], [~a])


def cases_mish():
    x = np.concatenate([f32(20) * 4, np.array([0, -100, 100, 30, -30], np.float32)])
    want = x * np.tanh(np.log1p(np.exp(-np.abs(x.astype(np.float64)))) + np.maximum(x, 0))
    case("Mish", "Mish", [x], [want.astype(np.float32)])
    case("Mish_22", "Mish", [x.reshape(5, 5)], [want.astype(np.float32).reshape(5, 5)], 22)


def cases_gelu():
    x = f32(4, 7) * 3
    exact = (0.5 * x * (1 + erf(x / math.sqrt(2)))).astype(np.float32)
    tanh = (0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x.astype(np.float64)**3)))).astype(np.float32)
    case("Gelu_default", "Gelu", [x], [exact], 20)
    case("Gelu_none", "Gelu", [x], [exact], 20, approximate="none")
    case("Gelu_tanh", "Gelu", [x], [tanh], 20, approximate="tanh")


def cases_tests_of_numbers():
    x = np.array([0, 1, np.inf, -np.inf, np.nan, -5, 65504], np.float32)
    for kind in ("float16", "float32", "float64"):
        y = x.astype(kind)
        case(f"IsNaN_{kind}", "IsNaN", [y], [np.isnan(y)], 20)
        case(f"IsInf_{kind}", "IsInf", [y], [np.isinf(y)], 20)
        case(f"IsInf_{kind}_positive", "IsInf", [y], [np.isposinf(y)], 20, detect_negative=0)
        case(f"IsInf_{kind}_negative", "IsInf", [y], [np.isneginf(y)], 20, detect_positive=0)
        case(f"IsInf_{kind}_neither", "IsInf", [y], [np.zeros(y.shape, bool)], 20, detect_positive=0, detect_negative=0)


def cases_cast():
    x = np.array([0, 1.5, -2.5, 300.75, np.inf, -np.inf], np.float32)
    case("Cast_19_half", "Cast", [x], [x.astype(np.float16)], 19, to=TensorProto.FLOAT16)
    case("Cast_19_half_saturate", "Cast", [x], [x.astype(np.float16)], 21, to=TensorProto.FLOAT16, saturate=0)
    case("Cast_19_int", "Cast", [x[:4]], [x[:4].astype(np.int32)], 19, to=TensorProto.INT32)
    case("CastLike_19", "CastLike", [x[:4], np.zeros(1, np.int64)], [x[:4].astype(np.int64)], 19, saturate=1)
    for number, name in ((17, "FLOAT8E4M3FN"), (18, "FLOAT8E4M3FNUZ"), (19, "FLOAT8E5M2"), (20, "FLOAT8E5M2FNUZ"),
                         (21, "UINT4"), (22, "INT4"), (23, "FLOAT4E2M1")):
        refused(f"Cast_to_{name}", "Cast", [(1, (3,))], f"node: Cast (opset 21): element type {name} is not supported", 21, to=number)


def cases_strings():
    text = (TensorProto.STRING, (2,))
    refused("Equal_strings", "Equal", [text, text], "x0: graph input: it is a tensor of strings", 19)
    words = helper.make_tensor("words", TensorProto.STRING, [2], [b"a", b"b"])
    refused("StringConcat", "StringConcat", [], "node: StringConcat (opset 20): strings are not supported", 20, [words, words])
    refused("StringSplit", "StringSplit", [], "node: StringSplit (opset 20): strings are not supported", 20, [words])
    refused("RegexFullMatch", "RegexFullMatch", [], "node: RegexFullMatch (opset 20): strings are not supported", 20, [words], pattern="a.*")
    refused("StringNormalizer", "StringNormalizer", [], "node: StringNormalizer (opset 20): strings are not supported", 20, [words])
    refused("Equal_constant_strings", "Equal", [], "words: initializer: ", 19, [words, words])


def cases_other_types():
    for kind in ("int8", "uint16", "bool", "float16", "float64"):
        x = rng.integers(0, 2, (2, 3)).astype(kind)
        for opset in (19, 21):
            case(f"Identity_{opset}_{kind}", "Identity", [x], [x], opset)
            case(f"Reshape_{opset}_{kind}", "Reshape", [x, np.array([3, -1], np.int64)], [x.reshape(3, 2)], opset, constants=(1,))
            case(f"Shape_{opset}_{kind}", "Shape", [x], [np.array([2, 3], np.int64)], opset)
            case(f"Size_{opset}_{kind}", "Size", [x], [np.int64(6)], opset)
            case(f"Transpose_{opset}_{kind}", "Transpose", [x], [x.T], opset)
            case(f"Flatten_{opset}_{kind}", "Flatten", [x], [x.reshape(2, 3)], opset)
            case(f"Squeeze_{opset}_{kind}", "Squeeze", [x[None], np.array([0], np.int64)], [x], opset, constants=(1,))
            case(f"Unsqueeze_{opset}_{kind}", "Unsqueeze", [x, np.array([1], np.int64)], [x[:, None]], opset, constants=(1,))
        value = helper.make_tensor("v", {"int8": 3, "uint16": 4, "bool": 9, "float16": 10, "float64": 11}[kind], [1], [1])
        case(f"ConstantOfShape_20_{kind}", "ConstantOfShape", [np.array([2, 2], np.int64)], [np.ones((2, 2), kind)], 20,
             constants=(0,), value=value)
    x = np.zeros((2, 0, 3), np.float32)
    case("Shape_19_part", "Shape", [x], [np.array([0, 3], np.int64)], 19, start=1)
    for number, name in ((17, "FLOAT8E4M3FN"), (22, "INT4")):
        refused(f"Identity_{name}", "Identity", [(number, (2,))], f"x0: graph input: element type {name} is not supported", 21)
