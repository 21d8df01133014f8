# SPDX-License-Identifier: Apache-2.0
"""Files of the level kernel: the steps that the executor made of a node. Numpy says what a change of layout gives."""
import csv

import numpy as np
import read_dump
from dump_support import F, DumpTest, helper, main, model

NCHW, NHWC, NC1HWC0 = 0, 1, 3
SHAPE = (1, 3, 8, 8)
RNG = np.random.default_rng(11)
W = RNG.standard_normal((16, 3, 3, 3)).astype(np.float32)
X = RNG.standard_normal(SHAPE).astype(np.float32)


def net():
    """x -> Conv (channels last within) -> CumSum (wants its input as the shape says)."""
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], "conv", pads=[1] * 4),
             helper.make_node("CumSum", ["c", "axis"], ["s"], "sum"), helper.make_node("Neg", ["s"], ["y"], "neg")]  # fmt: skip
    return model(nodes, [("x", F, list(SHAPE))], [("y", F, [1, 16, 8, 8])], {"w": W, "axis": np.int64(1)})


def stored(values, tensor):
    """The bytes of a NCHW tensor in the format and shape of a dumped one."""
    if tensor.format == NHWC and tensor.shape != list(values.shape):
        return np.ascontiguousarray(values.transpose(0, 2, 3, 1))
    if tensor.format == NC1HWC0:
        n, c1, h, w, c0 = tensor.shape
        padded = np.zeros((n, c1 * c0, h, w), values.dtype)
        padded[:, : values.shape[1]] = values
        return np.ascontiguousarray(padded.reshape(n, c1, c0, h, w).transpose(0, 1, 3, 4, 2))
    return values


class Steps(DumpTest):
    def setUp(self):
        super().setUp()
        self.write("net.onnx", net())
        self.write("net.bin", X.tobytes())

    def run_net(self, name="net", runs=1, **section):
        config = self.config(**{"dump_list": [{}], **section})
        return self.drive("init", "initdump", f"setdump={config}", f"input={self.work}/net.bin", f"load={name}.onnx",
                          f"run={runs}", "finalizedump", "unload", "finalize")  # fmt: skip

    def run_both(self, name="net"):
        """What the default level leaves and what "kernel" leaves, by the names of operators and steps."""
        for level in ("all", "kernel"):
            (self.work / level).mkdir()
            self.run_net(name, path=level, dump_level=level, dump_mode="all")
        return {**self.dumps("all"), **self.dumps("kernel")}

    def dumps(self, path="d"):
        return {e.op_name: (e, read_dump.read(e.path)) for e in self.entries(path)}

    def check_change(self, dump, values):
        """Both sides of a change of layout are `values`, each as its header says."""
        for side in (dump.inputs[0], dump.outputs[0]):
            want = stored(values, side)
            self.assertEqual(side.shape, list(want.shape))
            self.assertEqual(side.original_shape, list(values.shape))
            self.assertEqual((side.data_type, side.size, side.data), (1, want.nbytes, want.tobytes()))
        self.assertNotEqual(dump.inputs[0].format, dump.outputs[0].format)

    def test_each_step_has_the_tensors_in_the_layout_they_have(self):
        dumps = self.run_both()
        self.assertEqual(set(self.dumps("all")), {"conv", "sum", "neg", "x"})
        conv, total = dumps["conv"][1], dumps["sum"][1]
        self.assertEqual(conv.outputs[0].data, total.inputs[0].data)
        changes = [name for name in dumps if "_TransData_" in name]
        self.assertIn("sum_TransData_input0", changes)
        for name in changes:
            entry, dump = dumps[name]
            self.assertEqual((entry.op_type, dump.op_name), ("TransData", name))
            self.check_change(dump, X if name.startswith("conv") else conv.outputs[0].array())
        for name in {change.split("_")[0] for change in changes}:
            entry, kernel = dumps[f"{name}_kernel"]
            whole_entry, whole = dumps[name]
            self.assertEqual((entry.op_type, entry.task, entry.step),
                             (whole_entry.op_type, whole_entry.task, whole_entry.step))  # fmt: skip
            for sides in ((kernel.inputs, whole.inputs), (kernel.outputs, whole.outputs)):
                self.assertEqual(len(sides[0]), len(sides[1]))
                for have, want in zip(*sides):
                    self.assertEqual(have.original_shape, want.shape)
                    self.assertEqual(have.data, stored(want.array(), have).tobytes())
        self.assertNotIn("neg_kernel", dumps)  # it was not split

    def test_changes_come_between_the_operators(self):
        tasks = {name: entry.task for name, (entry, _) in self.run_both().items()}
        order = [e.op_name for e in self.entries("kernel")]
        self.assertLess(order.index("sum_TransData_input0"), order.index("sum_kernel"))
        self.assertEqual([e.task for e in self.entries("kernel")], sorted(tasks[name] for name in order))
        self.assertEqual(tasks["sum_TransData_input0"], tasks["sum"])
        self.assertEqual(tasks["sum_kernel"], tasks["sum"])

    def test_levels_share_out_the_files(self):
        for level in ("op", "kernel", "all", "usual"):
            (self.work / level).mkdir()
            self.run_net(path=level, **({} if level == "usual" else {"dump_level": level}))
        op, kernel, both, usual = (sorted(self.names(level)) for level in ("op", "kernel", "all", "usual"))
        self.assertEqual(op, sorted([("Conv2D", "conv"), ("Data", "x"), ("Cumsum", "sum"), ("Neg", "neg")]))
        self.assertIn(("TransData", "sum_TransData_input0"), kernel)
        self.assertIn(("Cumsum", "sum_kernel"), kernel)
        self.assertTrue(all(name.startswith(("conv_", "sum_")) for _, name in kernel), kernel)
        self.assertEqual((both, usual), (op, op))  # as on an NPU: steps come with "kernel" alone

    def test_modes_leave_out_sides(self):
        for mode, inputs, outputs in (("input", 1, 0), ("output", 0, 1), ("all", 1, 1)):
            (self.work / mode).mkdir()
            self.run_net(path=mode, dump_level="kernel", dump_mode=mode)
            dump = self.dumps(mode)["sum_TransData_input0"][1]
            self.assertEqual((len(dump.inputs), len(dump.outputs)), (inputs, outputs))

    def test_operators_are_chosen_by_their_names_not_by_those_of_their_steps(self):
        self.run_net(dump_level="kernel", dump_list=[{"layer": ["sum"]}])
        self.assertEqual({e.op_name.split("_")[0] for e in self.entries()}, {"sum"})
        (self.work / "none").mkdir()
        said = self.run_net(path="none", dump_level="kernel", dump_list=[{"layer": ["sum_kernel"]}])
        self.assertEqual(self.files("none"), [])
        self.assertIn('layer "sum_kernel" matches nothing in model "net"', said)

    def test_executions_are_chosen(self):
        self.run_net(runs=4, dump_level="kernel", dump_step="1|3")
        self.assertEqual(sorted({e.step for e in self.entries()}), [1, 3])

    def test_statistics_are_numpys(self):
        self.run_net(dump_level="kernel", dump_mode="all", dump_data="stats", dump_stats=["Max", "Min", "L2norm"])
        (self.work / "t").mkdir()
        self.run_net(path="t", dump_level="kernel", dump_mode="all")
        tensors = self.dumps("t")
        entries = self.entries()
        self.assertEqual([e.op_name for e in entries], [e.op_name for e in self.entries("t")])
        for entry in entries:
            dump = tensors[entry.op_name][1]
            rows = list(csv.DictReader(entry.path.read_text().splitlines()))
            self.assertEqual(len(rows), len(dump.inputs) + len(dump.outputs))
            for row, tensor in zip(rows, dump.inputs + dump.outputs):
                values = tensor.array().astype(np.float64)
                self.assertEqual(row["Shape"], "x".join(map(str, tensor.shape)) or "-")
                self.assertEqual(row["Format"], {0: "NCHW", 1: "NHWC", 2: "ND", 3: "NC1HWC0"}[tensor.format])
                self.assertEqual((int(row["Count"]), int(row["Data Size"])), (values.size, tensor.size))
                for column, want in (("Max Value", values.max()), ("Min Value", values.min()),
                                     ("l2norm", np.sqrt((values * values).sum()))):  # fmt: skip
                    self.assertAlmostEqual(float(row[column]) / want if want else float(row[column]) + 1, 1, places=4)

    def test_a_callback_gets_them(self):
        (self.work / "chunks").mkdir()
        config = self.config(dump_list=[{}], dump_level="kernel", dump_mode="all")
        self.drive("init", "initdump", "reg", "chunks=chunks", f"setdump={config}", "input=net.bin", "load=net.onnx",
                   "run", "unreg", "finalizedump", "finalize")  # fmt: skip
        self.assertEqual(self.files(), [])
        (change,) = (self.work / "chunks").glob("TransData.sum_TransData_input0.*")
        dump = read_dump.read(change)
        self.assertEqual(dump.op_name, "sum_TransData_input0")
        self.assertEqual(dump.outputs[0].shape, [1, 16, 8, 8])

    def test_a_result_that_leaves_the_model_is_changed_after_its_operator(self):
        nodes = [helper.make_node("Conv", ["x", "w"], ["y"], "conv", pads=[1] * 4)]
        self.write("last.onnx", model(nodes, [("x", F, list(SHAPE))], [("y", F, [1, 16, 8, 8])], {"w": W}))
        dumps = self.run_both("last")
        self.assertIn("conv_TransData_output0", dumps)
        self.check_change(dumps["conv_TransData_output0"][1], dumps["conv"][1].outputs[0].array())
        self.assertEqual(dumps["conv_TransData_output0"][0].task, dumps["conv"][0].task)

    def test_shapes_that_come_with_the_data_are_no_exception(self):
        x = RNG.standard_normal((1, 16, 8, 8)).astype(np.float32)  # with so many channels it is wanted channels last
        weights = {"w": RNG.standard_normal((16, 16, 3, 3)).astype(np.float32)}
        nodes = [helper.make_node("Conv", ["x", "w"], ["y"], "conv", pads=[1] * 4),
                 helper.make_node("NonZero", ["x"], ["where"]), helper.make_node("Cast", ["where"], ["places"], to=F),
                 helper.make_node("ReduceMax", ["places"], ["z"], axes=[1], keepdims=0)]  # fmt: skip
        outputs = [("y", F, [1, 16, 8, 8]), ("z", F, [4])]
        self.write("late.onnx", model(nodes, [("x", F, list(x.shape))], outputs, weights))
        self.write("net.bin", x.tobytes())
        dumps = self.run_both("late")
        for name in ("conv_TransData_input0", "conv_kernel", "conv_TransData_output0"):
            self.assertEqual(dumps[name][0].task, dumps["conv"][0].task)
        self.check_change(dumps["conv_TransData_input0"][1], x)
        self.check_change(dumps["conv_TransData_output0"][1], dumps["conv"][1].outputs[0].array())

    def test_a_model_of_whole_operators_has_no_such_files_and_that_is_said(self):
        self.write("net.bin", np.float32([1, 2, 3, 4]).tobytes())
        said = self.run_net("tiny", dump_level="kernel", runs=2)
        self.assertEqual(self.files(), [])
        self.assertEqual(said.count('dump_level "kernel" dumps nothing of model "tiny": none of the selected operators'), 1)


if __name__ == "__main__":
    main()
