# SPDX-License-Identifier: Apache-2.0
"""Nothing leaks over 10 000 calls."""
import gc
import resource
import sys

import numpy as np
import pytest

import acl

CALLS = 10_000
FEW = CALLS // 20  # caches come and go; a leak would leave one for each call


def blocks_after(function, count):
    """Blocks of Python's own memory that `count` calls leave behind."""
    for _ in range(200):
        function()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(count):
        function()
    gc.collect()
    return sys.getallocatedblocks() - before


DATA = bytes(64)
ARRAY = np.arange(16, dtype=np.float32)


def raising():
    try:
        acl.rt.malloc("a", 0)
    except TypeError:
        pass


def wrong_list():
    try:
        acl.create_tensor_desc(0, [1, "x"], 2)
    except ValueError:
        pass


def tensor_desc():
    desc = acl.create_tensor_desc(0, [1, 2, 3], 2)
    acl.set_tensor_shape_range(desc, [[1, 2], [2, 2], [3, 3]])
    acl.set_tensor_desc_name(desc, "name")
    acl.get_tensor_desc_name(desc)
    acl.get_tensor_desc_dim_range(desc, 0, 2)
    acl.destroy_tensor_desc(desc)


def dataset():
    buffer = acl.create_data_buffer(0, 0)
    data = acl.mdl.create_dataset()
    acl.mdl.add_dataset_buffer(data, buffer)
    acl.mdl.destroy_dataset(data)
    acl.destroy_data_buffer(buffer)


def allocator():
    desc = acl.rt.allocator_create_desc()
    acl.rt.allocator_set_obj_to_desc(desc, 5)
    acl.rt.allocator_set_alloc_func_to_desc(desc, lambda a, s: 0)
    acl.rt.allocator_set_free_func_to_desc(desc, lambda a, b: 0)
    acl.rt.allocator_destroy_desc(desc)


CASES = {
    "malloc": lambda: acl.rt.free(acl.rt.malloc(64, 0)[0]),
    "memcpy": lambda: acl.rt.memcpy(ARRAY.ctypes.data, 64, acl.util.bytes_to_ptr(DATA), 64, 0),
    "bytes": lambda: acl.util.ptr_to_bytes(acl.util.bytes_to_ptr(DATA), 64),
    "numpy": lambda: acl.util.ptr_to_numpy(acl.util.numpy_to_ptr(ARRAY), (4, 4), 11),
    "contiguous": lambda: acl.util.numpy_contiguous_to_ptr(ARRAY[::2]),
    "dims of nothing": lambda: acl.mdl.get_input_dims(0, 0),
    "gears of nothing": lambda: acl.mdl.get_input_dynamic_dims(0, -1, 3),
    "attributes": lambda: acl.rt.malloc_with_cfg(0, 0, {"numAttrs": 1, "attrs": [{"attr": 1, "value": {"moduleId": 1}}]}),
    "pointer attributes": lambda: acl.rt.pointer_get_attributes(ARRAY.ctypes.data),
    "message": lambda: (acl.rt.free(0), acl.get_recent_err_msg()),
    "refusal": lambda: (acl.media.dvpp_create_channel(0), acl.get_recent_err_msg()),
    "texts": lambda: (acl.get_soc_name(), acl.get_version(), acl.get_cann_attribute_list()),
    "operator": lambda: acl.op.execute_v2("Add", [0], [0], [0], [0], 0, 0),
    "TypeError": raising, "ValueError": wrong_list, "tensor desc": tensor_desc, "dataset": dataset,
    "allocator": allocator,
}


@pytest.mark.parametrize("case", CASES)
def test_calls_leave_no_objects_behind(case):
    assert blocks_after(CASES[case], CALLS) < FEW


def test_callbacks_leave_no_objects_behind(stream):
    leave = []

    def serve():
        while not leave:
            acl.rt.process_report(20)

    thread, _ = acl.util.start_thread(serve, None)
    assert acl.rt.subscribe_report(thread, stream) == 0

    def launch():
        assert acl.rt.launch_callback(lambda data: None, {"a": []}, 1, stream) == 0
        assert acl.rt.synchronize_stream(stream) == 0

    assert blocks_after(launch, CALLS) < FEW
    assert acl.rt.unsubscribe_report(thread, stream) == 0
    leave.append(1)
    assert acl.util.stop_thread(thread) == 0


def test_threads_leave_nothing_behind():
    def start():
        thread, ret = acl.util.start_thread(lambda data: None, [1])
        assert ret == 0 and acl.util.stop_thread(thread) == 0

    assert blocks_after(start, 1000) < FEW


def test_memory_of_the_process_does_not_grow():
    case = [CASES[name] for name in ("tensor desc", "dataset", "refusal", "message", "allocator")]
    for _ in range(2000):
        for function in case:
            function()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(5 * CALLS):  # 100 bytes a call would be 5 MB
        for function in case:
            function()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096  # KiB
