# SPDX-License-Identifier: Apache-2.0
"""Numbers of 64 bits that no double holds, and numbers that the tensor's type does not hold: the oracle counts in Python's
integers."""
import operator
import unittest

import driver
from aclnn_cases import *

driver.TYPES["uint16"] = driver.BFLOAT16

MOST, LEAST, ODD = 2**63 - 1, -(2**63), 2**53 + 1


class Bits(Out):
    """Of bfloat16, which here goes by the name of uint16."""

    def __init__(self, expected):
        super().__init__(np.array(expected, np.uint16))


def wrapped(values, dtype=np.int64):
    size = 8 * np.dtype(dtype).itemsize
    unsigned = [int(v) % 2**size for v in values]
    return np.array([v - 2**size if np.dtype(dtype).kind == "i" and v >= 2 ** (size - 1) else v for v in unsigned], dtype)


class Scalars(Case):
    def test_arithmetic_and_bits(self):
        x = np.array([1, 2, -3, 2**40])
        whole = [int(v) for v in x]
        for k in (ODD, MOST, LEAST, 3):
            check("Adds", x, k, 3, Out(wrapped(v + 3 * k for v in whole)))
            check("Subs", x, k, 1, Out(wrapped(v - k for v in whole)))
            check("Rsubs", x, k, 1, Out(wrapped(k - v for v in whole)))
            check("Muls", x, k, Out(wrapped(v * k for v in whole)))
            check("Add", x, x, k, Out(wrapped(v + k * v for v in whole)))
            check("Addcmul", x, x, x, k, Out(wrapped(v + k * v * v for v in whole)))
            for name, f in (("And", operator.and_), ("Or", operator.or_), ("Xor", operator.xor)):
                check(f"Bitwise{name}Scalar", x, k, Out(wrapped(f(v, k) for v in whole)))
            if k > 0:
                y = np.array([MOST, 5, MOST - 1])
                check("RemainderTensorScalar", y, k, Out(wrapped(int(v) % k for v in y)))
                check("FmodScalar", y, k, Out(wrapped(int(v) % k for v in y)))
        check("PowScalarTensor", 3, np.array([39, 38]), Out(np.array([3**39, 3**38])))
        check("PowTensorScalar", np.array([3, -3]), 39, Out(np.array([3**39, -(3**39)])))

    def test_comparisons_and_bounds(self):
        compared = {"Eq": operator.eq, "Ne": operator.ne, "Lt": operator.lt, "Le": operator.le, "Gt": operator.gt, "Ge": operator.ge}
        numbers = (ODD, ODD - 1, MOST, LEAST, 2**31, 2**40, -(2**40), 256, 255, -1, -129, 0)
        for dtype in (np.int64, np.int32, np.int16, np.int8, np.uint8):
            most, least = int(np.iinfo(dtype).max), int(np.iinfo(dtype).min)
            x = np.array([most, most - 1, least, 0, 1, min(ODD, most)], dtype)
            for k in numbers:
                for name, f in compared.items():
                    check(name + "Scalar", x, k, Out(np.array([f(int(v), k) for v in x])))
                near = lambda v: np.array([min(max(w, least), most) for w in v], dtype)
                check("ClampMin", x, k, Out(near(max(int(v), k) for v in x)))
                check("ClampMax", x, k, Out(near(min(int(v), k) for v in x)))
                check("Clamp", x, min(k, 5), max(k, 5), Out(near(min(max(int(v), min(k, 5)), max(k, 5)) for v in x)))

    def test_filling(self):
        x = np.array([1, 2])
        for k in (ODD, MOST, LEAST):
            check("InplaceFillScalar", InOut(x, np.array([k, k])), k)
            check("InplaceMaskedFillScalar", InOut(x, np.array([k, 2])), np.array([True, False]), k)
            check("IndexFill", x, 0, np.array([1]), k, Out(np.array([1, k])))
            check("ScatterValue", x, 0, np.array([1]), k, 0, Out(np.array([1, k])))
            check("ConstantPadNd", x, [1, 0], k, Out(np.array([k, 1, 2])))
            check("Threshold", np.array([7, 2]), 3, k, Out(np.array([7, k])))
        for start, step in ((ODD, 1), (2**62 + 1, 3), (MOST - 8, 2)):
            check("Arange", start, start + 4 * step, step, Out(np.array([start + i * step for i in range(4)])))

    def test_lists(self):
        x = np.arange(12).reshape(3, 4)
        check("SliceV2", x, [1, 0], [MOST, MOST], [0, 1], [1, 2], Out(x[1:, ::2]))

    def test_conversions_to_16_bits_round_once(self):
        wide = np.array([1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-11, 1 + 3 * 2.0**-11 - 2.0**-40, -1 - 2.0**-11 - 2.0**-40, 65519.999999, 1e-9])
        check("Cast", wide, 1, Out(wide.astype(np.float16), tolerance=0))
        for dtype in (np.int32, np.int64):
            check("Cast", np.array([2**24 + 2**16 + 1, -(2**24) - 2**16 - 1, 2**24 + 2**16, 3], dtype), 27,
                  Bits([0x4B81, 0xCB81, 0x4B80, 0x4040]))
        check("Cast", np.array([2**62 + 2**54 + 1, 2**62 + 2**54]), 27, Bits([0x5E81, 0x5E80]))
        check("Cast", np.array([1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-8]), 27, Bits([0x3F81, 0x3F80]))

    def test_conversions_from_and_to_complex_numbers(self):
        x = np.array([[1.5, -2, 0], [3, 0.25, -0.5]])
        for kind, number in ((np.complex64, 16), (np.complex128, 17)):
            for dtype in (np.float32, np.float64, np.float16, np.int32, np.int64, np.bool_):
                check("Cast", x.astype(dtype), number, Out(x.astype(dtype).astype(kind)))
            z = (x + 1j * x[::-1]).astype(kind)
            for dtype in (np.float32, np.float64, np.float16, np.int32):
                check("Cast", z, driver.TYPES[np.dtype(dtype).name], Out(z.real.astype(dtype)))
            check("Cast", z, 12, Out(z != 0))
            check("Cast", z, 16, Out(z.astype(np.complex64)))
            check("Cast", z, 17, Out(z.astype(np.complex128)))


if __name__ == "__main__":
    main()
