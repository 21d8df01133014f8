# SPDX-License-Identifier: Apache-2.0
"""belay match: an NPU's tree and our own, fused and not, against what ONNX says the nodes are and what their values are.
Usage: match_command.py DRIVER ATC BELAY [TEST...]"""
import json
import pathlib
import subprocess
import sys

import numpy as np
import read_dump
from dump_support import F, DumpTest, helper, main, model, onnx
from npu_tree import FRACTAL_NZ, NC1HWC0, ND, NHWC, NpuTree

ATC = BELAY = None
NETWORKS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "models" / "networks.py"
UNFUSED = {"Switch": {"GraphFusion": {"ALL": "off"}, "UBFusion": {"ALL": "off"}}}
RNG = np.random.default_rng(3)


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32) / 4


def small_network():
    """x -> conv, bn, relu -> conv, add (a shortcut), relu -> flatten -> matmul, add -> softmax."""
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w1"], ["c1"], "b1/conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c1", "s", "b", "m", "v"], ["n1"], "b1/bn"),
        node("Relu", ["n1"], ["r1"], "b1/relu"),
        node("Conv", ["r1", "w2"], ["c2"], "b2/conv", kernel_shape=[1, 1]),
        node("Add", ["c2", "r1"], ["a2"], "b2/add"),
        node("Relu", ["a2"], ["r2"], "b2/relu"),
        node("Flatten", ["r2"], ["f"], "flatten"),
        node("MatMul", ["f", "w3"], ["mm"], "fc/MatMul"),
        node("Add", ["mm", "b3"], ["fc"], "fc/Add"),
        node("Softmax", ["fc"], ["y"], "prob", axis=-1),
    ]
    weights = {"w1": floats(20, 3, 3, 3), "s": floats(20) + 1, "b": floats(20), "m": floats(20), "v": np.abs(floats(20)) + 1,
               "w2": floats(20, 20, 1, 1), "w3": floats(20 * 36, 18), "b3": floats(18)}  # fmt: skip
    return model(nodes, [("x", F, [1, 3, 6, 6])], [("y", F, [1, 18])], weights)


class Matching(DumpTest):
    def match(self, *arguments, code=None):
        done = subprocess.run([BELAY, "match", *map(str, arguments)], cwd=self.work, capture_output=True, text=True)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def matched(self, *arguments, code=None):
        report = json.loads(self.match(*arguments, "--json", code=code).stdout)
        self.pairs = {pair["ours"]["op"]: (pair["truth"]["op"], pair["by"]) for pair in report["pairs"]}
        return report

    def dumped(self, source, folder, *options, fused=True):
        """A tree of the outputs of all operators of an ONNX file."""
        (self.work / folder).mkdir()
        (self.work / "off.json").write_text(json.dumps(UNFUSED))
        switch = () if fused else ("--fusion_switch_file=off.json",)
        command = [ATC, f"--model={source}", "--framework=5", f"--output={folder}", "--soc_version=Ascend910B3", *switch]
        subprocess.run([*command, *options], cwd=self.work, check=True, capture_output=True)
        config = self.config(f"{folder}.json", path=folder, dump_list=[{}], dump_mode="output")
        done = subprocess.run([BELAY, "run", f"{folder}.om", "--dump", config], cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder

    def values(self, folder):
        """The outputs of a tree by operator."""
        found = {}
        for entry in self.entries(folder):
            dump = read_dump.read(entry.path)
            found[dump.op_name] = [output.array() for output in dump.outputs]
        return found

    def check_pairs_are_the_same_values(self, report):
        for pair in report["pairs"]:
            ours, truth = (read_dump.read(self.work / pair[side]["file"]) for side in ("ours", "truth"))
            index = [int(pair[side]["tensor"].split()[1]) for side in ("ours", "truth")]
            a, b = ours.outputs[index[0]].array(), truth.outputs[index[1]].array()
            scale = np.abs(b.astype(np.float64)).max() or 1
            np.testing.assert_allclose(a.ravel() / scale, b.ravel() / scale, atol=1e-4, err_msg=str(pair))

    def test_our_fused_tree_meets_our_unfused_one(self):
        self.write("net.onnx", small_network())
        report = self.matched(self.dumped("net.onnx", "fused"), self.dumped("net.onnx", "plain", fused=False), code=0)
        self.assertEqual(report["only_ours"], [])
        self.check_pairs_are_the_same_values(report)
        by_origin = {ours: pair for ours, pair in self.pairs.items() if pair[1] == "origin"}
        self.assertEqual({pair[0] for pair in by_origin.values()}, {"b1/relu", "b2/relu", "fc/Add"})
        swallowed = {entry["op"]: entry["reason"] for entry in report["only_truth"]}
        self.assertIn("b1/conv", swallowed)
        self.assertRegex(swallowed["b2/conv"], r"b2/conv was fused there into .*, whose result is b2/relu")

    def npu(self, values):
        """What an NPU would have made of the small network: other groups, half precision, its own formats."""
        tree = NpuTree(self.work / "npu")
        x, r1, r2, fc = (values[name][0] for name in ("x", "b1/relu", "b2/relu", "fc/Add"))
        tree.write("Data", "x", tree.output(x, 0, "x", dtype=np.float32))
        tree.write("Cast", "trans_Cast_0", tree.output(x, 0, "x"))
        tree.write("TransData", "trans_TransData_1", tree.output(x, NC1HWC0, "b1/conv"))  # feeds the convolution
        tree.write("Conv2D", "b1/convb1/bnb1/relu", tree.output(r1, NC1HWC0, "b1/relu"))
        tree.write("Conv2D", "b2/conv", tree.output(values["b2/conv"][0], NC1HWC0, "b2/conv", origin_format=NHWC))
        tree.write("Add", "b2/addb2/relu", tree.output(r2, NC1HWC0, "b2/relu"))
        tree.write("TransData", "trans_TransData_4", tree.output(r2, 0, "b2/relu"))  # carries the value
        tree.write("MatMulV2", "fc/MatMul", tree.output(fc, FRACTAL_NZ, "fc/Add", origin_format=ND))
        tree.write("SoftmaxV2", "prob", tree.output(values["prob"][0], ND, "prob", origin_format=ND))
        tree.write("Relu", "nobody", tree.output(r2, 0, "nobodys"))
        return "npu"

    def test_an_npus_tree_meets_the_onnx_models_own(self):
        self.write("net.onnx", small_network())
        plain = self.dumped("net.onnx", "plain", fused=False)
        npu = self.npu(self.values(plain))
        report = self.matched(npu, plain, code=1)
        self.assertEqual(self.pairs, {
            "x": ("x", "name"), "trans_Cast_0": ("x", "origin"), "b1/convb1/bnb1/relu": ("b1/relu", "origin"),
            "b2/conv": ("b2/conv", "name"), "b2/addb2/relu": ("b2/relu", "origin"), "trans_TransData_4": ("b2/relu", "origin"),
            "fc/MatMul": ("fc/Add", "origin"), "prob": ("prob", "name")})  # fmt: skip
        lonely = {entry["op"]: entry["reason"] for entry in report["only_ours"]}
        self.assertEqual(set(lonely), {"trans_TransData_1", "nobody"})
        self.assertIn("the compiler inserted it at b1/conv", lonely["trans_TransData_1"])
        self.assertEqual(lonely["nobody"], "it is the value of nobodys, which the other side has not dumped")
        swallowed = {entry["op"]: entry["reason"] for entry in report["only_truth"]}
        self.assertEqual(swallowed["b2/add"], "b2/add was fused there into b2/addb2/relu, whose result is b2/relu")

    def test_two_fusions_meet_where_both_have_a_result(self):
        self.write("net.onnx", small_network())
        fused, plain = self.dumped("net.onnx", "fused"), self.dumped("net.onnx", "plain", fused=False)
        self.matched(self.npu(self.values(plain)), fused, code=1)
        meets = {ours: truth for ours, (truth, _) in self.pairs.items()}
        self.assertEqual(meets["b1/convb1/bnb1/relu"].endswith("relu"), True)
        self.assertEqual(meets["prob"], "prob")
        self.assertNotIn("b2/conv", meets)  # ours fused it with the addition

    def test_the_json_of_atc_says_what_headers_do_not(self):
        self.write("net.onnx", small_network())
        fused, plain = self.dumped("net.onnx", "fused"), self.dumped("net.onnx", "plain", fused=False)
        for name in (fused, plain):
            subprocess.run([ATC, "--mode=1", f"--om={name}.om", f"--json={name}_om.json"], cwd=self.work, check=True,
                           capture_output=True)  # fmt: skip
        values = self.values(plain)
        (self.work / "arrays").mkdir()
        for name, outputs in values.items():
            np.save(self.work / "arrays" / f"{name.replace('/', '_')}.0.1700000000123456.npy", outputs[0])
        report = self.matched(fused, "arrays", "-f", "fused_om.json", code=0)
        self.assertEqual({pair["truth"]["op"] for pair in report["pairs"] if pair["by"] == "fusion"},
                         {"b1_relu", "b2_relu", "fc_Add"})  # fmt: skip
        self.matched("arrays", fused, "-cf", "fused_om.json", code=1)
        self.assertEqual(self.pairs["b1_relu"][1], "fusion")
        self.assertIn("is not the JSON of a compiled model", self.match(fused, plain, "-f", "off.json", code=3).stderr)

    def test_names_of_arrays(self):
        x = np.float32([1, 2])
        tree = NpuTree(self.work / "npu")
        for name in ("plain", "net/layer.1/Conv", "tf", "torch", "two"):
            tree.write("Add", name, tree.output(x, ND, name, dtype=np.float32))
        for arrays in ("folder", "zip", "tensors"):
            (self.work / arrays).mkdir()
        np.save(self.work / "folder/plain.npy", x)
        np.save(self.work / "folder/net_layer_1_Conv.0.1700000000123456.npy", x)
        np.save(self.work / "folder/Add.two.1.2.1700000000123456.output.0.npy", x)
        np.savez(self.work / "zip/all.npz", **{"tf:0": x, "torch_output_0": x})
        report = self.matched("npu", "folder", code=1)
        self.assertEqual({ours: truth for ours, (truth, _) in self.pairs.items()},
                         {"plain": "plain", "net/layer.1/Conv": "net_layer_1_Conv", "two": "two"})  # fmt: skip
        self.assertEqual(report["only_truth"], [])
        self.matched("npu", "zip", code=1)
        self.assertEqual(self.pairs, {"tf": ("tf:0", "tensor name"), "torch": ("torch_output_0", "tensor name")})

    def test_names_that_were_too_long(self):
        name = "layer" * 60
        for folder in ("a", "b"):
            file = NpuTree(self.work / folder, "0/m/1/0").write("Add", "x", NpuTree.output(None, [1.0], ND, name))
            file.rename(file.parent / "1234567890")
            (file.parent / "mapping.csv").write_text(f"1234567890,Add.{name}.1.5.1700000000000001\n")
        report = self.matched("a", "b", code=0)
        self.assertEqual([pair["by"] for pair in report["pairs"]], ["mapping"])

    def test_files_that_are_damaged_are_named_and_the_others_paired(self):
        tree = NpuTree(self.work / "npu")
        tree.write("Add", "good", tree.output([1.0], ND, "good"))
        bad = tree.write("Add", "bad", tree.output([1.0], ND, "bad"))
        bad.write_bytes(bad.read_bytes()[:-1])
        (self.work / "npu/broken.npz").write_bytes(b"PK\x05\x06")
        done = self.match("npu", "npu", code=3)
        self.assertIn(str(bad.name), done.stderr)
        self.assertIn("broken.npz", done.stderr)
        self.assertIn("1 pairs: 1 by name; 0 only in npu, 0 only in npu", done.stdout)

    def test_what_is_no_side(self):
        self.assertIn("nowhere does not exist", self.match("nowhere", "d", code=3).stderr)
        self.assertIn("d holds no tensors", self.match("d", "d", code=3).stderr)


class Networks(DumpTest):
    """Real networks: every operator that ours made of several is the value of the last ONNX node that it swallowed."""

    dumped, matched, match = Matching.dumped, Matching.matched, Matching.match
    check_pairs_are_the_same_values = Matching.check_pairs_are_the_same_values

    def check(self, name):
        subprocess.run(["/usr/bin/python3", "-W", "ignore", NETWORKS, self.work, name], check=True)
        fused = self.dumped(f"{name}.onnx", "fused")
        plain = self.dumped(f"{name}.onnx", "plain", fused=False)
        report = self.matched(fused, plain)
        for lonely in report["only_ours"]:  # the mean and the deviation of a LayerNorm that was many operators
            self.assertRegex(lonely["reason"], r"has no output [12] there$")
        self.check_pairs_are_the_same_values(report)
        nodes = {node.name for node in onnx.load(self.work / f"{name}.onnx").graph.node}
        origins = {pair["ours"]["origin"].rsplit(":", 1)[0] for pair in report["pairs"] if pair["by"] == "origin"}
        print(name, len(report["pairs"]), "pairs,", len(report["only_truth"]), "swallowed")
        self.assertLessEqual(origins, nodes)
        self.assertGreater(len(origins), 3)

    def test_squeezenet(self):
        self.check("squeezenet")

    def test_mobilenet(self):
        self.check("mobilenet")

    def test_bert(self):
        self.check("bert")


if __name__ == "__main__":
    ATC, BELAY = sys.argv[2], sys.argv.pop(3)
    main()
