# SPDX-License-Identifier: Apache-2.0
"""Belay's side of a case: atc, then the program `replay`, which loads the model once and runs it as the plan says."""
import os
import pathlib
import subprocess

import numpy as np

TYPES = {0: np.float32, 1: np.float16, 2: np.int8, 3: np.int32, 4: np.uint8, 6: np.int16, 7: np.uint16, 8: np.uint32,
         9: np.int64, 10: np.uint64, 11: np.float64, 12: np.bool_, 27: "bfloat16"}  # fmt: skip


class Failure(Exception):
    """Belay refused, crashed or returned an error."""


def dims_text(shape):
    return ",".join(map(str, shape)) or "()"


class Plan:
    """The lines for `replay`, and which run each of its results belongs to."""

    def __init__(self, case, wanted):
        self.case, self.wanted, self.lines, self.runs = case, wanted, [], []
        if case.gears:
            self.with_gears()
        elif case.dynamic:
            self.with_shapes()
        else:
            self.plain()

    def take(self, dataset, run, room=0):
        for i, (name, array) in enumerate(self.case.inputs[run].items()):
            dims = dims_text(array.shape) if self.case.dynamic else "-"
            self.lines.append(f"input {dataset} {i} in_{run}_{name}.bin {dims} {room}")

    def result(self, verb, dataset, run):
        self.lines.append(f"{verb} {dataset} out_{len(self.runs)}")
        self.runs.append(run)

    def room(self, dataset, run):
        """No more memory than the outputs need."""
        for i, output in enumerate(self.wanted[run]):
            self.lines.append(f"room {dataset} {i} {max(output.nbytes, 1)}")

    def plain(self):
        """One dataset filled anew for each run, the first once more; or all of them in flight on one stream."""
        count = len(self.case.inputs)
        if self.case.threads == 2:
            for run in range(count):
                self.lines.append(f"set {run}")
                self.take(run, run)
                self.room(run, run)
                self.result("launch", run, run)
            self.lines.append("wait")
            return
        self.lines.append("set 0")
        for run in [*range(count), 0]:
            self.take(0, run)
            self.result("run", 0, run)

    def with_shapes(self):
        """Back to an earlier shape, in the same dataset and in a new one."""
        count = len(self.case.inputs)
        self.lines.append("set 0")
        for run in [*range(count), 0]:
            self.take(0, run)
            self.result("run", 0, run)
        self.lines.append("set 1")
        for run in reversed(range(count)):
            self.take(1, run)
            self.result("run", 1, run)

    def gear(self, dataset, run):
        kind, values = self.case.gears[run]
        text = ",".join(map(str, values)) if kind == "dims" else " ".join(map(str, values))
        self.lines.append(f"gear {dataset} {kind} {text}")
        self.room(dataset, run)

    def with_gears(self):
        """Two datasets on one model: both gears are set, then both run, in both orders; then one changes its gear."""
        count = len(self.case.inputs)
        for first, second in zip(range(count), [*range(1, count), 0]):
            for dataset, run in ((0, first), (1, second)):
                self.lines.append(f"set {dataset}")
                self.take(dataset, run)
                self.gear(dataset, run)
            for dataset, run in ((0, first), (1, second), (0, first)):
                self.result("run", dataset, run)
            for dataset, run in ((1, second), (0, first)):
                self.result("launch", dataset, run)
            self.lines.append("wait")


def convert(atc, case, folder):
    command = [atc, f"--model={folder / 'm.onnx'}", "--framework=5", f"--output={folder / 'm'}",
               "--soc_version=Ascend910B3", "--log=error", *case.atc]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        lines = (done.stdout + done.stderr).splitlines()
        told = [line for line in lines if line and not line.startswith(("ATC ", "precision mode", "..."))]
        raise Failure(f"atc ended with {done.returncode}: " + " ".join(told)[:600])
    return next(pathlib.Path(folder).glob("m*.om"))


def read_outputs(prefix):
    outputs = []
    for i, line in enumerate(pathlib.Path(f"{prefix}.txt").read_text().splitlines()):
        kind, *dims = map(int, line.split())
        if TYPES[kind] == "bfloat16":
            bits = np.fromfile(f"{prefix}.{i}", np.uint16).astype(np.uint32) << 16
            outputs.append(bits.view(np.float32).reshape(dims))
        else:
            outputs.append(np.fromfile(f"{prefix}.{i}", TYPES[kind]).reshape(dims))
    return outputs


def results(atc, replay, case, folder, wanted):
    """(run, outputs) for each step of the plan. `wanted` are the oracle's outputs by run: they tell what room a gear needs."""
    model = convert(atc, case, folder)
    plan = Plan(case, wanted)
    (folder / "plan.txt").write_text("\n".join(plan.lines) + "\n")
    environment = dict(os.environ, BELAY_NUM_THREADS=str(case.threads), ASCEND_GLOBAL_LOG_LEVEL="4")
    done = subprocess.run([replay, str(model), "plan.txt"], capture_output=True, text=True, env=environment, cwd=folder)
    if done.returncode < 0:
        raise Failure(f"replay was ended by signal {-done.returncode}, with {case.threads} threads")
    if done.returncode:
        raise Failure(" ".join(done.stderr.split())[:600])
    return [(run, read_outputs(folder / f"out_{step}")) for step, run in enumerate(plan.runs)]
