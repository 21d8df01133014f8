# SPDX-License-Identifier: Apache-2.0
"""Small ONNX models and a program's way of running them."""
import warnings

import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for _name, _type in (("float", float), ("int", int), ("bool", bool), ("object", object)):  # for onnx 1.12
        if not hasattr(np, _name):
            setattr(np, _name, _type)
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import acl  # noqa: E402

HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2
HUGE_FIRST = 0
FLOAT, ND = 0, 2


def save(path, nodes, inputs, outputs, weights=()):
    """inputs and outputs: {name: shape}, all float32; weights: {name: array}."""
    infos = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in side.items()]
             for side in (inputs, outputs)]
    graph = helper.make_graph(nodes, "net", *infos,
                              [numpy_helper.from_array(value, name) for name, value in dict(weights).items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))
    return str(path)


def dense(path, rows=2):
    """y = relu(x w + b): the file, and numpy's answer as a function."""
    random = np.random.default_rng(7)
    w = random.standard_normal((4, 3)).astype(np.float32)
    b = random.standard_normal(3).astype(np.float32)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"], "matmul"), helper.make_node("Add", ["m", "b"], ["a"], "add"),
             helper.make_node("Relu", ["a"], ["y"], "relu")]
    file = save(path, nodes, {"x": [rows, 4]}, {"y": [rows, 3]}, {"w": w, "b": b})
    return file, lambda x: np.maximum(x @ w + b, 0)


def growing(path):
    """y = exp(x + x) * (x + x), for any number of rows: tensors in between that live in allocated memory."""
    nodes = [helper.make_node("Add", ["x", "x"], ["a"], "add"), helper.make_node("Exp", ["a"], ["e"], "exp"),
             helper.make_node("Mul", ["e", "a"], ["y"], "mul")]
    file = save(path, nodes, {"x": ["n", 8]}, {"y": ["n", 8]})
    return file, lambda x: np.exp(x + x) * (x + x)


def sifting(path):
    """What of exp(x) is not 0, whose shape only the run can tell: it runs node by node, each with blocks of its own."""
    nodes = [helper.make_node("Exp", ["x"], ["e"], "exp"), helper.make_node("NonZero", ["e"], ["i"], "find"),
             helper.make_node("Transpose", ["i"], ["t"], "turn"), helper.make_node("GatherND", ["e", "t"], ["y"], "pick")]
    return save(path, nodes, {"x": ["n", 8]}, {"y": ["m"]}), lambda x: np.exp(x)


def check(ret):
    assert ret == 0, (ret, acl.get_recent_err_msg())


def on_device(pointer, size):
    """The bytes there, by a copy."""
    host = np.empty(size, np.uint8)
    check(acl.rt.memcpy(acl.util.numpy_to_ptr(host), size, pointer, size, DEVICE_TO_HOST))
    return host.tobytes()


class Buffers:
    """A dataset whose buffers are device memory of these sizes."""

    def __init__(self, sizes):
        self.dataset = acl.mdl.create_dataset()
        self.sizes, self.pointers, self.buffers = list(sizes), [], []
        for size in self.sizes:
            pointer, ret = acl.rt.malloc(max(size, 1), HUGE_FIRST)
            check(ret)
            buffer = acl.create_data_buffer(pointer, size)
            dataset, ret = acl.mdl.add_dataset_buffer(self.dataset, buffer)
            check(ret)
            assert dataset == self.dataset
            self.pointers.append(pointer)
            self.buffers.append(buffer)

    def write(self, index, array):
        data = np.ascontiguousarray(array).tobytes()
        check(acl.rt.memcpy(self.pointers[index], len(data), acl.util.bytes_to_ptr(data), len(data), HOST_TO_DEVICE))

    def read(self, index, shape, dtype=np.float32):
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        host, ret = acl.rt.malloc_host(size)
        check(ret)
        check(acl.rt.memcpy(host, size, self.pointers[index], size, DEVICE_TO_HOST))
        result = np.frombuffer(acl.util.ptr_to_bytes(host, size), dtype).reshape(shape)
        check(acl.rt.free_host(host))
        return result

    def close(self):
        for pointer, buffer in zip(self.pointers, self.buffers):
            check(acl.rt.free(pointer))
            check(acl.destroy_data_buffer(buffer))
        check(acl.mdl.destroy_dataset(self.dataset))


class Model:
    """A loaded model with its description."""

    def __init__(self, path):
        self.id, ret = acl.mdl.load_from_file(path)
        check(ret)
        self.desc = acl.mdl.create_desc()
        check(acl.mdl.get_desc(self.desc, self.id))

    def sizes(self):
        d = self.desc
        return ([acl.mdl.get_input_size_by_index(d, i) for i in range(acl.mdl.get_num_inputs(d))],
                [acl.mdl.get_output_size_by_index(d, i) for i in range(acl.mdl.get_num_outputs(d))])

    def close(self):
        check(acl.mdl.unload(self.id))
        check(acl.mdl.destroy_desc(self.desc))
