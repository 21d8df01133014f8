# SPDX-License-Identifier: Apache-2.0
"""If: a branch that can never run with the given shapes may be ill-shaped. It is refused when it is taken, not before."""
import numpy as np
from onnx import helper

from case import case_of, f32, i64, refused_model

node = helper.make_node


def graph(name, nodes, output, shape=None):
    return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(output, 1, shape)])


def squeeze_or_keep():
    """As exporters write x.squeeze(1) for a shape that they do not know: squeezed if the dimension is 1, else as it is."""
    return [node("Shape", ["x"], ["s"]), node("Gather", ["s", "one"], ["d"]), node("Equal", ["d", "one"], ["c"]),
            node("If", ["c"], ["y0"], "choice", then_branch=graph("squeezed", [node("Squeeze", ["x", "axes"], ["a"], "narrow")], "a"),
                 else_branch=graph("kept", [node("Identity", ["x"], ["b"])], "b"))]


def cases_ill_shaped_branches():
    x = f32(2, 3, 4)
    axes = {"one": np.int64(1), "axes": i64(1)}
    case_of(squeeze_or_keep(), "If_ill_shaped_branch", {"x": x}, axes, [x])
    # The condition is an input: only running tells which branch is taken.
    choose = [node("If", ["c"], ["y0"], "choice", then_branch=graph("squeezed", [node("Squeeze", ["x", "axes"], ["a"]), node("Relu", ["a"], ["e"])], "e"),
                   else_branch=graph("kept", [node("Neg", ["x"], ["b"])], "b"))]
    case_of(choose, "If_ill_shaped_branch_not_taken", {"x": x, "c": np.False_}, {"axes": i64(1)}, [-x])
    # What comes after the ill-shaped node cannot be judged: a Softmax of opset 12 needs to know a rank.
    deep = [node("Squeeze", ["x", "axes"], ["a"]), node("Split", ["a"], ["p", "q"], axis=7), node("Add", ["p", "q"], ["e"])]
    choose = [node("If", ["c"], ["y0"], "choice", then_branch=graph("kept", [node("Neg", ["x"], ["b"])], "b"), else_branch=graph("deep", deep, "e"))]
    case_of(choose, "If_ill_shaped_branch_goes_on", {"x": x, "c": np.True_}, {"axes": i64(1)}, [-x])
    one = f32(2, 1, 4)
    case_of(squeeze_or_keep(), "If_fitting_branch", {"x": one}, axes, [one[:, 0]])
    both = [node("If", ["c"], ["y0"], "choice", then_branch=graph("a", [node("Squeeze", ["x"], ["a"], axes=[0])], "a"),
                 else_branch=graph("b", [node("Squeeze", ["x"], ["b"], axes=[1])], "b"))]
    refused_model("If_two_ill_shaped_branches", both, {"x": (1, (2, 3)), "c": (9, ())}, "choice: If (opset 12): neither branch fits the shapes", 12)
    unknown = [node("If", ["c"], ["y0"], "choice", then_branch=graph("a", [node("Squeeze", ["x"], ["s"], axes=[0]), node("NoSuch", ["s"], ["a"])], "a"),
                    else_branch=graph("b", [node("Neg", ["x"], ["b"])], "b"))]
    refused_model("If_unknown_operator_in_an_ill_shaped_branch", unknown, {"x": (1, (2, 3)), "c": (9, ())}, "NoSuch (opset 12): no GE operator is known", 12)
