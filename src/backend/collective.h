// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/tensor/types.h"

// Operators of models that work together with other ranks: HcomAllReduce and the like. Their kernels say what is to go
// where; who is reached how is not known here.
namespace belay::backend {

// One rank's part in a collective operator. It borrows the memory.
struct Collective {
  enum class Kind : uint8_t {
    AllReduce,
    Reduce,
    Broadcast,
    AllGather,
    AllGatherV,
    ReduceScatter,
    ReduceScatterV,
    AllToAll,
    AllToAllV,
    AllToAllVC,
    Send,
    Receive
  };
  // Elements in a buffer: where they begin, how many they are.
  struct Part {
    uint64_t offset = 0, count = 0;
  };

  Kind kind = Kind::AllReduce;
  std::string group;
  graph::DataType type = graph::DataType::Undefined;
  std::string reduction;  // "sum", "prod", "max", "min"; empty: nothing is reduced
  int64_t rank = 0;       // the root, or the other end of a message
  int64_t tag = 0;        // of a message
  const void* send = nullptr;
  void* recv = nullptr;
  uint64_t count = 0;            // elements, as each rank gives them; of a V form, this rank's own
  std::vector<Part> give, take;  // of a V form, by rank
  std::vector<uint64_t> matrix;  // of AllToAllVC: the counts of all ranks
};

// The communicators that the operators of a running model find by the names of their groups.
class Collectives {
 public:
  virtual ~Collectives() = default;
  // How many ranks the group has, and which of them runs the model. The error names the group and what makes it.
  struct Member {
    uint32_t rank = 0, size = 1;
  };
  virtual Result<Member> member(const std::string& group) = 0;
  // Returns when this rank's part is done.
  virtual Status run(Collective collective) = 0;
};

// Those of the model that the calling thread runs; null where none are.
Collectives* collectives();

// While it lives, the calling thread runs a model whose groups are these.
class CollectivesScope {
 public:
  explicit CollectivesScope(Collectives& of);
  ~CollectivesScope();
  CollectivesScope(const CollectivesScope&) = delete;
  CollectivesScope& operator=(const CollectivesScope&) = delete;

 private:
  Collectives* const before_;
};

}  // namespace belay::backend
