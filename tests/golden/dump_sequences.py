# SPDX-License-Identifier: Apache-2.0
"""The documented sequences of calls, each as a program makes them, and the files or chunks they leave."""
import re

import numpy as np
import read_dump
from dump_support import BOTH, DumpTest, main, softmax, tiny, tiny_conv


class Sequences(DumpTest):
    def setUp(self):
        super().setUp()
        self.write("other.onnx", tiny(3.0, "convA", "reluA", "probA"))

    def conv_of(self, path, entry=0):
        return read_dump.read(self.entries(path)[entry].path).outputs[0].array()

    def test_a_two_models_each_with_its_own_configuration(self):
        (self.work / "d2").mkdir()
        one = self.config("one.json", dump_list=[{"model_name": "tiny"}])
        two = self.config("two.json", "d2", dump_list=[{"model_name": "other", "layer": ["probA"]}])
        self.drive("init", "input=x.bin", "initdump", f"setdump={one}", "load=tiny.onnx", "run", "finalizedump", "unload",
                   "initdump", f"setdump={two}", "load=other.onnx", "run", "finalizedump", "unload", "finalize")  # fmt: skip
        self.assertEqual(self.names("d"), BOTH)
        self.assertEqual(self.names("d2"), [("SoftmaxV2", "probA")])
        self.assertEqual({entry.model for entry in self.entries("d2")}, {"other"})
        np.testing.assert_array_equal(self.conv_of("d"), tiny_conv())

    def test_b_one_model_run_twice_and_dumped_only_the_first_time(self):
        config = self.config(dump_list=[{"model_name": "tiny"}])
        self.drive("init", "input=x.bin", "initdump", f"setdump={config}", "load=tiny.onnx", "run", "finalizedump",
                   "unload", "load=tiny.onnx", "run", "finalize")  # fmt: skip
        self.assertEqual(self.names(), BOTH)
        self.assertEqual({(entry.model_id, entry.step) for entry in self.entries()}, {(1, 0)})

    def test_b_a_model_that_stays_loaded_no_longer_dumps_after_finalize(self):
        config = self.config(dump_list=[{}])
        self.drive("init", "input=x.bin", "initdump", f"setdump={config}", "load=tiny.onnx", "run", "finalizedump", "run",
                   "initdump", "run", "finalize")  # fmt: skip
        self.assertEqual(self.names(), BOTH)

    def test_c_a_model_loaded_before_set_is_not_dumped_and_the_log_says_so(self):
        config = self.config(dump_list=[{}])
        said = self.drive("init", "input=x.bin", "initdump", "load=tiny.onnx", f"setdump={config}", "load=other.onnx",
                          "run", "unload", "run", "finalizedump", "finalize")  # fmt: skip
        self.assertEqual({entry.model for entry in self.entries()}, {"other"})
        self.assertIn('"tiny" was loaded before aclmdlSetDump and will not be dumped; reload it', said)

    def test_d_the_second_of_two_configurations_counts(self):
        (self.work / "d2").mkdir()
        one = self.config("one.json", dump_list=[{}])
        two = self.config("two.json", "d2", dump_list=[{"layer": ["prob"]}])
        self.drive("init", "input=x.bin", "initdump", f"setdump={one}", f"setdump={two}", "load=tiny.onnx", "run",
                   "finalizedump", "finalize")  # fmt: skip
        self.assertEqual((self.names("d"), self.names("d2")), ([], [("SoftmaxV2", "prob")]))

    def test_d_a_second_configuration_holds_for_a_model_that_carries_one(self):
        (self.work / "d2").mkdir()
        one = self.config("one.json", dump_list=[{"layer": ["prob"]}])
        two = self.config("two.json", "d2", dump_list=[{"layer": ["conv1"]}])
        self.drive("init", "input=x.bin", "initdump", f"setdump={one}", "load=tiny.onnx", "run", f"setdump={two}", "run",
                   "finalizedump", "finalize")  # fmt: skip
        self.assertEqual(self.names("d"), [("SoftmaxV2", "prob")])
        self.assertEqual(self.names("d2"), BOTH[:2])
        self.assertEqual({entry.step for entry in self.entries("d2")}, {1})

    def test_e_the_configuration_given_to_init(self):
        config = self.config(dump_list=[{"model_name": "tiny"}])
        self.drive(f"init={config}", "input=x.bin", "initdump!100044", "setdump=x!100045", "load=tiny.onnx", "run",
                   "load=other.onnx", "run", "finalize")  # fmt: skip
        self.assertEqual(self.names(), BOTH)
        conv, data, prob = (read_dump.read(entry.path) for entry in self.entries())
        np.testing.assert_array_equal(conv.outputs[0].array(), tiny_conv())
        np.testing.assert_array_equal(data.outputs[0].array().ravel(), [1, 2, 3, 4])
        np.testing.assert_allclose(prob.outputs[0].array(), softmax(tiny_conv()), rtol=1e-6)

    def test_e_what_is_queued_is_written_even_without_finalize(self):
        config = self.config(dump_list=[{"model_name": "tiny"}])
        self.drive(f"init={config}", "input=x.bin", "load=tiny.onnx", "run=20")
        self.assertEqual(len(self.entries()), 60)

    def check_chunks(self, output, prefix):
        found = self.chunks(output)
        self.assertEqual([name.split("/")[-1].split(".")[:2] for name, *_ in found], [list(pair) for pair in BOTH])
        for name, size, last, offset, flag, length in found:
            self.assertRegex(name, "^" + re.escape(prefix) + r"\d{14}/0/tiny/1/0/\w+\.\w+\.\d+\.\d+\.\d{16}$")
            self.assertEqual((last, offset, flag, length), (1, -1, 0, 4120 + size))
        self.assertEqual(self.files("d"), [])
        self.assertEqual(list(self.work.glob("2*")), [])  # nor in the working directory

    def test_f_the_callback_without_a_configuration(self):
        for order in (("initdump", "reg"), ("reg", "initdump")):
            with self.subTest(order=order):
                output = self.drive("init", "input=x.bin", *order, "load=tiny.onnx", "run", "unreg", "finalizedump",
                                    "unload", "finalize")  # fmt: skip
                self.check_chunks(output, "./")

    def test_f_the_callback_registered_before_init(self):
        output = self.drive("reg", "init", "input=x.bin", "initdump", "load=tiny.onnx", "run", "finalizedump", "unreg",
                            "finalize")  # fmt: skip
        self.check_chunks(output, "./")

    def test_f_the_callback_with_a_configuration(self):
        (self.work / "chunks").mkdir()
        config = self.config(dump_list=[{"model_name": "tiny"}])
        for order in (["initdump", "reg"], ["reg", "initdump"], ["initdump", f"setdump={config}", "reg"]):
            calls = order if len(order) == 3 else order + [f"setdump={config}"]
            output = self.drive("init", "input=x.bin", "chunks=chunks", *calls, "load=tiny.onnx", "run", "unreg",
                                "finalizedump", "finalize")  # fmt: skip
            self.check_chunks(output, f"{self.work}/d/")
        content = sorted((self.work / "chunks").iterdir(), key=lambda file: file.name.split(".")[-1])
        np.testing.assert_array_equal(read_dump.read(content[0]).outputs[0].array(), tiny_conv())

    def test_f_one_registration_serves_two_models(self):
        output = self.drive("init", "input=x.bin", "initdump", "reg", "load=tiny.onnx", "run", "load=other.onnx", "run",
                            "unreg", "finalizedump", "finalize")  # fmt: skip
        self.assertEqual([name.split("/")[3] for name, *_ in self.chunks(output)], ["tiny"] * 3 + ["other"] * 3)

    def test_f_the_callback_with_the_configuration_of_init(self):
        config = self.config(dump_list=[{"model_name": "tiny"}])
        output = self.drive(f"init={config}", "reg", "input=x.bin", "load=tiny.onnx", "run", "unreg", "finalize")
        self.check_chunks(output, f"{self.work}/d/")

    def test_f_after_unregistering_files_are_written_again(self):
        config = self.config(dump_list=[{}])
        output = self.drive(f"init={config}", "reg", "input=x.bin", "load=tiny.onnx", "run", "unreg", "run", "finalize")
        self.assertEqual(len(self.chunks(output)), 3)
        self.assertEqual({entry.step for entry in self.entries()}, {1})

    def test_f_without_a_callback_the_default_writes_nothing(self):
        self.drive("init", "input=x.bin", "initdump", "load=tiny.onnx", "run", "finalizedump", "finalize")
        self.drive("init", "input=x.bin", "initdump", "reg", "load=tiny.onnx", "unreg", "run", "finalizedump", "finalize")
        self.assertEqual(list(self.work.glob("2*")), [])

    def test_f_statistics_are_one_chunk_each(self):
        config = self.config(dump_list=[{}], dump_data="stats")
        output = self.drive("init", "initdump", "reg", f"setdump={config}", "input=x.bin", "load=tiny.onnx", "run",
                            "unreg", "finalizedump", "finalize")  # fmt: skip
        found = self.chunks(output)
        self.assertEqual(len(found), 3)
        self.assertTrue(all(name.endswith(".csv") and last == 1 for name, _, last, *_ in found))

    def test_f_a_callback_that_returns_an_error_is_called_again(self):
        output = self.drive("init", "initdump", "reg=7", "input=x.bin", "load=tiny.onnx", "run", "unreg", "finalizedump",
                            "finalize")  # fmt: skip
        self.assertEqual(len(self.chunks(output)), 3)
        self.assertIn("the dump callback returned 7 for ./", output)

    def test_f_a_callback_that_unregisters_itself_leaves_the_rest_to_the_disk(self):
        config = self.config(dump_list=[{}])
        output = self.drive(f"init={config}", "reg=unreg", "input=x.bin", "load=tiny.onnx", "run=5", "finalize")
        self.assertEqual(len(self.chunks(output)) + len(self.entries()), 15)
        self.assertEqual(len(self.chunks(output)), 1)

    def test_f_the_first_of_two_callbacks_stays(self):
        output = self.drive("init", "initdump", "reg", "reg=5", "input=x.bin", "load=tiny.onnx", "run", "unreg",
                            "finalizedump", "finalize")  # fmt: skip
        self.assertIn("a callback is registered already and stays", output)


class Order(DumpTest):
    def test_calls_out_of_order(self):
        config = self.config(dump_list=[{}])
        self.drive("initdump!100001", f"setdump={config}!100001", "finalizedump!100001", "init", f"setdump={config}!100045",
                   "finalizedump!100045", "initdump", "initdump!100002", f"setdump={config}", f"setdump={config}",
                   "finalizedump", "finalizedump!100045", "initdump", "finalizedump", "finalize",
                   "initdump!100001")  # fmt: skip

    def test_wrong_configurations_leave_everything_as_it_was(self):
        config = self.config(dump_list=[{}])
        wrong = self.config("wrong.json", dump_list=[{}], dump_mode="both")
        self.write("broken.json", "{")
        self.drive("init", "initdump", f"setdump={config}", f"setdump={wrong}!100009", "setdump=broken.json!100009",
                   "setdump=missing.json!100003", "setdump=!100003", "input=x.bin", "load=tiny.onnx", "run",
                   "finalizedump", "finalize")  # fmt: skip
        self.assertEqual(self.names(), BOTH)

    def test_keys_that_nobody_knows_are_said_once_in_the_process(self):
        config = self.config(dump_list=[{}], dump_mod="all")
        odd = self.config("odd.json", dump_list=[{"layer": ["prob"], "model": "tiny"}])
        said = self.drive("init=acl.json", "input=x.bin", "load=tiny.onnx", "run", "finalizedump!100045", "finalize")
        self.assertEqual(said.count("acl.json: dump.dump_mod is not a known key and is ignored; did you mean dump_mode?"), 1)
        said = self.drive("init", "initdump", *[f"setdump={config}", f"setdump={odd}"] * 2, "finalizedump", "finalize")
        self.assertEqual(said.count("dump.dump_mod is not"), 1)
        self.assertEqual(said.count("dump.dump_list[0].model is not a known key and is ignored; "), 1)

    def test_a_key_that_is_missing_because_it_is_mistyped_is_said_too(self):
        self.write("acl.json", '{"dump":{"dump_pth":"d","dump_list":[{}]}}')
        said = self.drive("init=acl.json!100009")
        self.assertIn("dump_path is missing", said)
        self.assertIn("did you mean dump_path?", said)

    def test_a_model_that_is_named_twice_is_dumped_by_both_items_with_a_warning(self):
        items = [{"model_name": "tiny", "layer": ["conv1"]}, {"model_name": "tiny", "layer": ["prob"]}]
        said = self.run_tiny(self.config(dump_list=items))
        self.assertEqual(self.names(), BOTH)
        self.assertEqual(said.count('dump_list names model "tiny" 2 times: the items are put together'), 1)

    def test_the_path_survives_finalize(self):
        config = self.config(dump_list=[{}])
        said = self.drive("path", "init", "initdump", "path", f"setdump={config}", "path", "finalizedump", "path", "finalize")
        paths = [line.split(" ", 1)[1] for line in said.splitlines() if line.startswith("path ")]
        self.assertEqual(paths[:2], ["null", "null"])
        self.assertRegex(paths[2], "^" + re.escape(f"{self.work}/d/") + r"\d{14}/$")
        self.assertEqual(paths[2], paths[3])


if __name__ == "__main__":
    main()
