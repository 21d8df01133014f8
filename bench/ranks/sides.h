// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of ranks share: the operations, the sides that do them, and how they alternate.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

enum class Operation { AllReduce, AllGather, AlltoAll, Send };
inline constexpr Operation kOperations[] = {Operation::AllReduce, Operation::AllGather, Operation::AlltoAll,
                                            Operation::Send};
inline constexpr size_t kSizes[] = {8, 8 << 10, 1 << 20, 64 << 20};
inline constexpr size_t kLargest = 64 << 20;
const char* name_of(Operation operation);
std::string name_of(size_t bytes);

// A rank's memory, the same for all sides; sums are of floats. `bytes` of an operation are those of the larger buffer
// of a rank: AllGather gives, and AlltoAll gives each other rank, as many bytes divided by the ranks.
struct Memory {
  std::byte *send = nullptr, *recv = nullptr, *room = nullptr;
};

// One way to do the operations, as one rank sees it. A Send is one from an even rank to the next and back.
class Side {
 public:
  explicit Side(std::string side) : name(std::move(side)) {}
  virtual ~Side() = default;
  virtual void run(Operation operation, size_t bytes, int times) = 0;
  const std::string name;
};

// Where ranks wait for each other between measurements; in memory that they share.
class Gate {
 public:
  void pass(uint32_t size);

 private:
  std::atomic<uint32_t> come_{0}, turn_{0};
};

// Small enough to be read directly by all: below, everyone reads everything.
inline constexpr size_t kSmall = 16 << 10;
// Rank `of`'s share of `count` elements.
struct Share {
  size_t begin, count;
};
Share share(size_t count, uint32_t size, uint32_t of);
// out[i] = inputs[0][i] + inputs[1][i] + ..., of floats.
void add(std::byte* out, const std::vector<const std::byte*>& inputs, size_t count);

// Measures `sides` alternating, on every rank at once, and prints on rank 0 what one operation takes, and the first
// side against each other one: the median of the ratios of the rounds, and their quarters.
void measure(const std::vector<Side*>& sides, Gate& gate, uint32_t rank, uint32_t size);
void measure(const std::vector<Side*>& sides, Gate& gate, uint32_t rank, uint32_t size, Operation operation,
             size_t bytes);
// The processor time that this process uses while nobody does anything, in ms per second.
double idle_milliseconds();

}  // namespace bench
