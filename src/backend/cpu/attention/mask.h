// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/cpu/attention/sequences.h"
#include "backend/cpu/whole_call.h"

namespace belay::backend::cpu::attention {

// Where a tensor of the scores' dimensions [batch, head, query, key], or of some of them, has an element; a dimension
// of 1 serves all.
struct Steps {
  int64_t batch = 0, head = 0, query = 0, key = 0;
};

// Which keys a row of the query looks at: sparseMode, preTokens, nextTokens, prefix and attenMask together.
class Mask {
 public:
  struct Request {
    int64_t mode = 0, before = 0, after = 0;
    bool training = false;
    // An inference call of one row in each batch: modes and tokens have no effect.
    bool single_row = false;
    bool joined = false;
    int64_t rows = 0;  // of the query's tensor in each batch, whatever the actual lengths are
    std::vector<int64_t> prefix;
  };
  static Result<Mask> make(const WholeCall& call, const Request& request, int64_t heads,
                           const std::vector<Rows>& queries, const std::vector<Rows>& keys);

  // Keys [first, last) that may be kept for row i, of `queries` rows against `keys`; those below `prefix` too.
  struct Window {
    int64_t first, last, prefix;
  };
  Window window(size_t batch, int64_t i, int64_t queries, int64_t keys) const;
  // The bytes of the mask for a row, null: none. 1 is left out. They stand for the keys from `from` on.
  const uint8_t* row(Inputs in, size_t batch, int64_t head, int64_t i, int64_t queries, int64_t keys,
                     int64_t& from) const;

 private:
  Status set_tensor(const WholeCall& call, int64_t heads, const std::vector<Rows>& queries,
                    const std::vector<Rows>& keys);
  Status set_tree(const WholeCall& call, const std::vector<Rows>& queries);
  int64_t mode_of(size_t batch) const;

  Request request_;
  int input_ = -1;  // the mask that is read; -1: none
  Steps steps_;
  size_t special_ = SIZE_MAX;         // the sequence that modes 7 and 8 treat otherwise
  std::vector<int64_t> tree_starts_;  // mode 9: where each batch's mask begins
  std::vector<int64_t> tree_rows_;    // and how many columns it has
};

// The steps of a tensor [batch, head, query, key]; refused when it serves fewer than so many of each.
Result<Steps> score_steps(const std::string& what, const Shape& shape, int64_t batches, int64_t heads, int64_t queries,
                          int64_t keys);

}  // namespace belay::backend::cpu::attention
