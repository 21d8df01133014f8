# SPDX-License-Identifier: Apache-2.0
"""Operators that run outside of models: aclnn calls and aclop."""
import numpy as np
import read_dump
from dump_support import BOTH, DumpTest, main

SELF = np.arange(8, dtype=np.float32).reshape(4, 2)
OTHER = np.float32([1, 1, 1, 2, 2, 2, 3, 3]).reshape(4, 2)
L0, L2 = ("aclnnAdd_0_L0", "AddAiCore"), ("aclnnAdd_0_L2", "aclnnAdd")


class Operators(DumpTest):
    def run_with(self, call, **keys):
        config = self.config(**{"dump_list": [{}], "dump_op_switch": "on", **keys})
        self.drive(f"init={config}", call, "finalize")
        return [read_dump.read(entry.path) for entry in self.entries()]

    def test_an_aclnn_call_has_the_documented_files(self):
        dumps = self.run_with("aclnnadd")
        self.assertEqual(self.names(), [L0, L2])
        self.assertEqual([dump.op_name for dump in dumps], ["AddAiCore", "aclnnAdd"])
        for entry, dump in zip(self.entries(), dumps):
            self.assertEqual(len(entry.path.relative_to(self.work / "d").parts), 3)
            output = dump.outputs[0]
            self.assertEqual((output.data_type, output.format, output.shape, output.size), (1, 2, [4, 2], 32))
            self.assertEqual((output.original_shape, output.original_op, dump.inputs), ([4, 2], None, []))
            np.testing.assert_array_equal(output.array(), SELF + OTHER)

    def test_mode_all_has_inputs_before_and_outputs_after(self):
        dumps = self.run_with("aclnnadd", dump_mode="all")
        self.assertEqual(self.names(), [L2, L0, L0, L2])
        self.assertEqual([(len(d.inputs), len(d.outputs)) for d in dumps], [(2, 0), (2, 0), (0, 1), (0, 1)])
        for dump in dumps[:2]:
            np.testing.assert_array_equal(dump.inputs[0].array(), SELF)
            np.testing.assert_array_equal(dump.inputs[1].array(), OTHER)

    def test_an_aclop_operator_has_one_file(self):
        (dump,) = self.run_with("aclopadd", dump_mode="all")
        self.assertEqual(self.names(), [("Add", "Add1")])
        np.testing.assert_array_equal(dump.inputs[1].array(), OTHER)
        np.testing.assert_array_equal(dump.outputs[0].array(), SELF + OTHER)

    def test_levels_and_the_switch(self):
        for number, (call, keys, count) in enumerate((
            ("aclnnadd", {"dump_op_switch": "off"}, 0), ("aclopadd", {"dump_op_switch": "off"}, 0),
            ("aclnnadd", {"dump_level": "op"}, 0), ("aclopadd", {"dump_level": "op"}, 1),
            ("aclnnadd", {"dump_level": "kernel"}, 2), ("aclopadd", {"dump_level": "kernel"}, 0),
            ("aclnnadd", {"dump_list": [{"layer": ["other"]}]}, 2), ("aclnnadd", {"dump_step": "7"}, 2))):  # fmt: skip
            with self.subTest(f"{call} {keys}"):
                place = f"d{number}"
                (self.work / place).mkdir()
                config = self.config(path=place, **{"dump_list": [{}], "dump_op_switch": "on", **keys})
                self.drive(f"init={config}", call, "finalize")
                self.assertEqual(len(self.files(place)), count)

    def test_models_and_operators_together(self):
        config = self.config(dump_list=[], dump_op_switch="on")
        self.drive(f"init={config}", "input=x.bin", "load=tiny.onnx", "run", "aclnnadd", "finalize")
        self.assertEqual(self.names(), [*BOTH, L0, L2])


if __name__ == "__main__":
    main()
