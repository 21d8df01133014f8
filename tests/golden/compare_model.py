# SPDX-License-Identifier: Apache-2.0
"""belay compare with a model as a side: against numpy's results, and against the dump of the same model fused."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BELAY = str(pathlib.Path(sys.argv.pop(1)).resolve())
AGREE, DIFFER, USAGE, BAD_INPUT = range(4)


class Model(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = pathlib.Path(work.name)
        random = np.random.default_rng(0)
        self.x = random.standard_normal((3, 8)).astype(np.float32)
        self.weights = random.standard_normal((8, 5)).astype(np.float32)
        nodes = [
            helper.make_node("MatMul", ["x", "w"], ["product"], name="fc/product"),
            helper.make_node("Add", ["product", "b"], ["sum"], name="fc/sum"),
            helper.make_node("Relu", ["sum"], ["positive"], name="relu"),
            helper.make_node("Softmax", ["positive"], ["y"], name="prob", axis=1),
        ]
        self.bias = np.arange(5, dtype=np.float32)
        weights = [numpy_helper.from_array(self.weights, "w"), numpy_helper.from_array(self.bias, "b")]
        graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 8])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 5])], weights)  # fmt: skip
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), self.work / "net.onnx")
        np.save(self.work / "x.npy", self.x)

    def belay(self, *arguments, code):
        run = subprocess.run([BELAY, *map(str, arguments)], capture_output=True, text=True, cwd=self.work)
        self.assertEqual(run.returncode, code, f"{arguments}\n{run.stdout}{run.stderr}")
        return run

    def numpy_results(self):
        product = self.x.astype(np.float64) @ self.weights
        total = product + self.bias
        positive = np.maximum(total, 0)
        power = np.exp(positive - positive.max(axis=1, keepdims=True))
        return {"fc_product": product, "fc_sum": total, "relu": positive, "prob": power / power.sum(axis=1, keepdims=True)}

    def test_every_operator_meets_numpys_result(self):
        folder = self.work / "numpy"
        folder.mkdir()
        for name, value in self.numpy_results().items():
            np.save(folder / f"{name}.0.1700000000123456.npy", value)
        made = json.loads(self.belay("compare", folder, "net.onnx", "--input", "x.npy", "--json", code=AGREE).stdout)
        self.assertEqual(sorted(row["ours"]["op"] for row in made["rows"]), sorted(self.numpy_results()))
        self.assertLess(max(row["measures"]["max_absolute"] for row in made["rows"]), 1e-4)
        wrong = self.numpy_results()["relu"]
        wrong[2, 3] += 1
        np.save(folder / "relu.0.1700000000123456.npy", wrong)
        said = self.belay("compare", folder, "net.onnx", "--input", "x.npy", code=DIFFER).stdout
        self.assertIn("differ in 1 of 4 tensors, first in relu output 0", said)
        self.assertIn("[2,3] is", said)

    def test_a_dump_of_the_fused_model_meets_the_unfused_one(self):
        (self.work / "dump").mkdir()
        (self.work / "acl.json").write_text(
            '{"dump":{"dump_path":"dump","dump_list":[{"model_name":"net"}],"dump_mode":"output"}}')
        self.belay("run", "net.onnx", "--input", "x.npy", "--dump", "acl.json", code=AGREE)
        made = json.loads(self.belay("compare", "dump", "net.onnx", "--input", "x.npy", "--json", code=AGREE).stdout)
        self.assertGreaterEqual(made["agree"], 2)
        self.assertIn("prob", [row["truth"]["op"] for row in made["rows"]])
        self.assertEqual([one["op_type"] for one in made["only_ours"]], ["Data"])  # the input itself
        np.save(self.work / "other.npy", self.x + 1)
        self.belay("compare", "dump", "net.onnx", "--input", "other.npy", code=DIFFER)

    def test_convolutions_meet_numpys_result(self):
        """Inside, their channels lie last."""
        rng = np.random.default_rng(4)
        x, w1 = rng.standard_normal((2, 3, 9, 8)).astype(np.float32), rng.standard_normal((16, 3, 3, 3)).astype(np.float32)
        w2 = rng.standard_normal((24, 16, 1, 1)).astype(np.float32)
        nodes = [helper.make_node("Conv", ["x", "w1"], ["c"], name="first", pads=[1, 1, 1, 1]),
                 helper.make_node("Relu", ["c"], ["r"], name="relu"),
                 helper.make_node("Conv", ["r", "w2"], ["y"], name="second")]  # fmt: skip
        graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, (2, 24, 9, 8))],
                                  [numpy_helper.from_array(w1, "w1"), numpy_helper.from_array(w2, "w2")])  # fmt: skip
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), self.work / "conv.onnx")
        np.save(self.work / "image.npy", x)
        padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
        first = sum(np.einsum("nchw,oc->nohw", padded[:, :, i : i + 9, j : j + 8], w1[:, :, i, j]) for i in range(3) for j in range(3))
        results = {"first": first, "relu": np.maximum(first, 0)}
        results["second"] = np.einsum("nchw,oc->nohw", results["relu"], w2[:, :, 0, 0])
        folder = self.work / "by_numpy"
        folder.mkdir()
        for name, value in results.items():
            np.save(folder / f"{name}.npy", value)
        made = json.loads(self.belay("compare", folder, "conv.onnx", "--input", "image.npy", "--json", code=AGREE).stdout)
        self.assertEqual(sorted(row["ours"]["op"] for row in made["rows"]), sorted(results))
        self.assertLess(max(row["measures"]["max_absolute"] for row in made["rows"]), 1e-3)

    def test_what_a_node_was_expanded_to_meets_the_dump_of_the_same_model(self):
        """Half of a Transpose's elements are wrong in the dump; the sentence says when a result was not looked at."""
        graph = helper.make_graph(
            [helper.make_node("Relu", ["x"], ["a"], name="relu"), helper.make_node("Transpose", ["a"], ["y"], name="turn", perm=[1, 0])],
            "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, (3, 8))], [helper.make_tensor_value_info("y", TensorProto.FLOAT, (8, 3))])  # fmt: skip
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), self.work / "turn.onnx")
        (self.work / "dump").mkdir()
        (self.work / "acl.json").write_text('{"dump":{"dump_path":"dump","dump_list":[{}],"dump_mode":"output"}}')
        self.belay("run", "turn.onnx", "--input", "x.npy", "--dump", "acl.json", code=AGREE)
        made = json.loads(self.belay("compare", "dump", "turn.onnx", "--input", "x.npy", "--json", code=AGREE).stdout)
        self.assertEqual({row["ours"]["op_type"] for row in made["rows"]}, {"Relu", "Transpose"})
        self.assertEqual(made["only_truth"], [])
        (file,) = (self.work / "dump").rglob("Transpose.*")
        content = bytearray(file.read_bytes())
        content[-48:] = content[-96:-48]
        file.write_bytes(content)
        said = self.belay("compare", "dump", "turn.onnx", "--input", "x.npy", code=DIFFER).stdout
        self.assertIn("differ in 1 of 2 tensors", said.splitlines()[0])
        file.unlink()
        said = self.belay("compare", "dump", "turn.onnx", "--input", "x.npy", code=AGREE).stdout.splitlines()[0]
        self.assertRegex(said, "agree in what both have: all 1 tensors are equal; 1 of dump has no partner; "
                               "1 of turn.onnx has no partner, among them the model's result, output 0 of .*turn")  # fmt: skip

    def test_two_models_get_the_same_inputs(self):
        self.assertIn("agree", self.belay("compare", "net.onnx", "net.onnx", code=AGREE).stdout)

    def test_mistakes(self):
        self.assertIn("--input must give", self.belay("compare", "none", "net.onnx", code=USAGE).stderr)
        self.assertIn("for a side that is a model", self.belay("compare", "a", "b", "--input", "x.npy", code=USAGE).stderr)
        (self.work / "bad.onnx").write_bytes(b"nothing")
        self.assertIn("bad.onnx", self.belay("compare", "x.npy", "bad.onnx", "--input", "x.npy", code=BAD_INPUT).stderr)


unittest.main()
