# SPDX-License-Identifier: Apache-2.0
"""belay blame as a person meets it: what it says of good, bad and missing input. Usage: test_blame.py DRIVER ATC BELAY [TEST...]"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import networks
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
import read_dump  # noqa: E402
import write_dump  # noqa: E402
from npu_tree import FRACTAL_NZ, NC1HWC0, ND, NpuTree  # noqa: E402
import onnx  # noqa: E402
from onnx import numpy_helper  # noqa: E402

DRIVER, ATC, BELAY = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
AGREE, GUILTY, USAGE, BAD_INPUT = range(4)


class Blame(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory(prefix="belay-blame-")
        self.addCleanup(made.cleanup)
        self.work = pathlib.Path(made.name)
        self.path, shape, _, _ = networks.save("encoder", self.work)
        random = np.random.default_rng(3)
        for step in range(2):
            random.standard_normal(shape).astype(np.float32).tofile(self.work / f"x{step}.bin")
            np.save(self.work / f"x{step}.npy", np.fromfile(self.work / f"x{step}.bin", np.float32).reshape(shape))

    def run_model(self, fault="", folder="d", model="encoder.onnx", steps=1, **more):
        (self.work / folder).mkdir()
        config = {"dump": {"dump_path": folder, "dump_list": [{}], "dump_mode": "all", **more}}
        (self.work / "acl.json").write_text(json.dumps(config))
        calls = ["init=acl.json", "input=x0.bin", f"load={model}", "run", *(["refill=x1.bin", "run"] if steps == 2 else [])]
        environment = {**os.environ, "ASCEND_GLOBAL_LOG_LEVEL": "4", **({"BELAY_FAULT": fault} if fault else {})}
        subprocess.run([DRIVER, *calls, "unload", "finalize"], check=True, cwd=self.work, env=environment)

    def blame(self, *arguments, code=AGREE, model="encoder.onnx"):
        command = [BELAY, "blame", *(arguments or ["d"]), "--model", model]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.work)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def report(self, *arguments, code=AGREE, **more):
        return json.loads(self.blame(*(arguments or ["d"]), "--json", code=code, **more).stdout)

    def guilty(self, report):
        return [each["op"] for each in report["operators"] if each["verdict"] == "guilty"]

    def operators(self):
        """Of the run without a fault."""
        self.run_model(folder="clean")
        return [each["op"] for each in self.report("clean")["operators"]]

    def test_a_clean_run_accuses_nobody(self):
        self.run_model()
        done = self.blame("d", "--all")
        self.assertIn(", 0 guilty", done.stdout)
        self.assertNotIn("cause:", done.stdout)
        self.assertNotIn("were not looked at", done.stdout)

    def test_the_whole_story_of_a_guilty_product(self):
        self.run_model("nan@MatMul_0")
        text = self.blame(code=GUILTY).stdout
        self.assertRegex(text, r"1\. guilty: \w+ .*MatMul_0")
        self.assertRegex(text, r"worst at \[\d+,\d+,\d+\]: got nan, expected -?\d")
        self.assertIn("a sum of 24 products", text)
        self.assertIn("although every input is finite", text)
        self.assertRegex(text, r"when it alone is corrected, 100 % of the error")
        self.assertRegex(text, r"belay replay d/.*/0 .*--op .*MatMul_0")

    def test_outputs_alone_are_enough(self):
        for fault in "bitflip@Add_1:3", "transpose@MatMul_8":
            folder = fault.split("@")[0]
            self.run_model(fault, folder, dump_mode="output")
            whom = [each for each in self.report(folder, code=GUILTY)["operators"] if each["verdict"] == "guilty"]
            self.assertEqual(len(whom), 1, whom)
            self.assertIn(fault.split("@")[1].split(":")[0], whom[0]["sources"])

    def test_operators_without_a_record_are_judged_with_the_next(self):
        names = self.operators()
        position = next(i for i, name in enumerate(names) if "Softmax" in name)
        chosen = names[: position - 3] + names[position:]
        for fault, whom in (("", None), (f"shift@{names[position - 2]}", names[position]), (f"nan@{names[position]}", names[position])):
            folder = "some_" + fault.split("@")[0]
            self.run_model(fault, folder, dump_mode="output", dump_list=[{"layer": chosen}])
            report = self.report(folder, code=GUILTY if fault else AGREE)
            joined = next(each for each in report["operators"] if each["op"] == names[position])
            self.assertEqual(set(joined["together"]), set(names[position - 3 : position]))
            self.assertEqual(self.guilty(report), [whom] if whom else [])
            self.assertEqual([each["op"] for each in report["operators"] if each["verdict"] == "not checkable"], [])

    def npu_tree(self, spoil=""):
        """Float16, fused as an NPU might, in its formats: the values are numpy's, each from the one before."""
        x = np.load(self.work / "x.npy")
        w1, w2, fc = (self.weights[name] for name in ("w1", "w2", "fc"))
        half = lambda array: array.astype(np.float16)  # noqa: E731
        tree = NpuTree(self.work / (spoil or "npu"))
        tree.write("Data", "x", tree.output(x, 0, "x", dtype=np.float32))
        tree.write("TransData", "trans_TransData_1", tree.output(half(x), NC1HWC0, "c1"))
        value = half(x)
        for op, name, weight in (("c1r1", "r1", w1), ("c2addr2", "r2", w2)):
            product = np.einsum("oi,nihw->nohw", half(weight).astype(np.float32), value.astype(np.float32))
            value = half(np.maximum(product + (value.astype(np.float32) if name == "r2" else 0), 0))
            if spoil == name:
                value[0, 2, 1, 1] += np.float16(0.25)
            tree.write("Conv2D", op, tree.output(value, NC1HWC0, name))
        mean = half(value.astype(np.float32).mean((2, 3)))
        tree.write("ReduceMean", "mean", tree.output(mean, ND, "mean", origin_format=ND))
        result = half(mean.astype(np.float32) @ half(fc).astype(np.float32))
        tree.write("MatMulV2", "fc", tree.output(result, FRACTAL_NZ, "fc", origin_format=ND))
        return spoil or "npu"

    def test_an_npus_tree_is_examined_with_the_onnx_model(self):
        random = np.random.default_rng(5)
        self.weights = {"w1": random.standard_normal((8, 8)) / 3, "w2": random.standard_normal((8, 8)) / 3,
                        "fc": random.standard_normal((8, 5))}  # fmt: skip
        self.weights = {name: array.astype(np.float32) for name, array in self.weights.items()}
        node = onnx.helper.make_node
        nodes = [node("Conv", ["x", "w1"], ["c1"], "c1"), node("Relu", ["c1"], ["r1"], "r1"), node("Conv", ["r1", "w2"], ["c2"], "c2"),
                 node("Add", ["c2", "r1"], ["add"], "add"), node("Relu", ["add"], ["r2"], "r2"),
                 node("ReduceMean", ["r2"], ["mean"], "mean", axes=[2, 3], keepdims=0), node("MatMul", ["mean", "fc"], ["y"], "fc")]  # fmt: skip
        shaped = {name: array.reshape(*array.shape, 1, 1) if name != "fc" else array for name, array in self.weights.items()}
        value = onnx.helper.make_tensor_value_info
        graph = onnx.helper.make_graph(nodes, "net", [value("x", 1, [1, 8, 4, 4])], [value("y", 1, [1, 5])],
                                       [numpy_helper.from_array(array, name) for name, array in shaped.items()])  # fmt: skip
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8), str(self.work / "net.onnx"))
        np.save(self.work / "x.npy", random.standard_normal((1, 8, 4, 4)).astype(np.float32))
        report = self.report(self.npu_tree(), model="net.onnx")
        self.assertEqual([(each["sources"][-1], each["verdict"]) for each in report["operators"]],
                         [(name, "clean") for name in ("r1", "r2", "mean", "fc")])  # fmt: skip
        self.assertEqual(report["operators"][1]["recorded_as"], "c2addr2")
        self.assertEqual(set(report["operators"][1]["together"]), {"c2", "add"})
        self.assertEqual(report["foreign"], ["trans_TransData_1"])
        for spoiled in "r1", "r2":
            report = self.report(self.npu_tree(spoiled), model="net.onnx", code=GUILTY)
            self.assertEqual(self.guilty(report), [spoiled])
            guilty = next(each for each in report["operators"] if each["op"] == spoiled)
            self.assertEqual(guilty["outputs"][0]["worst"]["index"], [0, 2, 1, 1])

    def test_inputs_that_are_not_in_the_dump_are_asked_for_and_taken(self):
        self.run_model("nan@MatMul_0", dump_mode="output")
        for path in self.work.glob("d/*/*/*/*/*/Data.*"):
            path.unlink()
        first = self.report()["operators"][0]
        self.assertEqual(first["verdict"], "not checkable")
        self.assertIn("--input x=FILE", first["why"])
        self.assertEqual(len(self.guilty(self.report("d", "--input", "x=x0.npy", code=GUILTY))), 1)
        self.assertIn("the model has no input 'y'", self.blame("d", "--input", "y=x0.npy", code=BAD_INPUT).stderr)

    def test_the_other_side_tells_inherited_from_contributed(self):
        names = self.operators()
        self.run_model(f"shift@{names[3]}")
        report = self.report("d", "clean", code=GUILTY)
        self.assertEqual(self.guilty(report), [names[3]])
        words = {each["op"]: each["verdict"] for each in report["operators"]}
        self.assertIn("inherits", words.values())
        for name in names[:3]:
            self.assertNotEqual(words[name], "inherits")
        last = report["operators"][-1]["outputs"][0]
        self.assertGreater(last["inherited"], last["allowed"])
        self.assertLessEqual(last["contributed"], last["allowed"])

    def test_each_of_two_guilty_ones_is_named_with_its_share(self):
        names = [name for name in self.operators() if "MatMul" in name]
        self.run_model(f"bitflip@{names[-2]}:3; bitflip@{names[-1]}:2; seed=1")
        report = self.report(code=GUILTY)
        self.assertEqual(self.guilty(report), names[-2:])
        shares = [each["share"] for each in report["operators"] if each["verdict"] == "guilty"]
        self.assertGreater(max(shares), 0.5)

    def test_a_stale_result_is_found_in_the_execution_that_has_it(self):
        name = [name for name in self.operators() if "MatMul" in name][-1]
        self.run_model(f"stale@{name}", steps=2)
        text = self.blame(code=GUILTY).stdout
        self.assertIn("cause: stale: it is the result of execution 0 again", text)
        self.assertEqual(self.guilty(self.report("d", "--step", "0")), [])
        self.assertIn("no execution 7 of this model, only 0, 1", self.blame("d", "--step", "7", code=BAD_INPUT).stderr)

    def test_a_weight_that_is_not_the_models_is_a_finding(self):
        model = onnx.load(str(self.path))
        weight = next(each for each in model.graph.initializer if len(each.dims) == 2)
        array = numpy_helper.to_array(weight).copy()
        array.flat[5] += 1
        weight.CopyFrom(numpy_helper.from_array(array, weight.name))
        onnx.save(model, str(self.work / "other.onnx"))
        self.run_model(model="other.onnx")
        report = self.report(code=GUILTY)
        self.assertEqual(self.guilty(report), [])
        changed = report["changed"][0]
        self.assertEqual((changed["kind"], changed["different"], changed["elements"]), ("weight", 1, array.size))

    def products(self, name, inner):
        """x [4,8] times [8,inner], a bias, times [inner,8]; the nodes have the same names whatever `inner` is."""
        random, node, value = np.random.default_rng(inner), onnx.helper.make_node, onnx.helper.make_tensor_value_info
        weights = {"a": (8, inner), "bias": (inner,), "b": (inner, 8)}
        nodes = [node("MatMul", ["x", "a"], ["p"], "p"), node("Add", ["p", "bias"], ["q"], "q"), node("Tanh", ["q"], ["t"], "t"),
                 node("MatMul", ["t", "b"], ["y"], "y")]  # fmt: skip
        arrays = [numpy_helper.from_array(random.standard_normal(shape).astype(np.float32), key) for key, shape in weights.items()]
        graph = onnx.helper.make_graph(nodes, "net", [value("x", 1, [4, 8])], [value("y", 1, [4, 8])], arrays)
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8), str(self.work / name))
        random.standard_normal((4, 8)).astype(np.float32).tofile(self.work / "x0.bin")

    def test_weights_of_another_shape_are_of_another_model(self):
        self.products("narrow.onnx", 16)
        self.products("wide.onnx", 64)
        self.run_model(model="wide.onnx")
        self.assertEqual(self.report(model="wide.onnx")["mismatches"], [])
        report = self.report(model="narrow.onnx", code=GUILTY)
        self.assertRegex(" ".join(report["mismatches"]), r"input 1 of p\S* has the shape \[8,64\], and weight \S+ has \[8,16\]: the model does not")
        self.assertIn("the model does not belong to the dump", self.blame(model="narrow.onnx", code=GUILTY).stdout)

    def test_another_shape_of_the_same_elements_is_guilt(self):
        self.products("wide.onnx", 64)
        for dims in ([16, 16], [64, 4], [256]):
            folder = "d" + "_".join(map(str, dims))
            self.run_model(folder=folder, model="wide.onnx", dump_mode="output")
            files = {path: read_dump.read(path) for path in self.work.glob(f"{folder}/*/*/*/*/*/*.*.*.*")}
            path, read = next(each for each in files.items() if each[1].outputs[0].shape == [4, 64])
            array = np.frombuffer(read.outputs[0].data, np.float32).reshape(dims)
            os.chmod(path, 0o600)
            path.write_bytes(write_dump.dump(read.op_name, (), [write_dump.entry(array, False)], time=read.dump_time))
            report = self.report(folder, model="wide.onnx", code=GUILTY)
            self.assertEqual(self.guilty(report), [read.op_name])
            guilty = next(each for each in report["operators"] if each["verdict"] == "guilty")
            self.assertIn(f"output 0 has the shape {json.dumps(dims, separators=(',', ':'))}, and the model makes [4,64]", guilty["why"])

    def test_an_input_beside_the_dumps_own_frames_nobody(self):
        self.run_model()
        self.report("d", "--input", "x=x0.npy")
        report = self.report("d", "--input", "x=x1.npy", code=GUILTY)
        self.assertEqual(self.guilty(report), [])
        self.assertRegex(report["mismatches"][0], r"--input x is not what the dump holds of it \(\d+ of \d+ elements differ\)")
        np.save(self.work / "flat.npy", np.load(self.work / "x0.npy").reshape(-1))
        self.assertIn("flat.npy has the shape", self.blame("d", "--input", "x=flat.npy", code=BAD_INPUT).stderr)

    def test_another_side_without_partners_is_refused(self):
        self.run_model()
        self.run_model(folder="again")
        self.assertRegex(self.blame("d", "again").stdout, r"(\d+) of \1 outputs have a partner in again")
        (self.work / "none").mkdir()
        np.save(self.work / "none" / "unheard_of.npy", np.zeros(3, np.float32))
        self.assertRegex(self.blame("d", "none", code=BAD_INPUT).stderr, r"0 of \d+ outputs have a partner in none")

    def test_precision_is_not_guilt(self):
        command = [ATC, "--model=encoder.onnx", "--framework=5", "--output=half", "--soc_version=Ascend910B3",
                   "--precision_mode=force_fp16"]  # fmt: skip
        subprocess.run(command, check=True, cwd=self.work, stdout=subprocess.DEVNULL)
        self.run_model(model="half.om", folder="half")
        self.run_model(folder="single")
        for arguments, model in ((["half"], "half.om"), (["half", "single"], "half.om"), (["half", "single"], "encoder.onnx"),
                                 (["half"], "encoder.onnx"), (["single", "half"], "encoder.onnx")):  # fmt: skip
            report = self.report(*arguments, model=model)
            self.assertEqual(self.guilty(report), [])
            self.assertGreater(sum(each["verdict"] in ("clean", "inherits") for each in report["operators"]), 10)

    def test_files_that_are_not_whole_are_said_and_passed_over(self):
        self.run_model("nan@MatMul_0")
        whole = sorted(self.work.glob("d/*/*/*/*/*/*MatMul*"))
        os.chmod(whole[-1], 0o600)
        whole[-1].write_bytes(whole[-1].read_bytes()[:100])
        (whole[0].parent / "Conv2D.foreign.7.0.1794724521522129").write_bytes(b"no dump")
        done = self.blame(code=GUILTY)
        self.assertIn(whole[-1].name, done.stderr)
        self.assertIn("foreign", done.stderr)
        self.assertIn("not in the dump", done.stdout)

    def test_statistics_are_not_enough_and_what_is_needed_is_said(self):
        self.run_model(dump_data="stats")
        self.assertIn("dump_mode", self.blame(code=BAD_INPUT).stderr)

    def test_another_model_is_told_from_the_right_one(self):
        self.run_model()
        networks.save("mobile", self.work)
        self.assertIn("the closest names in the model are", self.blame(model="mobile.onnx", code=BAD_INPUT).stderr)
        self.assertIn("none.om", self.blame(model="none.om", code=BAD_INPUT).stderr)

    def test_models_and_steps_in_the_wrong_place(self):
        self.run_model(steps=2)
        self.assertIn("belay blame DUMP --model encoder.onnx", self.blame("encoder.onnx", code=USAGE).stderr)
        self.assertIn("OTHER is what is right", self.blame("d", "encoder.onnx", code=USAGE).stderr)
        self.assertIn("d has no execution 7 of this model, only 0, 1", self.blame("d", "--step", "7", code=BAD_INPUT).stderr)
        self.assertIn("'-1' is not a whole number", self.blame("d", "--step=-1", code=USAGE).stderr)

    def test_one_file_is_a_dump_of_one_operator(self):
        self.run_model()
        (file,) = (self.work / "d").rglob("*.MatMul_0.*")
        done = self.blame(str(file))
        self.assertIn(f"1 operator in {file}: 1 clean, 0 guilty", done.stdout)

    def test_of_outputs_alone_it_is_said_what_they_do_not_tell(self):
        self.run_model("transpose@MatMul_8", dump_mode="output")
        self.assertTrue(any("cannot be told from a wrong computation" in note for note in self.report("d", code=GUILTY)["notes"]))
        self.run_model(folder="clean", dump_mode="output")
        self.assertFalse(any("cannot be told" in note for note in self.report("clean")["notes"]))

    def test_a_second_record_of_an_operator_is_said(self):
        self.run_model()
        (file,) = (self.work / "d").rglob("*.MatMul_0.*")
        stem, stamp = file.name.rsplit(".", 1)
        time = read_dump.read(file).dump_time
        content = file.read_bytes().replace(write_dump.number(2, time), write_dump.number(2, time + 1), 1)
        (file.parent / f"{stem}.{int(stamp) + 1}").write_bytes(content)
        self.assertIn("1 of the dump's records were not looked at", " ".join(self.report("d")["notes"]))

    def test_wrong_use(self):
        for arguments in ([], ["d"], ["d", "--model"], ["d", "--model", "m.om", "--step", "x"], ["d", "e", "f", "--model", "m.om"]):
            done = subprocess.run([BELAY, "blame", *arguments], capture_output=True, text=True, cwd=self.work)
            self.assertEqual(done.returncode, USAGE, arguments)

    def test_csv_has_a_line_for_every_output(self):
        self.run_model()
        report = self.report("d", "--csv", "blame.csv")
        lines = list(csv.DictReader((self.work / "blame.csv").read_text().splitlines()))
        self.assertEqual([line["op"] for line in lines], [each["op"] for each in report["operators"] for _ in each["outputs"] or [0]])
        self.assertTrue(all(float(line["contributed"]) <= float(line["allowed"]) for line in lines if line["verdict"] == "clean"))


if __name__ == "__main__":
    unittest.main()
