// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dump/observers/growth.h"
#include "dump/observers/tensor_recorder.h"

namespace belay::dump {

// Finds the operators that overflow: an output has an element that is infinite or NaN, while every element of every
// input is finite; or saturation mode clipped an element. Writes their Opdebug file, then their own, then what led to
// it. Used by one thread at a time.
class OverflowFinder {
 public:
  // What tells of an overflow besides the operator's own file.
  enum class Tells { Nothing, Opdebug, OpdebugAndGrowth };

  OverflowFinder(Outlet& outlet, TensorRecorder& recorder, Tells tells)
      : outlet_(outlet), recorder_(recorder), tells_(tells) {}

  // An execution begins.
  void forget() { growth_.forget(); }
  // Before a node runs that writes to its own inputs: keeps them as they are now, if they are finite.
  void keep(const graph::Node& node, std::span<const Tensor> inputs);
  // After a node ran. Without an overflow only the outputs are read.
  void judge(const Setting& setting, const std::string& directory, const RunInfo& run, const ChosenNode& chosen,
             std::span<const Tensor> inputs, std::span<const Tensor> outputs);
  // The same after a node that writes to its own inputs: those that were kept count.
  void judge_changed(const Setting& setting, const std::string& directory, const RunInfo& run, const ChosenNode& chosen,
                     std::span<const Tensor> outputs);

 private:
  bool overflows(const RunInfo& run, const ChosenNode& chosen, std::span<const Tensor> inputs,
                 std::span<const Tensor> outputs);
  void record_opdebug(const Setting& setting, const std::string& directory, const RunInfo& run);
  void record_growth(const Setting& setting, const std::string& directory, const RunInfo& run,
                     const ChosenNode& chosen);
  void submit(Outgoing item, std::string content);

  Outlet& outlet_;
  TensorRecorder& recorder_;
  const Tells tells_;
  Growth growth_;
  bool kept_finite_ = false;
  std::vector<Tensor> kept_;
  std::vector<std::vector<std::byte>> kept_bytes_;
};

}  // namespace belay::dump
