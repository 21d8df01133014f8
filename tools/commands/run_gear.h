// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "acl/acl.h"

namespace belay::tools {

// The gear of a run: one of the batch sizes, image sizes or sets of dimensions that a model was converted for.
class Gear {
 public:
  // The gear with the wanted values (a batch; height and width; or each unknown dimension), or the largest when none
  // are given. Nothing when the model has no gears. Throws std::runtime_error with the gears there are.
  static std::optional<Gear> choose(aclmdlDesc* desc, const std::vector<int64_t>& wanted);

  // Puts the values in the place of the unknown dimensions of the next input.
  void fill(std::vector<int64_t>& shape);
  void apply(uint32_t model, aclmdlDataset* inputs) const;

 private:
  enum class Kind { Batch, Image, Dims };
  struct Choice {
    std::vector<int64_t> values;
    aclmdlIODims dims{};  // of all inputs; for Kind::Dims
  };
  Gear(Kind kind, size_t index, Choice choice) : kind_(kind), index_(index), choice_(std::move(choice)) {}
  static std::vector<Choice> choices(aclmdlDesc* desc, Kind& kind);

  Kind kind_;
  size_t index_;  // of the input that tells the model
  Choice choice_;
  size_t filled_ = 0;
};

}  // namespace belay::tools
