# SPDX-License-Identifier: Apache-2.0
"""Sums and formulas of 16-bit tensors: computed in float32, rounded once. In this program 16-bit unsigned integers are
the bits of bfloat16. Oracle: numpy in double precision on the same inputs; a result that was rounded once lies within half
a unit of its last bit, and little more."""
import unittest

import driver
from aclnn_cases import *

driver.TYPES["uint16"] = driver.BFLOAT16


def bits(values):
    """bfloat16: rounded to the nearest, ties to even."""
    wide = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((wide + 0x7FFF + ((wide >> 16) & 1)) >> 16).astype(np.uint16).reshape(np.shape(values))


def stored(kind, values):
    return bits(values) if kind == np.uint16 else np.asarray(values, kind)


def worth(array):
    array = np.ascontiguousarray(array).reshape(array.shape)
    return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64) if array.dtype == np.uint16 else array.astype(np.float64)


def unit(kind, values):
    """Of the last bit of these numbers."""
    low, digits = (-14, 10) if kind == np.float16 else (-126, 7)
    return 2.0 ** (np.maximum(np.floor(np.log2(np.maximum(np.abs(values), 1e-300))), low) - digits)


class Halves(Case):
    def once(self, kind, want, name, *arguments, after=(), most=0.502):
        """The result, behind the arguments, is `want` but for one rounding."""
        out = np.full(np.shape(want), 77, kind)
        aclnn(stream, "aclnn" + name, *arguments, out, *after)
        counts["aclnn" + name] += 1
        away = np.abs(worth(out) - want) / unit(kind, want)
        self.assertLess(np.max(away, initial=0), most, f"{name} of {kind.__name__}: {worth(out)} for {want}")

    def test_what_meets_in_one_place_is_added_in_float(self):
        n = 4096
        for kind in (np.float16, np.uint16):
            ones, zero = stored(kind, np.ones((n, 2))), stored(kind, np.zeros((3, 2)))
            rows, index = np.ones(n, np.int64), np.ones((n, 2), np.int64)
            want = np.array([[0, 0], [n, n], [0, 0]])
            self.once(kind, want, "IndexAdd", zero, 0, rows, ones, 1)
            self.once(kind, want, "IndexAddV2", zero, 0, rows, ones, 1, 0)
            self.once(kind, want, "ScatterAdd", zero, 0, index, ones)
            self.once(kind, want, "Scatter", zero, 0, index, ones, 1)
            for name, given in (("IndexPutImpl", ([rows], ones, True, False)), ("InplacePut", (rows, stored(kind, np.ones(n)), True))):
                out = zero.copy()
                aclnn(stream, "aclnn" + name, out, *given)
                counts["aclnn" + name] += 1
                self.assertEqual(worth(out).max(), n, name)
            x, factors = stored(kind, rng.random((4, 3)) + 0.5), stored(kind, rng.random((60, 3)) + 0.5)
            places, want = rng.integers(0, 4, (60, 3)), worth(x)
            np.multiply.at(want, (places, np.arange(3)), worth(factors))
            self.once(kind, want, "Scatter", x, 0, places, factors, 2)


if __name__ == "__main__":
    main()
