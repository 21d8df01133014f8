# SPDX-License-Identifier: Apache-2.0
"""An allocator in Python: the memory between the operators of a model with changing shapes comes from a pool of ours."""
import sys
import tempfile

import numpy as np

import acl
import small_model

ACL_FLOAT, ACL_FORMAT_ND = 0, 2
ACL_MEMCPY_HOST_TO_DEVICE = 1
ACL_MEMCPY_DEVICE_TO_HOST = 2


def check(ret, what):
    if ret != 0:
        sys.exit(f"{what} returned {ret}: {acl.get_recent_err_msg()}")


class Pool:
    """Keeps freed blocks and hands them out again. A block is a number of our own, never 0."""

    def __init__(self):
        self.address, self.size, self.spare = {}, {}, []
        self.asked = self.made = 0

    def alloc(self, allocator, size):
        self.asked += 1
        for block in self.spare:
            if self.size[block] >= size:
                self.spare.remove(block)
                return block
        address, ret = acl.rt.malloc(size, 0)
        if ret != 0:
            return 0  # the execution fails; the program goes on
        self.made += 1
        self.address[self.made], self.size[self.made] = address, size
        return self.made

    def free(self, allocator, block):
        self.spare.append(block)

    def get_address(self, block):
        return self.address[block]

    def close(self):
        for address in self.address.values():
            check(acl.rt.free(address), "free")


def register(stream, pool):
    desc = acl.rt.allocator_create_desc()
    check(acl.rt.allocator_set_obj_to_desc(desc, id(pool)), "allocator_set_obj_to_desc")
    check(acl.rt.allocator_set_alloc_func_to_desc(desc, pool.alloc), "allocator_set_alloc_func_to_desc")
    check(acl.rt.allocator_set_free_func_to_desc(desc, pool.free), "allocator_set_free_func_to_desc")
    check(acl.rt.allocator_set_get_addr_from_block_func_to_desc(desc, pool.get_address),
          "allocator_set_get_addr_from_block_func_to_desc")
    check(acl.rt.allocator_register(stream, desc), "allocator_register")
    check(acl.rt.allocator_destroy_desc(desc), "allocator_destroy_desc")  # the stream has its copy


def execute(model, stream, rows):
    x = np.ones((rows, 8), np.float32)
    sizes = x.nbytes, rows * 4 * 4
    pointers, datasets = [], []
    for size in sizes:
        pointer, ret = acl.rt.malloc(size, 0)
        check(ret, "malloc")
        pointers.append(pointer)
        datasets.append(acl.mdl.add_dataset_buffer(acl.mdl.create_dataset(), acl.create_data_buffer(pointer, size))[0])
    check(acl.rt.memcpy(pointers[0], sizes[0], acl.util.numpy_to_ptr(x), sizes[0], ACL_MEMCPY_HOST_TO_DEVICE), "memcpy")
    desc = acl.create_tensor_desc(ACL_FLOAT, [rows, 8], ACL_FORMAT_ND)
    _, ret = acl.mdl.set_dataset_tensor_desc(datasets[0], desc, 0)
    check(ret, "set_dataset_tensor_desc")
    acl.destroy_tensor_desc(desc)
    check(acl.mdl.execute_async(model, *datasets, stream), "execute_async")
    check(acl.rt.synchronize_stream(stream), "synchronize_stream")
    y = np.empty((rows, 4), np.float32)
    check(acl.rt.memcpy(acl.util.numpy_to_ptr(y), sizes[1], pointers[1], sizes[1], ACL_MEMCPY_DEVICE_TO_HOST), "memcpy")
    for dataset, pointer in zip(datasets, pointers):
        acl.destroy_data_buffer(acl.mdl.get_dataset_buffer(dataset, 0))
        acl.mdl.destroy_dataset(dataset)
        check(acl.rt.free(pointer), "free")
    return y.sum()


def main():
    check(acl.init(), "init")
    check(acl.rt.set_device(0), "set_device")
    stream, ret = acl.rt.create_stream()
    check(ret, "create_stream")
    model, ret = acl.mdl.load_from_file(small_model.write(tempfile.mkdtemp() + "/any.onnx", "rows"))
    check(ret, "load_from_file")
    pool = Pool()
    register(stream, pool)
    for rows in (100, 20, 50, 100):
        total = execute(model, stream, rows)
        print(f"{rows:4} rows: sum {total:6.1f}, blocks asked for so far {pool.asked}, made {pool.made}")
    check(acl.rt.allocator_unregister(stream), "allocator_unregister")
    print("all given back:", len(pool.spare) == pool.made)
    pool.close()
    check(acl.mdl.unload(model), "unload")
    check(acl.rt.destroy_stream(stream), "destroy_stream")
    check(acl.rt.reset_device(0), "reset_device")
    check(acl.finalize(), "finalize")


if __name__ == "__main__":
    main()
