# SPDX-License-Identifier: Apache-2.0
"""Reductions: since opset 18 their axes are an input; since 20 ReduceMax and ReduceMin take bool."""
import numpy as np

from case import case, f32, i64, rng


def log_sum_exp(x, axis, keepdims):
    return np.log(np.exp(x.astype(np.float64)).sum(axis, keepdims=keepdims)).astype(np.float32)


def norm(order):
    def of(x, axis, keepdims):
        wide = np.abs(x.astype(np.float64))
        return ((wide**order).sum(axis, keepdims=keepdims)**(1 / order)).astype(np.float32)
    return of


OPERATORS = {
    "ReduceL1": norm(1), "ReduceL2": norm(2),
    "ReduceLogSum": lambda x, axis, keepdims: np.log(x.sum(axis, keepdims=keepdims)),
    "ReduceLogSumExp": log_sum_exp,
    "ReduceMax": lambda x, axis, keepdims: x.max(axis, keepdims=keepdims),
    "ReduceMean": lambda x, axis, keepdims: x.mean(axis, keepdims=keepdims),
    "ReduceMin": lambda x, axis, keepdims: x.min(axis, keepdims=keepdims),
    "ReduceProd": lambda x, axis, keepdims: x.prod(axis, keepdims=keepdims),
    "ReduceSum": lambda x, axis, keepdims: x.sum(axis, keepdims=keepdims),
    "ReduceSumSquare": lambda x, axis, keepdims: (x**2).sum(axis, keepdims=keepdims),
}


def cases_axes_as_an_input():
    for op, of in OPERATORS.items():
        x = np.abs(f32(3, 4, 5)) + np.float32(0.5)
        both = (0, 2)
        case(f"{op}_constant_axes", op, [x, i64(0, -1)], [of(x, both, True)], constants=(1,))
        case(f"{op}_constant_axes_dropped", op, [x, i64(1)], [of(x, 1, False)], constants=(1,), keepdims=0)
        case(f"{op}_left_out_axes", op, [x], [of(x, None, True)])
        case(f"{op}_empty_axes", op, [x, i64()], [of(x, None, False)], constants=(1,), keepdims=0)
        # No axes and noop: each element by itself is the whole sum, except that nothing at all is done.
        case(f"{op}_noop_left_out", op, [x], [noop(op, x)], noop_with_empty_axes=1)
        case(f"{op}_noop_empty", op, [x, i64()], [noop(op, x)], constants=(1,), noop_with_empty_axes=1)
        case(f"{op}_noop_with_axes", op, [x, i64(1)], [of(x, 1, True)], constants=(1,), noop_with_empty_axes=1)


def noop(op, x):
    """With noop_with_empty_axes the step before and after the sum is still done (onnx's function bodies say so)."""
    return {"ReduceL1": np.abs(x), "ReduceL2": np.abs(x), "ReduceLogSum": np.log(x), "ReduceSumSquare": x * x}.get(op, x)


def cases_axes_that_are_computed():
    """The axes are an input of the model: known only when it runs."""
    for op in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceLogSumExp", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum"):
        x = np.abs(f32(2, 3, 4)) + np.float32(0.5)
        case(f"{op}_axes_at_run_time", op, [x, i64(-2)], [OPERATORS[op](x, 1, True)])


def cases_integers():
    x = rng.integers(-50, 50, (3, 4)).astype(np.int32)
    for op in ("ReduceSum", "ReduceMax", "ReduceMin"):
        case(f"{op}_int32", op, [x, i64(1)], [OPERATORS[op](x, 1, True).astype(np.int32)], constants=(1,))
    x = rng.integers(0, 255, (3, 4)).astype(np.uint8)
    for op in ("ReduceMax", "ReduceMin"):
        case(f"{op}_uint8", op, [x, i64(0)], [OPERATORS[op](x, 0, True)], constants=(1,))


def cases_bool():
    x = rng.random((4, 3, 2)) < 0.5
    x[0], x[1, 0] = True, False
    for op, of in (("ReduceMax", np.any), ("ReduceMin", np.all)):
        case(f"{op}_bool", op, [x, i64(1)], [of(x, 1, keepdims=True)], 20, constants=(1,))
        case(f"{op}_bool_all", op, [x], [of(x)], 20, keepdims=0)
        case(f"{op}_bool_last", op, [x, i64(-1)], [of(x, -1)], 20, constants=(1,), keepdims=0)


def cases_large_integers():
    """Beyond what a double holds."""
    x = np.array([[-(2**53) - 1, 2**60 + 1], [3, -(2**54) - 3]], np.int64)
    case("ReduceL1_large", "ReduceL1", [x, i64(1)], [np.abs(x).sum(1, keepdims=True)], constants=(1,))
    case("ReduceL1_large_all", "ReduceL1", [x], [np.abs(x).sum().reshape(1, 1)])
    for name, start, limit, delta in (("up", 2**53 + 1, 2**53 + 4, 1), ("down", -(2**60), -(2**60) - 7, -2), ("none", 2**53 + 2, 2**53 + 1, 1)):
        case(f"Range_large_{name}", "Range", [np.int64(start), np.int64(limit), np.int64(delta)], [np.arange(start, limit, delta)], constants=(0, 1, 2))
