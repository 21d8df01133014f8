# SPDX-License-Identifier: Apache-2.0
"""The watch scene: which files there are, what they hold, and who is accused in watch_summary.csv. Truth is numpy, and the
files of the watched operator itself and of the others, compared byte by byte."""
import csv

import numpy as np
import read_dump
from dump_support import F, X, DumpTest, helper, main, model, softmax, tiny_conv

CONV, PROB = "conv1conv1_relu", "prob"
LENGTH = 6
SHAPE = [3, 5, 16]


def late_reader():
    """w = exp(x) is read by `reader` only, behind a0 ... a5; z0 ... z5 follow and may have its memory."""
    nodes = [helper.make_node("Exp", ["x"], ["w"], "watched")]
    nodes += [helper.make_node("Softmax", [f"a{i - 1}" if i else "x"], [f"a{i}"], f"a{i}", axis=-1) for i in range(LENGTH)]
    nodes += [helper.make_node("Mul", ["w", f"a{LENGTH - 1}"], ["r"], "reader")]
    nodes += [helper.make_node("Softmax", [f"z{i - 1}" if i else "r"], [f"z{i}"], f"z{i}", axis=-1) for i in range(LENGTH)]
    return model(nodes, [("x", F, SHAPE)], [(f"z{LENGTH - 1}", F, SHAPE)])


class Watch(DumpTest):
    def setUp(self):
        super().setUp()
        self.write("late.onnx", late_reader())
        self.x = np.linspace(-2, 2, np.prod(SHAPE), dtype=np.float32).reshape(SHAPE)
        self.write("late.bin", self.x.tobytes())

    def watch(self, *watched, layer=None, **items):
        item = {"watcher_nodes": list(watched)} | ({"layer": layer} if layer else {})
        return self.config(dump_scene="watcher", dump_list=[item], **items)

    def summary(self, path="d"):
        root = self.work / path
        (path,) = root.rglob("watch_summary.csv")
        self.assertRegex(str(path.relative_to(root)), r"^\d{14}/0/\w+/\d+/watch_summary.csv$")
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        title, *rows = csv.reader(path.read_text().splitlines())
        self.assertEqual(title, ["Step", "Writer", "Watched", "Output", "First Offset", "Changed Bytes", "State"])
        return rows

    def outputs(self, step=0, path="d"):
        """Bytes of the watched output by the name in the header."""
        dumps = [read_dump.read(entry.path) for entry in self.entries(path) if entry.step == step]
        return {dump.op_name: dump.outputs[0].data for dump in dumps}

    def run_late(self, config, *calls, load="load", environment=None):
        return self.drive(f"init={config}", "input=late.bin", f"{load}=late.onnx", *(calls or ["run"]), "out=y.bin",
                          "finalize", environment=environment)  # fmt: skip

    def test_the_documented_example(self):
        self.run_tiny(self.watch(PROB, layer=[CONV]), runs=2)
        names = [("SoftmaxV2", f"{CONV}_To_{PROB}"), ("SoftmaxV2", PROB)]
        self.assertEqual(self.names(), 2 * names)
        before, own, later, _ = self.entries()
        self.assertEqual([(e.step, e.task) for e in self.entries()], [(0, 0), (0, 1), (1, 0), (1, 1)])
        self.assertEqual((own.model, own.model_id, own.stream), ("tiny", 1, before.stream))
        first, second, third = (read_dump.read(e.path) for e in (before, own, later))
        self.assertEqual((first.op_name, second.op_name), (f"{CONV}_To_{PROB}", PROB))
        for dump in (first, second, third):
            self.assertEqual((dump.inputs, len(dump.outputs)), ([], 1))
            output = dump.outputs[0]
            self.assertEqual((output.data_type, output.shape, output.original_shape), (1, [1, 1, 2, 2], [1, 1, 2, 2]))
            self.assertEqual((output.original_op["name"], output.size, output.address), (PROB, 16, first.outputs[0].address))
        np.testing.assert_allclose(second.outputs[0].array(), softmax(tiny_conv()), rtol=1e-6)
        self.assertEqual(third.outputs[0].data, second.outputs[0].data)  # in step 1 the result of step 0
        self.assertEqual(self.summary(), [])

    def test_without_a_layer_all_others_act(self):
        self.run_tiny(self.watch(PROB))
        self.assertEqual(self.names(), [("SoftmaxV2", f"{CONV}_To_{PROB}"), ("SoftmaxV2", PROB)])
        (self.work / "late").mkdir()
        self.run_late(self.watch("watched", path="late"))
        acting = [f"a{i}" for i in range(LENGTH)] + ["reader"] + [f"z{i}" for i in range(LENGTH)]
        self.assertEqual([e.op_name for e in self.entries("late")], ["watched"] + [f"{a}_To_watched" for a in acting])

    def test_an_operator_in_both_lists_does_not_act(self):
        self.run_late(self.watch("watched", "a0", layer=["a0", "a1"]))
        self.assertEqual([e.op_name for e in self.entries()], ["watched", "a0", "a1_To_watched", "a1_To_a0"])

    def test_of_several_items_the_last_one_counts(self):
        items = [{"watcher_nodes": ["a0"], "layer": ["a1"]}, {"watcher_nodes": ["watched"], "layer": ["a2"]}]
        self.run_late(self.config(dump_scene="watcher", dump_list=items))
        self.assertEqual([e.op_name for e in self.entries()], ["watched", "a2_To_watched"])

    def test_names_before_fusion_match_nothing_and_that_is_said(self):
        said = self.run_tiny(self.watch("conv1", layer=[PROB]))
        self.assertEqual(self.files(), [])
        self.assertIn(f'watcher_nodes "conv1" matches nothing in model "tiny"; after fusion it is part of {CONV}: name that', said)

    def test_the_level_kernel_watches_nothing(self):
        self.run_tiny(self.watch(PROB, dump_level="kernel"))
        self.assertEqual(self.files(), [])

    def test_a_list_that_is_empty_watches_nothing(self):
        self.run_tiny(self.config(dump_scene="watcher", dump_list=[]))
        self.assertEqual(self.files(), [])

    def test_steps_and_statistics_apply(self):
        self.run_tiny(self.watch(PROB, dump_step="1", dump_data="stats"), runs=3)
        self.assertEqual([(e.step, e.op_name, e.path.suffix) for e in self.entries()],
                         [(1, f"{CONV}_To_{PROB}", ".csv"), (1, PROB, ".csv")])  # fmt: skip

    def test_planned_reuse_is_told_from_an_overwrite(self):
        self.run_late(self.watch("watched"), "run=3")
        rows = self.summary()
        self.assertTrue(rows, "its memory was not used again: the model does not test what it should")
        self.assertEqual({row[-1] for row in rows}, {"reused"})
        changed = self.check_rows(rows, steps=3)
        self.assertFalse(changed & ({f"a{i}" for i in range(LENGTH)}), "they run while it is needed")

    def check_rows(self, rows, steps, path="d"):
        """Each row by the files: those of two operators that follow each other differ so. Who changed it in step 0."""
        found = {(int(row[0]), row[1]): (int(row[4]), int(row[5])) for row in rows}
        seen = None
        for step in range(steps):
            for name, data in self.outputs(step, path).items():
                writer = name.removesuffix("_To_watched")
                if seen is not None and name != "watched":
                    old, new = np.frombuffer(seen, np.uint8), np.frombuffer(data, np.uint8)
                    at = np.flatnonzero(old != new)
                    self.assertEqual(found.get((step, writer)), (at[0], at.size) if at.size else None, (step, name))
                seen = data
        return {row[1] for row in rows if row[0] == "0"}

    def test_a_planted_overwrite_is_found_at_every_place(self):
        for at in range(LENGTH):
            (self.work / str(at)).mkdir()
            said = self.run_late(self.watch("watched", path=str(at)), "run=2", environment={"BELAY_FAULT": f"overwrite@a{at}->watched"})
            rows = self.summary(str(at))
            live = [row for row in rows if row[-1] == "live"]
            self.assertEqual([row[:4] for row in live], [[step, f"a{at}", "watched", "0"] for step in "01"])
            own, seen = (self.outputs(path=str(at))[name] for name in ("watched", f"a{at}_To_watched"))
            changed = [i for i in range(len(own)) if own[i] != seen[i]]
            self.assertEqual([(int(row[4]), int(row[5])) for row in live], 2 * [(changed[0], 16)])  # four floats
            self.assertEqual(changed, list(range(changed[0], changed[0] + 16)))
            self.check_rows(rows, steps=2, path=str(at))
            self.assertIn(f'"a{at}" changed 16 bytes of output 0 of "watched" which others still read', said)

    def test_the_same_run_without_the_fault_accuses_nobody(self):
        said = self.run_late(self.watch("watched"), "run=2")
        self.assertNotIn("live", [row[-1] for row in self.summary()])
        self.assertNotIn("which others still read", said)

    def test_who_wrote_it_is_named_although_it_is_not_in_layer(self):
        self.run_late(self.watch("watched", layer=["a4"]), environment={"BELAY_FAULT": "overwrite@a1->watched"})
        self.assertEqual([row[:3] for row in self.summary() if row[-1] == "live"], [["0", "a1", "watched"]])

    def test_of_two_watched_outputs_only_the_one_that_changed_is_reported(self):
        self.run_late(self.watch("watched", "a5", "reader"), environment={"BELAY_FAULT": "overwrite@a1->watched"})
        self.assertEqual([row[:3] for row in self.summary() if row[-1] == "live"], [["0", "a1", "watched"]])

    def test_who_is_not_in_layer_is_named_all_the_same(self):
        self.run_late(self.watch("watched", layer=["a0"]))
        self.assertEqual([e.op_name for e in self.entries()], ["watched", "a0_To_watched"])
        self.assertTrue({row[1] for row in self.summary()} <= {"reader"} | {f"z{i}" for i in range(LENGTH)})

    def test_results_are_the_same_bits(self):
        self.run_late(self.config("off.json", dump_list=[]))
        want = (self.work / "y.bin").read_bytes()
        self.run_late(self.watch("watched", "a0", "z1"))
        self.assertEqual((self.work / "y.bin").read_bytes(), want)

    def test_a_callback_that_scribbles_over_the_arena_between_executions(self):
        config = self.watch("a5", layer=["a0"])
        said = self.run_late(config, "run", load="loadroom")
        work = int(next(line for line in said.splitlines() if line.startswith("work ")).split()[1])
        offset = read_dump.read(self.entries()[-1].path).outputs[0].address - work
        self.assertTrue(0 <= offset < 1 << 20, "it is not in the memory that the program brought")
        for path in sorted((self.work / "d").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        self.run_late(config, "run", f"scribble={offset + 8},20", "run", load="loadroom")
        step, writer, watched, output, first, changed, state = next(row for row in self.summary() if row[0] == "1")
        self.assertEqual((writer, watched, output), ("", "a5", "0"))
        self.assertNotEqual(state, "live")
        self.assertEqual(int(first), 8)
        self.assertLessEqual(int(changed), 20)
        self.assertGreater(int(changed), 0)

    def test_shapes_that_come_with_the_execution_are_not_watched_and_that_is_said(self):
        nodes = [helper.make_node("NonZero", ["x"], ["n"], "nz"), helper.make_node("Cast", ["n"], ["c"], "cast", to=F),
                 helper.make_node("ReduceSum", ["c"], ["y"], "sum", keepdims=0)]  # fmt: skip
        dynamic = model(nodes, [("x", F, [1, 1, 2, 2])], [("y", F, [])])
        self.write("dynamic.onnx", dynamic)
        said = self.drive(f"init={self.watch('cast')}", "input=x.bin", "load=dynamic.onnx", "run", "finalize")
        self.assertEqual(self.entries(), [])
        self.assertIn('model "dynamic" is not watched: its shapes are known only when it runs', said)

    def test_a_callback_gets_dump_files_only(self):
        said = self.drive("init", "initdump", f"setdump={self.watch(PROB)}", "reg", "input=x.bin", "load=tiny.onnx", "run",
                          "unreg", "finalizedump", "finalize")  # fmt: skip
        names = [name.rsplit("/", 1)[1].split(".")[0:2] for name, *_ in self.chunks(said)]
        self.assertEqual(names, [["SoftmaxV2", f"{CONV}_To_{PROB}"], ["SoftmaxV2", PROB]])
        self.assertEqual(self.files(), [])

    def test_a_later_setting_watches_a_model_that_was_dumped(self):
        (self.work / "all").mkdir()
        everything = self.config("all.json", path="all", dump_list=[{}])
        watch = self.watch(PROB)
        self.drive("init", "initdump", f"setdump={everything}", "input=x.bin", "load=tiny.onnx", "run", f"setdump={watch}",
                   "run", f"setdump={everything}", "run", "finalizedump", "finalize")  # fmt: skip
        self.assertEqual([(e.step, e.op_name) for e in self.entries()], [(1, f"{CONV}_To_{PROB}"), (1, PROB)])
        self.assertEqual({e.step for e in self.entries("all")}, {0, 2})

    def test_initdump_after_a_watch_by_aclinit_is_refused(self):
        self.drive(f"init={self.watch(PROB)}", "initdump!100044", "finalize")


if __name__ == "__main__":
    main()
