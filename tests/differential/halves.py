# SPDX-License-Identifier: Apache-2.0
"""Networks in float16 and bfloat16, and networks of floats that atc is told to make float16. Belay computes each operator in
float and rounds its outputs once; the oracle gets that as a network of floats with a rounding behind every node."""
import floats
import layers
import more_layers
import numpy as np
from graph import THREADS, Case, helper, numpy_helper
from onnx import TensorProto

FLOAT, FLOAT16, BFLOAT16 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16
# A choice jumps where two numbers are nearly equal, and doubles have nothing to do with halves.
OF_IMAGES = floats.OF_IMAGES
OF_ANYTHING = [block for block in floats.OF_ANYTHING if block not in (layers.choice, more_layers.double)]


def bfloat16_bits(array):
    """To nearest, ties to even."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def rounded(array, kind):
    if kind == FLOAT16:
        return array.astype(np.float16).astype(np.float32)
    return (bfloat16_bits(array).astype(np.uint32) << 16).view(np.float32).reshape(array.shape)


def stored(array, kind, name):
    if kind == FLOAT16:
        return numpy_helper.from_array(array.astype(np.float16), name)
    return helper.make_tensor(name, BFLOAT16, array.shape, bfloat16_bits(array).tobytes(), raw=True)


def copy_of(model):
    made = type(model)()
    made.CopyFrom(model)
    return made


def stays_float(model):
    """Inputs that are floats whatever the type of the network: scales of Resize."""
    return {name for node in model.graph.node if node.op_type == "Resize" for name in node.input[1:]}


def change_weights(model, change):
    kept = stays_float(model)
    for weight in model.graph.initializer:
        if weight.data_type == FLOAT and weight.name not in kept:
            weight.CopyFrom(change(numpy_helper.to_array(weight), weight.name))


def half_model(model, kind):
    made = copy_of(model)
    change_weights(made, lambda array, name: stored(array, kind, name))
    for value in [*made.graph.input, *made.graph.output]:
        if value.type.tensor_type.elem_type == FLOAT:
            value.type.tensor_type.elem_type = kind
    return made


def plain_model(model, kind):
    """Floats, never rounded but for the weights."""
    made = copy_of(model)
    change_weights(made, lambda array, name: numpy_helper.from_array(rounded(array, kind), name))
    return made


def rounding_model(model, kind, types):
    """Floats, rounded behind each input and node."""
    made = plain_model(model, kind)
    nodes, inputs = [], {}
    for value in made.graph.input:
        inputs[value.name] = value.name + "_rounded"
        nodes += rounding(value.name, inputs[value.name], kind)
    for node in made.graph.node:
        node.input[:] = [inputs.get(name, name) for name in node.input]
        names = list(node.output)
        node.output[:] = [name + "_raw" if is_float(name, types) else name for name in names]
        nodes.append(node)
        for name in filter(lambda name: is_float(name, types), names):
            nodes += rounding(name + "_raw", name, kind)
    done = copy_of(made)
    del done.graph.node[:]
    done.graph.node.extend(nodes)
    return done


def is_float(name, types):
    return bool(name) and types[name][0] == np.float32


def rounding(x, y, kind):
    return [helper.make_node("Cast", [x], [y + "_half"], to=kind), helper.make_node("Cast", [y + "_half"], [y], to=FLOAT)]


def network(seed, kind, forced):
    g = floats.build(seed, OF_ANYTHING, OF_IMAGES, 3, 12)
    model = g.model()
    shown = floats.arrays(g, 2)
    if forced:
        inputs = shown
    else:
        shown = [{name: rounded(array, kind) for name, array in each.items()} for each in shown]
        store = np.float16 if kind == FLOAT16 else None
        inputs = [{name: array.astype(store) if store else bfloat16_bits(array) for name, array in each.items()} for each in shown]
    return Case(model if forced else half_model(model, kind), inputs, ["--precision_mode=force_fp16"] if forced else [],
                threads=g.random.choice(THREADS), oracle=(rounding_model(model, kind, g.types), plain_model(model, kind)),
                shown=shown, for_numpy=False, unit=2.0**-10 if kind == FLOAT16 else 2.0**-7)  # fmt: skip


KINDS = {
    "half": lambda seed: network(seed, FLOAT16, False),
    "forced": lambda seed: network(seed, FLOAT16, True),
    "bfloat": lambda seed: network(seed, BFLOAT16, False),
}
