# SPDX-License-Identifier: Apache-2.0
"""The two sides of a comparison, belay and ONNX Runtime, on one network: the same file, input and number of threads."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from networks import SHAPES, TOKENS

MOST_RUNS = 5000


class Refused(Exception):
    """A side could not take the network; the text says why."""


class Network:
    """A network's files: the .onnx, the .om made of it, and one random input as raw bytes."""

    def __init__(self, tool, directory, name):
        self.onnx, self.om = directory / f"{name}.onnx", directory / f"{name}.om"
        self.input = directory / f"{name}.input"
        self.dims, self.type = ",".join(map(str, SHAPES[name])), "int64" if name in TOKENS else "float32"
        random = np.random.default_rng(1)
        values = (random.integers(0, TOKENS[name], SHAPES[name]) if name in TOKENS
                  else random.standard_normal(SHAPES[name]).astype(np.float32))
        self.input.write_bytes(values.tobytes())
        if not self.om.exists() or self.om.stat().st_mtime < self.onnx.stat().st_mtime:
            self.convert(pathlib.Path(tool).resolve().with_name("atc"))

    def convert(self, atc):
        done = subprocess.run([str(atc), "--framework=5", "--soc_version=Ascend910B3", f"--model={self.onnx.name}",
                               f"--output={self.onnx.stem}", f"--input_shape=input:{self.dims}"],
                              capture_output=True, text=True, cwd=self.onnx.parent)
        if done.returncode:
            raise Refused(f"atc: {' '.join((done.stdout + done.stderr).split())[-300:]}")


class Belay:
    def __init__(self, tool):
        self.tool = tool

    def command(self, network, threads, warmup, seconds, output):
        shown = ["-o", str(output)] if output else []
        return [self.tool, "run", str(network.om), "--json", f"--threads={threads}", f"--warmup={warmup}",
                f"--repeat={MOST_RUNS}", f"--seconds={seconds}",
                f"--shape=input:{network.dims}", f"--input={network.input}", *shown]

    def result(self, output):
        return np.load(output / "output_0.npy").ravel()

    environment = None


class OnnxRuntime:
    def __init__(self, interpreter, script, environment=None):
        self.start = [interpreter, str(pathlib.Path(__file__).with_name(script))]
        self.environment = environment

    def command(self, network, threads, warmup, seconds, output):
        shown = [str(output / "output_0.bin")] if output else []
        return [*self.start, str(network.onnx), str(threads), str(warmup), str(seconds),
                f"input:{network.type}:{network.dims}", str(network.input), *shown]

    def result(self, output):
        return np.fromfile(output / "output_0.bin", np.float32)


def onnx_runtime(place):
    """From npm, in a directory that holds node_modules/onnxruntime-node; "python": the module of this interpreter."""
    if place == "python":
        return OnnxRuntime(sys.executable, "ort.py")
    return OnnxRuntime("node", "ort.js", dict(os.environ, NODE_PATH=str(pathlib.Path(place) / "node_modules")))


def timed(side, network, threads, warmup, seconds, output=None, variables=()):
    """What a side prints: load_ms and median_ms; and the peak of its memory, peak_mib. `variables`: of the environment."""
    command = side.command(network, threads, warmup, seconds, output)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors,
                                   env={**(side.environment or os.environ), **dict(variables)})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        if status:
            raise Refused(f"{pathlib.Path(command[0]).name}: {' '.join(errors.read().decode(errors='replace').split())[-300:]}")
        return {**json.load(out), "peak_mib": usage.ru_maxrss / 1024}


def apart(sides, network, threads):
    """How far the first results are apart, in parts of the largest element."""
    results = []
    for side in sides:
        with tempfile.TemporaryDirectory() as folder:
            timed(side, network, threads, 0, 0.001, pathlib.Path(folder))
            results.append(side.result(pathlib.Path(folder)).astype(np.float64))
    if results[0].shape != results[1].shape:
        raise Refused(f"results of {results[0].size} and {results[1].size} elements")
    return np.abs(results[0] - results[1]).max() / np.abs(results[1]).max()
