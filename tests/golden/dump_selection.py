# SPDX-License-Identifier: Apache-2.0
"""Which operators and tensors a configuration chooses: a table of configurations and the files they must leave."""
import read_dump
from dump_support import BOTH, DumpTest, main

CONV, DATA, PROB = BOTH
OP = {"dump_level": "op"}


def item(**keys):
    return {"dump_list": [keys]}


# what, configuration, files
TABLE = [
    ("every model", item(), BOTH),
    ("the model by the stem of its file", item(model_name="tiny"), BOTH),
    ("another model", item(model_name="resnet"), []),
    ("a layer by its name after fusion", item(layer=["conv1conv1_relu"]), [CONV, DATA]),
    ("a layer by an original name", item(layer=["conv1"]), [CONV, DATA]),
    ("a layer by the other original name", item(layer=["conv1_relu"]), [CONV, DATA]),
    ("a layer that no Data operator feeds", item(layer=["prob"]), [PROB]),
    ("a Data operator alone", item(layer=["x"]), []),
    ("a name that does not exist", item(layer=["conv7"]), []),
    ("inputs only: no Data file", {**item(), "dump_mode": "input"}, [CONV, PROB]),
    ("a range", {**OP, **item(model_name="tiny", opname_range=[{"begin": "conv1conv1_relu", "end": "prob"}])}, BOTH),
    ("a range of one", {**OP, **item(model_name="tiny", opname_range=[{"begin": "prob", "end": "prob"}])}, [PROB]),
    ("a range by a name before fusion", {**OP, **item(model_name="tiny", opname_range=[{"begin": "conv1", "end": "prob"}])},
     []),
    ("a range that ends before it begins",
     {**OP, **item(model_name="tiny", opname_range=[{"begin": "prob", "end": "conv1conv1_relu"}])}, []),
    ("a range and a layer: both",
     {**OP, **item(model_name="tiny", layer=["conv1"], opname_range=[{"begin": "prob", "end": "prob"}])}, BOTH),
    ("the Data operators on the black list", {**OP, **item(optype_blacklist=[{"name": "Data", "pos": ["output0"]}])},
     [CONV, PROB]),
    ("one Data operator on the black list", {**OP, **item(opname_blacklist=[{"name": "x", "pos": ["output0"]}])}, [CONV, PROB]),
    ("an operator with nothing left", {**OP, **item(opname_blacklist=[{"name": "prob", "pos": ["output0"]}])}, [CONV, DATA]),
    ("a black list without positions", {**OP, **item(opname_blacklist=[{"name": "prob", "pos": []}])}, BOTH),
    ("a position that is none", {**OP, **item(opname_blacklist=[{"name": "prob", "pos": ["result0"]}])}, BOTH),
    ("two items: the union", {"dump_list": [{"model_name": "tiny", "layer": ["prob"]}, {"layer": ["conv1"]}]}, BOTH),
    ("an empty list", {"dump_list": []}, []),
    ("an empty list and the switch on: every model", {"dump_list": [], "dump_op_switch": "on"}, BOTH),
    ("no list and the switch on", {"dump_op_switch": "on"}, BOTH),
    ("kernels only", {**item(), "dump_level": "kernel"}, []),
]  # fmt: skip


class Selection(DumpTest):
    def test_table(self):
        for number, (what, section, files) in enumerate(TABLE):
            with self.subTest(what):
                place = f"d{number}"
                (self.work / place).mkdir()
                self.run_tiny(self.config(path=place, **section))
                self.assertEqual(self.names(place), files)

    def test_a_model_is_found_by_its_inner_name_and_stored_by_that_of_its_file(self):
        self.convert("tiny")
        (self.work / "tiny.om").rename(self.work / "renamed.om")
        for number, name in enumerate(("tiny", "renamed")):
            (self.work / f"m{number}").mkdir()
            self.run_tiny(self.config(path=f"m{number}", dump_list=[{"model_name": name}]), model="renamed.om")
            self.assertEqual(self.names(f"m{number}"), BOTH)
            self.assertEqual({entry.model for entry in self.entries(f"m{number}")}, {"renamed"})

    def test_a_black_list_removes_a_tensor_and_later_ones_move_up(self):
        config = self.config(dump_mode="all", dump_level="op",
                             dump_list=[{"optype_blacklist": [{"name": "Conv2D", "pos": ["input0"]}]}])  # fmt: skip
        self.run_tiny(config)
        conv = read_dump.read(self.entries()[0].path)
        self.assertEqual([(t.shape, t.size) for t in conv.inputs], [([1, 1, 1, 1], 4)])
        self.assertEqual(conv.inputs[0].array().item(), 2.0)
        self.assertEqual(len(conv.outputs), 1)

    def test_steps(self):
        self.run_tiny(self.config(dump_list=[{}], dump_step="1|3-4"), runs=6)
        self.assertEqual(sorted({entry.step for entry in self.entries()}), [1, 3, 4])

    def test_names_that_match_nothing_are_said_with_the_closest(self):
        said = self.run_tiny(self.config(dump_list=[{"layer": ["prop", "x"], "model_name": "tiny"}, {"model_name": "tinny"}]))
        self.assertIn('layer "prop" matches nothing in model "tiny"; the closest names are prob', said)
        self.assertIn('layer "x" of model "tiny" does not run as a task of its own', said)
        self.assertIn('dump_list names model "tinny", but no model of that name was loaded', said)


if __name__ == "__main__":
    main()
