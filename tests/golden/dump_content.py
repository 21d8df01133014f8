# SPDX-License-Identifier: Apache-2.0
"""What is in the files, against numpy: headers, bytes, and that dumping changes no result."""
import struct

import numpy as np
import read_dump
from dump_support import F, BOTH, DumpTest, TensorProto, helper, main, model, softmax, tiny_conv


class Content(DumpTest):
    def test_mode_all_has_the_documented_form(self):
        self.run_tiny(self.config(dump_list=[{"model_name": "tiny"}], dump_mode="all"))
        self.assertEqual(self.names(), BOTH)
        entries = self.entries()
        conv, data, prob = (read_dump.read(entry.path) for entry in entries)
        self.assertEqual([entry.task for entry in entries], [0, 0, 1])
        self.assertEqual([d.op_name for d in (conv, data, prob)], ["conv1conv1_relu", "x", "prob"])
        for entry, dump in zip(entries, (conv, data, prob)):
            self.assertEqual((dump.version, dump.dump_time), ("2.0", entry.timestamp))
            self.assertEqual((dump.attributes, dump.buffers, dump.spaces, dump.dfx_message), ([], [], [], ""))
        output = conv.outputs[0]
        self.assertEqual((output.data_type, output.format, output.shape, output.size), (1, 0, [1, 1, 2, 2], 16))
        self.assertEqual(output.original_op, {"name": "conv1_relu", "output_index": 0, "data_type": 0, "format": 0})
        self.assertEqual((output.original_shape, output.sub_format, output.offset), ([1, 1, 2, 2], 0, 0))
        self.assertNotEqual(output.address, 0)
        np.testing.assert_array_equal(output.array(), tiny_conv())
        self.assertEqual([t.shape for t in conv.inputs], [[1, 1, 2, 2], [1, 1, 1, 1]])
        self.assertEqual([(t.data_type, t.format, t.size) for t in conv.inputs], [(1, 0, 16), (1, 0, 4)])
        np.testing.assert_array_equal(conv.inputs[0].array().ravel(), [1, 2, 3, 4])
        np.testing.assert_array_equal(conv.inputs[1].array().ravel(), [2])
        self.assertEqual((data.inputs, data.outputs[0].original_op, data.outputs[0].original_shape), ([], None, []))
        np.testing.assert_array_equal(data.outputs[0].array().ravel(), [1, 2, 3, 4])
        np.testing.assert_array_equal(prob.inputs[0].array(), tiny_conv())
        self.assertEqual(prob.outputs[0].original_op["name"], "prob")
        np.testing.assert_allclose(prob.outputs[0].array(), softmax(tiny_conv()), rtol=1e-6)

    def test_every_type_comes_back_bit_for_bit(self):
        rng = np.random.default_rng(3)
        kinds = [np.float32, np.float16, np.int8, np.uint8, np.int16, np.int32, np.int64, np.float64, np.bool_]
        for kind in kinds:
            with self.subTest(kind.__name__):
                place = f"d-{kind.__name__}"
                (self.work / place).mkdir()
                values = [(rng.standard_normal(shape) * 50).astype(kind) for shape in ((2, 3, 1, 5, 2), (7,))]
                proto = onnx_type(kind)
                ins = [(f"in{i}", proto, list(v.shape)) for i, v in enumerate(values)]
                nodes = [helper.make_node("Concat", [f"in{i}"] * 2, [f"c{i}"], f"concat{i}", axis=0) for i in range(2)]
                outs = [(f"c{i}", proto, [2 * v.shape[0], *v.shape[1:]]) for i, v in enumerate(values)]
                self.write("types.onnx", model(nodes, ins, outs))
                self.write("types.bin", b"".join(v.tobytes() for v in values))
                config = self.config(path=place, dump_list=[{}], dump_mode="all")
                self.drive(f"init={config}", "input=types.bin", "load=types.onnx", "run", "finalize")
                dumps = {e.op_name: read_dump.read(e.path) for e in self.entries(place) if e.op_type != "Data"}
                self.assertEqual(sorted(dumps), ["concat0", "concat1"])
                for i, value in enumerate(values):
                    dump = dumps[f"concat{i}"]
                    for tensor in dump.inputs:
                        self.assertEqual(tensor.data, value.tobytes())
                    self.assertEqual(dump.outputs[0].data, np.concatenate([value, value]).tobytes())
                    self.assertEqual(dump.outputs[0].array().dtype, kind)

    def test_results_are_the_same_bits_with_and_without_dump(self):
        rng = np.random.default_rng(5)
        weights = {"w0": rng.standard_normal((8, 3, 3, 3)).astype(np.float32),
                   "w1": rng.standard_normal((4, 8, 3, 3)).astype(np.float32)}  # fmt: skip
        nodes = [helper.make_node("Conv", ["x", "w0"], ["a"], "ca", pads=[1] * 4), helper.make_node("Relu", ["a"], ["b"], "ra"),
                 helper.make_node("Conv", ["b", "w1"], ["c"], "cb", pads=[1] * 4), helper.make_node("Sigmoid", ["c"], ["d"], "s"),
                 helper.make_node("Add", ["d", "c"], ["e"], "add"), helper.make_node("Softmax", ["e"], ["y"], "sm", axis=1)]  # fmt: skip
        self.write("net.onnx", model(nodes, [("x", F, [1, 3, 16, 16])], [("y", F, [1, 4, 16, 16])], weights))
        self.write("net.bin", rng.standard_normal((1, 3, 16, 16)).astype(np.float32).tobytes())
        tail = ["input=net.bin", "load=net.onnx", "run=2"]
        self.drive("init", *tail, "out=off.bin", "finalize")
        for name, keys in (("tensor", {"dump_mode": "all"}), ("stats", {"dump_mode": "all", "dump_data": "stats"}),
                           ("one", {"dump_list": [{"layer": ["cb"]}]})):  # fmt: skip
            (self.work / name).mkdir()
            config = self.config(path=name, **{"dump_list": [{}], **keys})
            self.drive(f"init={config}", *tail, f"out={name}.bin", "finalize")
        self.drive("init", "initdump", "reg", *tail, "out=callback.bin", "unreg", "finalizedump", "finalize")
        want = (self.work / "off.bin").read_bytes()
        for name in ("tensor", "stats", "one", "callback"):
            self.assertEqual((self.work / f"{name}.bin").read_bytes(), want, name)
        final = [e for e in self.entries("tensor") if e.op_name.endswith("sm")][-1]
        self.assertEqual(read_dump.read(final.path).outputs[0].data, want)

    def test_a_tensor_read_by_many_is_the_same_in_all_their_files(self):
        nodes = [helper.make_node("Exp", ["x"], ["e"], "exp")]
        nodes += [helper.make_node("Mul", ["e", "e"], [f"m{i}"], f"mul{i}") for i in range(4)]
        nodes += [helper.make_node("Sum", [f"m{i}" for i in range(4)], ["y"], "sum")]
        x = np.linspace(-1, 1, 1000, dtype=np.float32)
        self.write("many.onnx", model(nodes, [("x", F, [1000])], [("y", F, [1000])]))
        self.write("many.bin", x.tobytes())
        config = self.config(dump_list=[{}], dump_mode="all")
        self.drive(f"init={config}", "input=many.bin", "load=many.onnx", "run=3", "finalize")
        for step in range(3):
            dumps = {e.op_name: read_dump.read(e.path) for e in self.entries() if e.step == step and e.op_type != "Data"}
            exp = dumps["exp"].outputs[0].array()
            np.testing.assert_allclose(exp, np.exp(x), rtol=1e-6)
            for i in range(4):
                for tensor in dumps[f"mul{i}"].inputs:
                    self.assertEqual(tensor.data, exp.tobytes())
                np.testing.assert_array_equal(dumps[f"mul{i}"].outputs[0].array(), exp * exp)

    def test_memory_that_was_asked_for_before_the_dump_is_enough(self):
        nodes = [helper.make_node("Relu", ["x" if i == 0 else f"v{i - 1}"], [f"v{i}"], f"relu{i}") for i in range(6)]
        self.write("relus.onnx", model(nodes, [("x", F, [1000])], [("v5", F, [1000])]))
        config = self.config(dump_list=[{}])
        self.drive(f"init={config}", "loadmem=relus.onnx", "run", "finalize")
        self.assertEqual(len(self.entries()), 7)

    def test_large_tensors_pass_a_small_memory(self):
        count = 1 << 20
        x = np.arange(count, dtype=np.float32)
        nodes = [helper.make_node("Neg", ["x"], ["n"], "neg"), helper.make_node("Abs", ["n"], ["y"], "abs")]
        self.write("large.onnx", model(nodes, [("x", F, [count])], [("y", F, [count])]))
        self.write("large.bin", x.tobytes())
        config = self.config(dump_list=[{}], dump_mode="all")
        for memory in ("64K", "6M", "20M"):
            self.drive(f"init={config}", "input=large.bin", "load=large.onnx", "run=4", "finalize",
                       environment={"BELAY_DUMP_MEMORY": memory})  # fmt: skip
        entries = self.entries()
        self.assertEqual(len(entries), 3 * 4 * 3)
        for entry in entries:
            dump = read_dump.read(entry.path)
            if entry.op_name == "neg":
                self.assertEqual((dump.inputs[0].data, dump.outputs[0].data), (x.tobytes(), (-x).tobytes()))
            elif entry.op_name == "abs":
                self.assertEqual((dump.inputs[0].data, dump.outputs[0].data), ((-x).tobytes(), x.tobytes()))

    def test_a_file_larger_than_a_chunk_comes_in_slices_of_128_mib(self):
        count = 48 << 20  # 192 MiB
        nodes = [helper.make_node("Neg", ["x"], ["y"], "neg")]
        self.write("huge.onnx", model(nodes, [("x", F, [count])], [("y", F, [count])]))
        (self.work / "chunks").mkdir()
        output = self.drive("init", "initdump", "reg", "chunks=chunks", "load=huge.onnx", "run", "unreg", "finalizedump",
                            "finalize", environment={"BELAY_DUMP_MEMORY": "64M"})  # fmt: skip
        chunks = [c for c in self.chunks(output) if "/Neg." in c[0]]
        self.assertEqual([c[1] for c in chunks[:1]] + [c[2] for c in chunks], [134217728, 0, 1])
        file = next((self.work / "chunks").glob("Neg.*"))
        (header,) = struct.unpack("<Q", file.open("rb").read(8))
        self.assertEqual(file.stat().st_size, 8 + header + 4 * count)
        self.assertEqual(sum(c[1] for c in chunks), file.stat().st_size)


def onnx_type(kind):
    return {np.float32: TensorProto.FLOAT, np.float16: TensorProto.FLOAT16, np.int8: TensorProto.INT8,
            np.uint8: TensorProto.UINT8, np.int16: TensorProto.INT16, np.int32: TensorProto.INT32,
            np.int64: TensorProto.INT64, np.float64: TensorProto.DOUBLE, np.bool_: TensorProto.BOOL}[kind]  # fmt: skip


if __name__ == "__main__":
    main()
