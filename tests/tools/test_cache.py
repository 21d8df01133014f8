# SPDX-License-Identifier: Apache-2.0
"""Models loaded with packed weights on the disk. Usage: test_cache.py BELAY ATC [TEST...]"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np

for alias, kind in (("float", float), ("int", int), ("bool", bool), ("object", object)):  # onnx 1.12 uses them
    setattr(np, alias, kind)
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

BELAY, ATC = sys.argv.pop(1), sys.argv.pop(1)
RANDOM = np.random.default_rng(5)
FILTERS = (RANDOM.standard_normal((64, 64, 3, 3)) * 0.05).astype(np.float32)
FACTORS = (RANDOM.standard_normal((576, 512)) * 0.05).astype(np.float32)


def network(filters=FILTERS, factors=FACTORS):
    """A convolution and a product, both with enough weights to be kept."""
    nodes = [helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1], kernel_shape=[3, 3]),
             helper.make_node("Relu", ["a"], ["b"]), helper.make_node("Reshape", ["b", "s"], ["c"]),
             helper.make_node("MatMul", ["c", "f"], ["y"])]  # fmt: skip
    weights = [numpy_helper.from_array(value, name) for name, value in
               (("w", filters), ("f", factors), ("s", np.array([16, 576], np.int64)))]  # fmt: skip
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64, 12, 12])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [16, 512])], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


class Cache(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        self.cache = self.work / "home" / "belay"
        self.variables = {**os.environ, "XDG_CACHE_HOME": str(self.work / "home"), "BELAY_CACHE": "on"}
        self.convert(network())

    def convert(self, model):
        onnx.save(model, str(self.work / "m.onnx"))
        subprocess.run([ATC, "--framework=5", "--soc_version=Ascend910B3", "--model=m.onnx", "--output=m"],
                       cwd=self.work, check=True, capture_output=True)

    def start(self, output="out", **variables):
        command = [BELAY, "run", "m.om", "--seed=3", f"--output={output}"]
        return subprocess.Popen(command, cwd=self.work, env={**self.variables, **variables}, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def written(self, output="out"):
        return [file.read_bytes() for file in sorted((self.work / output).iterdir())]

    def outputs(self, **variables):
        process = self.start(**variables)
        errors = process.communicate()[1]
        self.assertEqual((process.returncode, errors), (0, ""))
        return self.written()

    def files(self):
        return sorted(self.cache.glob("*")) if self.cache.is_dir() else []

    def command(self, *arguments):
        done = subprocess.run([BELAY, "cache", *arguments], env=self.variables, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_results_are_the_same_bits_without_before_and_with_it(self):
        plain = self.outputs(BELAY_CACHE="off")
        self.assertEqual(self.files(), [])
        self.assertEqual(self.outputs(), plain)
        kept = {file: file.stat().st_ino for file in self.files()}
        self.assertGreaterEqual(len(kept), 1)  # which kernels pack is their own affair
        self.assertEqual(self.outputs(), plain)
        self.assertEqual({file: file.stat().st_ino for file in self.files()}, kept)  # nothing was written again
        self.assertEqual(self.outputs(BELAY_NUM_THREADS="2"), plain)

    def test_damaged_files_are_replaced(self):
        plain = self.outputs()
        for damage in (lambda f: os.truncate(f, 5000), lambda f: os.truncate(f, 0), self.flip, self.link):
            kept = self.files()
            for file in kept:
                damage(file)
            self.assertEqual(self.outputs(), plain)
            self.assertEqual(self.files(), kept)
            for file in kept:
                self.assertFalse(file.is_symlink())
                self.assertGreater(file.stat().st_size, FILTERS.nbytes)

    def flip(self, file):
        content = bytearray(file.read_bytes())
        content[-1000] ^= 1
        file.write_bytes(content)

    def link(self, file):
        file.unlink()
        file.symlink_to("/etc/passwd")

    def test_a_model_that_was_changed_gives_its_own_results(self):
        before, om = self.outputs(), self.work / "m.om"
        times = om.stat()
        self.convert(network(filters=FILTERS + np.float32(0.5)))
        os.utime(om, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.assertEqual(om.stat().st_size, times.st_size)
        after = self.outputs()
        self.assertNotEqual(after, before)
        self.assertEqual(after, self.outputs(BELAY_CACHE="off"))

    def test_one_weight_changed_in_place_is_noticed(self):
        before, om = self.outputs(), self.work / "m.om"
        times, content = om.stat(), bytearray(om.read_bytes())
        at = content.index(FACTORS.tobytes()) + FACTORS.nbytes // 2 + 3
        with open(om, "r+b") as file:
            file.seek(at)
            file.write(bytes([content[at] ^ 0x80]))  # the sign
        os.utime(om, ns=(times.st_atime_ns, times.st_mtime_ns))
        after = self.outputs()
        self.assertNotEqual(after, before)
        self.assertEqual(after, self.outputs(BELAY_CACHE="off"))

    def test_several_processes_begin_with_nothing(self):
        processes = [self.start(f"out{i}") for i in range(4)]
        for process in processes:
            process.communicate()
        self.assertEqual([process.returncode for process in processes], [0] * 4)
        plain = self.outputs(BELAY_CACHE="off")
        self.assertEqual([self.written(f"out{i}") for i in range(4)], [plain] * 4)
        self.assertEqual({file.suffix for file in self.cache.iterdir()}, {".belay"})

    def test_a_process_may_be_killed_at_any_time(self):
        plain = self.outputs(BELAY_CACHE="off")
        for milliseconds in range(0, 60, 3):
            process = self.start()
            try:
                process.wait(milliseconds / 1000)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
            process.communicate()
            self.assertEqual(self.outputs(), plain)
            self.assertEqual({file.suffix for file in self.cache.iterdir()}, {".belay"})
            self.command("clear")

    def test_where_nothing_can_be_kept_models_run_all_the_same(self):
        plain = self.outputs(BELAY_CACHE="off")
        (self.work / "file").write_text("")
        for place in str(self.work / "file" / "below"), "/proc/nowhere", "relative", "":
            self.assertEqual(self.outputs(XDG_CACHE_HOME=place, HOME=place), plain)
        self.assertEqual(self.outputs(BELAY_CACHE_SIZE="100K"), plain)
        self.assertEqual(self.files(), [])

    def test_the_command_lists_measures_and_clears(self):
        self.assertIn("0.0 MiB of at most 4096.0 MiB in " + str(self.cache), self.command())
        self.outputs()
        size = sum(file.stat().st_size for file in self.files())
        self.assertRegex(self.command(), r"last used +size +files +model\n20\d\d-[-: \d]+ [\d.]+ MiB +[12] +m\.om\n")
        report = json.loads(self.command("list", "--json"))
        self.assertEqual((report["directory"], report["limit"], report["bytes"]), (str(self.cache), 4 << 30, size))
        self.assertEqual([(row["model"], row["bytes"]) for row in report["models"]], [("m.om", size)])
        self.assertEqual(json.loads(self.command("size", "--json"))["bytes"], size)
        self.assertIn("removed ", self.command("clear"))
        self.assertEqual(self.files(), [])
        self.variables["BELAY_CACHE"] = "off"
        self.assertEqual(self.command(), "the cache is off\n")
        self.assertEqual(json.loads(self.command("--json")), {"directory": None})


if __name__ == "__main__":
    unittest.main()
