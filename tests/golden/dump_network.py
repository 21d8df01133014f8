# SPDX-License-Identifier: Apache-2.0
"""ResNet-50, dumped whole (mode all, operators and steps): every file is read back, what an operator takes is what another
gave, bit for bit, and numpy computes the same from what each operator took."""
import collections
import pathlib
import subprocess

import numpy as np
import read_dump
from dump_support import DumpTest, main

NETWORKS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "models" / "networks.py"


def convolve(x, weight, bias, stride, pad):
    """Correlation by one matrix product."""
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], (2, 3))[:, :, ::stride, ::stride]
    y = np.tensordot(windows, weight, ((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)
    return y + bias.reshape(1, -1, 1, 1)


def logical(tensor):
    """The tensor in the order of the operator's shape; those of steps may have their channels last."""
    values = tensor.array()
    if tensor.format == 1 and tensor.shape != tensor.original_shape:
        values = np.ascontiguousarray(values.transpose(0, 3, 1, 2))
    return values


def recomputed(op_type, inputs, shape):
    """The operator's output by numpy, before a ReLU that may be fused with it."""
    x = inputs[0]
    if op_type == "Conv2D":
        weight, bias, *added = inputs[1:]
        pad = weight.shape[2] // 2
        stride = 1 if x.shape[2] + 2 * pad - weight.shape[2] + 1 == shape[2] else 2
        y = convolve(x, weight, bias, stride, pad)
        return y + added[0] if added else y
    if op_type == "MaxPoolV3":
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
        return np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))[:, :, ::2, ::2].max((4, 5))
    if op_type == "GlobalAveragePool":
        return x.mean((2, 3), keepdims=True)
    if op_type == "MatMulV2":
        return x @ inputs[1].T + inputs[2]
    if op_type == "TransData":
        return x
    raise AssertionError(op_type)


class Network(DumpTest):
    def test_resnet50(self):
        subprocess.run(["/usr/bin/python3", "-W", "ignore", NETWORKS, self.work, "resnet50"], check=True)
        x = np.random.default_rng(0).standard_normal((1, 3, 224, 224)).astype(np.float32)
        self.write("input.bin", x.tobytes())
        (self.work / "steps").mkdir()
        for config in (self.config(dump_list=[{}], dump_mode="all"),
                       self.config("steps.json", path="steps", dump_list=[{}], dump_mode="all", dump_level="kernel")):  # fmt: skip
            self.drive(f"init={config}", "input=input.bin", "load=resnet50.onnx", "run", "out=y.bin", "finalize")
        given, types = {x.tobytes()}, collections.Counter()
        entries = self.entries()
        last = read_dump.read(entries[-1].path)
        self.assertEqual(last.outputs[0].data, (self.work / "y.bin").read_bytes())
        entries += self.entries("steps")
        for entry in entries:
            dump = read_dump.read(entry.path)
            types[entry.op_type, entry.op_name.endswith("_kernel")] += 1
            if entry.op_type == "Data":
                self.assertEqual(dump.outputs[0].data, x.tobytes())
                continue
            taken = [logical(tensor) for tensor in dump.inputs]
            for values in taken[:1] + taken[3:]:  # the others are weights
                self.assertIn(values.tobytes(), given, entry.path.name)
            output = logical(dump.outputs[0])
            given.add(output.tobytes())
            want = recomputed(entry.op_type, taken, output.shape)
            relu = entry.op_type == "Conv2D" and output.min() >= 0  # fused with it
            near = 1e-5 * np.abs(want).max()  # sums of thousands of products, in another order
            np.testing.assert_allclose(output, np.maximum(want, 0) if relu else want, rtol=1e-4, atol=near)
        self.assertEqual(types["Conv2D", False], 53)
        self.assertEqual(types["Conv2D", True], types["TransData", False])  # the first one has its input changed
        sizes = sum(entry.path.stat().st_size for entry in entries)
        print(f"{len(entries)} files, {sizes} bytes; {dict(types)}")


if __name__ == "__main__":
    main()
