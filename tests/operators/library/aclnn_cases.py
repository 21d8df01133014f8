# SPDX-License-Identifier: Apache-2.0
"""Runs aclnn calls on cases whose results numpy computed, each with dense tensors and again with strided ones."""
import collections
import os
import sys
import unittest

import numpy as np

from driver import ND, PROTOTYPES, Refused, aclnn, start

stream = start()
counts = collections.Counter()  # of the runs of each function
rng = np.random.default_rng(11)


class Out:
    """An output and what it must become."""

    def __init__(self, expected, dtype=None, tolerance=None):
        self.expected = np.asarray(expected)
        self.dtype = np.dtype(dtype or self.expected.dtype)
        self.tolerance = tolerance

    def array(self):
        return np.full(self.expected.shape, 77 if self.dtype.kind != "b" else True, self.dtype)


class InOut(Out):
    """A tensor that is changed in place."""

    def __init__(self, initial, expected, tolerance=None):
        super().__init__(expected, np.asarray(initial).dtype, tolerance)
        self.initial = np.asarray(initial)

    def array(self):
        return self.initial.copy()


class Near(Out):
    """Whole numbers that may be next to the expected ones, where a sum of floats was rounded."""

    def __init__(self, expected, dtype=np.int8):
        super().__init__(np.asarray(expected).astype(dtype), dtype)


def strided(array):
    """The same values in a view with other strides and an offset, inside a larger array."""
    base = np.full(tuple(reversed(array.shape)) + (3,), 55 if array.dtype.kind != "b" else True, array.dtype)
    view = base[..., 1].transpose()
    view[...] = array
    return view


def arrange(value, layout):
    if isinstance(value, Out):
        return layout(value.array())
    if isinstance(value, np.ndarray):
        return layout(value)
    if isinstance(value, list) and any(isinstance(v, (np.ndarray, Out)) for v in value):
        return [arrange(v, layout) for v in value]
    return value


def compare(got, wanted, name):
    if isinstance(wanted, Near):
        assert np.abs(got.astype(int) - wanted.expected.astype(int)).max(initial=0) <= 1, f"{name}: {got} {wanted.expected}"
        return
    tolerance = wanted.tolerance
    if tolerance is None:
        tolerance = {"float16": 2e-3, "float32": 2e-5, "float64": 1e-9}.get(str(wanted.dtype), 0)
    if tolerance == 0:
        np.testing.assert_array_equal(got, wanted.expected.astype(got.dtype), err_msg=name)
    else:
        np.testing.assert_allclose(got.astype(np.float64), wanted.expected.astype(np.float64), tolerance, tolerance,
                                   err_msg=name)


def pairs(arguments, given):
    for argument, array in zip(arguments, given):
        if isinstance(argument, Out):
            yield argument, array
        elif isinstance(argument, list):
            yield from pairs(argument, array)


def check(name, *arguments, form=ND):
    """`name` without aclnn; outputs are Out or InOut."""
    for layout in (np.ascontiguousarray, strided):
        given = [arrange(argument, lambda a: layout(a).reshape(a.shape) if a.ndim == 0 and layout is not strided else layout(a))
                 for argument in arguments]
        aclnn(stream, "aclnn" + name, *given, form=form)
        for wanted, array in pairs(arguments, given):
            compare(array, wanted, f"aclnn{name}, {layout.__name__}")
        counts["aclnn" + name] += 1
    check_in_place(name, arguments, form)


def check_in_place(name, arguments, form):
    """The in-place form of a function with one output, where its first tensor can hold the result."""
    outputs = [argument for argument in arguments if isinstance(argument, Out)]
    rest = [argument for argument in arguments if not isinstance(argument, Out)]
    other = "aclnnInplace" + name
    if other not in PROTOTYPES or len(outputs) != 1 or len(PROTOTYPES[other]) != len(rest):
        return
    first, wanted = rest[0], outputs[0]
    if isinstance(first, np.ndarray) and first.shape == wanted.expected.shape and first.dtype == wanted.dtype:
        check("Inplace" + name, InOut(first, wanted.expected, wanted.tolerance), *rest[1:], form=form)


class Case(unittest.TestCase):
    def refused(self, code, text, name, *arguments):
        """The first phase must fail with the code, and its message contain the text."""
        given = [arrange(argument, np.ascontiguousarray) for argument in arguments]
        with self.assertRaises(Refused) as caught:
            aclnn(stream, "aclnn" + name, *given)
        self.assertEqual(caught.exception.code, code, caught.exception.message)
        self.assertIn(text, caught.exception.message)
        counts["aclnn" + name] += 1


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def floats(dtype, *shape):
    return rng.standard_normal(shape).astype(dtype)


def ints(dtype, *shape, low=-8, high=9):
    return rng.integers(max(low, np.iinfo(dtype).min), high, shape).astype(dtype)


def main():
    passed = unittest.main(verbosity=1, exit=False, argv=["aclnn"]).result.wasSuccessful()
    if "BELAY_TEST_COUNTS" in os.environ:
        print("\n".join(f"{name}\t{count}" for name, count in sorted(counts.items())))
    print(f"{len(counts)} functions, {sum(counts.values())} runs")
    sys.exit(not passed)
