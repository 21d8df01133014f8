# SPDX-License-Identifier: Apache-2.0
"""What the operators of a model computed, received by a function instead of files."""
import json
import sys
import tempfile

import numpy as np

import acl
import small_model

ROWS = 2


def check(ret, what):
    if ret != 0:
        sys.exit(f"{what} returned {ret}: {acl.get_recent_err_msg()}")


class Files:
    """Puts the chunks together again."""

    def __init__(self):
        self.parts, self.whole = {}, {}

    def receive(self, chunk):
        name = chunk["file_name"].rsplit("/", 1)[-1]
        data = acl.util.ptr_to_bytes(chunk["data_buf"], chunk["buf_len"])  # valid during the call only
        content = self.parts.setdefault(name, bytearray())
        at = len(content) if chunk["offset"] == -1 else chunk["offset"]
        content[at:at + len(data)] = data
        if chunk["is_last_chunk"]:
            self.whole[name] = bytes(self.parts.pop(name))


def make_dataset(size):
    pointer, ret = acl.rt.malloc(size, 0)
    check(ret, "malloc")
    dataset, ret = acl.mdl.add_dataset_buffer(acl.mdl.create_dataset(), acl.create_data_buffer(pointer, size))
    check(ret, "add_dataset_buffer")
    return dataset, pointer


def main():
    folder = tempfile.mkdtemp()
    with open(folder + "/dump.json", "w", encoding="utf-8") as file:
        json.dump({"dump": {"dump_list": [{}], "dump_path": folder, "dump_mode": "all"}}, file)
    check(acl.init(), "init")
    check(acl.rt.set_device(0), "set_device")
    files = Files()
    check(acl.mdl.init_dump(), "init_dump")
    check(acl.mdl.set_dump(folder + "/dump.json"), "set_dump")
    check(acl.mdl.dump_reg_callback(files.receive, 0), "dump_reg_callback")
    model, ret = acl.mdl.load_from_file(small_model.write(folder + "/small.onnx", ROWS))
    check(ret, "load_from_file")

    inputs, x = make_dataset(ROWS * 8 * 4)
    outputs, y = make_dataset(ROWS * 4 * 4)
    data = np.ones((ROWS, 8), np.float32)
    check(acl.rt.memcpy(x, data.nbytes, acl.util.numpy_to_ptr(data), data.nbytes, 1), "memcpy")
    check(acl.mdl.execute(model, inputs, outputs), "execute")

    acl.mdl.dump_unreg_callback()
    check(acl.mdl.finalize_dump(), "finalize_dump")
    for name, content in sorted(files.whole.items()):
        operator = ".".join(name.split(".")[:2])  # then come task, stream and time
        header = int.from_bytes(content[:8], "little")  # its length; the tensors follow
        print(f"{operator}: {len(content) - 8 - header} bytes of tensors")
    print("incomplete files:", len(files.parts))

    for dataset, pointer in ((inputs, x), (outputs, y)):
        acl.destroy_data_buffer(acl.mdl.get_dataset_buffer(dataset, 0))
        acl.mdl.destroy_dataset(dataset)
        check(acl.rt.free(pointer), "free")
    check(acl.mdl.unload(model), "unload")
    check(acl.rt.reset_device(0), "reset_device")
    check(acl.finalize(), "finalize")


if __name__ == "__main__":
    main()
