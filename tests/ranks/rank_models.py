# SPDX-License-Identifier: Apache-2.0
"""A model for each rank, made with onnx and atc, run by run_models.cpp as threads or processes."""
import os
import pathlib
import subprocess

import numpy as np

for alias in ("float", "int", "bool", "object"):  # names that onnx 1.12 still uses
    if not hasattr(np, alias):
        setattr(np, alias, getattr(__builtins__, alias) if not isinstance(__builtins__, dict) else __builtins__[alias])
import onnx  # noqa: E402
from onnx import TensorProto, helper, mapping, numpy_helper  # noqa: E402


class Bfloat16:
    """What numpy does not have: its elements are kept as uint16."""

    @staticmethod
    def wide(bits):
        return (bits.astype(np.uint32) << 16).view(np.float32)

    @staticmethod
    def narrow(values):
        bits = values.astype(np.float32).view(np.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def onnx_type(kind):
    return TensorProto.BFLOAT16 if kind == "bfloat16" else mapping.NP_TYPE_TO_TENSOR_TYPE[np.dtype(kind)]


def hcom(op, inputs, outputs, name=None, group="tp", **attributes):
    return helper.make_node(op, inputs, outputs, name or outputs[0], domain="hccl", group=group, **attributes)


class Ranks:
    """The models of all ranks in a folder of their own."""

    def __init__(self, folder, atc, program, belay):
        self.folder, self.atc, self.program, self.belay = pathlib.Path(folder), atc, program, belay
        self.folder.mkdir(parents=True, exist_ok=True)
        self.size, self.outputs, self.printed = 0, {}, ""

    def add(self, nodes, inputs, outputs, constants=(), options=()):
        """The next rank's: inputs as {name: array or (kind, array)}, outputs as {name: (kind, shape)}."""
        rank, self.size = self.size, self.size + 1
        typed = {name: value if isinstance(value, tuple) else (value.dtype.name, value) for name, value in inputs.items()}
        graph = helper.make_graph(nodes, f"rank{rank}",
                                  [helper.make_tensor_value_info(name, onnx_type(kind), array.shape) for name, (kind, array) in typed.items()],
                                  [helper.make_tensor_value_info(name, onnx_type(kind), shape) for name, (kind, shape) in outputs.items()],
                                  [numpy_helper.from_array(array, name) for name, array in dict(constants).items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("hccl", 1)], ir_version=8)
        onnx.save(model, str(self.folder / f"rank{rank}.onnx"))
        for i, (kind, array) in enumerate(typed.values()):
            np.ascontiguousarray(array).tofile(self.folder / f"in{rank}_{i}.bin")
        self.outputs[rank] = [("uint16" if kind == "bfloat16" else kind, shape) for kind, shape in outputs.values()]
        return self.convert(rank, options)

    def convert(self, rank, options=()):
        done = subprocess.run([self.atc, f"--model={self.folder}/rank{rank}.onnx", "--framework=5", f"--output={self.folder}/rank{rank}",
                               "--soc_version=Ascend910B3", *options], capture_output=True, text=True, cwd=self.folder)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run(self, processes=False, **variables):
        """The exit code; what was printed is in `printed`, whole lines sorted."""
        (self.folder / "token").unlink(missing_ok=True)
        command = [self.program, str(self.folder), str(self.size)]
        if processes:
            command = [self.belay, "launch", "-n", str(self.size), "--", *command]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables})
        self.printed = "\n".join(sorted((done.stdout + done.stderr).splitlines()))
        return done.returncode

    def results(self, rank):
        """Raw outputs of a rank, in the shapes that were declared; those of unknown shape as a row."""
        read = []
        for i, (kind, shape) in enumerate(self.outputs[rank]):
            array = np.fromfile(self.folder / f"out{rank}_{i}.bin", np.dtype(kind))
            read.append(array.reshape(shape) if all(isinstance(dim, int) for dim in shape) else array)
        return read
