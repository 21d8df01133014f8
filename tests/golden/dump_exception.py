# SPDX-License-Identifier: Apache-2.0
"""Exception dumps: what is left of an operator that failed, for each scene; where it goes; what the program hears."""
import os
import re
import stat
import subprocess
import sys

import numpy as np
import read_dump
from dump_support import DumpTest, F, TensorProto, helper, main, model, tiny_conv

EXCEPTIONS = None
FAULTS = {"fail@prob": "it fails because BELAY_FAULT says fail@prob", "crash@prob": "the kernel crashed: SIGSEGV at address 0x10"}
TIME = r"20\d{15}"


class ExceptionTest(DumpTest):
    def program(self, *arguments, fault="", code=0, **environment):
        """The user program: its own output and log."""
        variables = {"BELAY_FAULT": fault, "ASCEND_SLOG_PRINT_TO_STDOUT": "1", "TMPDIR": str(self.work), **environment}
        done = subprocess.run([EXCEPTIONS, *map(str, arguments)], cwd=self.work, capture_output=True, text=True, timeout=100,
                              env=variables)  # fmt: skip
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def scene(self, name, **items):
        return self.config(f"{name}.json", dump_scene=name, **items)

    def only_file(self, below="d"):
        (name,) = self.files(below)
        return self.work / below / name

    def check_ids(self, said, path):
        """The message names everything, the path included; the callback had the same ids."""
        ids = re.search(r'SoftmaxV2 prob: .*; model "tiny" \(1\), kernel (\w+), device 0, stream (\d+), task (\d+)', said)
        self.assertTrue(ids, said)
        self.assertIn(f"; its exception dump is {path}\n", said)
        self.assertIn(f"heard of device 0, stream {ids[2]}, task {ids[3]}, code 507015\n", said)
        self.assertIn("\nit is prob\n", said)
        self.assertTrue(re.search(rf"dump exception to file, tid:\d+, path:{re.escape(str(path))}", said), said)
        return ids[1], int(ids[2]), int(ids[3])


class Exceptions(ExceptionTest):
    def test_brief(self):
        for alias in ("aic_err_brief_dump", "lite_exception"):
            for fault, why in FAULTS.items():
                said = self.program(self.scene(alias), "tiny.onnx", "x.bin", "async", fault=fault)
                self.assertIn("async: 507015", said)
                path = self.only_file()
                kernel, stream, task = self.check_ids(said, path)
                self.assertTrue(re.fullmatch(rf"extra-info/data-dump/0/exception_info\.{stream}\.{task}\.{TIME}", str(path.relative_to(self.work / "d"))), path)
                self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o400)
                self.assertEqual(stat.S_IMODE(path.parent.stat().st_mode), 0o700)
                dump = read_dump.read(path)
                self.assertEqual((dump.version, dump.op_name, dump.attributes), ("2.0", "", []))
                (taken,), (given,) = dump.inputs, dump.outputs
                self.assertEqual((taken.data_type, taken.format, taken.shape, taken.size, taken.arg_index, taken.input_type),
                                 (0, 0, [1, 1, 2, 2], 16, 0, 2))  # fmt: skip
                self.assertEqual((given.data_type, given.format, given.shape, given.size, given.arg_index, given.input_type),
                                 (0, 0, [1, 1, 2, 2], 16, 1, 0))  # fmt: skip
                for tensor in (taken, given):
                    self.assertEqual((tensor.original_shape, tensor.sub_format, tensor.address), (None, 0, 0))
                np.testing.assert_array_equal(np.frombuffer(taken.data, np.float32), tiny_conv().ravel())
                self.assertTrue(all(line.startswith("[Dump][Exception] ") for line in dump.dfx_message.splitlines()))
                self.assertIn(f"node_name:prob, node_type:SoftmaxV2, stream_id:{stream}, task_id:{task}, device_id:0, kernel_name:{kernel}, error_code:507015\n", dump.dfx_message)
                self.assertIn(why, dump.dfx_message)
                self.assertIn("begin to load input tensor, index:0\n", dump.dfx_message)
                self.assertNotIn("maybe invalid", dump.dfx_message)
                path.unlink()

    def test_norm(self):
        for fault, why in FAULTS.items():
            said = self.program(self.scene("aic_err_norm_dump"), "tiny.onnx", "x.bin", "async", fault=fault)
            path = self.only_file()
            kernel, stream, task = self.check_ids(said, path)
            self.assertTrue(re.fullmatch(rf"extra-info/data-dump/0/SoftmaxV2\.prob\.{task}\.{TIME}", str(path.relative_to(self.work / "d"))), path)
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o400)
            dump = read_dump.read(path)
            self.assertEqual((dump.version, dump.op_name, dump.attributes), ("2.0", "prob", []))
            (taken,), (given,) = dump.inputs, dump.outputs
            self.assertEqual((taken.data_type, taken.format, taken.shape, taken.size, taken.arg_index, taken.input_type),
                             (1, 0, [1, 1, 2, 2], 16, 0, 2))  # fmt: skip
            self.assertEqual((given.data_type, given.shape, given.size, given.arg_index), (1, [1, 1, 2, 2], 16, 1))
            np.testing.assert_array_equal(taken.array(), tiny_conv())
            lines = dump.dfx_message.splitlines()
            self.assertTrue(lines[0].startswith(f"[AIC_INFO] node_name:prob, node_type:SoftmaxV2, stream_id:{stream}, task_id:{task}, "), lines[0])
            self.assertIn("[AIC_INFO] attr axes:[-1]", lines)
            self.assertIn(why, lines[1])
            path.unlink()

    def test_a_synchronous_execution_tells_and_leaves_the_same(self):
        said = self.program(self.scene("aic_err_norm_dump"), "tiny.onnx", "x.bin", "sync", fault="crash@prob")
        self.assertIn("sync: 507015", said)
        self.check_ids(said, self.only_file())

    def test_the_process_goes_on_and_every_failure_has_its_file(self):
        said = self.program(self.scene("aic_err_norm_dump"), "tiny.onnx", "x.bin", *["async", "sync"] * 5, fault="crash@prob")
        self.assertEqual(said.count("sync: 507015"), 10)
        self.assertIn("heard 10", said)
        self.assertEqual(len(self.files()), 10)

    def test_a_buffer_that_is_not_there_is_an_error_of_the_operator_that_would_read_it(self):
        self.write("neg.onnx", model([helper.make_node("Neg", ["x"], ["y"], "op")], [("x", F, [64])], [("y", F, [64])]))
        said = self.program(self.scene("aic_err_norm_dump"), "neg.onnx", "nowhere", "async")
        self.assertIn("Neg op: input 0 is not accessible: its 256 bytes at 0x1000 cannot be read; model \"neg\" (1), kernel Neg_", said)
        path = self.only_file()
        dump = read_dump.read(path)
        self.assertEqual(dump.inputs[0].data, bytes(256))
        self.assertIn("[Dump][Exception] the address maybe invalid", dump.dfx_message)

    def test_a_large_buffer_that_is_not_there_ends_no_thread_of_ours(self):
        self.write("large.onnx", model([helper.make_node("Exp", ["x"], ["y"], "op")], [("x", F, [1 << 22])], [("y", F, [1 << 22])]))
        said = self.program(self.scene("aic_err_brief_dump"), "large.onnx", "nowhere", *["async", "sync"] * 5, BELAY_NUM_THREADS="8")
        self.assertEqual(said.count("sync: 507015"), 10)

    def test_a_change_of_layout_that_crashes_is_told_too(self):
        weight = np.ones((16, 16, 3, 3), np.float32)
        self.write("conv.onnx", model([helper.make_node("Conv", ["x", "w"], ["y"], "conv", pads=[1] * 4)], [("x", F, [1, 16, 8, 8])], [("y", F, [1, 16, 8, 8])], {"w": weight}))
        said = self.program(self.scene("aic_err_norm_dump"), "conv.onnx", "nowhere", "async")
        self.assertIn("async: 507015", said)
        self.assertRegex(said, r"(TransData change_of_layout|Conv2D conv): input 0 is not accessible: its 4096 bytes at 0x1000")
        self.assertEqual(len(self.files()), 1)

    def test_a_bad_index_is_an_error_with_its_file(self):
        x, more = np.float32([[1, 2, 3], [4, 5, 6]]), np.float32([[7, 8, 9]])
        nodes = {
            "Gather": (["x", "i"], [1, 1, 3], {"axis": 0}),
            "GatherElements": (["x", "i"], [1, 1], {"axis": 0}),
            "GatherND": (["x", "i"], [1, 3], {}),
            "ScatterND": (["x", "i", "u"], [2, 3], {}),
            "ScatterElements": (["x", "i", "v"], [2, 3], {"axis": 0}),
        }
        for op, (ins, shape, attributes) in nodes.items():
            weights = {"x": x, "u": more, "v": more[:, :1]}
            node = helper.make_node(op, ins, ["y"], "pick", **attributes)
            made = model([node], [("i", TensorProto.INT64, [1, 1])], [("y", F, shape)], {k: weights[k] for k in ins if k != "i"})
            self.write("index.onnx", made)
            for index in (1, 2, 99, -3, 2**31, -(2**63), 2**63 - 1):
                self.write("i.bin", np.int64([index]).tobytes())
                said = self.program(self.scene("aic_err_norm_dump"), "index.onnx", "i.bin", "async")
                if index == 1:
                    self.assertIn("async: 0", said)
                    continue
                self.assertIn("async: 507015", said)
                self.assertRegex(said, rf": index {index} \(element 0 of the indices\) is outside")
                path = self.only_file()
                self.assertIn([index], [list(tensor.array().ravel()) for tensor in read_dump.read(path).inputs])
                path.unlink()

    def test_single_operators(self):
        for fault in ("fail@Add", "crash@Add"):
            said = self.program(self.scene("aic_err_norm_dump"), "-", "-", "device", "aclnn", "aclop", fault=fault)
            self.assertIn("aclnn: 507015", said)
            self.assertIn("aclop: 507015", said)
            self.assertIn("heard 2", said)
            self.assertIn("aclnnAdd: Add Add", said)
            for name in self.files():
                dump = read_dump.read(self.work / "d" / name)
                np.testing.assert_array_equal(dump.inputs[0].array().ravel(), np.arange(8))
                self.assertTrue(re.fullmatch(rf"extra-info/data-dump/0/Add\.\w+\.\d+\.{TIME}", name), name)
                (self.work / "d" / name).unlink()

    def test_the_environment_enables_and_says_where(self):
        scenes = {"aic_err_brief_dump": "exception_info", "aic_err_norm_dump": "SoftmaxV2"}
        for scene, stem in scenes.items():
            for number, (variables, where) in enumerate((({}, "."), ({"ASCEND_WORK_PATH": "w/a"}, "w/a"),
                                                         ({"ASCEND_WORK_PATH": "w/a", "ASCEND_DUMP_PATH": "w/b"}, "w/b"))):  # fmt: skip
                self.program("-", "tiny.onnx", "x.bin", "async", fault="fail@prob", ASCEND_DUMP_SCENE=scene, **variables)
                (made,) = (self.work / where / "extra-info").rglob(f"{stem}.*")
                made.unlink()
        self.program("-", "tiny.onnx", "x.bin", "async", fault="fail@prob", ASCEND_DUMP_SCENE="aic_err_detail_dump", code=1)
        self.assertEqual(len(list((self.work / "extra-info").rglob("*.core"))), 1)

    def test_npu_collect_path_means_norm_and_wins_over_a_configured_scene(self):
        said = self.program(self.scene("aic_err_brief_dump"), "tiny.onnx", "x.bin", "async", fault="fail@prob", NPU_COLLECT_PATH="npu")
        self.assertIn("dump_scene aic_err_brief_dump changes nothing: the exception dump aic_err_norm_dump is on", said)
        self.assertEqual(len(list((self.work / "npu").rglob("SoftmaxV2.prob.*"))), 1)
        self.assertEqual(self.files(), [])

    def test_a_scene_that_is_none_is_ignored_with_a_warning(self):
        said = self.program("-", "tiny.onnx", "x.bin", "async", fault="fail@prob", ASCEND_DUMP_SCENE="lite_exception")
        self.assertIn('ASCEND_DUMP_SCENE is ignored: "lite_exception" is not one of', said)
        self.assertFalse((self.work / "extra-info").exists())

    def test_the_configured_path_is_made_when_something_fails(self):
        config = self.config("b.json", path="not/yet", dump_scene="aic_err_brief_dump")
        self.program(config, "tiny.onnx", "x.bin", "async")
        self.assertFalse((self.work / "not").exists())
        self.program(config, "tiny.onnx", "x.bin", "async", fault="fail@prob")
        self.assertEqual(len(self.files("not/yet")), 1)
        elsewhere = {"ASCEND_DUMP_PATH": str(self.work / "env")}
        self.program(config, "tiny.onnx", "x.bin", "async", fault="fail@prob", **elsewhere)
        self.assertEqual((len(self.files("not/yet")), len(self.files("env"))), (1, 1))

    def test_a_place_that_cannot_be_written_is_said(self):
        self.write("file", "")
        said = self.program(self.config(path="file", dump_scene="aic_err_norm_dump"), "tiny.onnx", "x.bin", "async", fault="fail@prob")
        self.assertIn("async: 507015", said)
        self.assertIn("; its exception dump could not be written: ", said)
        said = self.program(self.scene("aic_err_norm_dump"), "tiny.onnx", "x.bin", "async", fault="fail@prob;enospc@10")
        self.assertIn("No space left on device", said)
        self.assertEqual(self.files(), [])

    def test_setdump_and_finalizedump(self):
        norm, brief = self.scene("aic_err_norm_dump"), self.scene("aic_err_brief_dump")
        said = self.program("-", "tiny.onnx", "x.bin", "async", "initdump", f"setdump={norm}", f"setdump={brief}", "async",
                            "finalizedump", "async", "path", "initdump", f"setdump={brief}", "async", "path",
                            fault="fail@prob")  # fmt: skip
        self.assertEqual(said.count("async: 507015"), 4)
        self.assertIn("dump_scene aic_err_brief_dump changes nothing", said)
        self.assertEqual(sorted(name.split("/")[3].split(".")[0] for name in self.files()), ["SoftmaxV2", "exception_info"])
        self.assertIn("path: 500001", said)
        self.assertIn(f"path {self.work}/d/extra-info/data-dump/0\nroot {self.work}/d/extra-info/data-dump\npath: 0", said)

    def test_an_environments_dump_stays_after_finalizedump(self):
        brief = self.scene("aic_err_brief_dump")
        self.program("-", "tiny.onnx", "x.bin", "initdump", f"setdump={brief}", "finalizedump", "async", fault="fail@prob",
                     ASCEND_DUMP_SCENE="aic_err_norm_dump")  # fmt: skip
        self.assertEqual(len(list((self.work / "extra-info").rglob("SoftmaxV2.*"))), 1)

    def test_detail_must_come_before_the_device_and_cannot_be_undone(self):
        detail = self.scene("aic_err_detail_dump")
        said = self.program("-", "tiny.onnx", "x.bin", "initdump", f"setdump={detail}", "async", fault="fail@prob")
        self.assertIn(f"setdump={detail}: 500000", said)
        self.assertIn("aic_err_detail_dump must be set before aclrtSetDevice is called", said)
        self.assertIn("async: 507015", said)
        self.program("-", "-", "-", "initdump", f"setdump={detail}", "finalizedump", "device", "load=tiny.onnx", "async",
                     fault="fail@prob", code=1)  # fmt: skip
        self.assertTrue(self.only_file().name.endswith(".core"))

    def test_a_second_process_on_the_device_falls_back_to_brief(self):
        detail = self.scene("aic_err_detail_dump")
        first = subprocess.Popen([EXCEPTIONS, detail, "tiny.onnx", "x.bin", "async"], cwd=self.work, stdout=subprocess.PIPE, text=True,
                                 env={"BELAY_FAULT": "delay@prob:4000", "TMPDIR": str(self.work)})  # fmt: skip
        while not list(self.work.glob("belay-detail-*")):
            self.assertIsNone(first.poll())
        said = self.program(detail, "tiny.onnx", "x.bin", "async", fault="fail@prob")
        first.communicate()
        self.assertEqual(first.returncode, 0)
        self.assertIn("this one falls back to aic_err_brief_dump", said)
        self.assertIn("async: 507015", said)
        self.assertTrue(self.only_file().name.startswith("exception_info."))

    def test_setting_the_device_again_leaves_detail_on(self):
        said = self.program(self.scene("aic_err_detail_dump"), "tiny.onnx", "x.bin", "device", "device", "async", fault="fail@prob", code=1)
        self.assertNotIn("falls back", said)
        self.assertTrue(self.only_file().name.endswith(".core"))

    def test_a_lock_whose_process_was_killed_is_free(self):
        self.write(f"belay-detail-{os.getuid()}-0.lock", "")
        self.program(self.scene("aic_err_detail_dump"), "tiny.onnx", "x.bin", "async", fault="fail@prob", code=1)
        self.assertTrue(self.only_file().name.endswith(".core"))

    def test_a_device_directory_that_leads_elsewhere_gets_nothing(self):
        (self.work / "out").mkdir()
        (self.work / "d/extra-info/data-dump").mkdir(parents=True)
        (self.work / "d/extra-info/data-dump/0").symlink_to(self.work / "out")
        said = self.program(self.scene("aic_err_norm_dump"), "tiny.onnx", "x.bin", "async", "path", "save=sub/x", fault="fail@prob")
        self.assertIn("its exception dump could not be written: ", said)
        self.assertIn("path: 500001", said)
        self.assertIn("save=sub/x: 500001", said)
        said = self.program(self.scene("aic_err_detail_dump"), "tiny.onnx", "x.bin", "async", fault="fail@prob", code=1)
        self.assertIn("outside of", said)
        self.assertEqual(list((self.work / "out").iterdir()), [])

    def test_conflicts(self):
        for scene in ("lite_exception", "aic_err_brief_dump", "aic_err_norm_dump", "aic_err_detail_dump", "watcher"):
            for other in ("dump_debug", "dump_op_switch"):
                config = self.scene(scene, **{other: "on"})
                said = self.program(config, "-", "-", code=3)
                self.assertIn("aclInit: 100009", said)
                self.assertIn("EP0005", said)
        said = self.program(self.scene("aic_err_norm_dump", dump_list=[{}]), "tiny.onnx", "x.bin", "async", fault="fail@prob")
        self.assertIn("dump_list is ignored", said)
        self.assertEqual(len(self.files()), 1)

    def test_an_operator_dump_beside_an_environments_exception_dump(self):
        config = self.config(dump_list=[{}], dump_mode="all")
        self.program(config, "tiny.onnx", "x.bin", "async", fault="fail@prob", ASCEND_DUMP_SCENE="aic_err_norm_dump")
        self.assertEqual(self.names(), [("Conv2D", "conv1conv1_relu"), ("Data", "x")])  # those that ran
        self.assertEqual(len(list((self.work / "extra-info").rglob("SoftmaxV2.*"))), 1)

    def test_results_are_the_same_bits(self):
        rng = np.random.default_rng(3)
        nodes = [helper.make_node("Conv", ["x", "w"], ["a"], "conv", pads=[1] * 4), helper.make_node("Relu", ["a"], ["b"], "r"),
                 helper.make_node("Exp", ["b"], ["c"], "e"), helper.make_node("Neg", ["c"], ["d"], "n"),
                 helper.make_node("Softmax", ["d"], ["y"], "s", axis=1)]  # fmt: skip
        made = model(nodes, [("x", F, [1, 3, 9, 9])], [("y", F, [1, 8, 9, 9])], {"w": rng.standard_normal((8, 3, 3, 3)).astype(np.float32)})
        self.write("m.onnx", made)
        self.write("m.bin", rng.standard_normal((1, 3, 9, 9)).astype(np.float32).tobytes())
        got = []
        for config in ("init", f"init={self.scene('aic_err_norm_dump')}"):
            self.drive(config, "input=m.bin", "load=m.onnx", "run", "out=y.bin", "finalize")
            got.append((self.work / "y.bin").read_bytes())
        self.assertEqual(*got)

    def test_what_a_program_saves_itself(self):
        said = self.program(self.scene("aic_err_brief_dump"), "-", "-", "save=early", "device", "save=mine", "save=sub/dir/mine.x")
        self.assertIn("save=early: 500001", said)  # no device yet
        self.assertIn("save=mine: 0", said)
        self.assertIn("save=sub/dir/mine.x: 0", said)
        first, second = self.files()
        self.assertTrue(re.fullmatch(rf"extra-info/data-dump/0/mine\.custom\.{TIME}", first), first)
        self.assertTrue(re.fullmatch(rf"extra-info/data-dump/0/sub/dir/mine\.x\.custom\.{TIME}", second), second)
        path = self.work / "d" / first
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o400)
        dump = read_dump.read(path)
        self.assertEqual(dump.op_name, path.name)
        self.assertEqual(dump.attributes, [("user_tag", "mine")])
        (taken,), (given,), (space,) = dump.inputs, dump.outputs, dump.spaces
        self.assertEqual((taken.arg_index, taken.input_type, taken.data_type, taken.shape), (2, 2, 1, [2]))
        self.assertEqual((given.arg_index, list(taken.array()), list(given.array())), (1, [5, 6], [3, 4]))
        self.assertEqual((space.arg_index, list(np.frombuffer(space.data, np.float32))), (0, [1, 2]))
        self.assertEqual(len(dump.dfx_message.splitlines()), 3)
        (self.work / "out").mkdir()
        (self.work / "d/extra-info/data-dump/0/link").symlink_to(self.work / "out")
        said = self.program(self.scene("aic_err_brief_dump"), "-", "-", "device", "save=link/x", "save=link/new/dir/x", "save=/a/x")
        self.assertIn("save=link/new/dir/x: 500001", said)
        self.assertIn("save=link/x: 500001", said)
        self.assertIn("outside of", said)
        self.assertIn("save=/a/x: 0", said)
        self.assertEqual(list((self.work / "out").iterdir()), [])  # no directory either
        self.assertIn("save=x: 500001", self.program("-", "-", "-", "device", "save=x"))


class Cores(ExceptionTest):
    """The core files of the detail scene, opened with gdb."""

    def backtrace(self, core):
        """With the symbol of the innermost frame, whose whole name "bt" takes from debug information that may lack it."""
        done = subprocess.run(["gdb", "-batch", "-nx", "-ex", "bt", "-ex", "info symbol $pc", EXCEPTIONS, str(core)],
                              capture_output=True, text=True,
                              env={**os.environ, "DEBUGINFOD_URLS": ""})  # fmt: skip
        return done.stdout + done.stderr

    def test_detail_leaves_a_core_that_gdb_opens_and_ends_the_process(self):
        for fault, why in FAULTS.items():
            said = self.program(self.scene("aic_err_detail_dump"), "tiny.onnx", "x.bin", "async", fault=fault, code=1)
            self.assertNotIn("507015\n", said.replace("code 507015", ""))  # it ended before
            path = self.only_file()
            self.assertIn(f"; its exception dump is {path}; the process ends, as aic_err_detail_dump says", said)
            self.assertIn(why, said)
            self.assertTrue(re.fullmatch(rf"extra-info/data-dump/0/\w+\.\d+\.\d+\.{TIME}\.core", str(path.relative_to(self.work / "d"))), path)
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o400)
            trace = self.backtrace(path)
            self.assertIn("CrashingKernel::run" if "crash" in fault else "Program::run_step", trace)
            self.assertIn("RegisteredModel::run", trace)
            self.assertIn("Stream::work", trace)
            self.assertIn("SIGSEGV" if "crash" in fault else "SIGABRT", trace)
            path.unlink()

    def test_the_core_holds_the_operators_tensors(self):
        self.program(self.scene("aic_err_detail_dump"), "tiny.onnx", "x.bin", "async", fault="crash@prob", code=1)
        self.assertIn(tiny_conv().tobytes(), self.only_file().read_bytes())

    def test_a_kernel_that_really_crashes_is_on_the_stack(self):
        self.write("neg.onnx", model([helper.make_node("Neg", ["x"], ["y"], "op")], [("x", F, [64])], [("y", F, [64])]))
        said = self.program(self.scene("aic_err_norm_dump"), "neg.onnx", "readonly", "async", "sync")
        self.assertEqual(said.count("sync: 507015"), 2)
        self.assertIn("Neg op: the kernel crashed: SIGSEGV at address 0x", said)
        for name in self.files():
            (self.work / "d" / name).unlink()
        self.program(self.scene("aic_err_detail_dump"), "neg.onnx", "readonly", "async", code=1)
        trace = self.backtrace(self.only_file())
        self.assertIn("belay::backend::cpu::", trace)
        self.assertNotIn("CrashingKernel", trace)


if __name__ == "__main__":
    EXCEPTIONS = sys.argv.pop(3)
    main()
