# SPDX-License-Identifier: Apache-2.0
"""Element-wise operators through aclop against numpy, in every floating-point type, with broadcasting."""
import math

from aclop_cases import *

erf, erfc, lgamma = (np.vectorize(f) for f in (math.erf, math.erfc, math.lgamma))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.log1p(np.exp(x))


ANY = {
    "Asinh": np.arcsinh,
    "Atan": np.arctan,
    "Ceil": np.ceil,
    "Cos": np.cos,
    "Cosh": np.cosh,
    "Erf": erf,
    "Erfc": erfc,
    "Expm1": np.expm1,
    "Gelu": lambda x: x * (1 + erf(x / math.sqrt(2))) / 2,
    "GeluV2": lambda x: x * (1 + erf(x / math.sqrt(2))) / 2,
    "FastGelu": lambda x: x * sigmoid(1.702 * x),
    "HardSwish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "LogSigmoid": lambda x: -softplus(-x),
    "Mish": lambda x: x * np.tanh(softplus(x)),
    "Relu6": lambda x: np.clip(x, 0, 6),
    "Rint": np.rint,
    "Selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
    "Sigmoid": sigmoid,
    "Sign": np.sign,
    "Sin": np.sin,
    "Sinh": np.sinh,
    "Softplus": softplus,
    "Softsign": lambda x: x / (1 + abs(x)),
    "Square": np.square,
    "Tan": np.tan,
    "Trunc": np.trunc,
    "OnesLike": np.ones_like,
    "ZerosLike": np.zeros_like,
    "Swish": lambda x: x * sigmoid(x),
}
LIMITED = {"Acos": (np.arccos, -0.9, 0.9), "Asin": (np.arcsin, -0.9, 0.9), "Atanh": (np.arctanh, -0.9, 0.9), "Acosh": (np.arccosh, 1.1, 5),
           "Log1p": (np.log1p, -0.5, 5), "Rsqrt": (lambda x: 1 / np.sqrt(x), 0.2, 5), "Inv": (lambda x: 1 / x, 0.2, 5),
           "Lgamma": (lgamma, 0.5, 5)}  # fmt: skip
# attributes, what numpy computes
WITH_ATTRIBUTES = {
    "Adds": ({"value": 2.5}, lambda x: x + 2.5),
    "Muls": ({"value": 2.5}, lambda x: x * 2.5),
    "Fills": ({"value": 1.5}, lambda x: x * 0 + 1.5),
    "Elu": ({"alpha": 1.5}, lambda x: np.where(x > 0, x, 1.5 * np.expm1(x))),
    "CeluV2": ({"alpha": 2.0}, lambda x: np.where(x > 0, x, 2 * np.expm1(x / 2))),
    "HardShrink": ({"lambd": 0.75}, lambda x: np.where(abs(x) > 0.75, x, 0)),
    "HardSigmoid": ({"alpha": 0.25, "beta": 0.5}, lambda x: np.clip(0.25 * x + 0.5, 0, 1)),
    "SoftShrink": ({"lambd": 0.5}, lambda x: np.sign(x) * np.maximum(abs(x) - 0.5, 0)),
    "SoftplusV2": ({"beta": 2.0, "threshold": 20.0}, lambda x: softplus(2 * x) / 2),
    "Shrink": ({"lambd": 0.5, "bias": 0.25}, lambda x: np.where(x < -0.5, x + 0.25, np.where(x > 0.5, x - 0.25, 0))),
    "ThresholdedRelu": ({"alpha": 0.5}, lambda x: np.where(x > 0.5, x, 0)),
    "Power": ({"power": 2.0, "scale": 0.5, "shift": 1.0}, lambda x: (1 + 0.5 * x) ** 2),
    "Round": ({"decimals": 1}, lambda x: np.round(x, 1)),
}
BINARY = {"AddV2": np.add, "Atan2": np.arctan2, "Div": np.divide, "RealDiv": np.divide, "SquaredDifference": lambda a, b: (a - b) ** 2,
          "FloorMod": np.mod, "FloorDiv": np.floor_divide, "TruncateDiv": lambda a, b: np.trunc(a / b), "TruncateMod": np.fmod}  # fmt: skip
COMPARISONS = {"Greater": np.greater, "GreaterEqual": np.greater_equal, "LessEqual": np.less_equal, "NotEqual": np.not_equal}


class Unary(unittest.TestCase):
    def check(self, op, f, low, high, **attributes):
        for dtype in FLOATS:
            for shape in ((3, 5), (), (0, 2), (2, 3, 4, 5)):
                x = rng.uniform(low, high, shape).astype(dtype)
                want = np.asarray(f(x.astype(np.float64)) if x.size else x).astype(dtype)
                with self.subTest(f"{op} {dtype.__name__} {shape}"):
                    run(op, [x], want, tolerance=1e-2 if dtype is np.float16 else 1e-4 if dtype is np.float32 else 1e-6, **attributes)

    def test_operators_of_any_number(self):
        for op, f in ANY.items():
            self.check(op, f, -1.4, 1.4)

    def test_operators_of_some_numbers(self):
        for op, (f, low, high) in LIMITED.items():
            self.check(op, f, low, high)

    def test_operators_with_attributes(self):
        for op, (attributes, f) in WITH_ATTRIBUTES.items():
            self.check(op, f, -1.4, 1.4, **attributes)

    def test_questions(self):
        for dtype in FLOATS:
            x = np.array([1, np.inf, -np.inf, np.nan, 0], dtype)
            run("IsNan", [x], np.isnan(x))
            run("IsInf", [x], np.isinf(x))
            run("IsFinite", [x], np.isfinite(x))

    def test_bits(self):
        for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8):
            a, b = (rng.integers(0, 100, (4, 5)).astype(dtype) for _ in range(2))
            run("BitwiseAnd", [a, b], a & b)
            run("BitwiseOr", [a, b], a | b)
            run("BitwiseXor", [a, b], a ^ b)
            run("Invert", [a], ~a)
            run("LeftShift", [a, b % 3], np.left_shift(a, b % 3))
            run("RightShift", [a, b % 3], np.right_shift(a, b % 3))


class Several(unittest.TestCase):
    def test_two_operands_are_broadcast(self):
        for op, f in BINARY.items():
            for dtype in FLOATS:
                for left, right in (((3, 4), (3, 4)), ((4, 1), (5,)), ((), (2, 3)), ((0, 3), (3,))):
                    a, b = rng.uniform(-4, 4, left).astype(dtype), rng.uniform(0.5, 3, right).astype(dtype)
                    if dtype is np.float16:  # whole numbers: numpy rounds its own way in between
                        a, b = np.round(a), np.ceil(b)
                    with self.subTest(f"{op} {dtype.__name__} {left} {right}"):
                        run(op, [a, b], f(a, b).astype(dtype))

    def test_whole_numbers_divide_as_their_names_say(self):
        a, b = np.int32([7, -7, 7, -7]), np.int32([2, 2, -2, -2])
        run("FloorDiv", [a, b], a // b)
        run("FloorMod", [a, b], a % b)
        run("TruncateDiv", [a, b], np.trunc(a / b).astype(np.int32))
        run("TruncateMod", [a, b], np.fmod(a, b))
        run("Mod", [a, b], np.fmod(a, b))

    def test_comparisons(self):
        for dtype in (*FLOATS, np.int32, np.int64, np.uint8):
            a, b = (rng.integers(0, 3, shape).astype(dtype) for shape in ((4, 5), (5,)))
            for op, f in COMPARISONS.items():
                run(op, [a, b], f(a, b))

    def test_nearly_equal(self):
        x = np.zeros(6, np.float32)
        out = np.zeros(6, bool)
        aclop(stream, "ApproximateEqual", [x, np.float32(0.01) * np.arange(6, dtype=np.float32)], [out], tolerance=0.025)
        self.assertEqual(out.tolist(), [True, True, True, False, False, False])

    def test_logic(self):
        a, b = (rng.integers(0, 2, shape).astype(bool) for shape in ((4, 5), (5,)))
        run("LogicalAnd", [a, b], a & b)
        run("LogicalOr", [a, b], a | b)
        run("LogicalNot", [a], ~a)

    def test_zero_is_treated_as_the_names_say(self):
        x, y = np.float32([0, 1, 0, 2]), np.float32([0, 0, 3, 4])
        run("DivNoNan", [x, y], np.float32([0, 0, 0, 0.5]))
        run("MulNoNan", [np.float32([np.inf, np.nan, 2, 3]), np.float32([0, 0, 0, 2])], np.float32([0, 0, 0, 6]))
        run("Xlogy", [x, y + 1], x * np.log(y + 1))
        run("Xdivy", [x, y], np.float32([0, np.inf, 0, 0.5]))

    def test_three_and_more(self):
        a, b, c = f32(3, 4), f32(3, 4), f32(3, 4)
        run("FusedMulAdd", [a, b, c], a * b + c)
        run("FusedMulAddN", [a, b, np.float32([2])], a * np.float32([2]) + b)
        run("Addcmul", [a, b, c, np.float32([0.5])], a + 0.5 * b * c)
        run("Addcdiv", [a, b, c, np.float32([0.5])], a + 0.5 * b / c, tolerance=1e-3)
        run("Axpy", [a, b], a + 2 * b, alpha=2.0)
        run("AxpyV2", [a, b, np.float32([2])], a + 2 * b)
        run("Lerp", [a, b, c], a + c * (b - a))
        run("ClipByValue", [a, np.float32(-0.5), np.float32(0.5)], np.clip(a, -0.5, 0.5))
        run("ClipByValueV2", [a, np.float32(-0.5), np.float32(0.5)], np.clip(a, -0.5, 0.5))
        mask = a > 0
        run("Select", [mask, b, c], np.where(mask, b, c))
        run("SelectV2", [mask[0], b, c], np.where(mask[0], b, c))
        run("MaskedFill", [b, mask, np.float32(7)], np.where(mask, np.float32(7), b))
        run("AddN", [a, b, c], a + b + c, N=3)
        run("AccumulateNV2", [a, b, c], a + b + c, N=3)
        run("Eltwise", [a, b], a * b, N=2, mode=0)
        run("Eltwise", [a, b], a + b, N=2, mode=1)
        run("Eltwise", [a, b], np.maximum(a, b), N=2, mode=2)
        run("Pow", [abs(a), b], abs(a) ** b, tolerance=1e-4)
        slopes = np.float32([0.1, 0.2, 0.3, 0.4])
        run("PRelu", [a[:, :, None], slopes], np.where(a > 0, a, a * slopes)[:, :, None])
        run("BiasAdd", [a, b[0]], a + b[0], data_format="NHWC")
        run("CastLike", [a * 9, np.zeros(1, np.int32)], (a * 9).astype(np.int32))


if __name__ == "__main__":
    unittest.main()
