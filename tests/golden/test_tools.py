# SPDX-License-Identifier: Apache-2.0
"""belay show, convert, overflow and libascend_dump_parser.so, on files that share nothing with them. Oracle: numpy."""
import csv
import json
import os
import pathlib
import stat
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import vendor_reader
import write_dump as w

BELAY, PARSER = sys.argv[1:3]
NAME = "Add.net_add.1.2.1700000000123456"


def belay(*arguments):
    return subprocess.run([BELAY, *map(str, arguments)], capture_output=True, text=True)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        self.out = self.top / "out"

    def write(self, name, content):
        path = self.top / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def converted(self, *arguments, code=0):
        done = belay("convert", self.top / "in", "-o", self.out, *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done


class Overflow(Case):
    def opdebug(self, folder, time, block):
        entry = w.entry(np.frombuffer(bytes(block), np.uint8), False)
        self.write(f"{folder}/Opdebug.Node_OpDebug.9.9.{time}", w.dump("Node_OpDebug", [], [entry]))

    def test_records_of_both_layouts_find_their_operator_by_its_ids(self):
        old = bytearray(2048)
        struct.pack_into("<6Q", old, 256, 3, 4, 5, 0, 0, 0)  # AI Core: stream 4, task 5
        struct.pack_into("<3Q", old, 1024, 0, 1, 8)
        new = struct.pack("<6I11Q", 0x5A5A5A5A, 0, 1, 0, 0, 88, 1, 4, 6, 0, 65535, 65535, 0, 0, 0, 0, 32).ljust(2048, b"\0")
        self.opdebug("0", 1700000000123460, old)
        self.opdebug("1", 1700000000123450, new)
        bad = w.dump("net/add", [], [w.entry(np.float16([[1, 2], [-np.inf, np.nan]]), False)])
        self.write("0/Add.net_add.5.4.1700000000123461", bad)
        self.write("0/Add.wrong.5.4.1700000000123462", bad)  # later
        self.write("0/Add.wrong.5.4.1700000000123459", bad)  # before the record
        self.write("0/Add.wrong.6.4.1700000000123463", bad)  # other ids
        done = belay("overflow", self.top / "in", "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        first, second = json.loads(done.stdout)["overflows"]  # by time
        self.assertEqual((first["task_id"], first["status"], "op_name" in first), (6, 32, False))
        self.assertEqual((second["op_name"], second["model_id"], second["status"]), ("net/add", 3, 8))
        self.assertEqual(second["tensors"][0]["first_index"], [1, 0])
        self.assertEqual(second["tensors"][0]["first_value"], "-inf")
        self.assertIn("1. an operator whose dump file is missing: task 6", belay("overflow", self.top / "in").stdout)

    def test_a_broken_record_is_named(self):
        self.opdebug("0", 1700000000123460, bytes(100))
        done = belay("overflow", self.top / "in")
        self.assertEqual(done.returncode, 3)
        self.assertIn("2048 are expected", done.stderr)


class Convert(Case):
    def test_every_type_comes_back_as_numpy_has_it(self):
        random = np.random.default_rng(1)
        for i, kind in enumerate(w.NUMBERS):
            array = (random.standard_normal((2, 3, 4)) * 50).astype(kind)
            self.write(f"T.t{i}.1.2.{1700000000123456 + i}", w.dump(f"t{i}", [w.entry(array, True)], [w.entry(array[0], False)]))
        self.converted()
        for i, kind in enumerate(w.NUMBERS):
            name = f"T.t{i}.1.2.{1700000000123456 + i}"
            got = np.load(self.out / f"{name}.input.0.npy")
            self.assertEqual((got.dtype, got.shape), (np.dtype(kind), (2, 3, 4)))
            raw = (self.top / "in" / name).read_bytes()
            self.assertTrue(raw.endswith(got.tobytes() + np.load(self.out / f"{name}.output.0.npy").tobytes()))

    def test_odd_tensors_become_what_the_vendor_makes_of_them(self):
        bf16 = np.array([1.5, -2.25, 3e38], np.float32).view(np.uint32) >> 16
        self.write("Odd.odd.1.2.1700000000123456", w.dump("odd", [], [
            w.entry(np.array(7, np.int32), False),
            w.entry(np.zeros((0, 3), np.int8), False),
            w.raw_entry(b"\x01\xff\x03", [3], 0, False),
            w.raw_entry(bf16.astype(np.uint16).tobytes(), [3], 27, False),
            w.raw_entry(b"\xa0\x01", [2, 8], 29, False),
        ]))  # fmt: skip
        self.converted()
        load = lambda i: np.load(self.out / f"Odd.odd.1.2.1700000000123456.output.{i}.npy")
        self.assertEqual((load(0).shape, load(0)[0]), ((1,), 7))
        self.assertEqual((load(1).shape, load(1).dtype), ((0, 3), np.float64))
        np.testing.assert_array_equal(load(2), np.int8([1, -1, 3]))
        np.testing.assert_array_equal(load(3), (bf16.astype(np.uint32) << 16).view(np.float32))
        np.testing.assert_array_equal(load(4), np.unpackbits(np.uint8([0xA0, 1])).reshape(2, 8))

    def test_a_private_format_comes_back_in_logical_order_unless_asked_otherwise(self):
        logical = np.arange(1 * 20 * 2 * 3, dtype=np.float16).reshape(1, 20, 2, 3)
        padded = np.zeros((1, 32, 2, 3), np.float16)
        padded[:, :20] = logical
        stored = np.ascontiguousarray(padded.reshape(1, 2, 16, 2, 3).transpose(0, 1, 3, 4, 2))
        self.write(NAME, w.dump("a", [], [w.entry(stored, False, fmt=3, original=[1, 20, 2, 3])]))
        self.converted()
        np.testing.assert_array_equal(np.load(self.out / f"{NAME}.output.0.npy"), logical)
        self.converted("--as-stored")
        np.testing.assert_array_equal(np.load(self.out / f"{NAME}.output.0.npy"), stored)

    def test_bin_files_carry_shape_type_and_format_in_their_names(self):
        array = np.arange(6, dtype=np.float32).reshape(2, 3)
        self.write(NAME, w.dump("a", [w.entry(array, True)], [], [b"log!"]))
        self.converted("-t", "bin")
        self.assertEqual((self.out / f"{NAME}.input.0.2_3.float32.ND.bin").read_bytes(), array.tobytes())
        self.assertEqual((self.out / f"{NAME}.space.0.bin").read_bytes(), b"log!")

    def test_safetensors_hold_all_tensors_of_an_operator(self):
        array = np.arange(6, dtype=np.int64).reshape(2, 3)
        self.write(NAME, w.dump("a", [w.entry(array, True)], [w.entry(array * 2, False)]))
        self.converted("-t", "safetensors")
        raw = (self.out / f"{NAME}.safetensors").read_bytes()
        length = struct.unpack("<Q", raw[:8])[0]
        header, data = json.loads(raw[8 : 8 + length]), raw[8 + length :]
        self.assertEqual(header["output.0"], {"dtype": "I64", "shape": [2, 3], "data_offsets": [48, 96]})
        np.testing.assert_array_equal(np.frombuffer(data[48:96], np.int64).reshape(2, 3), array * 2)

    def test_folders_are_kept_and_files_are_the_owners(self):
        self.write(f"0/tiny/1/0/{NAME}", w.dump("a", [], [w.entry(np.float32([1]), False)]))
        self.converted()
        path = self.out / "0/tiny/1/0" / f"{NAME}.output.0.npy"
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)

    def test_names_too_long_are_found_in_the_mapping(self):
        long_name = f"Add.{'n' * 210}.1.2.1700000000123456"
        self.write(long_name, w.dump("a", [], [w.entry(np.float32([1]), False)]))
        self.write("12345678901234567890", w.dump("b", [], [w.entry(np.float32([2]), False)]))
        self.write("mapping.csv", f"12345678901234567890,Mul.{'m' * 300}.1.3.1700000000123457\n".encode())
        self.converted()
        mapping = dict(line.split(",", 1) for line in (self.out / "mapping.csv").read_text().splitlines())
        names = {name: short for short, name in mapping.items()}
        self.assertIn("12345678901234567890", mapping)
        self.assertEqual(np.load(self.out / "12345678901234567890.output.0.npy")[0], 2)
        if len(f"{long_name}.output.0.npy") > 249:
            self.assertEqual(np.load(self.out / names[f"{long_name}.output.0.npy"])[0], 1)

    def test_an_overflow_record_becomes_json(self):
        fields = [1, 2, 0, 0, 65535, 65535, 16, 0, 0, 0, 0x20]
        block = struct.pack("<6I11Q", 0x5A5A5A5A, 0, 1, 0, 0, 88, *fields).ljust(2048, b"\0")
        self.write("Opdebug.Node_OpDebug.0.2.1700000000123456", w.dump("Node_OpDebug", [], [w.entry(np.frombuffer(block, np.uint8), False)]))
        self.converted()
        record = json.loads((self.out / "Opdebug.Node_OpDebug.0.2.1700000000123456.output.0.json").read_text())
        self.assertEqual((record["magic"], record["version"], record["acc_list"]["acc_type"]), ("0x5a5a5a5a", 0, "AIC"))
        data = record["acc_list"]["data"]
        self.assertEqual((data["stream_id"], data["task_id"], data["status"], data["pc_start"]), (2, 0, 0x20, "0x10"))

    def test_the_older_overflow_record_becomes_json_too(self):
        block = bytearray(2048)
        struct.pack_into("<6Q", block, 256, 3, 4, 5, 0, 0xABC, 0)
        struct.pack_into("<3Q", block, 1024, 0x99, 1, 8)
        self.write("Opdebug.Node_OpDebug.5.4.1700000000123456", w.dump("Node_OpDebug", [], [w.entry(np.frombuffer(bytes(block), np.uint8), False)]))
        self.converted()
        record = json.loads((self.out / "Opdebug.Node_OpDebug.5.4.1700000000123456.output.0.json").read_text())
        self.assertEqual(record["AI Core"], {"model_id": 3, "stream_id": 4, "task_id": 5, "task_type": 0, "pc_start": "0xabc",
                                             "para_base": "0x0", "kernel_code": "0x99", "block_idx": 1, "status": 8})  # fmt: skip
        self.assertEqual(record["L2 Atomic Add"]["status"], 0)

    def test_a_broken_file_is_named_and_the_others_are_converted(self):
        good = w.dump("a", [], [w.entry(np.float32([1]), False)])
        self.write(NAME, good)
        self.write("Add.cut.1.2.1700000000123457", good[:-1])
        self.write("Add.text.1.2.1700000000123458", w.dump("t", [], [w.raw_entry(b"ab", [1], 13, False)]))
        self.write("notes.txt", b"not ours")
        done = self.converted(code=3)
        self.assertIn("Add.cut.1.2.1700000000123457", done.stderr)
        self.assertIn("DT_STRING", done.stderr)
        self.assertIn("-t bin", done.stderr)
        self.assertNotIn("notes.txt", done.stderr)
        self.assertEqual(sorted(os.listdir(self.out)), [f"{NAME}.output.0.npy"])

    def test_nothing_to_convert_is_said(self):
        self.assertEqual(belay("convert", self.top / "none").returncode, 3)
        (self.top / "in").mkdir()
        self.assertIn("no dump file", self.converted(code=3).stderr)


class Show(Case):
    def shown(self, *arguments, code=0):
        done = belay("show", self.top / "in", "--json", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def test_statistics_are_numpys(self):
        array = np.random.default_rng(3).standard_normal((4, 500)).astype(np.float32)
        array[1, 7] = np.inf
        self.write(NAME, w.dump("net/add", [w.entry(np.arange(-5, 5), True)], [w.entry(array, False)]))
        first, second = self.shown()
        self.assertEqual((first["op_name"], first["tensor"], first["shape"]), ("net/add", "input 0", [10]))
        self.assertEqual((first["max"], first["min"], first["mean"], first["first"]), (4, -5, -0.5, "-5 -4 -3 -2"))
        self.assertAlmostEqual(first["l2norm"], np.linalg.norm(np.arange(-5, 5)), 5)
        self.assertAlmostEqual(second["min"], float(array.min()), 5)
        self.assertEqual((second["max"], second["+inf"], second["-inf"], second["nan"]), ("inf", 1, 0, 0))

    def test_one_operator_can_be_chosen(self):
        for i, name in enumerate(("one", "two")):
            self.write(f"Add.{name}.1.2.{1700000000123456 + i}", w.dump(name, [], [w.entry(np.float32([i]), False)]))
        self.assertEqual([row["op_name"] for row in self.shown("--op", "two")], ["two"])
        self.assertEqual(belay("show", self.top / "in", "--op", "three").returncode, 3)

    def test_statistics_files_are_shown_alike(self):
        self.write("Conv2D.c.0.2.1767323046000100.csv",
                   b"Input/Output,Index,Data Size,Data Type,Format,Shape,Count,Max Value,l2norm\n"
                   b"Output,0,16,DT_FLOAT,NCHW,1x1x2x2,4,8,10.9545\n")  # fmt: skip
        (row,) = self.shown()
        self.assertEqual((row["op_type"], row["tensor"], row["shape"], row["max"], row["l2norm"]),
                         ("Conv2D", "output 0", [1, 1, 2, 2], 8, 10.9545))  # fmt: skip

    def test_a_shape_that_the_writer_could_not_name(self):
        path = self.write("Add.a.0.2.1767323046000100.csv",
                          b"Input/Output,Index,Data Size,Data Type,Format,Shape,Count,Max Value,Min Value\n"
                          b"Output,0,16,DT_FLOAT,ND,NA,NA,NA,NA\nOutput,1,4,DT_FLOAT,ND,-,1,2,1\n")  # fmt: skip
        first, second = self.shown()
        self.assertEqual((first["shape"], first["count"], first["max"]), ("NA", "NA", "NA"))
        self.assertEqual((second["shape"], second["max"]), ([], 2))
        self.assertIn(" NA ", belay("show", path).stdout)
        self.assertEqual([line.split(",")[5] for line in belay("show", path, "--csv").stdout.splitlines()], ["shape", "NA", ""])
        done = belay("overflow", self.top / "in", "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["overflows"]), (0, []), done.stderr)

    def test_names_that_are_no_utf8(self):
        """In the header, in the file's name, in that of a folder; for every command that prints JSON."""
        file = w.dump("net/add", [], [w.entry(np.float32([1, np.inf]), False)]).replace(b"net/add", b"net\xff\xc3dd")
        folder = os.fsencode(self.top) + b"/in/\xe4"
        os.makedirs(folder)
        with open(folder + b"/Add.net_\xff.1.2.1700000000123456", "wb") as made:
            made.write(file)
        (row,) = self.shown()
        self.assertEqual((row["op_name"], row["+inf"]), ("net\ufffd\ufffddd", 1))
        self.assertIn("/in/\ufffd/Add.net_\ufffd.1.2", row["file"])
        done = belay("overflow", self.top / "in", "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(json.loads(done.stdout)["overflows"][0]["op_name"], "net\ufffd\ufffddd")
        self.assertEqual(json.loads(self.converted("--json").stdout)["files"], 1)
        (made,) = [name for _, _, names in os.walk(os.fsencode(self.out)) for name in names]
        self.assertEqual(made, b"Add.net_\xff.1.2.1700000000123456.output.0.npy")

    def test_the_table_and_the_csv_have_a_line_for_each_tensor(self):
        path = self.write(NAME, w.dump("net/add", [w.entry(np.float32([1, 2]), True)], [w.entry(np.float32([3, 4]), False)]))
        table = belay("show", path).stdout.splitlines()
        self.assertEqual(len(table), 4)
        self.assertIn("net/add", table[2])
        lines = belay("show", path, "--csv").stdout.splitlines()
        self.assertEqual(lines[1].split(",")[1:8], ["Add", "net/add", "input 0", "FLOAT", "2", "ND", "8"])
        self.write("Add.odd.1.2.1700000000123457", w.dump('a,"b"', [], [w.entry(np.float32([1]), False)]))
        odd = list(csv.reader(belay("show", self.top / "in" / "Add.odd.1.2.1700000000123457", "--csv").stdout.splitlines()))[1]
        self.assertEqual(odd[1:5], ["Add", 'a,"b"', "output 0", "FLOAT"])


class Parser(Case):
    """The library gets whole files, as the vendor's tools pass them. dump_vendor.py gives it those that we write."""

    def setUp(self):
        super().setUp()
        self.parser = vendor_reader.Parser(PARSER)
        self.file = w.dump("net/add", [w.entry(np.float32([1, 2]), True)], [w.entry(np.float32([3, 4]), False)])

    def refused(self, data, length=None):
        self.assertEqual(self.parser.parse(data, length), (-1, None))

    def test_the_header_becomes_json_as_the_tools_expect_it(self):
        code, text = self.parser.parse(self.file)
        header = json.loads(text)
        self.assertEqual(code, 0)
        self.assertEqual((header["version"], header["dump_time"], header["op_name"]), ("2.0", "1700000000123456", "net/add"))
        self.assertEqual(header["output"][0]["shape"], {"dim": ["2"]})
        self.assertEqual((header["output"][0]["size"], header["output"][0]["data_type"]), ("8", 1))
        self.assertEqual(header["input"][0]["address"], "0")
        self.assertNotIn("original_op", header["output"][0])

    def test_the_documented_file(self):
        """Section "Bytes" of docs/dump.md, to the last one."""
        head = "0a03322e3010e4ebf0b2efeb91031a2608011a060a040101020222 0c0a0a636f6e76315f72656c7530103a060a0401010202488088 04320f636f6e7631636f6e76315f72656c75"
        head = bytes.fromhex(head)
        data = np.float32([2, 4, 6, 8]).tobytes()
        self.assertEqual(len(head), 71)
        header = self.parser.read(self.write("Conv2D.conv1conv1_relu.0.2.1767323046000100", struct.pack("<Q", 71) + head + data))
        self.assertEqual((header["op_name"], header["dump_time"]), ("conv1conv1_relu", "1767323046000100"))
        (output,) = header["output"]
        self.assertEqual((output["data"], output["address"], output["original_op"]["name"]), (data, str(0x10400), "conv1_relu"))

    def test_tensors_are_not_looked_at(self):
        length = 8 + struct.unpack("<Q", self.file[:8])[0]
        for data in (self.file[:length], self.file[:-3], self.file + b"more"):
            self.assertEqual(self.parser.parse(data), self.parser.parse(self.file))

    def test_a_length_that_does_not_fit_is_refused(self):
        (length,) = struct.unpack("<Q", self.file[:8])
        for cut in (0, 1, 7, 8, 9, 8 + length - 1):
            self.refused(self.file[:cut])
        for wrong in (0, len(self.file) - 7, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 8, (1 << 64) - 1):
            self.refused(struct.pack("<Q", wrong) + self.file[8:])
        self.refused(self.file[8 : 8 + length])  # the header alone

    def test_what_is_no_dump_file_is_refused(self):
        self.refused(b"")
        self.refused(None, 0)
        self.refused(None, 100)
        self.refused(bytes(100))
        self.refused(b"\xff" * 100)
        self.refused(struct.pack("<Q", 20) + b"\xff" * 20)
        random = np.random.default_rng(5)
        for size in range(200):  # random bytes may be a message; they must do no harm
            garbage = struct.pack("<Q", size) + random.integers(0, 256, size, np.uint8).tobytes()
            code, text = self.parser.parse(garbage)
            self.assertEqual((code, text is None), (-1, True) if code else (0, False))
        for at in range(len(self.file)):
            damaged = bytearray(self.file)
            damaged[at] ^= 0xFF
            self.parser.parse(bytes(damaged))

    def test_a_target_that_cannot_be_written_is_told(self):
        self.assertEqual(self.parser.call(self.file, len(self.file), b"/no/such/folder/x.json"), -1)
        self.assertEqual(self.parser.call(self.file, len(self.file), None), -1)

    def test_a_name_that_is_no_utf8_is_no_obstacle(self):
        header = self.parser.read(self.write(NAME, self.file.replace(b"net/add", b"net\xff\xc3dd")))
        self.assertEqual(header["op_name"], "net\ufffd\ufffddd")

    def test_it_exports_nothing_else(self):
        names = subprocess.run(["nm", "-D", "--defined-only", PARSER], capture_output=True, text=True).stdout.split("\n")
        self.assertEqual([line.split()[-1] for line in names if line], ["ParseDumpProtoToJson"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
