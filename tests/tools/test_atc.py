# SPDX-License-Identifier: Apache-2.0
"""atc's command line: help, names, where its files go. Usage: test_atc.py ATC [TEST...]"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

for alias, kind in (("float", float), ("int", int), ("bool", bool), ("object", object)):  # onnx 1.12 uses them
    setattr(np, alias, kind)
import onnx  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402
from terminal import on_terminal  # noqa: E402

ATC = sys.argv.pop(1)
FAILED = "ATC run failed, Please check the detail log, Try 'atc --help' for more information\n"


class Atc(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        self.save("net.onnx", "Relu")
        self.environment = {key: value for key, value in os.environ.items() if key != "ASCEND_WORK_PATH"}

    def save(self, name, op):
        values = [helper.make_tensor_value_info(each, TensorProto.FLOAT, [2, 3]) for each in "xy"]
        graph = helper.make_graph([helper.make_node(op, ["x"], ["y"], "node")], "g", values[:1], values[1:])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(self.work / name))

    def command(self, *options, model="net.onnx", output="net", soc="Ascend910B3"):
        return [ATC, f"--model={model}", "--framework=5", f"--output={output}", f"--soc_version={soc}", *options]

    def atc(self, *options, code=0, **changes):
        done = subprocess.run(self.command(*options, **changes), cwd=self.work, env=self.environment,
                              capture_output=True, text=True)  # fmt: skip
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def files(self):
        return sorted(str(path.relative_to(self.work)) for path in self.work.rglob("*") if path.is_file())

    def test_help_has_a_sentence_and_a_default_for_every_option(self):
        done = subprocess.run([ATC, "--help"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        options = re.findall(r"^  --(\w+)\n      (.*)$", done.stdout, re.M)
        for name, text in options:
            if name != "help":
                self.assertRegex(text, r"^\S.{8,}\. \((required|default: [^()]+)\)$", name)
        # The options that the documentation lists, with their defaults where they are ours too.
        listed = dict(options)
        for name, default in {"mode": "0", "input_format": "NCHW", "check_report": "check_result.json", "log": "null",
                              "external_weight": "0", "enable_attr_compression": "true", "display_model_info": "0",
                              "disable_reuse_memory": "0", "buffer_optimize": "l2_optimize"}.items():
            self.assertTrue(listed[name].endswith(f"(default: {default})"), name)
        for name in "model", "framework", "output", "soc_version":
            self.assertTrue(listed[name].endswith("(required)"), name)

    def test_every_option_of_the_help_is_known(self):
        done = subprocess.run([ATC, "--help"], capture_output=True, text=True)
        for name in re.findall(r"^  --(\w+)$", done.stdout, re.M):
            if name != "help":
                done = subprocess.run([ATC, f"--{name}=0"], capture_output=True, text=True)
                self.assertNotRegex(done.stdout, "unknown command line flag|is listed and not read", name)

    def test_a_mistyped_option_names_the_nearest(self):
        self.assertIn("unknown command line flag 'modle'; did you mean --model?", self.atc("--modle=x", code=255).stdout)
        self.assertIn("--dump_mode=2 is not possible; it must be 0 or 1", self.atc("--dump_mode=2", code=255).stderr)
        self.assertIn("must be false or true", self.atc("--enable_attr_compression=no", code=255).stderr)

    def test_soc_versions_that_vendor_scripts_pass_are_taken(self):
        for soc in """Ascend310 Ascend310B Ascend310B1 Ascend310B4 Ascend310P Ascend310P1 Ascend310P3 Ascend310P3Vir04 Ascend610
                Ascend710 Ascend910 Ascend910A Ascend910B Ascend910ProA Ascend910ProB Ascend910PremiumA Ascend910B1 Ascend910B2
                Ascend910B2C Ascend910B3 Ascend910B4 Ascend910B4-1 Ascend910_9391 Ascend910_9362 Ascend950PR_9599""".split():
            self.assertIn("ATC run success", self.atc(soc=soc).stdout)

    def test_other_soc_versions_are_refused_with_the_nearest(self):
        self.assertIn("--soc_version=Foo is not the name of a SoC; known are Ascend310, ", self.atc(soc="Foo", code=255).stderr)
        for wrong, meant in {"ascend910b3": "Ascend910B3", "Ascend901": "Ascend910", "Ascend310P3x": "Ascend310P3"}.items():
            self.assertIn(f"did you mean {meant}?", self.atc(soc=wrong, code=255).stderr)
        self.atc(soc="Ascend", code=255)  # a script whose variable was empty
        self.assertEqual(self.files(), ["net.onnx"])

    def test_a_missing_folder_is_made_and_said(self):
        self.assertIn("\nmade the folder out/deep\n", self.atc(output="out/deep/net").stdout)
        self.assertNotIn("made the folder", self.atc(output="out/deep/net").stdout)
        self.assertIn("the folder net.onnx/deep cannot be made: ", self.atc(output="net.onnx/deep/net", code=255).stderr)

    def test_the_files_of_a_conversion_lie_together(self):
        self.atc(output="out/net")
        self.assertEqual(self.files(), ["net.onnx", "out/fusion_result.json", "out/net.om"])
        report = json.loads((self.work / "out/fusion_result.json").read_text())
        self.assertEqual(list(report), ["session_and_graph_id_0_0"])

    def test_side_files_go_where_the_environment_says(self):
        self.environment["ASCEND_WORK_PATH"] = str(self.work / "side")
        self.atc(output="out/net")
        self.assertRegex(" ".join(self.files()), r"^net\.onnx out/net\.om side/FE/\d+/fusion_result\.json$")

    def test_a_report_that_cannot_be_written_is_no_success(self):
        self.save("odd.onnx", "NoSuch")
        (self.work / "fusion_result.json").mkdir()
        self.assertIn("fusion_result.json", self.atc(code=255).stderr)
        (self.work / "check_result.json").mkdir()
        self.assertIn("check_result.json", self.atc(model="odd.onnx", code=255).stderr)
        self.assertIn("check_result.json", self.atc("--mode=3", code=255).stderr)

    def test_output_that_is_lost_is_no_success(self):
        for where, why in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
            for command in (self.command(), [ATC, "--help"]):
                done = subprocess.run(["sh", "-c", f'exec "$0" "$@" {where}', *command], cwd=self.work, env=self.environment,
                                      capture_output=True, text=True)  # fmt: skip
                self.assertEqual((done.returncode, done.stderr), (255, f"atc: the output cannot be written: {why}\n"))

    def test_options_without_effect_are_said(self):
        self.assertIn("\nwithout effect on a CPU: --log, --core_type\n", self.atc("--log=error", "--core_type=AiCore").stdout)

    def test_errors_go_to_stderr_and_the_known_lines_stay_on_stdout(self):
        self.save("odd.onnx", "NoSuch")
        done = self.atc(model="odd.onnx", code=255)
        self.assertTrue(done.stderr.startswith("atc: 1 part of the model cannot be converted (E16002):\n  node: NoSuch"), done.stderr)
        self.assertIn("...\n" + FAILED + "E16002: 1 part of the model cannot be converted:\n", done.stdout)

    def test_a_terminal_shows_the_sentence_first_and_once(self):
        text, code = on_terminal(self.command(soc="Foo"), cwd=self.work)
        self.assertEqual(code, 255)
        lines = text.splitlines()
        self.assertTrue(lines[1].startswith("atc: --soc_version=Foo is not the name of a SoC"), text)
        self.assertEqual(lines[2:], ["...", FAILED.rstrip("\n")])


if __name__ == "__main__":
    unittest.main()
