// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "hccl/hccl_types.h"

namespace belay::comm {

enum class Op : uint32_t {
  AllReduce,
  Broadcast,
  Reduce,
  AllGather,
  AllGatherV,
  ReduceScatter,
  ReduceScatterV,
  Scatter,
  AlltoAll,
  AlltoAllV,
  AlltoAllVC,
  Barrier,
  Send,
  Receive,
};
const char* name_of(Op op);

// The arguments of an operation that all ranks must give alike; what travels with it, so that each rank can compare.
// What an operation does not have keeps its default.
struct Call {
  Op op = Op::Barrier;
  HcclDataType type = HCCL_DATA_TYPE_RESERVED;
  HcclReduceOp reduce = HCCL_REDUCE_RESERVED;
  uint32_t root = 0;    // of a message in a model, its tag
  uint64_t count = 0;   // elements
  uint64_t arrays = 0;  // a hash of the count arrays (count_arrays.h)

  bool operator==(const Call&) const = default;
};
static_assert(std::is_trivially_copyable_v<Call> && sizeof(Call) == 32);

// The first argument that two ranks gave differently, and both values as text.
struct Difference {
  std::string parameter;
  std::string mine, theirs;
  std::string their_parameter = {};  // when the other one gave it as another
};
std::optional<Difference> difference(const Call& mine, const Call& theirs);

// "AllReduce(count 8, fp32, sum)".
std::string describe(const Call& call);

// Elements in a buffer: where they begin, how many they are.
struct Part {
  uint64_t offset = 0, count = 0;
};

// One rank's part in an operation: its arguments with addresses that the host may touch. For the operations that move
// data, what goes to each rank and where what comes from it belongs.
struct Work {
  Call call;
  size_t element = 1;  // bytes
  const std::byte* send = nullptr;
  std::byte* recv = nullptr;
  bool copied = false;           // `send` is a copy, which stays longer than the program's memory
  std::vector<Part> give, take;  // by rank; none in a reduction
  std::vector<uint64_t> matrix;  // of AlltoAllVC: the counts of all ranks

  const std::byte* source(const Part& part) const { return send + part.offset * element; }
  std::byte* target(const Part& part) const { return recv + part.offset * element; }
  // From `send` on: the bytes that the others may read.
  size_t bytes_given() const;
};

}  // namespace belay::comm
