# SPDX-License-Identifier: Apache-2.0
"""belay blame on runs of one operator that strain its bounds: a faithful run is clean, a changed result is not.
Numpy's double precision tells what is faithful. Usage: test_innocent.py ATC BELAY [TEST...]"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
import read_dump  # noqa: E402

ATC, BELAY = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
CLEAN, GUILTY, USAGE, BAD_INPUT = range(4)
TYPES = {np.dtype(np.float32): onnx.TensorProto.FLOAT, np.dtype(np.int64): onnx.TensorProto.INT64}


class Runs(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory(prefix="belay-innocent-")
        self.addCleanup(made.cleanup)
        self.work = pathlib.Path(made.name)

    def command(self, *command):
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=self.work)

    def run_model(self, nodes, inputs, weights={}, half=False, mode="all"):
        """One run; the folder of its dump and the model that ran."""
        nodes = [helper.make_node(op, taken, made, name=f"n_{made[0]}", **attributes) for op, taken, made, attributes in nodes]
        made = [nodes[-1].output[0]]
        graph = helper.make_graph(
            nodes, "net", [helper.make_tensor_value_info(name, TYPES[value.dtype], value.shape) for name, value in inputs.items()],
            [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in made],
            [numpy_helper.from_array(value, name) for name, value in weights.items()])  # fmt: skip
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.work / "m.onnx")
        model = "m.onnx"
        if half:
            done = self.command(ATC, "--model=m.onnx", "--framework=5", "--output=h", "--soc_version=Ascend910B3",
                                "--precision_mode=force_fp16")  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            model = "h.om"
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        (self.work / "acl.json").write_text(json.dumps({"dump": {"dump_path": str(folder), "dump_list": [{}], "dump_mode": mode}}))
        given = []
        for name, value in inputs.items():
            np.save(self.work / f"{name}.npy", value)
            given += ["--input", f"{name}={self.work / name}.npy"]
        done = self.command(BELAY, "run", model, *given, "--dump", "acl.json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return folder, model

    def blame(self, folder, model, code, *more):
        done = self.command(BELAY, "blame", folder, "--model", model, "--all", *more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("not checkable", done.stdout)
        return done.stdout

    def output_of(self, folder, op):
        """The file of an operator, and its first output."""
        (file,) = [path for path in folder.rglob("*") if path.is_file() and op in path.name and "Cast" not in path.name]
        return file, read_dump.read(file).outputs[0].array()

    def change(self, folder, op, change):
        """Changes the first output; it lies behind the inputs, which may be the same."""
        file, array = self.output_of(folder, op)
        content, before, array = file.read_bytes(), array.tobytes(), array.copy()
        at = content.rindex(before)
        change(array)
        file.write_bytes(content[:at] + array.tobytes() + content[at + len(before) :])

    def check(self, nodes, inputs, wrong, weights={}, op="n_y", **more):
        """A run is clean, and guilty once its result is changed."""
        folder, model = self.run_model(nodes, inputs, weights, **more)
        self.blame(folder, model, CLEAN)
        self.change(folder, op, wrong)
        self.blame(folder, model, GUILTY)


def sets(value, at=0):
    def change(array):
        array.reshape(-1)[at] = value

    return change


class Softmax(Runs):
    def test_logarithms_of_large_equal_values_keep_that_of_their_number(self):
        for value in (1e12, -1e30, -3.4e38):
            x = np.full((1, 300), value, np.float32)
            folder, model = self.run_model([("LogSoftmax", ["x"], ["y"], {"axis": 1})], {"x": x})
            self.blame(folder, model, CLEAN)
            np.testing.assert_allclose(self.output_of(folder, "n_y")[1], np.full((1, 300), -np.log(300)), rtol=1e-6)
            self.change(folder, "n_y", lambda array: array.fill(0))
            self.blame(folder, model, GUILTY)


class Ranges(Runs):
    """Far out, where an argument is off by more than the function's whole range."""

    def test_a_result_outside_of_the_functions_range_is_guilty(self):
        far = np.full(8, 1e9, np.float32)
        for op, x, wrong in (("Sin", far, 50), ("Sin", far, -1.1), ("Cos", far, -60), ("HardSigmoid", far, 0.9),
                             ("HardSigmoid", -far, 0.1), ("HardSwish", far, 0), ("HardSwish", -far, -50)):  # fmt: skip
            with self.subTest(op, x=x[0], wrong=wrong):
                self.check([(op, ["x"], ["y"], {})], {"x": x}, sets(wrong))

    def test_in_half_precision_as_well(self):
        for op, value, wrong in (("Sin", 3000, 1.4), ("HardSigmoid", 60000, 0), ("HardSwish", 60000, 0)):
            with self.subTest(op):
                self.check([(op, ["x"], ["y"], {})], {"x": np.full(8, value, np.float32)}, sets(wrong), half=True)

    def test_near_its_ends_a_faithful_result_is_clean(self):
        x = np.concatenate([np.linspace(-3.001, -2.999, 50), np.linspace(2.999, 3.001, 50), np.linspace(-8, 8, 99)]).astype(np.float32)
        for op in ("HardSigmoid", "HardSwish", "Sin", "Cos"):
            with self.subTest(op):
                self.check([(op, ["x"], ["y"], {})], {"x": x}, sets(2, 120))

    def test_rounding_to_even_is_exact(self):
        x = np.array([0.5, 1.5, 2.5, -2.5, 2.4999998], np.float32)
        folder, model = self.run_model([("Round", ["x"], ["y"], {})], {"x": x})
        np.testing.assert_array_equal(self.output_of(folder, "n_y")[1], np.rint(x))
        self.check([("Round", ["x"], ["y"], {})], {"x": x}, sets(3, 2))


class Narrower(Runs):
    """Dumps of a model in half precision, held against its .onnx in single."""

    def test_a_weight_beyond_the_range_may_be_the_largest_number(self):
        mask = np.array([[0, 0, -1e9, -1e9]], np.float32)
        folder, _ = self.run_model([("Add", ["x", "mask"], ["a"], {}), ("Softmax", ["a"], ["y"], {})],
                                   {"x": np.ones((1, 4), np.float32)}, {"mask": mask}, half=True)  # fmt: skip
        said = self.blame(folder, "m.onnx", CLEAN)
        self.assertNotIn("mask", said)
        other = onnx.load(self.work / "m.onnx")
        other.graph.initializer[0].CopyFrom(numpy_helper.from_array(-mask, "mask"))
        onnx.save(other, self.work / "other.onnx")
        self.assertIn("mask", self.blame(folder, "other.onnx", GUILTY))

    def test_inputs_beyond_the_range_are_infinite_or_zero(self):
        random = np.random.default_rng(0)
        x = (random.random((1, 3, 8, 8)) * 255).astype(np.float32)
        x[0, 0, 2, 2] = 70000
        for nodes, x, weights, op in (
            ([("Conv", ["x", "w"], ["y"], {"pads": [1, 1, 1, 1]})], x, {"w": random.standard_normal((4, 3, 3, 3)).astype(np.float32)}, "Conv2D"),
            ([("LpNormalization", ["x"], ["y"], {"axis": 1, "p": 1})], (random.random((1, 8)) * 1e-9).astype(np.float32), {}, "RealDiv"),
        ):  # fmt: skip
            for mode in ("all", "output"):
                with self.subTest(op, mode=mode):
                    folder, _ = self.run_model(nodes, {"x": x}, weights, half=True, mode=mode)
                    self.blame(folder, "m.onnx", CLEAN, "--input", "x=x.npy")
                    self.change(folder, op, sets(33, -1))
                    self.blame(folder, "m.onnx", GUILTY, "--input", "x=x.npy")


class Recurrent(Runs):
    HIDDEN, INPUT, STEPS = 24, 16, 20

    def inputs(self, op, scale, seed, torch):
        random = np.random.default_rng(seed)
        gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op] * self.HIDDEN

        def weights(*shape):
            made = (random.random(shape) * 2 - 1) / self.HIDDEN**0.5 if torch else random.standard_normal(shape)
            return made.astype(np.float32)

        x = (random.standard_normal((self.STEPS, 3, self.INPUT)) * scale).astype(np.float32)
        return {"x": x}, {"w": weights(1, gates, self.INPUT), "r": weights(1, gates, self.HIDDEN), "b": weights(1, 2 * gates)}

    def test_saturated_gates_accuse_nobody(self):
        for op in ("LSTM", "GRU", "RNN"):
            for seed in range(8):
                with self.subTest(op, seed=seed):
                    inputs, weights = self.inputs(op, 30, seed, seed % 2)
                    node = (op, ["x", "w", "r", "b"], ["y", "yh"], {"hidden_size": self.HIDDEN})
                    self.blame(*self.run_model([node], inputs, weights), CLEAN)

    def test_what_is_wrong_there_is_found(self):
        def flip(array):
            bits = array.reshape(-1).view(np.uint32)
            bits[at] ^= 1 << 14

        for op in ("LSTM", "GRU"):
            inputs, weights = self.inputs(op, 30, 1, True)
            node = (op, ["x", "w", "r", "b"], ["y", "yh"], {"hidden_size": self.HIDDEN})
            folder, model = self.run_model([node], inputs, weights)
            at = int(np.argmax(np.abs(self.output_of(folder, "n_y")[1])))
            self.change(folder, "n_y", flip)
            self.blame(folder, model, GUILTY)


class Indices(Runs):
    def test_regions_of_every_image_are_checked(self):
        x = np.arange(2 * 36, dtype=np.float32).reshape(2, 1, 6, 6)
        self.check([("RoiAlign", ["x", "r", "b"], ["y"], {"output_height": 2, "output_width": 2})],
                   {"x": x, "r": np.array([[1, 1, 4, 4]], np.float32)}, sets(0), {"b": np.array([1])}, op="ROIAlign")  # fmt: skip


class Integers(Runs):
    def test_neighbours_beyond_the_doubles_are_told_apart(self):
        x = np.full(4, 2**60, np.int64)
        self.check([("Identity", ["x"], ["a"], {}), ("Abs", ["a"], ["b"], {}), ("Cast", ["b"], ["y"], {"to": onnx.TensorProto.FLOAT})],
                   {"x": x}, sets(2**60 + 1), op="n_b")  # fmt: skip


class Models(Runs):
    def test_a_model_of_which_nothing_can_be_checked_is_no_clean_run(self):
        folder, _ = self.run_model([("Relu", ["x"], ["y"], {})], {"x": np.ones((3, 8), np.float32)})
        weights = {"w": np.ones((8, 8, 3, 3), np.float32)}
        self.run_model([("Conv", ["x", "w"], ["y"], {})], {"x": np.ones((1, 8, 4, 4), np.float32)}, weights)
        done = self.command(BELAY, "blame", folder, "--model", "m.onnx")
        self.assertEqual(done.returncode, BAD_INPUT, done.stdout + done.stderr)
        self.assertIn("0 clean, 0 guilty", done.stdout)
        self.assertIn("is m.onnx the model that it came from?", done.stderr)


unittest.main()
