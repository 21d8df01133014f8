# SPDX-License-Identifier: Apache-2.0
"""belay bisect on networks whose guilty operators are known by construction; its lists given to atc, and what that computes
against numpy in double. Usage: test_bisect.py BELAY ATC [TEST...]"""
import json
import pathlib
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
RTOL, ATOL = 1e-2, 1e-3
LIMITS = ["--rtol", str(RTOL), "--atol", str(ATOL)]
RANDOM = np.random.default_rng(5)


class Bisect(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)

    def save(self, nodes, weights, shape, outputs, x=None, truth=(), opset=13):
        """nodes: (type, inputs, output, name[, attributes]); outputs: {name: rank}."""
        made = [helper.make_node(kind, inputs, [output], name, **(more[0] if more else {})) for kind, inputs, output, name, *more in nodes]
        graph = helper.make_graph(made, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                                  [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * rank) for name, rank in outputs.items()],
                                  [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), str(self.work / "net.onnx"))
        if x is not None:
            np.save(self.work / "x.npy", x)
        for i, value in enumerate(truth):
            np.save(self.work / f"y{i}.npy", value)

    def bisect(self, *options, code=0, raw=False):
        done = subprocess.run([BELAY, "bisect", "net.onnx", *options], cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr if raw else json.loads(done.stdout)

    def names(self, report):
        return [one["name"] for one in report["keep_float32"]]

    def run_kept(self, *options):
        """What atc makes of the network with these options, computed."""
        subprocess.run([ATC, "--model=net.onnx", "--framework=5", "--output=net", "--soc_version=Ascend910B3", *options], cwd=self.work,
                       check=True, capture_output=True)
        subprocess.run([BELAY, "run", "net.om", "--input", "x.npy", "-o", "out"], cwd=self.work, check=True, capture_output=True)
        return np.load(self.work / "out/output_0.npy")

    def check_lists(self, truth, report):
        """The list passes; no list with one name less does; and neither does nothing."""
        names = self.names(report)
        passes = lambda y: np.allclose(y, truth, rtol=RTOL, atol=ATOL)  # noqa: E731
        self.assertTrue(passes(self.run_kept("--precision_mode=force_fp16", "--keep_dtype=lists/keep_dtype.cfg")))
        self.assertFalse(passes(self.run_kept("--precision_mode=force_fp16")))
        for left in names:
            (self.work / "fewer.cfg").write_text("".join(name + "\n" for name in names if name != left))
            self.assertFalse(passes(self.run_kept("--precision_mode=force_fp16", "--keep_dtype=fewer.cfg")), left)
        if (self.work / "lists/modify_mixlist.json").exists():
            self.assertTrue(passes(self.run_kept("--precision_mode=allow_mix_precision", "--modify_mixlist=lists/modify_mixlist.json")))

    def sum_that_overflows(self):
        x = RANDOM.uniform(50, 150, (2, 1000)).astype(np.float32)
        truth = (x.astype(np.float64) * 1.5).sum(1, keepdims=True) / 1000 + 1
        self.save([("Mul", ["x", "k"], "p", "pre"), ("ReduceSum", ["p", "axes"], "s", "sum", {"keepdims": 1}),
                   ("Div", ["s", "n"], "m", "mean"), ("Add", ["m", "one"], "a", "post"), ("Relu", ["a"], "y", "relu")],
                  {"k": np.float32(1.5), "axes": np.int64([1]), "n": np.float32(1000), "one": np.float32(1)},
                  [2, 1000], {"y": 2}, x, [truth])  # fmt: skip
        return truth

    def test_a_sum_that_overflows(self):
        truth = self.sum_that_overflows()
        report = self.bisect("--input", "x.npy", "--against", "y0.npy", "-o", "lists", "--json", *LIMITS)
        self.assertEqual(self.names(report), ["sum", "mean"])  # the quotient reads the sum
        self.assertEqual((self.work / "lists/keep_dtype.cfg").read_text(), "sum\nmean\n")
        self.assertTrue(report["minimal"] and report["operators"] == 5)
        self.assertTrue(all(not one["without_it"][0]["passes"] for one in report["keep_float32"]))
        self.check_lists(truth, report)

    def test_exponentials_that_are_not_shifted(self):
        x = RANDOM.uniform(8, 14, (3, 7)).astype(np.float32)
        e = np.exp(x.astype(np.float64))
        truth = e / e.sum(1, keepdims=True)
        self.save([("Exp", ["x"], "e", "exp"), ("ReduceSum", ["e", "axes"], "s", "total", {"keepdims": 1}),
                   ("Div", ["e", "s"], "q", "quotient"), ("Relu", ["q"], "y", "relu")], {"axes": np.int64([1])}, [3, 7], {"y": 2}, x, [truth])  # fmt: skip
        report = self.bisect("--input", "x.npy", "--against", "y0.npy", "-o", "lists", "--json", *LIMITS)
        self.assertEqual(self.names(report), ["exp", "total", "quotient"])
        self.check_lists(truth, report)

    def test_cancellation_after_a_large_mean(self):
        x = (1000 + RANDOM.uniform(-1, 1, (4, 64))).astype(np.float32)
        wide = x.astype(np.float64)
        truth = (wide - wide.mean(1, keepdims=True)) * 3 + 0.5
        self.save([("ReduceMean", ["x"], "m", "mean", {"axes": [1], "keepdims": 1}), ("Sub", ["x", "m"], "c", "centred"),
                   ("Mul", ["c", "k"], "s", "scaled"), ("Add", ["s", "h"], "y", "shifted")],
                  {"k": np.float32(3), "h": np.float32(0.5)}, [4, 64], {"y": 2}, x, [truth])
        report = self.bisect("--input", "x.npy", "--against", "y0.npy", "-o", "lists", "--json", *LIMITS)
        self.assertEqual(self.names(report), ["mean", "centred"])
        self.check_lists(truth, report)

    def test_one_among_many_takes_few_trials(self):
        x = RANDOM.uniform(-1, 1, (1, 16)).astype(np.float32)
        nodes, weights, value, wide = [], {}, "x", x.astype(np.float64)
        for i in range(30):
            w = (RANDOM.standard_normal((16, 16)) / 4).astype(np.float32)
            nodes += [("MatMul", [value, f"w{i}"], f"m{i}", f"product{i}"), ("Tanh", [f"m{i}"], f"t{i}", f"tanh{i}")]
            weights[f"w{i}"], value = w, f"t{i}"
            wide = np.tanh(wide @ w.astype(np.float64))
            if i == 20:  # times 1e6 and back
                nodes += [("Mul", [value, "big"], "huge", "up"), ("Mul", ["huge", "small"], "back", "down")]
                weights.update(big=np.float32(2.0**20), small=np.float32(2.0**-20))
                value = "back"
        nodes.append(("Relu", [value], "y", "relu"))
        self.save(nodes, weights, [1, 16], {"y": 2}, x, [np.maximum(wide, 0)])
        report = self.bisect("--input", "x.npy", "--against", "y0.npy", "--rtol", "0.02", "--atol", "0.01", "--json")
        self.assertEqual(self.names(report), ["up", "down"])
        self.assertEqual(report["operators"], 63)
        self.assertLessEqual(report["trials"], 12)

    def test_a_network_that_passes_entirely(self):
        x = RANDOM.uniform(-1, 1, (2, 4)).astype(np.float32)
        self.save([("Mul", ["x", "k"], "m", "mul"), ("Relu", ["m"], "y", "relu")], {"k": np.float32(1.5)}, [2, 4], {"y": 2}, x,
                  [np.maximum(x * 1.5, 0)])
        report = self.bisect("--input", "x.npy", "--against", "y0.npy", "--json")
        self.assertEqual((self.names(report), report["result"], report["trials"]), ([], "passes in the narrow type", 2))
        self.assertIn("passes with everything in fp16: y: cosine ", self.bisect("--input", "x.npy", "--against", "y0.npy", raw=True))

    def test_a_network_that_cannot_pass(self):
        truth = self.sum_that_overflows()
        np.save(self.work / "y0.npy", truth * 1.1)
        out = self.bisect("--input", "x.npy", "--against", "y0.npy", code=1, raw=True)
        self.assertIn("does not pass even with everything in float32: y: cosine ", out)
        self.assertIn("\n1 trial\n", out)
        report = self.bisect("--input", "x.npy", "--against", "y0.npy", "-o", "lists", "--json", code=1)
        self.assertEqual((report["result"], report["files"]), ("does not pass in float32 either", []))

    def test_several_outputs_by_order_and_by_name(self):
        x = RANDOM.uniform(100, 200, (2, 8)).astype(np.float32)
        wide = x.astype(np.float64)
        truth = [np.maximum(wide, 150), wide * wide * wide / 1e6]
        self.save([("Max", ["x", "c"], "a", "limit"), ("Mul", ["x", "x"], "s", "square"), ("Mul", ["s", "x"], "t", "cube"),
                   ("Div", ["t", "n"], "b", "scale")], {"c": np.float32(150), "n": np.float32(1e6)},
                  [2, 8], {"a": 2, "b": 2}, x, truth)  # fmt: skip
        for against in (["y0.npy", "y1.npy"], ["b=y1.npy", "a=y0.npy"]):
            report = self.bisect("--input", "x.npy", "--against", *against, "--json")
            self.assertEqual(self.names(report), ["cube", "scale"])
            self.assertEqual([one["output"] for one in report["all_narrow"]], ["a", "b"])
            self.assertEqual([one["passes"] for one in report["all_narrow"]], [True, False])
        self.assertIn("the model has no output 'c'; it has: a, b", self.bisect("--against", "c=y0.npy", code=3, raw=True))
        self.assertIn("output b has no file", self.bisect("--against", "y0.npy", code=2, raw=True))

    def test_shapes_that_the_model_leaves_open(self):
        self.save([("Mul", ["x", "k"], "a", "up"), ("Mul", ["a", "k"], "b", "more"), ("Div", ["b", "k"], "y", "down")], {"k": np.float32(6e4)},
                  ["n", "m"], {"y": 2})
        report = self.bisect("--shape", "x:3,5", "--json")  # random inputs, against its own float32
        self.assertEqual(self.names(report), ["more", "down"])
        x = RANDOM.uniform(-1, 1, (2, 2)).astype(np.float32)
        np.save(self.work / "x.npy", x)
        np.save(self.work / "y0.npy", x.astype(np.float64) * 6e4)
        self.assertEqual(self.names(self.bisect("--input", "x.npy", "--against", "y0.npy", "--json")), ["more", "down"])
        self.assertIn("output y is [2,2], what it is compared with is [3]",
                      (np.save(self.work / "y0.npy", np.zeros(3)), self.bisect("--input", "x.npy", "--against", "y0.npy", code=3, raw=True))[1])

    def test_bfloat16(self):
        x = np.ones((1, 4), np.float32)
        fine = np.float32([[1, 0], [2, 1], [3, -1], [4, 2]])
        coarse = np.float32([[1 + 2**-9, 1], [1, -1 - 2**-9], [-1, 1], [-1, -1]])  # sums of 2**-9, which bfloat16 rounds away
        wide = x.astype(np.float64)
        self.save([("MatMul", ["x", "f"], "a", "fine"), ("MatMul", ["x", "c"], "b", "coarse")], {"f": fine, "c": coarse},
                  [1, 4], {"a": 2, "b": 2}, x, [wide @ fine, wide @ coarse])
        report = self.bisect("--input", "x.npy", "--against", "y0.npy", "y1.npy", "--precision", "bf16", "--atol", "1e-4", "--json")
        self.assertEqual((self.names(report), report["operators"]), (["coarse"], 2))

    def test_limits(self):
        self.sum_that_overflows()
        # An infinite output passes no cosine; without `post` and `relu` all of it is one operator's.
        self.assertEqual(self.names(self.bisect("--input", "x.npy", "--against", "y0.npy", "--cosine", "0.999", "--json")), ["sum", "mean"])
        self.assertEqual(self.names(self.bisect("--input", "x.npy", "--against", "y0.npy", "--json")), ["sum", "mean"])  # the usual limits
        tight = self.bisect("--input", "x.npy", "--against", "y0.npy", "--rtol", "1e-6", "--json")
        self.assertEqual(self.names(tight), ["pre", "sum", "mean", "post", "relu"])

    def test_the_rules_let_belay_compare_accept_what_was_kept(self):
        self.sum_that_overflows()
        self.bisect("--input", "x.npy", "--against", "y0.npy", "-o", "lists", "--json")
        for name, options in {"golden": [], "half": ["--precision_mode=force_fp16"],
                              "kept": ["--precision_mode=force_fp16", "--keep_dtype=lists/keep_dtype.cfg"]}.items():  # fmt: skip
            dump = {"dump_path": str(self.work / name), "dump_list": [{"model_name": "net"}], "dump_mode": "output", "dump_op_switch": "off"}
            (self.work / name).mkdir()
            (self.work / "acl.json").write_text(json.dumps({"dump": dump}))
            subprocess.run([ATC, "--model=net.onnx", "--framework=5", "--output=net", "--soc_version=Ascend910B3", *options],
                           cwd=self.work, check=True, capture_output=True)  # fmt: skip
            subprocess.run([BELAY, "run", "net.om", "--input", "x.npy", "--dump", "acl.json"], cwd=self.work, check=True, capture_output=True)

        def compare(side, *options):
            done = subprocess.run([BELAY, "compare", side, "golden", *options], cwd=self.work, capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

        # What the sum reads is float32 again, but was half: too far off for float32's own limits.
        code, out = compare("kept")
        self.assertEqual(code, 1, out)
        self.assertIn("first in trans_Cast_1 output 0", out)
        self.assertEqual(compare("kept", "--rules", "lists/compare_rules.json")[0], 0, compare("kept", "--rules", "lists/compare_rules.json"))
        self.assertEqual(compare("half", "--rules", "lists/compare_rules.json")[0], 1)

    def test_the_text_says_what_was_tried(self):
        self.sum_that_overflows()
        out = self.bisect("--input", "x.npy", "--against", "y0.npy", "-o", "lists", *LIMITS, raw=True)
        self.assertIn("net.onnx: 5 operators that fp16 changes; an output passes with |x - y| <= 0.001 + 0.01 * |y|\n", out)
        self.assertIn("all in fp16: it fails (y: cosine nan, element 0 is inf, should be 15", out)
        self.assertIn("passes when 2 of 5 operators stay in float32:\n", out)
        self.assertRegex(out, r"\n  sum +ReduceSum +inf +y: cosine nan, element 0 is inf, should be ")
        self.assertIn("minimal: without any one of them it fails; each was tried\n", out)
        self.assertRegex(out, r"\n\d+ trials\nwrote lists/keep_dtype.cfg\n")

    def test_random_numbers_are_named(self):
        self.save([("RandomNormalLike", ["x"], "n", "noise"), ("Add", ["x", "n"], "y", "sum")], {}, [4], {"y": 1}, np.ones(4, np.float32))
        said = self.bisect("--input", "x.npy", code=3, raw=True)
        self.assertRegex(said, "Random\\w*Normal noise gives other numbers in every run")

    def test_wrong_use_and_bad_input(self):
        self.sum_that_overflows()
        for options, code, part in ((["--precision", "fp8"], 2, "fp16"), (["--input", "none.npy"], 3, "none.npy cannot be read"),
                                    (["--against", "x.npy", "x.npy"], 3, "the model has only 1 output"),
                                    (["--shape", "z:1"], 3, "the model has no input 'z'")):  # fmt: skip
            self.assertIn(part, self.bisect(*options, code=code, raw=True))
        (self.work / "net.onnx").write_bytes(b"no model")
        self.assertIn("net.onnx", self.bisect(code=3, raw=True))


if __name__ == "__main__":
    unittest.main()
