// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "dump/observers/tensor_recorder.h"

namespace belay::dump {

// The largest magnitude of each value of one execution of a model, so that an overflow can be told with what led to it.
// Used by one thread at a time.
class Growth {
 public:
  // An execution begins.
  void forget() {
    seen_.clear();
    next_ = 0;
  }
  // A node ran: `most` are the largest magnitudes of its outputs. The model's own inputs are measured here, when they
  // are read for the first time.
  void saw(const ChosenNode& chosen, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
           std::span<const double> most);

  // The operators that `culprit` depends on and itself, in the order they ran, as JSON: docs/dump.md has the fields.
  // Empty when the culprit's outputs are written more than once (in a loop).
  std::string chain_of(const ChosenNode& culprit, const RunInfo& run) const;

 private:
  struct Seen {
    size_t order = 0;  // in which they were seen: no two have the same
    graph::DataType type = graph::DataType::Undefined;
    double most = 0;
    const ChosenNode* chosen = nullptr;  // null: an input of the model
  };
  std::unordered_map<ValueKey, Seen, ValueKeyHash> seen_;
  size_t next_ = 0;
};

}  // namespace belay::dump
