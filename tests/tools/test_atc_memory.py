# SPDX-License-Identifier: Apache-2.0
"""How much memory atc takes for a model with many weights. Usage: test_atc_memory.py ATC [TEST...]"""
import os
import subprocess
import sys
import tempfile
import unittest

LAYERS, WIDTH, FILTERS = 24, 1024, 352  # about 100 MB each
MOST = 1.3  # times the weights


def make(directory):
    """Writes the models. In a process of its own: what it takes would be counted as its children's."""
    import numpy as np

    for alias, kind in (("float", float), ("int", int), ("bool", bool), ("object", object)):  # onnx 1.12 uses them
        setattr(np, alias, kind)
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    random = np.random.default_rng(1)

    def save(name, nodes, weights, shape, **options):
        ends = [helper.make_tensor_value_info(end, TensorProto.FLOAT, shape) for end in ("t0", f"t{len(nodes)}")]
        graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], [numpy_helper.from_array(*w) for w in weights])
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        onnx.save(made, f"{directory}/{name}.onnx", **options)

    def matrices(layers):
        nodes = [helper.make_node("MatMul", [f"t{i}", f"w{i}"], [f"t{i + 1}"], f"m{i}") for i in range(layers)]
        weights = [(random.standard_normal((WIDTH, WIDTH), dtype=np.float32), f"w{i}") for i in range(layers)]
        return nodes, weights, [2, WIDTH]

    def convolutions(layers):
        nodes, weights = [], []
        for i in range(layers):
            nodes.append(helper.make_node("Conv", [f"t{2 * i}", f"w{i}"], [f"t{2 * i + 1}"], f"c{i}"))
            nodes.append(helper.make_node("BatchNormalization", [f"t{2 * i + 1}"] + [f"{p}{i}" for p in "gbmv"],
                                          [f"t{2 * i + 2}"], f"n{i}"))  # fmt: skip
            weights.append((random.standard_normal((FILTERS, FILTERS, 3, 3), dtype=np.float32), f"w{i}"))
            weights += [(np.full(FILTERS, 1.5, np.float32), f"{p}{i}") for p in "gbmv"]
        return nodes, weights, [1, FILTERS, "h", "w"]

    save("tiny", *matrices(1))
    save("whole", *matrices(LAYERS))
    save("beside", *matrices(LAYERS), save_as_external_data=True, location="beside.data")
    save("folded", *convolutions(LAYERS))


class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run([sys.executable, __file__, "--make", cls.folder.name], check=True)

    def peak(self, name, *options):
        """Bytes that atc had at once."""
        process = subprocess.Popen([ATC, "--framework=5", "--soc_version=Ascend910B3", f"--model={name}.onnx",
                                    f"--output={name}", *options], cwd=self.folder.name, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss * 1024

    def check(self, name, weights, *options):
        tiny = self.peak("tiny")
        ratio = (self.peak(name, *options) - tiny) / weights
        print(f"{name} {' '.join(options)}: {ratio:.2f} of the weights", file=sys.stderr)
        self.assertLessEqual(ratio, MOST)

    def test_weights_in_the_file(self):
        self.check("whole", LAYERS * WIDTH * WIDTH * 4)

    def test_weights_beside_the_file(self):
        self.check("beside", LAYERS * WIDTH * WIDTH * 4)

    def test_weights_that_are_changed(self):
        self.check("folded", LAYERS * FILTERS * FILTERS * 9 * 4, "--input_shape=t0:1,352,60,60")

    def test_weights_that_stay_beside_the_file(self):
        self.check("whole", LAYERS * WIDTH * WIDTH * 4, "--external_weight=1")
        self.check("beside", LAYERS * WIDTH * WIDTH * 4, "--external_weight=2")


if __name__ == "__main__":
    if sys.argv[1] == "--make":
        make(sys.argv[2])
    else:
        ATC = sys.argv.pop(1)
        unittest.main()
