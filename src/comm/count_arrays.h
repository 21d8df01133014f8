// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comm/call.h"

namespace belay::comm {

// The count arrays that all ranks must give alike: the counts, then the displacements, of AllGatherV and
// ReduceScatterV, and the matrix of AlltoAllVC. Empty for the other operations. Displacements of nothing are 0.
std::vector<uint64_t> count_arrays(const Work& work);

// A hash of them, for Call::arrays; 0 when there are none.
uint64_t hash_of_arrays(const Work& work);

// The names of such parameters, in the calls of HCCL or in the operators of models.
struct ArrayNames {
  const char *sent, *sent_at, *received, *received_at, *matrix;
};
const ArrayNames& array_names(bool in_models);

// The first element that two ranks of a communicator of that size gave differently. None when there is no such element,
// or one of the two is not known (empty).
std::optional<Difference> difference(Op op, uint32_t size, const ArrayNames& names, const std::vector<uint64_t>& mine,
                                     const std::vector<uint64_t>& theirs);

}  // namespace belay::comm
