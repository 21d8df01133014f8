# SPDX-License-Identifier: Apache-2.0
"""A complete inference: load, describe, fill, execute, read, release.

usage: inference.py [MODEL]      without MODEL a small one is made
"""
import sys
import tempfile

import numpy as np

import acl

ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST = 1, 2
ACL_MEM_MALLOC_HUGE_FIRST = 0


def check(ret, what):
    if ret != 0:
        sys.exit(f"{what} returned {ret}: {acl.get_recent_err_msg()}")


def make_dataset(sizes):
    """Device memory for each size, in a dataset."""
    dataset, pointers = acl.mdl.create_dataset(), []
    for size in sizes:
        pointer, ret = acl.rt.malloc(size, ACL_MEM_MALLOC_HUGE_FIRST)
        check(ret, "malloc")
        _, ret = acl.mdl.add_dataset_buffer(dataset, acl.create_data_buffer(pointer, size))
        check(ret, "add_dataset_buffer")
        pointers.append(pointer)
    return dataset, pointers


def free_dataset(dataset, pointers):
    for index, pointer in enumerate(pointers):
        check(acl.rt.free(pointer), "free")
        check(acl.destroy_data_buffer(acl.mdl.get_dataset_buffer(dataset, index)), "destroy_data_buffer")
    check(acl.mdl.destroy_dataset(dataset), "destroy_dataset")


def main():
    if len(sys.argv) > 1:
        path = sys.argv[1]
    else:
        import small_model
        path = small_model.write(tempfile.mkdtemp() + "/small.onnx", 2)
    check(acl.init(), "init")
    check(acl.rt.set_device(0), "set_device")
    model, ret = acl.mdl.load_from_file(path)
    check(ret, "load_from_file")
    desc = acl.mdl.create_desc()
    check(acl.mdl.get_desc(desc, model), "get_desc")

    input_sizes = [acl.mdl.get_input_size_by_index(desc, i) for i in range(acl.mdl.get_num_inputs(desc))]
    output_sizes = [acl.mdl.get_output_size_by_index(desc, i) for i in range(acl.mdl.get_num_outputs(desc))]
    inputs, input_pointers = make_dataset(input_sizes)
    outputs, output_pointers = make_dataset(output_sizes)
    for i, size in enumerate(input_sizes):
        dims, ret = acl.mdl.get_input_dims(desc, i)
        check(ret, "get_input_dims")
        print(f"input  {dims['name']}: {dims['dims']}, {size} bytes")
        data = (np.arange(size // 4, dtype=np.float32) / 10).tobytes()
        check(acl.rt.memcpy(input_pointers[i], size, acl.util.bytes_to_ptr(data), len(data), ACL_MEMCPY_HOST_TO_DEVICE),
              "memcpy")

    check(acl.mdl.execute(model, inputs, outputs), "execute")

    for i, size in enumerate(output_sizes):
        dims, ret = acl.mdl.get_cur_output_dims(desc, i)
        check(ret, "get_cur_output_dims")
        data = bytes(size)
        check(acl.rt.memcpy(acl.util.bytes_to_ptr(data), size, output_pointers[i], size, ACL_MEMCPY_DEVICE_TO_HOST),
              "memcpy")
        values = np.frombuffer(data, np.float32)[:int(np.prod(dims["dims"]))].reshape(dims["dims"])
        print(f"output {dims['name']}: {dims['dims']}\n{np.round(values, 4)}")

    free_dataset(inputs, input_pointers)
    free_dataset(outputs, output_pointers)
    check(acl.mdl.unload(model), "unload")
    check(acl.mdl.destroy_desc(desc), "destroy_desc")
    check(acl.rt.reset_device(0), "reset_device")
    check(acl.finalize(), "finalize")


if __name__ == "__main__":
    main()
