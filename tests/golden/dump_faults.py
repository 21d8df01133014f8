# SPDX-License-Identifier: Apache-2.0
"""Faults that BELAY_FAULT injects: each is where it was asked for, is the same in every run, and is found by a dump."""
import collections
import shutil
import subprocess
import sys
import time

import numpy as np
import read_dump
from dump_support import DumpTest, F, TensorProto, helper, main, model

LENGTH = 200
EXCEPTIONS = None


def network():
    """200 operators of several kinds, most of which take what the one before gave, and some a value from further back."""
    nodes, weights, value = [], {}, "x"
    for i in range(LENGTH):
        name, out = f"op{i}", f"v{i}"
        back = f"v{i - 3}" if i >= 3 else "x"
        if i % 20 == 5:
            weights[f"w{i}"] = np.eye(8, dtype=np.float32)[::-1].copy()
            nodes.append(helper.make_node("MatMul", [value, f"w{i}"], [out], name))
        elif i % 20 == 13:
            nodes.append(helper.make_node("Softmax", [value], [out], name, axis=-1))
        elif i % 4 == 0:
            nodes.append(helper.make_node("Tanh", [value], [out], name))
        elif i % 4 == 1:
            nodes.append(helper.make_node("Add", [value, back], [out], name))
        elif i % 4 == 2:
            nodes.append(helper.make_node("Neg", [value], [out], name))
        else:
            nodes.append(helper.make_node("Sigmoid", [value], [out], name))
        value = out
    return model(nodes, [("x", F, [4, 8])], [(value, F, [4, 8])], weights)


class FaultTest(DumpTest):
    def run_with(self, fault, *calls, code=0):
        return self.drive(*calls, environment={"BELAY_FAULT": fault}, code=code)

    def program(self, fault, *arguments, code=0):
        done = subprocess.run([EXCEPTIONS, *map(str, arguments)], cwd=self.work, capture_output=True, text=True, timeout=100,
                              env={"BELAY_FAULT": fault, "ASCEND_SLOG_PRINT_TO_STDOUT": "1"})  # fmt: skip
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def outputs(self, fault):
        self.run_with(fault, "init", "input=x.bin", "load=tiny.onnx", "run", "out=y.bin", "finalize")
        return np.frombuffer((self.work / "y.bin").read_bytes(), np.float32)


class Faults(FaultTest):
    def test_inf_and_bitflip(self):
        y = self.outputs("inf@prob")
        self.assertEqual(np.isinf(y).sum(), 1)
        clean, flipped = self.outputs(""), self.outputs("bitflip@prob:9")
        changed = np.frombuffer(clean.tobytes(), np.uint8) ^ np.frombuffer(flipped.tobytes(), np.uint8)
        self.assertEqual(list(np.flatnonzero(changed)), [9])
        self.assertEqual(bin(changed[9]).count("1"), 1)

    def test_an_overwrite_is_seen_by_who_reads_later(self):
        nodes = [helper.make_node("Neg", ["x"], ["a"], "early"), helper.make_node("Exp", ["x"], ["b"], "writer"),
                 helper.make_node("Add", ["a", "b"], ["y"], "late")]  # fmt: skip
        self.write("m.onnx", model(nodes, [("x", F, [16])], [("y", F, [16])]))
        self.write("m.bin", np.arange(16, dtype=np.float32).tobytes())
        config = self.config(dump_list=[{}], dump_mode="all")
        self.run_with("overwrite@writer->early", f"init={config}", "input=m.bin", "load=m.onnx", "run", "finalize")
        dumps = {e.op_name: read_dump.read(e.path) for e in self.entries()}
        gave, took = dumps["early"].outputs[0].data, dumps["late"].inputs[0].data
        changed = np.frombuffer(gave, np.uint8) ^ np.frombuffer(took, np.uint8)
        where = np.flatnonzero(changed)
        self.assertEqual(list(where), list(range(where[0], where[0] + 16)))
        self.assertTrue((changed[where] == 255).all())

    def test_what_is_not_understood_is_refused_by_aclinit(self):
        said = self.program("nan@conv1;delay@prob", "-", "-", "-", code=3)
        self.assertIn("aclInit: 100000", said)
        self.assertIn('BELAY_FAULT: "delay@prob" must look like delay@op:ms', said)

    def test_it_is_said_that_faults_are_on_and_which_do_nothing(self):
        said = self.run_with("nan@prop; nan@conv1", "init", "load=tiny.onnx", "run", "finalize")
        self.assertEqual(said.count('faults are injected on purpose, because BELAY_FAULT is "nan@prop; nan@conv1"'), 1)
        self.assertEqual(said.count("does nothing"), 1, said)
        self.assertIn('nan@prop does nothing: there is no operator "prop" in model "', said)
        self.assertIn("the closest names are prob, conv1, conv1_relu", said)
        self.assertNotIn("BELAY_FAULT", self.drive("init", "load=tiny.onnx", "run", "finalize"))

    def test_a_nan_finds_no_place_in_integers(self):
        made = model([helper.make_node("Neg", ["x"], ["y"], "op")], [("x", TensorProto.INT32, [2])], [("y", TensorProto.INT32, [2])])
        self.write("i.onnx", made)
        said = self.run_with("nan@op", "init", "load=i.onnx", "run=3", "finalize")
        self.assertEqual(said.count("nan@op does nothing: the output is DT_INT32"), 1, said)

    def test_one_allocation_fails(self):
        said = self.program("alloc@3", "-", "-", "-", "device", "malloc=2", "malloc=1", "malloc=5")
        self.assertIn("malloc=2: 0\n", said)
        self.assertIn("malloc=1: 207001\n", said)
        self.assertIn("refused on purpose, by BELAY_FAULT", said)
        self.assertIn("malloc=5: 0\n", said)

    def test_a_full_disk(self):
        config = self.config(dump_list=[{}])
        said = self.run_with("enospc@150", "init", "initdump", f"setdump={config}", "input=x.bin", "load=tiny.onnx", "run",
                             "out=y.bin", "finalizedump!500001", "finalize")  # fmt: skip
        self.assertRegex(said, r"said \[PID: \d+\] \S+ File_Operation_Error\(EH0004\): aclmdlFinalizeDump: \d+ dump files with")
        self.assertNotIn("Internal error", said)
        self.assertIn("No space left on device", said)
        sizes = [entry.path.stat().st_size for entry in self.entries()]
        self.assertLessEqual(sum(sizes), 150)
        self.assertGreater(len(sizes), 0)
        for entry in self.entries():
            read_dump.read(entry.path)  # whole
        self.assertEqual([name for name in self.files() if name.endswith(".part")], [])
        with_fault = (self.work / "y.bin").read_bytes()
        self.outputs("")
        self.assertEqual(with_fault, (self.work / "y.bin").read_bytes())

    def test_a_delay(self):
        begin = time.monotonic()
        self.run_with("delay@prob:300", "init", "load=tiny.onnx", "run=2", "finalize")
        self.assertGreater(time.monotonic() - begin, 0.6)

    def test_failures_name_operator_and_place(self):
        for fault, why in (("fail@prob", "it fails because BELAY_FAULT says fail@prob"),
                           ("crash@prob", "the kernel crashed: SIGSEGV at address 0x10")):  # fmt: skip
            said = self.program(fault, "-", "tiny.onnx", "x.bin", "sync", "async")
            self.assertEqual(said.count(f"SoftmaxV2 prob: {why}; model \"tiny\" (1), kernel SoftmaxV2_"), 5, said)  # 3 in the log
            self.assertIn("sync: 507015", said)
            self.assertIn("async: 507015", said)
            self.assertIn("device 0, stream ", said)
            self.assertIn("\nit is prob\n  input 0: type 0, 16 bytes, somewhere\n  output 0: type 0, 16 bytes, somewhere\n", said)
            self.assertIn("heard 2", said)

    def test_single_operators(self):
        for fault in ("fail@Add", "crash@Add"):
            said = self.program(fault, "-", "-", "-", "device", "aclnn", "aclop")
            self.assertIn("aclnn: 507015", said)
            self.assertIn("aclop: 507015", said)
            self.assertIn("heard 2", said)

    def test_a_node_of_a_model_that_runs_node_by_node(self):
        made = model([helper.make_node("NonZero", ["x"], ["n"], "nz"), helper.make_node("Cast", ["n"], ["c"], "cast", to=F),
                      helper.make_node("ReduceMax", ["c"], ["y"], "most", axes=[0, 1])],
                     [("x", F, [5])], [("y", F, [1, 1])])  # fmt: skip
        self.write("late.onnx", made)
        self.write("late.bin", np.float32([1, 0, 3, 4, 5]).tobytes())
        for fault in ("fail@most", "crash@cast"):
            said = self.program(fault, "-", "late.onnx", "late.bin", "async", "sync")
            self.assertEqual(said.count("sync: 507015"), 2, said)
            self.assertRegex(said, rf"it is (\w+_)?{fault.split('@')[1]}")  # a subgraph's operators have long names


class Everywhere(FaultTest):
    def test_a_nan_is_found_at_each_of_200_places(self):
        self.write("net.onnx", network())
        self.write("net.bin", np.linspace(-1, 1, 32, dtype=np.float32).tobytes())
        self.convert("net")
        config = self.config(dump_list=[{}], dump_data="stats", dump_stats=["Nan"])
        self.drive(f"init={config}", "input=net.bin", "load=net.om", "run", "finalize")
        order = [entry.op_name for entry in self.entries() if entry.op_type != "Data"]
        self.assertEqual(sorted(order), sorted(f"op{i}" for i in range(LENGTH)))  # nothing was fused: all can be hit
        found = []
        for op in order:
            shutil.rmtree(self.work / "d")
            (self.work / "d").mkdir()
            self.run_with(f"nan@{op}", f"init={config}", "input=net.bin", "load=net.om", "run", "finalize")
            bad = [e for e in self.entries() if read_dump.read_statistics(e.path)[-1]["Nan Count"] != "0"]
            found.append(min(bad, key=lambda e: e.task).op_name)
        self.assertEqual(found, order)

    def test_the_same_seed_gives_the_same_failure_100_of_100_times(self):
        seen = collections.Counter()
        for _ in range(100):
            seen[self.outputs("nan@conv1;bitflip@prob:5;seed=3").tobytes()] += 1
        self.assertEqual(list(seen.values()), [100])
        (bits,) = seen
        self.assertEqual(np.isnan(np.frombuffer(bits, np.float32)).sum(), 2)  # the row of the softmax
        places = {self.outputs(f"nan@conv1;seed={seed}").tobytes() for seed in range(12)}
        self.assertEqual(len(places), 2)  # a NaN in the upper or in the lower row


if __name__ == "__main__":
    EXCEPTIONS = sys.argv.pop(3)
    main()
