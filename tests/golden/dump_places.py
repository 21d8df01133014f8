# SPDX-License-Identifier: Apache-2.0
"""Where files go: odd names, permissions, directories that are missing, read-only, full or removed meanwhile."""
import json
import os
import pathlib
import stat
import subprocess
import unittest

import numpy as np
import read_dump
from dump_support import BOTH, F, DumpTest, helper, main, model, tiny


class Names(DumpTest):
    ODD = ["a/b/c", "../../outside", "..", ".", "with space", "back\\slash", "x" * 600, "x" * 599 + "y", "名前", "a_b_c",
           "comma,name", "new\nline", "-rf", "~", "$HOME", "a.b.1.2.1767323046000100"]  # fmt: skip

    def test_no_name_leads_outside_or_into_the_file_of_another(self):
        nodes, value = [], "x"
        for number, name in enumerate(self.ODD):
            nodes.append(helper.make_node("Neg", [value], [f"v{number}"], name))
            value = f"v{number}"
        self.write("odd.onnx", model(nodes, [("x", F, [3])], [(value, F, [3])]))
        self.write("odd.bin", np.float32([1, 2, 3]).tobytes())
        before = set(self.work.rglob("*"))
        config = self.config(dump_list=[{"layer": self.ODD}])
        self.drive(f"init={config}", "input=odd.bin", "load=odd.onnx", "run=2", "finalize")
        made = set(self.work.rglob("*")) - before
        outside = [path for path in made if not path.is_relative_to(self.work / "d") and path.name != "acl.json"]
        self.assertEqual(outside, [])
        for step in range(2):
            directory = next((self.work / "d").glob(f"*/0/odd/1/{step}"))
            dumps = [read_dump.read(path) for path in directory.iterdir() if path.name != "mapping.csv"]
            names = [dump.op_name for dump in dumps if dump.op_name != "x"]
            self.assertEqual(sorted(names), sorted(self.ODD))
            long = [line.split(",", 1) for line in (directory / "mapping.csv").read_text().splitlines()]
            self.assertEqual(len(long), 2)
            for digits, name in long:
                self.assertTrue(digits.isdigit() and (directory / digits).is_file())
                self.assertRegex(name, r"^Neg\.x{599}[xy]\.\d+\.\d+\.\d{16}$")
        leftovers = [path for path in made if path.name.endswith(".part")]
        self.assertEqual(leftovers, [])

    def test_the_model_directory_is_the_mangled_stem(self):
        self.write("my model.v2.onnx", tiny())
        config = self.config(dump_list=[{"model_name": "my model.v2"}])
        self.run_tiny(config, model="my model.v2.onnx")
        self.assertEqual({entry.model for entry in self.entries()}, {"my_model_v2"})

    def test_permissions_do_not_depend_on_the_umask(self):
        for umask in (0o000, 0o277):
            place = f"d{umask}"
            (self.work / place).mkdir()
            config = self.config(path=place, dump_list=[{}])
            old = os.umask(umask)
            try:
                self.run_tiny(config)
            finally:
                os.umask(old)
            self.assertEqual(self.names(place), BOTH)
            for path in (self.work / place).rglob("*"):
                self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o700 if path.is_dir() else 0o600)

    def test_times_increase_strictly(self):
        self.run_tiny(self.config(dump_list=[{}]), runs=50)
        times = [entry.timestamp for entry in self.entries()]
        self.assertEqual(len(times), 150)
        self.assertEqual(len(set(times)), 150)


class Places(DumpTest):
    def test_wrong_directories_are_refused(self):
        self.write("file", "x")
        (self.work / "loop").symlink_to("loop")
        for path in ("missing", "file", "loop"):
            config = self.config(path=path, dump_list=[{}])
            said = self.drive("init", "initdump", f"setdump={config}!100009", "finalize")
            self.assertIn("EP0003", said)
            self.drive(f"init={config}!100009")
        self.assertFalse((self.work / "missing").exists())

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_read_only_directory_is_refused(self):
        (self.work / "d").chmod(0o500)
        self.drive("init", "initdump", f"setdump={self.config(dump_list=[{}])}!100009", "finalize")

    def test_a_relative_path_is_that_of_the_time_it_was_set(self):
        (self.work / "elsewhere").mkdir()
        self.write("relative.json", '{"dump":{"dump_path":"d","dump_list":[{}]}}')
        self.drive("init", "initdump", "setdump=relative.json", f"input={self.work}/x.bin", "chdir=elsewhere",
                   f"load={self.work}/tiny.onnx", "run", "finalizedump", "finalize")  # fmt: skip
        self.assertEqual(self.names(), BOTH)

    def test_a_remote_path_is_stored_below_the_working_directory(self):
        self.write("remote.json", '{"dump":{"dump_path":"10.0.0.1:/far/away","dump_list":[{}]}}')
        said = self.drive("init=remote.json", "input=x.bin", "load=tiny.onnx", "run", "finalize")
        self.assertEqual(self.names("far/away"), BOTH)
        self.assertIn("is remote; files go below the working directory", said)

    def test_a_remote_path_cannot_leave_the_working_directory(self):
        for number, (path, where) in enumerate((("../../x", "x"), ("/a/../../../y/z", "y/z"), ("../", "."))):
            here = self.work / f"sub{number}" / "here"
            here.mkdir(parents=True)
            self.write("remote.json", json.dumps({"dump": {"dump_path": f"10.0.0.1:{path}", "dump_list": [{}]}}))
            self.drive(f"chdir={here}", f"init={self.work}/remote.json", f"input={self.work}/x.bin",
                       f"load={self.work}/tiny.onnx", "run", "finalize")  # fmt: skip
            self.assertEqual(self.names(here / where), BOTH)
            self.assertEqual([p.name for p in here.parent.iterdir()], ["here"])
        (here / "link").symlink_to(self.work / "d")
        self.write("remote.json", '{"dump":{"dump_path":"10.0.0.1:link/x","dump_list":[{}]}}')
        said = self.drive(f"chdir={here}", f"init={self.work}/remote.json!100009")
        self.assertIn("outside of", said)
        self.assertEqual(self.files(), [])

    def test_a_remote_path_of_an_exception_dump_cannot_either(self):
        here = self.work / "sub" / "here"
        here.mkdir(parents=True)
        self.write("remote.json", '{"dump":{"dump_path":"10.0.0.1:../../../x","dump_scene":"aic_err_brief_dump"}}')
        self.drive(f"chdir={here}", f"init={self.work}/remote.json", f"input={self.work}/x.bin", f"load={self.work}/tiny.onnx",
                   "run!507015", "finalize", environment={"BELAY_FAULT": "fail@prob"})  # fmt: skip
        self.assertEqual(len(self.files(here / "x/extra-info/data-dump/0")), 1)
        self.assertEqual([p.name for p in here.parent.iterdir()], ["here"])

    def test_a_time_directory_that_is_removed_meanwhile_is_made_again(self):
        config = self.config(dump_list=[{}])
        self.drive("init", "initdump", f"setdump={config}", "input=x.bin", "load=tiny.onnx", "run", "system=sleep 0.3",
                   f"system=rm -r {self.work}/d/*", "run", "finalizedump", "finalize")  # fmt: skip
        self.assertEqual({entry.step for entry in self.entries()}, {1})

    def test_a_dump_path_that_is_removed_meanwhile_costs_the_files_only(self):
        config = self.config(dump_list=[{}])
        said = self.drive("init", "initdump", f"setdump={config}", "input=x.bin", "load=tiny.onnx",
                          f"system=rm -r {self.work}/d", "run=2", "out=y.bin", "finalizedump!500001", "initdump",
                          "finalizedump", "finalize")  # fmt: skip
        self.assertIn("6 dump files with", said)
        self.assertEqual(said.count("cannot be written"), 1)
        self.assertFalse((self.work / "d").exists())
        self.assertEqual(len((self.work / "y.bin").read_bytes()), 16)

    def test_strict_mode_returns_the_originals_zero(self):
        self.convert("tiny")
        config = self.config(dump_list=[{}])
        self.drive("init", "initdump", f"setdump={config}", "input=x.bin", "load=tiny.om", f"system=rm -r {self.work}/d",
                   "run", "finalizedump", "finalize", environment={"BELAY_STRICT": "1"})  # fmt: skip

    def test_a_file_where_a_directory_should_be(self):
        config = self.config(dump_list=[{}])
        self.drive("init", "initdump", f"setdump={config}", "input=x.bin", "load=tiny.onnx",
                   f"system=rmdir {self.work}/d && touch {self.work}/d", "run", "finalizedump!500001", "finalize")  # fmt: skip

    @unittest.skipIf(os.geteuid() != 0, "only root may mount a small disk")
    def test_a_full_disk_costs_files_but_no_result_and_leaves_no_half_ones(self):
        disk = self.work / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", disk], capture_output=True)
        if mounted.returncode:
            self.skipTest("tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        count = 8192  # 32 KiB a tensor
        nodes = [helper.make_node("Neg", ["x" if i == 0 else f"v{i - 1}"], [f"v{i}"], f"neg{i}") for i in range(20)]
        self.write("net.onnx", model(nodes, [("x", F, [count])], [("v19", F, [count])]))
        x = np.arange(count, dtype=np.float32)
        self.write("net.bin", x.tobytes())
        config = self.config(path="disk", dump_list=[{}])
        said = self.drive("init", "initdump", f"setdump={config}", "input=net.bin", "load=net.onnx", "run", "out=y.bin",
                          "finalizedump!500001", "finalize")  # fmt: skip
        self.assertIn("No space left on device", said)
        self.assertEqual((self.work / "y.bin").read_bytes(), x.tobytes())
        entries = self.entries("disk")
        self.assertGreater(len(entries), 3)
        for entry in entries:
            self.assertEqual(read_dump.read(entry.path).outputs[0].size, 4 * count)
        self.assertEqual([p for p in pathlib.Path(disk).rglob("*.part")], [])


if __name__ == "__main__":
    main()
