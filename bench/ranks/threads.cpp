// SPDX-License-Identifier: Apache-2.0
// bench_ranks_threads: ranks of one process against bare threads that read each other's memory, and what it costs to
// compare the arguments.
#include <sched.h>

#include <cstring>
#include <thread>

#include "hccl_side.h"

namespace bench {
namespace {

// What stands beside the memory that a rank shows, for others to compare.
struct Arguments {
  uint64_t words[4] = {};
  bool operator==(const Arguments&) const = default;
};

struct alignas(64) Seat {
  std::atomic<uint64_t> come{0};
  alignas(64) std::atomic<uint64_t> reduced{0};
  alignas(64) std::atomic<uint64_t> done{0};
  Memory memory;
  const std::byte* shown[2] = {};
  Arguments arguments[2];
  alignas(64) std::byte copies[2][kSmall];
};

class DirectSide : public Side {
 public:
  DirectSide(std::string side, std::vector<Seat>& seats, uint32_t rank, bool compares)
      : Side(std::move(side)), seats_(seats), mine_(seats[rank]), rank_(rank), compares_(compares) {}

  void run(Operation operation, size_t bytes, int times) override {
    for (int i = 0; i < times; ++i) once(operation, bytes);
  }

 private:
  uint32_t size() const { return static_cast<uint32_t>(seats_.size()); }

  void once(Operation operation, size_t bytes) {
    if (operation == Operation::Send) {
      if (rank_ % 2 == 0) give();
      take(bytes);
      if (rank_ % 2 == 1) give();
      return;
    }
    ++number_;
    if (operation == Operation::AllReduce)
      bytes <= kSmall ? reduce_small(bytes / 4) : reduce_large(bytes / 4);
    else
      move(operation == Operation::AlltoAll, bytes / size());
  }

  static void wait(const std::atomic<uint64_t>& word, uint64_t until) {
    for (int turn = 0; word.load(std::memory_order_acquire) < until; ++turn)
      turn < 100 ? __builtin_ia32_pause() : (void)sched_yield();
  }

  void come(const std::byte* shown) {
    mine_.shown[number_ % 2] = shown;
    if (compares_) mine_.arguments[number_ % 2] = {{number_, 1, 2, 3}};
    mine_.come.store(number_, std::memory_order_release);
  }

  const Seat& meet(uint32_t peer) {
    wait(seats_[peer].come, number_);
    if (compares_ && seats_[peer].arguments[number_ % 2] != Arguments{{number_, 1, 2, 3}}) std::abort();
    return seats_[peer];
  }

  void finish() {
    mine_.done.store(number_, std::memory_order_release);
    for (const Seat& seat : seats_) wait(seat.done, number_);
  }

  // A copy stays for two operations: whoever shows the next but one has seen that nobody reads it.
  void reduce_small(size_t count) {
    std::memcpy(mine_.copies[number_ % 2], mine_.memory.send, count * 4);
    come(mine_.copies[number_ % 2]);
    for (uint32_t peer = 0; peer < size(); ++peer) inputs_[peer] = meet(peer).shown[number_ % 2];
    add(mine_.memory.recv, inputs_, count);
    mine_.done.store(number_, std::memory_order_release);
  }

  void reduce_large(size_t count) {
    come(mine_.memory.send);
    const Share own = share(count, size(), rank_);
    for (uint32_t peer = 0; peer < size(); ++peer) inputs_[peer] = meet(peer).memory.send + own.begin * 4;
    add(mine_.memory.recv + own.begin * 4, inputs_, own.count);
    mine_.reduced.store(number_, std::memory_order_release);
    for (uint32_t step = 1; step < size(); ++step) {
      const uint32_t peer = (rank_ + step) % size();
      const Share part = share(count, size(), peer);
      wait(seats_[peer].reduced, number_);
      std::memcpy(mine_.memory.recv + part.begin * 4, seats_[peer].memory.recv + part.begin * 4, part.count * 4);
    }
    finish();
  }

  void move(bool exchange, size_t part) {
    come(mine_.memory.send);
    for (uint32_t step = 0; step < size(); ++step) {
      const uint32_t peer = (rank_ + step) % size();
      std::memcpy(mine_.memory.recv + peer * part, meet(peer).memory.send + (exchange ? rank_ * part : 0), part);
    }
    finish();
  }

  void give() {
    ++number_;
    come(mine_.memory.send);
    wait(seats_[rank_ ^ 1].done, number_);
  }

  void take(size_t bytes) {
    ++number_;
    std::memcpy(mine_.memory.recv, meet(rank_ ^ 1).memory.send, bytes);
    mine_.done.store(number_, std::memory_order_release);
  }

  std::vector<Seat>& seats_;
  Seat& mine_;
  const uint32_t rank_;
  const bool compares_;
  uint64_t number_ = 0;
  std::vector<const std::byte*> inputs_ = std::vector<const std::byte*>(seats_.size());
};

void measure_with(uint32_t size) {
  std::vector<HcclComm> comms(size);
  std::vector<int32_t> devices(size);
  for (uint32_t rank = 0; rank < size; ++rank) devices[rank] = static_cast<int32_t>(rank);
  MUST(aclrtSetDevice(0));
  MUST(HcclCommInitAll(size, devices.data(), comms.data()));
  std::vector<Seat> plain(size), comparing(size);
  Gate gate;
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      MUST(aclrtSetDevice(devices[rank]));
      const Memory memory = HcclSide::allocate();
      plain[rank].memory = comparing[rank].memory = memory;
      HcclSide belay(rank, size, comms[rank], memory);
      DirectSide direct("direct reads", plain, rank, false),
          compares("direct reads, arguments compared", comparing, rank, true);
      measure({&belay, &direct}, gate, rank, size);
      if (rank == 0) std::printf("what comparing costs the bare program:\n");
      measure({&compares, &direct}, gate, rank, size, Operation::AllReduce, 8 << 10);
      MUST(aclrtFree(memory.send));
      MUST(aclrtFree(memory.recv));
      MUST(aclrtFree(memory.room));
    });
  for (auto& thread : threads) thread.join();
  std::printf("%u idle ranks of this process: %.2f ms of processor time a second\n", size, idle_milliseconds());
  for (const HcclComm comm : comms) MUST(HcclCommDestroy(comm));
}

}  // namespace
}  // namespace bench

int main() {
  MUST(aclInit(nullptr));
  for (const uint32_t size : {2, 4}) bench::measure_with(size);
  return 0;
}
