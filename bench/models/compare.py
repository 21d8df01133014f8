# SPDX-License-Identifier: Apache-2.0
"""belay run against ONNX Runtime on the same files, cores and shapes, alternating; prints ratios of medians.

usage: compare.py BELAY MODELS_DIRECTORY ORT_DIRECTORY [NAME...]
ORT_DIRECTORY holds node_modules/onnxruntime-node.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys

SHAPES = {"resnet50": "1,3,224,224", "mobilenet": "1,3,224,224", "bert": "1,128,768", "ocr": "1,1,32,320",
          "lstm": "64,1,128", "unet": "1,3,256,256"}
REPEAT = {"bert": 10, "unet": 15, "resnet50": 20}
ROUNDS, WARMUP = 3, 3


def belay(tool, model, threads, repeat, shape):
    command = [tool, "run", str(model), "--json", f"--threads={threads}", f"--warmup={WARMUP}", f"--repeat={repeat}",
               f"--shape=input:{shape}"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def onnx_runtime(directory, model, threads, repeat, shape):
    script = pathlib.Path(__file__).with_name("ort.js")
    environment = dict(os.environ, NODE_PATH=str(pathlib.Path(directory) / "node_modules"))
    command = ["node", str(script), str(model), str(threads), str(WARMUP), str(repeat), f"input:{shape}"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def main():
    tool, models, ort = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    print(f"{'model':10} threads  belay ms    ort ms   ratio  load ratio")
    for name in sys.argv[4:] or SHAPES:
        for threads in (1, 2):
            ours, theirs = [], []
            for _ in range(ROUNDS):
                repeat = REPEAT.get(name, 30)
                ours.append(belay(tool, models / f"{name}.onnx", threads, repeat, SHAPES[name]))
                theirs.append(onnx_runtime(ort, models / f"{name}.onnx", threads, repeat, SHAPES[name]))
            middle = [statistics.median(run["median_ms"] for run in runs) for runs in (ours, theirs)]
            load = [statistics.median(run["load_ms"] for run in runs) for runs in (ours, theirs)]
            print(f"{name:10} {threads:7} {middle[0]:9.2f} {middle[1]:9.2f} {middle[0] / middle[1]:7.2f} "
                  f"{load[0] / load[1]:11.2f}", flush=True)


main()
