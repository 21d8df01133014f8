# SPDX-License-Identifier: Apache-2.0
"""belay run: inputs, shapes and gears from the command line, and what it refuses. numpy is the oracle.
Usage: run_command.py DRIVER ATC BELAY [TEST...]"""
import json
import os
import re
import resource
import shutil
import subprocess
import sys

import numpy as np
from dump_support import F, DumpTest, helper, main, model

ATC = BELAY = None


def sums(shape):
    """y = x + x and z = -x."""
    nodes = [helper.make_node("Add", ["x", "x"], ["y"]), helper.make_node("Neg", ["x"], ["z"])]
    return model(nodes, [("x", F, shape)], [("y", F, shape), ("z", F, shape)])


class RunCommand(DumpTest):
    def call(self, name, *options, code=0):
        done = subprocess.run([BELAY, "run", name, *options], cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def report(self, name, *options):
        return json.loads(self.call(name, "--json", *options).stdout)

    def shapes(self, name, *options):
        return [output["shape"] for output in self.report(name, *options)["outputs"]]

    def refusal(self, name, *options, code=3):
        return self.call(name, *options, code=code).stderr

    def convert(self, made, name, *options):
        self.write("m.onnx", made)
        command = [ATC, "--model=m.onnx", "--framework=5", f"--output={name}", "--soc_version=Ascend910B3", *options]
        done = subprocess.run(command, cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        return f"{name}.om"

    def test_inputs_come_from_files_and_outputs_go_to_files(self):
        self.write("m.onnx", sums([2, 3]))
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        np.save(self.work / "x.npy", x)
        x.tofile(self.work / "x.bin")
        for option in ("x.npy", "x.bin", "x=x.npy"):
            self.call("m.onnx", "--input", option, "-o", "out")
            np.testing.assert_array_equal(np.load(self.work / "out/output_0.npy"), x + x)
            np.testing.assert_array_equal(np.load(self.work / "out/output_1.npy"), -x)

    def test_no_run_begins_once_the_seconds_are_over(self):
        self.write("m.onnx", sums([2, 3]))
        self.assertEqual(self.report("m.onnx", "--repeat", "4", "--seconds", "1e-9")["runs"], 1)
        self.assertEqual(self.report("m.onnx", "--repeat", "4", "--seconds", "1e9")["runs"], 4)
        for wrong in ("0", "-1", "two", "nan", "1e999"):
            self.assertIn(f"--seconds: '{wrong}' is not a number above 0", self.refusal("m.onnx", "--seconds", wrong, code=2))

    def small_disk(self):
        """A file system of 64 KiB, or None where none can be mounted."""
        disk = self.work / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True).returncode:
            return None
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        return disk

    def check_full_disk(self, fault, level):
        """21 files of about 8 KiB, room for less than 64 KiB."""
        nodes = [helper.make_node("Neg", [f"v{i}"], [f"v{i + 1}"], f"neg{i}") for i in range(20)]
        self.write("net.onnx", model(nodes, [("v0", F, [2048])], [("v20", F, [2048])]))
        config = self.config(path="disk", dump_list=[{}])
        variables = {**os.environ, "ASCEND_GLOBAL_LOG_LEVEL": level, "ASCEND_PROCESS_LOG_PATH": str(self.work / "log"),
                     "BELAY_FAULT": fault}  # fmt: skip
        done = subprocess.run([BELAY, "run", "net.onnx", "--dump", config], cwd=self.work, capture_output=True, text=True,
                              env=variables)  # fmt: skip
        print(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("v20", done.stdout)  # the results are shown all the same
        files = [path for path in (self.work / "disk").rglob("*") if path.is_file()]
        self.assertLess(len(files), 21)
        self.assertLessEqual(sum(path.stat().st_size for path in files), 65536)
        sentence = (rf"{21 - len(files)} dump files with (\d+) bytes could not be written; the first: \S+: "
                    "No space left on device")  # fmt: skip
        self.assertRegex(done.stderr, f"belay run: the dump is not whole: {sentence}\n$")
        lost = int(re.search(sentence, done.stderr).group(1))
        self.assertGreater(lost, (21 - len(files)) * 8192)
        self.assertEqual(len(re.findall(f"^belay: {sentence}$", done.stderr, re.M)), 0 if level == "4" else 1)

    def test_a_full_disk_is_said_and_is_no_success(self):
        if not self.small_disk():
            self.skipTest("tmpfs cannot be mounted here; the next test has BELAY_FAULT=enospc instead")
        self.check_full_disk("", "3")

    def test_room_for_some_files_only_is_said_whether_logs_are_on_or_off(self):
        for level in ("3", "4"):
            shutil.rmtree(self.work / "disk", ignore_errors=True)
            (self.work / "disk").mkdir()
            self.check_full_disk("enospc@64K", level)

    def test_a_limit_on_files_is_as_a_full_disk(self):
        self.write("net.onnx", model([helper.make_node("Neg", ["x"], ["y"])], [("x", F, [5 << 20])], [("y", F, [5 << 20])]))
        config = self.config(dump_list=[{}])
        for sync in ("0", "1"):
            done = subprocess.run([BELAY, "run", "net.onnx", "--dump", config], cwd=self.work, capture_output=True, text=True,
                                  env={**os.environ, "BELAY_DUMP_SYNC": sync},
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16 << 20, 16 << 20)))  # fmt: skip
            self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
            self.assertRegex(done.stderr, "belay run: the dump is not whole: 2 dump files with .*: File too large\n$")

    def test_json_says_what_was_lost(self):
        config = self.config(dump_list=[{}])
        done = subprocess.run([BELAY, "run", "tiny.onnx", "--json", "--dump", config], cwd=self.work, capture_output=True,
                              text=True, env={**os.environ, "BELAY_FAULT": "enospc@0"})  # fmt: skip
        self.assertEqual(done.returncode, 3)
        self.assertIn("3 dump files with", json.loads(done.stdout)["dump_lost"])

    def test_a_failed_execution_begins_with_its_reason(self):
        variables = {**os.environ, "BELAY_FAULT": "fail@prob", "ASCEND_GLOBAL_LOG_LEVEL": "3",
                     "ASCEND_PROCESS_LOG_PATH": str(self.work / "log")}  # fmt: skip
        done = subprocess.run([BELAY, "run", "tiny.onnx"], cwd=self.work, capture_output=True, text=True, env=variables)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        said = [line for line in done.stderr.splitlines() if line.startswith("belay run: ")]
        self.assertTrue(said and said[0].startswith("belay run: SoftmaxV2 prob: it fails because BELAY_FAULT"), done.stderr)
        logs = "".join(path.read_text() for path in (self.work / "log").rglob("*.log"))
        self.assertIn("prob: it fails because", logs)
        for text in (done.stderr, logs):
            self.assertNotIn("ascend_mbatch_shape_data", text)

    def test_a_dump_by_a_remote_path_is_found(self):
        self.write("acl.json", '{"dump":{"dump_path":"10.0.0.1:../../far","dump_list":[{}]}}')
        said = self.call("tiny.onnx", "--dump", "acl.json").stdout
        self.assertNotIn("nothing was dumped", said)
        (where,) = (self.work / "far").iterdir()
        self.assertIn(f"dump in {where}/\n", said)
        self.assertTrue(self.report("tiny.onnx", "--dump", "acl.json")["dump"].startswith(str(self.work / "far") + "/"))

    def test_keys_that_nobody_knows_are_said_with_the_nearest(self):
        section = {"dump_path": "d", "dump_list": [{}, {"layers": ["prob"]}], "dump_lists": []}
        self.write("acl.json", json.dumps({"dump": section, "profile": {}}))
        done = self.call("tiny.onnx", "--dump", "acl.json")
        self.assertEqual(len(self.names()), 3)  # they are ignored
        for key, nearest in (("dump.dump_lists", "dump_list"), ("dump.dump_list[1].layers", "layer"), ("profile", "profiler")):
            self.assertEqual(done.stderr.count(f"acl.json: {key} is not a known key and is ignored"), 1, done.stderr)
            self.assertRegex(done.stderr, rf"(?m)^belay run: acl.json: {re.escape(key)} is .*\b{nearest}\b")
        self.write("good.json", json.dumps({"dump": {"dump_path": "d", "dump_list": [{}]}}))
        self.assertEqual(self.call("tiny.onnx", "--dump", "good.json").stderr, "")

    def test_variables_that_cannot_be_used_are_said_on_stderr_once(self):
        wrong = {"BELAY_DEVICES": "x", "BELAY_DEVICE_MEMORY": "much", "BELAY_SOC_NAME": "Foo", "BELAY_NUM_THREADS": "-1",
                 "BELAY_DUMP_MEMORY": "0", "BELAY_TRACE": "/no/such/folder/trace", "BELAY_STRICT": "yes"}  # fmt: skip
        self.config(dump_list=[{"model_name": "tiny"}])
        command = [BELAY, "run", "tiny.onnx", "--dump", "acl.json"]
        for level, count in (("3", 1), ("4", 0)):
            variables = {**os.environ, **wrong, "ASCEND_GLOBAL_LOG_LEVEL": level}
            done = subprocess.run(command, cwd=self.work, capture_output=True, text=True, env=variables)
            self.assertEqual(done.returncode, 0, done.stderr)
            for name, value in wrong.items():
                self.assertEqual(done.stderr.count(f"belay: {name}={value} "), count, done.stderr)
        empty = {**os.environ, **dict.fromkeys(wrong, "")}
        done = subprocess.run(command, cwd=self.work, capture_output=True, text=True, env=empty)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_random_inputs_follow_the_seed_and_fill_the_whole_tensor(self):
        self.write("m.onnx", sums(["n", 64]))
        first, again, other = (self.report("m.onnx", "--shape", "x:32,64", "--seed", seed) for seed in "112")
        self.assertEqual(first["outputs"], again["outputs"])
        self.assertNotEqual(first["outputs"], other["outputs"])
        self.call("m.onnx", "--shape", "x:32,64", "-o", "out")
        self.assertEqual(len(np.unique(np.load(self.work / "out/output_1.npy"))), 32 * 64)

    def test_the_shape_of_an_input_is_its_files(self):
        self.write("m.onnx", sums(["n", 3]))
        np.save(self.work / "x.npy", np.ones((5, 3), np.float32))
        self.assertEqual(self.shapes("m.onnx", "--input", "x.npy"), [[5, 3], [5, 3]])
        np.save(self.work / "x.npy", np.ones((5, 4), np.float32))
        self.assertIn("input x is [-1,3] (-1: any), which [5,4] does not fit", self.refusal("m.onnx", "--input", "x.npy"))

    def test_gears_are_chosen_and_the_largest_is_the_default(self):
        batch = self.convert(sums(["n", 3]), "batch", "--input_shape=x:-1,3", "--dynamic_batch_size=1,4,2", "--input_format=ND")
        self.assertEqual(self.shapes(batch), [[4, 3], [4, 3]])
        self.assertEqual(self.shapes(batch, "--gear", "2"), [[2, 3], [2, 3]])
        self.assertIn("--gear [3] is none of the model's: [1], [4], [2]", self.refusal(batch, "--gear", "3"))
        image = self.convert(sums([1, 3, "h", "w"]), "image", "--input_shape=x:1,3,-1,-1", "--dynamic_image_size=8,8;16,4")
        self.assertEqual(self.shapes(image, "--gear", "16,4")[0], [1, 3, 16, 4])
        dims = self.convert(sums(["n", 3, "h"]), "dims", "--input_shape=x:-1,3,-1", "--dynamic_dims=1,8;2,16", "--input_format=ND")
        self.assertEqual(self.shapes(dims)[0], [2, 3, 16])
        self.assertEqual(self.shapes(dims, "--gear", "1,8")[0], [1, 3, 8])

    def test_a_gear_fills_its_input_with_numbers(self):
        name = self.convert(sums(["n", 64]), "batch", "--input_shape=x:-1,64", "--dynamic_batch_size=8,32", "--input_format=ND")
        self.call(name, "--gear", "32", "-o", "out")
        self.assertEqual(len(np.unique(np.load(self.work / "out/output_1.npy"))), 32 * 64)

    def test_what_fits_no_input_is_refused_by_name(self):
        self.write("m.onnx", sums(["n", 3]))
        for option, text in {
            ("--shape", "z:1,2"): "--shape z:1,2: the model has no input 'z'; it has: x",
            ("--shape", "x:1,4"): "input x is [-1,3] (-1: any), which [1,4] does not fit",
            ("--input", "z=x.npy"): "the model has no input 'z'; it has: x",
            ("--input", "x.npy", "y.npy"): "--input y.npy: the model has only 1 input",
            ("--input", "none.npy"): "none.npy cannot be read",
            ("--gear", "1"): "--gear: the model was not converted with gears",
        }.items():
            self.assertIn(text, self.refusal("m.onnx", *option))

    def test_tensors_beyond_all_memory_are_refused_by_name(self):
        huge = [1 << 31, 1 << 31]  # 2^62 elements; 2^64 bytes
        self.write("static.onnx", sums(huge))
        self.write("dynamic.onnx", sums(["n", "m"]))
        self.write("outer.onnx", model([helper.make_node("Mul", ["a", "b"], ["y"], "mul")],
                                       [("a", F, ["n", 1]), ("b", F, [1, "m"])], [("y", F, ["n", "m"])]))  # fmt: skip
        beyond = "[2147483648,2147483648] of {} is larger than any memory"
        self.assertIn("belay run: input x, " + beyond.format("DT_FLOAT"), self.refusal("static.onnx"))
        self.assertIn("x " + beyond.format("float32"), self.refusal("dynamic.onnx", "--shape", "x:2147483648,2147483648"))
        # 2^45 bytes: a number, and more than there is
        self.assertIn("belay run: input x [8388608,1048576] of float32: 35184372088832 bytes are more than this host has left (",
                      self.refusal("dynamic.onnx", "--shape", "x:8388608,1048576"))
        # The inputs are small, only the result is too large: 2^48 bytes.
        self.assertIn("mul: output 0, [8388608,8388608] of DT_FLOAT is larger than any memory",
                      self.refusal("outer.onnx", "--shape", "a:8388608,1", "--shape", "b:1,8388608"))
        for dims in ([1 << 40, 1 << 40, 0], [0, 1 << 40, 1 << 40]):  # nothing is not too much
            self.write("none.onnx", model([helper.make_node("Neg", ["x"], ["y"])], [("x", F, dims)], [("y", F, dims)]))
            self.assertEqual(self.shapes("none.onnx"), [dims])

    def test_a_model_that_needs_more_memory_than_there_is_says_so(self):
        nodes = [helper.make_node("CumSum", ["x", "axis"], ["a"]), helper.make_node("CumSum", ["x", "axis"], ["b"], reverse=1),
                 helper.make_node("Sub", ["a", "b"], ["y"])]  # fmt: skip
        self.write("m.onnx", model(nodes, [("x", F, ["n"])], [("y", F, ["n"])], {"axis": np.int64(0)}))
        command = [ATC, "--model=m.onnx", "--framework=5", "--output=m", "--soc_version=Ascend910B3", "--input_format=ND"]
        # Each of the two in between fits into the addresses that a process has, both together do not.
        done = subprocess.run([*command, "--input_shape=x:30000000000000"], cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.returncode, 255, done.stdout)
        self.assertIn("atc: model m needs 240000000000000 bytes to work in, for which there is not enough host memory", done.stderr)

    def test_nothing_is_printed_into_a_file_of_ours(self):
        config = self.config(dump_list=[{}])
        done = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', BELAY, "run", "tiny.onnx", "--dump", config],
                              cwd=self.work, capture_output=True, text=True)  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (3, "belay run: the output cannot be written: Bad file descriptor\n"))
        for path in self.work.rglob("*"):
            if path.is_file():
                self.assertNotIn(b"loaded in", path.read_bytes(), path)

    def test_what_fits_no_model_is_wrong_use(self):
        self.write("m.onnx", sums(["n", 3]))
        for option, text in {
            ("--shape", "x:a,b"): "'a,b' is not a list of dimensions such as 1,3,224,224",
            ("--shape", "1,3"): "it is written NAME:1,3,224,224",
            ("--gear", "much"): "'much' is not a list of dimensions",
            ("--input", "x="): "--input x=: the name of a file is missing after the =",
        }.items():
            self.assertIn(text, self.refusal("m.onnx", *option, code=2))


if __name__ == "__main__":
    ATC, BELAY = sys.argv[2], sys.argv.pop(3)
    main()
