# SPDX-License-Identifier: Apache-2.0
"""Names mean what they mean where they stand: bodies see the tensors around them whatever those are called, and what is
inside a body is not seen outside."""
import numpy as np
from onnx import helper, numpy_helper

from case import case_of, f32

node, info = helper.make_node, helper.make_tensor_value_info
INT64, BOOL, FLOAT = 7, 9, 1


def loop(body_nodes, kind):
    inputs = [info("i", INT64, []), info("go", BOOL, []), info("s", kind, [])]
    return helper.make_graph([node("Identity", ["go"], ["going"]), *body_nodes], "body", inputs,
                             [info("going", BOOL, []), info("next", kind, [])])


def cases_loop():
    # Our own variables of a loop have such names.
    for name in ("iteration", "trip_count", "condition", "one", "next_iteration", "other"):
        body = loop([node("Add", ["s", name], ["next"])], INT64)
        case_of([node("Mul", ["x", "ten"], [name]), node("Loop", ["times", "", "x"], ["y0"], body=body)], f"Loop_around_{name}",
                {"x": np.int64(7)}, {"ten": np.int64(10), "times": np.int64(3)}, [np.int64(7 + 3 * 70)])
    for name in ("condition", "other"):
        body = loop([node("Where", [name, "few", "many"], ["step"]), node("Add", ["s", "step"], ["next"])], INT64)
        case_of([node("Less", ["x", "five"], [name]), node("Loop", ["times", "", "x"], ["y0"], body=body)], f"Loop_where_{name}",
                {"x": np.int64(7)}, {"five": np.int64(5), "few": np.int64(1), "many": np.int64(100), "times": np.int64(3)},
                [np.int64(307)])
    body = helper.make_graph([node("Identity", ["condition"], ["going"]), node("Add", ["iteration", "trip_count"], ["next"])], "body",
                             [info("trip_count", INT64, []), info("condition", BOOL, []), info("iteration", INT64, [])],
                             [info("going", BOOL, []), info("next", INT64, [])])
    case_of([node("Loop", ["times", "", "x"], ["y0"], body=body)], "Loop_with_names_exchanged", {"x": np.int64(7)},
            {"times": np.int64(4)}, [np.int64(7 + 0 + 1 + 2 + 3)])


def cases_scan():
    z, x = np.ones(4, np.float32), np.arange(16, dtype=np.float32).reshape(4, 4)
    for name in ("v_source", "o_so_far", "iteration", "other"):
        body = helper.make_graph([node("Add", ["s", "v"], ["t"]), node("Add", ["t", name], ["next"]), node("Neg", ["next"], ["o"])], "body",
                                 [info("s", FLOAT, [4]), info("v", FLOAT, [4])], [info("next", FLOAT, [4]), info("o", FLOAT, [4])])
        states = np.cumsum(np.concatenate([z[None], x + 5 * z]), 0)[1:]
        case_of([node("Mul", ["z", "five"], [name]), node("Scan", ["z", "x"], ["y0", "y1"], body=body, num_scan_inputs=1)],
                f"Scan_around_{name}", {"z": z, "x": x}, {"five": np.float32([5])}, [states[-1], -states])


def cases_sequence():
    a, b, x = f32(2, 3), f32(2, 3), f32(3)
    make = node("SequenceConstruct", ["a", "b"], ["s"])
    join = node("ConcatFromSequence", ["t"], ["y0"], axis=0)
    body = helper.make_graph([node("Neg", ["x"], ["o"])], "body", [info("x", FLOAT, None)], [info("o", FLOAT, None)])
    case_of([make, node("SequenceMap", ["s"], ["t"], body=body), join, node("Exp", ["x"], ["y1"])], "SequenceMap_hides_its_input",
            {"a": a, "b": b, "x": x}, {}, [-np.concatenate([a, b]), np.exp(x)])
    body = helper.make_graph([node("Mul", ["e", "k"], ["o"])], "body", [info("e", FLOAT, None)], [info("o", FLOAT, None)],
                             [numpy_helper.from_array(np.float32(3), "k")])
    case_of([make, node("SequenceMap", ["s"], ["t"], body=body), join, node("Mul", ["x", "k"], ["y1"])], "SequenceMap_hides_its_constant",
            {"a": a, "b": b, "x": x}, {"k": np.float32(2)}, [3 * np.concatenate([a, b]), 2 * x])
    body = helper.make_graph([node("Neg", ["e"], ["y1"])], "body", [info("e", FLOAT, None)], [info("y1", FLOAT, None)])
    case_of([make, node("Exp", ["x"], ["y1"]), node("SequenceMap", ["s"], ["t"], body=body), join], "SequenceMap_hides_its_result",
            {"a": a, "b": b, "x": x}, {}, [-np.concatenate([a, b]), np.exp(x)])
    split, take, first = node("SplitToSequence", ["a"], ["s"]), node("SequenceAt", ["s", "at"], ["y0"]), {"at": np.int64(0)}
    case_of([split, node("Neg", ["x"], ["s[0]"]), take, node("Identity", ["s[0]"], ["y1"])], "SplitToSequence_and_a_name_like_it",
            {"a": a, "x": x}, first, [a[:1], -x])
    case_of([node("Neg", ["x"], ["s[0]"]), split, take, node("Identity", ["s[0]"], ["y1"])], "SplitToSequence_behind_a_name_like_it",
            {"a": a, "x": x}, first, [a[:1], -x])
