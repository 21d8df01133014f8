# SPDX-License-Identifier: Apache-2.0
"""Trees that were not made to be friendly: names that reach for the terminal or the spreadsheet, pipes, links and closed folders,
values of every odd kind. What every command must do with them. Usage: hostile_trees.py BELAY [TEST...]"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unicodedata
import unittest

import numpy as np

from write_dump import dump, entry

BELAY = sys.argv.pop(1)
AGREE, DIFFER, USAGE, BAD_INPUT = range(4)
TIME = 1700000000123456
# What a name may do: colour and clear a terminal, forge a line, turn the direction of the text, be a formula, end a quoted field.
NAMES = ["\x1b[31mred\x1b[2J", "two\nall 9 tensors are equal", "right\u202eleft", "=cmd|'/C calc'!A0", '",="quoted', "+1+1", "@SUM(A1)",
         "\x9b31m", "100%s%n", "tab\tand\rreturn", "\u00e4\u6f22", "-2+3"]  # fmt: skip


def has_power(text):
    """Characters that do something to a terminal, other than beginning a line."""
    return [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs")]


class Hostile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        for side in "ab":
            (self.top / side).mkdir()

    def belay(self, *arguments, code=None):
        run = subprocess.run([BELAY, *map(str, arguments)], cwd=self.top, capture_output=True)
        if code is not None:
            self.assertEqual(run.returncode, code, run.stdout.decode() + run.stderr.decode())
        return run

    def write(self, side, name, array, number=1, op_type="Add"):
        path = self.top / side / f"{op_type}.op{number}.{number}.2.{TIME + number}"
        path.write_bytes(dump(name, [entry(array, True)], [entry(array, False)]))
        return path


class Names(Hostile):
    def setUp(self):
        super().setUp()
        for number, name in enumerate(NAMES):
            self.write("a", name, np.float32([1, number]), number)
            self.write("b", name, np.float32([1, 5]), number)
        self.write("a", "only\x1b[5mhere", np.float32([1]), 90)

    def test_nothing_that_is_printed_has_power(self):
        for command in (["show", "a"], ["match", "a", "b"], ["compare", "a", "b"], ["overflow", "a"], ["compare", "a", "b", "--csv", "t.csv"],
                        ["show", "a", "--csv"], ["msaccucmp", "compare", "-m", "a", "-g", "b", "-out", "o"],
                        ["replay", "a", "--op", NAMES[0]], ["compare", "a", NAMES[0]], ["show", NAMES[1]], ["match", "a", NAMES[2]]):  # fmt: skip
            run = self.belay(*command)
            for text in (run.stdout.decode(), run.stderr.decode()):
                self.assertEqual(has_power(text), [], command)
                self.assertNotIn("\nall 9 tensors", text, command)

    def test_tables_for_spreadsheets_have_no_formulas(self):
        self.belay("compare", "a", "b", "--csv", "t.csv", code=DIFFER)
        shown = self.belay("show", "a", "--csv", code=AGREE).stdout.decode()
        for text in ((self.top / "t.csv").read_bytes().decode(), shown):
            self.assertEqual(has_power(text), [])
            rows = list(csv.reader(io.StringIO(text)))
            self.assertEqual({len(row) for row in rows}, {len(rows[0])})
            for row in rows:
                for field in row:
                    try:
                        float(field)
                    except ValueError:
                        self.assertNotIn(field[:1], list("=+-@\t\r"), row)

    def test_json_has_the_names_themselves(self):
        rows = json.loads(self.belay("compare", "a", "b", "--json", code=DIFFER).stdout)["rows"]
        self.assertEqual({row["ours"]["op"] for row in rows}, set(NAMES))

    def test_names_of_files_are_shown_the_same_way(self):
        np.save(self.top / "a" / "clear\x1b[2J.npy", np.ones(3))
        (self.top / "a" / "cut\x1b[2J.npy").write_bytes(b"no")
        for command in (["compare", "a", "b"], ["match", "a", "b"]):
            run = self.belay(*command, code=BAD_INPUT)
            self.assertEqual(has_power(run.stdout.decode() + run.stderr.decode()), [])
            self.assertIn("cut\\x1b[2J.npy", run.stderr.decode())


class Entries(Hostile):
    """What is named like a dump file and is none, or hides some, is named by every command that reads trees."""

    def commands(self):
        return (["show", "a"], ["convert", "a", "-o", "out"], ["overflow", "a"], ["match", "a", "b"], ["compare", "a", "b"],
                ["msaccucmp", "overflow", "-d", "a", "-out", "out"])  # fmt: skip

    def check(self, name, why):
        for command in self.commands():
            run = self.belay(*command)
            self.assertIn(run.returncode, (BAD_INPUT, 11), command)
            self.assertRegex(run.stderr.decode(), f"{name}: {why}", command)
            self.assertEqual(run.stderr.decode().count(f"{name}: "), 1, command)
        self.assertIn(name, self.belay("replay", "a", "--op", "good").stderr.decode())

    def test_pipes_links_and_folders(self):
        for side in "ab":
            self.write(side, "good", np.float32([1, 2]))
        path = self.top / "a" / f"Add.odd.1.2.{TIME}"
        (self.top / "elsewhere").mkdir()
        for make, why in ((lambda: os.mkfifo(path), "it is not a regular file"), (path.mkdir, "it is a folder"),
                          (lambda: path.symlink_to("nothing"), "it is a link to nothing"),
                          (lambda: path.symlink_to(path.name), "Too many levels"),
                          (lambda: path.symlink_to(self.top / "elsewhere"), "it is a link to a folder")):  # fmt: skip
            make()
            self.check(path.name, why)
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()

    @unittest.skipIf(os.geteuid() == 0, "root may read every folder")
    def test_closed_folders(self):
        for side in "ab":
            self.write(side, "good", np.float32([1, 2]))
        (self.top / "a" / "closed").mkdir(mode=0)
        self.check("closed", "the folder cannot be read")


class Values(Hostile):
    def test_odd_values_are_compared_as_numpy_does(self):
        tiny = np.float32([1e-45, -1e-45, 2e-40])
        cases = {"none": np.zeros((0, 3), np.float32), "scalar": np.array(3, np.float32), "nan": np.full(5000, np.nan, np.float32),
                 "tiny": tiny, "inf": np.full(70000, -np.inf, np.float16), "bool": np.array([True, False]),
                 "long": np.array([2**63 - 1, -(2**63)], np.int64)}  # fmt: skip
        for side in "ab":
            for number, (name, array) in enumerate(cases.items()):
                self.write(side, name, array, number)
        made = json.loads(self.belay("compare", "a", "b", "--inputs", "--json", code=AGREE).stdout)
        self.assertEqual(made["agree"], 2 * len(cases))
        for row in made["rows"]:
            self.assertEqual((row["measures"]["different"], row["measures"]["bitwise"]), (0, True), row["ours"]["op"])
            self.assertEqual(row["measures"]["elements"], cases[row["ours"]["op"]].size)
        self.write("a", "tiny", -tiny, list(cases).index("tiny"))
        (row,) = [row for row in json.loads(self.belay("compare", "a", "b", "--json", code=DIFFER).stdout)["rows"]
                  if row["verdict"] == "differ"]  # fmt: skip
        self.assertEqual((row["ours"]["op"], row["measures"]["different"]), ("tiny", 3))
        self.assertAlmostEqual(row["measures"]["max_absolute"], float(np.abs(np.float64(tiny) * 2).max()), delta=1e-50)

    def test_one_side_inside_of_the_other(self):
        self.write("a", "good", np.float32([1, 2]))
        (self.top / "a" / "deeper").mkdir()
        self.write("a/deeper", "good", np.float32([1, 2]))
        self.belay("compare", "a/deeper", "a", code=AGREE)
        self.belay("compare", "a", "a", code=AGREE)


if __name__ == "__main__":
    unittest.main()
