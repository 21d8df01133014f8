# SPDX-License-Identifier: Apache-2.0
"""Graphs with Loop, Scan and If, out of the states in recipes.py."""
import numpy as np
from graph import INT64_MAX, THREADS, Case, Graph, onnx_type
from recipes import IMAGE, MATRIX, RECIPES


class Control:
    """A model with the inputs `matrix` and `image`, and what each run gives for its other inputs."""

    def __init__(self, seed):
        self.g = Graph(seed)
        self.g.input("matrix", np.float32, MATRIX)
        self.g.input("image", np.float32, IMAGE)
        self.more, self.exact = {}, True

    def recipe(self):
        found = self.g.random.choice([each for each in RECIPES if each.first <= self.g.opset])
        self.exact &= found.exact
        return found

    def input(self, name, kind, choices):
        """A scalar input; each run takes another of the choices, in random order."""
        self.g.input(name, kind, ())
        choices = list(choices)
        self.g.random.shuffle(choices)
        self.more[name] = [np.asarray(choice, kind) for choice in choices]
        return name

    def case(self, runs=3):
        outputs = self.g.unused()
        inputs = []
        for r in range(runs):
            arrays = {"matrix": self.g.numbers.integers(-3, 4, MATRIX), "image": self.g.numbers.integers(-3, 4, IMAGE)}
            arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
            inputs.append(arrays | {name: values[r % len(values)] for name, values in self.more.items()})
        # A converter that is not told the sizes must leave them to the run.
        open_shapes = self.g.random.random() < 0.25
        options = ["--input_shape=matrix:-1,4;image:1,2,-1,-1"] if open_shapes else []
        return Case(self.g.model(outputs), inputs, options, dynamic=open_shapes, exact=self.exact, threads=self.g.random.choice(THREADS),
                    types=self.g.types)


def start_of(g, recipe):
    """The first state: a constant, or the same numbers computed from an input, which no converter can know."""
    value = recipe.start(g.numbers)
    name = g.constant(value, value.dtype)
    if value.dtype == np.float32 and g.random.random() < 0.25:
        nothing = g.add("Mul", [g.add("ReduceMax", ["matrix"], (), keepdims=0), g.constant(0)], ())
        name = g.add("Add", [name, nothing], value.shape)
    return name, value


def choose(g, condition, then, otherwise, kind, shapes):
    """If: each branch is a function of its graph that gives a tensor's name."""
    branches = []
    for branch in (then, otherwise):
        inner = Graph(outer=g)
        made = branch(inner)
        if made not in {name for node in inner.nodes for name in node.output}:
            made = inner.add("Identity", [made], *inner.type_of(made)[::-1])
        branches.append(inner.onnx_graph([made], g.name()))
    shape = shapes[0] if shapes[0] == shapes[1] else tuple("?" * len(shapes[0]))
    return g.add("If", [condition], shape, kind, then_branch=branches[0], else_branch=branches[1])


def used(control, g, recipe, state, depth):
    """What the state gives; sometimes computed in a graph of its own, which captures the state."""
    way = g.random.random() if depth else 1
    if way < 0.2:  # a branch that depends on data
        condition = g.add("Greater", [g.add("ReduceSum", ["matrix"], (), keepdims=0), g.constant(0)], (), bool)
        value = recipe.start(g.numbers)
        return choose(g, condition, lambda b: recipe.use(b, "matrix", "image", state),
                      lambda b: recipe.use(b, "matrix", "image", b.constant(value, value.dtype)), recipe.kind,
                      (recipe.gives, recipe.gives))  # fmt: skip
    if way < 0.4:  # a constant condition
        return choose(g, g.constant(g.random.random() < 0.5, bool), lambda b: recipe.use(b, "matrix", "image", state),
                      lambda b: recipe.use(b, "matrix", "image", state), recipe.kind, (recipe.gives, recipe.gives))  # fmt: skip
    if way < 0.7:  # a loop inside: its results are joined, and have no use but to be added up
        joined = loop_of(control, g, [recipe], [state], g.integers(g.random.choice([1, 2])), depth - 1)[-1]
        kind = g.type_of(joined)[0]
        return g.add("ReduceSum", [joined, g.integers([0])], recipe.gives, kind, keepdims=0)
    return recipe.use(g, "matrix", "image", state)


def loop_of(control, g, recipes, states, trips, depth, condition="", limit=None):
    """Loop: the states and a total are carried; what the states give is added to the total or joined. The names of its outputs."""
    body = Graph(outer=g)
    iteration = body.input(g.name(), np.int64, ())
    goes_on = body.input(g.name(), bool, ())
    carried = [body.input(g.name(), *g.type_of(state)) for state in states]
    count = body.input(g.name(), np.float32, ())
    seen = [used(control, body, each, state, depth) for each, state in zip(recipes, carried)]
    following = [each.step(body, state) for each, state in zip(recipes, carried)]
    ways = {"plain": 2, "iteration": 1}
    way = g.random.choice([way for way, weight in ways.items() for _ in range(weight)])
    rise = body.constant(1) if way == "plain" else body.add("Cast", [iteration], (), to=1)
    count_next = body.add("Add", [count, rise], ())
    if limit is None:
        again = body.add("Identity", [goes_on], (), bool)
    else:
        again = body.add("Less", [count_next, body.constant(limit)], (), bool)
    seen = [name if any(name in node.output for node in body.nodes) else body.add("Identity", [name], *g.type_of(name)[::-1])
            for name in seen]  # fmt: skip
    graph = body.onnx_graph([again, *following, count_next, *seen], g.name())
    types = [*map(g.type_of, states), (np.float32, ()), *((each.kind, ("?", *each.gives)) for each in recipes)]
    return g.add_all("Loop", [trips, condition, *states, g.constant(0)], types, body=graph)


def loop(seed, depth=0):
    control = Control(seed)
    g = control.g
    recipes = [control.recipe() for _ in range(g.random.choice([1, 1, 2, 3]))]
    states = [start_of(g, each)[0] for each in recipes]
    way = g.random.random()
    trips = g.integers(g.random.choice([0, 1, 3, 4])) if way < 0.5 else control.input("trips", np.int64, [0, 3, 2])
    limit = g.random.choice([None, None, 2, 3])
    if limit and g.random.random() < 0.3:
        trips = ""
    kind = g.random.choice(["none", "true", "input"]) if trips else "true"
    condition = {"none": lambda: "", "true": lambda: g.constant(True, bool),
                 "input": lambda: control.input("goes_on", bool, [True, False, True])}[kind]()  # fmt: skip
    if limit is None and trips == "":
        trips = g.integers(3)
    outputs = loop_of(control, g, recipes, states, trips, depth, condition, limit)
    for output in outputs[: len(recipes)]:
        if g.type_of(output)[0] == np.float32:
            g.add("Neg", [output], g.type_of(output)[1])
    return control.case()


def nested(seed):
    return loop(seed, depth=2)


def grown(g, state):
    """A state whose shape changes: a row more for each slice."""
    return g.add("Concat", [state, "matrix"], ("?", 4), axis=0)


def growing(seed):
    """A loop that carries a tensor which grows, cut or doubled in each iteration; how often is known to the run alone."""
    control = Control(seed)
    g = control.g
    trips = control.input("trips", np.int64, [0, 2, 3]) if g.random.random() < 0.6 else g.integers(g.random.choice([0, 2, 3]))
    body = Graph(outer=g)
    body.input(g.name(), np.int64, ())
    goes_on = body.input(g.name(), bool, ())
    state = body.input(g.name(), np.float32, ("?", 4))
    way = g.random.choice(["join", "double", "drop"])
    if way == "join":
        following = grown(body, state)
    elif way == "double":
        following = body.add("Concat", [state, body.add("Mul", [state, body.constant(2)], ("?", 4))], ("?", 4), axis=0)
    else:
        following = body.add("Slice", [state, body.integers([1]), body.integers([INT64_MAX]), body.integers([0])], ("?", 4))
    product = body.add("MatMul", [following, body.whole(-1, 1, 4, 2)], ("?", 2))
    sums = body.add("ReduceSum", [product, body.integers([0])], (2,), keepdims=0)
    again = body.add("Identity", [goes_on], (), bool)
    first = g.whole(-2, 2, 5, 4)
    outputs = g.add_all("Loop", [trips, "", first], [(np.float32, ("?", 4)), (np.float32, ("?", 2))],
                        body=body.onnx_graph([again, following, sums], g.name()))  # fmt: skip
    g.add("Relu", [outputs[0]], ("?", 4))
    return control.case()


def scan(seed):
    control = Control(seed)
    g = control.g
    recipes = [control.recipe() for _ in range(g.random.choice([1, 1, 2]))]
    states = [start_of(g, each)[0] for each in recipes]
    inputs = [g.random.choice(["matrix", "image"]) for _ in range(g.random.choice([1, 1, 2]))]
    lengths = {}
    axes = []
    for name in inputs:  # all have as many slices as the first
        shape = g.type_of(name)[1]
        fits = [axis for axis, dim in enumerate(shape) if not axes or dim == lengths["all"]]
        if not fits:
            continue
        axis = g.random.choice(fits)
        lengths["all"] = shape[axis]
        axes.append((name, axis))
    body = Graph(outer=g)
    carried = [body.input(g.name(), *g.type_of(state)) for state in states]
    slices = [body.input(g.name(), np.float32, g.type_of(name)[1][:axis] + g.type_of(name)[1][axis + 1 :]) for name, axis in axes]
    following = [each.step(body, state) for each, state in zip(recipes, carried)]
    seen = [used(control, body, each, state, g.random.choice([0, 1])) for each, state in zip(recipes, carried)]
    seen = [name if any(name in node.output for node in body.nodes) else body.add("Identity", [name], *g.type_of(name)[::-1])
            for name in seen]  # fmt: skip
    gives = [each.gives for each in recipes]
    kinds = [each.kind for each in recipes]
    for part in slices:
        seen.append(body.add("Mul", [part, body.constant(2)], body.type_of(part)[1]))
        gives.append(body.type_of(part)[1])
        kinds.append(np.float32)
    out_axes = [g.random.randrange(0, len(shape) + 1) for shape in gives]
    types = [*map(g.type_of, states)]
    for kind, shape, axis in zip(kinds, gives, out_axes):
        types.append((kind, (*shape[:axis], lengths["all"], *shape[axis:])))
    signs = [axis - len(g.type_of(name)[1]) * g.random.choice([0, 1]) for name, axis in axes]
    g.add_all("Scan", [*states, *(name for name, _ in axes)], types, body=body.onnx_graph([*following, *seen], g.name()),
              num_scan_inputs=len(axes), scan_input_axes=signs,
              scan_input_directions=[g.random.choice([0, 1]) for _ in axes], scan_output_axes=out_axes,
              scan_output_directions=[g.random.choice([0, 1]) for _ in gives])  # fmt: skip
    return control.case()


def branches(seed):
    """If, on constant, given and computed conditions; its branches have one shape or two."""
    control = Control(seed)
    g = control.g
    for number in range(g.random.choice([1, 2])):
        way = g.random.choice(["constant", "input", "data", "shape"])
        if way == "constant":
            condition = g.constant(g.random.random() < 0.5, bool)
        elif way == "input":
            condition = control.input(f"flag{number}", bool, [True, False, True])
        elif way == "data":
            condition = g.add("Less", [g.add("ReduceSum", ["image"], (), keepdims=0), g.constant(0)], (), bool)
        else:
            rows = g.add("Gather", [g.add("Shape", ["matrix"], (2,), np.int64), g.integers(0)], (), np.int64)
            condition = g.add("Equal", [rows, g.integers(g.random.choice([3, 4]))], (), bool)
        first = control.recipe()
        alike = [each for each in RECIPES if each.kind == first.kind and each.first <= g.opset and len(each.gives) == len(first.gives)]
        second = g.random.choice(alike)
        control.exact &= second.exact
        starts = [start_of(g, each)[0] for each in (first, second)]

        def branch(each, state):
            return lambda b: used(control, b, each, each.step(b, state), g.random.choice([0, 1]))

        chosen = choose(g, condition, branch(first, starts[0]), branch(second, starts[1]), first.kind,
                        (first.gives, second.gives))  # fmt: skip
        if first.kind == np.float32:
            shape = g.type_of(chosen)[1]
            if g.random.random() < 0.5:
                g.add("Relu", [chosen], shape)
            else:
                g.add("ReduceSum", [chosen], (), keepdims=0)
        else:
            g.add("Cast", [chosen], g.type_of(chosen)[1], to=onnx_type(np.float32))
    return control.case()


KINDS = {"loop": loop, "nested": nested, "growing": growing, "scan": scan, "if": branches}
