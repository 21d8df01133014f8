# SPDX-License-Identifier: Apache-2.0
"""Writes softmax.onnx, a softmax in half precision that forgets to subtract the maximum, and an input for which that is
too much (x.npy). `belay overflow` names the operator and the number; needs python3-onnx."""
import numpy as np

for name, kind in (("float", float), ("int", int), ("bool", bool), ("object", object)):  # for onnx 1.12
    setattr(np, name, kind)
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

nodes = [helper.make_node("Mul", ["x", "three"], ["scaled"], "scale"),
         helper.make_node("Exp", ["scaled"], ["powers"], "exp"),
         helper.make_node("ReduceSum", ["powers", "last"], ["sum"], "sum"),
         helper.make_node("Div", ["powers", "sum"], ["y"], "div")]  # fmt: skip
x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT16, [2, 4]) for name in "xy")
constants = [numpy_helper.from_array(np.float16(3), "three"), numpy_helper.from_array(np.int64([-1]), "last")]
graph = helper.make_graph(nodes, "softmax", [x], [y], constants)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), "softmax.onnx")
np.save("x.npy", np.float16([[1, 2, 3, 0], [2, 4, 1, 3]]))
