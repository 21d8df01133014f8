# SPDX-License-Identifier: Apache-2.0
"""atc's options for the types of single operators and inputs: the graph that it writes, and what that computes against
numpy in the same types. Usage: test_atc_types.py ATC BELAY [TEST...]"""
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

ATC, BELAY = sys.argv.pop(1), sys.argv.pop(1)
SCALE, SHIFT = np.float32(300.1), np.float32(0.37)
X = np.array([[1.2345678, 400.0, -3.3], [0.001, 65000.0, 7.77]], np.float32)
F, H = np.float32, np.float16


class Types(unittest.TestCase):
    """x * SCALE (mul), / SCALE (div), + SHIFT (add), relu: numpy rounds each of them as the model does."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        np.save(self.work / "x.npy", X)

    def file(self, name, text):
        (self.work / name).write_text(text)
        return name

    def save(self, nodes=None, weights=None, shape=(2, 3), out=(2, 3)):
        nodes = nodes or [helper.make_node("Mul", ["x", "scale"], ["m"], "mul"), helper.make_node("Div", ["m", "scale"], ["d"], "div"),
                          helper.make_node("Add", ["d", "shift"], ["a"], "add"), helper.make_node("Relu", ["a"], ["y"], "relu")]
        weights = weights or {"scale": SCALE, "shift": SHIFT}
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, out)],
                                  [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(self.work / "net.onnx"))

    def atc(self, *options, code=0):
        done = subprocess.run([ATC, "--model=net.onnx", "--framework=5", "--output=net", "--soc_version=Ascend910B3", *options],
                              cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def types(self):
        """Of each operator: the types of its inputs and outputs."""
        subprocess.run([ATC, "--mode=1", "--om=net.om", "--json=net.json"], cwd=self.work, check=True, capture_output=True)
        graph = json.loads((self.work / "net.json").read_text())["graph"][0]
        names = {"DT_FLOAT": "f32", "DT_FLOAT16": "f16", "DT_BFLOAT16": "bf16"}
        return {op["name"]: ([names.get(desc["dtype"], desc["dtype"]) for desc in op.get("input_desc", [])],
                             [names.get(desc["dtype"], desc["dtype"]) for desc in op.get("output_desc", [])]) for op in graph["op"]}

    def run_model(self, x="x.npy"):
        subprocess.run([BELAY, "run", "net.om", "--input", x, "-o", "out"], cwd=self.work, check=True, capture_output=True)
        return np.load(self.work / "out/output_0.npy")

    def reference(self, mul=F, div=F, add=F, relu=F, x=X):
        """The chain with each operator's inputs and result in its type."""
        with np.errstate(all="ignore"):
            value = x
            for kind, step in ((mul, lambda v, k: v * k(SCALE)), (div, lambda v, k: v / k(SCALE)),
                               (add, lambda v, k: v + k(SHIFT)), (relu, lambda v, k: np.maximum(v, k(0)))):
                value = step(value.astype(kind), kind)
            return value.astype(np.float32)

    def check(self, **kinds):
        np.testing.assert_array_equal(self.run_model(), self.reference(**kinds))

    def test_everything_in_half_is_the_case_without_lists(self):
        self.save()
        self.atc("--precision_mode=force_fp16")
        self.assertEqual(self.types()["mul"], (["f16", "f16"], ["f16"]))
        self.check(mul=H, div=H, add=H, relu=H)
        self.assertTrue(np.isinf(self.run_model()).any())

    def test_keep_dtype_by_name(self):
        self.save()
        self.file("keep.cfg", "mul\n\n  div  \n")
        self.assertNotIn("warning", self.atc("--precision_mode=force_fp16", "--keep_dtype=keep.cfg"))
        types = self.types()
        self.assertEqual([types[name] for name in ("mul", "div", "add", "relu")],
                         [(["f32", "f32"], ["f32"])] * 2 + [(["f16", "f16"], ["f16"]), (["f16"], ["f16"])])
        self.check(mul=F, div=F, add=H, relu=H)

    def test_keep_dtype_by_type(self):
        self.save()
        self.atc("--precision_mode_v2=fp16", "--keep_dtype=" + self.file("keep.cfg", "OpType::Mul\nOpType::Relu\n"))
        types = self.types()
        self.assertEqual([types[name][1] for name in ("mul", "div", "add", "relu")], [["f32"], ["f16"], ["f16"], ["f32"]])
        self.check(mul=F, div=H, add=H, relu=F)

    def test_names_that_nothing_has_are_said_with_the_nearest(self):
        self.save()
        out = self.atc("--precision_mode=force_fp16", "--keep_dtype=" + self.file("keep.cfg", "mull\nOpType::Dif\nOpType::Zork\n"))
        self.assertIn("warning: --keep_dtype: the model has no operator mull; did you mean mul?\n", out)
        self.assertIn("warning: --keep_dtype: the model has no operator of type Zork; the nearest: ", out)
        self.check(mul=H, div=H, add=H, relu=H)
        out = self.atc("--keep_dtype=keep.cfg")
        self.assertIn("--keep_dtype: it has no effect with this precision mode, which keeps all types", out)

    def test_the_name_of_an_operator_that_was_merged_keeps_the_whole(self):
        w = np.arange(1, 7, dtype=np.float32).reshape(3, 2, 1, 1) / 7
        nodes = [helper.make_node("Conv", ["x", "w"], ["c"], "conv"), helper.make_node("Add", ["c", "b"], ["a"], "bias"),
                 helper.make_node("Exp", ["a"], ["y"], "exp")]
        self.save(nodes, {"w": w, "b": np.float32([1, 2, 3]).reshape(3, 1, 1)}, (1, 2, 2, 2), (1, 3, 2, 2))
        for name in ("bias", "conv"):
            self.assertNotIn("warning", self.atc("--precision_mode=force_fp16", "--keep_dtype=" + self.file("keep.cfg", name)))
            types = self.types()
            self.assertEqual((types["conv"][1], types["exp"][1]), (["f32"], ["f16"]))

    def test_mixlist_moves_types_between_the_lists(self):
        w = np.float32(np.random.default_rng(3).standard_normal((3, 3)))
        nodes = [helper.make_node("MatMul", ["x", "w"], ["m"], "product"), helper.make_node("Mul", ["m", "scale"], ["s"], "mul"),
                 helper.make_node("Exp", ["s"], ["y"], "exp")]
        self.save(nodes, {"w": w, "scale": np.float32(1 / 3)})
        mode = "--precision_mode=allow_mix_precision"

        def outputs(lists):
            self.assertNotIn("warning", self.atc(mode, "--modify_mixlist=" + self.file("mix.json", json.dumps(lists))))
            types = self.types()
            return [types[name][1][0] for name in ("product", "mul", "exp")]

        self.assertEqual(outputs({}), ["f16", "f16", "f32"])
        self.assertEqual(outputs({"black-list": {"to-add": ["BatchMatMulV2"]}, "white-list": {"to-add": ["Exp"]}}), ["f32", "f32", "f16"])
        self.assertEqual(outputs({"white-list": {"to-remove": ["BatchMatMulV2"]}}), ["f32", "f32", "f32"])
        self.assertEqual(outputs({"black-list": {"to-remove": ["Exp"]}}), ["f16", "f16", "f16"])
        self.assertEqual(outputs({"black-list": {"to-add": ["Mul"]}, "white-list": {"to-remove": []}}), ["f16", "f32", "f32"])
        # black Mul: what it computes, element by element
        x = np.float32([[1.5, 0.3, -2.2], [3.1, 0.7, 0.01]])
        np.save(self.work / "x.npy", x)
        product = (x.astype(H).astype(np.float64) @ w.astype(H).astype(np.float64)).astype(H)
        np.testing.assert_allclose(self.run_model(), np.exp(product.astype(F) * F(1 / 3)), rtol=2e-6)

    def test_mixlist_needs_its_mode_and_its_form(self):
        self.save()
        self.assertIn("needs a mode of mixed precision",
                      self.atc("--precision_mode=force_fp16", "--modify_mixlist=" + self.file("mix.json", "{}"), code=255))
        for text, part in (("[]", "not a JSON object"), ('{"blacklist": {}}', '"blacklist" is not black-list or white-list'),
                           ('{"black-list": {"add": []}}', 'not "add"'), ('{"black-list": {"to-add": "Mul"}}', "must be a list"),
                           ('{"black-list": {"to-add": ["Mul"]}, "white-list": {"to-add": ["Mul"]}}', "Mul is added to both lists"),
                           ('{"black-list": {"to-add": [3]}}', "in quotes")):  # fmt: skip
            self.assertIn(part, self.atc("--precision_mode=allow_mix_precision", "--modify_mixlist=" + self.file("mix.json", text), code=255))
        self.assertIn("no operator of type MatMull",
                      self.atc("--precision_mode=allow_mix_precision",
                               "--modify_mixlist=" + self.file("mix.json", '{"black-list": {"to-add": ["MatMull"]}}')))

    def test_customize_dtypes_by_name_and_by_type(self):
        self.save()
        rows = "mul::InputDtype:float16,float16,OutputDtype:float16\nOpType::Relu:InputDtype:float16,OutputDtype:float16\n"
        self.assertNotIn("warning", self.atc("--customize_dtypes=" + self.file("types.cfg", rows)))
        types = self.types()
        self.assertEqual([types[name][1][0] for name in ("mul", "div", "add", "relu")], ["f16", "f32", "f32", "f16"])
        self.check(mul=H, div=F, add=F, relu=H)

    def test_customize_dtypes_comes_before_keep_dtype_and_the_mode(self):
        self.save()
        rows = "add::InputDtype:float32,float32,OutputDtype:float32\nOpType::Add:InputDtype:bfloat16,bfloat16,OutputDtype:bfloat16\n"
        self.atc("--precision_mode=force_fp16", "--customize_dtypes=" + self.file("types.cfg", rows),
                 "--keep_dtype=" + self.file("keep.cfg", "mul\n"))
        self.check(mul=F, div=H, add=F, relu=H)
        self.file("types.cfg", "mul::InputDtype:float16,OutputDtype:float16")  # the scale follows
        self.atc("--customize_dtypes=types.cfg", "--keep_dtype=keep.cfg")
        self.assertEqual(self.types()["mul"], (["f16", "f16"], ["f16"]))

    def test_customize_dtypes_of_half_inputs_with_float_results(self):
        self.save()
        self.atc("--customize_dtypes=" + self.file("types.cfg", "mul::InputDtype:float16,float16,OutputDtype:float32"))
        self.assertEqual(self.types()["mul"][1], ["f32"])
        product = X.astype(H).astype(F) * F(H(SCALE))
        np.testing.assert_array_equal(self.run_model(), np.maximum(product / SCALE + SHIFT, F(0)))

    def test_customize_dtypes_that_cannot_be_are_refused(self):
        self.save()
        for row, part in (("mul", "must be NAME::InputDtype"), ("::InputDtype:float16", "must be NAME::InputDtype"),
                          ("mul::InputDtype:flaot16", '"flaot16" is not a type; did you mean float16?'),
                          ("mul::InputDtype:int8,int8", "mul (Mul) cannot have DT_INT8 for input 0, which is DT_FLOAT"),
                          ("mul::InputDtype:float16,float16,float16", "mul (Mul) has 2 inputs; 3 types are given"),
                          ("mul::InputDtype:float32,OutputDtype:float16", "gives DT_FLOAT for output 0 with these inputs, not DT_FLOAT16")):
            self.assertIn(part, self.atc("--customize_dtypes=" + self.file("types.cfg", row), code=255))
        self.assertIn("has no operator mol; did you mean mul?",
                      self.atc("--customize_dtypes=" + self.file("types.cfg", "mol::InputDtype:float16,OutputDtype:float16")))
        self.assertIn("--customize_dtypes: ", self.atc("--customize_dtypes=none.cfg", code=255))

    def test_inputs_given_as_half(self):
        self.save()
        half = X[:, :1].repeat(3, 1).astype(H)
        np.save(self.work / "half.npy", half)
        for mode, kinds in (("must_keep_origin_dtype", {}), ("force_fp16", dict(mul=H, div=H, add=H, relu=H))):
            self.atc("--input_fp16_nodes=x", f"--precision_mode={mode}")
            types = self.types()
            self.assertEqual((types["x"][1], types["mul"][1]), (["f16"], ["f16" if kinds else "f32"]))
            self.assertEqual(sum(name.startswith("trans_Cast") for name in types), 1)
            result = self.run_model("half.npy")
            self.assertEqual(result.dtype, np.float32)
            np.testing.assert_array_equal(result, self.reference(x=half, **kinds))
        self.assertIn("the model has no input z; the nearest: x (E10016)", self.atc("--input_fp16_nodes=z", code=255))

    def test_inputs_given_as_half_with_gears(self):
        self.save(shape=(-1, 3), out=(-1, 3))
        self.atc("--input_fp16_nodes=x", "--input_shape=x:-1,3", "--dynamic_batch_size=1,2", "--input_format=ND")
        half = X[:1, :1].repeat(3, 1).astype(H)
        np.save(self.work / "half.npy", half)
        subprocess.run([BELAY, "run", "net.om", "--gear", "1", "--input", "x=half.npy", "-o", "out"], cwd=self.work, check=True, capture_output=True)
        np.testing.assert_array_equal(np.load(self.work / "out/output_0.npy"), self.reference(x=half))

    def test_tuning_is_accepted_and_said_once(self):
        self.save()
        out = self.atc("--auto_tune_mode=RL,GA", "--auto_tune_mode=GA")
        self.assertEqual(out.count("--auto_tune_mode"), 1)
        self.assertIn("without effect on a CPU: --auto_tune_mode\n", out)


if __name__ == "__main__":
    unittest.main()
