# SPDX-License-Identifier: Apache-2.0
"""A random graph under construction, and what it becomes: a case."""
import random

import numpy as np

# The onnx package still uses these names, which numpy dropped.
for alias, kind in {"float": float, "int": int, "bool": bool, "object": object}.items():
    setattr(np, alias, kind)

from onnx import helper, mapping, numpy_helper  # noqa: E402

OPSETS = range(14, 22)
INT64_MAX = 2**63 - 1
THREADS = [1, 2, 12]


def onnx_type(kind):
    return mapping.NP_TYPE_TO_TENSOR_TYPE[np.dtype(kind)]


class Graph:
    """`types` has the type and shape of every tensor made so far, `shapes` the shapes of those that blocks may pick: floats.
    A dimension that only a run knows is a text: equal texts are equal numbers. The graph of a body has an outer graph, whose
    tensors it may use by name."""

    def __init__(self, seed=None, outer=None):
        self.outer = outer
        if outer:
            self.random, self.numbers, self.opset = outer.random, outer.numbers, outer.opset
        else:
            self.random, self.numbers = random.Random(seed), np.random.default_rng(seed)
            self.opset, self.names = self.random.choice(OPSETS), 0
        self.nodes, self.weights, self.inputs, self.shapes, self.types = [], [], [], {}, {}
        self.hidden = set()  # no outputs of the model

    def name(self):
        if self.outer:
            return self.outer.name()
        self.names += 1
        return f"t{self.names}"

    def input(self, name, kind, shape):
        self.inputs.append(helper.make_tensor_value_info(name, onnx_type(kind), shape))
        self.types[name] = (np.dtype(kind), tuple(shape))
        if kind == np.float32:
            self.shapes[name] = tuple(shape)
        return name

    def constant(self, values, kind=np.float32):
        """An initializer; in a body sometimes the node Constant, or an initializer of a graph around it."""
        values, place = np.asarray(values, kind), self.random.random()
        if self.outer and place < 0.3:
            return self.outer.constant(values, kind)
        name = self.name()
        self.types[name] = (values.dtype, values.shape)
        tensor = numpy_helper.from_array(values, name)
        if self.outer and place < 0.5:
            self.nodes.append(helper.make_node("Constant", [], [name], name=f"Constant_{name}", value=tensor))
        else:
            self.weights.append(tensor)
        return name

    def integers(self, values):
        return self.constant(values, np.int64)

    def normal(self, *shape, scale=1.0):
        return self.constant(self.numbers.standard_normal(shape) * scale)

    def uniform(self, low, high, *shape):
        return self.constant(self.numbers.uniform(low, high, shape))

    def whole(self, low, high, *shape, kind=np.float32):
        """Whole numbers: sums and products of a few are exact in any order."""
        return self.constant(self.numbers.integers(low, high + 1, shape), kind)

    def add(self, op, inputs, shape, kind=np.float32, domain="", **attributes):
        return self.add_all(op, inputs, [(kind, shape)], domain=domain, **attributes)[0]

    def add_all(self, op, inputs, outputs, domain="", **attributes):
        """A node with several outputs, each a type and a shape; None leaves one out."""
        names = ["" if each is None else self.name() for each in outputs]
        node = helper.make_node(op, inputs, names, name=f"{op}_{self.name()}", domain=domain or None, **attributes)
        self.nodes.append(node)
        for name, each in zip(names, outputs):
            if each is None:
                continue
            self.types[name] = (np.dtype(each[0]), tuple(each[1]))
            if each[0] == np.float32:
                self.shapes[name] = tuple(each[1])
        return names

    def reduce(self, op, x, axes, keep, shape, kind=np.float32):
        """The axes are an attribute until opset 17, but for ReduceSum."""
        if op == "ReduceSum" or self.opset >= 18:
            return self.add(op, [x, self.integers(axes)], shape, kind, keepdims=keep)
        return self.add(op, [x], shape, kind, axes=axes, keepdims=keep)

    def pick(self, wanted=lambda shape: True):
        """A tensor, mostly a recent one; None when there is none of such a shape."""
        found = [name for name, shape in self.shapes.items() if wanted(shape)]
        if not found:
            return None
        return self.random.choice(found[-6:] if self.random.random() < 0.8 else found)

    def like(self, shape):
        return self.pick(lambda other: other == shape)

    def type_of(self, name):
        return self.types[name] if name in self.types else self.outer.type_of(name)

    def unused(self):
        made = [name for node in self.nodes for name in node.output if name]
        used = {name for node in self.nodes for name in names_used(node)}
        return [name for name in made if name not in used | self.hidden]

    def onnx_graph(self, outputs, name="g"):
        values = [helper.make_tensor_value_info(each, onnx_type(self.type_of(each)[0]), self.type_of(each)[1])
                  for each in outputs]  # fmt: skip
        return helper.make_graph(self.nodes, name, self.inputs, values, self.weights)

    def model(self, outputs=None):
        if outputs is None:
            outputs = self.unused()
            inner = [name for node in self.nodes for name in node.output if name and name not in outputs and name not in self.hidden]
            if inner and self.random.random() < 0.3:
                outputs.append(self.random.choice(inner))
        return make_model(self.onnx_graph(outputs), self.opset)


def make_model(graph, opset):
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8 if opset < 19 else 9 if opset < 21 else 10)


def names_used(node):
    """What a node takes, and what the graphs inside it take."""
    names = set(node.input)
    for attribute in node.attribute:
        if attribute.HasField("g"):
            names |= {name for inner in attribute.g.node for name in names_used(inner)}
            names |= {output.name for output in attribute.g.output}
    return names


class Case:
    """A model and what it is run on. `inputs`: for each run its arrays by name. `gears`: for each run what it sets, as
    ("batch", [4]). `dynamic`: the program tells the shapes. `exact`: any other bit is a difference. `oracle` and `shown`: the
    models and inputs that the oracle gets instead (half types): one that rounds as Belay says it does, and one that never rounds.
    `types`: of the tensors of the model, to look for the node that differs. `for_numpy`: the interpreter knows its operators.
    `unit`: the distance of two numbers of a half type, relative."""

    def __init__(self, model, inputs, atc=(), gears=None, dynamic=False, exact=False, threads=1, oracle=None, shown=None,
                 types=None, for_numpy=True, unit=None):  # fmt: skip
        self.model, self.inputs, self.atc, self.gears, self.dynamic = model, inputs, list(atc), gears, dynamic
        self.exact, self.threads, self.oracle, self.shown, self.types = exact, threads, oracle, shown, types or {}
        self.for_numpy, self.unit = for_numpy, unit
