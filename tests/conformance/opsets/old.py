# SPDX-License-Identifier: Apache-2.0
"""Before opset 7, attributes said how to broadcast; PRelu had a slope for each channel; Cast named its type."""
import numpy as np
from onnx import helper

from case import case, case_of, f32, refused, refused_model, rng

ARITHMETIC = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}
COMPARISONS = {"Greater": np.greater, "Less": np.less}
LOGIC = {"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor}


def placed(b, axis, rank):
    return b.reshape(*b.shape, *[1] * (rank - axis - b.ndim))


def broadcast_cases(op, of, make, opset):
    a = make(2, 3, 4, 5)
    for axis, shape in ((0, (2,)), (0, (2, 3)), (1, (3,)), (1, (3, 4)), (2, (4, 5)), (3, (5,)), (-2, (4,))):
        b = make(*shape)
        want = of(a, placed(b, axis % 4, 4))
        case(f"{op}_{opset}_axis_{axis}_{len(shape)}", op, [a, b], [want], opset, broadcast=1, axis=axis)
    b = make(4, 5)
    case(f"{op}_{opset}_suffix", op, [a, b], [of(a, b)], opset, broadcast=1)
    case(f"{op}_{opset}_same", op, [a, a], [of(a, a)], opset)


def cases_broadcast():
    for op, of in ARITHMETIC.items():
        for opset in (1, 6):
            broadcast_cases(op, of, lambda *shape: np.abs(f32(*shape)) + np.float32(0.5), opset)
    for op, of in COMPARISONS.items():
        broadcast_cases(op, of, f32, 1)
    for op, of in LOGIC.items():
        broadcast_cases(op, of, lambda *shape: rng.random(shape) < 0.5, 1)
    broadcast_cases("Equal", np.equal, lambda *shape: rng.integers(0, 3, shape).astype(np.int32), 1)
    broadcast_cases("Pow", np.power, lambda *shape: np.abs(f32(*shape)) + np.float32(0.5), 1)
    a, one = f32(2, 3), np.float32(3)
    case("Add_6_scalar", "Add", [a, one], [a + one], 6, broadcast=1)
    square = f32(3, 3, 3)  # every placing fits: only the axis tells them apart
    b = f32(3)
    for axis in range(3):
        case(f"Sub_6_cube_{axis}", "Sub", [square, b], [square - placed(b, axis, 3)], 6, constants=(1,), broadcast=1, axis=axis)
    refused("Add_6_no_room", "Add", [(1, (2, 3)), (1, (2, 3))], "node: Add (opset 6): axis 1 leaves no room for 2 dimensions of 2", 6,
            broadcast=1, axis=1)


def cases_gemm():
    a, b, bias = f32(3, 4), f32(4, 5), f32(5)
    for opset in (1, 6):
        case(f"Gemm_{opset}_broadcast", "Gemm", [a, b, bias], [a @ b + bias], opset, broadcast=1)
        case(f"Gemm_{opset}_scaled", "Gemm", [a.T.copy(), b.T.copy(), bias], [0.5 * (a @ b) + np.float32(2) * bias], opset, broadcast=1, transA=1,
             transB=1, alpha=0.5, beta=2.0)
        whole = f32(3, 5)
        case(f"Gemm_{opset}_whole", "Gemm", [a, b, whole], [a @ b + whole], opset)


def cases_prelu():
    for shape in ((2, 3, 4, 3), (2, 3), (2, 3, 3)):
        x, slope = f32(*shape), f32(3)
        want = np.where(x < 0, x * slope.reshape(1, 3, *[1] * (len(shape) - 2)), x)
        case(f"PRelu_6_{len(shape)}", "PRelu", [x, slope], [want], 6, constants=(1,))
        case(f"PRelu_6_{len(shape)}_one", "PRelu", [x, slope[:1]], [np.where(x < 0, x * slope[0], x)], 6)


def cases_others():
    x = f32(3, 4) * 3
    case("Cast_1_by_name", "Cast", [x], [x.astype(np.int32)], 1, to="INT32")
    case("Cast_1_bool", "Cast", [np.array([0, 1, 0.5], np.float32)], [np.array([False, True, True])], 1, to="BOOL")
    case("Clip_1", "Clip", [x], [np.clip(x, -1, 2)], 1, min=-1.0, max=2.0)
    case("Abs_1", "Abs", [x], [np.abs(x)], 1)


def cases_too_new():
    """An opset that nobody has looked through is refused with the operators that it may have changed."""
    relu, add = helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Add", ["r", "r"], ["y0"])
    refused_model("opset_99", [relu, add], {"x": (1, (2,))},
                  "the model uses opset 99 of ONNX; the newest that is known here is 24. What it says of these operators may differ: Add, Relu.", 99)
    refused_model("opset_25", [relu, add], {"x": (1, (2,))}, "Export the model with opset 24 or an older one", 25)
    x = f32(2, 3)
    for opset in (22, 23, 24):
        case(f"opset_{opset}", "Relu", [x], [np.maximum(x, 0)], opset)


def cases_functions():
    """A function's nodes mean what the function's own opset says: before 13 Softmax took all axes from `axis` on as one."""
    x = f32(2, 3, 4)
    body = [helper.make_node("Softmax", ["a"], ["b"], axis=1)]
    flat = helper.make_function("local", "Flat", ["a"], ["b"], body, [helper.make_opsetid("", 12)])
    e = np.exp(x.astype(np.float64))
    want = (e / e.sum((1, 2), keepdims=True)).astype(np.float32)
    case_of([helper.make_node("Flat", ["x"], ["y0"], domain="local")], "function_of_an_older_opset", {"x": x}, {}, [want], 18, functions=[flat])
    plain = (e / e.sum(1, keepdims=True)).astype(np.float32)
    case_of([helper.make_node("Softmax", ["x"], ["y0"], axis=1)], "the_same_without_a_function", {"x": x}, {}, [plain], 18)
