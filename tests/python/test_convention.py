# SPDX-License-Identifier: Apache-2.0
"""Calling convention: integers, lists, texts, errors."""
import sys

import numpy as np
import pytest

import acl


def test_anything_with_index_is_an_integer():
    class Index:
        def __index__(self):
            return 64

    for size in (64, np.int64(64), np.uint8(64), Index(), True):
        pointer, ret = acl.rt.malloc(size, 0)
        assert ret == 0 and type(pointer) is int
        assert acl.rt.free(np.uint64(pointer)) == 0


def test_handles_are_taken_modulo_two_to_the_64():
    assert acl.rt.free(-1) == acl.rt.free(2**64 - 1) != 0
    assert acl.rt.free(2**64) == acl.rt.free(0)


def test_a_narrow_number_may_be_signed_or_unsigned_but_must_fit():
    desc = acl.create_tensor_desc(-1, [], -1)
    assert acl.get_tensor_desc_type(desc) == -1 and acl.get_tensor_desc_format(desc) == -1
    acl.destroy_tensor_desc(desc)
    assert acl.rt.set_device(-1) == acl.rt.set_device(0xFFFFFFFF) != 0
    with pytest.raises(OverflowError, match="acl.rt.set_device args parse failed: argument 1 does not fit into 32 bits"):
        acl.rt.set_device(2**32)


def test_an_exception_in_index_comes_through():
    class Index:
        def __index__(self):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        acl.rt.malloc(Index(), 0)


def test_lists_are_real_lists_of_numbers():
    desc = acl.create_tensor_desc(0, [2, np.int32(3), -1], 2)
    assert [acl.get_tensor_desc_dim_v2(desc, i) for i in range(3)] == [(2, 0), (3, 0), (-1, 0)]
    acl.destroy_tensor_desc(desc)
    for wrong in ((2, 3), np.array([2, 3]), range(3)):
        with pytest.raises(TypeError, match="acl.create_tensor_desc args parse failed: argument 2 is not list"):
            acl.create_tensor_desc(0, wrong, 2)
    with pytest.raises(ValueError, match="argument 2 has an element of the wrong type"):
        acl.create_tensor_desc(0, [1, "2"], 2)


def test_ranges_go_in_as_lists_of_two_and_come_out_so():
    desc = acl.create_tensor_desc(0, [-1, 4], 2)
    assert acl.set_tensor_shape_range(desc, [[1, 8], [4, 4]]) == 0
    assert acl.get_tensor_desc_dim_range(desc, 0, 2) == ([1, 8], 0)
    assert acl.get_tensor_desc_dim_range(desc, 9, 2) == (None, 100000)
    with pytest.raises(ValueError):
        acl.set_tensor_shape_range(desc, [[1, 2, 3]])
    acl.destroy_tensor_desc(desc)


def test_texts():
    desc = acl.create_tensor_desc(0, [1], 2)
    assert acl.set_tensor_desc_name(desc, "näme") is None
    assert acl.get_tensor_desc_name(desc) == "näme"
    assert acl.destroy_tensor_desc(desc) is None
    with pytest.raises(ValueError, match="null character"):
        acl.mdl.load_from_file("a\0b")
    with pytest.raises(TypeError, match="argument 1 must be str, not bytes"):
        acl.mdl.load_from_file(b"a")


def test_failures_return_codes_and_keep_the_shape():
    assert acl.mdl.load_from_file("/nowhere.om") == (0, acl.mdl.load_from_file("/nowhere.om")[1])
    assert acl.mdl.load_from_file("/nowhere.om")[1] != 0
    assert acl.mdl.get_input_dims(0, 0) == ({}, 100000)
    assert acl.mdl.get_cur_output_dims(0, 0) == ({}, 100000)
    assert acl.mdl.get_dynamic_batch(0) == ({}, 100000)
    assert acl.mdl.get_dynamic_hw(0, -1) == ({}, 100000)
    assert acl.mdl.get_input_dims_range(0, 0) == ({"rangeCount": 0, "range": []}, 100000)
    assert acl.mdl.get_input_dynamic_dims(0, -1, 2) == ([{}, {}], 100000)
    assert acl.mdl.get_input_dynamic_dims(0, -1, 4097) == (None, 100000)
    info, ret = acl.mdl.get_first_aipp_info(0, 0)
    assert info is None and ret != 0
    assert acl.mdl.add_dataset_buffer(0, 0) == (0, 100000)
    assert acl.mdl.get_input_index_by_name(0, "x")[1] == 100000


def test_the_message_of_a_failure_is_a_text_and_read_once():
    assert acl.rt.free(0) != 0
    assert "aclrtFree" in acl.get_recent_err_msg()
    assert acl.get_recent_err_msg() is None


def test_dicts_of_the_runtime():
    pointer, ret = acl.rt.malloc_with_cfg(64, 0, {"numAttrs": 1, "attrs": [{"attr": 1, "value": {"moduleId": 3}}]})
    assert ret == 0
    attributes, ret = acl.rt.pointer_get_attributes(pointer)
    assert ret == 0 and attributes["location"] == {"id": 0, "type": 1} and set(attributes) == {"location", "page_size", "rsv"}
    assert acl.rt.free(pointer) == 0
    pointer, ret = acl.rt.malloc_host_with_cfg(64, {})
    assert ret == 0 and acl.rt.free_host(pointer) == 0
    with pytest.raises(ValueError, match="fewer 'attrs' than 'numAttrs'"):
        acl.rt.malloc_with_cfg(64, 0, {"numAttrs": 2, "attrs": []})
    prop = {"handleType": 0, "allocationType": 0, "memAttr": 4, "location": {"id": 0, "type": 1}, "reserve": 0}
    size, ret = acl.rt.mem_get_allocation_granularity(prop, 1)
    assert ret == 0 and size > 0
    handle, ret = acl.rt.malloc_physical(size, prop, 0)
    assert ret == 0 and acl.rt.free_physical(handle) == 0
    uuid, ret = acl.rt.device_get_uuid(0)
    assert ret != 0 or (len(uuid["bytes"]) == 16 and all(0 <= byte < 256 for byte in uuid["bytes"]))


def test_a_stream_attribute_is_read_by_its_own_key(stream):
    value = {"failureMode": 1, "overflowSwitch": 0, "userCustomTag": 0}
    assert acl.rt.set_stream_attribute(stream, 1, value) == 0
    got, ret = acl.rt.get_stream_attribute(stream, 1)
    assert ret == 0 and got["failureMode"] == 1 and set(got) == {"failureMode", "overflowSwitch", "userCustomTag", "reserved"}


def test_versions_and_numbers():
    assert acl.get_version()[3] == 0 and len(acl.get_version()) == 4
    version, ret = acl.get_cann_version(0)
    assert set(version) == {"version", "major_version", "minor_version", "release_version", "patch_version",
                            "reserved"} or ret != 0
    assert acl.float16_to_float(0x3C00) == 1.0 and acl.float_to_float16(1.0) == 0x3C00
    attributes, count, ret = acl.get_cann_attribute_list()
    assert ret == 0 and len(attributes) == count > 0
    assert acl.data_type_size(0) == 4
    active, flags, ret = acl.rt.get_primary_ctx_state(0)
    assert (active, ret) == (1, 0)


def test_importing_needs_no_device(run):
    done = run("import acl; print(acl.get_soc_name(), acl.rt.get_device()[1] != 0, acl.rt.get_device_count()[1],"
               "acl.app_log(1, 'hello'))")
    assert done.stdout.split()[1:] == ["True", "0", "None"] and done.stdout.startswith("Ascend"), done


def test_messages_of_the_program_may_have_percent_signs():
    assert acl.app_log(0, "100%s %n") is None


def test_events_and_elapsed_time_are_floats(stream):
    events = [acl.rt.create_event()[0] for _ in range(2)]
    for event in events:
        assert acl.rt.record_event(event, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    milliseconds, ret = acl.rt.event_elapsed_time(*events)
    assert ret == 0 and type(milliseconds) is float and milliseconds >= 0
    for event in events:
        assert acl.rt.destroy_event(event) == 0


def test_arrays_are_lists_for_operator_attributes_only_with_the_right_type():
    with pytest.warns(UserWarning, match="pass a list"):
        acl.op.set_attr_list_int(0, "axes", np.array([1, 2], np.int64))
    with pytest.raises(TypeError, match="argument 3 is not list"):
        acl.op.set_attr_list_int(0, "axes", np.array([1, 2], np.int32))
    with pytest.raises(TypeError, match="argument 2 is not list"):
        acl.op.execute_v2("Add", (), [], [], [], 0, 0)


def test_results_have_no_extra_references():
    dims, _ = acl.mdl.get_input_dims(0, 0)
    assert sys.getrefcount(dims) == 2
