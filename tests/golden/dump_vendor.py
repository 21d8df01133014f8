# SPDX-License-Identifier: Apache-2.0
"""Every kind of dump file that we write, read as the vendor's tools read it: the whole file through
libascend_dump_parser.so. Truth is numpy, and the reader that was written from docs/dump.md."""
import os
import subprocess
import sys

import numpy as np
import read_dump
import vendor_reader
from dump_support import X, DumpTest, main, softmax, tiny, tiny_conv

EXCEPTIONS = PARSER = None
SUM = np.arange(8, dtype=np.float32) + np.float32([1, 1, 1, 2, 2, 2, 3, 3])


class Vendor(DumpTest):
    def read_all(self, path="d"):
        """op_name -> header, of every file below `path`; each says what the other reader says."""
        parser, found = vendor_reader.Parser(PARSER), {}
        for name in self.files(path):
            file = self.work / path / name
            if file.name == "watch_summary.csv" or file.name.startswith("overflow_chain_"):
                continue  # reports of ours, where the vendor's tools do not look
            header, other = parser.read(file), read_dump.read(file)
            self.assertEqual((header["version"], int(header["dump_time"])), ("2.0", other.dump_time))
            self.assertEqual((header["op_name"], header["dfx_message"]), (other.op_name, other.dfx_message))
            self.assertEqual([(each["name"], each["value"]) for each in header["attr"]], other.attributes)
            for group, entries in (("input", other.inputs), ("output", other.outputs)):
                self.assertEqual(len(header[group]), len(entries))
                for have, want in zip(header[group], entries):
                    self.same(have, want)
            for group, entries in (("buffer", other.buffers), ("space", other.spaces)):
                self.assertEqual([have["data"] for have in header[group]], [want.data for want in entries])
            found[header["op_name"]] = header
        self.assertTrue(found, "there is no file")
        return found

    def same(self, have, want):
        self.assertEqual(have["data"], want.data)
        for key in ("data_type", "format", "sub_format", "arg_index"):
            self.assertEqual((key, have[key]), (key, getattr(want, key)))
        for key in ("size", "address", "offset"):  # 64-bit integers are text
            self.assertEqual((key, have[key]), (key, str(getattr(want, key))))
        self.assertEqual(have.get("input_type", 0), want.input_type)
        self.assertEqual(have.get("original_op"), want.original_op)
        for key in ("shape", "original_shape"):
            dims = getattr(want, key)
            self.assertEqual(have.get(key), None if dims is None else {"dim": [str(dim) for dim in dims]})

    def values(self, entry, kind=np.float32):
        return np.frombuffer(entry["data"], kind).reshape([int(dim) for dim in entry["shape"]["dim"]])

    def fail_at(self, scene, *calls, fault="fail@prob"):
        config = self.config(f"{scene}.json", dump_scene=scene)
        variables = {**os.environ, "BELAY_FAULT": fault, "TMPDIR": str(self.work)}
        done = subprocess.run([EXCEPTIONS, config, *calls], cwd=self.work, capture_output=True, text=True, env=variables)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_model(self):
        self.run_tiny(self.config(dump_list=[{}], dump_mode="all"))
        found = self.read_all()
        self.assertEqual(set(found), {"conv1conv1_relu", "x", "prob"})
        np.testing.assert_array_equal(self.values(found["conv1conv1_relu"]["input"][0]), X)
        np.testing.assert_array_equal(self.values(found["prob"]["input"][0]), tiny_conv())
        np.testing.assert_allclose(self.values(found["prob"]["output"][0]), softmax(tiny_conv()), rtol=1e-6)

    def test_an_overflow(self):
        self.write("tiny.onnx", tiny(weight=1e38))
        self.run_tiny(self.config(dump_debug="on"))
        found = self.read_all()
        self.assertEqual(set(found), {"Node_OpDebug", "conv1conv1_relu"})
        record = found["Node_OpDebug"]["output"][0]
        self.assertEqual((len(record["data"]), record["data"][:4]), (2048, b"ZZZZ"))
        np.testing.assert_array_equal(np.isinf(self.values(found["conv1conv1_relu"]["output"][0])).ravel(), [0, 0, 0, 1])

    def test_a_watched_operator(self):
        item = {"watcher_nodes": ["prob"]}
        self.run_tiny(self.config(dump_scene="watcher", dump_list=[item]))
        found = self.read_all()
        self.assertEqual(set(found), {"conv1conv1_relu_To_prob", "prob"})
        np.testing.assert_allclose(self.values(found["prob"]["output"][0]), softmax(tiny_conv()), rtol=1e-6)

    def test_single_operators(self):
        config = self.config(dump_list=[{}], dump_op_switch="on", dump_mode="output")
        self.drive(f"init={config}", "aclnnadd", "aclopadd", "finalize")
        found = self.read_all()
        self.assertEqual(set(found), {"AddAiCore", "aclnnAdd", "Add1"})
        for header in found.values():
            np.testing.assert_array_equal(self.values(header["output"][0]).ravel(), SUM)

    def test_exceptions(self):
        self.fail_at("aic_err_brief_dump", "tiny.onnx", "x.bin", "async")
        (brief,) = self.read_all().values()
        self.assertEqual([entry["input_type"] for entry in brief["input"]], [2])
        np.testing.assert_array_equal(self.values(brief["input"][0]), tiny_conv())
        (self.work / "d/extra-info").rename(self.work / "brief")
        self.fail_at("aic_err_norm_dump", "tiny.onnx", "x.bin", "async", "save=mine")
        found = self.read_all()
        self.assertEqual(len(found), 2)
        np.testing.assert_array_equal(self.values(found.pop("prob")["input"][0]), tiny_conv())
        (mine,) = found.values()
        self.assertEqual(np.frombuffer(mine["space"][0]["data"], np.float32).tolist(), [1, 2])

    def test_statistics_are_no_dump_files(self):
        self.run_tiny(self.config(dump_list=[{}], dump_data="stats"))
        parser = vendor_reader.Parser(PARSER)
        self.assertEqual(len(self.files()), 3)
        for name in self.files():
            self.assertEqual(parser.parse((self.work / "d" / name).read_bytes()), (-1, None))


if __name__ == "__main__":
    EXCEPTIONS, PARSER = sys.argv.pop(3), sys.argv.pop(3)
    main()
