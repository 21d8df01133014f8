# SPDX-License-Identifier: Apache-2.0
"""belay compare on files that it did not write: metrics against numpy, columns, rules, broken files, exit codes."""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from compare_table import COLUMNS, table
from write_dump import dump, entry, raw_entry

BELAY = sys.argv.pop(1)
AGREE, DIFFER, USAGE, BAD_INPUT = range(4)
TIME = 1700000000123456
VENDOR = ("Index,OpType,NPUDump,DataType,Address,GroundTruth,DataType,TensorIndex,Shape,CosineSimilarity,MaxAbsoluteError,"
          "AccumulatedRelativeError,RelativeEuclideanDistance,KullbackLeiblerDivergence,StandardDeviation,MeanAbsoluteError,"
          "RootMeanSquareError,MaxRelativeError,MeanRelativeError,CompareFailReason").split(",")  # fmt: skip
METRIC_COLUMNS = [VENDOR[9 + i] for i in (0, 1, 2, 3, 4, 6, 7, 8, 9)]
BFLOAT16 = 27


class Folder(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.a, self.b = (pathlib.Path(self.work.name) / side for side in "ab")
        self.a.mkdir(), self.b.mkdir()
        self.addCleanup(self.work.cleanup)

    def belay(self, *arguments, code):
        command = [BELAY, "compare", str(self.a), str(self.b), *map(str, arguments)]
        run = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(run.returncode, code, f"{command}\n{run.stdout}{run.stderr}")
        return run

    def compared(self, *arguments, code):
        return json.loads(self.belay(*arguments, "--json", code=code).stdout)

    def write(self, folder, name, array, op_type="Add"):
        (folder / f"{op_type}.{name}.1.2.{TIME}").write_bytes(dump(name, outputs=[entry(array, False)], time=TIME))

    def write_both(self, name, ours, truth):
        self.write(self.a, name, ours)
        self.write(self.b, name, truth)


def as_number(value):
    return float(value) if isinstance(value, str) else value


def numbers(dtype, count, seed, among):
    random = np.random.default_rng(seed)
    values = random.standard_normal(count)
    if dtype == np.bool_:
        return values > 0
    if np.issubdtype(dtype, np.integer):
        return np.clip(values * 20 + (100 if np.issubdtype(dtype, np.unsignedinteger) else 0), 0 if dtype(0) - 1 > 0 else -100, 100).astype(dtype)
    with np.errstate(all="ignore"):
        values = values.astype(dtype)
    special = {"zeros": 0, "denormals": 3 * np.finfo(dtype).smallest_subnormal, "nan": np.nan, "inf": np.inf}
    if among in special:
        values[seed % 3 :: 89] = special[among]
    if among == "relu":
        values = np.maximum(values, 0)
    return values


class Metrics(Folder):
    def check(self, cases):
        rows = {row["ours"]["op"]: row for row in self.compared(code=DIFFER)["rows"]}
        self.assertEqual(len(rows), len(cases))
        for name, (ours, truth) in cases.items():
            wanted, got = table(ours, truth), rows[name]["measures"]
            for column in COLUMNS:
                np.testing.assert_allclose(as_number(got[column]), wanted[column], rtol=1e-9, atol=1e-14, err_msg=f"{name} {column}")
            for side, (mean, deviation) in zip(("ours_values", "truth_values"), wanted["deviation"]):
                np.testing.assert_allclose(as_number(got[side]["mean"]), mean, rtol=1e-9, atol=1e-12, err_msg=name)
                np.testing.assert_allclose(as_number(got[side]["deviation"]), deviation, rtol=1e-6, atol=1e-7, err_msg=name)
            same = (ours == truth) | ((ours != ours) & (truth != truth))
            self.assertEqual(got["different"], int((~same).sum()), name)
            self.assertEqual(got["bitwise"], ours.dtype == truth.dtype and ours.tobytes() == truth.tobytes(), name)
            self.assertEqual(got["ours_values"]["nan"], int(np.isnan(ours).sum()) if ours.dtype.kind == "f" else 0, name)
            if not same.all():
                self.assertEqual(got["first"]["at"], int(np.argmin(same)), name)

    def test_are_those_of_numpy_for_all_types_and_sizes(self):
        cases = {}
        types = [np.float32, np.float16, np.float64, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.bool_]
        for dtype in types:
            for count in (1, 5, 17, 2049):
                cases[f"{dtype.__name__}_{count}"] = numbers(dtype, count, 1, ""), numbers(dtype, count, 2, "")
        for one, other in ((np.float16, np.float32), (np.float32, np.float64), (np.int8, np.float32), (np.int32, np.float16)):
            cases[f"{one.__name__}_{other.__name__}"] = numbers(one, 3001, 1, ""), numbers(other, 3001, 2, "")
        for name, pair in cases.items():
            self.write_both(name, *pair)
        self.check(cases)

    def test_are_those_of_numpy_for_special_values(self):
        cases = {}
        for dtype in (np.float32, np.float16, np.float64):
            for among in ("zeros", "denormals", "nan", "inf", "relu"):
                ours, truth = numbers(dtype, 70000, 1, among), numbers(dtype, 70000, 2, among)
                if among == "relu":  # the same zeros: the divergence is finite
                    truth = (ours * np.linspace(0.99, 1.01, ours.size)).astype(dtype)
                cases[f"{dtype.__name__}_{among}"] = ours, truth
            cases[f"{dtype.__name__}_allzero"] = np.zeros(50, dtype), np.zeros(50, dtype)
            cases[f"{dtype.__name__}_truthzero"] = np.ones(50, dtype), np.zeros(50, dtype)
            cases[f"{dtype.__name__}_same"] = (numbers(dtype, 5000, 3, ""),) * 2
        for name, pair in cases.items():
            self.write_both(name, *pair)
        self.check(cases)

    def test_of_bfloat16(self):
        wide = [numbers(np.float32, 3000, seed, "").view(np.uint32) & 0xFFFF0000 for seed in (1, 2)]
        for folder, bits in zip((self.a, self.b), wide):
            data = (bits >> 16).astype(np.uint16).tobytes()
            (folder / f"Add.half.1.2.{TIME}").write_bytes(dump("half", outputs=[raw_entry(data, (3000,), BFLOAT16, False)]))
        got = self.compared(code=DIFFER)["rows"][0]
        self.assertEqual(got["dtype"], "bfloat16")
        wanted = table(*(bits.view(np.float32) for bits in wide))
        for column in COLUMNS:
            np.testing.assert_allclose(as_number(got["measures"][column]), wanted[column], rtol=1e-9, err_msg=column)

    def test_of_an_empty_tensor(self):
        self.write_both("none", np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32))
        self.assertEqual(self.compared(code=AGREE)["rows"][0]["measures"]["elements"], 0)

    def test_ulps_are_those_of_numpys_spacing(self):
        for dtype in (np.float32, np.float16, np.float64):
            ours, truth = numbers(dtype, 1000, 1, ""), numbers(dtype, 1000, 2, "")
            self.write_both(dtype.__name__, ours, truth)
            row = next(row for row in self.compared(code=DIFFER)["rows"] if row["ours"]["op"] == dtype.__name__)
            away = np.abs(ours.astype(np.float64) - truth.astype(np.float64))
            self.assertAlmostEqual(row["measures"]["max_ulp"] / (away / np.spacing(np.abs(truth)).astype(np.float64)).max(), 1, 9)


class Csv(Folder):
    def rows(self, *arguments, code):
        self.belay("--csv", self.a.parent / "out.csv", *arguments, code=code)
        with open(self.a.parent / "out.csv", newline="") as file:
            header, *rows = csv.reader(file)
        return header, rows

    def test_has_the_vendors_columns_and_formats(self):
        ours, truth = numbers(np.float32, 1000, 1, "").reshape(10, 100), numbers(np.float32, 1000, 2, "").reshape(10, 100)
        self.write(self.a, "net_add", ours)
        np.save(self.b / f"net_add.0.{TIME}.npy", truth)
        header, rows = self.rows(code=DIFFER)
        self.assertEqual(header[: len(VENDOR)], VENDOR)
        self.assertEqual(len(rows), 1)
        self.assertEqual(len(rows[0]), len(header))
        row = rows[0]
        self.assertEqual(row[:7], ["0", "Add", "net_add", "float32", "NaN", "net_add", "float32"])
        self.assertEqual(row[7:9], ["net_add:output:0", "[10,100]"])
        wanted = table(ours, truth)
        for column, name in zip(METRIC_COLUMNS, COLUMNS):
            value = wanted[name]
            self.assertEqual(row[header.index(column)], "%.6f" % value if math.isfinite(value) else str(value), column)
        (mean_x, std_x), (mean_y, std_y) = wanted["deviation"]
        small = lambda v: 0.0 if abs(v) < 0.001 else v
        self.assertEqual(row[header.index("StandardDeviation")],
                         "(%.3f;%.3f),(%.3f;%.3f)" % tuple(map(small, (mean_x, std_x, mean_y, std_y))))
        self.assertEqual(row[header.index("CompareFailReason")], "")
        self.assertEqual(row[header.index("Verdict")], "differ")

    def test_two_dumps_have_two_addresses(self):
        self.write_both("add", np.ones(4, np.float32), np.ones(4, np.float32))
        header, rows = self.rows(code=AGREE)
        self.assertEqual(header[:9], VENDOR[:7] + ["Address", "TensorIndex"])
        self.assertEqual(len(rows[0]), len(header))

    def test_bools_scalars_and_the_unmatched_have_their_notes(self):
        self.write_both("flags", np.array([True, False, True]), np.array([True, True, True]))
        self.write_both("scalar", np.array([2], np.float32), np.array([3], np.float32))
        self.write(self.a, "mine", np.ones(3, np.float32))
        self.write(self.b, "yours", np.ones(3, np.float32))
        header, rows = self.rows(code=DIFFER)
        at = {name: header.index(name) for name in header}
        self.assertTrue(all(len(row) == len(header) for row in rows))
        flags, scalar, mine, yours = (next(row for row in rows if name in (row[2], row[at["GroundTruth"]]))
                                      for name in ("flags", "scalar", "mine", "yours"))  # fmt: skip
        self.assertEqual(flags[at["CosineSimilarity"]], "%.6f" % (2 / math.sqrt(6)))
        self.assertEqual({flags[at[name]] for name in ("MaxAbsoluteError", "StandardDeviation", "MeanRelativeError")}, {"NaN"})
        self.assertEqual(scalar[at["CosineSimilarity"]], "1.000000")
        self.assertIn("one element", scalar[at["CompareFailReason"]])
        self.assertEqual((mine[at["GroundTruth"]], yours[2]), ("NaN", "NaN"))
        self.assertNotEqual(mine[at["CompareFailReason"]], "")
        self.assertEqual(mine[at["CosineSimilarity"]], "NaN")


class Verdicts(Folder):
    def test_agree_and_differ_in_one_sentence(self):
        value = numbers(np.float32, 100, 1, "")
        self.write_both("one", value, value)
        self.assertIn("agree: all 1 tensors are equal", self.belay(code=AGREE).stdout)
        self.write_both("two", value * np.float32(1 + 1e-6), value)
        self.assertIn("agree in all 2 tensors; 1 are equal", self.belay(code=AGREE).stdout)
        worse = value.copy()
        worse[7] += 1
        self.write_both("three", worse, value)
        said = self.belay(code=DIFFER).stdout
        self.assertIn("differ in 1 of 3 tensors, first in three output 0: the relative Euclidean distance", said)
        self.assertIn(f"[7] is {worse[7]:.6g}, should be {value[7]:.6g}", said)

    def test_ten_worst_are_shown(self):
        for i in range(14):
            self.write_both(f"op{i}", np.full(8, 1 + i, np.float32), np.ones(8, np.float32))
        lines = self.belay(code=DIFFER).stdout.splitlines()
        self.assertIn("differ in 13 of 14 tensors, first in op1", lines[0])
        self.assertEqual([line.split()[2] for line in lines[2:12]], [f"op{i}" for i in range(13, 3, -1)])
        self.assertEqual(lines[12].strip(), "and 3 more; --csv FILE and --json=FILE have all")

    def test_limits_of_the_command_line(self):
        self.write_both("one", np.array([1.0, 100, 1000], np.float32), np.array([1.0, 101, 1000], np.float32))
        self.belay(code=DIFFER)
        self.belay("--rtol", 0.01, code=AGREE)
        self.belay("--rtol", 0.009, code=DIFFER)
        self.belay("--atol", 1, code=AGREE)
        self.belay("--atol", 0.5, "--rtol", 0.005, code=AGREE)
        self.belay("--cosine", 0.99, code=AGREE)
        self.belay("--cosine", 1, code=DIFFER)
        self.assertIn("'x' is not a number", self.belay("--rtol", "x", code=USAGE).stderr)
        self.assertIn("'-1' is not a number", self.belay("--rtol=-1", code=USAGE).stderr)

    def test_rules(self):
        self.write_both("softmax", np.array([1.0, 2], np.float32), np.array([1.0, 3], np.float32))
        self.write_both("other", np.array([1.0, 2], np.float16), np.array([1.0, 2.5], np.float16))
        rules = self.a.parent / "rules.json"
        rules.write_text('{"rules": [{"op": "soft*", "ignore": true}, {"dtype": "float16", "atol": 0.5}]}')
        self.assertIn("1 ignored", self.belay("--rules", rules, code=AGREE).stdout)
        rules.write_text('[{"dtype": "float16", "atol": 0.25}, {"op": "*", "ignore": true}]')
        self.assertEqual(self.compared("--rules", rules, code=DIFFER)["differ"], 1)
        rules.write_text('[{"op": "soft*", "attol": 1}]')
        self.assertIn('there is no key "attol"; did you mean "atol"?', self.belay("--rules", rules, code=BAD_INPUT).stderr)
        self.belay("--rules", "none.json", code=BAD_INPUT)

    def test_a_nan_on_one_side_differs_whatever_the_limits(self):
        self.write_both("one", np.array([1, np.nan], np.float32), np.array([1, 2], np.float32))
        self.assertIn("finite on one side only", self.belay("--cosine", 0, "--atol", 1e9, code=DIFFER).stdout)
        self.write_both("one", np.array([-np.inf, np.nan, 2], np.float32), np.array([-np.inf, np.nan, 2], np.float32))
        self.belay(code=AGREE)

    def test_a_whole_number_beside_a_float_is_the_same_number_or_differs(self):
        """A wrong class, a wrong mask: whatever the size of the tensor and of the numbers."""
        tokens = np.arange(30000, 31000)
        wrong = tokens.astype(np.float32)
        wrong[7] += 1
        for ours, truth, code in ((np.array([1, 0, 1], np.bool_), np.ones(3, np.float32), DIFFER),
                                  (np.zeros(3, np.int8), np.ones(3, np.float16), DIFFER),
                                  (tokens, wrong, DIFFER), (tokens.astype(np.int32), wrong.astype(np.float64), DIFFER),
                                  (tokens, tokens.astype(np.float32), AGREE),
                                  (2**24 + tokens, (2**24 + tokens).astype(np.float32), AGREE)):  # fmt: skip
            self.write_both("one", ours, truth)
            self.belay(code=code)
            self.write_both("one", truth, ours)
            self.belay(code=code)

    def test_a_report_is_not_written_over_what_is_compared(self):
        for side in (self.a, self.b):
            np.save(side / "x.npy", np.ones(3))
        for option in ("--csv", "--json"):
            command = [BELAY, "compare", self.a / "x.npy", self.b / "x.npy", f"{option}={self.a / '..' / 'b' / 'x.npy'}"]
            run = subprocess.run(list(map(str, command)), capture_output=True, text=True)
            self.assertEqual(run.returncode, USAGE, run.stdout + run.stderr)
            self.assertIn("would overwrite", run.stderr)
        np.testing.assert_array_equal(np.load(self.b / "x.npy"), np.ones(3))

    def test_whole_numbers_have_all_their_digits(self):
        for ours, truth in (((np.uint64(2**64 - 1)), np.uint64(2**64 - 3)), (np.int64(-(2**53) - 1), np.int64(-(2**53))), (np.int32(1234567), np.int32(1234568))):
            self.write_both("one", np.array([5, ours], ours.dtype), np.array([5, truth], ours.dtype))
            self.assertIn(f"[1] is {ours}, should be {truth}", self.belay(code=DIFFER).stdout)
            (row,) = self.compared(code=DIFFER)["rows"]
            self.assertEqual((row["measures"]["worst"]["ours"], row["measures"]["first"]["truth"]), (int(ours), int(truth)))
            self.belay("--csv", self.a.parent / "out.csv", code=DIFFER)
            (line,) = csv.DictReader((self.a.parent / "out.csv").read_text().splitlines())
            self.assertEqual((line["WorstOurs"], line["FirstTruth"]), (str(ours), str(truth)))

    def test_other_shapes_differ_and_other_counts_are_said(self):
        self.write_both("one", np.ones((2, 3), np.float32), np.ones((4, 3), np.float32))
        self.assertIn("[2,3] and [4,3] do not have the same number", self.belay(code=DIFFER).stdout)

    def test_axes_in_another_order_differ_although_the_bytes_are_equal(self):
        self.write_both("x", np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(6, dtype=np.float32).reshape(3, 2))
        self.write_both("y", np.arange(6, dtype=np.float32).reshape(1, 6), np.arange(6, dtype=np.float32))
        self.assertIn("x output 0: the axes are in another order: [2,3], should be [3,2]", self.belay(code=DIFFER).stdout)

    def test_inputs_when_asked_for(self):
        for folder, value in ((self.a, 1), (self.b, 2)):
            parts = dict(inputs=[entry(np.full(3, value, np.float32), True)], outputs=[entry(np.ones(3, np.float32), False)])
            (folder / f"Add.one.1.2.{TIME}").write_bytes(dump("one", **parts))
        self.belay(code=AGREE)
        self.assertIn("one input 0", self.belay("--inputs", code=DIFFER).stdout)

    def test_json_to_a_file(self):
        self.write_both("one", np.ones(3, np.float32), np.ones(3, np.float32))
        out = self.a.parent / "out.json"
        self.assertIn("agree", self.belay(f"--json={out}", code=AGREE).stdout)
        self.assertEqual(json.loads(out.read_text())["agree"], 1)
        self.assertIn("No such file", self.belay("--csv", self.a.parent / "no" / "out.csv", code=BAD_INPUT).stderr)


class Names(Folder):
    def test_an_exact_name_is_not_left_for_one_that_looks_alike(self):
        value = np.arange(5, dtype=np.float32)
        np.save(self.a / "a_b.npy", value)
        np.save(self.a / "a.b.npy", value + 1)
        np.save(self.b / "a_b.npy", value + 1)
        made = self.compared(code=DIFFER)
        self.assertEqual([(row["ours"]["op"], row["truth"]["op"]) for row in made["rows"]], [("a_b", "a_b")])


    def test_long_names_without_a_partner_do_not_take_long(self):
        """2000 names of 200 letters on each side were a minute."""
        np.save(self.a / "one.npy", np.ones(1, np.float32))
        content = (self.a / "one.npy").read_bytes()
        for folder, letter in ((self.a, "p"), (self.b, "q")):
            for i in range(2000):
                (folder / f"{letter * 100}{i}{'x' * 100}.npy").write_bytes(content)
        before = os.times()
        self.belay(code=BAD_INPUT)
        after = os.times()
        self.assertLess(after.children_user - before.children_user, 20)


class Broken(Folder):
    def test_what_cannot_be_read_is_named_and_the_rest_compared(self):
        value = np.arange(1000, dtype=np.float32)
        self.write_both("good", value, value)
        whole = dump("cut", outputs=[entry(value, False)])
        for cut in (0, 5, 20, len(whole) - 1):
            self.write_both("cut", value, value)
            (self.a / f"Add.cut.1.2.{TIME}").write_bytes(whole[:cut])
            run = self.belay(code=BAD_INPUT)
            self.assertIn("Add.cut", run.stderr, cut)
            self.assertIn("agree in what both have: all 1 tensors are equal; 1 could not be read; 1 of", run.stdout, cut)
        (self.a / f"Add.cut.1.2.{TIME}").write_bytes(np.random.default_rng(3).bytes(5000))
        self.assertIn("Add.cut", self.belay(code=BAD_INPUT).stderr)

    def test_broken_arrays(self):
        np.save(self.a / "x.npy", np.ones(10))
        np.save(self.b / "x.npy", np.ones(10))
        (self.a / "y.npy").write_bytes(b"\x93NUMPY\x01\x00\xff\xff")
        np.save(self.b / "y.npy", np.ones(10))
        run = self.belay(code=BAD_INPUT)
        self.assertIn("y.npy", run.stderr)
        self.assertIn("agree in what both have: all 1 tensors", run.stdout)

    def test_what_only_has_the_name_of_a_tensor_is_named(self):
        value = np.ones(10, np.float32)
        self.write_both("good", value, value)
        bad = self.a / "x.npy"
        dumped = self.a / f"Add.x.1.2.{TIME}"
        (self.a.parent / "elsewhere").mkdir()
        for path in (bad, dumped):
            makers = [lambda: os.mkfifo(path), path.mkdir, lambda: path.symlink_to("nothing"), lambda: path.symlink_to(path.name),
                      lambda: path.symlink_to("/dev/zero"), lambda: path.symlink_to(self.a.parent / "elsewhere")]  # fmt: skip
            for number, make in enumerate(makers):
                make()
                self.assertIn(f"{path}: ", self.belay(code=BAD_INPUT).stderr, number)
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        self.belay(code=AGREE)
        (self.a / "linked").symlink_to(self.a.parent / "elsewhere")
        self.assertIn("linked: it is a link to a folder", self.belay(code=BAD_INPUT).stderr)

    @unittest.skipIf(os.geteuid() == 0, "root may read every folder")
    def test_a_folder_without_permission_is_named(self):
        value = np.ones(10, np.float32)
        self.write_both("good", value, value)
        (self.a / "closed").mkdir(mode=0)
        self.assertIn("closed: the folder cannot be read", self.belay(code=BAD_INPUT).stderr)

    def test_limits_that_are_none_are_refused(self):
        self.write_both("one", np.ones(3, np.float32), np.ones(3, np.float32))
        for option, value in (("cosine", 2), ("cosine", -1.5), ("cosine", "nan"), ("rtol", -1), ("rtol", "nan"), ("atol", "inf"),
                              ("atol", "-0.5"), ("rtol", "1e999")):  # fmt: skip
            self.assertRegex(self.belay(f"--{option}={value}", code=USAGE).stderr, f"--{option}.*'{value}' is no")

    def test_endings_in_capitals_count(self):
        for folder, value in ((self.a, 1), (self.b, 2)):
            with open(folder / "T.NPY", "wb") as file:
                np.save(file, np.full(3, value))
        self.belay(code=DIFFER)

    def test_large_finite_numbers_are_not_called_infinite(self):
        self.write_both("far", np.array([1.7e308]), np.array([-1.7e308]))
        self.assertNotIn("finite on one side only", self.belay(code=DIFFER).stdout)

    def test_foreign_files_are_passed_over(self):
        value = np.ones(10, np.float32)
        self.write_both("good", value, value)
        (self.a / "notes.txt").write_text("nothing")
        self.belay(code=AGREE)

    def test_nothing_to_compare(self):
        self.write(self.a, "one", np.ones(3, np.float32))
        self.write(self.b, "two", np.ones(3, np.float32))
        said = self.belay(code=BAD_INPUT).stdout
        self.assertIn("nothing of", said)
        self.assertIn("only in", said)

    def test_no_such_folder(self):
        run = subprocess.run([BELAY, "compare", str(self.a), "/no/such"], capture_output=True, text=True)
        self.assertEqual(run.returncode, BAD_INPUT)


unittest.main()
