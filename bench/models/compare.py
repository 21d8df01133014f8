# SPDX-License-Identifier: Apache-2.0
"""belay run against ONNX Runtime on the same files, cores and shapes, alternating; prints ratios of medians.

usage: compare.py BELAY MODELS_DIRECTORY ORT_DIRECTORY [NAME...]
ORT_DIRECTORY holds node_modules/onnxruntime-node. Belay runs an .om, as a user would; the atc beside BELAY makes it from
the .onnx. Loading is shown for the .om and, by way of the converter, for the .onnx; its ratio is the .om's against ONNX
Runtime's making of a session.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

SHAPES = {"resnet50": "1,3,224,224", "mobilenet": "1,3,224,224", "bert": "1,128,768", "ocr": "1,1,32,320",
          "lstm": "64,1,128", "unet": "1,3,256,256"}
TARGETS = {"resnet50": 0.85}
REPEAT = {"bert": 5, "unet": 12, "resnet50": 12, "mobilenet": 40, "ocr": 100, "lstm": 100}
ROUNDS, WARMUP = 5, 3


def timed(command, environment=None):
    """The JSON that a command prints, with the peak of its memory in MiB."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"{command[0]} failed: {' '.join(command)}")
        output.seek(0)
        return {**json.load(output), "peak_mib": usage.ru_maxrss / 1024}


def belay(tool, model, threads, repeat, shape):
    return timed([tool, "run", str(model), "--json", f"--threads={threads}", f"--warmup={WARMUP}",
                  f"--repeat={repeat}", f"--shape=input:{shape}"])


def onnx_runtime(directory, model, threads, repeat, shape):
    script = pathlib.Path(__file__).with_name("ort.js")
    environment = dict(os.environ, NODE_PATH=str(pathlib.Path(directory) / "node_modules"))
    return timed(["node", str(script), str(model), str(threads), str(WARMUP), str(repeat), f"input:{shape}"],
                 environment)


def converted(tool, onnx, shape):
    """The .om beside an .onnx file, made when it is missing or older."""
    om = onnx.with_suffix(".om")
    if not om.exists() or om.stat().st_mtime < onnx.stat().st_mtime:
        atc = pathlib.Path(tool).resolve().with_name("atc")
        subprocess.run([str(atc), "--framework=5", "--soc_version=Ascend910B3", f"--model={onnx.name}",
                        f"--output={onnx.stem}", f"--input_shape=input:{shape}"],
                       check=True, stdout=subprocess.DEVNULL, cwd=onnx.parent)
    return om


def compare(name, threads, tool, models, ort):
    onnx, repeat, shape = models / f"{name}.onnx", REPEAT[name], SHAPES[name]
    om = converted(tool, onnx, shape)
    ours, direct, theirs = [], [], []
    for _ in range(ROUNDS):
        ours.append(belay(tool, om, threads, repeat, shape))
        theirs.append(onnx_runtime(ort, onnx, threads, repeat, shape))
        direct.append(belay(tool, onnx, threads, 1, shape))
    time, load, peak = ([statistics.median(run[key] for run in runs) for runs in (ours, direct, theirs)]
                        for key in ("median_ms", "load_ms", "peak_mib"))
    print(f"{name:10} {threads:7} {time[0]:8.2f} {time[2]:8.2f} {time[0] / time[2]:6.2f} {TARGETS.get(name, 1.0):7.2f}"
          f" {load[0]:8.0f} {load[1]:6.0f} {load[2]:6.0f} {load[0] / load[2]:6.2f}"
          f" {peak[0]:8.0f} {peak[1]:6.0f} {peak[2]:6.0f}", flush=True)


def main():
    tool, models, ort = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    print(f"{'':18}  run, ms{'':24}   load, ms{'':21}  peak, MiB")
    print("model      threads    belay      ort  ratio  target      .om  .onnx    ort  ratio      .om  .onnx    ort")
    for name in sys.argv[4:] or SHAPES:
        for threads in (1, 2):
            compare(name, threads, tool, models, ort)


main()
