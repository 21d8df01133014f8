// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/infer/convolution.h"
#include "graph/infer/infer.h"

namespace belay::graph {

// Which products an element of a matrix product or of a convolution is the sum of.
class ProductPlan {
 public:
  // An element of the first input times one of the second, by their places in row-major order.
  struct Term {
    int64_t left = 0, right = 0;
  };

  // Whether operators of this type are products; of() says whether this one can be followed.
  static bool knows(std::string_view op_type);
  // Of MatMul, BatchMatMul, Conv2D, Conv3D, DepthwiseConv2D and their later versions; nothing for other operators and
  // for shapes that are not known. The rules may look at the node only while this runs.
  static std::optional<ProductPlan> of(const Node& node, std::span<const TensorInfo> inputs);

  const Shape& output() const { return output_; }
  // The terms of an element of the output, in the order of the right side; those that lie in padding are left out.
  std::vector<Term> terms(int64_t element) const;
  // The element of the third input that is added to it; -1: there is none.
  int64_t bias(int64_t element) const;

 private:
  ProductPlan() = default;
  bool read_matrices(const Node& node, const Shape& left, const Shape& right);
  std::vector<Term> row_times_column(int64_t element) const;
  std::vector<Term> window_times_filter(int64_t element) const;

  Shape left_, right_, output_;
  bool left_transposed_ = false, right_transposed_ = false;  // of matrices
  std::optional<Convolution> convolution_;
  bool has_bias_ = false;
};

}  // namespace belay::graph
