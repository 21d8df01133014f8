// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "exact/models/model.h"

namespace belay::exact {

// Where the elements of the inputs are that an element of an element-wise output was made from. PRelu's slope goes with
// the channels.
class Broadcast {
 public:
  static constexpr size_t most = 4;  // inputs

  Broadcast(const Operation& operation, const graph::Shape& output);

  // visit(i, places) for the elements [begin, end) of the output, with the place in each input.
  template <class Visit>
  void visit(int64_t begin, int64_t end, const Visit& visit) const {
    std::array<int64_t, most> at{};
    for (int64_t i = begin; i < end; ++i) {
      if (plain_) {
        at.fill(i);
      } else {
        at.fill(0);
        int64_t rest = i;
        for (size_t d = shape_.size(); d-- > 0; rest /= shape_[d])
          for (size_t k = 0; k < inputs_.size(); ++k) at[k] += rest % shape_[d] * strides_[k][d];
      }
      visit(i, at.data());
    }
  }
  // The elements at these places; 0 for inputs that are not floats.
  void load(const int64_t* at, double* x) const {
    for (size_t k = 0; k < inputs_.size(); ++k) x[k] = inputs_[k].empty() ? 0 : inputs_[k][static_cast<size_t>(at[k])];
  }

 private:
  graph::Shape shape_;
  bool plain_ = true;  // all inputs have the output's shape
  std::vector<std::span<const double>> inputs_;
  std::vector<graph::Shape> strides_;
};

}  // namespace belay::exact
