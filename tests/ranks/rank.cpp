// SPDX-License-Identifier: Apache-2.0
// One rank, for tests of ranks in several processes: rank TOKEN_FILE WHAT. RANK and WORLD_SIZE say which it is; with
// THREADS each process holds so many ranks. Prints one line for each rank.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "hccl/hccl.h"
#include "support/hccl_oracle.h"

namespace {

using belay::test::oracle::Bytes;
namespace oracle = belay::test::oracle;

std::string what;
uint32_t size;

[[noreturn]] void give_up(const char* call, int code) {
  const char* text = aclGetRecentErrMsg();
  std::printf("%s returned %d: %s\n", call, code, text ? text : "");
  std::exit(1);
}
#define CHECK(call) \
  if (const int code = (call); code != 0) give_up(#call, code)

HcclRootInfo shared_token(const std::string& path, bool makes) {
  HcclRootInfo token;
  if (makes) {
    CHECK(aclrtSetDevice(0));
    CHECK(HcclGetRootInfo(&token));
    FILE* file = std::fopen((path + ".draft").c_str(), "wb");
    if (!file || std::fwrite(&token, sizeof token, 1, file) != 1 || std::fclose(file) != 0) std::exit(1);
    std::rename((path + ".draft").c_str(), path.c_str());
    return token;
  }
  for (;; usleep(5000))
    if (FILE* file = std::fopen(path.c_str(), "rb")) {
      const bool whole = std::fread(&token, sizeof token, 1, file) == 1;
      std::fclose(file);
      if (whole) return token;
    }
}

struct Memory {
  explicit Memory(const Bytes& bytes) : size(bytes.size()) {
    CHECK(aclrtMalloc(&data, size + 1, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(data, size, bytes.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
  }
  ~Memory() { aclrtFree(data); }
  Bytes bytes() const {
    Bytes read(size);
    CHECK(aclrtMemcpy(read.data(), size, data, size, ACL_MEMCPY_DEVICE_TO_HOST));
    return read;
  }
  void* data = nullptr;
  size_t size;
};

int wrong = 0;
void expect(const Bytes& got, const Bytes& wanted, const char* where, HcclDataType type, size_t count) {
  if (got == wanted) return;
  std::printf("%s is wrong, type %d, count %zu\n", where, type, count);
  ++wrong;
}

// Every operation against plain loops.
void all_operations(uint32_t rank, HcclComm comm, aclrtStream stream) {
  uint32_t salt = 0;
  for (const HcclDataType type : {HCCL_DATA_TYPE_INT8, HCCL_DATA_TYPE_INT64, HCCL_DATA_TYPE_FP16, HCCL_DATA_TYPE_FP32})
    for (const HcclReduceOp op : {HCCL_REDUCE_SUM, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX})
      for (const size_t count : {size_t{1}, size_t{333}, size_t{50021}}) {
        const size_t bytes = count * oracle::size_of(type);
        std::vector<Bytes> all;
        ++salt;
        for (uint32_t i = 0; i < size; ++i) all.push_back(oracle::values(count * size, type, i * 977 + salt));
        const Bytes whole = oracle::reduced(all, type, op);
        const uint32_t root = salt % size, next = (rank + 1) % size, before = (rank + size - 1) % size;
        const auto block = [&](const Bytes& of, size_t which) {
          return Bytes(of.begin() + which * bytes, of.begin() + (which + 1) * bytes);
        };
        const Memory send(all[rank]), in_place(all[rank]), part(Bytes(bytes, 0)), gathered(Bytes(bytes * size, 0)),
            exchanged(Bytes(bytes * size, 0)), passed(Bytes(bytes, 0)), scattered(Bytes(bytes, 0)),
            reduced(Bytes(bytes * size, 7)), broadcast(rank == root ? block(all[root], 0) : Bytes(bytes, 0));
        CHECK(HcclAllReduce(in_place.data, in_place.data, count * size, type, op, comm, stream));
        CHECK(HcclReduce(send.data, reduced.data, count * size, type, op, root, comm, stream));
        CHECK(HcclReduceScatter(send.data, part.data, count, type, op, comm, stream));
        CHECK(HcclAllGather(send.data, gathered.data, count, type, comm, stream));
        CHECK(HcclAlltoAll(send.data, count, type, exchanged.data, count, type, comm, stream));
        CHECK(HcclBroadcast(broadcast.data, count, type, root, comm, stream));
        CHECK(HcclScatter(send.data, scattered.data, count, type, root, comm, stream));
        HcclSendRecvItem items[] = {{HCCL_SEND, send.data, count, type, next},
                                    {HCCL_RECV, passed.data, count, type, before}};
        CHECK(HcclBatchSendRecv(items, 2, comm, stream));
        CHECK(HcclBarrier(comm, stream));
        CHECK(aclrtSynchronizeStream(stream));
        Bytes firsts, mine;
        for (uint32_t i = 0; i < size; ++i) {
          for (const uint8_t byte : block(all[i], 0)) firsts.push_back(byte);
          for (const uint8_t byte : block(all[i], rank)) mine.push_back(byte);
        }
        expect(in_place.bytes(), whole, "AllReduce", type, count);
        expect(reduced.bytes(), rank == root ? whole : Bytes(bytes * size, 7), "Reduce", type, count);
        expect(part.bytes(), block(whole, rank), "ReduceScatter", type, count);
        expect(gathered.bytes(), firsts, "AllGather", type, count);
        expect(exchanged.bytes(), mine, "AlltoAll", type, count);
        expect(broadcast.bytes(), block(all[root], 0), "Broadcast", type, count);
        expect(scattered.bytes(), block(all[root], rank), "Scatter", type, count);
        expect(passed.bytes(), block(all[before], 0), "BatchSendRecv", type, count);
      }
  std::printf("rank %u: %s\n", rank, wrong ? "WRONG" : "all operations are right");
}

// Rank 1 fails as asked; the others say what they get, and how soon.
void fault(uint32_t rank, HcclComm comm, aclrtStream stream) {
  const Memory data(Bytes(4 << 20));
  CHECK(HcclBarrier(comm, stream));
  CHECK(aclrtSynchronizeStream(stream));
  if (rank == 1 && what == "kill") kill(getpid(), SIGKILL);
  if (rank == 1 && what == "abort") std::abort();
  if (rank == 1 && what == "exit") _exit(0);
  if (rank == 1 && what == "stop") kill(getpid(), SIGSTOP);
  const uint64_t count = rank == 1 && what == "count" ? 1000 : 1 << 20;
  const auto start = std::chrono::steady_clock::now();
  int code = HcclAllReduce(data.data, data.data, count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream);
  if (code == 0) code = aclrtSynchronizeStream(stream);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  const char* text = aclGetRecentErrMsg();
  HcclResult error = HCCL_SUCCESS;
  CHECK(HcclGetCommAsyncError(comm, &error));
  std::printf("rank %u: code %d, asynchronous %d, %d ms: %s\n", rank, code, error, static_cast<int>(took.count()),
              text ? text : "");
}

void work(uint32_t rank, const HcclRootInfo& token) {
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;
  CHECK(aclrtSetDevice(static_cast<int32_t>(rank)));
  CHECK(aclrtCreateStream(&stream));
  CHECK(HcclCommInitRootInfo(size, &token, rank, &comm));
  if (what == "all")
    all_operations(rank, comm, stream);
  else
    fault(rank, comm, stream);
  CHECK(HcclCommDestroy(comm));
}

}  // namespace

int main(int, char** argv) {
  what = argv[2];
  const char* threads = std::getenv("THREADS");
  const uint32_t process = static_cast<uint32_t>(std::atoi(std::getenv("RANK"))),
                 here = threads ? static_cast<uint32_t>(std::atoi(threads)) : 1;
  size = static_cast<uint32_t>(std::atoi(std::getenv("WORLD_SIZE"))) * here;
  CHECK(aclInit(nullptr));
  const HcclRootInfo token = shared_token(argv[1], process == 0);
  std::vector<std::thread> ranks;
  for (uint32_t i = 0; i < here; ++i) ranks.emplace_back(work, process * here + i, token);
  for (auto& rank : ranks) rank.join();
  return wrong;
}
