# SPDX-License-Identifier: Apache-2.0
"""Writes the small models of the examples; needs python3-onnx. Belay loads an .onnx file where an .om is expected."""
import warnings

import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for name, kind in (("float", float), ("int", int), ("bool", bool), ("object", object)):  # for onnx 1.12
        if not hasattr(np, name):
            setattr(np, name, kind)
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402


def write(path, rows):
    """y = softmax(relu(x w + b)) for `rows` rows of 8 numbers; any number of rows if it is a name."""
    random = np.random.default_rng(1)
    w = random.standard_normal((8, 4)).astype(np.float32)
    b = random.standard_normal(4).astype(np.float32)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["product"], "matmul"),
             helper.make_node("Add", ["product", "b"], ["sum"], "add"),
             helper.make_node("Relu", ["sum"], ["positive"], "relu"),
             helper.make_node("Softmax", ["positive"], ["y"], "softmax", axis=1)]
    graph = helper.make_graph(nodes, "small", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, 4])],
                              [numpy_helper.from_array(w, "w"), numpy_helper.from_array(b, "b")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))
    return str(path)
