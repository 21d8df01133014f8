// SPDX-License-Identifier: Apache-2.0
#include "comm/call.h"

#include <algorithm>

#include "base/text.h"
#include "comm/data_type.h"

namespace belay::comm {
namespace {

bool has_root(Op op) { return op == Op::Broadcast || op == Op::Reduce || op == Op::Scatter; }

}  // namespace

const char* name_of(Op op) {
  switch (op) {
    case Op::AllReduce:
      return "AllReduce";
    case Op::Broadcast:
      return "Broadcast";
    case Op::Reduce:
      return "Reduce";
    case Op::AllGather:
      return "AllGather";
    case Op::AllGatherV:
      return "AllGatherV";
    case Op::ReduceScatter:
      return "ReduceScatter";
    case Op::ReduceScatterV:
      return "ReduceScatterV";
    case Op::Scatter:
      return "Scatter";
    case Op::AlltoAll:
      return "AlltoAll";
    case Op::AlltoAllV:
      return "AlltoAllV";
    case Op::AlltoAllVC:
      return "AlltoAllVC";
    case Op::Barrier:
      return "Barrier";
    case Op::Send:
      return "Send";
    case Op::Receive:
      return "Recv";
  }
  return "?";
}

std::optional<Difference> difference(const Call& mine, const Call& theirs) {
  if (mine == theirs) return {};
  if (mine.op != theirs.op) return Difference{"operation", describe(mine), describe(theirs)};
  if (mine.type != theirs.type) return Difference{"dataType", name_of(mine.type), name_of(theirs.type)};
  if (mine.count != theirs.count) return Difference{"count", std::to_string(mine.count), std::to_string(theirs.count)};
  if (mine.reduce != theirs.reduce) return Difference{"op", name_of(mine.reduce), name_of(theirs.reduce)};
  const bool message = mine.op == Op::Send || mine.op == Op::Receive;
  if (mine.root != theirs.root)
    return Difference{message ? "sr_tag" : "root", std::to_string(mine.root), std::to_string(theirs.root)};
  return Difference{"count arrays", formatted("hash {}", mine.arrays), formatted("hash {}", theirs.arrays)};
}

std::string describe(const Call& call) {
  std::string text = name_of(call.op);
  if (call.type == HCCL_DATA_TYPE_RESERVED) return text;
  text +=
      call.count ? formatted("(count {}, {}", call.count, name_of(call.type)) : formatted("({}", name_of(call.type));
  if (call.reduce != HCCL_REDUCE_RESERVED) text += formatted(", {}", name_of(call.reduce));
  if (has_root(call.op)) text += formatted(", root {}", call.root);
  return text + ")";
}

size_t Work::bytes_given() const {
  if (call.op == Op::AllReduce) return call.count * element;
  uint64_t end = 0;
  for (const Part& part : give)
    if (part.count) end = std::max(end, part.offset + part.count);
  return end * element;
}

}  // namespace belay::comm
