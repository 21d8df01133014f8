# SPDX-License-Identifier: Apache-2.0
"""Operators that the installed onnx package does not know yet, through atc and a user's C program, against numpy.

usage: check_new_operators.py ATC USER_PROGRAM DIRECTORY
"""
import pathlib
import subprocess
import sys
import unittest

import numpy as np

for alias in ("float", "int", "bool", "object"):  # names that onnx 1.12 still uses
    if not hasattr(np, alias):
        setattr(np, alias, getattr(__builtins__, alias))
import onnx  # noqa: E402
from onnx import helper, mapping, numpy_helper  # noqa: E402

ATC, PROGRAM, WORK = sys.argv.pop(1), sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
RANDOM = np.random.default_rng(4)


def f32(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attend(q, k, v, mask=0.0, scale=None):
    return softmax(q @ k.swapaxes(-1, -2) * (scale or q.shape[-1]**-0.5) + mask) @ v


def heads(x, n):
    return x.reshape(x.shape[0], x.shape[1], n, -1).transpose(0, 2, 1, 3)


def joined(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


class NewOperators(unittest.TestCase):
    def check(self, op, inputs, want, constants=(), **attributes):
        """The first inputs are the model's, `constants` (by place) its initializers."""
        WORK.mkdir(parents=True, exist_ok=True)
        names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
        real = [i for i, x in enumerate(inputs) if x is not None and i not in constants]
        graph = helper.make_graph(
            [helper.make_node(op, names, ["y"], "node", **attributes)], "net",
            [helper.make_tensor_value_info(names[i], mapping.NP_TYPE_TO_TENSOR_TYPE[inputs[i].dtype], inputs[i].shape) for i in real],
            [helper.make_tensor_value_info("y", 1, want.shape)],
            [numpy_helper.from_array(inputs[i], names[i]) for i in constants])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=8), str(WORK / "net.onnx"))
        done = subprocess.run([ATC, f"--model={WORK}/net.onnx", "--framework=5", f"--output={WORK}/net", "--soc_version=Ascend910B3"],
                              capture_output=True, text=True, cwd=WORK)
        self.assertEqual(done.returncode, 0, done.stdout)
        files = []
        for i in real:
            files.append(str(WORK / f"x{i}.bin"))
            inputs[i].tofile(files[-1])
        done = subprocess.run([PROGRAM, f"{WORK}/net.om", "static", f"{WORK}/y.bin", "--", *files], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        np.testing.assert_allclose(np.fromfile(WORK / "y.bin", np.float32).reshape(want.shape), want, rtol=1e-4, atol=1e-5)

    def test_attention(self):
        q, k, v = f32(2, 3, 4, 8), f32(2, 3, 5, 8), f32(2, 3, 5, 6)
        self.check("Attention", [q, k, v], attend(q, k, v))
        mask = f32(4, 5)
        self.check("Attention", [q, k, v, mask], attend(q, k, v, mask, 0.3), scale=0.3)
        allowed = RANDOM.random((4, 5)) < 0.7
        allowed[:, 0] = True
        self.check("Attention", [q, k, v, allowed], attend(q, k, v, np.where(allowed, 0.0, -np.inf)))
        k, v = f32(2, 3, 4, 8), f32(2, 3, 4, 8)
        self.check("Attention", [q, k, v], attend(q, k, v, np.where(np.tri(4, dtype=bool), 0.0, -np.inf)), is_causal=1)

    def test_attention_of_three_dimensions(self):
        q, k, v = f32(2, 4, 24), f32(2, 5, 24), f32(2, 5, 24)
        self.check("Attention", [q, k, v], joined(attend(heads(q, 3), heads(k, 3), heads(v, 3))), q_num_heads=3, kv_num_heads=3)

    def test_rotary_embedding(self):
        x, cos, sin = f32(2, 3, 4, 8), f32(10, 4), f32(10, 4)
        at = RANDOM.integers(0, 10, (2, 4))
        c, s = cos[at][:, None], sin[at][:, None]
        a, b = x[..., :4], x[..., 4:]
        halves = np.concatenate([a * c - b * s, b * c + a * s], -1)
        self.check("RotaryEmbedding", [x, cos, sin, at], halves, constants=(1, 2))
        a, b = x[..., 0::2], x[..., 1::2]
        pairs = np.stack([a * c - b * s, b * c + a * s], -1).reshape(x.shape)
        self.check("RotaryEmbedding", [x, cos, sin, at], pairs, constants=(1, 2), interleaved=1)
        flat = joined(x)
        self.check("RotaryEmbedding", [flat, cos, sin, at], joined(halves), num_heads=3)
        self.check("RotaryEmbedding", [x, cos[at], sin[at]], halves)

    def test_lrn_divides_alpha_by_the_size_of_the_window(self):
        x = f32(1, 6, 2, 2)
        for size in (2, 3):
            want = np.zeros(x.shape)
            for c in range(6):
                low, high = max(0, c - (size - 1) // 2), min(5, c + size // 2)
                want[:, c] = x[:, c] / (1.2 + 0.9 / size * (x[:, low:high + 1]**2).sum(1))**0.7
            self.check("LRN", [x], want, size=size, alpha=0.9, beta=0.7, bias=1.2)

    def test_deformable_convolution_without_offsets_is_a_convolution(self):
        x, w = f32(1, 2, 5, 5), f32(3, 2, 3, 3)
        want = np.zeros((1, 3, 3, 3))
        for i in range(3):
            for j in range(3):
                want += np.einsum("nchw,oc->nohw", x[:, :, i:i + 3, j:j + 3], w[:, :, i, j])
        self.check("DeformConv", [x, w, np.zeros((1, 18, 3, 3), np.float32)], want, constants=(1,), kernel_shape=[3, 3])


if __name__ == "__main__":
    unittest.main()
