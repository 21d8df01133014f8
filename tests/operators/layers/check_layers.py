# SPDX-License-Identifier: Apache-2.0
"""The layers of examples/layers against numpy in double precision: a prompt of 24 tokens and 100 single ones.

Errors are measured against the largest number of a token's result, and as a root mean square over all. Weights and tokens
have values of the type. Some ten roundings of half a unit in the last place lie on the way through a layer; 8 such halves are
allowed at the most and 3 in the mean, for float, whose sums are rounded at each term, 64 and 24. Where activations become int8
a rounding before may move them to the next integer: half a quantum of a row more, and a quarter in the mean.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ATTENTION, EXPERTS = sys.argv[1:3]
del sys.argv[1:3]
PROMPT, STEPS = 24, 100
TOKENS = PROMPT + STEPS


HALF_UNITS = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}  # in the last place of 1


class Kind:
    """A float type, its bytes, and what is permitted."""

    def __init__(self, name, quantum=0):
        most, mean = (64, 24) if name == "float32" else (8, 3)
        self.name, half = name, HALF_UNITS[name]
        self.largest, self.mean = most * half + quantum / 2, mean * half + quantum / 4

    def to_bytes(self, values):
        values = np.ascontiguousarray(values, np.float32)
        if self.name == "bfloat16":
            bits = values.view(np.uint32).astype(np.uint64)
            return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
        return values.astype(self.name)

    def from_bytes(self, stored):
        if self.name == "bfloat16":
            return (np.frombuffer(stored, np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        return np.frombuffer(stored, self.name).astype(np.float64)

    def of(self, values):
        """As the type has them."""
        return self.from_bytes(self.to_bytes(values).tobytes()).reshape(np.shape(values))


def rms_norm(x, gamma):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * gamma


def swiglu(x):
    a, b = np.split(x, 2, -1)
    return a / (1 + np.exp(-a)) * b


class Layer(unittest.TestCase):
    def run_program(self, program, kind, files, *sizes):
        with tempfile.TemporaryDirectory() as directory:
            for name, array in files.items():
                pathlib.Path(directory, name).write_bytes(np.ascontiguousarray(array).tobytes())
            done = subprocess.run([program, directory, kind.name, *map(str, sizes), str(PROMPT), str(STEPS)], capture_output=True,
                                  text=True, check=False)  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr)
            return kind.from_bytes(pathlib.Path(directory, "result").read_bytes()), done.stdout.strip()

    def compare(self, what, kind, got, wanted, calls):
        error = np.abs(got - wanted).max(-1) / np.abs(wanted).max(-1)
        mean = np.sqrt(((got - wanted) ** 2).mean() / (wanted**2).mean())
        print(f"{what} {kind.name}: {calls}; largest error of a token {error.max():.2e} (allowed {kind.largest:.1e}), in the prompt "
              f"{error[:PROMPT].max():.2e}; root mean square {mean:.2e} (allowed {kind.mean:.1e})", flush=True)  # fmt: skip
        self.assertLess(error.max(), kind.largest)
        self.assertLess(mean, kind.mean)


class Attention(Layer):
    HIDDEN, HEADS, KEY_HEADS, HEAD, INNER = 128, 8, 2, 32, 192

    def check(self, kind):
        rng = np.random.default_rng(18)
        row = (self.HEADS + 2 * self.KEY_HEADS) * self.HEAD
        draw = lambda *shape: kind.of(rng.standard_normal(shape) / np.sqrt(shape[-1]))
        w = {"norm1": kind.of(1 + rng.standard_normal(self.HIDDEN) / 8), "norm2": kind.of(1 + rng.standard_normal(self.HIDDEN) / 8),
             "in": draw(row, self.HIDDEN) * 2, "out": draw(self.HIDDEN, self.HEADS * self.HEAD), "gate_up": draw(2 * self.INNER, self.HIDDEN),
             "down": draw(self.HIDDEN, self.INNER), "tokens": kind.of(rng.standard_normal((TOKENS, self.HIDDEN)))}  # fmt: skip
        angles = np.arange(TOKENS)[:, None] * 10000.0 ** (-np.arange(self.HEAD // 2) * 2 / self.HEAD)
        angles = np.concatenate([angles, angles], 1)
        w["cos"], w["sin"] = kind.of(np.cos(angles)), kind.of(np.sin(angles))
        files = {name: kind.to_bytes(value) for name, value in w.items()}
        files["mask"] = np.triu(np.ones((TOKENS, TOKENS), np.uint8), 1)
        got, calls = self.run_program(ATTENTION, kind, files, self.HIDDEN, self.HEADS, self.KEY_HEADS, self.HEAD, self.INNER)
        self.compare("attention", kind, got.reshape(TOKENS, self.HIDDEN), self.expected(w), calls)

    def expected(self, w):
        """All tokens at once: what a token sees is what came before it."""
        x = w["tokens"]
        all_heads = (rms_norm(x, w["norm1"]) @ w["in"].T).reshape(TOKENS, -1, self.HEAD)
        query, key, value = np.split(all_heads, [self.HEADS, self.HEADS + self.KEY_HEADS], 1)
        half = self.HEAD // 2
        turn = lambda t: t * w["cos"][:, None] + np.concatenate([-t[..., half:], t[..., :half]], -1) * w["sin"][:, None]
        query, key = turn(query), turn(key)
        attended = np.empty((TOKENS, self.HEADS, self.HEAD))
        for head in range(self.HEADS):
            own = head // (self.HEADS // self.KEY_HEADS)
            scores = query[:, head] @ key[:, own].T / np.sqrt(self.HEAD)
            scores[np.triu_indices(TOKENS, 1)] = -np.inf
            parts = np.exp(scores - scores.max(1, keepdims=True))
            attended[:, head] = parts / parts.sum(1, keepdims=True) @ value[:, own]
        x = x + attended.reshape(TOKENS, -1) @ w["out"].T
        return x + swiglu(rms_norm(x, w["norm2"]) @ w["gate_up"].T) @ w["down"].T

    def test_in_float(self):
        self.check(Kind("float32"))

    def test_in_half(self):
        self.check(Kind("float16"))

    def test_in_bfloat16(self):
        self.check(Kind("bfloat16"))


class Experts(Layer):
    HIDDEN, EXPERTS, CHOSEN, INNER, GROUP = 128, 8, 2, 96, 32

    def int8(self, rng, *shape):
        """[expert, input, output] and a scale for each output."""
        real = rng.standard_normal(shape) / np.sqrt(shape[1])
        scale = np.abs(real).max(1) / 127
        return np.clip(np.rint(real / scale[:, None]), -128, 127), scale

    def int4(self, rng, kind, outputs, inputs):
        real = rng.standard_normal((outputs, inputs)) / np.sqrt(inputs)
        scale = kind.of(np.abs(real.reshape(outputs, -1, self.GROUP)).max(2) / 7)
        return np.clip(np.rint(real / np.repeat(scale, self.GROUP, 1)), -8, 7), scale

    def check(self, kind):
        rng = np.random.default_rng(8)
        w = {"norm": kind.of(1 + rng.standard_normal(self.HIDDEN) / 8), "router": kind.of(rng.standard_normal((self.EXPERTS, self.HIDDEN)) / 6)}
        w["tokens"] = self.tokens(rng, kind, w)
        w["up"], w["up_scale"] = self.int8(rng, self.EXPERTS, self.HIDDEN, 2 * self.INNER)
        w["down"], w["down_scale"] = self.int8(rng, self.EXPERTS, self.INNER, self.HIDDEN)
        w["up_scale"] = w["up_scale"].astype(np.float32).astype(np.float64)
        narrow = kind if kind.name == "bfloat16" else Kind("float32")
        w["down_scale"] = narrow.of(w["down_scale"])
        w["shared_up"], w["shared_up_scale"] = self.int4(rng, kind, 2 * self.INNER, self.HIDDEN)
        w["shared_down"], w["shared_down_scale"] = self.int4(rng, kind, self.HIDDEN, self.INNER)
        files = {}
        for name, value in w.items():
            if name in ("up", "down"):
                files[name] = value.astype(np.int8)
            elif name in ("shared_up", "shared_down"):
                bits = value.astype(np.int8).reshape(-1) & 15
                files[name] = (bits[0::2] | bits[1::2] << 4).astype(np.uint8)
            elif name == "up_scale":
                files[name] = value.astype(np.float32)
            else:
                files[name] = (narrow if name == "down_scale" else kind).to_bytes(value)
        got, calls = self.run_program(EXPERTS, kind, files, self.HIDDEN, self.EXPERTS, self.CHOSEN, self.INNER)
        self.compare("experts", kind, got.reshape(TOKENS, self.HIDDEN), self.expected(w), calls)

    def tokens(self, rng, kind, w):
        """Those for which roundings cannot change who is chosen."""
        kept = []
        while len(kept) < TOKENS:
            token = kind.of(rng.standard_normal(self.HIDDEN))
            logits = np.sort(rms_norm(token, w["norm"]) @ w["router"].T)[::-1]
            if logits[self.CHOSEN - 1] - logits[self.CHOSEN] > 0.1:
                kept.append(token)
        return np.array(kept)

    def quantised(self, rows):
        scale = np.abs(rows).max(1, keepdims=True) / 127
        return np.rint(rows / scale), scale

    def expected(self, w):
        x = w["tokens"]
        normed = rms_norm(x, w["norm"])
        logits = normed @ w["router"].T
        chosen = np.argsort(-logits, 1, kind="stable")[:, : self.CHOSEN]
        parts = np.take_along_axis(logits, chosen, 1)
        parts = np.exp(parts - parts.max(1, keepdims=True))
        parts /= parts.sum(1, keepdims=True)
        made = x.copy()
        rows, scale = self.quantised(normed)
        for token in range(TOKENS):
            for part, expert in zip(parts[token], chosen[token]):
                gated = swiglu(rows[token] @ w["up"][expert] * w["up_scale"][expert] * scale[token])
                inner, inner_scale = self.quantised(gated[None])
                made[token] += part * (inner[0] @ w["down"][expert] * w["down_scale"][expert] * inner_scale[0])
        weights = lambda name: w[name] * np.repeat(w[name + "_scale"], self.GROUP, 1)
        return made + swiglu(normed @ weights("shared_up").T) @ weights("shared_down").T

    def test_in_half(self):
        self.check(Kind("float16", 1 / 127))

    def test_in_bfloat16(self):
        self.check(Kind("bfloat16", 1 / 127))


if __name__ == "__main__":
    unittest.main()
