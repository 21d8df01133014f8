# SPDX-License-Identifier: Apache-2.0
"""Ranks that check every operation against numpy. Usage: numpy_ranks.py LIBRARY FOLDER HOW

RANK and WORLD_SIZE say which process of how many this is; with THREADS each has so many ranks. HOW: `token`, `table` (of one
server), or `sub` (part of a larger communicator, in another order). Every rank computes what all ranks give, and so what it should get."""
import ctypes
import functools
import os
import pathlib
import sys
import threading
import time
import traceback

import numpy as np

import places

LIBRARY, FOLDER, HOW = ctypes.CDLL(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
THREADS = int(os.environ.get("THREADS", "1"))
PROCESS, SIZE = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1")) * THREADS

TYPES = {"int8": (0, np.int8), "int16": (1, np.int16), "int32": (2, np.int32), "fp16": (3, np.float16), "fp32": (4, np.float32),
         "int64": (5, np.int64), "uint64": (6, np.uint64), "uint8": (7, np.uint8), "uint16": (8, np.uint16), "uint32": (9, np.uint32),
         "fp64": (10, np.float64), "bfp16": (11, np.uint16), "int128": (12, np.dtype("V16"))}
REDUCED = ["int8", "int16", "int32", "int64", "fp16", "fp32", "bfp16"]
OPS = {"sum": (0, np.add), "prod": (1, np.multiply), "max": (2, np.maximum), "min": (3, np.minimum)}
COUNTS = [1, 7, 333, 9001]


class Refused(Exception):
    pass


def call(name, *arguments):
    code = getattr(LIBRARY, name)(*arguments)
    if code:
        LIBRARY.aclGetRecentErrMsg.restype = ctypes.c_char_p
        raise Refused(f"{name} returned {code}: {LIBRARY.aclGetRecentErrMsg()}")


def bfp16_of(floats):
    bits = floats.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def floats_of(bfp16):
    return (bfp16.astype(np.uint32) << 16).view(np.float32)


def values(kind, count, case, rank):
    random = np.random.default_rng([case, rank])
    dtype = np.dtype(TYPES[kind][1])
    if kind == "bfp16":
        return bfp16_of(random.uniform(-4, 4, count))
    if dtype.kind == "f":
        return random.uniform(-4, 4, count).astype(dtype)
    return np.frombuffer(random.bytes(count * dtype.itemsize), dtype)


def reduced(kind, op, inputs):
    """In the order of the ranks, rounded after each."""
    with np.errstate(over="ignore"):
        if kind == "bfp16":
            return functools.reduce(lambda a, b: bfp16_of(OPS[op][1](floats_of(a), floats_of(b))), inputs)
        return functools.reduce(OPS[op][1], inputs)


class Device:
    """An array in device memory."""

    def __init__(self, array):
        self.dtype, self.bytes, self.address = array.dtype, array.nbytes, ctypes.c_void_p()
        call("aclrtMalloc", ctypes.byref(self.address), ctypes.c_size_t(self.bytes + 1), 0)
        data = array.tobytes()
        if data:
            call("aclrtMemcpy", self.address, ctypes.c_size_t(self.bytes), data, ctypes.c_size_t(self.bytes), 1)

    def __del__(self):
        LIBRARY.aclrtFree(self.address)

    def at(self, elements):
        return ctypes.c_void_p(self.address.value + elements * self.dtype.itemsize)

    def read(self):
        data = ctypes.create_string_buffer(max(self.bytes, 1))
        if self.bytes:
            call("aclrtMemcpy", data, ctypes.c_size_t(self.bytes), self.address, ctypes.c_size_t(self.bytes), 2)
        return np.frombuffer(data.raw[: self.bytes], self.dtype)


def u64(number):
    return ctypes.c_uint64(number)


def u64s(numbers):
    return (ctypes.c_uint64 * len(numbers))(*numbers)


class Item(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("buffer", ctypes.c_void_p), ("count", ctypes.c_uint64), ("type", ctypes.c_int), ("peer", ctypes.c_uint32)]


class Rank:
    def __init__(self, rank, size, comm, stream):
        self.rank, self.size, self.comm, self.stream, self.case, self.done = rank, size, comm, stream, 0, 0

    def inputs(self, kind, count):
        self.case += 1
        return [values(kind, count, self.case, rank) for rank in range(self.size)]

    def expect(self, what, device, expected):
        self.done += 1
        got = device.read()
        if got.tobytes() != np.ascontiguousarray(expected).tobytes():
            raise AssertionError(f"rank {self.rank} of {self.size}: {what} is wrong: {got[:4]}..., not {expected[:4]}...")

    def synchronize(self):
        call("aclrtSynchronizeStream", self.stream)

    def reductions(self, kind, op, count):
        n, me, where = self.size, self.rank, f"{kind} {op} {count}"
        code, reduce = TYPES[kind][0], OPS[op][0]
        tail = (code, reduce, self.comm, self.stream)
        given = self.inputs(kind, count * n)
        whole, root = reduced(kind, op, given), self.case % n
        send, out, place = Device(given[me]), Device(np.zeros_like(whole)), Device(given[me])
        to_root, root_place = Device(given[me][::-1]), Device(given[me])
        part, part_place = Device(np.zeros_like(whole[:count])), Device(given[me])
        call("HcclAllReduce", send.address, out.address, u64(count * n), *tail)
        call("HcclAllReduce", place.address, place.address, u64(count * n), *tail)
        call("HcclReduce", send.address, to_root.address, u64(count * n), code, reduce, root, self.comm, self.stream)
        call("HcclReduce", root_place.address, root_place.address, u64(count * n), code, reduce, root, self.comm, self.stream)
        call("HcclReduceScatter", send.address, part.address, u64(count), *tail)
        call("HcclReduceScatter", part_place.address, part_place.at(me * count), u64(count), *tail)
        counts = [(rank * 3 + self.case) % 5 * count // 4 for rank in range(n)]
        displacements = [count * n // max(n, 1) * rank // 2 for rank in range(n)]
        many = Device(np.zeros_like(whole[: counts[me]]))
        call("HcclReduceScatterV", send.address, u64s(counts), u64s(displacements), many.address, u64(counts[me]), *tail)
        self.synchronize()
        mine = whole[me * count : (me + 1) * count]
        scattered = given[me].copy()
        scattered[me * count : (me + 1) * count] = mine
        first = displacements[me] if n > 1 else 0
        self.expect(f"AllReduce {where}", out, whole)
        self.expect(f"AllReduce in place {where}", place, whole)
        self.expect(f"Reduce {where}", to_root, whole if me == root else given[me][::-1])
        self.expect(f"Reduce in place {where}", root_place, whole if me == root else given[me])
        self.expect(f"ReduceScatter {where}", part, mine)
        self.expect(f"ReduceScatter in place {where}", part_place, scattered)
        self.expect(f"ReduceScatterV {where}", many, whole[first : first + counts[me]])
        self.expect(f"what was sent {where}", send, given[me])

    def moves(self, kind, count):
        n, me, where, code = self.size, self.rank, f"{kind} {count}", TYPES[kind][0]
        tail = (code, self.comm, self.stream)
        given = self.inputs(kind, count * n)
        root, block = self.case % n, lambda rank, which: given[rank][which * count : (which + 1) * count]
        nothing = np.zeros(count * n, given[0].dtype)
        send, gathered, exchanged, passed = Device(given[me]), Device(nothing), Device(nothing), Device(nothing[:count])
        own = nothing.copy()
        own[me * count : (me + 1) * count] = block(me, 0)
        place, told, scattered = Device(own), Device(block(root, 0) if me == root else nothing[:count]), Device(nothing[:count])
        call("HcclAllGather", send.address, gathered.address, u64(count), *tail)
        call("HcclAllGather", place.at(me * count), place.address, u64(count), *tail)
        call("HcclBroadcast", told.address, u64(count), code, root, self.comm, self.stream)
        call("HcclScatter", send.address if me == root else None, scattered.address, u64(count), code, root, self.comm, self.stream)
        call("HcclAlltoAll", send.address, u64(count), code, exchanged.address, u64(count), code, self.comm, self.stream)
        self.pass_on(send, passed, count, code)
        call("HcclBarrier", self.comm, self.stream)
        self.synchronize()
        self.expect(f"AllGather {where}", gathered, np.concatenate([block(rank, 0) for rank in range(n)]))
        self.expect(f"AllGather in place {where}", place, np.concatenate([block(rank, 0) for rank in range(n)]))
        self.expect(f"Broadcast {where}", told, block(root, 0))
        self.expect(f"Scatter {where}", scattered, block(root, me))
        self.expect(f"AlltoAll {where}", exchanged, np.concatenate([block(rank, me) for rank in range(n)]))
        self.expect(f"Send, Recv or BatchSendRecv {where}", passed, block((me - 1) % n, 0))

    def pass_on(self, send, passed, count, code):
        """To the next rank: as a batch, or first down then up, so that nobody waits in a circle."""
        n, me = self.size, self.rank
        after, before = (me + 1) % n, (me - 1) % n
        if self.case % 2 or n == 1:
            items = (Item * 2)((0, send.address, count, code, after), (1, passed.address, count, code, before))
            return call("HcclBatchSendRecv", items, 2, self.comm, self.stream)
        steps = [("HcclSend", send, after), ("HcclRecv", passed, before)]
        for name, device, peer in steps if me else steps[::-1]:
            call(name, device.address, u64(count), code, peer, self.comm, self.stream)

    def uneven_moves(self, kind, count):
        n, me, where, code = self.size, self.rank, f"{kind} {count}", TYPES[kind][0]
        matrix = [[(i * 7 + j * 3 + self.case) % 4 * count // 3 for j in range(n)] for i in range(n)]
        given = self.inputs(kind, count * n * 2 + n)
        dtype = given[0].dtype
        packed_send = lambda rank: [sum(matrix[rank][:j]) for j in range(n)]
        packed_recv = [sum(matrix[i][me] for i in range(j)) for j in range(n)]
        total = packed_recv[-1] + matrix[n - 1][me]
        send, packed = Device(given[me]), Device(np.zeros(total, dtype))
        call("HcclAlltoAllVC", send.address, u64s(sum(matrix, [])), code, packed.address, code, self.comm, self.stream)
        # with a gap of one before each block, on both sides
        sends, receives = [at + j + 1 for j, at in enumerate(packed_send(me))], [at + j + 1 for j, at in enumerate(packed_recv)]
        spread = Device(np.zeros(total + n, dtype))
        call("HcclAlltoAllV", send.address, u64s(matrix[me]), u64s(sends), code, spread.address, u64s([matrix[i][me] for i in range(n)]),
             u64s(receives), code, self.comm, self.stream)
        counts, places_of = [row[0] + 1 for row in matrix], []
        for one in counts:
            places_of.append((places_of[-1] + counts[len(places_of) - 1] if places_of else 0) + 2)
        all_of = Device(np.zeros(places_of[-1] + counts[-1], dtype))
        call("HcclAllGatherV", send.address, u64(counts[me]), all_of.address, u64s(counts), u64s(places_of), code, self.comm, self.stream)
        self.synchronize()
        expected, loose, gathered = np.zeros(total, dtype), np.zeros(total + n, dtype), np.zeros(places_of[-1] + counts[-1], dtype)
        for i in range(n):
            at, length = packed_send(i)[me], matrix[i][me]
            expected[packed_recv[i] : packed_recv[i] + length] = given[i][at : at + length]
            loose[receives[i] : receives[i] + length] = given[i][at + me + 1 : at + me + 1 + length]
            first = places_of[i] if n > 1 else 0  # alone: no displacement
            gathered[first : first + counts[i]] = given[i][: counts[i]]
        self.expect(f"AlltoAllVC {where}", packed, expected)
        self.expect(f"AlltoAllV {where}", spread, loose)
        self.expect(f"AllGatherV {where}", all_of, gathered)

    def everything(self):
        for kind in REDUCED:
            for op in OPS:
                if op == "prod" and kind in ("int16", "bfp16"):
                    continue
                for count in COUNTS:
                    self.reductions(kind, op, count)
        for kind in TYPES:
            for count in COUNTS:
                self.moves(kind, count)
                self.uneven_moves(kind, count)


def token_of(rank):
    token, path = ctypes.create_string_buffer(4108), FOLDER / "token"
    if rank == 0:
        call("HcclGetRootInfo", token)
        (FOLDER / "draft").write_bytes(token.raw)
        (FOLDER / "draft").rename(path)
    while not path.exists():
        time.sleep(0.005)
    return path.read_bytes()


def new_config(name):
    """An HcclCommConfig of version 2 that has nothing but a name."""
    config = bytearray(2248)
    config[0:8] = (2248).to_bytes(8, "little")
    config[8:16] = (0xF0F0F0F0).to_bytes(4, "little") + (2).to_bytes(4, "little")
    config[24:32] = b"\xff" * 8
    config[32 : 32 + len(name)] = name
    return ctypes.create_string_buffer(bytes(config), 2248)


def work(rank, problems):
    try:
        comm, stream, part = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        call("aclrtSetDevice", rank)
        call("aclrtCreateStream", ctypes.byref(stream))
        if HOW == "table":
            call("HcclCommInitClusterInfo", str(FOLDER / "table.json").encode(), rank, ctypes.byref(comm))
        else:
            call("HcclCommInitRootInfo", SIZE, token_of(rank), rank, ctypes.byref(comm))
        me = Rank(rank, SIZE, comm, stream)
        if HOW == "sub":
            # all but rank 0, last first
            members = list(range(SIZE - 1, 0, -1))
            if rank:
                call("HcclCreateSubCommConfig", ctypes.byref(comm), SIZE - 1, (ctypes.c_uint32 * len(members))(*members), u64(7),
                     members.index(rank), new_config(b"part"), ctypes.byref(part))
            me = Rank(members.index(rank), SIZE - 1, part, stream) if rank else None
        if me:
            me.everything()
            print(f"rank {me.rank} of {me.size}: {me.done} results are numpy's", flush=True)
        if part:
            call("HcclCommDestroy", part)
        call("HcclCommDestroy", comm)
    except Exception:
        problems.append(traceback.format_exc())
        print(problems[-1], flush=True)
        os._exit(1)


def main():
    call("aclInit", None)
    problems = []
    threads = [threading.Thread(target=work, args=(PROCESS * THREADS + i, problems)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    if HOW == "table" and PROCESS == 0:
        (FOLDER / "table.draft").write_text(places.rank_table(SIZE), encoding="utf-8")
        (FOLDER / "table.draft").rename(FOLDER / "table.json")
    while HOW == "table" and not (FOLDER / "table.json").exists():
        time.sleep(0.005)
    main()
