# SPDX-License-Identifier: Apache-2.0
"""aclnn functions in bfloat16, which numpy does not have: in this program 16-bit unsigned integers are its bits. Oracle:
the same in double precision on the same inputs; results may be off by one unit in the last of the 8 bits."""
import math
import unittest

import driver
from aclnn_cases import *

driver.TYPES["uint16"] = driver.BFLOAT16
erf = np.vectorize(math.erf)
ULP = 2.0**-7
INF = float("inf")


def bits(values):
    """Rounded to the nearest, ties to even."""
    wide = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((wide + 0x7FFF + ((wide >> 16) & 1)) >> 16).astype(np.uint16)


def numbers(stored):
    return (stored.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def random(*shape, low=-2.0, high=2.0):
    """Bits, and what they are worth."""
    made = bits(rng.uniform(low, high, shape))
    return made, numbers(made)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Rounded(Out):
    """An output in bfloat16 and the numbers it must be."""

    def __init__(self, expected, absolute=1e-6):
        super().__init__(bits(expected))
        self.wanted, self.absolute = np.asarray(expected, np.float64), absolute


def run(name, *arguments):
    """As check(), for dense and strided tensors."""
    for layout in (np.ascontiguousarray, strided):
        given = [arrange(argument, lambda a: layout(a) if a.ndim else a) for argument in arguments]
        aclnn(stream, "aclnn" + name, *given)
        for wanted, array in pairs(arguments, given):
            if isinstance(wanted, Rounded):
                np.testing.assert_allclose(numbers(np.ascontiguousarray(array)), wanted.wanted, ULP, wanted.absolute, err_msg=name)
            else:
                compare(array, wanted, name)
        counts["aclnn" + name] += 1


class BFloat16(unittest.TestCase):
    def test_arithmetic(self):
        (a, x), (b, y) = random(3, 5), random(5, low=0.5)
        run("Add", a, b, 1, Rounded(x + y, 0.02))
        run("Add", a, b, 2, Rounded(x + 2 * y, 0.04))
        run("Sub", a, b, 1, Rounded(x - y, 0.02))
        run("Mul", a, b, Rounded(x * y))
        run("Div", a, b, Rounded(x / y))
        run("Adds", a, 3.0, 1.0, Rounded(x + 3))
        run("Muls", a, 3.0, Rounded(x * 3))
        run("PowTensorScalar", b, 3.0, Rounded(y**3))
        run("Addcmul", a, b, b, 2.0, Rounded(x + 2 * y * y, 0.05))
        run("Clamp", a, -1.0, 0.5, Rounded(np.clip(x, -1, 0.5)))

    def test_a_sum_is_rounded_once_to_the_nearest_even(self):
        a, b = bits([256, 256, 1.5]), bits([1, 3, 2.25])
        out = np.zeros(3, np.uint16)
        aclnn(stream, "aclnnAdd", a, b, 1, out)
        self.assertEqual(numbers(out).tolist(), [256, 260, 3.75])  # 257 and 259 are ties

    def test_too_large_is_infinite(self):
        out = np.zeros(2, np.uint16)
        aclnn(stream, "aclnnMul", bits([3e38, -3e38]), bits([2, 2]), out)
        self.assertEqual(numbers(out).tolist(), [INF, -INF])

    def test_functions_of_one_tensor(self):
        (a, x), (p, y) = random(4, 7), random(4, 7, low=0.1)
        for name, value in {"Relu": np.maximum(x, 0), "Sigmoid": 1 / (1 + np.exp(-x)), "Tanh": np.tanh(x), "Exp": np.exp(x),
                            "Silu": x / (1 + np.exp(-x)), "Gelu": x * (1 + erf(x / math.sqrt(2))) / 2, "Abs": abs(x), "Neg": -x}.items():  # fmt: skip
            run(name, a, Rounded(value, 1e-2))
        for name, value in {"Sqrt": np.sqrt(y), "Rsqrt": 1 / np.sqrt(y), "Log": np.log(y), "Reciprocal": 1 / y}.items():
            run(name, p, Rounded(value, 1e-2))

    def test_products_accumulate_in_more_than_their_type(self):
        (a, x), (b, y), (c, z) = random(6, 64), random(64, 5), random(5)
        run("Matmul", a, b, Rounded(x @ y, 0.02), 0)
        run("Mm", a, b, Rounded(x @ y, 0.02), 0)
        run("Addmm", c, a, b, 1.0, 2.0, Rounded(z + 2 * (x @ y), 0.2), 0)
        run("BatchMatMul", a[None], b[None], Rounded((x @ y)[None], 0.02), 0)
        ones = np.full((1, 4096), 0x3F80, np.uint16)  # in bfloat16 the sum of ones would stay at 256
        run("Matmul", ones, ones.T.copy(), Rounded([[4096.0]]), 0)

    def test_reductions_and_softmax(self):
        a, x = random(3, 40)
        run("ReduceSum", a, [1], False, driver.BFLOAT16, Rounded(x.sum(1), 0.05))
        run("Mean", a, [1], True, driver.BFLOAT16, Rounded(x.mean(1, keepdims=True), 1e-2))
        run("Amax", a, [1], False, Rounded(x.max(1)))
        run("Amin", a, [0], False, Rounded(x.min(0)))
        run("ArgMax", a, 1, False, Out(x.argmax(1)))
        run("Softmax", a, -1, Rounded(softmax(x)))
        run("LogSoftmax", a, -1, Rounded(np.log(softmax(x)), 0.03))
        run("Cumsum", bits(np.ones((2, 9))), 1, driver.BFLOAT16, Rounded(np.ones((2, 9)).cumsum(1)))

    def test_normalisation(self):
        (a, x), (w, g), (b, h) = random(4, 32), random(32), random(32)
        away = x - x.mean(1, keepdims=True)
        want = away / np.sqrt(away.var(1, keepdims=True) + 1e-5) * g + h
        run("LayerNorm", a, [32], w, b, 1e-5, Rounded(want, 0.05), None, None)

    def test_what_only_moves_keeps_the_bits(self):
        a, b = (bits(f32(3, 4)) for _ in range(2))
        index = np.array([2, 0, 2])
        run("Cat", [a, b], 0, Out(np.concatenate([a, b])))
        run("Permute", a, [1, 0], Out(a.T.copy()))
        run("IndexSelect", a, 0, index, Out(a[index]))
        run("Embedding", a, index, Out(a[index]))
        run("SWhere", a > b, a, b, Out(np.where(a > b, a, b)))
        values = numbers(a)
        order = np.argsort(-values, 1, kind="stable")
        run("Sort", a, True, 1, True, Out(np.take_along_axis(a, order, 1)), Out(order))
        run("Topk", a, 2, 1, True, True, Out(np.take_along_axis(a, order, 1)[:, :2]), Out(order[:, :2]))

    def test_conversions_and_comparisons(self):
        wide = np.float32([1, 1.00390625, 1.01171875, -3e38, 65536.5])  # the second and third lie between two
        run("Cast", wide, driver.BFLOAT16, Out(bits(wide)))
        stored = bits(wide)
        run("Cast", stored, 0, Out(numbers(stored).astype(np.float32)))
        (a, x), (b, y) = random(9), random(9)
        run("EqTensor", a, a, Out(np.ones(9, bool)))
        run("GtTensor", a, b, Out(x > y))
        run("GtScalar", a, 0.5, Out(x > 0.5))

    def test_convolution_and_pooling(self):
        (a, x), (w, k) = random(1, 3, 6, 6), random(4, 3, 3, 3)
        want = np.zeros((1, 4, 4, 4))
        for i in range(4):
            for j in range(4):
                want[0, :, i, j] = (k * x[:, :, i : i + 3, j : j + 3]).sum((1, 2, 3))
        given = [a, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, Rounded(want, 0.05), 0]
        driven = [g.array() if isinstance(g, Out) else g for g in given]
        aclnn(stream, "aclnnConvolution", *driven, form=driver.NCHW)
        np.testing.assert_allclose(numbers(driven[9]), want, ULP, 0.05)
        counts["aclnnConvolution"] += 1

    def test_attention(self):
        (q, x), (k, y), (v, z) = (random(1, 2, 5, 16) for _ in range(3))
        want = softmax(x @ y.transpose(0, 1, 3, 2) * 0.25) @ z
        whole = 2**31 - 1
        run("PromptFlashAttention", q, k, v, None, None, None, 2, 0.25, whole, whole, "BNSD", 2, Rounded(want, 0.02))


if __name__ == "__main__":
    main()
