#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the node cases of the onnx package, and its small models, as files: DIR/<case>/model.onnx, input_<i>, output_<i> (a line with the
type's AscendCL number and the dimensions, then the elements) and DIR/cases.tsv with one line for each: name, operator,
rtol, atol, and why it cannot be compared (empty: it can)."""
import os
import sys

import numpy as np

# The package still uses these names, which numpy dropped.
for alias, kind in {"float": float, "int": int, "bool": bool, "object": object}.items():
    setattr(np, alias, kind)

from onnx import TensorProto, numpy_helper  # noqa: E402
from onnx.backend.test.case.model import collect_testcases as collect_models  # noqa: E402
from onnx.backend.test.case.node import collect_testcases  # noqa: E402

RANDOM = {"Bernoulli", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial"}


def value_kinds(model):
    for value in list(model.graph.input) + list(model.graph.output):
        kind = value.type.WhichOneof("value")
        yield kind.replace("_type", "") if kind else "unknown"
        if kind == "tensor_type" and value.type.tensor_type.elem_type == TensorProto.STRING:
            yield "string"


def reason_to_skip(case):
    model = case.model
    domains = {opset.domain for opset in model.opset_import}
    types = {node.op_type for node in model.graph.node}
    if "ai.onnx.preview.training" in domains:
        return "training operator"
    for kind in value_kinds(model):
        if kind != "tensor":
            return "inputs or outputs are strings" if kind == "string" else f"inputs or outputs are {kind}s, which an .om cannot have"
    if types & RANDOM:
        return "random results"
    if "training" in case.name or (types == {"Dropout"} and "train" in case.name):
        return "training mode"
    return ""


def collected():
    """Node cases and models, by name. Models that are kept on the web have none here."""
    cases = {case.name: case for case in collect_models() if case.model is not None}
    cases.update({case.name: case for case in collect_testcases(None)})
    return [cases[name] for name in sorted(cases)]


ACL_TYPES = {"float32": 0, "float16": 1, "int8": 2, "int32": 3, "uint8": 4, "int16": 6, "uint16": 7, "uint32": 8,
             "int64": 9, "uint64": 10, "float64": 11, "bool": 12, "complex64": 16, "complex128": 17}
ACL_BF16 = 27


def write_tensor(path, value, declared):
    array = np.asarray(numpy_helper.to_array(value) if isinstance(value, TensorProto) else value)
    # numpy has no bfloat16; the cases hold the bits as uint16
    kind = ACL_BF16 if declared == TensorProto.BFLOAT16 else ACL_TYPES[array.dtype.name]
    with open(path, "wb") as file:
        file.write(" ".join(map(str, (kind, *array.shape))).encode() + b"\n")
        file.write(array.tobytes())


def main():
    directory = sys.argv[1]
    lines = []
    for case in collected():
        folder = os.path.join(directory, case.name)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "model.onnx"), "wb") as file:
            file.write(case.model.SerializeToString())
        reason = reason_to_skip(case)
        if not reason:
            inputs, outputs = case.data_sets[0]
            graph = case.model.graph
            for kind, infos, values in (("input", graph.input, inputs), ("output", graph.output, outputs)):
                for i, (info, value) in enumerate(zip(infos, values)):
                    write_tensor(os.path.join(folder, f"{kind}_{i}"), value, info.type.tensor_type.elem_type)
        nodes = case.model.graph.node
        operator = nodes[0].op_type if len(nodes) == 1 else "expanded"
        lines.append("\t".join([case.name, operator, str(case.rtol), str(case.atol), reason]))
    with open(os.path.join(directory, "cases.tsv"), "w") as file:
        file.write("\n".join(lines) + "\n")
    print(f"{len(lines)} cases in {directory}")


if __name__ == "__main__":
    main()
