# SPDX-License-Identifier: Apache-2.0
"""What a call from Python costs: copies of 4 bytes against the same call in C, and round trips of callbacks.

usage: calls.py LOOP_LIBRARY      (with the module on PYTHONPATH)
"""
import ctypes
import statistics
import sys
import time

import acl

COUNT, ROUNDS = 200_000, 7
HOST_TO_DEVICE = 1


def copies(loop):
    loop.nanoseconds_per_copy.restype = ctypes.c_double
    loop.nanoseconds_per_copy.argtypes = [ctypes.c_uint64] * 3 + [ctypes.c_int] * 2
    device, ret = acl.rt.malloc(64, 0)
    assert ret == 0
    host, ret = acl.rt.malloc_host(64)
    assert ret == 0
    in_c, in_python, nothing = [], [], []
    memcpy, probe = acl.rt.memcpy, acl.data_type_size
    for _ in range(ROUNDS):  # turn by turn, so that both see the same machine
        in_c.append(loop.nanoseconds_per_copy(device, host, 4, HOST_TO_DEVICE, COUNT))
        start = time.perf_counter_ns()
        for _ in range(COUNT):
            memcpy(device, 4, host, 4, HOST_TO_DEVICE)
        in_python.append((time.perf_counter_ns() - start) / COUNT)
        start = time.perf_counter_ns()
        for _ in range(COUNT):
            probe(0)
        nothing.append((time.perf_counter_ns() - start) / COUNT)
    c, python = statistics.median(in_c), statistics.median(in_python)
    print(f"4-byte copy: C {c:.0f} ns, Python {python:.0f} ns: {python / c:.2f} times, {python - c:.0f} ns more")
    print(f"the smallest call, acl.data_type_size: {statistics.median(nothing):.0f} ns")


def round_trips():
    stream, ret = acl.rt.create_stream()
    assert ret == 0
    over = []

    def serve():
        while not over:
            acl.rt.process_report(100)

    thread, ret = acl.util.start_thread(serve, None)
    assert ret == 0 and acl.rt.subscribe_report(thread, stream) == 0
    count, seen = 20_000, []

    def measured(name, after_each):
        start = time.perf_counter()
        for _ in range(count):
            acl.rt.launch_callback(seen.append, None, 1, stream)
            after_each()
        acl.rt.synchronize_stream(stream)
        seconds = time.perf_counter() - start
        print(f"{name}: {count / seconds:,.0f} per second")

    measured("callbacks, one at a time (launch, wait for it)", lambda: acl.rt.synchronize_stream(stream))
    measured("callbacks, queued and waited for at the end", lambda: None)
    assert len(seen) == 2 * count
    over.append(1)
    assert acl.rt.unsubscribe_report(thread, stream) == 0 and acl.util.stop_thread(thread) == 0


assert acl.init() == 0 and acl.rt.set_device(0) == 0
copies(ctypes.CDLL(sys.argv[1]))
round_trips()
