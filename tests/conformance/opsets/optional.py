# SPDX-License-Identifier: Apache-2.0
"""Optionals and sequences of which the converter knows what they hold: nothing of them is left in the .om."""
import numpy as np
from onnx import TensorProto, helper

from case import case, case_of, f32, i64, refused, refused_model

node = helper.make_node


def cases_optional():
    x = f32(2, 3)
    wrap = node("Optional", ["x"], ["o"])
    case_of([wrap, node("OptionalGetElement", ["o"], ["y0"])], "Optional_get", {"x": x}, {}, [x], 18)
    case_of([wrap, node("OptionalHasElement", ["o"], ["y0"]), node("Relu", ["x"], ["y1"])], "Optional_has", {"x": x}, {}, [np.True_, np.maximum(x, 0)])
    empty = node("Optional", [], ["o"], type=helper.make_tensor_type_proto(TensorProto.FLOAT, [2]))
    case_of([empty, node("OptionalHasElement", ["o"], ["y0"]), node("Relu", ["x"], ["y1"])], "Optional_has_not", {"x": x}, {},
            [np.False_, np.maximum(x, 0)])
    # From opset 18 on, tensors themselves are taken, and an input may be left out.
    case("OptionalGetElement_tensor", "OptionalGetElement", [x], [x])
    case("OptionalHasElement_tensor", "OptionalHasElement", [x], [np.True_])
    case_of([node("OptionalHasElement", [], ["y0"]), node("Relu", ["x"], ["y1"])], "OptionalHasElement_left_out", {"x": x}, {},
            [np.False_, np.maximum(x, 0)])
    refused_model("OptionalGetElement_of_nothing", [empty, node("OptionalGetElement", ["o"], ["y0"], "node")], {"x": (1, (2,))},
                  "node: OptionalGetElement (opset 18): the optional holds nothing")


def cases_sequence():
    x, y, z = f32(2, 3), f32(2, 3), f32(2, 3)
    make = node("SequenceConstruct", ["a", "b", "c"], ["s"])
    inputs = {"a": x, "b": y, "c": z}
    at = {"at": np.int64(-1)}
    case_of([make, node("SequenceAt", ["s", "at"], ["y0"])], "SequenceAt_from_the_end", inputs, at, [z])
    case_of([make, node("SequenceAt", ["s", "at"], ["y0"])], "SequenceAt_computed_place", {**inputs, "at": np.int64(1)}, {}, [y])
    case_of([make, node("SequenceErase", ["s"], ["t"]), node("ConcatFromSequence", ["t"], ["y0"], axis=1)], "SequenceErase_last", inputs, {},
            [np.concatenate([x, y], 1)])
    case_of([make, node("SequenceErase", ["s", "at"], ["t"]), node("SequenceLength", ["t"], ["y0"]), node("ConcatFromSequence", ["t"], ["y1"], axis=0)],
            "SequenceErase_place", inputs, {"at": np.int64(0)}, [np.int64(2), np.concatenate([y, z])])
    case_of([make, node("SequenceInsert", ["s", "a", "at"], ["t"]), node("ConcatFromSequence", ["t"], ["y0"], axis=-1, new_axis=1)],
            "SequenceInsert_before_the_last", inputs, at, [np.stack([x, y, x, z], -1)])
    case_of([node("SequenceEmpty", [], ["e"]), node("SequenceInsert", ["e", "a"], ["f"]), node("SequenceInsert", ["f", "b"], ["s"]),
             node("ConcatFromSequence", ["s"], ["y0"], axis=0, new_axis=1)], "SequenceEmpty_filled", {"a": x, "b": y}, {}, [np.stack([x, y])])
    whole = f32(5, 4)
    join = node("ConcatFromSequence", ["s"], ["y0"], axis=0)
    case_of([node("SplitToSequence", ["x"], ["s"], axis=1, keepdims=0), node("SequenceAt", ["s", "at"], ["y0"])], "SplitToSequence_dropped",
            {"x": whole}, {"at": np.int64(2)}, [whole[:, 2]])
    case_of([node("SplitToSequence", ["x"], ["s"], axis=1), node("SequenceAt", ["s", "at"], ["y0"]), node("SequenceLength", ["s"], ["y1"])],
            "SplitToSequence_kept", {"x": whole}, {"at": np.int64(-4)}, [whole[:, :1], np.int64(4)])
    case_of([node("SplitToSequence", ["x", "n"], ["s"]), node("SequenceLength", ["s"], ["y0"]), node("SequenceAt", ["s", "at"], ["y1"])],
            "SplitToSequence_in_twos", {"x": whole}, {"n": np.int64(2), "at": np.int64(2)}, [np.int64(3), whole[4:]])
    case_of([node("SplitToSequence", ["x", "n"], ["s"]), node("SequenceErase", ["s", "at"], ["t"]), node("ConcatFromSequence", ["t"], ["y0"], axis=0)],
            "SplitToSequence_by_lengths", {"x": whole}, {"n": i64(1, 3, 1), "at": np.int64(1)}, [np.concatenate([whole[:1], whole[4:]])])
    case_of([node("SplitToSequence", ["x"], ["s"]), node("Identity", ["s"], ["t"]), node("ConcatFromSequence", ["t"], ["y0"], axis=0)],
            "Identity_of_a_sequence", {"x": whole}, {}, [whole])
    case_of([make, node("Optional", ["s"], ["o"]), node("OptionalGetElement", ["o"], ["t"]), node("ConcatFromSequence", ["t"], ["y0"], axis=0)],
            "Optional_of_a_sequence", inputs, {}, [np.concatenate([x, y, z])])
    branch = [helper.make_graph([node("SequenceAt", ["s", "at"], [name])], name, [], [helper.make_tensor_value_info(name, 1, (2, 3))])
              for name in ("first", "second")]
    case_of([make, node("If", ["c0"], ["y0"], then_branch=branch[0], else_branch=branch[1])], "SequenceAt_in_a_branch",
            {**inputs, "c0": np.True_}, at, [z])
    doubled = helper.make_graph([node("Add", ["e", "w"], ["d"])], "body", [helper.make_tensor_value_info("e", 1, (2, 3)),
                                                                          helper.make_tensor_value_info("w", 1, (2, 3))],
                                [helper.make_tensor_value_info("d", 1, (2, 3))])
    case_of([make, node("SequenceMap", ["s", "a"], ["t"], body=doubled), join_of("t")], "SequenceMap", inputs, {},
            [np.concatenate([x + x, y + x, z + x])])


def join_of(sequence):
    return node("ConcatFromSequence", [sequence], ["y0"], axis=0)


def cases_refused_sequences():
    three = {"a": (1, (2, 3)), "b": (1, (2, 4)), "at": (7, ())}
    make = node("SequenceConstruct", ["a", "b"], ["s"])
    refused_model("SequenceAt_of_unlike_elements", [make, node("SequenceAt", ["s", "at"], ["y0"], "node")], three,
                  "node: SequenceAt (opset 18): the position must be constant, because the sequence's elements differ in shape or type")
    refused_model("SequenceInsert_computed_place", [make, node("SequenceInsert", ["s", "a", "at"], ["y0"], "node")], three,
                  "node: SequenceInsert (opset 18): the position must be constant")
    refused_model("SequenceAt_outside", [make, node("Constant", [], ["k"], value_int=2), node("SequenceAt", ["s", "k"], ["y0"], "node")], three,
                  "node: SequenceAt (opset 18): position 2 is outside the sequence of 2")
    refused_model("Relu_of_a_sequence", [make, node("Relu", ["s"], ["y0"], "node")], three, "node: Relu (opset 18): input s is a sequence")
    refused_model("a_sequence_as_output", [node("SequenceConstruct", ["a", "b"], ["y0"])], three,
                  "y0: graph output: it is a sequence; give its elements (SequenceAt) or join them (ConcatFromSequence)")
    refused("SplitToSequence_of_unknown_size", "SplitToSequence", [(1, ("n", 2))], "node: SplitToSequence (opset 18): the size of axis 0 must be known")
