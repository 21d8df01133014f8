# SPDX-License-Identifier: Apache-2.0
"""Much at once: several streams, many files, many executions."""
import numpy as np
import read_dump
from dump_support import DumpTest, F, helper, main, model, softmax, tiny_conv


class Load(DumpTest):
    def test_eight_streams_at_once(self):
        config = self.config(dump_list=[{}], dump_mode="all")
        self.drive(f"init={config}", "input=x.bin", "parallel=8,25,tiny.onnx", "finalize",
                   environment={"BELAY_DUMP_MEMORY": "16K"})  # fmt: skip
        entries = self.entries()
        self.assertEqual(len(entries), 8 * 25 * 3)
        self.assertEqual(len({entry.stream for entry in entries}), 8)
        self.assertEqual({(e.model_id, e.step) for e in entries}, {(m, s) for m in range(1, 9) for s in range(25)})
        for entry in entries:
            dump = read_dump.read(entry.path)
            if entry.op_type == "Conv2D":
                np.testing.assert_array_equal(dump.outputs[0].array(), tiny_conv())
            elif entry.op_type == "SoftmaxV2":
                np.testing.assert_allclose(dump.outputs[0].array(), softmax(tiny_conv()), rtol=1e-6)

    def test_eight_streams_into_one_callback(self):
        output = self.drive("init", "initdump", "reg", "input=x.bin", "parallel=8,10,tiny.onnx", "unreg", "finalizedump",
                            "finalize", environment={"BELAY_DUMP_MEMORY": "4K"})  # fmt: skip
        self.assertEqual(len(self.chunks(output)), 8 * 10 * 3)

    def test_ten_thousand_small_files(self):
        count = 50
        nodes = [helper.make_node("Neg", ["x" if i == 0 else f"v{i - 1}"], [f"v{i}"], f"neg{i}") for i in range(count)]
        self.write("chain.onnx", model(nodes, [("x", F, [2])], [(f"v{count - 1}", F, [2])]))
        self.write("chain.bin", np.float32([1, 2]).tobytes())
        config = self.config(dump_list=[{}], dump_level="op")
        self.drive(f"init={config}", "input=chain.bin", "load=chain.onnx", "run=200", "finalize")
        entries = self.entries()
        self.assertEqual(len(entries), 200 * (count + 1))  # and the Data operator
        for entry in entries[:: 97]:  # fmt: skip
            sign = 1 if entry.op_type == "Data" or int(entry.op_name[3:]) % 2 else -1
            np.testing.assert_array_equal(read_dump.read(entry.path).outputs[0].array(), np.float32([sign, 2 * sign]))

    def test_a_thousand_executions_with_steps(self):
        self.run_tiny(self.config(dump_list=[{}], dump_step="0|3-5|999"), runs=1000)
        self.assertEqual(sorted({entry.step for entry in self.entries()}), [0, 3, 4, 5, 999])
        self.assertEqual(len(self.entries()), 15)


if __name__ == "__main__":
    main()
