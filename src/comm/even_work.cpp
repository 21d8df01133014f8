// SPDX-License-Identifier: Apache-2.0
#include "comm/even_work.h"

#include "comm/data_type.h"

namespace belay::comm {
namespace {

// Part i is the i-th block of `count` elements.
std::vector<Part> blocks(uint32_t size, uint64_t count) {
  std::vector<Part> parts(size);
  for (uint32_t i = 0; i < size; ++i) parts[i] = {i * count, count};
  return parts;
}

std::vector<Part> only(uint32_t size, uint32_t rank, uint64_t count) {
  std::vector<Part> parts(size);
  parts[rank] = {0, count};
  return parts;
}

}  // namespace

Work even_work(const Call& call, const void* send, void* recv, uint32_t rank, uint32_t size) {
  Work work;
  work.call = call;
  work.element = element_size(call.type);
  work.send = static_cast<const std::byte*>(send);
  work.recv = static_cast<std::byte*>(recv);
  const bool root = rank == call.root;
  switch (call.op) {
    case Op::Reduce:
      work.give = only(size, call.root, call.count);
      break;
    case Op::Broadcast:
      work.give.assign(size, root ? Part{0, call.count} : Part{});
      work.give[call.root] = {};
      work.take = root ? std::vector<Part>(size) : only(size, call.root, call.count);
      break;
    case Op::ReduceScatter:
      work.give = blocks(size, call.count);
      break;
    case Op::AllGather:
      work.give.assign(size, Part{0, call.count});
      work.take = blocks(size, call.count);
      break;
    case Op::Scatter:
      work.give = root ? blocks(size, call.count) : std::vector<Part>(size);
      work.take = only(size, call.root, call.count);
      break;
    case Op::AlltoAll:
      work.give = work.take = blocks(size, call.count);
      break;
    default:
      break;
  }
  return work;
}

}  // namespace belay::comm
