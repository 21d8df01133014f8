# SPDX-License-Identifier: Apache-2.0
"""belay run --memory: what its allocator counts, limits and logs. Usage: run_memory.py DRIVER ATC BELAY [TEST...]"""
import csv
import json
import subprocess
import sys

import numpy as np
from dump_support import F, DumpTest, helper, main, model

BELAY = None
WEIGHTS = {f"w{i}": np.random.default_rng(i).standard_normal((8, 8)).astype(np.float32) for i in range(2)}


def layers(rows):
    nodes = [helper.make_node("MatMul", ["x", "w0"], ["a"]), helper.make_node("Relu", ["a"], ["b"]),
             helper.make_node("MatMul", ["b", "w1"], ["y"])]  # fmt: skip
    return model(nodes, [("x", F, [rows, 8])], [("y", F, [rows, 8])], WEIGHTS)


class Memory(DumpTest):
    def run_model(self, made, *options, code=0):
        self.write("m.onnx", made)
        done = subprocess.run([BELAY, "run", "m.onnx", *options], cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def report(self, made, *options):
        return json.loads(self.run_model(made, "--json", *options).stdout)

    def test_each_execution_takes_one_block_and_gives_it_back(self):
        plain = self.report(layers("n"), "--shape", "x:64,8")
        found = self.report(layers("n"), "--shape", "x:64,8", "--repeat", "3", "--memory", "--memory-log", "log.csv")
        self.assertEqual(found["outputs"], plain["outputs"])
        memory = found["memory"]
        self.assertEqual((memory["blocks"], memory["returned"], memory["refused"]), (3, 3, 0))
        self.assertGreaterEqual(memory["most_bytes"], 64 * 8 * 4)  # one layer at least
        self.assertEqual(memory["most_bytes"], memory["largest_block"])
        self.assertGreaterEqual(memory["weight_bytes"], 2 * 8 * 8 * 4)
        rows = list(csv.DictReader((self.work / "log.csv").open()))
        self.assertEqual([row["call"] for row in rows], 3 * ["take", "give"])
        self.assertEqual({int(row["bytes"]) for row in rows}, {memory["largest_block"]})
        self.assertEqual(len({row["address"] for row in rows}), 1)  # the pool keeps what it got back

    def test_a_limit_is_a_refusal_that_says_so(self):
        done = self.run_model(layers("n"), "--shape", "x:64,8", "--memory", "--memory-limit", "100", code=3)
        self.assertIn("the stream's own allocator returned null for", done.stderr)
        self.run_model(layers("n"), "--shape", "x:64,8", "--memory", "--memory-limit", "64M")
        done = self.run_model(layers("n"), "--memory", "--memory-limit", "much", code=2)
        self.assertIn("--memory-limit: 'much' is not a size", done.stderr)

    def test_the_log_is_written_whole_and_a_lost_one_is_no_success(self):
        options = ("--shape", "x:64,8", "--memory", "--memory-log")
        done = self.run_model(layers("n"), *options, "/dev/full", code=3)
        self.assertEqual(done.stderr, "belay run: /dev/full cannot be written: No space left on device\n")
        self.assertIn("blocks from the stream's allocator", done.stdout)
        self.assertIn("belay run: nowhere/log.csv cannot be written", self.run_model(layers("n"), *options, "nowhere/log.csv", code=3).stderr)
        # A run that failed is when somebody wants to read it.
        self.run_model(layers("n"), *options, "log.csv", "--memory-limit", "100", code=3)
        rows = list(csv.DictReader((self.work / "log.csv").read_text().splitlines()))
        self.assertEqual([(row["call"], row["address"]) for row in rows], [("take", "0")])
        self.assertEqual([path.name for path in self.work.glob(".belay*")], [])

    def test_a_model_of_fixed_shapes_does_not_ask(self):
        self.assertIn("was not asked", self.run_model(layers(4), "--memory").stdout)
        self.assertEqual(self.report(layers(4), "--memory")["memory"]["blocks"], 0)

    def test_a_model_whose_shapes_come_late_takes_many_blocks(self):
        nodes = [helper.make_node("Exp", ["x"], ["e"]), helper.make_node("NonZero", ["e"], ["i"]),
                 helper.make_node("Transpose", ["i"], ["t"]), helper.make_node("GatherND", ["e", "t"], ["y"])]  # fmt: skip
        report = self.report(model(nodes, [("x", F, ["n", 8])], [("y", F, ["m"])]), "--shape", "x:64,8", "--memory")
        self.assertEqual(report["outputs"][0]["shape"], [512])
        memory = report["memory"]
        self.assertGreater(memory["blocks"], 2)
        self.assertEqual(memory["blocks"], memory["returned"])
        self.assertGreater(memory["most_bytes"], memory["largest_block"])


if __name__ == "__main__":
    BELAY = sys.argv.pop(3)
    main()
