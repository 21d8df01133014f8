# SPDX-License-Identifier: Apache-2.0
"""Models through atc and a user's C program, against numpy: static, with batch gears, with dynamic shapes.

usage: check_models.py ATC USER_PROGRAM DIRECTORY
"""
import hashlib
import pathlib
import subprocess
import sys
import unittest

import numpy as np

for name in ("float", "int", "bool", "object"):  # aliases that onnx 1.12 still uses
    if not hasattr(np, name):
        setattr(np, name, getattr(__builtins__, name))
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

ATC, PROGRAM, WORK = sys.argv.pop(1), sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
RANDOM = np.random.default_rng(1)


def conv2d(x, w, b):
    """3x3, padding 1, by definition."""
    n, c, height, width = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    y = np.zeros((n, w.shape[0], height, width))
    for i in range(3):
        for j in range(3):
            y += np.einsum("nchw,oc->nohw", padded[:, :, i:i + height, j:j + width], w[:, :, i, j])
    return y + b.reshape(1, -1, 1, 1)


class Network:
    """Conv - Relu - GlobalAveragePool - Flatten - Gemm - Softmax."""

    def __init__(self):
        self.w = RANDOM.standard_normal((8, 3, 3, 3)).astype(np.float32)
        self.b = RANDOM.standard_normal(8).astype(np.float32)
        self.fc = RANDOM.standard_normal((8, 5)).astype(np.float32)
        self.bias = RANDOM.standard_normal(5).astype(np.float32)

    def save(self, path, shape):
        nodes = [
            helper.make_node("Conv", ["x", "w", "b"], ["c"], "conv", pads=[1, 1, 1, 1], kernel_shape=[3, 3]),
            helper.make_node("Relu", ["c"], ["r"], "relu"),
            helper.make_node("GlobalAveragePool", ["r"], ["p"], "pool"),
            helper.make_node("Flatten", ["p"], ["f"], "flatten", axis=1),
            helper.make_node("Gemm", ["f", "fc", "bias"], ["g"], "gemm"),
            helper.make_node("Softmax", ["g"], ["y"], "softmax", axis=1),
        ]
        weights = [numpy_helper.from_array(getattr(self, name), name) for name in ("w", "b", "fc", "bias")]
        graph = helper.make_graph(
            nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [shape[0], 5])], weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))

    def reference(self, x):
        c = np.maximum(conv2d(x.astype(np.float64), self.w, self.b), 0)
        g = c.mean(axis=(2, 3)) @ self.fc + self.bias
        e = np.exp(g - g.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)


def convert(onnx_path, output, *options):
    command = [ATC, f"--model={onnx_path}", "--framework=5", f"--output={output}", "--soc_version=Ascend910B3", *options]
    return subprocess.run(command, capture_output=True, text=True, cwd=WORK)


def execute(model, mode, x, *value):
    x.tofile(WORK / "x.bin")
    command = [PROGRAM, str(model), mode, *value, str(WORK / "y.bin"), "--", str(WORK / "x.bin")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return np.fromfile(WORK / "y.bin", np.float32), done.stdout.split()


class Models(unittest.TestCase):
    def setUp(self):
        WORK.mkdir(parents=True, exist_ok=True)
        self.net = Network()

    def check(self, y, x):
        np.testing.assert_allclose(y.reshape(x.shape[0], 5), self.net.reference(x), rtol=1e-4, atol=1e-6)

    def convert(self, shape, name, *options):
        self.net.save(WORK / f"{name}.onnx", shape)
        done = convert(WORK / f"{name}.onnx", WORK / name, *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = sorted(WORK.glob(f"{name}*.om"))
        self.assertEqual(len(found), 1, found)
        self.assertIn("ATC run success", done.stdout)
        return found[0]

    def test_static(self):
        model = self.convert([2, 3, 8, 8], "static")
        x = RANDOM.standard_normal((2, 3, 8, 8)).astype(np.float32)
        y, names = execute(model, "static", x)
        self.check(y, x)
        self.assertEqual(names, ["softmax:0:y"])

    def test_plain_onnx_is_loaded_too(self):
        self.net.save(WORK / "plain.onnx", [1, 3, 8, 8])
        x = RANDOM.standard_normal((1, 3, 8, 8)).astype(np.float32)
        self.check(execute(WORK / "plain.onnx", "static", x)[0], x)

    def test_batch_gears(self):
        model = self.convert(["n", 3, 8, 8], "gears", "--input_shape=x:-1,3,8,8", "--dynamic_batch_size=1,2,4")
        for batch in (1, 4, 2):
            x = RANDOM.standard_normal((batch, 3, 8, 8)).astype(np.float32)
            self.check(execute(model, "batch", x, str(batch))[0], x)

    def test_batch_that_is_no_gear_is_refused_by_name(self):
        model = self.convert(["n", 3, 8, 8], "refuse", "--input_shape=x:-1,3,8,8", "--dynamic_batch_size=1,2,4")
        with self.assertRaisesRegex(AssertionError, "145013[\\s\\S]*1; 2; 4"):
            execute(model, "batch", np.zeros((4, 3, 8, 8), np.float32), "3")

    def test_dynamic_shapes(self):
        model = self.convert(["n", 3, "h", "w"], "dynamic", "--input_shape=x:-1,3,-1,-1")
        for shape in ((1, 3, 8, 8), (2, 3, 5, 7), (1, 3, 8, 8)):
            x = RANDOM.standard_normal(shape).astype(np.float32)
            self.check(execute(model, "shape", x, ",".join(map(str, shape)))[0], x)

    def test_fp16(self):
        model = self.convert([2, 3, 8, 8], "half", "--precision_mode=force_fp16")
        x = RANDOM.standard_normal((2, 3, 8, 8)).astype(np.float32)
        y, _ = execute(model, "static", x)
        np.testing.assert_allclose(y.reshape(2, 5), self.net.reference(x), rtol=2e-2, atol=2e-3)

    def test_weights_in_files_of_their_own(self):
        x = RANDOM.standard_normal((2, 3, 8, 8)).astype(np.float32)
        for value, pattern in (("1", "weight_*"), ("2", "outside2_weight_combined")):
            model = self.convert([2, 3, 8, 8], f"outside{value}", f"--external_weight={value}")
            self.assertNotIn(self.net.fc.tobytes(), model.read_bytes())
            files = list((WORK / "weight").glob(pattern))
            self.assertTrue(any(self.net.fc.tobytes() in file.read_bytes() for file in files))
            for file in (WORK / "weight").glob("weight_*"):
                self.assertEqual(file.name, "weight_" + hashlib.sha256(file.read_bytes()).hexdigest())
            self.check(execute(model, "static", x)[0], x)
            for file in files:
                file.unlink()
            with self.assertRaisesRegex(AssertionError, "545003"):
                execute(model, "static", x)

    def test_same_bits_every_time(self):
        model = self.convert([2, 3, 8, 8], "bits")
        x = RANDOM.standard_normal((2, 3, 8, 8)).astype(np.float32)
        first = execute(model, "static", x)[0].tobytes()
        for _ in range(5):
            self.assertEqual(execute(model, "static", x)[0].tobytes(), first)


if __name__ == "__main__":
    unittest.main()
