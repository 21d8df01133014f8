# SPDX-License-Identifier: Apache-2.0
"""The end of the interpreter with streams, threads and callbacks alive: no hang, no crash. BELAY_EXITS says how often."""
import os

import pytest

TIMES = int(os.environ.get("BELAY_EXITS", "2"))

START = """
import acl, sys, threading, time
assert acl.init() == 0 and acl.rt.set_device(0) == 0
context, _ = acl.rt.create_context(0)
stream, _ = acl.rt.create_stream()
"""

PROGRAMS = {
    "nothing released": "",
    "thread of acl.util serving": """
def serve(a):
    acl.rt.set_context(context)
    while True: acl.rt.process_report(10)
thread, _ = acl.util.start_thread(serve, [])
assert acl.rt.subscribe_report(thread, stream) == 0
""",
    "thread of acl.util waiting for ever": """
def serve(a):
    while acl.rt.process_report(-1) == 107012: pass  # not yet subscribed
thread, _ = acl.util.start_thread(serve, [])
assert acl.rt.subscribe_report(thread, stream) == 0
""",
    "daemon thread serving": """
def serve():
    acl.rt.set_context(context)
    while True: acl.rt.process_report(10)
thread = threading.Thread(target=serve, daemon=True)
thread.start()
assert acl.rt.subscribe_report(thread.ident, stream) == 0
""",
    "callbacks running and queued": """
def serve(a):
    acl.rt.set_context(context)
    while True: acl.rt.process_report(10)
thread, _ = acl.util.start_thread(serve, [])
assert acl.rt.subscribe_report(thread, stream) == 0
ran = threading.Event()
def work(data):
    ran.set()
    time.sleep(0.002)
for number in range(500): assert acl.rt.launch_callback(work, number, number % 2, stream) == 0
ran.wait()
""",
    "a callback that does not end": """
def serve(a):
    while acl.rt.process_report(-1) == 107012: pass  # not yet subscribed
thread, _ = acl.util.start_thread(serve, [])
assert acl.rt.subscribe_report(thread, stream) == 0
ran = threading.Event()
def work(data):
    ran.set()
    while True: time.sleep(0.001)
assert acl.rt.launch_callback(work, None, 1, stream) == 0
ran.wait()
""",
    "threads in Python code": """
def busy(a):
    while True: sum(range(100))
for _ in range(3): acl.util.start_thread(busy, [])
time.sleep(0.02)
""",
    "released by __del__ at the end": """
class Owner:
    def __init__(self, stream): self.stream, self.acl = stream, acl
    def __del__(self):
        self.acl.rt.destroy_stream(self.stream)
        self.acl.rt.reset_device(0)
        self.acl.finalize()
        print("released", flush=True)
def serve(a):
    acl.rt.set_context(context)
    while True: acl.rt.process_report(10)
thread, _ = acl.util.start_thread(serve, [])
assert acl.rt.subscribe_report(thread, stream) == 0
for number in range(20): acl.rt.launch_callback(lambda d: time.sleep(0.001), number, 1, stream)
owner = Owner(stream)
sys.owner = owner
""",
    "models at work, dumped to a function": """
import tempfile, models
file, answer = models.dense(tempfile.mkdtemp() + "/dense.onnx")
assert acl.mdl.init_dump() == 0
ran = threading.Event()
def receive(chunk):
    ran.set()
    time.sleep(0.0005)
assert acl.mdl.dump_reg_callback(receive, 0) == 0
def work(a):
    acl.rt.set_context(context)
    model = models.Model(file)
    inputs, outputs = (models.Buffers(sizes) for sizes in model.sizes())
    while True: acl.mdl.execute(model.id, inputs.dataset, outputs.dataset)
for _ in range(2): acl.util.start_thread(work, [])
ran.wait()
""",
    "an exception callback and an allocator registered": """
acl.rt.set_exception_info_callback(print)
desc = acl.rt.allocator_create_desc()
acl.rt.allocator_set_obj_to_desc(desc, 1)
acl.rt.allocator_set_alloc_func_to_desc(desc, lambda a, s: 0)
acl.rt.allocator_set_free_func_to_desc(desc, lambda a, s: 0)
acl.rt.allocator_set_get_addr_from_block_func_to_desc(desc, lambda a: 0)
assert acl.rt.allocator_register(stream, desc) == 0
""",
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("ending", ["", "sys.exit(0)"], ids=["runs out", "sys.exit"])
def test_the_interpreter_ends(run, program, ending):
    for _ in range(TIMES):
        done = run(START + PROGRAMS[program] + "print('end', flush=True)\n" + ending, timeout=60)
        assert done.returncode == 0 and done.stdout.startswith("end\n"), (done.returncode, done.stdout, done.stderr)
        assert "Fatal" not in done.stderr and "terminate" not in done.stderr, done.stderr
