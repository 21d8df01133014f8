# SPDX-License-Identifier: Apache-2.0
"""Lists of tensors, member by member, against numpy."""
import math
import unittest

from aclnn_cases import *

SHAPES = ((3, 4), (5,), (2, 1, 6))
TYPES16 = (np.float32, np.float16)
erf, erfc = np.vectorize(math.erf), np.vectorize(math.erfc)
UNARY = {"Abs": np.abs, "Acos": np.arccos, "Asin": np.arcsin, "Atan": np.arctan, "Cos": np.cos, "Cosh": np.cosh, "Erf": erf, "Erfc": erfc,
         "Exp": np.exp, "Expm1": np.expm1, "Log": np.log, "Log1p": np.log1p, "Log2": np.log2, "Log10": np.log10, "Neg": np.negative,
         "Reciprocal": np.reciprocal, "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Sign": np.sign, "Sin": np.sin, "Sinh": np.sinh,
         "Sqrt": np.sqrt, "Tan": np.tan, "Tanh": np.tanh, "Copy": lambda x: x}  # fmt: skip
BINARY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Maximum": np.maximum, "Minimum": np.minimum, "Pow": np.power}


def members(dtype, low=0.1, high=0.9):
    return [(rng.random(shape) * (high - low) + low).astype(dtype) for shape in SHAPES]


def outs(values, dtype):
    return [Out(value, dtype, 4e-3 if dtype == np.float16 else 2e-5) for value in values]


def wide(values):
    return [value.astype(np.float64) for value in values]


class Lists(Case):
    def test_of_one_list(self):
        for dtype in TYPES16:
            for name, f in UNARY.items():
                x = members(dtype)
                check("Foreach" + name, x, outs(map(f, wide(x)), dtype))
            x = members(dtype)
            check("ForeachACosInplace", [InOut(v, np.arccos(v.astype(float)), 4e-3) for v in x])
            check("ForeachLogInplace", [InOut(v, np.log(v.astype(float)), 4e-3) for v in x])
            check("ForeachZeroInplace", [InOut(v, np.zeros(v.shape)) for v in x])
        x = [np.float32([np.nan, np.inf, 1])]
        check("ForeachZeroInplace", [InOut(x[0], np.zeros(3, np.float32))])
        self.refused(161002, "2 tensors", "ForeachAbs", members(np.float32), outs(members(np.float32)[:2], np.float32))
        self.refused(161001, "x", "ForeachAbs", None, outs(members(np.float32), np.float32))
        self.refused(161001, "out", "ForeachAbs", members(np.float32), None)

    def test_of_two(self):
        for dtype in TYPES16:
            for name, f in BINARY.items():
                x, y = members(dtype), members(dtype)
                scalar, many = np.array([0.5], dtype), [0.25, 2.0, 1.5]
                lists = [x, y] + ([np.array([1.5], dtype)] if name in ("Add", "Sub") else [])
                by = 1.5 if name in ("Add", "Sub") else 1
                check(f"Foreach{name}List", *lists, outs([f(a, by * b) for a, b in zip(wide(x), wide(y))], dtype))
                if name in ("Add", "Sub"):
                    check(f"Foreach{name}ListV2", x, y, 1.5, outs([f(a, 1.5 * b) for a, b in zip(wide(x), wide(y))], dtype))
                one = [f(a, 0.5) for a in wide(x)]
                check(f"Foreach{name}Scalar", x, scalar, outs(one, dtype))
                check(f"Foreach{name}ScalarV2", x, 0.5, outs(one, dtype))
                check(f"Foreach{name}ScalarList", x, many, outs([f(a, s) for a, s in zip(wide(x), many)], dtype))
            check("ForeachPowScalarAndTensor", 2.0, x, outs([2**a for a in wide(x)], dtype))
            for name, alpha in (("Add", True), ("Sub", True), ("Mul", False), ("Div", False)):
                want = [BINARY[name](a, b) for a, b in zip(wide(x), wide(y))]
                first = [InOut(a, w, 4e-3 if dtype == np.float16 else 2e-5) for a, w in zip(x, want)]
                check(f"Foreach{name}ListInplace", first, y, *([np.array([1], dtype)] if alpha else []))
            check("ForeachMulScalarInplace", [InOut(a, a * dtype(0.5)) for a in x], np.array([0.5], dtype))
            check("ForeachSubScalarInplace", [InOut(a, a.astype(float) - 0.5, 4e-3) for a in x], np.array([0.5], dtype))
        whole = [ints(np.int32, 3, 4), ints(np.int32, 5)]
        check("ForeachAddList", whole, whole, np.int32([2]), [Out(v + 2 * v) for v in whole])
        check("ForeachMulScalarV2", whole, 3, [Out(v * 3) for v in whole])
        self.refused(161002, "3 and 2 members", "ForeachMulList", x, y[:2], outs(x, np.float32))

    def test_of_three(self):
        for dtype in TYPES16:
            x, y, z = members(dtype), members(dtype), members(dtype)
            each = np.array([0.5, 2, -1], dtype)
            for name, f in (("Addcmul", np.multiply), ("Addcdiv", np.divide)):
                made = lambda s: outs([a + f(b, c) * k for a, b, c, k in zip(wide(x), wide(y), wide(z), s)], dtype)
                check(f"Foreach{name}List", x, y, z, each, made([0.5, 2, -1]))
                check(f"Foreach{name}ScalarList", x, y, z, each, made([0.5, 2, -1]))
                check(f"Foreach{name}Scalar", x, y, z, each[:1], made([0.5] * 3))
                check(f"Foreach{name}ScalarV2", x, y, z, 0.5, made([0.5] * 3))
            check("ForeachLerpList", x, y, z, outs([a + w * (b - a) for a, b, w in zip(wide(x), wide(y), wide(z))], dtype))
            check("ForeachLerpScalar", x, y, 0.25, outs([a + 0.25 * (b - a) for a, b in zip(wide(x), wide(y))], dtype))

    def test_norms_and_rounding(self):
        for dtype in TYPES16:
            x = members(dtype, -2, 2)
            for p, f in ((1.0, lambda v: np.abs(v).sum()), (2.0, lambda v: np.sqrt((v**2).sum())), (math.inf, lambda v: np.abs(v).max())):
                check("ForeachNorm", x, p, outs([f(v) for v in wide(x)], dtype))
            x = [(np.arange(-9, 10) / 2).astype(dtype), (rng.random(7) * 9).astype(dtype)]
            odd = lambda v: np.where(np.floor(v) == v, v, np.where(np.floor(v) % 2, np.floor(v), np.ceil(v)))
            away = lambda v: np.trunc(v + np.copysign(0.5, v))
            for mode, f in enumerate((np.rint, np.floor, np.ceil, away, np.trunc, odd), 1):
                want = [Out(f(v.astype(np.float64)), dtype) for v in x]
                check("ForeachRoundOffNumber", x, np.int8([mode]), want)
                check("ForeachRoundOffNumberV2", x, mode, want)

    def test_scaled_gradients(self):
        for bad, before in ((None, 0), (None, 1), (np.inf, 0), (np.nan, 0)):
            grads = members(np.float32)
            if bad is not None:
                grads[1][2] = bad
            told = 1 if bad is not None else before
            with np.errstate(invalid="ignore"):
                first = [InOut(g, g * np.float32(0.5)) for g in grads]
            check("ForeachNonFiniteCheckAndUnscale", first, InOut(np.float32([before]), np.float32([told])), np.float32([0.5]))


if __name__ == "__main__":
    main()
