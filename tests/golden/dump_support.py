# SPDX-License-Identifier: Apache-2.0
"""What the tests of dumps have in common: small models, the program that is driven, the directory of one test."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

for alias, kind in (("float", float), ("int", int), ("bool", bool), ("object", object)):  # onnx 1.12 uses them
    if not hasattr(np, alias):
        setattr(np, alias, kind)
import onnx  # noqa: E402
import read_dump  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

F = TensorProto.FLOAT
X = np.float32([1, 2, 3, 4]).reshape(1, 1, 2, 2)


def model(nodes, inputs, outputs, weights=(), name="graph"):
    """The bytes of an ONNX model; inputs and outputs are (name, type, shape)."""
    graph = helper.make_graph(
        nodes, name, [helper.make_tensor_value_info(*i) for i in inputs],
        [helper.make_tensor_value_info(*o) for o in outputs],
        [numpy_helper.from_array(value, key) for key, value in dict(weights).items()])  # fmt: skip
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return made.SerializeToString()


def tiny(weight=2.0, conv="conv1", relu="conv1_relu", softmax="prob"):
    """x -> Conv + Relu (one operator after fusion) -> Softmax: the documented example."""
    return model(
        [helper.make_node("Conv", ["x", "w"], ["c"], conv), helper.make_node("Relu", ["c"], ["r"], relu),
         helper.make_node("Softmax", ["r"], ["y"], softmax, axis=-1)],
        [("x", F, [1, 1, 2, 2])], [("y", F, [1, 1, 2, 2])], {"w": np.float32(weight).reshape(1, 1, 1, 1)})  # fmt: skip


def tiny_conv(weight=2.0, x=X):
    return x * np.float32(weight)


def softmax(values):
    e = np.exp(values - values.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class DumpTest(unittest.TestCase):
    """Each test has a directory: models in it, dumps below d/."""

    def setUp(self):
        made = tempfile.TemporaryDirectory(prefix="belay-dump-")
        self.addCleanup(made.cleanup)
        self.work = pathlib.Path(made.name)
        (self.work / "d").mkdir()
        self.write("tiny.onnx", tiny())
        self.write("x.bin", X.tobytes())

    def write(self, name, content):
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def config(self, name="acl.json", path="d", **items):
        """An acl.json with this dump section; dump_path is below the test's directory unless it is absolute."""
        section = {"dump_path": str(self.work / path)} if path is not None else {}
        section.update(items)
        return str(self.write(name, json.dumps({"dump": section})))

    def drive(self, *calls, environment=None, code=0):
        """Runs the driver with the test's directory as its own; what it printed."""
        variables = {"ASCEND_GLOBAL_LOG_LEVEL": "3", "ASCEND_SLOG_PRINT_TO_STDOUT": "1", **(environment or {})}
        done = subprocess.run([DRIVER, *map(str, calls)], cwd=self.work, capture_output=True, text=True, timeout=250,
                              env={**os.environ, **variables})  # fmt: skip
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def run_tiny(self, config, *, model="tiny.onnx", runs=1):
        """The usual program: configuration by aclmdlSetDump, one model."""
        return self.drive("init", "initdump", f"setdump={config}", f"input={self.work}/x.bin", f"load={model}",
                          f"run={runs}", "finalizedump", "unload", "finalize")  # fmt: skip

    def convert(self, name):
        """name.onnx as name.om."""
        subprocess.run([ATC, f"--model={name}.onnx", "--framework=5", f"--output={name}", "--soc_version=Ascend910B3"],
                       cwd=self.work, check=True, capture_output=True)  # fmt: skip

    def entries(self, path="d"):
        return read_dump.tree(self.work / path)

    def names(self, path="d"):
        """(type, name) of each file, in the order of time."""
        return [(entry.op_type, entry.op_name) for entry in self.entries(path)]

    def files(self, path="d"):
        return sorted(str(p.relative_to(self.work / path)) for p in (self.work / path).rglob("*") if not p.is_dir())

    def chunks(self, output):
        """Chunks that the driver's callback printed: (fileName, bufLen, isLastChunk, offset, flag, len)."""
        found = []
        for line in output.splitlines():
            if line.startswith("chunk "):
                name, *numbers = line[len("chunk "):].rsplit(" ", 5)  # fmt: skip
                found.append((name, *map(int, numbers)))
        return found


DRIVER = ATC = None
BOTH = [("Conv2D", "conv1conv1_relu"), ("Data", "x"), ("SoftmaxV2", "prob")]


def main():
    """Usage: dump_*.py DRIVER ATC [TEST...]"""
    global DRIVER, ATC
    DRIVER, ATC = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main(module="__main__")
