// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/recurrent/gate_function.h"

namespace belay::backend::cpu {

// The sizes of a recurrent layer, of one direction.
struct RecurrentSizes {
  int64_t steps, batch, input, hidden;
};

// y = h * the transposed rows of r for `gates` gates from `first` on, + beta * y. beta is 0 or 1, h is [batch, hidden],
// rows of y are y_row elements apart.
template <class C>
using TimesR = std::function<void(const C* h, int64_t first, int64_t gates, C beta, C* y, int64_t y_row)>;

// The parameters of one direction, in ONNX's order of gates; what is not given is null.
template <class C>
struct CellWeights {
  TimesR<C> times_r;
  const C *w_bias, *r_bias;  // [gates * hidden]
  const C* peepholes;        // [3 * hidden]
};

struct CellOptions {
  std::span<const GateFunction> functions;
  double clip = -1;                  // of what goes into the activations; not above 0: none
  bool couple = false;               // LSTM: the forget gate is what the input gate leaves
  bool linear_before_reset = false;  // GRU
  bool vectors = false;              // floats: with vector instructions, where the activations have them
};

// One direction of a recurrent layer, step by step. C is float or double.
template <class C>
class Cell {
 public:
  virtual ~Cell() = default;
  // Number of gates: rows of w in units of `hidden`.
  virtual int64_t gates() const = 0;
  // Advances the states of the batches that are active. `x` is x * w + biases of this step, [batch, gates * hidden],
  // and is overwritten; h and c are [batch, hidden].
  virtual void step(C* x, C* h, C* c, const std::vector<bool>& active) = 0;
  // Biases that are added to x * w before step: [gates * hidden].
  virtual std::vector<C> bias() const = 0;
};

template <class C>
std::unique_ptr<Cell<C>> make_lstm(const RecurrentSizes& sizes, const CellWeights<C>& weights,
                                   const CellOptions& options);
template <class C>
std::unique_ptr<Cell<C>> make_gru(const RecurrentSizes& sizes, const CellWeights<C>& weights,
                                  const CellOptions& options);
template <class C>
std::unique_ptr<Cell<C>> make_rnn(const RecurrentSizes& sizes, const CellWeights<C>& weights,
                                  const CellOptions& options);

}  // namespace belay::backend::cpu
