# SPDX-License-Identifier: Apache-2.0
"""Networks in float16 (atc --precision_mode=force_fp16) against the same in float32, alternating; ratios of medians, and how
far the results are apart, in parts of the largest.

usage: half.py TOOLS_DIRECTORY MODELS_DIRECTORY [NAME...]
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

from networks import SHAPES

TARGETS = {"resnet50": 1.5, "bert": 1.5}
REPEAT = {"bert": 3, "unet": 6, "resnet50": 6, "mobilenet": 20, "ocr": 50, "lstm": 50}
MODES = ("must_keep_origin_dtype", "force_fp16")
ROUNDS, WARMUP = 3, 2


def convert(tools, models, name, mode, work):
    subprocess.run([tools / "atc", "--framework=5", f"--model={models / name}.onnx", f"--output={work / name}_{mode}",
                    f"--input_shape=input:{','.join(map(str, SHAPES[name]))}", "--soc_version=Ascend910B1", f"--precision_mode={mode}"],
                   check=True, stdout=subprocess.DEVNULL, cwd=work)
    return work / f"{name}_{mode}.om"


def run(tools, model, threads, repeat):
    """Milliseconds, and the outputs for a fixed random input."""
    results = model.with_suffix("")
    shown = subprocess.run([tools / "belay", "run", model, "--json", f"--threads={threads}", f"--warmup={WARMUP}",
                            f"--repeat={repeat}", "--seed=1", "-o", results], check=True, capture_output=True)
    return json.loads(shown.stdout)["median_ms"], [np.load(file) for file in sorted(results.glob("*.npy"))]


def compare(tools, models, name, work):
    files = [convert(tools, models, name, mode, work) for mode in MODES]
    for threads in (1, 2):
        times, outputs = ([], []), [None, None]
        for _ in range(ROUNDS):
            for i, file in enumerate(files):
                time, outputs[i] = run(tools, file, threads, REPEAT[name])
                times[i].append(time)
        full, half = (statistics.median(each) for each in times)
        apart = max(np.abs(a - b).max() / np.abs(a).max() for a, b in zip(*outputs))
        target = f"{TARGETS[name]:8.2f}" if name in TARGETS else ""
        print(f"{name:10} {threads:7} {full:9.2f} {half:9.2f} {half / full:7.2f} {apart:9.1e} {target}", flush=True)


def main():
    tools, models = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2]).absolute()
    print("model      threads   float32   float16   ratio     apart   target")
    with tempfile.TemporaryDirectory() as work:
        for name in sys.argv[3:] or REPEAT:
            compare(tools, models, name, pathlib.Path(work))


main()
