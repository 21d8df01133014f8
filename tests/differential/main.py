# SPDX-License-Identifier: Apache-2.0
"""Random graphs, run by Belay and by ONNX Runtime on the same input; prints those whose outputs differ.

usage: main.py BELAY ORT_DIRECTORY WORK [FIRST_SEED [COUNT]]
ORT_DIRECTORY holds node_modules/onnxruntime-node. The folder of a graph stays in WORK when it differs."""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
from graphs import make_graph

RELATIVE, OF_LARGEST = 2e-3, 3e-4  # tolerances: sums are added in another order
LEAST = 1e-4  # rounding of a mean of equals (4 ulp of 8), divided by the deviation of nothing (sqrt of 1e-3)


def write(seed, folder):
    folder.mkdir(parents=True)
    model, shape = make_graph(seed)
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    (folder / "shape.json").write_text(json.dumps(shape))
    np.random.default_rng(seed).standard_normal(shape).astype(np.float32).tofile(folder / "x.bin")


def difference(folder, belay):
    report = json.loads((folder / "ort.json").read_text())
    if "error" in report:
        return f"ONNX Runtime: {report['error']}"
    command = [belay, "run", str(folder / "m.onnx"), "--input", str(folder / "x.bin"), "-o", str(folder / "belay")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    for i, shape in enumerate(report["shapes"]):
        wanted = np.fromfile(folder / f"ort_{i}.bin", np.float32).reshape(shape)
        found = np.load(folder / "belay" / f"output_{i}.npy")
        if found.shape != wanted.shape:
            return f"output {i} is of shape {found.shape}, not {wanted.shape}"
        largest = np.max(np.abs(wanted), initial=0, where=np.isfinite(wanted))
        if not np.allclose(found, wanted, RELATIVE, max(OF_LARGEST * largest, LEAST), equal_nan=True):
            return f"output {i} differs by {np.nanmax(np.abs(found - wanted))}; its largest is {largest}"
    return ""


def main():
    belay, ort, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    first, count = (int(text) for text in (*sys.argv[4:6], *("0", "300")[len(sys.argv[4:6]) :]))
    shutil.rmtree(work, ignore_errors=True)
    folders = [work / str(seed) for seed in range(first, first + count)]
    for folder in folders:
        write(int(folder.name), folder)
    script = pathlib.Path(__file__).with_name("ort.js")
    environment = dict(os.environ, NODE_PATH=str(ort / "node_modules"))
    subprocess.run(["node", str(script), *map(str, folders)], env=environment, check=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(folders, pool.map(lambda folder: difference(folder, belay), folders)))
    for folder, text in found.items():
        if text:
            print(f"FAILED {folder}: {text}")
        else:
            shutil.rmtree(folder)
    failed = sum(map(bool, found.values()))
    print(f"{count - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
