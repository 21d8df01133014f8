# SPDX-License-Identifier: Apache-2.0
"""Asynchronous batches: copies and executions on a stream, each result taken in a callback of a thread of its own."""
import sys
import tempfile

import numpy as np

import acl
import small_model

ACL_MEMCPY_HOST_TO_DEVICE = 1
ACL_MEMCPY_DEVICE_TO_HOST = 2
ACL_CALLBACK_BLOCK = 1
BATCHES, ROWS = 5, 2


def check(ret, what):
    if ret != 0:
        sys.exit(f"{what} returned {ret}: {acl.get_recent_err_msg()}")


def make_dataset(size):
    pointer, ret = acl.rt.malloc(size, 0)
    check(ret, "malloc")
    dataset, ret = acl.mdl.add_dataset_buffer(acl.mdl.create_dataset(), acl.create_data_buffer(pointer, size))
    check(ret, "add_dataset_buffer")
    return dataset, pointer


class Server:
    """A thread that does nothing but run callbacks."""

    def __init__(self, context):
        self.over = False
        self.id, ret = acl.util.start_thread(self.serve, [context])
        check(ret, "start_thread")

    def serve(self, arguments):
        acl.rt.set_context(arguments[0])
        while not self.over:
            acl.rt.process_report(100)

    def stop(self):
        self.over = True
        check(acl.util.stop_thread(self.id), "stop_thread")


def main():
    check(acl.init(), "init")
    check(acl.rt.set_device(0), "set_device")
    context, ret = acl.rt.create_context(0)
    check(ret, "create_context")
    stream, ret = acl.rt.create_stream()
    check(ret, "create_stream")
    model, ret = acl.mdl.load_from_file(small_model.write(tempfile.mkdtemp() + "/small.onnx", ROWS))
    check(ret, "load_from_file")

    server = Server(context)
    check(acl.rt.subscribe_report(server.id, stream), "subscribe_report")
    inputs, x = make_dataset(ROWS * 8 * 4)
    outputs, y = make_dataset(ROWS * 4 * 4)
    results = {}

    def collect(batch):
        """The stream waits for it: the next batch cannot overwrite this one's result."""
        values = np.empty((ROWS, 4), np.float32)
        check(acl.rt.memcpy(acl.util.numpy_to_ptr(values), values.nbytes, y, values.nbytes, ACL_MEMCPY_DEVICE_TO_HOST),
              "memcpy")
        results[batch["number"]] = values
        print(f"  batch {batch['number']}: best classes {values.argmax(axis=1).tolist()}")

    random = np.random.default_rng(0)
    batches = [{"number": n, "data": random.standard_normal((ROWS, 8)).astype(np.float32)} for n in range(BATCHES)]
    print(f"{BATCHES} batches queued, each taken in a callback")
    for batch in batches:
        data = batch["data"]
        check(acl.rt.memcpy_async(x, data.nbytes, acl.util.numpy_to_ptr(data), data.nbytes, ACL_MEMCPY_HOST_TO_DEVICE,
                                  stream), "memcpy_async")
        check(acl.mdl.execute_async(model, inputs, outputs, stream), "execute_async")
        check(acl.rt.launch_callback(collect, batch, ACL_CALLBACK_BLOCK, stream), "launch_callback")
    check(acl.rt.synchronize_stream(stream), "synchronize_stream")
    print(f"rows that sum to 1: {sum(np.isclose(v.sum(axis=1), 1).sum() for v in results.values())}")

    check(acl.rt.unsubscribe_report(server.id, stream), "unsubscribe_report")
    server.stop()
    for dataset, pointer in ((inputs, x), (outputs, y)):
        acl.destroy_data_buffer(acl.mdl.get_dataset_buffer(dataset, 0))
        acl.mdl.destroy_dataset(dataset)
        check(acl.rt.free(pointer), "free")
    check(acl.mdl.unload(model), "unload")
    check(acl.rt.destroy_stream(stream), "destroy_stream")
    check(acl.rt.destroy_context(context), "destroy_context")
    check(acl.rt.reset_device(0), "reset_device")
    check(acl.finalize(), "finalize")


if __name__ == "__main__":
    main()
