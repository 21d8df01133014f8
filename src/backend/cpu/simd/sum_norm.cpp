// SPDX-License-Identifier: Apache-2.0
// Sums followed by a norm, row by row: AddLayerNorm and AddRmsNorm. The sum is an output, too.
#include <algorithm>
#include <cmath>

#include "backend/cpu/arguments.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/combine_floats.h"
#include "backend/cpu/simd/row_buffer.h"
#include "backend/cpu/simd/row_floats.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t grain = 1 << 13;  // elements that are worth a thread

// Row by row: x1 + x2, and + bias where there is one.
class SummedRows {
 public:
  SummedRows(Inputs in, size_t bias, int64_t length)
      : in_(in),
        bias_(bias < in.size() && in[bias].present ? bias : 0),
        length_(length),
        operand_(in[0].type, length),
        first_(in[0].type, length),
        sum_(static_cast<size_t>(length)) {
    if (bias_) bias_rows_ = std::max<int64_t>(in[bias_].count() / length, 1);
  }

  // The sum of row `r`, kept until the next; also written to `sums` in its own type.
  const float* add(int64_t r, const Tensor& sums) {
    plus(first_.load(in_[0], r * length_), operand_.load(in_[1], r * length_));
    if (bias_) plus(sum_.data(), operand_.load(in_[bias_], r % bias_rows_ * length_));
    store_floats(in_[0].type, sum_.data(), place(sums, r), sum_.size());
    return sum_.data();
  }
  // The same, as its own type holds it.
  const float* add_rounded(int64_t r, const Tensor& sums) {
    add(r, sums);
    load_floats(in_[0].type, place(sums, r), sum_.data(), sum_.size());
    return sum_.data();
  }

 private:
  void plus(const float* a, const float* b) {
    combine_floats(Combine::Add, {a, 0, 1}, {b, 0, 1}, sum_.data(), 1, length_);
  }
  void* place(const Tensor& tensor, int64_t r) const {
    return tensor.as<std::byte>() + r * length_ * static_cast<int64_t>(float_storage_bytes(tensor.type));
  }

  const Inputs in_;
  const size_t bias_;  // 0: none
  const int64_t length_;
  int64_t bias_rows_ = 1;
  RowBuffer operand_, first_;
  std::vector<float> sum_;
};

// The statistics are float; all else is of one type that can be read as floats.
Status check(const KernelRequest& request, std::initializer_list<size_t> parameters, size_t sums) {
  const DataType type = request.inputs[0].type;
  if (!is_float_storage(type)) return refuse("only float, float16 and bfloat16 are supported here");
  if (request.inputs[1].type != type || request.outputs[0].type != type || request.outputs[sums].type != type)
    return refuse("x1, x2, y and x must have one type");
  if (request.inputs[0].shape != request.inputs[1].shape) return refuse("x1 and x2 differ in shape");
  const int64_t length = graph::element_count(request.inputs[2].shape);
  if (length <= 0 || graph::element_count(request.inputs[0].shape) % length) return refuse("gamma is not of one row");
  for (const size_t input : parameters)
    if (!is_float_storage(request.inputs[input].type) || graph::element_count(request.inputs[input].shape) != length)
      return refuse("the parameters are not of one row");
  for (size_t o = 1; o < request.outputs.size(); ++o)
    if (o != sums && request.outputs[o].type != DataType::Float) return refuse("the statistics must be float");
  return {};
}

MadeKernel make_add_layer_norm(const KernelRequest& request) {
  if (request.outputs.size() != 4) return refuse("it must have four outputs");
  TRY(check(request, {2, 3}, 3));
  const DataType type = request.inputs[0].type;
  const int64_t length = graph::element_count(request.inputs[2].shape);
  if (request.inputs.size() > 4 && request.inputs[4].present &&
      (request.inputs[4].type != type || graph::element_count(request.inputs[4].shape) % length))
    return refuse("the bias is not of whole rows of x's type");
  const double epsilon = get_or(request.node.attributes, "epsilon", 1e-5f);
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const FloatList gain(in, 2), shift(in, 3);
    parallel_for(in[0].count() / length, std::max<int64_t>(1, grain / length), [&](int64_t begin, int64_t end) {
      SummedRows sums(in, 4, length);
      RowBuffer row(type, length);
      for (int64_t r = begin; r < end; ++r) {
        const float* sum = sums.add(r, out[3]);
        const Spread spread = spread_of(sum, static_cast<size_t>(length));
        const double factor = 1 / std::sqrt(spread.variance + epsilon);
        normalise_row(sum, row.open(out[0], r * length), static_cast<size_t>(length), spread.mean, factor, gain.data(),
                      shift.data());
        row.store(out[0], r * length);
        out[1].as<float>()[r] = static_cast<float>(spread.mean);
        out[2].as<float>()[r] = static_cast<float>(factor);
      }
    });
    return {};
  });
}

// The very steps of aclnnAddRmsNorm (rowwise/norm.cpp): the sum is normed as its type holds it, and what is multiplied
// by gamma is rounded before.
MadeKernel make_add_rms_norm(const KernelRequest& request) {
  if (request.outputs.size() != 3) return refuse("it must have three outputs");
  TRY(check(request, {2}, 2));
  const DataType type = request.inputs[0].type;
  const int64_t length = graph::element_count(request.inputs[2].shape);
  const float epsilon = get_or(request.node.attributes, "epsilon", 1e-6f);
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const FloatList gain(in, 2);
    parallel_for(in[0].count() / length, std::max<int64_t>(1, grain / length), [&](int64_t begin, int64_t end) {
      SummedRows sums(in, in.size(), length);
      RowBuffer row(type, length);
      for (int64_t r = begin; r < end; ++r) {
        const float* sum = sums.add_rounded(r, out[2]);
        const double squares = fold_row(Fold::SumOfSquares, sum, static_cast<size_t>(length));
        const float factor = 1 / std::sqrt(static_cast<float>(squares / static_cast<double>(length)) + epsilon);
        float* y = row.open(out[0], r * length);
        normalise_row(sum, y, static_cast<size_t>(length), 0, factor, nullptr, nullptr);
        row.store(out[0], r * length);
        row.load(out[0], r * length);
        combine_floats(Combine::Multiply, {y, 0, 1}, {gain.data(), 0, 1}, y, 1, length);
        row.store(out[0], r * length);
        out[1].as<float>()[r] = factor;
      }
    });
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"AddLayerNorm", "simd", make_add_layer_norm},
    {"AddRmsNorm", "simd", make_add_rms_norm},
};

}  // namespace

std::span<const KernelRow> simd_sum_norm_rows() { return rows; }

}  // namespace belay::backend::cpu
