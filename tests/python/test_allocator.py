# SPDX-License-Identifier: Apache-2.0
"""A program's own allocator, written in Python, under a model whose shapes are known only when it runs."""
import gc
import sys
import weakref

import numpy as np
import pytest

import acl
import models
from models import Buffers, Model, check


class Allocator:
    """Device memory by acl.rt.malloc; a block is a number of its own."""

    def __init__(self, key=0x1234):
        self.key, self.addresses, self.calls, self.sizes = key, {}, [], []
        self.next = 100

    def alloc(self, key, size):
        self.calls.append("alloc")
        assert key == self.key
        address, ret = acl.rt.malloc(size, 0)
        check(ret)
        self.next += 1
        self.addresses[self.next] = address
        self.sizes.append(size)
        return self.next

    def free(self, key, block):
        self.calls.append("free")
        assert key == self.key
        check(acl.rt.free(self.addresses.pop(block)))

    def address(self, block):
        self.calls.append("address")
        return self.addresses[block]

    def advise(self, key, size, address):
        self.calls.append("advise")
        return self.alloc(key, size)


def describe(allocator, advise=False):
    desc = acl.rt.allocator_create_desc()
    assert desc != 0
    check(acl.rt.allocator_set_obj_to_desc(desc, allocator.key))
    check(acl.rt.allocator_set_alloc_func_to_desc(desc, allocator.alloc))
    check(acl.rt.allocator_set_free_func_to_desc(desc, allocator.free))
    check(acl.rt.allocator_set_get_addr_from_block_func_to_desc(desc, allocator.address))
    if advise:
        check(acl.rt.allocator_set_alloc_advise_func_to_desc(desc, allocator.advise))
    return desc


def register(stream, allocator):
    desc = describe(allocator)
    check(acl.rt.allocator_register(stream, desc))
    check(acl.rt.allocator_destroy_desc(desc))  # allowed right away: it was copied


class Growing:
    """The model with any number of rows, ready to run on a stream."""

    def __init__(self, folder, made=models.growing):
        file, self.answer = made(folder / "model.onnx")
        self.model = Model(file)

    def run(self, stream, rows=64, wait=True):
        x = np.random.default_rng(rows).standard_normal((rows, 8)).astype(np.float32)
        inputs, outputs = Buffers([x.nbytes]), Buffers([x.nbytes])
        inputs.write(0, x)
        desc = acl.create_tensor_desc(models.FLOAT, [rows, 8], models.ND)
        check(acl.mdl.set_dataset_tensor_desc(inputs.dataset, desc, 0)[1])
        acl.destroy_tensor_desc(desc)
        ret = acl.mdl.execute_async(self.model.id, inputs.dataset, outputs.dataset, stream)
        if wait:
            ret = ret or acl.rt.synchronize_stream(stream)
        if ret == 0 and wait:
            assert np.allclose(outputs.read(0, (rows, 8)), self.answer(x), rtol=1e-5)
        if not wait:  # the task may still run
            return ret
        inputs.close()
        outputs.close()
        return ret


@pytest.fixture
def growing(context, tmp_path):
    growing = Growing(tmp_path)
    yield growing
    growing.model.close()


def test_the_model_computes_in_blocks_that_python_gave(stream, growing):
    allocator = Allocator()
    register(stream, allocator)
    for rows in (1, 64, 500):
        assert growing.run(stream, rows) == 0
    assert allocator.calls.count("alloc") == allocator.calls.count("free") > 0
    assert allocator.calls.count("address") >= allocator.calls.count("alloc")
    assert max(allocator.sizes) >= 500 * 8 * 4  # what lies between the operators is there
    assert not allocator.addresses


def test_each_stream_has_its_own_and_the_last_registration_wins(stream, growing):
    other, ret = acl.rt.create_stream()
    check(ret)
    first, second, third = Allocator(1), Allocator(2), Allocator(3)
    register(stream, first)
    register(other, second)
    register(stream, third)
    assert growing.run(stream) == 0 and growing.run(other) == 0
    assert not first.calls and second.calls and third.calls
    check(acl.rt.allocator_unregister(stream))
    third.calls.clear()
    assert growing.run(stream) == 0
    assert not third.calls
    check(acl.rt.destroy_stream(other))


def test_a_function_that_raises_or_gives_no_block_fails_the_execution_only(stream, growing, monkeypatch):
    printed = []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: printed.append(type(info.exc_value)))
    allocator = Allocator()

    def fail(*arguments):
        raise MemoryError("mine")

    for bad, wanted in ((fail, [MemoryError]), (lambda key, size: None, [TypeError]), (lambda key, size: 0, [])):
        printed.clear()
        broken = Allocator()
        broken.alloc = bad
        register(stream, broken)
        assert growing.run(stream) == 500002
        assert printed[:1] == wanted and broken.calls == []
    register(stream, allocator)
    assert growing.run(stream) == 0 and allocator.calls


def test_no_block_fails_the_call_itself_unless_the_model_runs_node_by_node(stream, growing, tmp_path):
    empty = Allocator()
    empty.alloc = lambda key, size: 0
    register(stream, empty)
    assert growing.run(stream, wait=False) == 500002
    assert "null" in acl.get_recent_err_msg()
    assert acl.rt.synchronize_stream(stream) == 0
    sifting = Growing(tmp_path, models.sifting)
    assert sifting.run(stream, wait=False) == 0
    assert acl.rt.synchronize_stream(stream) == 500002
    sifting.model.close()


def test_a_failed_task_calls_the_exception_function(stream, context, tmp_path, monkeypatch):
    growing = Growing(tmp_path, models.sifting)
    seen, printed = [], []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: printed.append(str(info.exc_value)))

    def on_exception(info):
        seen.append((acl.rt.get_error_code_from_exception_info(info), acl.rt.get_device_id_from_exception_info(info),
                     acl.rt.get_stream_id_from_exception_info(info)))
        acl.rt.get_task_id_from_exception_info(info), acl.rt.get_thread_id_from_exception_info(info)
        raise ValueError("lost")

    allocator = Allocator()
    allocator.alloc = lambda key, size: 0
    register(stream, allocator)
    check(acl.rt.set_exception_info_callback(on_exception))
    assert growing.run(stream) == 500002
    assert seen == [(500002, 0, acl.rt.stream_get_id(stream)[0])] and printed == ["lost"]
    for clear in ((None,), ()):
        check(acl.rt.set_exception_info_callback(*clear))
    assert growing.run(stream) == 500002 and len(seen) == 1
    with pytest.raises(TypeError, match="parameter must be callable"):
        acl.rt.set_exception_info_callback(3)
    growing.model.close()


def test_no_address_gives_the_block_back(stream, growing):
    allocator = Allocator()
    allocator.address = lambda block: 0
    register(stream, allocator)
    assert growing.run(stream) == 500002
    assert allocator.calls.count("alloc") == allocator.calls.count("free") > 0


def test_get_by_stream_gives_the_python_functions_back(stream):
    allocator = Allocator()
    desc = describe(allocator, advise=True)
    check(acl.rt.allocator_register(stream, desc))
    found = acl.rt.allocator_get_by_stream(stream)
    assert found == (desc, allocator.key, allocator.alloc, allocator.free, allocator.advise, allocator.address, 0)
    check(acl.rt.allocator_unregister(stream))
    assert acl.rt.allocator_get_by_stream(stream)[2:] == (None, None, None, None, 100000)
    assert allocator.calls == []
    check(acl.rt.allocator_destroy_desc(desc))


def test_wrong_use(stream):
    desc = acl.rt.allocator_create_desc()
    assert acl.rt.allocator_register(stream, desc) == 100000  # nothing is set
    assert acl.rt.allocator_set_obj_to_desc(desc, 0) == 100000
    assert acl.rt.allocator_register(0, desc) == 100000
    assert acl.rt.allocator_unregister(0) == 100000
    with pytest.raises(TypeError, match="parameter must be callable"):
        acl.rt.allocator_set_alloc_func_to_desc(desc, 5)
    check(acl.rt.allocator_destroy_desc(desc))
    for dead in (desc, 0, 12345):  # never followed
        assert acl.rt.allocator_destroy_desc(dead) == 100000
        assert acl.rt.allocator_set_free_func_to_desc(dead, print) == 100000
        assert acl.rt.allocator_register(stream, dead) == 100000
    assert acl.rt.allocator_unregister(stream) == 0  # nothing is registered


def test_the_functions_are_let_go(stream, growing):
    allocator = Allocator()
    gone = weakref.ref(allocator)
    register(stream, allocator)
    del allocator
    gc.collect()
    assert gone() is not None  # the stream needs it
    assert growing.run(stream) == 0
    check(acl.rt.allocator_unregister(stream))
    gc.collect()
    assert gone() is None


def test_many_registrations_do_not_pile_up(stream, growing):
    gone = []
    for number in range(100):
        allocator = Allocator(number + 1)
        gone.append(weakref.ref(allocator))
        register(stream, allocator)
        del allocator
    assert growing.run(stream) == 0
    assert sum(ref() is not None for ref in gone) <= 20
    check(acl.rt.destroy_stream(stream))
    gc.collect()
    assert sum(ref() is not None for ref in gone) == 0


def test_replacing_while_work_is_queued_keeps_the_functions_of_that_work(stream, growing):
    """The first execution waits behind a value; its allocator is replaced and unregistered before it runs."""
    first, second = Allocator(1), Allocator(2)
    register(stream, first)
    value, ret = acl.rt.malloc(64, 0)
    check(ret)
    check(acl.rt.memset(value, 64, 0, 64))
    check(acl.rt.value_wait(value, 1, 1, stream))
    x = np.ones((4, 8), np.float32)
    inputs, outputs = Buffers([x.nbytes]), Buffers([x.nbytes])
    inputs.write(0, x)
    desc = acl.create_tensor_desc(models.FLOAT, [4, 8], models.ND)
    check(acl.mdl.set_dataset_tensor_desc(inputs.dataset, desc, 0)[1])
    acl.destroy_tensor_desc(desc)
    check(acl.mdl.execute_async(growing.model.id, inputs.dataset, outputs.dataset, stream))
    register(stream, second)
    check(acl.rt.allocator_unregister(stream))
    one = np.array([1], np.uint64)
    check(acl.rt.memcpy(value, 8, one.ctypes.data, 8, 1))
    check(acl.rt.synchronize_stream(stream))
    assert np.allclose(outputs.read(0, (4, 8)), growing.answer(x))
    assert first.calls.count("alloc") == first.calls.count("free") > 0 and not second.calls
    inputs.close()
    outputs.close()
    check(acl.rt.free(value))
