# SPDX-License-Identifier: Apache-2.0
"""Cases for the runner: operator, inputs, attributes and what numpy says the outputs are, one JSON object a line."""
import json
import math

import numpy as np

TYPES = {
    "float32": "DT_FLOAT", "float16": "DT_FLOAT16", "float64": "DT_DOUBLE", "int8": "DT_INT8", "int16": "DT_INT16",
    "int32": "DT_INT32", "int64": "DT_INT64", "uint8": "DT_UINT8", "uint16": "DT_UINT16", "uint32": "DT_UINT32",
    "uint64": "DT_UINT64", "bool": "DT_BOOL", "complex64": "DT_COMPLEX64", "complex128": "DT_COMPLEX128",
}
rng = np.random.default_rng(7)


class Type(str):
    """An attribute that is a data type: Type("DT_INT64")."""


def number(value):
    if isinstance(value, (complex, np.complexfloating)):
        raise TypeError("complex numbers travel as pairs")
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def tensor(array):
    if array is None:
        return None
    array = np.asarray(array)
    name = TYPES[str(array.dtype)]
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], -1)
        return {"type": name, "shape": list(array.shape[:-1]), "data": [number(v) for v in array.ravel()]}
    return {"type": name, "shape": list(array.shape), "data": [number(v) for v in array.ravel()]}


def attribute(value):
    if isinstance(value, Type):
        return {"type": str(value)}
    if isinstance(value, np.ndarray):
        return {"floats" if value.dtype.kind == "f" else "ints": [number(v) for v in value]}
    return value


def case(op, inputs, outputs, name="", tolerance=1e-6, **attributes):
    """Outputs of None are not compared."""
    print(json.dumps({
        "name": name or op, "op": op, "inputs": [tensor(i) for i in inputs], "outputs": [tensor(o) for o in outputs],
        "tolerance": tolerance, "attributes": {k: attribute(v) for k, v in attributes.items()}}))


def refused(op, inputs, because, name="", code=None, **attributes):
    """The operator must fail, and its message contain `because`. "index ..." is an error of the running kernel."""
    if because.startswith("index "):
        code = code or 507015
    print(json.dumps({
        "name": name or op + " refuses", "op": op, "inputs": [tensor(i) for i in inputs], "because": because,
        **({"code": code} if code else {}),
        "attributes": {k: attribute(v) for k, v in attributes.items()}}))


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)
