# SPDX-License-Identifier: Apache-2.0
"""BELAY_SHADOW and belay run --shadow: a flipped bit is named, nothing else is; results stay what they are; the table is
where the documentation says.

usage: check_shadow.py BELAY DIRECTORY
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import unittest

import numpy as np

for alias in ("float", "int", "bool", "object"):  # names that onnx 1.12 still uses
    if not hasattr(np, alias):
        setattr(np, alias, getattr(__builtins__, alias))
import onnx  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402

BELAY, WORK = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
RANDOM = np.random.default_rng(3)


def f32(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def make_net():
    """Conv, Relu, a view, a product, Softmax."""
    constants = {"w": f32(8, 3, 3, 3), "m": f32(8 * 36, 10), "shape": np.array([1, -1], np.int64)}
    nodes = [helper.make_node("Conv", ["x", "w"], ["a"], "conv"), helper.make_node("Relu", ["a"], ["b"], "relu"),
             helper.make_node("Reshape", ["b", "shape"], ["c"], "flat"), helper.make_node("MatMul", ["c", "m"], ["d"], "product"),
             helper.make_node("Softmax", ["d"], ["y"], "prob", axis=-1)]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", 1, [1, 3, 8, 8])],
                              [helper.make_tensor_value_info("y", 1, [1, 10])],
                              [numpy_helper.from_array(value, name) for name, value in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(WORK / "net.onnx"))


def run(*arguments, cwd=WORK, **environment):
    clean = {k: v for k, v in os.environ.items() if k not in ("BELAY_SHADOW", "BELAY_FAULT")}
    return subprocess.run([str(BELAY), "run", str(WORK / "net.onnx"), *arguments], capture_output=True, text=True, cwd=cwd,
                          env={**clean, **environment})


class Shadow(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        WORK.mkdir(parents=True, exist_ok=True)
        make_net()

    def table(self, **environment):
        done = run("--shadow=fp64", "--json", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["shadow"]

    def test_a_clean_run_accuses_nobody(self):
        rows = self.table()
        self.assertEqual({row["not_checkable"] for row in rows}, {""})
        self.assertEqual(len(rows), 3)  # Conv with its Relu, the product, Softmax
        for row in rows:
            self.assertLessEqual(row["share_of_allowed"], 1, row)
            self.assertLess(row["true_relative_error"], 1e-5, row)
        self.assertEqual([r["added_relative_error"] for r in rows], sorted((r["added_relative_error"] for r in rows), reverse=True))

    def test_a_flipped_bit_is_named_and_those_behind_it_inherit(self):
        for op in ("conv", "product", "prob"):
            rows = self.table(BELAY_FAULT=f"bitflip@{op}:3")  # the sign or the exponent of element 0
            wrong = [row["name"] for row in rows if row["share_of_allowed"] == "inf" or row["share_of_allowed"] > 1]
            self.assertEqual(len(wrong), 1, (op, rows))
            self.assertIn(op, wrong[0])
        self.assertIn("WRONG", run("--shadow=fp64", BELAY_FAULT="bitflip@product:3").stdout)

    def test_results_are_the_same_bits_with_it_and_without(self):
        for name, environment in (("with", {"BELAY_SHADOW": str(WORK / "tables")}), ("without", {})):
            self.assertEqual(run("-o", str(WORK / name), **environment).returncode, 0)
        self.assertEqual((WORK / "with/output_0.npy").read_bytes(), (WORK / "without/output_0.npy").read_bytes())

    def test_the_table_is_where_the_program_runs_or_in_the_dump(self):
        here = WORK / "here"
        here.mkdir(exist_ok=True)
        self.assertEqual(run(cwd=here, BELAY_SHADOW="1").returncode, 0)
        (table,) = here.glob("shadow_net_*.csv")
        with open(table, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertTrue({"Conv2D", "SoftmaxV2"} < {row["Op Type"] for row in rows}, rows)
        self.assertEqual(len(rows), 3)
        self.assertTrue(all(0 <= float(row["Share Of Allowed"]) <= 1 and row["Runs"] == "1" for row in rows), rows)
        dump = WORK / f"dump{os.getpid()}"
        dump.mkdir(exist_ok=True)
        config = {"dump": {"dump_path": str(dump), "dump_mode": "output", "dump_list": [{"model_name": "net"}]}}
        (WORK / "acl.json").write_text(json.dumps(config))
        self.assertEqual(run("--dump", str(WORK / "acl.json"), BELAY_SHADOW="1").returncode, 0)
        self.assertEqual(len(list(dump.glob("*/shadow_net_*.csv"))), 1)

    def test_a_table_that_cannot_be_written_changes_nothing(self):
        (WORK / "file").write_text("no directory")
        done = run("-o", str(WORK / "unwritten"), BELAY_SHADOW=str(WORK / "file"))
        self.assertRegex(done.stderr, "BELAY_SHADOW: .*/file/shadow_net_1.csv cannot be written: Not a directory")
        self.assertTrue((WORK / "unwritten/output_0.npy").exists())


if __name__ == "__main__":
    unittest.main()
