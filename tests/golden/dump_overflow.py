# SPDX-License-Identifier: Apache-2.0
"""Overflow dumps (dump_debug): who is reported, what the files say, and that nothing else is written. The Opdebug file is
read with struct, by the documented offsets."""
import json
import struct
import subprocess
import sys

import numpy as np
import read_dump
from dump_support import BOTH, F, X, DumpTest, TensorProto, helper, main, model, tiny

OPDEBUG = ("Opdebug", "Node_OpDebug")
CONV = ("Conv2D", "conv1conv1_relu")
LENGTH = 30
BELAY = None


def chain():
    """v0 = x * w0, v1 = v0 * w1 ...: the factors are inputs, so that an overflow can be planted anywhere."""
    nodes = [helper.make_node("Mul", [f"v{i - 1}" if i else "x", f"w{i}"], [f"v{i}"], f"mul{i}") for i in range(LENGTH)]
    inputs = [("x", F, [17])] + [(f"w{i}", F, [17]) for i in range(LENGTH)]
    return model(nodes, inputs, [(f"v{LENGTH - 1}", F, [17])])


SOFTMAX_X = np.float16([[1, 2, 3, 0], [2, 4, 1, 3]])  # times 3: 12 is beyond what exp in half precision can take


def softmax_model():
    """exp(3x) / sum(exp(3x)), without subtracting the maximum, in half precision."""
    half = TensorProto.FLOAT16
    nodes = [helper.make_node("Mul", ["x", "three"], ["m"], "scale"), helper.make_node("Exp", ["m"], ["e"], "exp"),
             helper.make_node("ReduceSum", ["e", "axes"], ["s"], "sum", keepdims=1),
             helper.make_node("Div", ["e", "s"], ["y"], "div")]  # fmt: skip
    return model(nodes, [("x", half, [2, 4])], [("y", half, [2, 4])], {"three": np.float16(3), "axes": np.int64([-1])})


class Overflow(DumpTest):
    def setUp(self):
        super().setUp()
        self.on = self.config(dump_debug="on")

    def run_one(self, made, *inputs, config=None, runs=1):
        """The model of these bytes under an overflow dump by aclInit."""
        self.write("m.onnx", made)
        self.write("m.bin", b"".join(value.tobytes() for value in inputs))
        self.drive(f"init={config or self.on}", "input=m.bin", "load=m.onnx", f"run={runs}", "out=y.bin", "finalize")

    def run_unary(self, op, values, kind=F):
        """One operator on one tensor; x - x and x / x take it twice."""
        ins = ["x", "x"] if op in ("Sub", "Div") else ["x"]
        shape = [len(values)]
        self.run_one(model([helper.make_node(op, ins, ["y"], "op")], [("x", kind, shape)], [("y", kind, shape)]), values)
        return np.frombuffer((self.work / "y.bin").read_bytes(), values.dtype)

    def expect_culprit(self, op_type, name):
        self.assertEqual(self.names(), [OPDEBUG, (op_type, name)])
        return read_dump.read(self.entries()[1].path)

    def test_the_documented_example(self):
        x = X.copy()
        x[0, 0, 0, 0] = 1e38
        self.write("tiny.onnx", tiny(weight=10))
        self.write("x.bin", x.tobytes())
        self.run_tiny(self.on)
        self.assertEqual(self.names(), [OPDEBUG, CONV])  # prob takes an inf: not its fault
        debug, conv = self.entries()
        self.assertEqual(debug.path.parent, conv.path.parent)
        self.assertEqual((debug.model, debug.model_id, debug.step), ("tiny", 1, 0))
        self.assertEqual((debug.task, debug.stream), (conv.task, conv.stream))
        own = read_dump.read(conv.path)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(own.outputs[0].array(), x * np.float32(10))
        np.testing.assert_array_equal(own.inputs[0].array(), x)
        np.testing.assert_array_equal(own.inputs[1].array().ravel(), [10])

        raw = debug.path.read_bytes()
        header = read_dump.read(debug.path)
        self.assertEqual((header.version, header.dump_time, header.op_name), ("2.0", debug.timestamp, "Node_OpDebug"))
        self.assertEqual((header.inputs, len(header.outputs)), ([], 1))
        block = header.outputs[0]
        self.assertEqual((block.data_type, block.format, block.shape, block.size), (4, 2, [2048], 2048))
        self.assertEqual(block.original_op, {"name": "Node_OpDebug", "output_index": 0, "data_type": 4, "format": 2})
        self.assertEqual((block.original_shape, block.sub_format), ([], 0))
        self.assertNotEqual(block.address, 0)
        (length,) = struct.unpack_from("<Q", raw)
        self.assertEqual(len(raw), 8 + length + 2048)
        data = raw[8 + length :]
        self.assertEqual(struct.unpack_from("<6I", data), (0x5A5A5A5A, 0, 1, 0, 0, 88))
        ids = (1, debug.stream, debug.task)
        self.assertEqual(struct.unpack_from("<11Q", data, 24), (*ids, 0, 65535, 65535, 0, 0, 0, 0, 0x20))
        self.assertEqual(data[112:], bytes(2048 - 112))

        (self.work / "json").mkdir()
        subprocess.run([BELAY, "convert", debug.path, "--output", self.work / "json"], check=True, capture_output=True)
        (made,) = (self.work / "json").rglob("*.json")
        record = {"model_id": 1, "stream_id": debug.stream, "task_id": debug.task, "task_type": 0, "context_id": 65535,
                  "thread_id": 65535, "pc_start": "0x0", "para_base": "0x0", "core_id": 0, "block_id": 0, "status": 32}  # fmt: skip
        accelerator = {"valid": 1, "acc_type": "AIC", "rsv": 0, "data_len": 88, "data": record}
        self.assertEqual(json.loads(made.read_text()), {"magic": "0x5a5a5a5a", "version": 0, "acc_list": accelerator})

    def test_a_network_in_which_nothing_overflows_leaves_no_file(self):
        self.run_tiny(self.on, runs=3)
        self.assertEqual(self.files(), [])

    def test_zero_by_zero(self):
        y = self.run_unary("Div", np.float32([1, 0, 2]))
        self.assertEqual(list(np.isnan(y)), [False, True, False])
        own = self.expect_culprit("RealDiv", "op")
        np.testing.assert_array_equal(own.outputs[0].array(), y)

    def test_inf_minus_inf_is_the_fault_of_who_made_the_inf(self):
        nodes = [helper.make_node("Exp", ["x"], ["e"], "exp"), helper.make_node("Sub", ["e", "e"], ["y"], "sub")]
        self.run_one(model(nodes, [("x", F, [3])], [("y", F, [3])]), np.float32([1, 100, 2]))
        self.assertTrue(np.isnan(np.frombuffer((self.work / "y.bin").read_bytes(), np.float32)[1]))
        self.expect_culprit("Exp", "exp")

    def test_inf_that_the_program_gives_is_nobodys_fault(self):
        y = self.run_unary("Sub", np.float32([1, np.inf, 2]))
        self.assertTrue(np.isnan(y[1]))
        self.assertEqual(self.files(), [])

    def test_exp_in_half_precision(self):
        y = self.run_unary("Exp", np.float16([11, 11.0859375, 12]), TensorProto.FLOAT16)  # e^11.09 is 65504's end
        self.assertTrue(np.isfinite(y[:2]).all())
        self.assertEqual(y[2], np.inf)
        own = self.expect_culprit("Exp", "op")
        self.assertEqual(own.outputs[0].data_type, 2)

    def test_double(self):
        self.run_unary("Exp", np.float64([700, 710]), TensorProto.DOUBLE)
        self.expect_culprit("Exp", "op")

    def test_an_overflow_is_found_at_every_place_of_a_chain(self):
        self.write("chain.onnx", chain())
        x = np.linspace(10, 20, 17, dtype=np.float32)
        calls = []
        for at in range(LENGTH):
            factors = np.ones((LENGTH, 17), np.float32)
            factors[at, at % 17] = 1e38
            self.write(f"{at}.bin", x.tobytes() + factors.tobytes())
            calls += [f"input={at}.bin", "load=chain.onnx", "run", "unload"]
        self.drive(f"init={self.on}", *calls, "finalize")
        found = {}
        for entry in self.entries():
            found.setdefault(entry.model_id, []).append((entry.op_type, entry.op_name))
        self.assertEqual([found[key] for key in sorted(found)], [[OPDEBUG, ("Mul", f"mul{at}")] for at in range(LENGTH)])
        for entry in self.entries()[1::2]:
            output = read_dump.read(entry.path).outputs[0].array()
            at = int(entry.op_name[3:])
            self.assertEqual(list(np.flatnonzero(np.isinf(output))), [at % 17])

    def test_two_culprits_are_both_reported_in_their_order(self):
        nodes = [helper.make_node("Exp", ["a"], ["x"], "first"), helper.make_node("Exp", ["b"], ["y"], "second")]
        made = model(nodes, [("a", F, [1]), ("b", F, [1])], [("x", F, [1]), ("y", F, [1])])
        self.run_one(made, np.float32([100]), np.float32([200]))
        self.assertEqual(self.names(), [OPDEBUG, ("Exp", "first"), OPDEBUG, ("Exp", "second")])
        debug = [struct.unpack_from("<Q", read_dump.read(e.path).outputs[0].data, 40)[0] for e in self.entries()[::2]]
        self.assertEqual(debug, [e.task for e in self.entries()[1::2]])

    def test_belay_run_says_when_nothing_was_dumped(self):
        other = self.config("other.json", dump_list=[{"model_name": "other"}])
        said = [subprocess.run([BELAY, "run", "tiny.onnx", "--dump", config], cwd=self.work, capture_output=True, text=True).stdout
                for config in (other, self.config("every.json", dump_list=[{}]))]  # fmt: skip
        self.assertIn("nothing was dumped", said[0])
        self.assertIn("dump in ", said[1])

    def test_the_tool_names_culprit_tensors_and_the_first_bad_element(self):
        nodes = [helper.make_node("Exp", ["a"], ["e"], "first"), helper.make_node("Neg", ["e"], ["x"], "heir"),
                 helper.make_node("Div", ["b", "c"], ["y"], "second")]  # fmt: skip
        made = model(nodes, [(name, F, [2, 3]) for name in "abc"], [("x", F, [2, 3]), ("y", F, [2, 3])])
        a, b, c = np.float32([[1, 2, 3], [4, 5, 6]]), np.float32([[0, 0, 0], [1, 1, 1]]), np.ones((2, 3), np.float32)
        a[1, 1:], c[0, 2], c[1, 0] = 100, 0, 0
        self.run_one(made, a, b, c)
        done = subprocess.run([BELAY, "overflow", "d", "--json"], cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        first, second = json.loads(done.stdout)["overflows"]
        self.assertEqual((first["op_type"], first["op_name"], first["status"]), ("Exp", "first", 32))
        self.assertEqual((second["op_type"], second["op_name"]), ("RealDiv", "second"))
        (taken, given) = first["tensors"]
        self.assertEqual((taken["max"], taken["min"], "first_index" in taken), (100, 1, False))
        self.assertEqual((given["+inf"], given["first_index"], given["first_value"]), (2, [1, 1], "inf"))
        self.assertEqual(first["cause"]["operands"], [{"tensor": "input 0", "index": [1, 1], "value": "100"}])
        self.assertEqual(first["cause"]["why"], "exp(100) = 2.688117e+43, beyond 3.402823e+38")
        zero = {"tensor": "input 1", "index": [0, 2], "value": "0"}
        self.assertEqual((second["cause"]["operands"][0], second["cause"]["why"]), (zero, "0 / 0 is not a number"))
        output = second["tensors"][2]
        self.assertEqual((output["nan"], output["+inf"], output["first_index"]), (1, 1, [0, 2]))
        text = subprocess.run([BELAY, "overflow", "d", "-n", "1"], cwd=self.work, capture_output=True, text=True).stdout
        self.assertTrue(text.startswith("1. Exp first: task "), text)
        self.assertIn("inf at [1,1]", text)
        self.assertNotIn("second", text)

    def test_the_tool_agrees_when_nothing_overflowed(self):
        self.run_tiny(self.on)
        done = subprocess.run([BELAY, "overflow", "d"], cwd=self.work, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "no overflow recorded\n"))

    def overflows(self, *options, code=1):
        """What belay overflow says of d, as JSON."""
        done = subprocess.run([BELAY, "overflow", "d", "--json", *options], cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def test_the_chain_of_a_softmax_without_subtraction(self):
        self.run_one(softmax_model(), SOFTMAX_X)
        y = np.frombuffer((self.work / "y.bin").read_bytes(), np.float16).reshape(2, 4)
        np.testing.assert_array_equal(np.isnan(y), [[False] * 4, [False, True, False, False]])
        self.expect_culprit("Exp", "exp")  # neither the sum, which takes the inf, nor inf / inf
        (found,) = self.overflows()["overflows"]
        self.assertEqual(found["cause"]["result"], {"tensor": "output 0", "index": [1, 1], "value": "inf"})
        self.assertEqual(found["cause"]["operands"], [{"tensor": "input 0", "index": [1, 1], "value": "12"}])
        self.assertEqual(found["cause"]["why"], "exp(12) = 162754.8, beyond 65504")
        self.assertEqual([(link["op_type"], link["op_name"], link["max_abs"]) for link in found["chain"]],
                         [("Data", "x", 4), ("Mul", "scale", 12), ("Exp", "exp", "inf")])  # fmt: skip
        self.assertAlmostEqual(found["chain"][1]["headroom"], np.log2(65504 / 12), places=6)

    def test_a_matrix_product_names_its_largest_term(self):
        rng = np.random.default_rng(3)
        a, b = rng.uniform(-1, 1, (5, 7)).astype(np.float32), rng.uniform(-1, 1, (7, 6)).astype(np.float32)
        a[3, 4], b[4, 2] = 3e19, -2e19
        self.run_one(model([helper.make_node("MatMul", ["a", "b"], ["y"], "mm")],
                           [("a", F, [5, 7]), ("b", F, [7, 6])], [("y", F, [5, 6])]), a, b)  # fmt: skip
        (found,) = self.overflows()["overflows"]
        self.assertEqual([(each["tensor"], each["index"]) for each in found["cause"]["operands"]],
                         [("input 0", [3, 4]), ("input 1", [4, 2])])  # fmt: skip
        self.assertIn("a sum of 7 products = -6e+38, beyond 3.402823e+38", found["cause"]["why"])

    def test_a_dump_of_all_tensors_tells_the_same(self):
        config = self.config(dump_list=[{}], dump_mode="all")
        self.run_one(softmax_model(), SOFTMAX_X, config=config)
        (found,) = self.overflows()["overflows"]
        self.assertEqual((found["op_name"], found["cause"]["why"]), ("exp", "exp(12) = 162754.8, beyond 65504"))
        self.assertEqual([link["op_name"] for link in found["chain"]], ["x", "scale", "exp"])

    def test_a_dump_of_outputs_names_the_first_that_is_not_finite(self):
        for place, keys in (("d/tensors", {}), ("d/stats", {"dump_data": "stats"})):
            (self.work / place).mkdir()
            self.run_one(softmax_model(), SOFTMAX_X, config=self.config(path=place, dump_list=[{}], dump_mode="output", **keys))
        tensors, statistics = self.overflows()["overflows"]
        self.assertEqual((tensors["op_name"], statistics["op_name"]), ("exp", "exp"))
        self.assertEqual((tensors["cause"]["result"]["index"], tensors["cause"]["operands"]), ([1, 1], []))
        self.assertNotIn("cause", statistics)

    def test_of_outputs_an_input_that_is_not_finite_is_named_in_their_place(self):
        x = SOFTMAX_X.copy()
        x[0, 1] = np.nan
        self.run_one(softmax_model(), x, config=self.config(dump_list=[{}], dump_mode="output"))
        (found,) = self.overflows()["overflows"]
        self.assertEqual((found["op_type"], found["op_name"]), ("Data", "x"))
        self.assertEqual(found["cause"]["result"]["index"], [0, 1])

    def test_headroom_is_told_when_nothing_overflows(self):
        x = SOFTMAX_X / np.float16(2)
        scaled = x * np.float16(3)
        powers = np.exp(scaled.astype(np.float64))
        want = {"scale": scaled.max(), "exp": powers.max(), "sum": powers.sum(-1).max(),
                "div": (powers / powers.sum(-1, keepdims=True)).max()}  # fmt: skip
        for place, keys in (("tensors", {}), ("stats", {"dump_data": "stats"}), ("all", {"dump_mode": "all"})):
            with self.subTest(place):
                (self.work / place).mkdir()
                self.run_one(softmax_model(), x, config=self.config(path=place, dump_list=[{}], **keys))
                done = subprocess.run([BELAY, "overflow", place, "--json"], cwd=self.work, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                report = json.loads(done.stdout)
                self.assertEqual(report["overflows"], [])
                found = {each["op_name"]: each["headroom"] for each in report["headroom"]}
                self.assertEqual(list(found), ["sum", "exp", "scale", "div"])  # the least first
                for name, most in want.items():
                    self.assertAlmostEqual(found[name], np.log2(65504 / most), delta=0.002)

    def test_saturation_mode_clips_and_reports(self):
        self.write("m.onnx", softmax_model())
        self.write("m.bin", SOFTMAX_X.tobytes())
        self.drive(f"init={self.on}", "sat=0", "input=m.bin", "load=m.onnx", "run", "out=y.bin", "status=1", "clear",
                   "status=0", "finalize")  # fmt: skip
        y = np.frombuffer((self.work / "y.bin").read_bytes(), np.float16).reshape(2, 4)
        powers = np.minimum(np.exp((SOFTMAX_X * np.float16(3)).astype(np.float64)), 65504).astype(np.float16)
        sums = np.minimum(powers.astype(np.float64).sum(-1, keepdims=True), 65504).astype(np.float16)
        np.testing.assert_allclose(y.astype(np.float64), powers.astype(np.float64) / sums, rtol=2e-3)
        self.assertEqual([name for _, name in self.names()[1::2]], ["exp", "sum"])
        self.assertEqual(read_dump.read(self.entries()[1].path).outputs[0].array()[1, 1], 65504)
        first = self.overflows()["overflows"][0]
        self.assertEqual(first["cause"]["result"], {"tensor": "output 0", "index": [1, 1], "value": "65504"})
        self.assertEqual(first["cause"]["why"], "exp(12) = 162754.8, beyond 65504")

    def test_saturating_casts_and_quotients(self):
        half = TensorProto.FLOAT16
        cast = model([helper.make_node("Cast", ["x"], ["y"], "cast", to=half)], [("x", F, [4])], [("y", half, [4])])
        divide = model([helper.make_node("Div", ["a", "b"], ["y"], "div")], [("a", F, [4]), ("b", F, [4])], [("y", F, [4])])
        most = np.finfo(np.float32).max
        quotients = np.float32([1, -1, 0, 6]), np.float32([0, 0, 0, 3])
        for name, made, inputs, kind, plain, clipped in (
            ("cast", cast, [np.float32([1e6, -1e6, 65504, 1])], np.float16, [np.inf, -np.inf, 65504, 1], [65504, -65504, 65504, 1]),
            ("div", divide, quotients, np.float32, [np.inf, -np.inf, np.nan, 2], [most, -most, 0, 2])):  # fmt: skip
            self.write(f"{name}.onnx", made)
            self.write(f"{name}.bin", b"".join(value.tobytes() for value in inputs))
            for mode, want, flag in ((1, plain, 0), (0, clipped, 1)):
                self.drive("init", f"sat={mode}", f"input={name}.bin", f"load={name}.onnx", "run", "out=y.bin",
                           f"status={flag}", "finalize")  # fmt: skip
                y = np.frombuffer((self.work / "y.bin").read_bytes(), kind)
                np.testing.assert_array_equal(y, np.array(want, kind))

    def test_the_switch_makes_an_overflow_known_in_inf_nan_mode(self):
        self.write("m.onnx", softmax_model())
        self.write("m.bin", SOFTMAX_X.tobytes())
        said = self.drive("init", "switch=1", "input=m.bin", "load=m.onnx", "status=0", "run!207003", "status=1", "clear",
                          "status=0", "switch=0", "run", "status=0", "finalize")  # fmt: skip
        self.assertIn("did not fit its type", said)

    def test_single_operators(self):
        said = self.drive(f"init={self.on}", "aclnnadd", "aclopadd", "aclnnadd=3e38", "aclopadd=3e38", "finalize")
        self.assertEqual(said.split(), ["sum", "inf", "sum", "inf"])
        self.assertEqual(self.names(), [("aclnnAdd_1_L0", "AddAiCore"), OPDEBUG, ("Add", "Add1")])
        for entry in (self.entries()[0], self.entries()[2]):
            own = read_dump.read(entry.path)
            self.assertEqual((len(own.inputs), own.outputs[0].array()[3, 1]), (2, np.inf))
        first, second = self.overflows()["overflows"]
        for found in (first, second):
            self.assertEqual(found["cause"]["why"], "3e+38 + 3e+38 = 6e+38, beyond 3.402823e+38")
            self.assertEqual(found["cause"]["operands"][0]["index"], [3, 1])

    def test_single_operators_in_saturation_mode(self):
        said = self.drive(f"init={self.on}", "sat=0", "aclnnadd=3e38", "status=1", "clear", "aclopadd=3e38", "status=1", "finalize")
        self.assertEqual(said.split(), 2 * ["sum", "3.40282e+38"])
        self.assertEqual(self.names(), [("aclnnAdd_0_L0", "AddAiCore"), OPDEBUG, ("Add", "Add1")])

    def test_steps_are_honoured(self):
        config = self.config(dump_debug="on", dump_step="1|3-4")
        made = model([helper.make_node("Exp", ["x"], ["y"], "op")], [("x", F, [1])], [("y", F, [1])])
        self.run_one(made, np.float32([100]), config=config, runs=6)
        self.assertEqual([e.step for e in self.entries()], [1, 1, 3, 3, 4, 4])

    def test_a_model_whose_shapes_are_known_late(self):
        made = model([helper.make_node("NonZero", ["x"], ["n"], "nz"), helper.make_node("Cast", ["n"], ["c"], "cast", to=F),
                      helper.make_node("Mul", ["c", "big"], ["m"], "mul"), helper.make_node("ReduceMax", ["m"], ["y"], "most", axes=[0, 1])],
                     [("x", F, [5])], [("y", F, [1, 1])], {"big": np.float32([2e38])})  # fmt: skip
        self.run_one(made, np.float32([1, 0, 3, 4, 5]))
        self.assertEqual(self.names(), [OPDEBUG, ("Mul", "mul")])

    def test_results_are_the_same_bits(self):
        rng = np.random.default_rng(5)
        weights = {"w": rng.standard_normal((8, 3, 3, 3)).astype(np.float32)}
        nodes = [helper.make_node("Conv", ["x", "w"], ["a"], "conv", pads=[1] * 4), helper.make_node("Exp", ["a"], ["b"], "exp"),
                 helper.make_node("Softmax", ["b"], ["y"], "sm", axis=1)]  # fmt: skip
        made = model(nodes, [("x", F, [1, 3, 16, 16])], [("y", F, [1, 8, 16, 16])], weights)
        off = self.config("off.json", dump_debug="off")
        for scale in (0.1, 30):
            x = (scale * rng.standard_normal((1, 3, 16, 16))).astype(np.float32)
            self.run_one(made, x, config=off)
            want = (self.work / "y.bin").read_bytes()
            self.run_one(made, x)
            self.assertEqual((self.work / "y.bin").read_bytes(), want)
        self.assertEqual(self.names(), [OPDEBUG, ("Exp", "exp")])

    def test_a_callback_gets_both_files_in_their_order(self):
        self.write("tiny.onnx", tiny(weight=1e38))
        said = self.drive("init", "initdump", f"setdump={self.on}", "reg", "input=x.bin", "load=tiny.onnx", "run", "unreg",
                          "finalizedump", "finalize")  # fmt: skip
        names = [name.rsplit("/", 1)[1].split(".")[0] for name, *_ in self.chunks(said)]
        self.assertEqual(names, ["Opdebug", "Conv2D"])
        self.assertEqual(self.files(), [])

    def test_the_last_setdump_is_the_only_kind(self):
        self.write("tiny.onnx", tiny(weight=1e38))
        (self.work / "all").mkdir()
        everything = self.config("all.json", path="all", dump_list=[{}])
        self.drive("init", "initdump", f"setdump={everything}", f"setdump={self.on}", "path", "input=x.bin", "load=tiny.onnx",
                   "run", f"setdump={everything}", "run", f"setdump={self.on}", "run", "finalizedump", "run",
                   "finalize")  # fmt: skip
        self.assertEqual(self.names("all"), BOTH)
        self.assertEqual([e.step for e in self.entries("all")], [1, 1, 1])
        self.assertEqual(self.names(), 2 * [OPDEBUG, CONV])
        self.assertEqual([e.step for e in self.entries()], [0, 0, 2, 2])

    def test_initdump_after_an_overflow_dump_by_aclinit_is_refused(self):
        said = self.drive(f"init={self.on}", "initdump!100044", "finalize")
        self.assertIn("the configuration given to aclInit dumps already", said)


if __name__ == "__main__":
    BELAY = sys.argv.pop(3)
    main()
