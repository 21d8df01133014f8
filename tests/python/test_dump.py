# SPDX-License-Identifier: Apache-2.0
"""Dump from Python: to files, and to a function that puts the files together."""
import gc
import json
import pathlib
import sys
import weakref

import numpy as np
import pytest

import acl
import models
from models import Buffers, Model, check

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
import read_dump  # noqa: E402


@pytest.fixture
def dense(context, tmp_path):
    """Runs the model once, loaded anew, and gives its input and numpy's answer."""
    file, answer = models.dense(tmp_path / "dense.onnx")

    def execute():
        model = Model(file)
        inputs, outputs = (Buffers(sizes) for sizes in model.sizes())
        x = np.arange(8, dtype=np.float32).reshape(2, 4) - 3
        inputs.write(0, x)
        check(acl.mdl.execute(model.id, inputs.dataset, outputs.dataset))
        for each in (inputs, outputs, model):
            each.close()
        return x, answer(x)

    return execute


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "dump.json"
    (tmp_path / "dump").mkdir()
    path.write_text(json.dumps({"dump": {"dump_list": [{}], "dump_path": str(tmp_path / "dump"), "dump_mode": "all"}}))
    return str(path)


def files_under(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def timeless(files):
    """Operator -> what its file says, without times and addresses."""
    said = {}
    for name, content in files.items():
        dump = read_dump.parse(content)
        tensors = [[(tensor.data_type, tensor.shape, tensor.data) for tensor in side]
                   for side in (dump.inputs, dump.outputs)]
        said[tuple(name.split(".")[:2])] = (dump.op_name, tensors)
    return said


class Receiver:
    def __init__(self):
        self.chunks, self.files, self.open = [], {}, {}

    def __call__(self, chunk):
        self.chunks.append(chunk)
        name = pathlib.PurePath(chunk["file_name"]).name
        self.open[name] = self.open.get(name, b"") + acl.util.ptr_to_bytes(chunk["data_buf"], chunk["buf_len"])
        if chunk["is_last_chunk"]:
            self.files[name] = self.open.pop(name)


def dumped(dense, config, callback=None):
    check(acl.mdl.init_dump())
    check(acl.mdl.set_dump(config))
    if callback:
        check(acl.mdl.dump_reg_callback(callback, 0))
    result = dense()
    if callback:
        assert acl.mdl.dump_unreg_callback() is None
    check(acl.mdl.finalize_dump())
    return result


def test_the_function_gets_the_files_that_the_disk_would_have(dense, config, tmp_path):
    x, y = dumped(dense, config)
    on_disk = files_under(tmp_path / "dump")
    receiver = Receiver()
    dumped(dense, config, receiver)
    assert files_under(tmp_path / "dump") == on_disk  # nothing more was written
    assert receiver.files and not receiver.open
    assert timeless(receiver.files) == timeless(on_disk)
    outputs = [data for _, (_, outs) in timeless(receiver.files).values() for _, _, data in outs]
    assert any(np.allclose(np.frombuffer(data, np.float32), y.ravel(), atol=1e-6) for data in outputs if len(data) == 24)


def test_a_chunk_is_a_dict_as_documented(dense, config):
    receiver = Receiver()
    dumped(dense, config, receiver)
    for chunk in receiver.chunks:
        assert set(chunk) == {"file_name", "data_buf", "buf_len", "is_last_chunk", "offset", "flag"}
        assert type(chunk["file_name"]) is str and all(type(chunk[key]) is int for key in chunk if key != "file_name")
        assert (chunk["is_last_chunk"], chunk["offset"], chunk["flag"]) == (1, -1, 0)


def test_a_function_that_requires_two_arguments_gets_the_length(dense, config):
    lengths = []

    def two(chunk, length):
        lengths.append(length - chunk["buf_len"])

    def optional(chunk, length=None):
        lengths.append(length)

    dumped(dense, config, two)
    assert lengths and set(lengths) == {4120}  # the C structure
    lengths.clear()
    dumped(dense, config, optional)
    assert set(lengths) == {None}

    class Method:
        def receive(self, chunk, length):
            lengths.append("method")

    dumped(dense, config, Method().receive)
    assert "method" in lengths


def test_an_exception_is_printed_and_the_model_runs_on(dense, config, monkeypatch):
    printed = []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: printed.append(str(info.exc_value)))

    def fail(chunk):
        raise OSError("disk of mine is full")

    dumped(dense, config, fail)
    assert printed and set(printed) == {"disk of mine is full"}


def test_the_latest_function_holds_and_is_let_go(dense, config):
    first, second = Receiver(), Receiver()
    gone = weakref.ref(first)
    check(acl.mdl.dump_reg_callback(first, 0))
    dumped(dense, config, second)
    assert first.chunks == [] and second.chunks
    del first
    gc.collect()
    assert gone() is None
    gone = weakref.ref(second)
    del second
    gc.collect()
    assert gone() is None


def test_wrong_use(config):
    assert acl.mdl.set_dump(config) == 100045  # no init_dump
    assert acl.mdl.finalize_dump() == 100045
    check(acl.mdl.init_dump())
    assert acl.mdl.set_dump() == 100000
    assert acl.mdl.set_dump("/nowhere.json") != 0
    check(acl.mdl.finalize_dump())
    with pytest.raises(TypeError, match="parameter must be callable"):
        acl.mdl.dump_reg_callback("no", 0)
    receiver = Receiver()
    before = sys.getrefcount(receiver)
    assert acl.mdl.dump_reg_callback(receiver, 1) != 0
    assert sys.getrefcount(receiver) == before
    assert acl.mdl.dump_unreg_callback() is None  # nothing is registered
