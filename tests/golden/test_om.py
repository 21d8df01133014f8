# SPDX-License-Identifier: Apache-2.0
"""What atc writes, read by the second decoder and compared with what the onnx package sees in the source.

usage: test_om.py ATC DIRECTORY
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import unittest

import numpy as np

for alias in ("float", "int", "bool", "object"):  # names that onnx 1.12 still uses
    if not hasattr(np, alias):
        setattr(np, alias, getattr(__builtins__, alias))
import onnx  # noqa: E402
import read_om  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

ATC, WORK = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
RANDOM = np.random.default_rng(3)


def make_model(path):
    w = RANDOM.standard_normal((4, 3, 3, 3)).astype(np.float32)
    table = RANDOM.integers(-9, 9, (5, 4)).astype(np.int64)
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], "conv", pads=[1, 1, 1, 1], strides=[2, 2], kernel_shape=[3, 3]),
        helper.make_node("Elu", ["c"], ["e"], "elu", alpha=0.5),
        helper.make_node("Gather", ["table", "rows"], ["t"], "gather", axis=0),
    ]
    graph = helper.make_graph(
        nodes, "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8]),
         helper.make_tensor_value_info("rows", TensorProto.INT64, [2])],
        [helper.make_tensor_value_info("e", TensorProto.FLOAT, [1, 4, 4, 4]),
         helper.make_tensor_value_info("t", TensorProto.INT64, [2, 4])],
        [numpy_helper.from_array(w, "w"), numpy_helper.from_array(table, "table")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))


def atc(*options, directory=None):
    return subprocess.run([ATC, *options], capture_output=True, text=True, cwd=directory or WORK)


class Om(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        WORK.mkdir(parents=True, exist_ok=True)
        make_model(WORK / "net.onnx")
        cls.onnx = onnx.load(str(WORK / "net.onnx"))
        for name, more in (("coded", []), ("plain", ["--enable_attr_compression=false"])):
            done = atc("--model=net.onnx", "--framework=5", f"--output={name}", "--soc_version=Ascend910B3", *more)
            assert done.returncode == 0, done.stdout

    def each(self):
        for name in ("coded", "plain"):
            with self.subTest(name):
                yield read_om.OmFile((WORK / f"{name}.om").read_bytes())

    def test_names_and_shapes_are_those_of_the_source(self):
        for om in self.each():
            graph = self.onnx.graph
            self.assertEqual([i["name"] for i in om.inputs], [i.name for i in graph.input])
            self.assertEqual([i["dims"] for i in om.inputs], [[1, 3, 8, 8], [2]])
            self.assertEqual([i["dtype"] for i in om.inputs], ["float32", "int64"])
            self.assertEqual([i["size"] for i in om.inputs], [768, 16])
            self.assertEqual([o["dims"] for o in om.outputs], [[1, 4, 4, 4], [2, 4]])
            self.assertEqual(om.outputs[0]["name"], "elu:0:e")
            self.assertRegex(om.outputs[1]["name"], r"^PartitionedCall_gather_gatherv2_\d+:0:t$")

    def test_attributes_are_those_of_the_source(self):
        for om in self.each():
            ops = {op.type: op for op in om.graphs[0]}
            conv = next(op for op in om.graphs[0] if op.type == "Conv2D")
            members = "conv" in conv.name
            self.assertTrue(members, conv.name)
            if conv.name == "conv":
                self.assertEqual(conv.attributes["strides"], [1, 1, 2, 2])
                self.assertEqual(conv.attributes["pads"], [1, 1, 1, 1])
                self.assertAlmostEqual(ops["Elu"].attributes["alpha"], 0.5)
            self.assertEqual(ops["NetOutput"].name, "Node_Output")
            self.assertEqual([op.attributes.get("index", 0) for op in om.graphs[0] if op.type == "Data"], [0, 1])

    def test_every_name_in_an_edge_exists_and_ids_are_an_order(self):
        for om in self.each():
            place = {op.name: op.id for op in om.graphs[0]}
            self.assertEqual(sorted(place.values()), list(range(len(place))))
            for op in om.graphs[0]:
                for edge in filter(None, op.inputs):
                    self.assertLess(place[edge.rpartition(":")[0]], op.id, edge)

    def test_weights_have_the_bytes_of_the_source(self):
        for om in self.each():
            found = {(tuple(shape), dtype): data for _, dtype, shape, data in om.weights()}
            for initializer in self.onnx.graph.initializer:
                array = numpy_helper.to_array(initializer)
                self.assertEqual(found[(array.shape, str(array.dtype))], array.tobytes(), initializer.name)

    def test_weights_begin_at_multiples_of_512(self):
        for om in self.each():
            blob = om.partitions["WEIGHTS_DATA"]
            self.assertEqual(om.data.index(blob) % 512, 0)
            for op in om.graphs[0]:
                if op.type == "Const":
                    self.assertEqual(op.attributes["value"].offset % 512, 0)

    def test_mode_1_shows_the_same_graph_whether_coded_or_not(self):
        shown = []
        for name in ("coded", "plain"):
            done = atc("--mode=1", f"--om={name}.om", f"--json={name}.json")
            self.assertEqual(done.returncode, 0, done.stdout)
            shown.append(json.loads((WORK / f"{name}.json").read_text()))
        for model in shown:
            self.assertEqual(sorted(model), ["attr", "custom_version", "graph", "name", "version"])
        om = read_om.OmFile((WORK / "coded.om").read_bytes())
        for model in shown:
            ops = model["graph"][0]["op"]
            self.assertEqual([op["name"] for op in ops], [op.name for op in om.graphs[0]])
            self.assertEqual([op["type"] for op in ops], [op.type for op in om.graphs[0]])
            keys = [{entry["key"] for entry in op["attr"]} for op in ops]
            for op, seen in zip(om.graphs[0], keys):
                self.assertLessEqual({key for key in op.attributes if not key.startswith("_ir")}, seen)
        self.assertNotIn("attr_name_enum", (WORK / "coded.json").read_text())
        text = (WORK / "coded.json").read_text()
        self.assertTrue(text.startswith('{\n  "attr": [\n    {\n      "key":'), text[:80])
        for hidden in ('"data_offset"', '"weight_size":', '"output": ['):
            self.assertNotIn(hidden, text)

    def test_mode_1_shows_all_models_of_a_file(self):
        """As the vendor's converter writes a dynamic-shape model and its compiled parts: one body after the other, the
        dictionary of the attributes in the first."""
        first, second = (bytearray((WORK / f"{name}.om").read_bytes()) for name in ("coded", "plain"))
        struct.pack_into("<I", first, 156, 2)  # models
        struct.pack_into("<Q", first, 184, len(first) + len(second) - 2 * 256)
        first[193] = 1  # of dynamic shape
        (WORK / "two.om").write_bytes(first + second[256:])
        for name in ("two", "coded"):
            done = atc("--mode=1", f"--om={name}.om", f"--json={name}_all.json")
            self.assertEqual(done.returncode, 0, done.stdout)
        shown, single = (json.loads((WORK / f"{name}_all.json").read_text()) for name in ("two", "coded"))
        self.assertEqual(shown["name"], single["name"])
        self.assertEqual(len(shown["graph"]), 2)
        for graph in shown["graph"]:
            self.assertEqual([op["name"] for op in graph["op"]], [op["name"] for op in single["graph"][0]["op"]])

    def test_mode_1_shows_an_onnx_file(self):
        done = atc("--mode=1", "--framework=5", "--om=net.onnx", "--json=onnx.json")
        self.assertEqual(done.returncode, 0, done.stdout)
        shown = json.loads((WORK / "onnx.json").read_text())
        self.assertEqual([node["op_type"] for node in shown["graph"]["node"]], ["Conv", "Elu", "Gather"])
        self.assertEqual(shown["graph"]["initializer"][0]["dims"], [4, 3, 3, 3])

    def test_mode_5_reads_the_text_form(self):
        (WORK / "graph.txt").write_text('name: "g" version: 2 graph { name: "m" op { name: "a" type: "Add" '
                                        'attr { key: "k" value { f: 0.5 } } output_desc { dtype: DT_FLOAT16 shape { dim: 2 dim: 3 } '
                                        'size: 44 } id: 0 } }')
        done = atc("--mode=5", "--om=graph.txt", "--json=graph.json")
        self.assertEqual(done.returncode, 0, done.stdout)
        op = json.loads((WORK / "graph.json").read_text())["graph"][0]["op"][0]
        self.assertEqual(op, {"name": "a", "type": "Add", "attr": [{"key": "k", "value": {"f": "0.5"}}],
                              "output_desc": [{"dtype": "DT_FLOAT16", "shape": {"dim": [2, 3]}}]})

    def test_mode_6_prints_the_documented_lines(self):
        done = atc("--mode=6", "--om=coded.om")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("============ Display Model Info start ============\nOriginal Atc command line: --model=net.onnx", done.stdout)
        self.assertRegex(done.stdout, r"\nresource info: memory_size\[\d+ B\], weight_size\[\d+ B\], stream_num\[1\], event_num\[0\]\.\n")
        om = read_om.OmFile((WORK / "coded.om").read_bytes())
        sizes = re.search(r"modeldef_size\[(\d+) B\], weight_data_size\[(\d+) B\]", done.stdout)
        self.assertEqual([int(s) for s in sizes.groups()],
                         [len(om.partitions["MODEL_DEF"]), len(om.partitions["WEIGHTS_DATA"])])

    def test_mode_3_checks_and_reports(self):
        done = atc("--mode=3", "--model=net.onnx", "--framework=5")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(json.loads((WORK / "check_result.json").read_text())["result"], "success")
        graph = helper.make_graph([helper.make_node("NoSuch", ["x"], ["y"], "odd"), helper.make_node("Other", ["y"], ["z"], "two")],
                                  "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
                                  [helper.make_tensor_value_info("z", TensorProto.FLOAT, [1])])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), str(WORK / "odd.onnx"))
        done = atc("--mode=3", "--model=odd.onnx", "--framework=5", "--check_report=why.json")
        self.assertEqual(done.returncode, 255)
        cause = json.loads((WORK / "why.json").read_text())["cause"][0]
        self.assertEqual(cause["code"], "E16002")
        for name in ("odd: NoSuch", "two: Other"):
            self.assertIn(name, cause["message"])

    def test_single_operators_get_the_documented_names(self):
        add = {"op": "Add", "input_desc": [{"format": "ND", "shape": [3, 3], "type": "int32"}] * 2,
               "output_desc": [{"format": "ND", "shape": [3, 3], "type": "int32"}]}
        conv = {"op": "Relu", "name": "my_relu", "input_desc": [{"format": "NCHW", "shape": [1, 2], "type": "fp16"}],
                "output_desc": [{"format": "nchw", "shape": [1, 2], "type": "float16"}]}
        (WORK / "ops.json").write_text(json.dumps([add, conv]))
        done = atc("--singleop=ops.json", "--output=ops", "--soc_version=Ascend910B3")
        self.assertEqual(done.returncode, 0, done.stdout)
        om = read_om.OmFile((WORK / "ops" / "0_Add_3_2_3_3_3_2_3_3_3_2_3_3.om").read_bytes())
        self.assertEqual([i["name"] for i in om.inputs], ["Add_in_0", "Add_in_1"])
        self.assertTrue((WORK / "ops" / "my_relu.om").exists())
        add["output_desc"][0]["shape"] = [3, 4]
        (WORK / "ops.json").write_text(json.dumps([add]))
        done = atc("--singleop=ops.json", "--output=ops", "--soc_version=Ascend910B3")
        self.assertEqual(done.returncode, 255)
        self.assertIn("[3,3], not [3,4]", done.stdout)

    def test_failures_end_with_255_and_a_numbered_reason(self):
        head = "ATC start working now, please wait for a moment.\n"
        words = "...\nATC run failed, Please check the detail log, Try 'atc --help' for more information\n"
        for options, reason in (
                (["--model=absent.onnx", "--framework=5", "--output=o", "--soc_version=Ascend910B3"], "E10001: --model: there is no file"),
                (["--model=net.onnx", "--framework=5", "--output=o", "--soc_version=Ascend910B3", "--no_such=1"],
                 "E10001: unknown command line flag 'no_such'"),
                (["--model=odd.onnx", "--framework=5", "--output=o", "--soc_version=Ascend910B3"], "E16002: "),
                (["--mode=1", "--om=net.onnx", "--json=o.json"], "E10001: Invalid om file."),
                (["--mode=2"], "E10001: --mode=2 is not supported")):
            graph = helper.make_graph([helper.make_node("NoSuch", ["x"], ["y"], "odd")], "g",
                                      [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
                                      [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])])
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), str(WORK / "odd.onnx"))
            done = atc(*options)
            self.assertEqual(done.returncode, 255, options)
            self.assertTrue(done.stdout.startswith(head + words + reason), done.stdout)


if __name__ == "__main__":
    unittest.main()
