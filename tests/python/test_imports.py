# SPDX-License-Identifier: Apache-2.0
"""onnx, numpy and acl in one process, whatever comes first."""
import itertools

import pytest

BODY = """
import sys
import numpy as np
for name, kind in (("float", float), ("int", int), ("bool", bool), ("object", object)):
    if not hasattr(np, name): setattr(np, name, kind)
"""
USE = """
import models, acl
assert acl.init() == 0 and acl.rt.set_device(0) == 0
file, answer = models.dense(sys.argv[1] + "/dense.onnx")
model = models.Model(file)
inputs, outputs = (models.Buffers(sizes) for sizes in model.sizes())
x = np.ones((2, 4), np.float32)
inputs.write(0, x)
assert acl.mdl.execute(model.id, inputs.dataset, outputs.dataset) == 0
assert np.allclose(outputs.read(0, (2, 3)), answer(x), atol=1e-6)
print(np.linalg.norm(np.eye(3)) > 1, acl.finalize())
"""


@pytest.mark.parametrize("order", itertools.permutations(("onnx", "numpy", "acl")), ids="-".join)
def test_every_order_works(run, tmp_path, order):
    text = "".join(BODY + "import onnx\n" if name == "onnx" and "numpy" not in order[:i] else f"import {name}\n"
                   for i, name in enumerate(order))
    if order.index("numpy") < order.index("onnx"):
        text = text.replace("import numpy\n", BODY)
    done = run("import warnings; warnings.simplefilter('ignore')\n" + text + "import sys, numpy as np\n" + USE, tmp_path)
    assert (done.returncode, done.stdout) == (0, "True 0\n"), done.stderr[-2000:]


def test_a_second_import_is_the_same_module(run):
    done = run("import acl, sys\nfirst = acl\ndel sys.modules['acl']\nimport acl\n"
               "print(acl.rt is first.rt, acl.init())")
    assert done.returncode == 0, done.stderr
