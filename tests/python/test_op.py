# SPDX-License-Identifier: Apache-2.0
"""Single operators from Python; numpy is the oracle."""
import numpy as np
import pytest

import acl
from models import FLOAT, ND, check, on_device

FLOAT16 = 1


class Tensor:
    """Device memory with its descriptor and data buffer."""

    def __init__(self, array, acl_type=FLOAT):
        self.shape, self.dtype, self.size = array.shape, array.dtype, array.nbytes
        self.desc = acl.create_tensor_desc(acl_type, list(array.shape), ND)
        self.pointer, ret = acl.rt.malloc(array.nbytes, 0)
        check(ret)
        check(acl.rt.memcpy(self.pointer, self.size, array.ctypes.data, self.size, 1))
        self.buffer = acl.create_data_buffer(self.pointer, self.size)

    def read(self):
        return np.frombuffer(on_device(self.pointer, self.size), self.dtype).reshape(self.shape)

    def close(self):
        acl.destroy_tensor_desc(self.desc)
        check(acl.destroy_data_buffer(self.buffer))
        check(acl.rt.free(self.pointer))


@pytest.fixture
def tensors():
    made = []

    def make(array, acl_type=FLOAT):
        made.append(Tensor(np.ascontiguousarray(array), acl_type))
        return made[-1]

    yield make
    for tensor in made:
        tensor.close()


@pytest.fixture
def attributes():
    attributes = acl.op.create_attr()
    assert attributes != 0
    yield attributes
    assert acl.op.destroy_attr(attributes) is None


A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.full((2, 3), 10, np.float32)


def test_execute_v2_adds(stream, tensors, attributes):
    a, b, y = tensors(A), tensors(B), tensors(np.zeros_like(A))
    check(acl.op.execute_v2("Add", [a.desc, b.desc], [a.buffer, b.buffer], [y.desc], [y.buffer], attributes, stream))
    check(acl.rt.synchronize_stream(stream))
    assert np.array_equal(y.read(), A + B)


def test_attributes_reach_the_operator(stream, tensors, attributes):
    a, y = tensors(A), tensors(np.zeros((2, 1), np.float32))
    check(acl.op.set_attr_list_int(attributes, "axes", [1]))
    check(acl.op.set_attr_bool(attributes, "keep_dims", True))
    check(acl.op.execute_v2("ReduceSumD", [a.desc], [a.buffer], [y.desc], [y.buffer], attributes, stream))
    check(acl.rt.synchronize_stream(stream))
    assert np.array_equal(y.read(), A.sum(axis=1, keepdims=True))


def test_a_handle_executes_more_than_once(stream, tensors, attributes):
    a, b, y = tensors(A), tensors(B), tensors(np.zeros_like(A))
    handle, ret = acl.op.create_handle("Mul", [a.desc, b.desc], [y.desc], attributes)
    check(ret)
    for _ in range(2):
        check(acl.op.execute_with_handle(handle, [a.buffer, b.buffer], [y.buffer], stream))
    check(acl.rt.synchronize_stream(stream))
    assert np.array_equal(y.read(), A * B)
    assert acl.op.destroy_handle(handle) is None


def test_cast(stream, tensors):
    a, y = tensors(A), tensors(np.zeros(A.shape, np.float16), FLOAT16)
    check(acl.op.cast(a.desc, a.buffer, y.desc, y.buffer, 0, stream))
    check(acl.rt.synchronize_stream(stream))
    assert np.array_equal(y.read(), A.astype(np.float16))


def test_attributes_of_every_kind_are_taken(attributes):
    check(acl.op.set_attr_int(attributes, "i", -3))
    check(acl.op.set_attr_float(attributes, "f", 1))
    check(acl.op.set_attr_string(attributes, "s", "text"))
    assert acl.op.set_attr_data_type(attributes, "t", FLOAT16) == (attributes, 0)
    assert acl.op.set_attr_list_data_type(attributes, "ts", [FLOAT, FLOAT16]) == (attributes, 0)
    check(acl.op.set_attr_list_bool(attributes, "bs", [1, 0, True]))
    check(acl.op.set_attr_list_float(attributes, "fs", [1.5, 2]))
    check(acl.op.set_attr_list_string(attributes, "ss", ["a", "bc"]))
    check(acl.op.set_attr_list_list_int(attributes, "ll", [[1, 2], [], [3]]))
    with pytest.warns(UserWarning):
        check(acl.op.set_attr_list_float(attributes, "fs", np.array([1, 2], np.float32)))
    with pytest.raises(ValueError):
        acl.op.set_attr_list_string(attributes, "ss", ["a", 3])


def test_blas_multiplies_at_addresses(stream, tensors):
    random = np.random.default_rng(5)
    a, b = (random.integers(-3, 4, shape).astype(np.float16) for shape in ((2, 4), (4, 3)))
    c = np.ones((2, 3), np.float16)
    one, two = tensors(np.array([1], np.float16), FLOAT16), tensors(np.array([2], np.float16), FLOAT16)
    left, right, result = (tensors(matrix, FLOAT16) for matrix in (a, b, c))
    check(acl.blas.hgemm(0, 0, 0, 2, 3, 4, two.pointer, left.pointer, -1, right.pointer, -1, one.pointer,
                         result.pointer, -1, 0, stream))
    check(acl.rt.synchronize_stream(stream))
    assert np.array_equal(result.read(), 2 * (a @ b) + c)


def test_an_unknown_operator_is_refused(stream, tensors, attributes):
    a, y = tensors(A), tensors(np.zeros_like(A))
    ret = acl.op.execute_v2("NoSuchOp", [a.desc], [a.buffer], [y.desc], [y.buffer], attributes, stream)
    assert ret == 100024
    assert "NoSuchOp" in acl.get_recent_err_msg()


def test_fewer_descriptors_than_buffers_are_refused(stream, tensors, attributes):
    a, y = tensors(A), tensors(np.zeros_like(A))
    assert acl.op.execute_v2("Relu", [], [a.buffer], [y.desc], [y.buffer], attributes, stream) == 100000
