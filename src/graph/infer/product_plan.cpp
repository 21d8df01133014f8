// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/product_plan.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "graph/infer/arguments.h"

namespace belay::graph {
namespace {

bool is_matrix_product(std::string_view type) {
  static constexpr std::array<std::string_view, 6> kTypes = {"MatMul",      "MatMulV2",      "MatMulV3",
                                                             "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"};
  return std::ranges::count(kTypes, type) > 0;
}

bool is_convolution(std::string_view type) {
  static constexpr std::array<std::string_view, 3> kTypes = {"Conv2D", "Conv3D", "DepthwiseConv2D"};
  return std::ranges::count(kTypes, type) > 0;
}

std::vector<int64_t> coordinates(const Shape& shape, int64_t at) {
  std::vector<int64_t> found(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    found[d] = at % shape[d];
    at /= shape[d];
  }
  return found;
}

int64_t place_of(const Shape& shape, const std::vector<int64_t>& coordinates) {
  int64_t at = 0;
  for (size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + coordinates[d];
  return at;
}

// The matrix of a batch that is spread over that of the output: where it begins.
int64_t matrix_of(const Shape& shape, const std::vector<int64_t>& output) {
  int64_t matrix = 0;
  const size_t batch = shape.size() - 2, spread = output.size() - 2 - batch;
  for (size_t d = 0; d < batch; ++d) matrix = matrix * shape[d] + (shape[d] == 1 ? 0 : output[spread + d]);
  return matrix * shape[batch] * shape[batch + 1];
}

}  // namespace

bool ProductPlan::knows(std::string_view op_type) { return is_matrix_product(op_type) || is_convolution(op_type); }

std::optional<ProductPlan> ProductPlan::of(const Node& node, std::span<const TensorInfo> inputs) {
  if (inputs.size() < 2 || !inputs[0].present || !inputs[1].present) return {};
  if (!is_known(inputs[0].shape) || !is_known(inputs[1].shape)) return {};
  ProductPlan plan;
  plan.left_ = inputs[0].shape, plan.right_ = inputs[1].shape;
  plan.has_bias_ = inputs.size() > 2 && inputs[2].present;
  if (is_matrix_product(node.type)) {
    if (!plan.read_matrices(node, plan.left_, plan.right_)) return {};
    return plan;
  }
  if (!is_convolution(node.type)) return {};
  const InferContext context(node, inputs);
  auto convolution = read_convolution(context);
  if (!convolution.ok() || (*convolution).transposed || (*convolution).depthwise_filter) return {};
  plan.output_ = (*convolution).output_shape;
  plan.convolution_ = std::move(convolution).value();
  if (!is_known(plan.output_)) return {};
  return plan;
}

bool ProductPlan::read_matrices(const Node& node, const Shape& left, const Shape& right) {
  if (left.size() < 2 || right.size() < 2) return false;
  left_transposed_ = flag_of(node, "transpose_x1", false) || flag_of(node, "adj_x1", false);
  right_transposed_ = flag_of(node, "transpose_x2", false) || flag_of(node, "adj_x2", false);
  auto batch = broadcast({left.begin(), left.end() - 2}, {right.begin(), right.end() - 2});
  if (!batch.ok()) return false;
  output_ = std::move(batch).value();
  output_.push_back(left[left.size() - (left_transposed_ ? 1 : 2)]);
  output_.push_back(right[right.size() - (right_transposed_ ? 2 : 1)]);
  return left[left.size() - (left_transposed_ ? 2 : 1)] == right[right.size() - (right_transposed_ ? 1 : 2)];
}

std::vector<ProductPlan::Term> ProductPlan::terms(int64_t element) const {
  return convolution_ ? window_times_filter(element) : row_times_column(element);
}

int64_t ProductPlan::bias(int64_t element) const {
  if (!has_bias_) return -1;
  return coordinates(output_, element)[convolution_ ? convolution_->axes.channel : output_.size() - 1];
}

std::vector<ProductPlan::Term> ProductPlan::row_times_column(int64_t element) const {
  const auto at = coordinates(output_, element);
  const int64_t row = at[at.size() - 2], column = at[at.size() - 1];
  const int64_t left = matrix_of(left_, at), right = matrix_of(right_, at);
  const int64_t depth = left_[left_.size() - (left_transposed_ ? 2 : 1)];
  std::vector<Term> found;
  for (int64_t k = 0; k < depth; ++k)
    found.push_back({left + (left_transposed_ ? k * left_.back() + row : row * left_.back() + k),
                     right + (right_transposed_ ? column * right_.back() + k : k * right_.back() + column)});
  return found;
}

std::vector<ProductPlan::Term> ProductPlan::window_times_filter(int64_t element) const {
  const Convolution& conv = *convolution_;
  const auto at = coordinates(output_, element);
  const int64_t channel = at[conv.axes.channel];
  const int64_t in_group = right_[conv.filter_axes.input], out_group = conv.output_channels / conv.groups;
  const int64_t first = channel / out_group * in_group;
  Shape steps = conv.window.kernel;
  steps.insert(steps.begin(), in_group);
  std::vector<int64_t> left(left_.size()), right(right_.size());
  left[conv.axes.batch] = at[conv.axes.batch];
  right[conv.filter_axes.output] = channel;
  std::vector<Term> found;
  for (int64_t step = 0; step < element_count(steps); ++step) {
    const auto offset = coordinates(steps, step);
    left[conv.axes.channel] = first + offset[0];
    right[conv.filter_axes.input] = offset[0];
    bool inside = true;
    for (size_t d = 0; d < conv.window.rank(); ++d) {
      const int64_t place = at[conv.axes.spatial[d]] * conv.window.stride[d] - conv.window.pad_begin[d] +
                            offset[d + 1] * conv.window.dilation[d];
      inside = inside && place >= 0 && place < conv.window.input[d];
      left[conv.axes.spatial[d]] = place;
      right[conv.filter_axes.spatial[d]] = offset[d + 1];
    }
    if (inside) found.push_back({place_of(left_, left), place_of(right_, right)});
  }
  return found;
}

}  // namespace belay::graph
