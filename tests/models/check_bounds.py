# SPDX-License-Identifier: Apache-2.0
"""What src/exact computes in double, and what it permits, against numpy: its doubles are numpy's, what numpy computes in
float32 and float16 in any order of summation stays within what is permitted, and flipped bits do not.

usage: check_bounds.py ATC EXACT_MODEL DIRECTORY
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
RANDOM = np.random.default_rng(7)


def data(kind, *shape):
    x = RANDOM.standard_normal(shape)
    if kind == "far":  # a large mean
        x = x + 1000
    elif kind == "halves":  # sums go up, then down again
        x[..., :shape[-1] // 2] += 100
        x[..., shape[-1] // 2:] -= 100
    elif kind == "wide":  # magnitudes over many powers of two
        x = x * np.exp2(RANDOM.integers(-12, 12, shape))
    elif kind == "same":
        x = np.full(shape, 0.1)
    return x.astype(np.float32)


def sequential(terms):
    total = np.zeros(terms.shape[1:], np.float32)
    for term in terms:
        total = (total + term).astype(np.float32)
    return total


def lanes(terms, n=8):
    parts = [sequential(terms[i::n]) for i in range(min(n, len(terms)))]
    return sequential(np.stack(parts))


def blocks(terms, n=64):
    return sequential(np.stack([sequential(terms[i:i + n]) for i in range(0, len(terms), n)]))


def pairwise(terms):
    while len(terms) > 1:
        odd = terms[-1:] if len(terms) % 2 else terms[:0]
        terms = np.concatenate([(terms[0:len(terms) - len(odd):2] + terms[1::2][:len(terms) // 2]).astype(np.float32), odd])
    return terms[0]


ORDERS = {"sequential": sequential, "backwards": lambda t: sequential(t[::-1]), "lanes": lanes, "16 lanes": lambda t: lanes(t, 16),
          "blocks": blocks, "pairwise": pairwise, "shuffled": lambda t: sequential(t[RANDOM.permutation(len(t))])}


def exact(op, inputs, constants=(), outputs=1, opset=15, **attributes):
    """The model of one node: doubles and bounds of its first output."""
    WORK.mkdir(parents=True, exist_ok=True)
    names = [f"x{i}" for i in range(len(inputs))]
    real = [i for i in range(len(inputs)) if i not in constants]
    kind = mapping.NP_TYPE_TO_TENSOR_TYPE[inputs[0].dtype]
    graph = helper.make_graph(
        [helper.make_node(op, names, [f"y{o}" for o in range(outputs)], "node", **attributes)], "net",
        [helper.make_tensor_value_info(names[i], mapping.NP_TYPE_TO_TENSOR_TYPE[inputs[i].dtype], inputs[i].shape) for i in real],
        [helper.make_tensor_value_info("y0", kind, None)],
        [numpy_helper.from_array(inputs[i], names[i]) for i in constants])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), str(WORK / "net.onnx"))
    done = subprocess.run([ATC, f"--model={WORK}/net.onnx", "--framework=5", f"--output={WORK}/net", "--soc_version=Ascend910B3",
                           "--precision_mode=must_keep_origin_dtype"], capture_output=True, text=True, cwd=WORK)
    assert done.returncode == 0, done.stdout
    files = []
    for i in real:
        files.append(str(WORK / f"x{i}.bin"))
        inputs[i].tofile(files[-1])
    done = subprocess.run([PROGRAM, f"{WORK}/net.om", f"{WORK}/y", *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    value, allowed = np.fromfile(WORK / "y_0").reshape(2, -1)
    return value, allowed


class Bounds(unittest.TestCase):
    shares = {}

    def within(self, what, actual, value, allowed):
        error = np.abs(actual.astype(np.float64).ravel() - value)
        error[np.isnan(value) & np.isnan(actual.ravel())] = 0
        error[actual.ravel() == value] = 0
        error[np.isinf(allowed)] = 0
        share = np.max(np.where(error == 0, 0, error / np.where(allowed > 0, allowed, 1e-300)))
        Bounds.shares[what] = max(Bounds.shares.get(what, 0), share)
        self.assertLessEqual(share, 1, f"{what}: element {np.argmax(error / np.maximum(allowed, 1e-300))}")

    @classmethod
    def tearDownClass(cls):
        for what, share in cls.shares.items():
            print(f"  {what:<40} used {share:.3f} of what is permitted")

    def check_products(self, kind, m, k, n):
        a, b = data(kind, m, k), data("plain" if kind != "same" else "same", k, n)
        value, allowed = exact("MatMul", [a, b])
        np.testing.assert_allclose(value, (a.astype(np.longdouble) @ b.astype(np.longdouble)).astype(float).ravel(),
                                   rtol=1e-11, atol=1e-11 * np.max(np.abs(a)) * k)
        terms = (a.T[:, :, None] * b[:, None, :]).astype(np.float32)
        for name, order in ORDERS.items():
            self.within(f"MatMul {kind} {k}, {name}", order(terms), value, allowed)
        self.within(f"MatMul {kind} {k}, BLAS", a @ b, value, allowed)
        return (a @ b).ravel(), value, allowed

    def test_products_in_any_order(self):
        for kind in ("plain", "far", "halves", "wide", "same"):
            for k in (3, 17, 256, 2048):
                self.check_products(kind, 5, k, 7)

    def test_halves_accumulate_in_float_and_no_less(self):
        a, b = data("plain", 4, 1024).astype(np.float16), data("plain", 1024, 33).astype(np.float16)
        value, allowed = exact("MatMul", [a, b])
        terms = a.T.astype(np.float32)[:, :, None] * b.astype(np.float32)[:, None, :]
        for name, order in ORDERS.items():
            self.within(f"MatMul float16, {name}", order(terms).astype(np.float16), value, allowed)
        total = np.zeros((4, 33), np.float16)
        for term in terms:
            total = (total + term.astype(np.float16)).astype(np.float16)
        self.assertGreater(np.max(np.abs(total.ravel() - value) / allowed), 4, "sums in half precision must be found")

    def test_flipped_bits_are_found(self):
        for kind, k, lowest in (("plain", 64, 9), ("plain", 1024, 11), ("plain", 4608, 12)):
            result, value, allowed = self.check_products(kind, 16, k, 16)
            found = []
            for bit in range(23):
                flipped = (result.view(np.uint32) ^ np.uint32(1 << bit)).view(np.float32)
                found.append(np.mean(np.abs(flipped - value) > allowed))
            print(f"  flipped bits found, sums of {k}: " + " ".join(f"{bit}:{part:.0%}" for bit, part in enumerate(found) if 0 < part < 1))
            self.assertGreater(found[lowest], 0.5)
            self.assertGreater(found[lowest + 4], 0.9)

    def test_convolutions_by_channels_or_by_taps(self):
        for kind in ("plain", "far"):
            x, w, b = data(kind, 1, 24, 9, 9), data("plain", 8, 24, 3, 3), data("plain", 8)
            value, allowed = exact("Conv", [x, w, b], constants=(1, 2), pads=[1, 1, 1, 1])
            padded = np.pad(x[0], ((0, 0), (1, 1), (1, 1)))
            terms = np.stack([(padded[c, i:i + 9, j:j + 9][None] * w[:, c, i, j][:, None, None]).astype(np.float32)
                              for c in range(24) for i in range(3) for j in range(3)])
            by_taps = terms.reshape(24, 9, *terms.shape[1:]).swapaxes(0, 1).reshape(terms.shape)
            for name, order in ORDERS.items():
                for way, given in (("channels", terms), ("taps", by_taps)):
                    actual = (order(given) + b[:, None, None]).astype(np.float32)
                    self.within(f"Conv {kind} by {way}, {name}", actual, value, allowed)

    def test_sums_and_means(self):
        for kind in ("plain", "far", "halves", "same"):
            x = data(kind, 6, 3000)
            for op, divisor in (("ReduceSum", 1), ("ReduceMean", 3000)):
                axes = {"axes": [1]} if op == "ReduceMean" else {}
                inputs, constants = ([x], ()) if op == "ReduceMean" else ([x, np.array([1], np.int64)], (1,))
                value, allowed = exact(op, inputs, constants, keepdims=0, **axes)
                np.testing.assert_allclose(value, x.astype(float).sum(1) / divisor, rtol=1e-9, atol=1e-9)
                for name, order in ORDERS.items():
                    self.within(f"{op} {kind}, {name}", (order(x.T) / np.float32(divisor)).astype(np.float32), value, allowed)

    def test_softmax_and_norms(self):
        for kind in ("plain", "halves", "far"):
            for dtype in (np.float32, np.float16):
                x = (data(kind, 4, 200) * (0.05 if kind == "halves" else 1)).astype(dtype)
                value, allowed = exact("Softmax", [x], axis=-1)
                e = np.exp(x - x.max(-1, keepdims=True))
                total = e.astype(np.float32).sum(-1, keepdims=True).astype(dtype)
                self.within(f"Softmax {kind} {np.dtype(dtype).name}", (e / total).astype(dtype), value, allowed)
                wide = np.exp(x.astype(float) - x.astype(float).max(-1, keepdims=True))
                np.testing.assert_allclose(value, (wide / wide.sum(-1, keepdims=True)).ravel(), rtol=1e-12)
            x, g, b = data(kind, 4, 200), data("plain", 200), data("plain", 200)
            value, allowed = exact("LayerNormalization", [x, g, b], constants=(1, 2), opset=17, axis=-1, epsilon=1e-5)
            wide = x.astype(float)
            z = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + 1e-5) * g + b
            np.testing.assert_allclose(value, z.ravel(), rtol=1e-6, atol=1e-6)
            mean = x.mean(-1, keepdims=True)
            actual = (x - mean) / np.sqrt(np.mean((x - mean)**2, -1, keepdims=True) + np.float32(1e-5)) * g + b
            self.within(f"LayerNorm {kind}", actual.astype(np.float32), value, allowed)

    def test_functions_of_one_number(self):
        functions = {"Exp": np.exp, "Log": lambda x: np.log(np.abs(x)), "Tanh": np.tanh, "Sqrt": lambda x: np.sqrt(np.abs(x)), "Sin": np.sin,
                     "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Reciprocal": lambda x: 1 / x, "Softplus": lambda x: np.logaddexp(x.dtype.type(0), x)}
        for dtype in (np.float32, np.float16):
            x = (RANDOM.standard_normal(4000) * 3).astype(dtype)
            for op, f in functions.items():
                given = np.abs(x) if op in ("Log", "Sqrt") else x
                value, allowed = exact(op, [given])
                with np.errstate(all="ignore"):
                    np.testing.assert_allclose(value, f(given.astype(float)), rtol=1e-12)
                    self.within(f"{op} {np.dtype(dtype).name}", f(given).astype(dtype), value, allowed)

    def test_what_overflows_may_be_infinite(self):
        x = np.array([60000, 1, -60000, np.inf, np.nan], np.float16)
        value, allowed = exact("Mul", [x, np.full(5, 2, np.float16)])
        self.assertEqual(list(value[:3]), [120000, 2, -120000])
        self.assertTrue(np.isinf(allowed[0]) and np.isinf(allowed[2]))
        self.assertEqual(allowed[1], 2 * 2.0**-11)
        self.assertTrue(np.isinf(value[3]) and np.isnan(value[4]) and allowed[3] == allowed[4] == 0)


if __name__ == "__main__":
    unittest.main()
