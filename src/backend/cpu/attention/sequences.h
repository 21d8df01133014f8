// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/cpu/attention/heads.h"

namespace belay::backend::cpu::attention {

// The rows of one batch: where they begin in its tensor, and how many there are.
struct Rows {
  int64_t first = 0, count = 0;
};

// The rows of each batch. `lengths` was given when `has`: in a joined layout the ends of the sequences, else their
// lengths, one for all or one for each. `what` names it in a refusal.
Result<std::vector<Rows>> rows_of(const std::string& what, bool has, const std::vector<int64_t>& lengths,
                                  const Heads& heads, int64_t batches);
// Lengths that are no ends even where the layout is joined, up to `most`.
Result<std::vector<Rows>> rows_up_to(const std::string& what, const std::vector<int64_t>& lengths, int64_t batches,
                                     int64_t most);

}  // namespace belay::backend::cpu::attention
