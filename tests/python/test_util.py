# SPDX-License-Identifier: Apache-2.0
"""Addresses of Python's own memory."""
import ctypes
import gc
import weakref

import numpy as np
import pytest

import acl
from models import on_device

TYPES = {0: np.bool_, 1: np.int8, 2: np.uint8, 3: np.int16, 4: np.uint16, 5: np.int32, 6: np.uint32, 7: np.int64,
         8: np.uint64, 9: np.longlong, 10: np.ulonglong, 11: np.float32, 12: np.float64, 23: np.float16}


def test_bytes_to_ptr_is_the_storage_itself():
    data = bytes(range(16))
    assert ctypes.string_at(acl.util.bytes_to_ptr(data), 16) == data
    target = bytes(8)
    source = np.arange(8, dtype=np.uint8)
    assert acl.rt.memcpy(acl.util.bytes_to_ptr(target), 8, source.ctypes.data, 8, 0) == 0
    assert np.frombuffer(target, np.uint8).tolist() == list(range(8))


def test_a_temporary_lives_long_enough_to_be_copied():
    device, ret = acl.rt.malloc(1 << 20, 0)
    assert ret == 0
    for round in range(20):
        address = acl.util.bytes_to_ptr(np.full(1 << 20, round, np.uint8).tobytes())
        np.full(1 << 20, 255, np.uint8).tobytes()  # would take the place of a freed block
        assert acl.rt.memcpy(device, 1 << 20, address, 1 << 20, 1) == 0
        assert set(on_device(device, 1 << 20)) == {round}
    assert acl.rt.free(device) == 0


def test_only_the_last_few_objects_are_kept():
    class Array(np.ndarray):
        pass

    first = np.zeros(4).view(Array)
    gone = weakref.ref(first)
    acl.util.numpy_to_ptr(first)
    del first
    assert gone() is not None
    for _ in range(16):
        acl.util.bytes_to_ptr(bytes(4))
    gc.collect()
    assert gone() is None


def test_large_objects_are_kept_only_until_the_next():
    class Array(np.ndarray):
        pass

    first = np.zeros(100 << 20, np.uint8).view(Array)
    gone = weakref.ref(first)
    acl.util.numpy_to_ptr(first)
    del first
    assert gone() is not None
    acl.util.bytes_to_ptr(bytes(4))
    assert gone() is None


def test_ptr_to_bytes_copies():
    source = np.arange(4, dtype=np.uint8)
    copy = acl.util.ptr_to_bytes(source.ctypes.data, 4)
    source[:] = 9
    assert copy == bytes([0, 1, 2, 3])
    assert acl.util.ptr_to_bytes(0, 0) == b""
    with pytest.raises(ValueError, match="null address"):
        acl.util.ptr_to_bytes(0, 4)
    with pytest.raises(ValueError, match="negative"):
        acl.util.ptr_to_bytes(source.ctypes.data, -1)


def test_numpy_to_ptr_is_the_address_of_the_array(capfd):
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert acl.util.numpy_to_ptr(array) == array.ctypes.data
    assert capfd.readouterr().out == ""
    assert acl.util.numpy_to_ptr(array.T) == array.ctypes.data
    assert "numpy_contiguous_to_ptr" in capfd.readouterr().out
    for wrong in (b"1234", [1, 2], memoryview(array)):
        with pytest.raises(TypeError, match="argument 1 must be numpy.ndarray"):
            acl.util.numpy_to_ptr(wrong)


def test_numpy_contiguous_to_ptr_gives_the_array_that_owns_the_address():
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    pointer, same = acl.util.numpy_contiguous_to_ptr(array)
    assert pointer == array.ctypes.data and same is array
    pointer, made = acl.util.numpy_contiguous_to_ptr(array.T)
    assert pointer == made.ctypes.data != array.ctypes.data and made.flags.c_contiguous
    assert np.array_equal(made, array.T)


@pytest.mark.parametrize("number,dtype", TYPES.items())
def test_ptr_to_numpy_is_a_view_of_the_numbered_type(number, dtype):
    memory = np.arange(6).astype(dtype)
    view = acl.util.ptr_to_numpy(memory.ctypes.data, (2, 3), number)
    assert view.dtype == np.dtype(dtype) and view.shape == (2, 3) and np.array_equal(view.ravel(), memory)
    view[1, 2] = 1
    assert memory[5] == 1


def test_ptr_to_numpy_of_a_scalar_and_of_nothing():
    memory = np.array([5], np.int32)
    assert acl.util.ptr_to_numpy(memory.ctypes.data, (), 5) == 5
    assert acl.util.ptr_to_numpy(memory.ctypes.data, (0, 3), 5).shape == (0, 3)


def test_ptr_to_numpy_refuses_what_is_no_shape_or_type():
    with pytest.raises(TypeError, match="argument 2 must be tuple, not list"):
        acl.util.ptr_to_numpy(8, [1], 5)
    with pytest.raises(ValueError, match="argument 3 is not a numpy type number"):
        acl.util.ptr_to_numpy(8, (1,), 17)
    with pytest.raises(ValueError, match="argument 1 is a null address"):
        acl.util.ptr_to_numpy(0, (1,), 5)
    for shape in ((-1,), (2**62, 2**62)):
        with pytest.raises(ValueError, match="argument 2 is not a shape"):
            acl.util.ptr_to_numpy(8, shape, 5)


def test_the_module_works_without_numpy(run):
    done = run("import sys; sys.modules['numpy'] = None\nimport acl\n"
               "d = bytes(4); print(acl.util.ptr_to_bytes(acl.util.bytes_to_ptr(d), 4) == d)\n"
               "try: acl.util.numpy_to_ptr(d)\nexcept TypeError as e: print(e)\n"
               "try: acl.util.ptr_to_numpy(8, (1,), 5)\nexcept ImportError as e: print('ImportError')")
    assert done.stdout.splitlines()[0] == "True" and done.stdout.splitlines()[2] == "ImportError", done
