# SPDX-License-Identifier: Apache-2.0
"""Callbacks of streams, in Python."""
import gc
import sys
import threading
import time
import weakref

import pytest

import acl
from models import on_device

NO_BLOCK, BLOCK = 0, 1


class Server:
    """A thread of acl.util.start_thread that processes reports until it is told to leave."""

    def __init__(self, context, *streams):
        self.leave, self.streams, self.codes = False, streams, []
        self.thread, ret = acl.util.start_thread(self.serve, [context])
        assert ret == 0
        for stream in streams:
            assert acl.rt.subscribe_report(self.thread, stream) == 0

    def serve(self, arguments):
        assert acl.rt.set_context(arguments[0]) == 0
        while not self.leave:
            self.codes.append(acl.rt.process_report(50))

    def close(self):
        for stream in self.streams:
            assert acl.rt.unsubscribe_report(self.thread, stream) == 0
        self.leave = True
        assert acl.util.stop_thread(self.thread) == 0


@pytest.fixture
def server(context, stream):
    server = Server(context, stream)
    yield server
    server.close()


def test_200_batches_arrive_in_order_with_their_data(stream, server):
    count, size = 200, 4096
    device, ret = acl.rt.malloc(size, 0)
    assert ret == 0
    arrived = []

    def collect(batch):
        batch["seen"] = on_device(device, size)
        arrived.append(batch["number"])

    batches = [{"number": number} for number in range(count)]
    for batch in batches:
        assert acl.rt.memset_async(device, size, batch["number"], size, stream) == 0
        assert acl.rt.launch_callback(collect, batch, BLOCK, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert arrived == list(range(count))
    assert all(set(batch["seen"]) == {batch["number"]} for batch in batches)
    assert acl.rt.free(device) == 0


@pytest.mark.parametrize("data", [[1, 2], None, "text", {"a": 1}, object(), 7.5], ids=str)
def test_the_function_gets_the_very_object(stream, server, data):
    got = []
    assert acl.rt.launch_callback(lambda given: got.append(given), data, BLOCK, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert len(got) == 1 and got[0] is data


def test_function_and_object_are_held_until_the_call_and_no_longer(stream, server):
    class Data:
        pass

    data, seen = Data(), []
    gone = weakref.ref(data)

    def function(given):
        seen.append(type(given))

    function_gone = weakref.ref(function)
    assert acl.rt.launch_callback(function, data, BLOCK, stream) == 0
    del data, function
    assert acl.rt.synchronize_stream(stream) == 0
    gc.collect()
    assert seen == [Data] and gone() is None and function_gone() is None


def test_references_of_a_refused_launch_and_of_dropped_callbacks_are_given_back(context, stream):
    class Data:
        pass

    data = Data()
    before = sys.getrefcount(data)
    assert acl.rt.launch_callback(print, data, BLOCK, stream) == 107015
    assert sys.getrefcount(data) == before
    assert acl.rt.subscribe_report(threading.get_ident(), stream) == 0
    for _ in range(3):
        assert acl.rt.launch_callback(print, data, NO_BLOCK, stream) == 0
    assert sys.getrefcount(data) == before + 3
    assert acl.rt.unsubscribe_report(threading.get_ident(), stream) == 0
    assert sys.getrefcount(data) == before


def test_an_exception_is_printed_with_its_traceback_and_the_stream_goes_on(stream, server, monkeypatch):
    printed, ran = [], []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: printed.append((info.exc_value, info.exc_traceback)))

    def fail(data):
        raise ValueError(f"no {data}")

    def leave(data):
        raise SystemExit(3)

    assert acl.rt.launch_callback(fail, "way", BLOCK, stream) == 0
    assert acl.rt.launch_callback(leave, None, BLOCK, stream) == 0
    assert acl.rt.launch_callback(lambda: None, "one too many", BLOCK, stream) == 0
    assert acl.rt.launch_callback(ran.append, "after", BLOCK, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert ran == ["after"]
    assert [type(value) for value, _ in printed] == [ValueError, SystemExit, TypeError]
    assert str(printed[0][0]) == "no way" and printed[0][1].tb_frame.f_code.co_name == "fail"
    assert set(server.codes) <= {0, 507012, 107012}


def test_the_traceback_is_on_stderr(run):
    done = run("""
import acl, threading
acl.init(); acl.rt.set_device(0)
stream, ret = acl.rt.create_stream()
acl.rt.subscribe_report(threading.get_ident(), stream)
def fail(data): raise ValueError("no " + data)
acl.rt.launch_callback(fail, "way", 0, stream)
print(acl.rt.process_report(1000))
""")
    assert done.returncode == 0 and done.stdout == "0\n"
    assert "Traceback" in done.stderr and "in fail" in done.stderr and "ValueError: no way" in done.stderr


def test_a_stream_without_a_thread_refuses(stream, context):
    for block in (BLOCK, NO_BLOCK):
        assert acl.rt.launch_callback(print, [], block, stream) == 107015
    assert "aclrtSubscribeReport" in acl.get_recent_err_msg()
    server = Server(context, stream)
    server.close()
    assert acl.rt.launch_callback(print, [], BLOCK, stream) == 107015


def test_wrong_use(stream, server):
    with pytest.raises(TypeError, match="parameter must be callable"):
        acl.rt.launch_callback(3, [], BLOCK, stream)
    with pytest.raises(TypeError, match=r"takes exactly 4 arguments \(3 given\)"):
        acl.rt.launch_callback(print, [], BLOCK)
    assert acl.rt.launch_callback(print, [], 2, stream) == 100000
    assert acl.rt.subscribe_report(server.thread, stream) == 107011
    assert acl.rt.process_report(1) == 107012
    assert acl.rt.process_report(0) == 100000


def test_later_work_waits_for_a_block_callback(stream, server):
    assert acl.rt.launch_callback(lambda data: time.sleep(0.3), None, BLOCK, stream) == 0
    start = time.monotonic()
    assert acl.rt.synchronize_stream(stream) == 0
    assert 0.25 < time.monotonic() - start


def test_a_time_out_without_work(server):
    deadline = time.monotonic() + 60
    while 507012 not in server.codes and time.monotonic() < deadline:
        time.sleep(0.01)
    assert 507012 in server.codes


def test_the_default_stream_and_a_stream_share_a_thread(context, stream):
    """The published system test: no context in the thread, both streams, unsubscribed while it serves."""
    leave, seen = threading.Event(), []

    def serve(arguments):
        while not leave.is_set():
            acl.rt.process_report(1000)

    thread, ret = acl.util.start_thread(serve, [])
    assert ret == 0
    for target in (stream, 0):
        assert acl.rt.subscribe_report(thread, target) == 0
        for number in range(2):
            assert acl.rt.launch_callback(seen.append, number, BLOCK, target) == 0
        assert acl.rt.synchronize_stream(target) == 0
    for target in (stream, 0):
        assert acl.rt.unsubscribe_report(thread, target) == 0
    leave.set()
    assert acl.util.stop_thread(thread) == 0
    assert seen == [0, 1, 0, 1]


def test_an_ordinary_thread_serves_by_its_ident(context, stream):
    leave, seen = threading.Event(), []

    def serve():
        while not leave.is_set():
            acl.rt.process_report(100)

    thread = threading.Thread(target=serve)
    thread.start()
    assert acl.rt.subscribe_report(thread.ident, stream) == 0
    assert acl.rt.launch_callback(lambda data: seen.append(threading.get_ident()), [], BLOCK, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert seen == [thread.ident]
    leave.set()
    thread.join()
    assert acl.rt.unsubscribe_report(thread.ident, stream) == 0  # after its end


def test_callbacks_may_call_the_module(stream, server):
    got = []

    def nested(data):
        pointer, ret = acl.rt.malloc(64, 0)
        got.append(ret)
        got.append(acl.rt.free(pointer))
        got.append(acl.rt.launch_callback(got.append, "nested", NO_BLOCK, stream))

    assert acl.rt.launch_callback(nested, None, BLOCK, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    deadline = time.monotonic() + 60
    while len(got) < 4 and time.monotonic() < deadline:
        acl.rt.synchronize_stream(stream)
    assert sorted(map(str, got)) == ["0", "0", "0", "nested"]
