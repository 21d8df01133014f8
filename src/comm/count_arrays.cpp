// SPDX-License-Identifier: Apache-2.0
#include "comm/count_arrays.h"

#include <algorithm>

#include "base/text.h"

namespace belay::comm {
namespace {

// The parts that every rank gives alike; null when the operation has none.
const std::vector<Part>* common_parts(const Work& work) {
  if (work.call.op == Op::AllGatherV) return &work.take;
  return work.call.op == Op::ReduceScatterV ? &work.give : nullptr;
}

uint64_t offset_of(const Part& part) { return part.count ? part.offset : 0; }

uint64_t mixed(uint64_t hash, uint64_t number) {
  hash = (hash ^ number) * 0xff51afd7ed558ccd;
  return hash ^ hash >> 32;
}

std::string name_at(Op op, uint32_t size, const ArrayNames& names, size_t at) {
  if (op == Op::AlltoAllVC)
    return formatted("{}[{}], from rank {} to rank {},", names.matrix, at, at / size, at % size);
  const bool gathers = op == Op::AllGatherV;
  if (at < size) return formatted("{}[{}]", gathers ? names.received : names.sent, at);
  return formatted("{}[{}]", gathers ? names.received_at : names.sent_at, at - size);
}

}  // namespace

std::vector<uint64_t> count_arrays(const Work& work) {
  const auto* parts = common_parts(work);
  if (!parts) return work.matrix;
  std::vector<uint64_t> arrays;
  for (const Part& part : *parts) arrays.push_back(part.count);
  for (const Part& part : *parts) arrays.push_back(offset_of(part));
  return arrays;
}

uint64_t hash_of_arrays(const Work& work) {
  const auto* parts = common_parts(work);
  if (!parts && work.matrix.empty()) return 0;
  uint64_t hash = 0x9e3779b97f4a7c15;
  for (const uint64_t count : work.matrix) hash = mixed(hash, count);
  if (parts)
    for (const Part& part : *parts) hash = mixed(mixed(hash, part.count), offset_of(part));
  return hash;
}

const ArrayNames& array_names(bool in_models) {
  static constexpr ArrayNames calls{"sendCounts", "sendDispls", "recvCounts", "recvDispls", "sendCountMatrix"};
  static constexpr ArrayNames operators{"send_counts", "send_displacements", "recv_counts", "recv_displacements",
                                        "send_count_matrix"};
  return in_models ? operators : calls;
}

std::optional<Difference> difference(Op op, uint32_t size, const ArrayNames& names, const std::vector<uint64_t>& mine,
                                     const std::vector<uint64_t>& theirs) {
  if (mine.size() != theirs.size()) return {};
  const auto [one, other] = std::ranges::mismatch(mine, theirs);
  if (one == mine.end()) return {};
  return Difference{name_at(op, size, names, static_cast<size_t>(one - mine.begin())), std::to_string(*one),
                    std::to_string(*other)};
}

}  // namespace belay::comm
