# SPDX-License-Identifier: Apache-2.0
"""A small network on processors that this machine is not, played by qemu-user, against float64.

usage: check_older_processors.py ATC BELAY DIRECTORY
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import numpy as np

ATC, BELAY, WORK = sys.argv.pop(1), sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
for alias, kind in (("float", float), ("int", int), ("bool", bool), ("object", object)):  # onnx 1.12 uses them
    if alias not in np.__dict__:
        setattr(np, alias, kind)
import onnx  # noqa: E402
from evaluate import evaluate  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

RANDOM = np.random.default_rng(3)
SHAPE = [1, 3, 40, 44]


def network():
    """The kinds of kernels that have vector code: convolutions 3 x 3, depthwise and 1 x 1, sums, activations, pooling, products."""
    weights, nodes = [], []

    def weight(name, *shape):
        value = (RANDOM.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32)
        weights.append(numpy_helper.from_array(value, name))
        return name

    def node(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))

    node("Conv", ["x", weight("w1", 24, 3, 3, 3)], "a", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    node("Relu", ["a"], "b")
    node("Conv", ["b", weight("w2", 40, 24, 3, 3)], "c", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    node("Sigmoid", ["c"], "s")
    node("Mul", ["c", "s"], "d")
    node("Conv", ["d", weight("w3", 40, 1, 3, 3)], "e", kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=40)
    node("Conv", ["e", weight("w4", 40, 40, 1, 1), weight("b4", 40)], "f", kernel_shape=[1, 1])
    node("Add", ["f", "d"], "g")
    node("MaxPool", ["g"], "h", kernel_shape=[2, 2], strides=[2, 2])
    node("GlobalAveragePool", ["h"], "i")
    node("Flatten", ["i"], "j")
    node("Gemm", ["j", weight("w5", 50, 40), weight("b5", 50)], "k", transB=1)
    node("Softmax", ["k"], "y", axis=-1)
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 50]),
                               helper.make_tensor_value_info("h", TensorProto.FLOAT, [1, 40, 10, 11])], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


class OlderProcessors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("qemu-x86_64"):
            raise AssertionError("there is no qemu-x86_64: run scripts/install-deps --slow")
        WORK.mkdir(parents=True, exist_ok=True)
        cls.model, cls.x = network(), RANDOM.standard_normal(SHAPE).astype(np.float32)
        onnx.save(cls.model, str(WORK / "net.onnx"))
        np.save(WORK / "x.npy", cls.x)
        subprocess.run([ATC, "--model=net.onnx", "--framework=5", "--output=net", "--soc_version=Ascend910B3"], check=True, cwd=WORK,
                       capture_output=True)

    def belay(self, processor, *arguments):
        done = subprocess.run(["qemu-x86_64", "-cpu", processor, BELAY, *arguments], cwd=WORK, capture_output=True, text=True,
                              env={**os.environ, "BELAY_CACHE": "off"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def check(self, processor, vectors):
        self.assertIn(json.loads(self.belay(processor, "info", "--json"))["vectors"], vectors)
        output = WORK / processor
        self.belay(processor, "run", "net.om", "--input=x.npy", f"--output={output}", "--threads=2")
        wanted = evaluate(self.model, {"x": self.x})
        for i, each in enumerate(wanted):
            got = np.load(output / f"output_{i}.npy")
            self.assertEqual(got.shape, each.shape)
            self.assertLess(np.abs(got - each).max(), 1e-5 * np.abs(each).max(), f"output {i}")

    def test_with_avx2_and_no_avx512(self):
        self.check("max", ["AVX2"])

    def test_without_avx(self):
        self.check("qemu64", ["SSE2", "EMU128", "SCALAR"])


if __name__ == "__main__":
    unittest.main()
