# SPDX-License-Identifier: Apache-2.0
"""Single-operator models from `atc --singleop`, as the original demands them: BELAY_STRICT=1."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

os.environ["BELAY_STRICT"] = "1"

from driver import *

stream = start()


def desc(shape):
    return {"format": "ND", "shape": shape, "type": "float32"}


class ModelDirectory(unittest.TestCase):
    def test_only_what_was_converted_or_compiled_is_found(self):
        a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)
        with self.assertRaises(Refused) as caught:
            aclop(stream, "Add", [a, b], [np.zeros((2, 3), np.float32)])
        self.assertEqual(caught.exception.code, 100024)
        self.assertIn("aclopSetModelDir", caught.exception.message)

        with tempfile.TemporaryDirectory() as folder:
            operators = [{"op": "Add", "input_desc": [desc([2, 3])] * 2, "output_desc": [desc([2, 3])]},
                         {"op": "SoftmaxV2", "input_desc": [desc([2, 3])], "output_desc": [desc([2, 3])],
                          "attr": [{"name": "axes", "type": "list_int", "value": [1]}]}]
            pathlib.Path(folder, "ops.json").write_text(json.dumps(operators), encoding="utf-8")
            done = subprocess.run([os.environ["BELAY_ATC"], f"--singleop={folder}/ops.json", f"--output={folder}/deep/er",
                                   "--soc_version=Ascend910B3"], capture_output=True, text=True, cwd=folder)
            self.assertEqual(done.returncode, 0, done.stdout)
            files = sorted(pathlib.Path(folder).rglob("*.om"))
            self.assertEqual(len(files), 2)
            call("aclopSetModelDir", folder.encode())
            image = files[0].read_bytes()

        out, = aclop(stream, "Add", [a, b], [np.zeros((2, 3), np.float32)])
        np.testing.assert_array_equal(out, a + b)
        soft, = aclop(stream, "SoftmaxV2", [a], [np.zeros((2, 3), np.float32)], axes=[1])
        np.testing.assert_allclose(soft.sum(1), 1, 1e-5)
        for inputs, shape, attributes in (([a[:1], b[:1]], (1, 3), {}), ([a, b[0]], (2, 3), {})):
            with self.assertRaises(Refused) as caught:
                aclop(stream, "Add", inputs, [np.zeros(shape, np.float32)], **attributes)
            self.assertEqual(caught.exception.code, 100024)
        with self.assertRaises(Refused) as caught:
            aclop(stream, "SoftmaxV2", [a], [np.zeros((2, 3), np.float32)], axes=[0])
        self.assertEqual(caught.exception.code, 100024)

        call("aclopLoad", image, c.c_size_t(len(image)))
        shapes = (c.c_void_p * 1)(tensor_desc(a, ND).value)
        call("aclopCompile", b"Abs", 1, shapes, 1, shapes, None, 0, 0, None)
        out, = aclop(stream, "Abs", [-a], [np.zeros((2, 3), np.float32)])
        np.testing.assert_array_equal(out, a)

    def test_infer_shape_wants_the_operator_package(self):
        os.environ.pop("ASCEND_OPP_PATH", None)
        libc = c.CDLL(None)
        libc.unsetenv(b"ASCEND_OPP_PATH")
        x = np.ones(3, np.float32)
        descs = [tensor_desc(x, ND), tensor_desc(x, ND)]
        buffer = pointer(lib.aclCreateDataBuffer(pointer(x.ctypes.data), c.c_size_t(12)))
        one = lambda item: (c.c_void_p * 1)(item.value)
        self.assertEqual(lib.aclopInferShape(b"Abs", 1, one(descs[0]), one(buffer), 1, one(descs[1]), None), 148049)


if __name__ == "__main__":
    unittest.main()
