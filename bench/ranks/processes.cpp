// SPDX-License-Identifier: Apache-2.0
// bench_ranks_processes FOLDER: one rank of several processes, against bare messages of UCX; started by mpirun, also
// against Open MPI. RANK and WORLD_SIZE (or mpirun) say which rank of how many.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "hccl_side.h"
#include "ucx_side.h"
#ifdef BENCH_WITH_MPI
#include <mpi.h>
#endif

namespace bench {
namespace {

#ifdef BENCH_WITH_MPI
class MpiSide : public Side {
 public:
  MpiSide(uint32_t rank, uint32_t size, const Memory& memory)
      : Side("Open MPI"), rank_(static_cast<int>(rank)), size_(static_cast<int>(size)), memory_(memory) {}

  void run(Operation operation, size_t bytes, int times) override {
    for (int i = 0; i < times; ++i) once(operation, static_cast<int>(bytes));
  }

 private:
  void once(Operation operation, int bytes) {
    const int part = bytes / size_;
    switch (operation) {
      case Operation::AllReduce:
        MPI_Allreduce(memory_.send, memory_.recv, bytes / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        break;
      case Operation::AllGather:
        MPI_Allgather(memory_.send, part, MPI_BYTE, memory_.recv, part, MPI_BYTE, MPI_COMM_WORLD);
        break;
      case Operation::AlltoAll:
        MPI_Alltoall(memory_.send, part, MPI_BYTE, memory_.recv, part, MPI_BYTE, MPI_COMM_WORLD);
        break;
      case Operation::Send:
        for (const bool first : {true, false})
          if (first == (rank_ % 2 == 0))
            MPI_Send(memory_.send, bytes, MPI_BYTE, rank_ ^ 1, 0, MPI_COMM_WORLD);
          else
            MPI_Recv(memory_.recv, bytes, MPI_BYTE, rank_ ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    }
  }

  const int rank_, size_;
  const Memory memory_;
};
#endif

constexpr size_t kMostRanks = 64, kMostAddress = 8 << 10;

// A file that all processes map: where they wait for each other, and where they write what others need.
struct Shared {
  Gate gate;
  HcclRootInfo token;
  struct Address {
    size_t bytes;
    char text[kMostAddress];
  } addresses[kMostRanks];
};

Shared& share_file(const std::string& folder) {
  const int file = open((folder + "/shared").c_str(), O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, sizeof(Shared)) != 0) std::exit(1);
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) std::exit(1);
  close(file);
  return *static_cast<Shared*>(memory);  // zeros are a new Gate
}

void connect(UcxSide& side, Shared& shared, uint32_t rank, uint32_t size) {
  const std::string own = side.address();
  if (own.size() > kMostAddress) std::exit(1);
  shared.addresses[rank].bytes = own.size();
  std::memcpy(shared.addresses[rank].text, own.data(), own.size());
  shared.gate.pass(size);
  std::vector<std::string> all;
  for (uint32_t peer = 0; peer < size; ++peer)
    all.emplace_back(shared.addresses[peer].text, shared.addresses[peer].bytes);
  side.connect(all);
  shared.gate.pass(size);
}

void measure_as(uint32_t rank, uint32_t size, Shared& shared) {
  MUST(aclInit(nullptr));
  MUST(aclrtSetDevice(static_cast<int32_t>(rank)));
  if (rank == 0) MUST(HcclGetRootInfo(&shared.token));
  shared.gate.pass(size);
  HcclComm comm = nullptr;
  MUST(HcclCommInitRootInfo(size, &shared.token, rank, &comm));
  const Memory memory = HcclSide::allocate();
  HcclSide belay(rank, size, comm, memory);
  UcxSide ucx("UCX", rank, size, memory, false), letterheads("UCX, with letterheads", rank, size, memory, true);
  connect(ucx, shared, rank, size);
  connect(letterheads, shared, rank, size);
  std::vector<Side*> sides = {&belay, &ucx};
#ifdef BENCH_WITH_MPI
  MpiSide mpi(rank, size, memory);
  sides.push_back(&mpi);
#endif
  measure(sides, shared.gate, rank, size);
  if (rank == 0) std::printf("what comparing costs the bare program:\n");
  measure({&letterheads, &ucx}, shared.gate, rank, size, Operation::AllReduce, 8 << 10);
  const double idle = idle_milliseconds();
  if (rank == 0) std::printf("an idle rank of %u processes: %.2f ms of processor time a second\n", size, idle);
  shared.gate.pass(size);
  MUST(HcclCommDestroy(comm));
}

uint32_t number(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? static_cast<uint32_t>(std::atoi(text)) : 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  auto rank = bench::number("RANK"), size = bench::number("WORLD_SIZE");
#ifdef BENCH_WITH_MPI
  MPI_Init(&argc, &argv);
  int own = 0, all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  rank = static_cast<uint32_t>(own);
  size = static_cast<uint32_t>(all);
#endif
  bench::measure_as(rank, size, bench::share_file(argv[1]));
#ifdef BENCH_WITH_MPI
  MPI_Finalize();
#endif
  std::fflush(stdout);
  return 0;
}
