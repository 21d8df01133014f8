# SPDX-License-Identifier: Apache-2.0
"""Weights that come out of nodes against the same weights in the file, as numpy computes them: the same bits.

usage: check_constants.py ATC USER_PROGRAM DIRECTORY
"""
import pathlib
import subprocess
import sys
import unittest

import numpy as np

for alias, kind in (("float", float), ("int", int), ("bool", bool), ("object", object)):  # onnx 1.12 uses them
    setattr(np, alias, kind)
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

ATC, PROGRAM, WORK = sys.argv.pop(1), sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
C = 640  # a 1 x 1 filter of 1.6 MiB: more than atc computes into the file
random = np.random.default_rng(3)


class Weights:
    """Nodes that compute weights, and what they compute."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, value):
        self.constants.append(numpy_helper.from_array(np.asarray(value), f"k{len(self.constants)}"))
        return self.constants[-1].name

    def op(self, kind, *inputs, **attributes):
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name, **attributes))
        return name

    def filled(self):
        value = helper.make_tensor("value", TensorProto.FLOAT, [1], [0.01])
        return (self.op("ConstantOfShape", self.constant(np.array([C, C, 1, 1], np.int64)), value=value),
                np.full((C, C, 1, 1), 0.01, np.float32))

    def expanded(self):
        column = random.standard_normal((C, 1, 1, 1)).astype(np.float32)
        shape = self.constant(np.array([C, C, 1, 1], np.int64))
        return self.op("Expand", self.constant(column), shape), np.broadcast_to(column, (C, C, 1, 1))

    def turned(self):
        name, value = self.expanded()
        return self.op("Transpose", name, perm=[1, 0, 2, 3]), value.transpose(1, 0, 2, 3)

    def dequantized(self):
        q = random.integers(-127, 128, (C, C, 1, 1)).astype(np.int8)
        scale = np.float32(0.003)
        return self.op("DequantizeLinear", self.constant(q), self.constant(scale)), q.astype(np.float32) * scale

    def widened(self):
        h = random.standard_normal((C // 4, C, 1, 1)).astype(np.float16)
        wide = self.op("Cast", self.constant(h), to=TensorProto.FLOAT)
        return self.op("Concat", wide, wide, wide, wide, axis=0), np.concatenate([h.astype(np.float32)] * 4)

    def shaped_sum(self):
        row = random.standard_normal(C).astype(np.float32)
        name, value = self.filled()
        total = self.op("Add", self.op("Reshape", name, self.constant(np.array([C, C], np.int64))), self.constant(row))
        return self.op("Reshape", total, self.constant(np.array([C, C, 1, 1], np.int64))), \
            (value.reshape(C, C) + row).reshape(C, C, 1, 1)


def save(path, weight, in_file, norm):
    """relu(norm(conv(x))): the filter out of nodes, or in the file."""
    made = Weights()
    name, computed = weight(made)
    if in_file:
        made.nodes, made.constants = [], []
        name = made.constant(np.ascontiguousarray(computed))
    made.nodes.append(helper.make_node("Conv", ["x", name], ["c"], "conv"))
    if norm:
        # factor 2 / sqrt(4): folding is exact
        parameters = [made.constant(np.full(C, value, np.float32)) for value in (2, 1, 0, 4)]
        made.nodes.append(helper.make_node("BatchNormalization", ["c", *parameters], ["b"], "norm", epsilon=0.0))
    made.nodes.append(helper.make_node("Relu", ["b" if norm else "c"], ["y"], "relu"))
    graph = helper.make_graph(made.nodes, "net", [helper.make_tensor_value_info("x", 1, [1, C, 3, 5])],
                              [helper.make_tensor_value_info("y", 1, None)], made.constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))


class Constants(unittest.TestCase):
    def setUp(self):
        WORK.mkdir(parents=True, exist_ok=True)

    def run_model(self, name, x):
        done = subprocess.run([ATC, f"--model={WORK / name}.onnx", "--framework=5", f"--output={WORK / name}",
                               "--soc_version=Ascend910B3"], capture_output=True, text=True, cwd=WORK)
        self.assertEqual(done.returncode, 0, done.stdout)
        x.tofile(WORK / "x.bin")
        om, y = WORK / f"{name}.om", WORK / "y.bin"
        done = subprocess.run([PROGRAM, str(om), "static", str(y), "--", str(WORK / "x.bin")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return np.fromfile(y, np.float32), om.stat().st_size

    def check(self, weight, smaller=True):
        global random
        x = np.random.default_rng(5).standard_normal((1, C, 3, 5)).astype(np.float32)
        for norm in (False, True):
            results = []
            for in_file in (False, True):
                random = np.random.default_rng(3)
                save(WORK / "net.onnx", weight, in_file, norm)
                results.append(self.run_model("net", x))
            (computed, size), (stored, size_with_weights) = results
            self.assertEqual(computed.tobytes(), stored.tobytes(), f"{weight.__name__}, norm: {norm}")
            self.assertGreater(np.abs(computed).max(), 0)
            if smaller:
                self.assertLess(size, size_with_weights)


def add(name, smaller=True):
    setattr(Constants, f"test_{name}", lambda self: self.check(getattr(Weights, name), smaller))


for kind in ("filled", "expanded", "turned", "dequantized", "shaped_sum"):
    add(kind)
add("widened", smaller=False)  # twice as large as its halves: atc computes it into the file

if __name__ == "__main__":
    unittest.main()
