// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dump/tensor_recorder.h"

namespace belay::dump {

// Whether no element of the tensor is infinite or NaN; what pads its blocks does not count.
bool is_finite(const Tensor& tensor);

// Finds the operators that overflow: an output has an element that is infinite or NaN, while every element of every
// input is finite. Writes their Opdebug file, then their own. Used by one thread at a time.
class OverflowFinder {
 public:
  OverflowFinder(Outlet& outlet, TensorRecorder& recorder) : outlet_(outlet), recorder_(recorder) {}

  // Before a node runs that writes to its own inputs: keeps them as they are now, if they are finite.
  void keep(const graph::Node& node, std::span<const Tensor> inputs);
  // After a node ran. Without an overflow only the outputs are read.
  void judge(const Setting& setting, const std::string& directory, const RunInfo& run, const ChosenNode& chosen,
             std::span<const Tensor> inputs, std::span<const Tensor> outputs);
  // The same after a node that writes to its own inputs: those that were kept count.
  void judge_changed(const Setting& setting, const std::string& directory, const RunInfo& run, const graph::Node& node,
                     const ChosenNode& chosen, std::span<const Tensor> outputs);

 private:
  void record_opdebug(const Setting& setting, const std::string& directory, const RunInfo& run);

  Outlet& outlet_;
  TensorRecorder& recorder_;
  const graph::Node* kept_for_ = nullptr;  // null: its inputs were not finite
  std::vector<Tensor> kept_;
  std::vector<std::vector<std::byte>> kept_bytes_;
};

}  // namespace belay::dump
