# SPDX-License-Identifier: Apache-2.0
"""What the outputs should be: from ONNX Runtime, or from numpy."""
import json
import os
import pathlib
import subprocess

import numpy as np
from interpreter import Unknown, interpret


class Skip(Exception):
    """The oracle cannot say."""


def write_case(case, folder, **more):
    folder.mkdir(parents=True)
    (folder / "m.onnx").write_bytes(case.model.SerializeToString())
    models = ["m.onnx"]
    if case.oracle:
        models = ["rounded.onnx", "plain.onnx"]
        for name, model in zip(models, case.oracle):
            (folder / name).write_bytes(model.SerializeToString())
    runs = []
    for r, inputs in enumerate(case.inputs):
        runs.append([])
        for name, array in inputs.items():
            array.tofile(folder / f"in_{r}_{name}.bin")
            shown = case.shown[r][name] if case.shown else array
            file = f"in_{r}_{name}.bin"
            if case.shown:
                file = f"shown_{r}_{name}.bin"
                shown.tofile(folder / file)
            runs[-1].append({"name": name, "type": str(shown.dtype), "shape": shown.shape, "file": file})
    text = {"models": models, "runs": runs, "atc": case.atc, "threads": case.threads, "exact": case.exact, **more}
    (folder / "case.json").write_text(json.dumps(text, indent=1))


class OnnxRuntime:
    name = "ONNX Runtime"

    def __init__(self, directory):
        self.environment = dict(os.environ, NODE_PATH=str(pathlib.Path(directory).resolve() / "node_modules"))
        self.script = pathlib.Path(__file__).with_name("ort.js")

    def prepare(self, folders):
        """Runs all; one that ends the process is left without a result, and the others go on."""
        left = list(folders)
        while left:
            subprocess.run(["node", str(self.script), *map(str, left[:100])], env=self.environment, capture_output=True)
            undone = [folder for folder in left[:100] if not (folder / "ort.json").exists()]
            if undone:
                (undone[0] / "ort.json").write_text('{"error": "it ended the process"}')
                undone = undone[1:]
            left = undone + left[100:]

    def outputs(self, case, folder):
        """For each model of the case, for each run, the outputs."""
        report = json.loads((folder / "ort.json").read_text())
        if "error" in report:
            raise Skip(report["error"])
        read = lambda m, r, i, each: np.fromfile(folder / f"ort_{m}_{r}_{i}.bin", each["type"]).reshape(each["shape"])  # noqa: E731
        return [[[read(m, r, i, each) for i, each in enumerate(run)] for r, run in enumerate(model)]
                for m, model in enumerate(report["models"])]  # fmt: skip


class Numpy:
    name = "numpy"

    def prepare(self, folders):
        pass

    def outputs(self, case, folder):
        if not case.for_numpy:
            raise Skip("the interpreter is not meant for this kind")
        try:
            return [[interpret(model, case.shown[r] if case.shown else inputs) for r, inputs in enumerate(case.inputs)]
                    for model in case.oracle or [case.model]]  # fmt: skip
        except Unknown as error:
            raise Skip(str(error))
