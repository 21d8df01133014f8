# SPDX-License-Identifier: Apache-2.0
"""ONNX models by definition, in numpy: control flow, integers, and the common operators of floats. Floats are computed in
float64 and rounded once for each operator."""
import math

import numpy as np
from numpy_operators import OPERATORS
from onnx import helper, mapping, numpy_helper


class Unknown(Exception):
    """The interpreter does not have the operator."""


def value_of(attribute):
    value = helper.get_attribute_value(attribute)
    return value.decode() if isinstance(value, bytes) else value


class Scope:
    """The tensors of a graph by name, and those of the graphs around it."""

    def __init__(self, graph, values, outer=None):
        self.graph, self.outer = graph, outer
        self.values = {weight.name: numpy_helper.to_array(weight) for weight in graph.initializer} | values

    def find(self, name):
        if name in self.values:
            return self.values[name]
        return self.outer.find(name)

    def run(self, opset):
        for node in self.graph.node:
            taken = [self.find(name) if name else None for name in node.input]
            attributes = {each.name: value_of(each) for each in node.attribute}
            made = self.made(node.op_type, taken, attributes, opset)
            self.values.update((name, each) for name, each in zip(node.output, made) if name)
        return [self.find(output.name) for output in self.graph.output]

    def made(self, op, taken, attributes, opset):
        if op in CONTROL:
            return CONTROL[op](self, taken, attributes, opset)
        if op not in OPERATORS:
            raise Unknown(f"the numpy interpreter has no {op}")
        with np.errstate(all="ignore"):
            made = OPERATORS[op]([wide(each) for each in taken], attributes, opset)
        kinds = output_kinds(op, taken, attributes)
        made = made if isinstance(made, tuple) else (made,)
        return [np.asarray(each) if kind is None else narrow(each, kind) for each, kind in zip(made, kinds)]


def wide(array):
    return array.astype(np.float64) if array is not None and array.dtype in (np.float32, np.float16) else array


def narrow(array, kind):
    with np.errstate(all="ignore"):
        return np.asarray(array).astype(kind)


def output_kinds(op, taken, attributes):
    """The types of an operator's outputs: those of its first input, but for the operators that say theirs. None: as computed."""
    if op == "Cast":
        if attributes["to"] == 16:
            return [None]
        return [mapping.TENSOR_TYPE_TO_NP_TYPE[attributes["to"]]]
    if op in ("Where", "OneHot"):
        return [taken[1 if op == "Where" else 2].dtype]
    if op in ("Constant", "ConstantOfShape", "QuantizeLinear", "DynamicQuantizeLinear", "DequantizeLinear", "MatMulInteger",
              "ConvInteger", "QLinearMatMul", "QLinearConv", "ArgMax", "ArgMin", "Shape", "Size", "NonZero", "IsNaN", "IsInf",
              "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "And", "Or", "Xor", "Not",
              "NonMaxSuppression"):  # fmt: skip
        return [None] * 4
    first = next(each for each in taken if each is not None)
    return [first.dtype] + [first.dtype if op == "Split" else None] * 8


def branch(scope, taken, attributes, opset):
    return Scope(attributes["then_branch" if taken[0].item() else "else_branch"], {}, scope).run(opset)


def empty(output):
    """What a loop that never ran joined: no rows."""
    dims = [dim.dim_value for dim in output.type.tensor_type.shape.dim]
    return np.zeros([0, *dims], mapping.TENSOR_TYPE_TO_NP_TYPE[output.type.tensor_type.elem_type])


def loop(scope, taken, attributes, opset):
    body = attributes["body"]
    limit = math.inf if taken[0] is None else taken[0].item()
    goes_on = True if len(taken) < 2 or taken[1] is None else bool(taken[1].item())
    carried, count = taken[2:], 0
    joined = [[] for _ in body.output[1 + len(carried) :]]
    while count < limit and goes_on:
        given = [np.asarray(count, np.int64), np.asarray(goes_on), *carried]
        names = [each.name for each in body.input]
        goes_on, *results = Scope(body, dict(zip(names, given)), scope).run(opset)
        goes_on = bool(goes_on.item())
        carried = results[: len(carried)]
        for rows, row in zip(joined, results[len(carried) :]):
            rows.append(row)
        count += 1
    rows = [np.stack(each) if each else empty(output) for each, output in zip(joined, body.output[1 + len(carried) :])]
    return [*carried, *rows]


def scan(scope, taken, attributes, opset):
    body, count = attributes["body"], attributes["num_scan_inputs"]
    carried, sources = taken[: len(taken) - count], taken[len(taken) - count :]
    option = lambda name, size: attributes.get(name, [0] * size)  # noqa: E731
    axes, directions = option("scan_input_axes", count), option("scan_input_directions", count)
    length = sources[0].shape[axes[0]]
    results_count = len(body.output) - len(carried)
    joined = [[] for _ in range(results_count)]
    for i in range(length):
        slices = [np.take(source, length - 1 - i if turned else i, axis)
                  for source, axis, turned in zip(sources, axes, directions)]  # fmt: skip
        results = Scope(body, dict(zip([each.name for each in body.input], [*carried, *slices])), scope).run(opset)
        carried = results[: len(carried)]
        for rows, row in zip(joined, results[len(carried) :]):
            rows.append(row)
    out_axes, out_directions = option("scan_output_axes", results_count), option("scan_output_directions", results_count)
    stack = lambda rows, axis, turned: np.stack(rows[::-1] if turned else rows, axis)  # noqa: E731
    return [*carried, *(stack(*each) for each in zip(joined, out_axes, out_directions))]


CONTROL = {"If": branch, "Loop": loop, "Scan": scan}


def interpret(model, inputs):
    """The outputs of a model for inputs by name."""
    opset = next(each.version for each in model.opset_import if not each.domain)
    return Scope(model.graph, dict(inputs)).run(opset)
