# SPDX-License-Identifier: Apache-2.0
"""Threads: those of acl.util, and programs with several."""
import sys
import threading
import time

import numpy as np
import pytest

import acl
import models
from models import Buffers, Model, check


def test_the_function_gets_the_list_itself_and_the_id_is_the_ident():
    got = []

    def function(arguments):
        got.append((arguments, threading.get_ident()))

    given = [1, "two"]
    thread, ret = acl.util.start_thread(function, given)
    assert ret == 0 and acl.util.stop_thread(thread) == 0
    assert got[0][0] is given and got[0][1] == thread
    got.clear()
    thread, ret = acl.util.start_thread(lambda: got.append("none"), None)
    assert ret == 0 and acl.util.stop_thread(thread) == 0
    assert got == ["none"]


def test_stop_thread_raises_what_the_function_raised(monkeypatch):
    printed = []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: printed.append(str(info.exc_value)))

    def fail(arguments):
        raise KeyError("lost")

    thread, _ = acl.util.start_thread(fail, [])
    with pytest.raises(RuntimeError, match="exception=KeyError,msg=thread call failed;") as error:
        acl.util.stop_thread(thread)
    assert isinstance(error.value.__cause__, KeyError) and printed == ["'lost'"]


def test_wrong_use_of_threads():
    with pytest.raises(TypeError, match="parameter must be callable"):
        acl.util.start_thread(3, [])
    with pytest.raises(TypeError, match=r"function takes exactly 2 arguments \(0 given\)"):
        acl.util.start_thread()
    assert acl.util.stop_thread(12345) == 3  # no such thread
    assert acl.util.stop_thread(threading.get_ident()) == 35  # would wait for itself
    thread, _ = acl.util.start_thread(lambda: None, None)
    assert acl.util.stop_thread(thread) == 0
    assert acl.util.stop_thread(thread) == 3


def test_many_threads_at_once():
    go, done = threading.Event(), []
    ids = [acl.util.start_thread(lambda given: (go.wait(), done.append(given[0])), [i])[0] for i in range(20)]
    assert len(set(ids)) == 20
    go.set()
    assert [acl.util.stop_thread(thread) for thread in ids] == [0] * 20
    assert sorted(done) == list(range(20))


def test_a_thread_has_no_context_of_its_own(context):
    codes = []

    def function(arguments):
        codes.append(acl.rt.get_context()[1])
        codes.append(acl.rt.set_context(arguments[0]))
        codes.append(acl.rt.get_context())

    thread, _ = acl.util.start_thread(function, [context])
    assert acl.util.stop_thread(thread) == 0
    assert codes[0] != 0 and codes[1:] == [0, (context, 0)]


def test_other_threads_run_while_one_waits(stream):
    """A call that waits must not hold the interpreter: the flag is only written by another thread."""
    value, ret = acl.rt.malloc(64, 0)
    check(ret)
    check(acl.rt.memset(value, 64, 0, 64))
    check(acl.rt.value_wait(value, 1, 1, stream))
    ticks = []

    def release():
        for _ in range(5):
            time.sleep(0.01)
            ticks.append(1)
        check(acl.rt.memset(value, 64, 0, 64))
        one = np.array([1], np.uint64)
        check(acl.rt.memcpy(value, 8, one.ctypes.data, 8, 1))

    def with_context(arguments):
        check(acl.rt.set_context(arguments[0]))
        release()

    context, ret = acl.rt.get_context()
    thread, _ = acl.util.start_thread(with_context, [context])
    check(acl.rt.synchronize_stream(stream))
    assert len(ticks) == 5
    assert acl.util.stop_thread(thread) == 0
    check(acl.rt.free(value))


def test_four_threads_each_with_a_context_and_a_model(tmp_path):
    file, answer = models.dense(tmp_path / "dense.onnx")
    errors = []

    def work(seed):
        try:
            context, ret = acl.rt.create_context(0)
            check(ret)
            stream, ret = acl.rt.create_stream()
            check(ret)
            model = Model(file)
            inputs, outputs = (Buffers(sizes) for sizes in model.sizes())
            random = np.random.default_rng(seed)
            for _ in range(25):
                x = random.standard_normal((2, 4)).astype(np.float32)
                inputs.write(0, x)
                check(acl.mdl.execute_async(model.id, inputs.dataset, outputs.dataset, stream))
                check(acl.rt.synchronize_stream(stream))
                assert np.allclose(outputs.read(0, (2, 3)), answer(x), atol=1e-6)
            for each in (inputs, outputs, model):
                each.close()
            check(acl.rt.destroy_stream(stream))
            check(acl.rt.destroy_context(context))
        except BaseException as error:  # noqa: BLE001: told to the main thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors
