# SPDX-License-Identifier: Apache-2.0
"""belay msaccucmp and belay msprobe: the vendor's command lines, columns, file names and exit codes (docs/tools.md). Oracle:
the formulas by numpy. Usage: vendor_commands.py BELAY [TEST...]"""
import csv
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import write_dump as w
from npu_tree import NC1HWC0, ND, NpuTree

BELAY = sys.argv.pop(1)
DONE, NO_DUMP, PATH, PARSE, PARAMETER, BAD_DUMP = 0, 2, 3, 4, 6, 11
METRICS = ["CosineSimilarity", "MaxAbsoluteError", "AccumulatedRelativeError", "RelativeEuclideanDistance",
           "KullbackLeiblerDivergence", "StandardDeviation", "MeanAbsoluteError", "RootMeanSquareError", "MaxRelativeError",
           "MeanRelativeError"]  # fmt: skip
BEFORE = ["Index", "OpType", "NPUDump", "DataType", "Address", "GroundTruth", "DataType"]


def by_numpy(x, y):
    """The metrics as text; none of these tensors has a zero in y."""
    x, y = x.astype(np.float64).ravel(), y.astype(np.float64).ravel()
    relative = np.abs(x / y - 1)
    p, q = ((v - v.min()) / (v.max() - v.min()) for v in (x, y))
    p, q = p / p.sum(), q / q.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        kl = np.where(p > 0, p * np.log(p / q), 0).sum()
    spread = ",".join(f"({v.mean():.3f};{v.std():.3f})" for v in (x, y))
    numbers = [x @ y / np.linalg.norm(x) / np.linalg.norm(y), np.abs(x - y).max(), relative.sum(),
               math.sqrt(((x - y) ** 2).sum() / (y**2).sum()), kl, np.abs(x - y).mean(), math.sqrt(((x - y) ** 2).mean()),
               relative.max(), relative.mean()]  # fmt: skip
    return numbers, spread


class Vendor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)

    def call(self, *arguments, code=DONE, tool="msaccucmp"):
        done = subprocess.run([BELAY, tool, *map(str, arguments)], cwd=self.top, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def one(self, pattern, folder="out"):
        (found,) = (self.top / folder).glob(pattern)
        return found

    def rows(self, pattern, folder="out"):
        with self.one(pattern, folder).open(newline="") as file:
            return list(csv.reader(file))

    def trees(self):
        """An NPU's tree of two operators, and the ground truth as arrays."""
        rng = np.random.default_rng(5)
        self.truth = rng.uniform(1, 2, (1, 20, 3, 4)).astype(np.float32)
        self.ours = (self.truth + rng.uniform(-0.01, 0.01, self.truth.shape)).astype(np.float16)
        tree = NpuTree(self.top / "npu")
        tree.write("Conv2D", "conv1conv1_relu", tree.output(self.ours, NC1HWC0, "conv1_relu"))
        tree.write("Relu", "alone", tree.output(self.ours, 0, "alone"))
        (self.top / "truth").mkdir()
        np.save(self.top / "truth/conv1_relu.0.1700000000123456.npy", self.truth)
        np.save(self.top / "truth/other.0.1700000000123457.npy", self.truth)

    def check_result(self, rows, address=False):
        self.assertEqual(rows[0], BEFORE + ["Address"] * address + ["TensorIndex", "Shape"] + METRICS + ["CompareFailReason"])
        row = dict(zip(rows[0], rows[1]))
        self.assertEqual(row["NPUDump"], "conv1conv1_relu")
        self.assertEqual(row["GroundTruth"], "conv1_relu")
        self.assertEqual(row["TensorIndex"], "conv1conv1_relu:output:0")
        self.assertEqual(row["OpType"], "Conv2D")
        self.assertEqual(json.loads(row["Shape"]), [1, 20, 3, 4])
        numbers, spread = by_numpy(self.ours, self.truth)
        self.assertEqual(row.pop("StandardDeviation"), spread)
        for name, number in zip((name for name in METRICS if name != "StandardDeviation"), numbers):
            self.assertRegex(row[name], r"^-?\d+\.\d{6}$", name)
            self.assertAlmostEqual(float(row[name]), number, delta=2e-6 + 1e-4 * abs(number), msg=name)

    def test_compare_writes_the_columns_by_their_formulas(self):
        self.trees()
        done = self.call("compare", "-m", "npu", "-g", "truth", "-out", "out", "-map")
        result = self.one("result_*.csv")
        self.assertRegex(result.name, r"^result_\d{14}\.csv$")
        self.assertIn(result.name, done.stdout)
        self.assertEqual(result.stat().st_mode & 0o777, 0o600)
        self.check_result(self.rows("result_*.csv"))
        mapping = self.rows("mapping_*.csv")
        self.assertEqual(mapping[0], ["Index", "OpType", "NPUDump", "GroundTruth", "TensorIndex", "NPUDumpPath", "GroundTruthPath"])
        self.assertEqual(mapping[1][1:5], ["Conv2D", "conv1conv1_relu", "conv1_relu", "conv1conv1_relu:output:0"])
        for path in mapping[1][5:]:
            self.assertTrue((self.top / path).is_file(), path)

    def test_what_has_no_partner_has_a_row_with_the_reason(self):
        self.trees()
        self.call("compare", "-m", "npu", "-g", "truth", "-out", "out")
        rows = [dict(zip(METRICS + ["why"], row[-11:])) | {"op": row[2]} for row in self.rows("result_*.csv")[1:]]
        (alone,) = [row for row in rows if row["op"] == "alone"]
        self.assertEqual(alone["CosineSimilarity"], "NaN")
        self.assertIn("alone", alone["why"])

    def test_two_npu_dumps_have_two_addresses_and_overflow_a_column(self):
        self.trees()
        other = NpuTree(self.top / "other")
        other.write("Relu", "conv1_relu", other.output(np.full((1, 20, 3, 4), 65504.0), 0, "conv1_relu"))
        self.call("compare", "-m", "other", "-g", "npu", "-out", "out", "-overflow_detection")
        header, row = self.rows("result_*.csv")[:2]
        self.assertEqual(header[:11], BEFORE + ["Address", "TensorIndex", "Shape", "OverFlow"])
        self.assertEqual(row[10], "YES")

    def test_fusion_json(self):
        self.trees()
        made = {"name": "n", "graph": [{"op": [{"name": "alone", "output_desc": [
            {"attr": [{"key": "_datadump_origin_name", "value": {"s": "other"}}]}]}]}]}  # fmt: skip
        (self.top / "f.json").write_text(json.dumps(made))
        self.call("compare", "-m", "npu", "-g", "truth", "-f", "f.json", "-out", "out")
        self.assertIn(["alone", "other"], [[row[2], row[5]] for row in self.rows("result_*.csv")])
        (self.top / "f.json").write_text("{}")
        self.assertIn("f.json", self.call("compare", "-m", "npu", "-g", "truth", "-f", "f.json", code=PARSE).stderr)

    def test_msprobe_compare(self):
        self.trees()
        self.call("compare", "-tp", "npu", "-gp", "truth", "-o", "out", tool="msprobe")
        self.check_result(self.rows("result_*.csv"))
        self.assertIn("-gp is missing", self.call("compare", "-tp", "npu", code=2, tool="msprobe").stderr)
        self.assertIn("compare", self.call("overflow_check", code=2, tool="msprobe").stderr)

    def test_file_compare(self):
        self.trees()
        np.save(self.top / "a.npy", self.ours)
        self.call("file_compare", "-m", "a.npy", "-g", "truth/conv1_relu.0.1700000000123456.npy", "-out", "out")
        rows = self.rows("result_*.csv")
        row = dict(zip(rows[0], rows[1]))
        self.assertAlmostEqual(float(row["MaxAbsoluteError"]), by_numpy(self.ours, self.truth)[0][1], delta=1e-6)
        self.call("file_compare", "-m", "truth", "-g", "a.npy", "-out", "out", code=PATH)

    def test_convert(self):
        x, y = np.float32([[1, 2]]), np.float16([3])
        stored = np.arange(32, dtype=np.float16).reshape(1, 1, 1, 2, 16)
        name = "Add.net_add.1.2.1700000000123456"
        (self.top / "d/deeper").mkdir(parents=True)
        outputs = [w.entry(y, False), w.entry(stored, False, fmt=NC1HWC0, original=(1, 3, 1, 2))]
        (self.top / "d" / name).write_bytes(w.dump("net/add", [w.entry(x, True)], outputs))
        (self.top / "d/deeper" / name).write_bytes(w.dump("net/add", [w.entry(x, True)], outputs))
        (self.top / "d/readme.txt").write_text("no dump")
        self.call("convert", "-d", "d", "-out", "out")
        self.assertEqual(sorted(path.name for path in (self.top / "out").iterdir()),
                         [f"{name}.{part}.npy" for part in ("input.0", "output.0", "output.1")])  # fmt: skip
        np.testing.assert_array_equal(np.load(self.top / f"out/{name}.output.1.npy"), stored)  # as it is stored
        self.call("convert", "-d", f"d/{name},d/deeper/{name}", "-out", "one", "-o", "0")
        self.assertEqual([path.name for path in (self.top / "one").iterdir()], [f"{name}.output.0.npy"])
        self.call("convert", "-d", f"d/{name}", "-out", "bin", "-t", "bin")
        self.assertEqual((self.top / f"bin/{name}.input.0.1_2.float32.ND.bin").read_bytes(), x.tobytes())
        self.call("convert", "-d", f"d/{name}", "-out", "ms", "-t", "msnpy")  # the last part of "net/add"
        self.assertEqual(sorted(path.name for path in (self.top / "ms").iterdir()),
                         [f"Add.add.1.2.1700000000123456.{part}.npy" for part in ("input.0.ND", "output.0.ND", "output.1.NC1HWC0")])  # fmt: skip
        np.testing.assert_array_equal(np.load(self.top / "ms/Add.add.1.2.1700000000123456.output.0.ND.npy"), y)
        self.assertIn("-t pt is not supported", self.call("convert", "-d", f"d/{name}", "-t", "pt", code=PARAMETER).stderr)

    def test_overflow(self):
        """The record of docs/dump.md, new layout: task 0 of stream 2, status 0x20."""
        block = struct.pack("<6I11Q", 0x5A5A5A5A, 0, 1, 0, 0, 88, 1, 2, 0, 0, 65535, 65535, 0, 0, 0, 0, 0x20).ljust(2048, b"\0")
        place = self.top / "d/20260102030405/0/tiny/1/0"
        place.mkdir(parents=True)
        entry = w.entry(np.frombuffer(block, np.uint8), False)
        (place / "Opdebug.Node_OpDebug.0.2.1767323046000100").write_bytes(w.dump("Node_OpDebug", [], [entry]))
        x, y = np.float32([1e38, 2]), np.float32([np.inf, 20])
        made = w.dump("conv1conv1_relu", [w.entry(x, True)], [w.entry(y, False)])
        (place / "Conv2D.conv1conv1_relu.0.2.1767323046000101").write_bytes(made)
        done = self.call("overflow", "-d", "d", "-out", "out")
        self.assertEqual(done.stdout.splitlines()[:2], ["[Conv2D] conv1conv1_relu", "[AIC][TaskId:0][StreamId:2][Status:32]"])
        self.assertRegex(done.stdout, r"output 0: .* max=inf")
        self.assertEqual(self.one("overflow_summary_*.txt").read_text(), done.stdout)
        self.call("overflow", "-d", "d", code=PARAMETER)
        self.call("overflow", "-d", "d", "-out", "out", "-n", "6", code=PARAMETER)

    def test_exit_codes(self):
        self.trees()
        (self.top / "empty").mkdir()
        self.call("compare", "-m", "empty", "-g", "truth", "-out", "out", code=NO_DUMP)
        self.call("compare", "-m", "nowhere", "-g", "truth", "-out", "out", code=PATH)
        self.call("compare", "-g", "truth", code=PARAMETER)
        self.call("convert", "-d", "empty", "-out", "out", code=NO_DUMP)
        self.call("convert", "-d", "nowhere", "-out", "out", code=PATH)
        self.assertIn("compare, convert, overflow and file_compare", self.call(code=PARAMETER).stderr)
        self.assertIn("there is no command compair", self.call("compair", code=PARAMETER).stderr)
        file = next(path for path in (self.top / "npu").rglob("Relu.alone*"))
        file.write_bytes(file.read_bytes()[:-1])
        self.assertIn(file.name, self.call("compare", "-m", "npu", "-g", "truth", "-out", "out", code=BAD_DUMP).stderr)
        self.assertIn(file.name, self.call("convert", "-d", file, "-out", "out", code=BAD_DUMP).stderr)

    def test_help_is_given_wherever_it_is_asked_for(self):
        for words in (("-h",), ("compare", "-h"), ("compare", "-m", "npu", "--help")):
            self.assertIn("file_compare -m FILE -g FILE", self.call(*words).stdout)

    def test_options_that_are_not_honoured_are_refused_by_name(self):
        self.trees()
        for option in ("-q x", "-a x", "-c x", "-r 1,2", "-s 1", "-p 1", "-max 3", "-advisor", "-op x", "-o 0", "-i 0", "-n 3", "-ml 4",
                       "-ffts", "--ignore_single_op_result", "-alg 0", "-v 1"):  # fmt: skip
            done = self.call("compare", "-m", "npu", "-g", "truth", *option.split(), code=PARAMETER)
            self.assertRegex(done.stderr, rf"{re.escape(option.split()[0].replace('--', '-'))}\b.* is not supported: \w+")
        for option in ("--locat", "-single"):
            self.assertIn("belay blame", self.call("compare", "-m", "npu", "-g", "truth", option, code=PARAMETER).stderr)
        for option in ("-t pt", "-t xyz", "-f NCHW", "-s 1,2", "-c x", "-v 1"):
            self.assertIn("is not supported", self.call("convert", "-d", "npu", *option.split(), code=PARAMETER).stderr)
        self.assertIn("did you mean -out?", self.call("compare", "-m", "npu", "-g", "truth", "-ot", "x", code=PARAMETER).stderr)
        self.assertIn("needs a value", self.call("compare", "-m", code=PARAMETER).stderr)


if __name__ == "__main__":
    unittest.main()
