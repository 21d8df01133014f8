// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/kernel.h"

// How attention functions lay out their tensors.
namespace belay::backend::cpu::attention {

// A tensor of heads: component d of row i of head n of batch b lies at b * batch_step + n * head_step + i * row_step +
// d.
struct Heads {
  int64_t batches = 0, heads = 0, rows = 0, size = 0;
  int64_t batch_step = 0, head_step = 0, row_step = 0;
  bool joined = false;  // TND, NTD: one batch whose rows are those of all sequences

  int64_t at(int64_t batch, int64_t head, int64_t row) const {
    return batch * batch_step + head * head_step + row * row_step;
  }
};

// Whether sequences of different lengths lie one after another.
bool is_joined(const std::string& layout);
// A tensor of this shape; `heads` is how many the width of BSH and SBH is divided into, 0: as many as heads of
// `size` fit. `what` names it in a refusal.
Result<Heads> heads_of(const std::string& what, const std::string& layout, const Shape& shape, int64_t heads,
                       int64_t size = 0);
// The shape that so many batches, heads, rows and components have.
Shape shape_of(const std::string& layout, int64_t batches, int64_t heads, int64_t rows, int64_t size);

// "BSH_BNSD" is BSH for the inputs and BNSD for the output.
struct Layouts {
  std::string input, output;
};
Result<Layouts> layouts_named(const std::string& name, bool training);

}  // namespace belay::backend::cpu::attention
