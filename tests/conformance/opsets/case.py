# SPDX-License-Identifier: Apache-2.0
"""Node cases of our own, in the form of collect_node_cases.py. The models are put together by hand, because the installed
onnx knows opset 17: its checker and its own cases stop there. What is expected comes from numpy alone."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from collect_node_cases import write_tensor  # noqa: E402  (and gives numpy the names that onnx 1.12 uses)
from onnx import helper, mapping, numpy_helper  # noqa: E402

rng = np.random.default_rng(18)
lines, folder = [], "."


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def i64(*values):
    return np.array(values, np.int64)


def kind_of(array):
    return mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype]


def write_model(path, nodes, opset, inputs, initializers, outputs, functions=()):
    """Inputs and outputs are (name, element type, shape)."""
    info = [[helper.make_tensor_value_info(*one) for one in group] for group in (inputs, outputs)]
    graph = helper.make_graph(nodes, "net", info[0], info[1], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    model.functions.extend(functions)
    with open(path, "wb") as file:
        file.write(model.SerializeToString())


def add_line(name, op, rtol, atol, refusal=""):
    lines.append("\t".join([name, op, str(rtol), str(atol), "", refusal]))


def case(name, op, inputs, outputs, opset=18, constants=(), rtol=1e-5, atol=1e-6, **attributes):
    """`constants` are the places of the inputs that the model has as initializers; an input of None is left out."""
    names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
    case_of([helper.make_node(op, names, [f"y{i}" for i in range(len(outputs))], "node", **attributes)], name,
            {n: x for i, (n, x) in enumerate(zip(names, inputs)) if n and i not in constants},
            {n: x for i, (n, x) in enumerate(zip(names, inputs)) if n and i in constants}, outputs, opset, rtol, atol)


def case_of(nodes, name, inputs, constants, outputs, opset=18, rtol=1e-5, atol=1e-6, functions=()):
    """Several nodes; inputs and constants by name, the outputs are called y0, y1..."""
    directory = os.path.join(folder, name)
    os.makedirs(directory, exist_ok=True)
    outputs = [np.asarray(y) for y in outputs]
    write_model(os.path.join(directory, "model.onnx"), nodes, opset,
                [(n, kind_of(x), x.shape) for n, x in inputs.items()],
                [numpy_helper.from_array(np.asarray(x), n) for n, x in constants.items()],
                [(f"y{i}", kind_of(y), y.shape) for i, y in enumerate(outputs)], functions)
    for kind, arrays in (("input", inputs.values()), ("output", outputs)):
        for i, array in enumerate(arrays):
            write_tensor(os.path.join(directory, f"{kind}_{i}"), np.ascontiguousarray(array).reshape(np.shape(array)), None)
    add_line(name, nodes[-1].op_type, rtol, atol)


def refused(name, op, types, because, opset=18, initializers=(), **attributes):
    """The conversion must fail and say `because`. `types` are the inputs' (element type, shape)."""
    nodes = [helper.make_node(op, [f"x{i}" for i in range(len(types))] + [t.name for t in initializers], ["y0"], "node", **attributes)]
    refused_model(name, nodes, {f"x{i}": one for i, one in enumerate(types)}, because, opset, initializers)


def refused_model(name, nodes, inputs, because, opset=18, initializers=()):
    directory = os.path.join(folder, name)
    os.makedirs(directory, exist_ok=True)
    write_model(os.path.join(directory, "model.onnx"), nodes, opset, [(n, *one) for n, one in inputs.items()], initializers,
                [("y0", 1, None)])
    add_line(name, nodes[-1].op_type, 0, 0, because)
