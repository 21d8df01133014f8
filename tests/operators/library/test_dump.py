# SPDX-License-Identifier: Apache-2.0
"""Dumps of single operators: which files there are, how they are called, what they hold."""
import glob
import json
import os
import struct
import tempfile
import unittest

from driver import *

stream = start()


class Dump:
    """What runs inside is dumped; afterwards `files` are (op_type, op_name, bytes), in time order."""

    def __init__(self, **options):
        self.folder = tempfile.TemporaryDirectory()
        self.config = {"dump": {"dump_path": self.folder.name, "dump_list": [], "dump_op_switch": "on", **options}}

    def __enter__(self):
        path = os.path.join(self.folder.name, "acl.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.config, file)
        call("aclmdlInitDump")
        call("aclmdlSetDump", path.encode())
        return self

    def __exit__(self, *_):
        call("aclmdlFinalizeDump")
        found = []
        for path in glob.glob(os.path.join(self.folder.name, "*", "0", "*")):
            kind, name, task, stream_id, time = os.path.basename(path).split(".")[:5]
            with open(path, "rb") as file:
                found.append((int(time), kind, name, int(task), file.read()))
        self.files = sorted(found)
        self.folder.cleanup()


def data(content):
    """The bytes after the header."""
    return content[8 + struct.unpack("<Q", content[:8])[0] :]


def add():
    a, b = np.arange(8, dtype=np.float32).reshape(4, 2), np.array([[1, 1], [1, 2], [2, 2], [3, 3]], np.float32)
    out = np.zeros((4, 2), np.float32)
    return a, b, out


class SingleOperators(unittest.TestCase):
    def test_aclop_has_one_file_with_inputs_and_outputs(self):
        a, b, out = add()
        with Dump(dump_mode="all") as dump:
            aclop(stream, "Add", [a, b], [out])
        self.assertEqual(len(dump.files), 1)
        _, kind, name, _, content = dump.files[0]
        self.assertEqual(kind, "Add")
        self.assertRegex(name, r"^Add\d+$")
        self.assertEqual(data(content), a.tobytes() + b.tobytes() + (a + b).tobytes())

    def test_aclnn_has_a_file_of_the_kernel_and_one_of_the_call(self):
        a, b, out = add()
        with Dump(dump_mode="output") as dump:
            aclnn(stream, "aclnnAdd", a, b, 1.0, out)
        self.assertEqual(len(dump.files), 2)
        for (_, kind, name, _, content), level, wanted in zip(dump.files, ("L0", "L2"), ("AddAiCore", "aclnnAdd")):
            self.assertRegex(kind, rf"^aclnnAdd_\d+_{level}$")
            self.assertEqual(name, wanted)
            self.assertEqual(np.frombuffer(data(content), np.float32).tolist(), [1, 2, 3, 5, 6, 7, 9, 10])
        self.assertEqual(dump.files[0][1].split("_")[1], dump.files[1][1].split("_")[1])
        self.assertEqual(dump.files[0][3], dump.files[1][3])

    def test_aclnn_inputs_come_before_and_outputs_after(self):
        a, b, out = add()
        with Dump(dump_mode="all") as dump:
            aclnn(stream, "aclnnAdd", a, b, 1.0, out)
        self.assertEqual([f[1][-2:] for f in dump.files], ["L2", "L0", "L0", "L2"])
        both = a.tobytes() + b.tobytes()
        self.assertEqual([data(f[4]) for f in dump.files], [both, both, (a + b).tobytes(), (a + b).tobytes()])

    def test_in_place_inputs_are_those_before_the_call(self):
        a, b, _ = add()
        before = a.copy()
        with Dump(dump_mode="input") as dump:
            aclnn(stream, "aclnnInplaceMul", a, b)
        self.assertTrue(all(data(f[4]) == before.tobytes() + b.tobytes() for f in dump.files))
        self.assertEqual(len(dump.files), 2)

    def test_levels_and_the_switch(self):
        a, b, out = add()
        for options, aclops, aclnns in (({"dump_level": "op"}, 1, 0), ({"dump_level": "kernel"}, 0, 2),
                                        ({"dump_op_switch": "off", "dump_list": [{}]}, 0, 0)):
            with Dump(**options) as dump:
                aclop(stream, "Add", [a, b], [out])
                aclnn(stream, "aclnnAdd", a, b, 1.0, out)
            kinds = [f[1] for f in dump.files]
            self.assertEqual((kinds.count("Add"), sum("aclnn" in k for k in kinds)), (aclops, aclnns), options)

    def test_nothing_is_dumped_afterwards(self):
        a, b, out = add()
        with Dump() as dump:
            pass
        aclop(stream, "Add", [a, b], [out])
        self.assertEqual(dump.files, [])

    def test_statistics(self):
        a, b, out = add()
        with Dump(dump_data="stats") as dump:
            aclop(stream, "Add", [a, b], [out])
        self.assertEqual(len(dump.files), 1)
        self.assertIn(b"Output", dump.files[0][4])


class NamedTensors(unittest.TestCase):
    def test_a_program_dumps_tensors_of_its_own(self):
        a, b, _ = add()
        made = AclnnCall()
        tensors = [made.tensor(a), made.tensor(b.T)]
        with Dump(dump_mode="all") as dump:
            call("aclDumpOpTensors", b"Mine", b"here/now", (c.c_void_p * 2)(*tensors), c.c_size_t(1), c.c_size_t(1), stream)
            call("aclrtSynchronizeStream", stream)
        self.assertEqual([f[1:3] for f in dump.files], [("Mine", "here_now")] * 2)
        self.assertEqual([data(f[4]) for f in dump.files], [a.tobytes(), b.T.tobytes()])
        self.assertEqual(lib.aclDumpOpTensors(None, b"x", None, c.c_size_t(0), c.c_size_t(0), stream), 161001)


class Arguments(unittest.TestCase):
    def test_the_kernels_of_aclnn_calls_are_recorded_once_each(self):
        a, b, out = add()
        with tempfile.TemporaryDirectory() as folder:
            call("aclopStartDumpArgs", 1, folder.encode())
            for _ in range(2):
                aclnn(stream, "aclnnAdd", a, b, 1.0, out)
            call("aclopStopDumpArgs", 1)
            found = sorted(glob.glob(os.path.join(folder, f"{os.getpid()}_debug", "*.json")))
            self.assertEqual([os.path.basename(path) for path in found], ["Add_float_ND_4_2_0.json"])
            with open(found[0], encoding="utf-8") as file:
                text = file.read()
            record = json.loads(text)
            self.assertEqual(list(record), sorted(record))
            self.assertFalse(text.endswith("\n"))
            self.assertEqual([t["name"] for t in record["inputs"]], ["x1", "x2"])
            self.assertEqual(record["inputs"][0], {
                "dtype": "float", "format": "ND", "index": 0, "is_view": False, "name": "x1", "origin_format": "ND",
                "origin_shape": [4, 2], "param_type": "required", "shape": [4, 2], "value_depend": False})
            self.assertEqual((record["op_type"], record["outputs"][0]["name"], record["attrs"]), ("Add", "y", []))
            self.assertEqual((record["bin_info"], record["bin_type"]), ("", 0))
            compiled = glob.glob(os.path.join(folder, f"{os.getpid()}_opcompile", "*.json"))
            self.assertEqual(len(compiled), 1)
            self.assertEqual(glob.glob(os.path.join(folder, str(os.getpid()), "*.json")), [])


if __name__ == "__main__":
    unittest.main()
