# SPDX-License-Identifier: Apache-2.0
"""Models loaded and executed by the destructor of a global object, against numpy.

usage: check_after_main.py ATC AFTER_MAIN DIRECTORY
"""
import pathlib
import subprocess
import sys
import unittest

import numpy as np

for alias in ("float", "int", "bool", "object"):  # names that onnx 1.12 still uses
    if not hasattr(np, alias):
        setattr(np, alias, getattr(__builtins__, alias))
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

ATC, PROGRAM, WORK = sys.argv.pop(1), sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
RANDOM = np.random.default_rng(5)


def save(path, shape):
    """Minus the exponential, as a row for each image, whose length the model computes."""
    nodes = [
        helper.make_node("Exp", ["x"], ["e"], "exp"),
        helper.make_node("Neg", ["e"], ["m"], "minus"),
        helper.make_node("Shape", ["x"], ["shape"], "shape"),
        helper.make_node("Gather", ["shape", "zero"], ["n"], "count"),
        helper.make_node("Concat", ["n", "rest"], ["wanted"], "wanted", axis=0),
        helper.make_node("Reshape", ["m", "wanted"], ["y"], "rows"),
    ]
    constants = [("zero", np.array([0], np.int64)), ("rest", np.array([-1], np.int64))]
    graph = helper.make_graph(
        nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [shape[0], None])],
        [numpy_helper.from_array(value, name) for name, value in constants])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))


def reference(x):
    return -np.exp(x.astype(np.float64)).reshape(x.shape[0], -1)


class AfterMain(unittest.TestCase):
    def check(self, model, shape):
        x = RANDOM.standard_normal(shape).astype(np.float32)
        x.tofile(WORK / "x.bin")
        (WORK / "y.bin").unlink(missing_ok=True)
        done = subprocess.run([PROGRAM, str(model), ",".join(map(str, shape)), str(WORK / "x.bin"), str(WORK / "y.bin")],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        both = np.fromfile(WORK / "y.bin", np.float32).reshape(2, shape[0], -1)
        for y in both:
            np.testing.assert_allclose(y, reference(x), rtol=1e-4, atol=1e-5)

    def converted(self, name, shape, *options):
        WORK.mkdir(parents=True, exist_ok=True)
        save(WORK / f"{name}.onnx", shape)
        done = subprocess.run([ATC, f"--model={WORK / name}.onnx", "--framework=5", f"--output={WORK / name}",
                               "--soc_version=Ascend910B3", *options], capture_output=True, text=True, cwd=WORK)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return next(WORK.glob(f"{name}*.om"))

    def test_static(self):
        self.check(self.converted("static", [1, 3, 8, 8]), (1, 3, 8, 8))

    def test_dynamic_with_a_shape_that_main_did_not_use(self):
        self.check(self.converted("dynamic", ["n", 3, "h", "w"], "--input_shape=x:-1,3,-1,-1"), (2, 3, 5, 7))

    def test_converted_while_it_is_loaded(self):
        WORK.mkdir(parents=True, exist_ok=True)
        save(WORK / "plain.onnx", [1, 3, 8, 8])
        self.check(WORK / "plain.onnx", (1, 3, 8, 8))


unittest.main()
