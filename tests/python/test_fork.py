# SPDX-License-Identifier: Apache-2.0
"""multiprocessing with fork, as data loaders use it, beside a parent that has run a model on two threads."""
import pytest

PARENT = """
import multiprocessing, os, sys
import numpy as np
import acl, models
from models import Buffers, Model, check
fork = multiprocessing.get_context("fork")

def run(model):
    inputs, outputs = (Buffers(sizes) for sizes in model.sizes())
    x = np.ones((256, 1024), np.float32)
    inputs.write(0, x)
    ret = acl.mdl.execute(model.id, inputs.dataset, outputs.dataset)
    if ret: return ret
    assert np.allclose(outputs.read(0, (256, 64)), x @ np.full((1024, 64), 0.5, np.float32))
    return 0

def network(path):
    return models.save(path, [models.helper.make_node("MatMul", ["x", "w"], ["y"], "matmul")], {"x": [256, 1024]},
                       {"y": [256, 64]}, {"w": np.full((1024, 64), 0.5, np.float32)})

def square(number):
    return number * number

def start():
    check(acl.init())
    check(acl.rt.set_device(0))
    return Model(network(sys.argv[1]))
"""

PROGRAMS = {
    "children that never call acl": """
model = start()
assert run(model) == 0
with fork.Pool(2) as pool:
    assert pool.map(square, range(8)) == [n * n for n in range(8)]
assert run(model) == 0
""",
    "a child that runs the parent's model is refused": """
model = start()
assert run(model) == 0
def child(queue):
    buffers = acl.mdl.create_dataset()
    ret = acl.mdl.execute(model.id, buffers, buffers)
    queue.put((ret, acl.get_recent_err_msg()))
    queue.put((acl.rt.set_device(0), acl.get_recent_err_msg()))
    queue.put((acl.finalize(), ""))
queue = fork.Queue()
process = fork.Process(target=child, args=(queue,))
process.start()
told = [queue.get() for _ in range(3)]
process.join()
assert process.exitcode == 0
assert told[0][0] in (107002, 145003) and "was forked" in told[0][1], told
assert told[1][0] == 507033 and "spawn" in told[1][1], told
assert told[2][0] == 0, told
assert run(model) == 0
""",
    "a child forked before any call runs models": """
def child():
    assert run(start()) == 0
process = fork.Process(target=child)
process.start()
process.join()
assert process.exitcode == 0
assert run(start()) == 0
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_fork(run, name, tmp_path, monkeypatch):
    monkeypatch.setenv("BELAY_NUM_THREADS", "2")
    done = run(PARENT + PROGRAMS[name], tmp_path / "net.onnx")
    assert done.returncode == 0, (done.stdout, done.stderr)
