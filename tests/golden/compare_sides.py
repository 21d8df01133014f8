# SPDX-License-Identifier: Apache-2.0
"""Sides of every kind hold the same elements: arrays that numpy wrote against a dump tree, private formats against plain ones,
and files that are damaged. Usage: compare_sides.py BELAY [TEST...]"""
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

import numpy as np
from npu_tree import FRACTAL_NZ, NC1HWC0, ND, NHWC, NpuTree
import write_dump as w

BELAY = sys.argv.pop(1)
TYPES = [np.float32, np.float16, np.float64, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.bool_]
SAFE = {np.float32: "F32", np.float16: "F16", np.float64: "F64", np.int8: "I8", np.uint8: "U8", np.int16: "I16", np.uint16: "U16",
        np.int32: "I32", np.uint32: "U32", np.int64: "I64", np.uint64: "U64", np.bool_: "BOOL"}  # fmt: skip
RNG = np.random.default_rng(11)


def safetensors(arrays):
    header, data = {}, b""
    for name, array in arrays.items():
        header[name] = {"dtype": SAFE[array.dtype.type], "shape": array.shape, "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class Sides(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)

    def run_belay(self, *arguments):
        return subprocess.run([BELAY, *map(str, arguments)], cwd=self.top, capture_output=True, text=True)

    def compared(self, ours, truth, code=0):
        """The rows of a comparison."""
        done = self.run_belay("compare", ours, truth, "--json=report.json")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        rows = json.loads((self.top / "report.json").read_text())["rows"]
        return [{"op": row["ours"]["op"], "shape": row["shape"], **row["measures"]} for row in rows]

    def arrays(self):
        """One array of each type, and a tree of them."""
        arrays = {f"op_{kind.__name__}": (RNG.standard_normal((3, 4, 5)) * 50).astype(kind) for kind in TYPES}
        tree = NpuTree(self.top / "tree")
        for name, array in arrays.items():
            tree.write("Add", name, w.entry(array, False))
        return arrays

    def check_all_equal(self, side, count):
        for ours, truth in ((side, "tree"), ("tree", side)):
            rows = self.compared(ours, truth)
            self.assertEqual(len(rows), count)
            for row in rows:
                self.assertEqual((row["different"], row["bitwise"], row["shape"]), (0, True, [3, 4, 5]), row)

    def test_arrays_of_every_type_and_file(self):
        arrays = self.arrays()
        (self.top / "npy").mkdir()
        (self.top / "columns").mkdir()
        for name, array in arrays.items():
            np.save(self.top / "npy" / f"{name}.npy", array)
            np.save(self.top / "columns" / f"{name}.npy", np.asfortranarray(array))
        np.savez(self.top / "stored.npz", **arrays)
        np.savez_compressed(self.top / "deflated.npz", **arrays)
        (self.top / "all.safetensors").write_bytes(safetensors(arrays))
        for side in ("npy", "columns", "stored.npz", "deflated.npz", "all.safetensors"):
            self.check_all_equal(side, len(TYPES))

    def test_large_archives(self):
        """zip64 fields, as numpy writes them for what may be large."""
        arrays = self.arrays()
        with zipfile.ZipFile(self.top / "wide.npz", "w") as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.save(member, array)
        self.check_all_equal("wide.npz", len(TYPES))

    def test_what_belay_converts_is_a_side(self):
        arrays = self.arrays()
        for kind in ("npy", "safetensors"):
            self.assertEqual(self.run_belay("convert", "tree", "-t", kind, "-o", kind).returncode, 0)
            self.check_all_equal(kind, len(arrays))

    def test_one_wrong_element_is_found_in_any_format(self):
        x = RNG.standard_normal((2, 35, 5, 7)).astype(np.float16)
        wrong = x.copy()
        wrong[1, 33, 2, 6] += 8
        matrix = RNG.standard_normal((3, 20, 37)).astype(np.float16)
        wrong_matrix = matrix.copy()
        wrong_matrix[2, 19, 36] += 8
        tree = NpuTree(self.top / "npu")
        tree.write("Conv2D", "five", tree.output(wrong, NC1HWC0, "five"))
        tree.write("Conv2D", "four", tree.output(wrong, NHWC, "four"))
        tree.write("MatMulV2", "nz", tree.output(wrong_matrix, FRACTAL_NZ, "nz", origin_format=ND))
        np.savez(self.top / "truth.npz", five=x, four=x, nz=matrix)
        rows = {row["op"]: row for row in self.compared("npu", "truth.npz", code=1)}
        for name, at in (("five", [1, 33, 2, 6]), ("four", [1, 33, 2, 6]), ("nz", [2, 19, 36])):
            self.assertEqual((rows[name]["different"], rows[name]["worst"]["index"]), (1, at), name)
        np.savez(self.top / "channels_last.npz", five=x.transpose(0, 2, 3, 1), four=x.transpose(0, 2, 3, 1), nz=matrix)
        rows = {row["op"]: row for row in self.compared("npu", "channels_last.npz", code=1)}
        self.assertEqual((rows["five"]["different"], rows["five"]["worst"]["index"]), (1, [1, 2, 6, 33]))

    def test_damaged_files_are_refused_with_a_sentence(self):
        """Cut anywhere, or with a byte changed: never a crash, and what is said names the file."""
        arrays = {"a": np.arange(100, dtype=np.float32), "b": np.float16([1])}
        np.save(self.top / "good.npy", arrays["a"])
        np.savez(self.top / "good.npz", **arrays)
        np.savez_compressed(self.top / "packed.npz", **arrays)
        (self.top / "good.safetensors").write_bytes(safetensors(arrays))
        pick = random.Random(4)
        for good in ("good.npy", "good.npz", "packed.npz", "good.safetensors"):
            content = (self.top / good).read_bytes()
            bad = self.top / ("bad" + pathlib.Path(good).suffix)
            for attempt in range(24):
                broken = bytearray(content[: pick.randrange(len(content))]) if attempt % 2 else bytearray(content)
                if attempt % 2 == 0:
                    broken[pick.randrange(len(content))] ^= 1 << pick.randrange(8)
                bad.write_bytes(broken)
                done = self.run_belay("compare", bad.name, good)
                self.assertIn(done.returncode, (0, 1, 3), (good, attempt, done.stderr))
                if done.returncode == 3 and done.stderr:
                    self.assertIn("bad", done.stderr)

    def test_many_members(self):
        """Opening a member costs the same whatever their number is."""
        arrays = {f"layer{i}/w": np.float32([i, i + 1]) for i in range(10000)}
        np.savez(self.top / "many.npz", **arrays)
        (self.top / "many.safetensors").write_bytes(safetensors(arrays))
        wrong = dict(arrays, **{"layer7777/w": np.float32([1, 2])})
        np.savez(self.top / "wrong.npz", **wrong)
        self.assertEqual(len(self.compared("many.npz", "many.safetensors")), 10000)
        rows = self.compared("wrong.npz", "many.npz", code=1)
        self.assertEqual([row["op"] for row in rows if row["different"]], ["layer7777/w"])

    def test_members_of_one_name(self):
        """numpy reads the last; nobody knows which was meant."""
        np.savez(self.top / "good.npz", a=np.ones(3), b=np.ones(4))
        with zipfile.ZipFile(self.top / "two.npz", "w") as archive:
            for name, value in (("a.npy", np.ones(3)), ("b.npy", np.ones(4)), ("a.npy", np.zeros(3))):
                with archive.open(name, "w") as member:
                    np.save(member, value)
        done = self.run_belay("compare", "two.npz", "good.npz")
        self.assertEqual(done.returncode, 3)
        self.assertIn("two.npz has 2 members a.npy", done.stderr)
        self.assertIn("all 1 tensors are equal; 1 could not be read", done.stdout)
        one = json.dumps({"dtype": "F32", "shape": [1], "data_offsets": [0, 4]})
        text = f'{{"a": {one}, "a": {one}}}'.encode()
        (self.top / "two.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + b"1234")
        self.assertIn("it has two arrays a", self.run_belay("compare", "two.safetensors", "good.npz").stderr)

    def test_a_folder_for_unpacked_arrays_that_is_not_there(self):
        np.savez_compressed(self.top / "packed.npz", a=np.ones(3))
        np.savez(self.top / "more.npz", b=np.ones(3))
        for side in ("x", "y"):
            (self.top / side).mkdir()
            for name in ("packed.npz", "more.npz"):
                (self.top / side / name).write_bytes((self.top / name).read_bytes())
        done = subprocess.run([BELAY, "compare", "x", "y"], cwd=self.top, capture_output=True, text=True, env={**os.environ, "TMPDIR": "/nowhere"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("packed.npz, a.npy: cannot make /nowhere/belay-", done.stderr)
        self.assertIn("all 1 tensors are equal; 1 could not be read", done.stdout)

    def test_checksums_of_stored_members(self):
        np.savez(self.top / "good.npz", a=np.arange(1000), b=np.ones(1000))
        content = bytearray((self.top / "good.npz").read_bytes())
        content[content.index(np.arange(1000).tobytes()) + 4000] ^= 1
        (self.top / "bad.npz").write_bytes(content)
        with self.assertRaises(zipfile.BadZipFile):
            np.load(self.top / "bad.npz")["a"]
        done = self.run_belay("compare", "bad.npz", "good.npz")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, "bad.npz: a.npy is damaged.*checksum")
        self.assertIn("all 1 tensors are equal; 1 could not be read", done.stdout)

    def test_safetensors_whose_offsets_contradict_their_shapes(self):
        """As the safetensors library refuses them: each tensor has the bytes of its shape, and none shares them."""

        def entry(shape, begin, end):
            return {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}

        np.save(self.top / "a.npy", np.zeros(2, np.float32))
        for header, why in (({"a": entry([2], 0, 16)}, "a is F32 [2], but has 16 bytes"), ({"a": entry([2], 0, 4)}, "has 4 bytes"),
                            ({"a": entry([2**40, 2**40], 0, 8)}, "has 8 bytes"),
                            ({"a": entry([2], 0, 8), "b": entry([2], 4, 12)}, "a and b overlap"),
                            ({"a": entry([2], 0, 8), "b": entry([1], 0, 4)}, "begins where another does")):  # fmt: skip
            text = json.dumps(header).encode()
            (self.top / "bad.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + bytes(16))
            done = self.run_belay("compare", "bad.safetensors", "a.npy")
            self.assertEqual(done.returncode, 3)
            self.assertIn(why, done.stderr)

    def test_an_npy_header_says_true_or_false(self):
        """As numpy's own reader, which refuses any other fortran_order."""
        np.save(self.top / "a.npy", np.arange(6.0).reshape(2, 3))
        good = (self.top / "a.npy").read_bytes()
        (self.top / "b.npy").write_bytes(good.replace(b"False", b"1    "))
        done = self.run_belay("compare", "b.npy", "a.npy")
        self.assertEqual(done.returncode, 3)
        self.assertIn("fortran_order is neither True nor False", done.stderr)

    def test_types_that_are_no_tensors(self):
        np.save(self.top / "big.npy", np.arange(4, dtype=">f4"))
        np.save(self.top / "text.npy", np.array(["a", "b"]))
        for name in ("big.npy", "text.npy"):
            done = self.run_belay("compare", name, name)
            self.assertEqual(done.returncode, 3)
            self.assertIn("is no tensor", done.stderr)


if __name__ == "__main__":
    unittest.main()
