# SPDX-License-Identifier: Apache-2.0
"""Networks of real size through atc and a user's C program, against float64; and the same bits every time.

usage: check_networks.py ATC USER_PROGRAM DIRECTORY NETWORKS.PY
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest

import numpy as np

ATC, PROGRAM, WORK = sys.argv.pop(1), sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
SPEC = importlib.util.spec_from_file_location("networks", sys.argv.pop(1))
networks = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(networks)
import onnx  # noqa: E402
from evaluate import evaluate  # noqa: E402


def execute(model, x, shape=None, threads=2):
    x.tofile(WORK / "x.bin")
    mode = ["shape", ",".join(map(str, shape))] if shape else ["static"]
    done = subprocess.run([PROGRAM, str(model), *mode, str(WORK / "y.bin"), "--", str(WORK / "x.bin")], capture_output=True,
                          text=True, env={**os.environ, "BELAY_NUM_THREADS": str(threads)})
    if done.returncode:
        raise AssertionError(done.stderr)
    return np.fromfile(WORK / "y.bin", np.float32)


class Networks(unittest.TestCase):
    def setUp(self):
        WORK.mkdir(parents=True, exist_ok=True)

    def convert(self, name, *options):
        done = subprocess.run([ATC, f"--model={WORK / name}.onnx", "--framework=5", f"--output={WORK / name}",
                               "--soc_version=Ascend910B3", *options], capture_output=True, text=True, cwd=WORK)
        self.assertEqual(done.returncode, 0, done.stdout)
        return next(WORK.glob(f"{name}*.om"))

    def check(self, name, shape, tolerance=2e-5, make=None, half=3e-2):
        """Errors are measured against the largest element: that is what single precision promises of long sums."""
        path = WORK / f"{name}.onnx"
        (make or networks.NETWORKS[name])(path)
        model = onnx.load(str(path))
        x = np.random.default_rng(5).standard_normal(shape).astype(np.float32)
        want = evaluate(model, {model.graph.input[0].name: x})[0]
        unknown = any(d.dim_param for d in model.graph.input[0].type.tensor_type.shape.dim)
        om = self.convert(name)
        bits = set()
        for threads in (1, 2, 2):
            y = execute(om, x, shape if unknown else None, threads)
            bits.add((threads, y.tobytes()))
            error = np.abs(y.reshape(want.shape) - want).max() / np.abs(want).max()
            self.assertLess(error, tolerance, f"{name} on {threads} threads")
        self.assertEqual(len(bits), 2, "the same input gave other bits")
        print(f"{name}: largest error {error:.1e} of the largest element", flush=True)
        if half:
            om.unlink()
            om = self.convert(name, "--precision_mode=force_fp16")
            y = execute(om, x, shape if unknown else None)
            error = np.abs(y.reshape(want.shape) - want).max() / np.abs(want).max()
            self.assertLess(error, half, f"{name} in float16")
            print(f"{name} in float16: {error:.1e}", flush=True)

    def test_resnet50(self):
        self.check("resnet50", (1, 3, 224, 224))

    def test_mobilenet(self):
        self.check("mobilenet", (1, 3, 224, 224))

    def test_bert_of_four_layers(self):
        self.check("bert", (1, 128, 768), make=lambda path: networks.bert(path, layers=4))

    def test_lstm(self):
        self.check("lstm", (64, 1, 128))

    def test_unet(self):
        self.check("unet", (1, 3, 256, 256))

    def test_ocr_with_a_width_that_is_only_known_when_it_runs(self):
        self.check("ocr", (1, 1, 32, 104))


if __name__ == "__main__":
    unittest.main()
