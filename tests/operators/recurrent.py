# SPDX-License-Identifier: Apache-2.0
"""LSTM, GRU and RNN against the equations of the ONNX specification, step by step in float64."""
import itertools

import numpy as np

from case import case, f32, refused

FUNCTIONS = {
    "Sigmoid": lambda x, a, b: 1 / (1 + np.exp(-x)), "Tanh": lambda x, a, b: np.tanh(x),
    "Relu": lambda x, a, b: np.maximum(x, 0), "Affine": lambda x, a, b: a * x + b,
    "LeakyRelu": lambda x, a, b: np.where(x >= 0, x, a * x), "ThresholdedRelu": lambda x, a, b: np.where(x >= a, x, 0),
    "ScaledTanh": lambda x, a, b: a * np.tanh(b * x), "HardSigmoid": lambda x, a, b: np.clip(a * x + b, 0, 1),
    "Elu": lambda x, a, b: np.where(x >= 0, x, a * np.expm1(x)), "Softsign": lambda x, a, b: x / (1 + np.abs(x)),
    "Softplus": lambda x, a, b: np.log1p(np.exp(x)),
}
GATES = {"CommonLSTM": 4, "CommonGRU": 3, "CommonRNN": 1}
DEFAULTS = {"CommonLSTM": ["Sigmoid", "Tanh", "Tanh"], "CommonGRU": ["Sigmoid", "Tanh"], "CommonRNN": ["Tanh"]}


def bound(x, clip):
    return np.clip(x, -clip, clip) if clip > 0 else x


def step(op, x, h, c, w, r, wb, rb, p, f, clip, couple, linear_before_reset):
    if op == "CommonRNN":
        return f[0](bound(x @ w.T + h @ r.T + wb + rb, clip)), c
    if op == "CommonGRU":
        (wz, wr, wh), (rz, rr, rh) = np.split(w, 3), np.split(r, 3)
        (bz, br, bh), (sz, sr, sh) = np.split(wb, 3), np.split(rb, 3)
        z = f[0](bound(x @ wz.T + h @ rz.T + bz + sz, clip))
        reset = f[0](bound(x @ wr.T + h @ rr.T + br + sr, clip))
        inner = reset * (h @ rh.T + sh) if linear_before_reset else (reset * h) @ rh.T + sh
        return (1 - z) * f[1](bound(x @ wh.T + inner + bh, clip)) + z * h, c
    i, o, forget, g = np.split(x @ w.T + h @ r.T + wb + rb, 4, -1)
    pi, po, pf = np.split(p, 3)
    i = f[0](bound(i + pi * c, clip))
    forget = 1 - i if couple else f[0](bound(forget + pf * c, clip))
    c = forget * c + i * f[1](bound(g, clip))
    return f[0](bound(o + po * c, clip)) * f[2](c), c


def layer(op, x, w, r, b=None, lengths=None, h0=None, c0=None, p=None, direction="forward", functions=None, clip=-1.0,
          couple=0, linear_before_reset=0):
    directions, hidden, rows = w.shape[0], r.shape[2], w.shape[1]
    steps, batch = x.shape[:2]
    f = functions or [lambda v, name=name: FUNCTIONS[name](v, 0, 0) for name in DEFAULTS[op]] * directions
    y, last_h, last_c = np.zeros((steps, directions, batch, hidden)), [], []
    for d in range(directions):
        own = f[d * len(DEFAULTS[op]):]
        h = np.zeros((batch, hidden)) if h0 is None else h0[d].astype(np.float64)
        c = np.zeros((batch, hidden)) if c0 is None else c0[d].astype(np.float64)
        wb, rb = (np.zeros(rows),) * 2 if b is None else np.split(b[d].astype(np.float64), 2)
        peep = np.zeros(3 * hidden) if p is None else p[d].astype(np.float64)
        order = range(steps)[::-1] if direction == "reverse" or d == 1 else range(steps)
        for t in order:
            nh, nc = step(op, x[t].astype(np.float64), h, c, w[d].astype(np.float64), r[d].astype(np.float64), wb, rb, peep,
                          own, clip, couple, linear_before_reset)
            live = np.ones(batch, bool) if lengths is None else t < lengths
            h, c = np.where(live[:, None], nh, h), np.where(live[:, None], nc, c)
            y[t, d] = np.where(live[:, None], nh, 0)
        last_h.append(h)
        last_c.append(c)
    return [y, np.stack(last_h)] + ([np.stack(last_c)] if op == "CommonLSTM" else [])


def weights(op, directions, inputs, hidden, batch):
    rows = GATES[op] * hidden
    return [f32(directions, rows, inputs) * 0.5, f32(directions, rows, hidden) * 0.5, f32(directions, 2 * rows) * 0.5,
            f32(directions, batch, hidden), f32(directions, batch, hidden), f32(directions, 3 * hidden)]


def cast(arrays, kind):
    return [None if a is None else a if a.dtype.kind == "i" else a.astype(kind) for a in arrays]


for op in GATES:
    lstm = op == "CommonLSTM"
    for direction, (steps, batch, inputs, hidden) in itertools.product(("forward", "reverse", "bidirectional"),
                                                                       ((1, 1, 2, 3), (5, 3, 4, 6))):
        d = 2 if direction == "bidirectional" else 1
        x = f32(steps, batch, inputs)
        w, r, b, h0, c0, p = weights(op, d, inputs, hidden, batch)
        lengths = np.minimum(np.arange(batch) * 2 + 1, steps).astype(np.int32)
        what = f"{op} {direction} {steps}"
        flags = {"direction": direction, "hidden_size": hidden}
        for name, full in (("plain", [x, w, r]), ("with bias", [x, w, r, b]), ("with lengths", [x, w, r, b, lengths]),
                           ("with a state", [x, w, r, b, None, h0] + ([c0] if lstm else [])),
                           ("with all", [x, w, r, b, lengths, h0] + ([c0, p] if lstm else []))):
            want = layer(op, *full, direction=direction)
            case(op, full, cast(want, "float32"), f"{what} {name}", tolerance=2e-5, **flags)
        for kind, tolerance in (("float16", 4e-3), ("float64", 1e-12)):
            full = cast([x, w, r, b], kind)
            case(op, full, cast(layer(op, *full, direction=direction), kind), f"{what} of {kind}", tolerance=tolerance, **flags)
        want = layer(op, x, w, r, b, direction=direction, clip=0.4)
        case(op, [x, w, r, b], cast(want, "float32"), f"{what} clipped", tolerance=2e-5, clip=0.4, **flags)
    x = f32(4, 2, 3)
    w, r, b, h0, c0, p = weights(op, 1, 3, 5, 2)
    for name in FUNCTIONS:
        if name == "Softplus" and op != "CommonRNN":
            continue  # gates above 1 make the states grow without bound
        alpha, beta = 0.3, 0.6
        chosen = [name] * len(DEFAULTS[op])
        functions = [lambda v, name=name: FUNCTIONS[name](v, alpha, beta)] * len(chosen)
        case(op, [x, w, r, b], cast(layer(op, x, w, r, b, functions=functions), "float32"), f"{op} with {name}",
             tolerance=5e-5, hidden_size=5, activations=chosen, activation_alpha=[alpha] * 3, activation_beta=[beta] * 3)
    refused(op, [x, w, r, b, np.array([5, 1], np.int32)], "index 5 (element 0 of the indices) is outside [0, 4]", hidden_size=5)
    refused(op, [x, w, r], "activation Odd is not known", hidden_size=5, activations=["Odd"])
    refused(op, [f32(4, 2, 7), w, r], "input 1 is", hidden_size=5)
x = f32(4, 2, 3)
w, r, b, h0, c0, p = weights("CommonLSTM", 1, 3, 5, 2)
case("CommonLSTM", [x, w, r, b, None, None, None, p], cast(layer("CommonLSTM", x, w, r, b, p=p, couple=1), "float32"),
     "CommonLSTM with coupled gates", tolerance=2e-5, hidden_size=5, input_forget=1)
w, r, b, *_ = weights("CommonGRU", 1, 3, 5, 2)
case("CommonGRU", [x, w, r, b], cast(layer("CommonGRU", x, w, r, b, linear_before_reset=1), "float32"),
     "CommonGRU linear before the reset", tolerance=2e-5, hidden_size=5, linear_before_reset=1)
