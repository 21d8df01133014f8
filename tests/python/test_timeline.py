# SPDX-License-Identifier: Apache-2.0
"""BELAY_TIMELINE: a program's tasks, copies and callbacks, on the threads that ran them."""
import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import acl, threading
assert acl.init() == 0 and acl.rt.set_device(0) == 0
context, _ = acl.rt.create_context(0)
stream, _ = acl.rt.create_stream()
left, leave = [], threading.Event()
def serve(a):
    acl.rt.set_context(context)
    while not leave.is_set(): acl.rt.process_report(20)
thread, _ = acl.util.start_thread(serve, [])
assert acl.rt.subscribe_report(thread, stream) == 0
device, _ = acl.rt.malloc(4096, 0)
host, _ = acl.rt.malloc_host(4096)
assert acl.rt.memcpy_async(device, 4096, host, 4000, 1, stream) == 0
for _ in range(3): assert acl.rt.launch_callback(left.append, 1, 1, stream) == 0
assert acl.rt.synchronize_stream(stream) == 0
assert acl.rt.memcpy(host, 4096, device, 96, 2) == 0
assert acl.rt.unsubscribe_report(thread, stream) == 0
leave.set()
acl.util.stop_thread(thread)
assert len(left) == 3
acl.rt.destroy_stream(stream)
assert acl.finalize() == 0
"""


@pytest.fixture
def spans(tmp_path):
    path = tmp_path / "timeline.json"
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, timeout=120, env={**os.environ, "BELAY_TIMELINE": str(path)})
    events = json.loads(path.read_text())["traceEvents"]
    return {kind: [e for e in events if e.get("cat") == kind] for kind in ("task", "copy", "callback")}


def end(span):
    return span["ts"] + span["dur"]


def test_tasks_copies_and_callbacks_are_where_they_ran(spans):
    tasks, copies, callbacks = (spans[kind] for kind in ("task", "copy", "callback"))
    assert (len(tasks), len(callbacks)) == (4, 3)
    assert sorted(copy["args"]["bytes"] for copy in copies) == [96, 4000]
    assert len({task["tid"] for task in tasks}) == len({call["tid"] for call in callbacks}) == 1
    behind = next(copy for copy in copies if copy["args"]["bytes"] == 4000)
    assert behind["tid"] == tasks[0]["tid"] != callbacks[0]["tid"]
    assert tasks[0]["ts"] <= behind["ts"] and end(behind) <= end(tasks[0]) + 1e-3
    # A BLOCK callback runs while its task waits for it.
    for task, call in zip(tasks[1:], callbacks):
        assert task["ts"] <= call["ts"] <= end(task)


def test_nothing_is_written_without_the_variable(tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "BELAY_TIMELINE"}
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, timeout=120, env=environment, cwd=tmp_path)
    assert not list(tmp_path.iterdir())
