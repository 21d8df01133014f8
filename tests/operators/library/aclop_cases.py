# SPDX-License-Identifier: Apache-2.0
"""Runs single operators through aclopExecuteV2 on cases whose results numpy computed."""
import unittest

import numpy as np

from driver import ND, aclop, start

stream = start()
rng = np.random.default_rng(17)
FLOATS = (np.float32, np.float16, np.float64)
TOLERANCE = {"float16": 3e-3, "float32": 3e-5, "float64": 1e-9}


def run(op, inputs, want, form=ND, tolerance=None, **attributes):
    """`want`: an array or a list of arrays; outputs have their types and shapes."""
    wants = [np.asarray(w) for w in (want if isinstance(want, list) else [want])]
    outputs = [np.zeros(w.shape, w.dtype) for w in wants]
    aclop(stream, op, inputs, outputs, form, **attributes)
    for got, wanted in zip(outputs, wants):
        near = tolerance or TOLERANCE.get(str(wanted.dtype), 0)
        np.testing.assert_allclose(got.astype(np.float64), wanted.astype(np.float64), near, near, err_msg=f"{op} {wanted.dtype}")


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)
