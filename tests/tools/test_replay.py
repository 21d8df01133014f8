#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""belay replay: test_replay.py BELAY ATC LIBRARY_DIR INCLUDE_DIR PYTHON_MODULE_DIR.

Oracles: numpy for what an operator gives, the bits that were dumped, the fault that was planted."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BELAY, ATC, LIBRARY, INCLUDE, MODULE = sys.argv[1:6]
del sys.argv[1:6]
ENVIRONMENT = os.environ | {"ASCEND_GLOBAL_LOG_LEVEL": "4", "BELAY_CACHE": "off"}
random = np.random.default_rng(5)
WEIGHT = random.standard_normal((8, 4, 3, 3)).astype(np.float32)
MATRIX = random.standard_normal((72, 6)).astype(np.float32)
X = random.standard_normal((2, 4, 6, 6)).astype(np.float32)


def network():
    """conv + relu (fused), pool, a view, gemm, softmax with an attribute, a split with two outputs."""
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], "conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"], "relu"),
        helper.make_node("MaxPool", ["r"], ["p"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["p"], ["f"], "flatten", axis=1),
        helper.make_node("MatMul", ["f", "m"], ["g"], "product"),
        helper.make_node("Softmax", ["g"], ["s"], "softmax", axis=0),
        helper.make_node("Mul", ["s", "s"], ["q"], "square"),
        helper.make_node("Split", ["q"], ["y", "z"], "split", axis=1),
    ]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "net", [info("x", TensorProto.FLOAT, [2, 4, 6, 6])],
        [info("y", TensorProto.FLOAT, [2, 3]), info("z", TensorProto.FLOAT, [2, 3])],
        [numpy_helper.from_array(WEIGHT, "w"), numpy_helper.from_array(MATRIX, "m")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])


def run(*command, code=0, folder=None, **variables):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=ENVIRONMENT | variables,
                          cwd=folder)
    if done.returncode != code:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


class Replay(unittest.TestCase):
    compiled = {}  # by their text: the programs of all capsules are the same

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.top = pathlib.Path(cls.folder.name)
        onnx.save(network(), cls.top / "net.onnx")
        np.save(cls.top / "x.npy", X)
        run(ATC, f"--model={cls.top}/net.onnx", "--framework=5", f"--output={cls.top}/net", "--soc_version=Ascend910B3",
            folder=cls.top)
        for name, mode, fault in (("all", "all", ""), ("outputs", "output", ""), ("faulty", "all", "bitflip@conv:26")):
            cls.dump(name, mode, fault)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def dump(cls, name, mode, fault=""):
        (cls.top / name).mkdir()
        config = {"dump": {"dump_path": str(cls.top / name), "dump_list": [{"model_name": "net"}], "dump_mode": mode}}
        (cls.top / f"{name}.json").write_text(json.dumps(config))
        variables = {"BELAY_FAULT": fault} if fault else {}
        run(BELAY, "run", cls.top / "net.om", "--input", cls.top / "x.npy", "--dump", cls.top / f"{name}.json", **variables)

    def replay(self, dump, op, *more, code=0, model="net.om", **variables):
        given = ["--model", self.top / model] if model else []
        return run(BELAY, "replay", self.top / dump, "--op", op, *given, *more, code=code, **variables)

    def report(self, *arguments, **keywords):
        return json.loads(self.replay(*arguments, "--json", **keywords).stdout)

    def operators(self, dump):
        names = {path.name.split(".")[1] for path in (self.top / dump).rglob("*") if path.is_file()}
        return sorted(names - {"x"})

    def test_every_operator_gives_the_bits_that_were_dumped(self):
        names = self.operators("all")
        self.assertGreaterEqual(len(names), 5, names)
        for dump in ("all", "outputs"):
            for model in ("net.om", "net.onnx"):
                for name in names:
                    report = self.report(dump, name, "--input", self.top / "x.npy", model=model)
                    for output in report["outputs"]:
                        self.assertEqual(output["unequal"], 0, (dump, name, output))
                        if "not_recomputed" not in report:
                            self.assertEqual(output["replayed"]["outside"], 0, (dump, name, output))

    def test_an_operator_is_found_by_the_name_of_one_that_was_fused_into_it(self):
        for name in ("conv", "relu"):
            report = self.report("all", name)
            self.assertEqual(report["operator"], "convrelu")
            self.assertEqual([i["shape"] for i in report["inputs"]], [[2, 4, 6, 6], [8, 4, 3, 3]])

    def test_an_input_of_the_model_that_was_not_dumped_is_asked_for(self):
        self.assertIn("input 0 of convrelu is the model's input x, which is not in the dump; give it (--input x=FILE)",
                      self.replay("outputs", "conv", code=3).stderr)

    def test_text(self):
        told = self.replay("outputs", "product").stdout
        self.assertRegex(told, r"BatchMatMulV2 product of .*/BatchMatMulV2\.product\.[\d.]+\n"
                               r"  inputs \[2,72\], \[72,6\]; 1 from the outputs of producers; 1 from the model\n"
                               r"  output 0 DT_FLOAT \[2,6\]: the same bits as dumped\n"
                               r"    dumped: 0 of 12 elements are farther from the recomputation in double than allowed")

    def test_a_planted_fault_is_seen(self):
        """Bit 7 of byte 26, or another one of it: element 6 of the first row."""
        report = self.report("faulty", "conv", code=1)
        output = report["outputs"][0]
        self.assertEqual((output["unequal"], output["worst"]), (1, "[0,0,1,0]"))
        self.assertEqual(output["dumped"]["outside"], 1)
        self.assertEqual(output["replayed"]["outside"], 0)
        # What comes out is the convolution, whatever was dumped.
        padded = np.pad(X, ((0, 0), (0, 0), (1, 1), (1, 1))).astype(np.float64)
        wanted = max(0.0, float((padded[0, :, 1:4, 0:3] * WEIGHT[0]).sum()))
        self.assertAlmostEqual(output["replayed_value"], wanted, places=5)

    def test_without_a_model(self):
        self.assertEqual(self.report("all", "square", model=None)["outputs"][0]["unequal"], 0)
        self.assertIn('needs its attribute "ksize", which the dump does not have: give the model (--model)',
                      self.replay("all", "pool", model=None, code=3).stderr)
        self.assertIn('has no inputs: dump with "dump_mode":"all", or give the model',
                      self.replay("outputs", "square", model=None, code=3).stderr)

    def capsule(self, *arguments, **keywords):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.top))
        told = self.replay(*arguments, "-o", folder, **keywords)
        return folder, told

    def programs(self, folder, code=0, model=(), **variables):
        """What the programs of a capsule print, which must be the same."""
        source = (folder / "replay.cpp").read_bytes()
        if source not in self.compiled:
            run("g++", "-std=c++11", "-O1", "-Wall", "-Werror", "replay.cpp", f"-I{INCLUDE}", f"-L{LIBRARY}", "-lascendcl",
                "-o", "replay", folder=folder)
            self.compiled[source] = folder / "replay"
        elif not (folder / "replay").exists():
            shutil.copy(self.compiled[source], folder / "replay")
        paths = {"LD_LIBRARY_PATH": LIBRARY, "PYTHONPATH": MODULE}
        compiled = run("./replay", *model, folder=folder, code=code, **paths, **variables)
        python = run(sys.executable, "-B", "replay.py", *model, folder=folder, code=code, **paths, **variables)
        self.assertEqual(compiled.stdout, python.stdout)
        return compiled.stdout

    def test_capsules_compile_and_reproduce(self):
        for op, code in (("convrelu", 0), ("split", 0), ("softmax", 0)):
            folder, _ = self.capsule("all", op, model="net.onnx")
            self.assertIn("it is as it must be", self.programs(folder, code))
            self.assertIn("single.onnx has", (folder / "README.md").read_text().replace("`", ""))
            run(ATC, "--model=single.onnx", "--framework=5", "--output=npu", "--soc_version=Ascend910B3",
                "--precision_mode=must_keep_origin_dtype", folder=folder)
            told = self.programs(folder, code, model=["npu.om"])
            self.assertNotRegex(told, r"output \d: [1-9]\d* of \d+ elements are farther")
            onnx.checker.check_model(str(folder / "single.onnx"))
            np.testing.assert_array_equal(np.load(folder / "input_0.npy").ravel(),
                                          np.fromfile(folder / "input_0.bin", np.float32))
            if op != "softmax":  # what may be off there is not known
                self.assertEqual(np.load(folder / "expected_0.npy").dtype, np.float64)

    def test_a_capsule_of_what_was_wrong_says_so(self):
        folder, _ = self.capsule("faulty", "conv", code=1)
        told = self.programs(folder)  # right here: the dump is what is wrong
        self.assertRegex(told, r"output 0: 575 of 576 elements have the bits of the dumped ones; worst at \[0,0,1,0\]")
        self.assertIn("the model was not given as .onnx", (folder / "README.md").read_text())
        self.assertIn("it is not as it must be", self.programs(folder, code=1, BELAY_FAULT="bitflip@convrelu:26"))

    def test_a_planted_fault_shrinks(self):
        fault = {"BELAY_FAULT": "bitflip@conv:3"}
        folder, told = self.capsule("faulty", "conv", "--shrink", code=1, **fault)
        given = np.load(folder / "input_0.npy")
        self.assertLessEqual(given.size, 9, given)  # of 288
        self.assertLessEqual(np.count_nonzero(given), 1)
        self.assertRegex(told.stdout, r"shrunk in \d+ tries")
        self.assertIn("it is not as it must be", self.programs(folder, code=1, **fault))
        self.assertIn("it is as it must be", self.programs(folder))

    def test_what_is_not_wrong_does_not_shrink(self):
        self.assertIn("nothing is wrong with what comes out here",
                      self.replay("all", "square", "--shrink", code=3).stderr)

    def test_refusals(self):
        self.assertIn("the model has no operator convv; the closest names are conv",
                      self.replay("all", "convv", code=3).stderr)
        self.assertIn("has no dump of an operator squar; the closest names are square",
                      self.replay("all", "squar", code=3, model=None).stderr)
        self.assertIn("belay replay: ", self.replay("nowhere", "conv", code=3).stderr)
        self.assertIn("--op is required", self.run_plain("replay", self.top / "all", code=2))
        self.assertIn("belay replay: ", self.replay("all", "conv", code=3, model="x.npy").stderr)

    def run_plain(self, *arguments, code):
        return run(BELAY, *arguments, code=code).stderr

    def test_damaged_files_are_said_to_be(self):
        broken = self.top / "broken"
        shutil.copytree(self.top / "all", broken)
        victim = next(path for path in broken.rglob("*.product.*"))
        whole = victim.read_bytes()
        for size in (0, 7, 30, len(whole) // 2, len(whole) - 1):
            victim.write_bytes(whole[:size])
            told = self.replay("broken", "product", code=3).stderr
            self.assertRegex(told, r"^belay replay: .*product.*", size)
        victim.write_bytes(random.bytes(len(whole)))
        self.assertRegex(self.replay("broken", "product", code=3).stderr, r"^belay replay: ")

    def test_a_dump_of_another_model_is_refused(self):
        other = network()
        other.graph.initializer[1].CopyFrom(numpy_helper.from_array(MATRIX[:, :5], "m"))
        del other.graph.output[:]
        other.graph.output.append(helper.make_tensor_value_info("g", TensorProto.FLOAT, [2, 5]))
        del other.graph.node[5:]
        onnx.save(other, self.top / "other.onnx")
        self.assertIn("they do not belong together", self.replay("all", "product", model="other.onnx", code=3).stderr)

    def test_statistics_are_not_enough(self):
        (self.top / "csv").mkdir(exist_ok=True)
        config = {"dump": {"dump_path": str(self.top / "csv"), "dump_list": [{"model_name": "net"}], "dump_mode": "all",
                           "dump_data": "stats", "dump_stats": ["Max"]}}
        (self.top / "csv.json").write_text(json.dumps(config))
        run(BELAY, "run", self.top / "net.om", "--input", self.top / "x.npy", "--dump", self.top / "csv.json")
        self.assertIn("the dump has statistics of product only", self.replay("csv", "product", code=3).stderr)


if __name__ == "__main__":
    unittest.main()
