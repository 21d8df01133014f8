# SPDX-License-Identifier: Apache-2.0
"""Element-wise aclnn functions against numpy."""
import math
import unittest

from aclnn_cases import *
from driver import Scalar, UNDEFINED

FLOATS = [np.float32, np.float16, np.float64]
INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8]
erf = np.vectorize(math.erf)


class Arithmetic(Case):
    def test_add_of_every_type_with_alpha(self):
        for dtype in FLOATS + INTS:
            a, b = (rng.integers(0, 9, s).astype(dtype) for s in ((3, 4), (3, 4)))
            check("Add", a, b, 1, Out(a + b))
            check("Add", a, b, 2, Out(a + 2 * b, dtype))
            check("Sub", a + b, b, 1, Out(a, dtype))
            check("Mul", a, b, Out(a * b))

    def test_operands_are_broadcast(self):
        for left, right in [((4, 3), (3,)), ((4, 1), (1, 3)), ((), (2, 3)), ((2, 1, 5), (4, 1)), ((0, 3), (3,)), ((), ())]:
            a, b = f32(*left), f32(*right)
            check("Add", a, b, 1.0, Out(a + b))
            check("Mul", a, b, Out(a * b))

    def test_types_are_promoted_as_pytorch_does(self):
        a = ints(np.int32, 2, 3)
        check("Add", a, f32(2, 3) * 0 + 1, 1, Out((a + 1).astype(np.float32)))
        check("Add", a, floats(np.float16, 2, 3) * 0 + 1, 1, Out((a + 1).astype(np.float16)))
        check("Adds", a, 2.5, 1, Out((a + 2.5).astype(np.float32)))
        check("Adds", a, 2, 1, Out(a + np.int32(2)))
        check("Muls", floats(np.float16, 3) * 0 + 2, 1.5, Out(np.full(3, 3, np.float16)))
        check("Add", a, np.array(3, np.int64), 1, Out(a + np.int32(3)))  # a scalar tensor does not widen
        u, i = np.array([1, 200], np.uint8), np.array([-2, 3], np.int8)
        check("Mul", u, i, Out(u.astype(np.int16) * i))
        check("Add", np.array([True, False]), np.array([True, True]), 1, Out(np.array([True, True])))
        check("Add", np.array([True, False]), a[:1, :2].reshape(2).copy(), 1, Out(a[0, :2] + np.array([1, 0], np.int32)))

    def test_a_result_is_converted_to_the_outputs_type(self):
        a, b = f32(3), f32(3)
        check("Add", a, b, 1, Out(a + b, np.float64, 1e-6))
        check("Mul", ints(np.int32, 3) * 0 + 3, ints(np.int32, 3) * 0 + 4, Out(np.full(3, 12.0), np.float32))
        self.refused(161002, "cannot be stored", "Add", a, b, 1, Out(np.zeros(3, np.int32)))
        self.refused(161002, "cannot be stored", "Add", a.astype(np.int32), b.astype(np.int32), 1, Out(np.zeros(3, bool)))

    def test_division_and_remainders(self):
        a, b = np.array([7, -7, 7, -7, 5]), np.array([2, 2, -2, -2, 5])
        for dtype in (np.int32, np.int64):
            x, y = a.astype(dtype), b.astype(dtype)
            check("Div", x, y, Out((a / b).astype(np.float32)))
            check("DivMod", x, y, 1, Out(np.trunc(a / b).astype(dtype)))
            check("DivMod", x, y, 2, Out((a // b).astype(dtype)))
            check("FloorDivide", x, y, Out((a // b).astype(dtype)))
            check("RemainderTensorTensor", x, y, Out((a % b).astype(dtype)))
            check("FmodTensor", x, y, Out(np.fmod(a, b).astype(dtype)))
        x, y = f32(4, 5), f32(5) + np.float32(3)
        check("Div", x, y, Out(x / y))
        check("Divs", x, 4.0, Out(x / 4))
        check("DivMods", x * 9, 4.0, 1, Out(np.trunc(x * 9 / 4)))
        check("RemainderTensorScalar", x * 9, 4.0, Out(np.mod(x * 9, np.float32(4)), tolerance=1e-4))
        check("FmodScalar", x * 9, 4.0, Out(np.fmod(x * 9, np.float32(4)), tolerance=1e-4))
        check("RemainderScalarTensor", 9.0, y, Out(np.mod(np.float32(9), y), tolerance=1e-4))
        check("FloorDivides", x * 9, 2.0, Out(np.floor(x * 9 / 2)))
        check("Rsub", x, y, 1.0, Out(y - x))
        check("Rsubs", x, 3.0, 2.0, Out(3 - 2 * x))
        check("Subs", x, 3.0, 2.0, Out(x - 6))

    def test_in_place_forms_change_their_first_tensor(self):
        a, b = f32(3, 4), f32(4)
        check("InplaceAdd", InOut(a, a + 2 * b), b, 2.0)
        check("InplaceAdds", InOut(a, a + 3), 3.0, 1.0)
        check("InplaceSub", InOut(a, a - b), b, 1.0)
        check("InplaceMul", InOut(a, a * b), b)
        check("InplaceMuls", InOut(a, a * 2), 2.0)
        check("InplaceDiv", InOut(a, a / b, 1e-4), b)
        check("InplaceRelu", InOut(a, np.maximum(a, 0)))
        check("InplaceExp", InOut(a, np.exp(a)))
        self.refused(161002, "shape", "InplaceAdd", InOut(b, b), a, 1.0)

    def test_an_output_may_be_an_input(self):
        a, b = f32(4, 4), f32(4, 4)
        from driver import aclnn
        want = a @ b
        aclnn(stream, "aclnnMatmul", a, b, a, 0)
        np.testing.assert_allclose(a, want, 1e-4, 1e-4)
        counts["aclnnMatmul"] += 1
        x = f32(9)
        want = x[:8] + x[1:]
        aclnn(stream, "aclnnAdd", x[:8], x[1:], 1, x[:8])
        np.testing.assert_allclose(x[:8], want, 1e-6)
        counts["aclnnAdd"] += 1

    def test_powers(self):
        x = np.abs(f32(3, 4)) + np.float32(0.1)
        check("PowTensorScalar", x, 2.0, Out(x ** 2))
        check("PowScalarTensor", 2.0, x, Out(2 ** x))
        check("PowTensorTensor", x, f32(4) * 0 + 3, Out(x ** 3, tolerance=1e-4))
        check("InplacePowTensorScalar", InOut(x, x ** 3, 1e-4), 3.0)

    def test_ternary(self):
        a, b, d = f32(3, 4), f32(3, 4), f32(4) + np.float32(4)
        check("Addcmul", a, b, d, 0.5, Out(a + 0.5 * b * d))
        check("Addcdiv", a, b, d, 0.5, Out(a + 0.5 * b / d))
        check("Lerp", a, b, d, Out(a + d * (b - a), tolerance=1e-4))
        check("Lerps", a, b, 0.25, Out(a + 0.25 * (b - a)))
        check("Atan2", a, d, Out(np.arctan2(a, d)))
        check("Maximum", a, b, Out(np.maximum(a, b)))
        check("Minimum", a, d, Out(np.minimum(a, d)))
        check("AddRelu", a, b, 1.0, Out(np.maximum(a + b, 0)))

    def test_infinities_and_nans(self):
        inf, nan = np.inf, np.nan
        for dtype in FLOATS:
            x, y = np.array([-inf, inf, inf, nan, 1, -inf], dtype), np.array([-inf, inf, -inf, 1, nan, 2], dtype)
            with np.errstate(all="ignore"):
                check("LogAddExp", x, y, Out(np.logaddexp(x, y)))
                check("LogAddExp2", x, y, Out(np.logaddexp2(x, y)))
            zero = np.zeros(4, dtype)
            other = np.array([nan, 0, inf, 2], dtype)
            check("XLogYTensor", zero, other, Out(np.array([nan, 0, 0, 0], dtype)))
            check("XLogYScalarSelf", 0.0, other, Out(np.array([nan, 0, 0, 0], dtype)))
            check("XLogYScalarOther", zero, nan, Out(zero * nan))
            check("XLogYScalarOther", zero + 3, 2.0, Out(zero + 3 * np.log(2.0).astype(dtype), tolerance=2e-3 if dtype == np.float16 else 1e-5))
            # What is not known to lie outside passes.
            x, g = np.array([nan, -4, 0, 4], dtype), np.array([1, 2, 3, 4], dtype)
            check("HardtanhBackward", g, x, -3.0, 2.0, Out(np.array([1, 0, 3, 0], dtype)))
            check("ThresholdBackward", g, x, 1.0, Out(np.array([1, 0, 0, 4], dtype)))
            check("Threshold", x, 1.0, 9.0, Out(np.array([nan, 9, 9, 4], dtype)))


class Functions(Case):
    def test_real_functions_over_types(self):
        table = {"Exp": np.exp, "Expm1": np.expm1, "Sin": np.sin, "Cos": np.cos, "Tanh": np.tanh, "Sinh": np.sinh,
                 "Cosh": np.cosh, "Atan": np.arctan, "Asinh": np.arcsinh, "Erf": erf, "Erfc": lambda x: 1 - erf(x),
                 "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Silu": lambda x: x / (1 + np.exp(-x)), "Exp2": np.exp2}
        for name, f in table.items():
            for dtype in FLOATS:
                x = (rng.standard_normal((2, 5)) * 0.9).astype(dtype)
                check(name, x, Out(f(x.astype(np.float64)).astype(dtype), tolerance={np.float16: 4e-3}.get(dtype, 2e-5)))
            x = ints(np.int32, 4, low=-2, high=3)
            check(name, x, Out(f(x.astype(np.float64)).astype(np.float32)))

    def test_real_functions_of_positive_numbers(self):
        table = {"Log": np.log, "Log2": np.log2, "Log10": np.log10, "Log1p": np.log1p, "Sqrt": np.sqrt,
                 "Rsqrt": lambda x: 1 / np.sqrt(x), "Reciprocal": lambda x: 1 / x, "Lgamma": np.vectorize(math.lgamma)}
        for name, f in table.items():
            x = np.abs(f32(3, 4)) + np.float32(0.5)
            check(name, x, Out(f(x.astype(np.float64)).astype(np.float32), tolerance=1e-4))
            check(name, x[:0], Out(x[:0]))
        x = f32(5) * np.float32(0.3)
        for name, f in {"Asin": np.arcsin, "Acos": np.arccos, "Atanh": np.arctanh, "Tan": np.tan}.items():
            check(name, x, Out(f(x)))
        check("Acosh", np.abs(x) + 1, Out(np.arccosh(np.abs(x) + 1), tolerance=1e-4))

    def test_functions_that_keep_the_type(self):
        for dtype in [np.float32, np.float16, np.int32, np.int64]:
            x = rng.integers(-5, 6, (3, 4)).astype(dtype)
            check("Abs", x, Out(np.abs(x)))
            check("Neg", x, Out(-x))
            check("Sign", x, Out(np.sign(x)))
            check("Relu", x, Out(np.maximum(x, 0)))
            check("Square", x, Out(x * x))
        x = f32(3, 4) * 4
        for name, f in {"Floor": np.floor, "Ceil": np.ceil, "Trunc": np.trunc, "Round": np.round,
                        "Frac": lambda x: x - np.trunc(x)}.items():
            check(name, x, Out(f(x)))
        check("Floor", ints(np.int32, 3) * 0 + 3, Out(np.full(3, 3, np.int32)))

    def test_activations(self):
        x = f32(4, 6) * 2
        sig = 1 / (1 + np.exp(-x))
        check("Gelu", x, Out(x * 0.5 * (1 + erf(x / math.sqrt(2))).astype(np.float32), tolerance=1e-4))
        check("GeluV2", x, 0, Out(x * 0.5 * (1 + erf(x / math.sqrt(2))).astype(np.float32), tolerance=1e-4))
        check("LeakyRelu", x, 0.1, Out(np.where(x > 0, x, np.float32(0.1) * x)))
        check("Elu", x, 1.5, 1.0, 1.0, Out(np.where(x > 0, x, 1.5 * np.expm1(x))))
        check("Celu", x, 2.0, Out(np.where(x > 0, x, 2 * np.expm1(x / 2))))
        check("Selu", x, Out(1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)), np.float32))
        check("Softplus", x, 1.0, 20.0, Out(np.log1p(np.exp(x))))
        check("Softsign", x, Out(x / (1 + np.abs(x))))
        check("Hardswish", x, Out(x * np.clip(x + 3, 0, 6) / 6))
        check("Hardsigmoid", x, Out(np.clip(x / 6 + 0.5, 0, 1)))
        check("Hardtanh", x, -1.0, 1.0, Out(np.clip(x, -1, 1)))
        check("Mish", x, Out(x * np.tanh(np.log1p(np.exp(x)))))
        check("LogSigmoid", x, Out(np.log(sig), tolerance=1e-4))
        check("Swish", x, 2.0, Out(x / (1 + np.exp(-2 * x))))
        check("Swish", x, None, Out(x * sig))
        check("Threshold", x, 0.5, -3.0, Out(np.where(x > 0.5, x, np.float32(-3))))
        check("Hardshrink", x, 0.5, Out(np.where(np.abs(x) > 0.5, x, 0)))
        check("Softshrink", x, 0.5, Out(np.sign(x) * np.maximum(np.abs(x) - np.float32(0.5), 0)))
        check("Glu", x, 1, Out(x[:, :3] * sig[:, 3:]))

    def test_clamps(self):
        x = f32(3, 4)
        check("Clamp", x, -0.5, 0.5, Out(np.clip(x, -0.5, 0.5)))
        check("Clamp", x, None, 0.5, Out(np.minimum(x, 0.5)))
        check("Clamp", x, -0.5, None, Out(np.maximum(x, -0.5)))
        check("ClampMin", x, 0.1, Out(np.maximum(x, np.float32(0.1))))
        check("ClampMax", x, 0.1, Out(np.minimum(x, np.float32(0.1))))
        check("ClampTensor", x, np.full(4, -0.2, np.float32), np.full(4, 0.2, np.float32), Out(np.clip(x, np.float32(-0.2), np.float32(0.2))))
        check("InplaceClampMax", InOut(x, np.minimum(x, 0)), 0.0)
        self.refused(161002, "bound", "Clamp", x, None, None, Out(x))

    def test_nan_to_num(self):
        x = np.array([np.nan, np.inf, -np.inf, 2], np.float32)
        check("NanToNum", x, 7.0, 8.0, -9.0, Out(np.array([7, 8, -9, 2], np.float32)))

    def test_comparisons_over_types(self):
        table = {"Eq": np.equal, "Ne": np.not_equal, "Gt": np.greater, "Ge": np.greater_equal, "Lt": np.less, "Le": np.less_equal}
        for name, f in table.items():
            for dtype in FLOATS + INTS:
                a, b = (rng.integers(0, 3, s).astype(dtype) for s in ((4, 5), (5,)))
                check(name + "Tensor", a, b, Out(f(a, b)))
                check(name + "Scalar", a, 1, Out(f(a, 1)))
            check(name + "Tensor", a, b, Out(f(a, b).astype(np.float32)))
            check("Inplace" + name + "Tensor", InOut(a, f(a, b).astype(a.dtype)), b)
        check("EqScalar", np.array([1, 2], np.int32), 1.5, Out(np.array([False, False])))
        check("Equal", a, a.copy(), Out(np.array([True])))

    def test_logic_and_bits(self):
        a, b = np.array([0, 0, 2, 3], np.int32), np.array([0, 5, 0, 6], np.int32)
        for name, f in {"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor}.items():
            check("Logical" + name, a, b, Out(f(a, b)))
            check("Logical" + name, a.astype(bool), b.astype(np.float32), Out(f(a, b)))
        check("LogicalNot", a, Out(a == 0))
        for name, f in {"And": np.bitwise_and, "Or": np.bitwise_or, "Xor": np.bitwise_xor}.items():
            check(f"Bitwise{name}Tensor", a, b, Out(f(a, b)))
            check(f"Bitwise{name}Scalar", a, 6, Out(f(a, 6)))
            check(f"Bitwise{name}Tensor", a.astype(bool), b.astype(bool), Out(f(a.astype(bool), b.astype(bool))))
        check("BitwiseNot", a, Out(~a))
        x = np.array([1, np.inf, -np.inf, np.nan], np.float32)
        check("IsFinite", x, Out(np.isfinite(x)))
        check("IsPosInf", x, Out(np.isposinf(x)))
        check("IsNegInf", x, Out(np.isneginf(x)))

    def test_where_and_masks(self):
        x, y, m = f32(3, 4), f32(4), rng.integers(0, 2, (3, 1)).astype(bool)
        check("SWhere", m, x, y, Out(np.where(m, x, y)))
        check("InplaceMaskedFillScalar", InOut(x, np.where(m, np.float32(9), x)), m, 9.0)
        check("InplaceMaskedFillTensor", InOut(x, np.where(m, np.float32(9), x)), m, np.array(9, np.float32))

    def test_copies_casts_and_fills(self):
        x = f32(3, 4) * 4
        for dtype, code in {np.float16: 1, np.int32: 3, np.int64: 9, np.float64: 11, np.uint8: 4, np.bool_: 12}.items():
            source = np.abs(x) if dtype in (np.uint8,) else x
            check("Cast", source, code, Out(source.astype(dtype)))
        check("InplaceCopy", InOut(np.zeros((3, 4), np.float32), x), x)
        check("InplaceCopy", InOut(np.zeros((2, 3), np.int32), np.array([[1, 2, 3]] * 2)), np.array([1.5, 2.5, 3.5], np.float32))
        check("InplaceZero", InOut(x, np.zeros_like(x)))
        check("InplaceOne", InOut(x, np.ones_like(x)))
        check("InplaceFillScalar", InOut(x, np.full_like(x, 5)), 5.0)
        check("InplaceFillTensor", InOut(x, np.full_like(x, 6)), np.array(6, np.float32))
        check("Arange", 1, 10, 3, Out(np.arange(1, 10, 3)))
        check("Arange", 0.0, 1.0, 0.25, Out(np.arange(0, 1, 0.25).astype(np.float32)))
        check("Linspace", 1.0, 2.0, 5, Out(np.linspace(1, 2, 5).astype(np.float32)))
        check("Eye", 3, 4, Out(np.eye(3, 4, dtype=np.float32)))


class More(Case):
    def test_variants(self):
        x, y = f32(3, 4), f32(3, 4)
        check("EluV2", x, 1.0, 1.0, 1.0, Out(np.where(x > 0, x, np.expm1(x))))
        check("ThresholdV2", x, 0.5, -3.0, Out(np.where(x > 0.5, x, np.float32(-3))))
        check("AsinhV2", x, Out(np.arcsinh(x)))
        check("AddV3", 2.0, x, 3.0, Out(2 + 3 * x))
        tanh = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))
        check("GeluV2", x, 1, Out(tanh.astype(np.float32), tolerance=1e-3))
        check("LogAddExp", x, y, Out(np.logaddexp(x, y)))
        check("LogAddExp2", x, y, Out(np.logaddexp2(x, y)))
        check("MulNoNan", x, y * 0, Out(x * 0))
        check("FusedMulAddN", x, y, np.array([3], np.float32), Out(x * 3 + y))
        check("MaxN", [x, y, -x], Out(np.maximum(np.maximum(x, y), -x)))
        check("MinN", [x, y, -x], Out(np.minimum(np.minimum(x, y), -x)))
        check("Sum", [x, y, x], Out(x + y + x))
        check("AddN", [x, y], Out(x + y))
        check("IsClose", x, x + np.float32(1e-7), 1e-5, 1e-6, False, Out(np.full((3, 4), True)))
        check("Heaviside", np.array([-1, 0, 2], np.float32), np.array(0.5, np.float32), Out(np.array([0, 0.5, 1], np.float32)))
        check("LogSpace", 0.0, 2.0, 3, 10.0, Out(np.array([1, 10, 100], np.float32), tolerance=1e-4))
        check("XLogYTensor", np.abs(x), np.abs(y), Out(np.abs(x) * np.log(np.abs(y)), tolerance=1e-4))
        check("Shrink", x, 0.5, 0.1, Out(np.where(x > 0.5, x - np.float32(0.1), np.where(x < -0.5, x + np.float32(0.1), 0))))
        check("DivV3", x * 9, y + 4, 2, Out(np.floor(x * 9 / (y + 4))))
        check("HardsigmoidV2", x, Out(np.clip(x / 6 + 0.5, 0, 1)))
        for name in ("FastGelu", "FastGeluV2"):
            check(name, x, Out(x / (1 + np.exp(-1.702 * x)), np.float32, 1e-4))
        check("Prelu", x, np.array([0.1, 0.2, 0.3, 0.4], np.float32),
              Out(np.where(x > 0, x, x * np.array([0.1, 0.2, 0.3, 0.4], np.float32))))
        check("ClampMaxTensor", x, y, Out(np.minimum(x, y)))
        check("ClampMinTensor", x, y, Out(np.maximum(x, y)))
        check("XLogYScalarOther", x, 2.5, Out(x * np.log(np.float32(2.5))))
        check("XLogYScalarSelf", 2.5, np.abs(y), Out(np.float32(2.5) * np.log(np.abs(y)), tolerance=1e-4))
        check("ApproximateEqual", x, x + np.float32(0.01), 0.1, Out(np.full((3, 4), True)))
        check("SumV2", [x, y], Out(x + y))
        check("Range", 0.0, 2.0, 0.5, Out(np.array([0, 0.5, 1, 1.5, 2], np.float32)))
        v = f32(4)
        check("AddrV2", np.zeros((4, 4), np.float32), v, v, 1.0, 2.0, Out(2 * np.outer(v, v)))
        for name, f in {"Eq": np.equal, "Ne": np.not_equal, "Gt": np.greater, "Ge": np.greater_equal, "Lt": np.less,
                        "Le": np.less_equal}.items():
            check(f"Inplace{name}Scalar", InOut(x, f(x, np.float32(0.5)).astype(np.float32)), 0.5)
        check("InplaceLogicalNot", InOut(np.array([0, 2, 0], np.int32), np.array([1, 0, 1], np.int32)))
        i = ints(np.int32, 5, low=0)
        check("BitwiseAndTensorOut", i, i + np.int32(1), Out(i & (i + np.int32(1))))
        check("LeftShifts", i, 2, Out(i << 2))
        check("LeftShift", i, np.full(5, 1, np.int32), Out(i << 1))
        check("RightShift", i * 8, np.full(5, 2, np.int32), Out(i * 2))
        check("IsInTensorScalar", i, 3, False, False, Out(i == 3))
        check("IsInTensorScalar", i, 3, False, True, Out(i != 3))


class WrongUse(Case):
    def test_null_tensors_and_shapes_that_do_not_fit(self):
        x = f32(2, 3)
        self.refused(161001, "parameter self", "Add", None, x, 1, Out(x))
        self.refused(161001, "parameter other", "Add", x, None, 1, Out(x))
        self.refused(161001, "parameter alpha", "Add", x, x, None, Out(x))
        self.refused(161001, "parameter out", "Add", x, x, 1, None)
        self.refused(161002, "", "Add", x, f32(4), 1, Out(x))
        self.refused(161002, "the result has shape [2,3]", "Add", x, x, 1, Out(f32(3, 2)))
        with self.assertRaises(Refused) as caught:
            aclnn(stream, "aclnnAdd", x, x, 1, x.copy(), form=29)
        self.assertEqual(caught.exception.code, 161002)
        self.assertIn("FRACTAL_NZ", caught.exception.message)
        self.refused(161002, "integers or bools", "BitwiseAndTensor", x, x, Out(x))


if __name__ == "__main__":
    main()
