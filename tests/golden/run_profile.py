# SPDX-License-Identifier: Apache-2.0
"""belay run --profile and --trace: operations counted by hand, operators by their dump, times that fit into each other.
Usage: run_profile.py DRIVER ATC BELAY [TEST...]"""
import json
import subprocess
import sys

import numpy as np
from dump_support import F, DumpTest, helper, main, model

BELAY = None


def weights(**shapes):
    random = np.random.default_rng(0)
    return {name: random.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def single(kind, inputs, output, constants, outputs=1, **attributes):
    names = ["y"] + [f"y{i}" for i in range(1, outputs)]
    node = helper.make_node(kind, [*inputs, *constants], names, kind.lower(), **attributes)
    return model([node], [(name, F, shape) for name, shape in inputs.items()], [("y", F, output)], weights(**constants))


class Profile(DumpTest):
    def report(self, made, *options):
        self.write("m.onnx", made)
        done = subprocess.run([BELAY, "run", "m.onnx", "--json", *options], cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def profile(self, made, *options):
        return self.report(made, "--profile", *options)["profile"]

    def check_flops(self, made, flops, *bytes_):
        found = self.profile(made)
        self.assertEqual(found["flops"], flops)
        self.assertEqual(found["flops"], sum(op["flops"] for op in found["operators"]))
        if bytes_:
            self.assertEqual(found["bytes"], 4 * sum(bytes_))

    def test_a_convolution_is_two_operations_for_each_product_and_one_for_each_bias(self):
        made = single("Conv", {"x": [1, 2, 5, 5]}, [1, 3, 5, 5], {"w": (3, 2, 3, 3), "b": (3,)}, kernel_shape=[3, 3],
                      pads=[1, 1, 1, 1])  # fmt: skip
        self.check_flops(made, 75 * 2 * (2 * 3 * 3) + 75)

    def test_a_convolution_in_groups_has_the_products_of_its_group(self):
        made = single("Conv", {"x": [2, 4, 7, 9]}, [2, 6, 3, 4], {"w": (6, 2, 3, 3)}, kernel_shape=[3, 3], strides=[2, 2],
                      group=2)  # fmt: skip
        self.check_flops(made, 2 * 6 * 3 * 4 * 2 * (2 * 3 * 3))

    def test_a_convolution_by_channels(self):
        made = single("Conv", {"x": [1, 4, 6, 6]}, [1, 4, 4, 4], {"w": (4, 1, 3, 3)}, kernel_shape=[3, 3], group=4)
        self.check_flops(made, 4 * 4 * 4 * 2 * 9)

    def test_a_transposed_convolution_goes_over_its_input(self):
        made = single("ConvTranspose", {"x": [1, 3, 4, 5]}, [1, 2, 8, 10], {"w": (3, 2, 2, 2)}, kernel_shape=[2, 2],
                      strides=[2, 2])  # fmt: skip
        self.check_flops(made, 3 * 4 * 5 * 2 * (2 * 2 * 2))

    def test_a_product_of_matrices_and_the_bytes_of_its_sides(self):
        self.check_flops(single("MatMul", {"x": [3, 7]}, [3, 5], {"w": (7, 5)}), 2 * 3 * 5 * 7, 3 * 7, 7 * 5, 3 * 5)
        self.check_flops(single("MatMul", {"x": [2, 3, 7], "w": [2, 7, 5]}, [2, 3, 5], {}), 2 * 2 * 3 * 5 * 7)
        made = single("Gemm", {"x": [7, 3]}, [3, 5], {"w": (5, 7), "b": (5,)}, transA=1, transB=1)
        self.check_flops(made, 2 * 3 * 5 * 7 + 15)

    def test_a_recurrent_layer_multiplies_with_both_matrices_in_every_step(self):
        steps, batch, width, hidden = 5, 2, 3, 4
        made = single("LSTM", {"x": [steps, batch, width]}, [steps, 1, batch, hidden],
                      {"w": (1, 4 * hidden, width), "r": (1, 4 * hidden, hidden)}, hidden_size=hidden)  # fmt: skip
        products = 2 * steps * batch * 4 * hidden * (width + hidden)
        found = self.profile(made)["operators"]
        layer = [op for op in found if op["type"] == "CommonLSTM"]
        self.assertEqual([op["flops"] for op in layer], [products + steps * batch * hidden + 2 * batch * hidden])

    def test_what_is_fused_does_what_its_parts_do(self):
        nodes = [helper.make_node("Conv", ["x", "w"], ["c"], "conv", kernel_shape=[1, 1]),
                 helper.make_node("Relu", ["c"], ["y"], "relu")]  # fmt: skip
        made = model(nodes, [("x", F, [1, 16, 4, 4])], [("y", F, [1, 16, 4, 4])], weights(w=(16, 16, 1, 1)))
        self.check_flops(made, 16 * 16 * 2 * 16 + 16 * 16)

    def branching(self):
        nodes = [helper.make_node("Conv", ["x", "w"], ["c"], "conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
                 helper.make_node("Relu", ["c"], ["r"], "relu"), helper.make_node("Softmax", ["r"], ["s"], "soft", axis=1),
                 helper.make_node("Transpose", ["s"], ["t"], "turn", perm=[0, 2, 3, 1]),
                 helper.make_node("Exp", ["t"], ["y"], "exp"), helper.make_node("ReduceSum", ["c"], ["z"], "sum")]  # fmt: skip
        return model(nodes, [("x", F, [1, 16, 8, 8])], [("y", F, [1, 8, 8, 16]), ("z", F, None)], weights(w=(16, 16, 3, 3)))

    def test_every_operator_that_a_dump_has_is_there_once(self):
        self.report(self.branching(), "--dump", self.config(dump_list=[{"model_name": "m"}], dump_mode="output"))
        dumped = sorted(path.name.split(".")[1] for path in (self.work / "d").rglob("*")
                        if path.is_file() and not path.name.startswith("Data."))
        self.assertGreaterEqual(len(dumped), 4)
        found = self.profile(self.branching(), "--repeat", "3", "--warmup", "2")
        self.assertEqual(sorted(op["name"] for op in found["operators"] if op["type"] != "TransData"), dumped)
        self.assertEqual({op["calls"] for op in found["operators"]}, {1})
        self.assertEqual(found["runs"], 3)

    def test_the_times_fit_into_each_other(self):
        found = self.profile(self.branching(), "--repeat", "5", "--threads", "1")
        kernels, operators = (sum(row["ms"] for row in found[part]) for part in ("kernels", "operators"))
        self.assertAlmostEqual(kernels, operators, 9)
        self.assertAlmostEqual(found["kernels_ms"], operators, 9)
        self.assertLessEqual(operators, found["ms"])
        self.assertAlmostEqual(sum(op["share"] for op in found["operators"]), operators / found["ms"], 9)
        self.assertGreater(found["peak_gflops_per_s"], 0)
        self.assertGreater(found["peak_gb_per_s"], 0)
        for op in found["operators"]:
            least = max(op["flops"] / found["peak_gflops_per_s"], op["bytes"] / found["peak_gb_per_s"]) / 1e6
            self.assertAlmostEqual(op["roofline"], least / op["ms"] if op["ms"] else 0, 6)

    def test_one_thread_shares_no_loop(self):
        found = self.profile(self.branching(), "--threads", "1")
        self.assertEqual([found[key] for key in ("loops", "pieces", "helped", "woken")], [0, 0, 0, 0])

    def test_loops_that_are_shared_are_counted_where_they_were(self):
        made = single("MatMul", {"x": [256, 512]}, [256, 512], {"w": (512, 512)})
        found = self.profile(made, "--threads", "2", "--repeat", "3")
        self.assertEqual(found["loops"], sum(op["loops"] for op in found["operators"]))
        self.assertEqual(found["pieces"], sum(op["pieces"] for op in found["operators"]))
        self.assertGreaterEqual(found["pieces"], 2 * found["loops"])

    def test_the_text_names_the_kernels_and_the_operators(self):
        self.write("m.onnx", self.branching())
        done = subprocess.run([BELAY, "run", "m.onnx", "--profile"], cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("profile of 1 run on", "GFLOP/s", "roofline", "Transpose", "turn", "Exp"):
            self.assertIn(word, done.stdout)

    def test_a_model_whose_shapes_come_late_is_profiled_as_well(self):
        nodes = [helper.make_node("MatMul", ["x", "w"], ["m"], "product"), helper.make_node("Exp", ["m"], ["y"], "exp")]
        made = model(nodes, [("x", F, ["n", 8])], [("y", F, ["n", 4])], weights(w=(8, 4)))
        found = self.profile(made, "--shape", "x:6,8", "--repeat", "2")
        self.assertEqual(found["flops"], 2 * 6 * 8 * 4 + 6 * 4)
        self.assertEqual(len(found["operators"]), len({op["name"] for op in found["operators"]}))


class Trace(DumpTest):
    def trace(self, *options):
        self.write("m.onnx", single("MatMul", {"x": [3, 7]}, [3, 5], {"w": (7, 5)}))
        done = subprocess.run([BELAY, "run", "m.onnx", "--trace", "t.json", *options], cwd=self.work, capture_output=True,
                              text=True)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads((self.work / "t.json").read_text())["traceEvents"]

    def test_each_event_is_whole_and_kernels_lie_within_their_model(self):
        events = self.trace("--repeat", "3")
        spans = [event for event in events if event["ph"] == "X"]
        for span in spans:
            self.assertEqual({"name", "cat", "ph", "pid", "tid", "ts", "dur", "args"}, set(span))
            self.assertGreaterEqual(min(span["ts"], span["dur"]), 0)
        models = [span for span in spans if span["cat"] == "model"]
        kernels = [span for span in spans if span["cat"] == "kernel"]
        self.assertEqual([span["args"]["run"] for span in models], [0, 1, 2])
        self.assertEqual([span["args"]["run"] for span in kernels], [0, 1, 2])
        for kernel, around in zip(kernels, models):
            self.assertEqual((kernel["tid"], kernel["args"]["model"]), (around["tid"], around["args"]["model"]))
            self.assertGreaterEqual(kernel["ts"], around["ts"])
            self.assertLessEqual(kernel["ts"] + kernel["dur"], around["ts"] + around["dur"] + 1e-3)
        copies = [span["args"]["bytes"] for span in spans if span["cat"] == "copy"]
        self.assertEqual(copies, [3 * 7 * 4, 3 * 5 * 4])
        names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
        self.assertEqual(set(names), {span["tid"] for span in spans})

    def test_files_of_a_dump_and_tasks_of_a_stream_are_there(self):
        spans = self.trace("--memory", "--dump", self.config(dump_list=[{"model_name": "m"}], dump_mode="output"))
        files = {path.name: path.stat().st_size for path in (self.work / "d").rglob("*") if path.is_file()}
        written = {span["name"]: span["args"]["bytes"] for span in spans if span.get("cat") == "dump"}
        self.assertEqual(written, files)
        tasks = [span for span in spans if span.get("cat") == "task"]
        kernel = next(span for span in spans if span.get("cat") == "kernel")
        self.assertTrue(any(task["tid"] == kernel["tid"] and task["ts"] <= kernel["ts"] for task in tasks))

    def test_a_file_that_cannot_be_written_is_said(self):
        self.write("m.onnx", single("MatMul", {"x": [3, 7]}, [3, 5], {"w": (7, 5)}))
        done = subprocess.run([BELAY, "run", "m.onnx", "--trace", "none/t.json"], cwd=self.work, capture_output=True,
                              text=True)  # fmt: skip
        self.assertEqual(done.returncode, 3)
        self.assertIn("belay run: none/t.json cannot be written: No such file or directory", done.stderr)


if __name__ == "__main__":
    BELAY = sys.argv.pop(3)
    main()
