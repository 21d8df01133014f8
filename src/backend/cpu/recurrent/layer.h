// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/cpu/function_kernel.h"
#include "backend/cpu/recurrent/cell.h"

namespace belay::backend::cpu {

// What a node of type CommonLSTM, CommonGRU or CommonRNN asks for. Its inputs are x, w, r, b, sequence_lens, initial_h,
// initial_c and p, as ONNX has them.
struct Recurrent {
  std::string label;
  std::vector<GateFunction> functions;  // direction by direction
  size_t directions = 1, per_direction = 1;
  int64_t gates = 1;
  bool reverse = false, lstm = false, gru = false;
  double clip = -1;
  bool couple = false, linear_before_reset = false;

  bool backwards(size_t direction) const { return reverse || direction == 1; }
  CellOptions options_of(size_t direction) const {
    return {std::span(functions).subspan(direction * per_direction, per_direction), clip, couple, linear_before_reset};
  }
};

// Refuses shapes that do not fit together.
Result<Recurrent> read_recurrent(const KernelRequest& request);

// The steps of each batch.
Result<std::vector<int64_t>> lengths_of(const Recurrent& op, Inputs in, const RecurrentSizes& sizes);

template <class C>
std::unique_ptr<Cell<C>> make_cell(const Recurrent& op, const RecurrentSizes& sizes, const CellWeights<C>& weights,
                                   const CellOptions& options) {
  if (op.lstm) return make_lstm<C>(sizes, weights, options);
  return op.gru ? make_gru<C>(sizes, weights, options) : make_rnn<C>(sizes, weights, options);
}

}  // namespace belay::backend::cpu
