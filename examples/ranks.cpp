// SPDX-License-Identifier: Apache-2.0
// Ranks that add up an array. As threads of one process:    ./ranks threads 4
// As processes, with the token in a file:                   belay launch -n 4 -- ./ranks /tmp/token
// With the token sent by MPI (mpic++ -DRANKS_WITH_MPI):     mpirun -n 4 ./ranks mpi
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "hccl/hccl.h"
#ifdef RANKS_WITH_MPI
#include <mpi.h>
#endif

#define CHECK(call)                                                          \
  do {                                                                       \
    const int code_ = (call);                                                \
    if (code_ != 0) {                                                        \
      const char* text_ = aclGetRecentErrMsg();                              \
      std::printf("%s returned %d\n%s\n", #call, code_, text_ ? text_ : ""); \
      std::exit(1);                                                          \
    }                                                                        \
  } while (0)

static void work(uint32_t rank, uint32_t size, const HcclRootInfo& token) {
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;
  CHECK(aclrtSetDevice(static_cast<int32_t>(rank)));
  CHECK(aclrtCreateStream(&stream));
  CHECK(HcclCommInitRootInfo(size, &token, rank, &comm));

  const uint64_t count = 1 << 20;
  std::vector<float> values(count);
  for (uint64_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(i % 1000) * 0.1f + static_cast<float>(rank) * 0.3f;
  void *in = nullptr, *out = nullptr;
  const size_t bytes = count * sizeof(float);
  CHECK(aclrtMalloc(&in, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMalloc(&out, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(in, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  CHECK(HcclAllReduce(in, out, count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream));
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtMemcpy(values.data(), bytes, out, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  uint64_t hash = 14695981039346656037u;  // of all bits of the result
  for (const float value : values) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  std::printf("rank %u of %u: sum[999] = %.9g, bits %016lx\n", rank, size, static_cast<double>(values[999]), hash);

  CHECK(HcclCommDestroy(comm));
  CHECK(aclrtFree(in));
  CHECK(aclrtFree(out));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(static_cast<int32_t>(rank)));
}

static HcclRootInfo new_token() {
  HcclRootInfo token;
  CHECK(aclrtSetDevice(0));
  CHECK(HcclGetRootInfo(&token));
  return token;
}

// Rank 0 writes the token under another name first, so that nobody reads half of it.
static HcclRootInfo shared_token(const char* path, uint32_t rank) {
  HcclRootInfo token;
  if (rank == 0) {
    token = new_token();
    const std::string draft = std::string(path) + ".draft";
    FILE* file = std::fopen(draft.c_str(), "wb");
    if (!file || std::fwrite(&token, sizeof token, 1, file) != 1 || std::fclose(file) != 0) std::exit(1);
    if (std::rename(draft.c_str(), path) != 0) std::exit(1);
    return token;
  }
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(10)))
    if (FILE* file = std::fopen(path, "rb")) {
      const bool whole = std::fread(&token, sizeof token, 1, file) == 1;
      std::fclose(file);
      if (whole) return token;
    }
}

#ifdef RANKS_WITH_MPI
static void work_with_mpi(int* argc, char*** argv) {
  int rank = 0, size = 0;
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  HcclRootInfo token;
  if (rank == 0) token = new_token();
  MPI_Bcast(&token, sizeof token, MPI_BYTE, 0, MPI_COMM_WORLD);
  work(static_cast<uint32_t>(rank), static_cast<uint32_t>(size), token);
  MPI_Finalize();
}
#endif

int main(int argc, char** argv) {
  if (argc < 2)
    return std::printf("usage: %s threads NUMBER, or %s TOKEN_FILE with RANK and WORLD_SIZE set\n", argv[0], argv[0]),
           2;
  CHECK(aclInit(nullptr));
  if (std::strcmp(argv[1], "threads") == 0) {
    const uint32_t size = argc > 2 ? static_cast<uint32_t>(std::atoi(argv[2])) : 4;
    const HcclRootInfo token = new_token();
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < size; ++rank) threads.emplace_back(work, rank, size, token);
    for (auto& thread : threads) thread.join();
#ifdef RANKS_WITH_MPI
  } else if (std::strcmp(argv[1], "mpi") == 0) {
    work_with_mpi(&argc, &argv);
#endif
  } else {
    const uint32_t rank = static_cast<uint32_t>(std::atoi(std::getenv("RANK")));
    const uint32_t size = static_cast<uint32_t>(std::atoi(std::getenv("WORLD_SIZE")));
    work(rank, size, shared_token(argv[1], rank));
  }
  CHECK(aclFinalize());
  return 0;
}
