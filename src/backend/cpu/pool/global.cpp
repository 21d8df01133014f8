// SPDX-License-Identifier: Apache-2.0
// The mean or the largest of each channel, in the layout that the input has.
#include "backend/cpu/pool/global.h"

#include <algorithm>

#include "backend/cpu/arguments.h"
#include "backend/cpu/pool/fold_row.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/layout_plan.h"
#include "backend/cpu/simd/row_floats.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

class GlobalPool : public Kernel {
 public:
  GlobalPool(const Shape& x, Layout layout, bool average)
      : layout_(layout), fold_(average ? Fold::Sum : Fold::Maximum), space_(product(x, 2, x.size())) {
    inner_ = layout == Layout::ChannelsLast ? x[1] : 1;
    outer_ = layout == Layout::ChannelsLast ? x[0] : x[0] * x[1];
    if (average) factor_ = 1 / static_cast<double>(space_);
  }

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    const auto* x = inputs[0].as<const float>();
    auto* y = outputs[0].as<float>();
    const int64_t strips = (inner_ + width - 1) / width,
                  least = std::max<int64_t>(1, grain / (space_ * inner_) * strips);
    parallel_for(outer_ * strips, least, [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; ++s) fold_strip(x, s / strips, s % strips * width, y);
    });
    return {};
  }

  Layout wants(size_t i) const override { return i == 0 ? layout_ : Layout::Plain; }
  Layout gives(size_t) const override { return layout_; }

 private:
  static constexpr int64_t width = 256, grain = 1 << 15;
  static constexpr int64_t few = 64;  // places that are summed in float

  void fold_strip(const float* x, int64_t outer, int64_t column, float* y) const {
    x += outer * space_ * inner_ + column;
    y += outer * inner_ + column;
    if (inner_ == 1) {
      *y = static_cast<float>(fold_row(fold_, x, static_cast<size_t>(space_)) * factor_);
      return;
    }
    const int64_t columns = std::min(width, inner_ - column);
    if (fold_ == Fold::Maximum || space_ <= few) {
      const pool::Task task{{&x, 1}, 1, y};
      const pool::Along along{space_, 1, columns, inner_, space_, 1, 1, 0};
      const auto places = static_cast<float>(space_);
      if (fold_ == Fold::Maximum)
        pool::largest_in_rows(along, {&task, 1}, nullptr);
      else
        pool::average_in_rows(along, {&task, 1}, &places, nullptr);
      return;
    }
    double totals[width];
    fold_columns(fold_, x, static_cast<size_t>(space_), static_cast<size_t>(inner_), static_cast<size_t>(columns),
                 totals);
    for (int64_t c = 0; c < columns; ++c) y[c] = static_cast<float>(totals[c] * factor_);
  }

  const Layout layout_;
  const Fold fold_;
  const int64_t space_;
  int64_t outer_, inner_;
  double factor_ = 1;
};

template <bool average>
MadeKernel make(const KernelRequest& request) {
  return make_global_pool(request, average);
}

constexpr KernelRow rows[] = {
    {"GlobalAveragePool", "simd", make<true>},
    {"GlobalMaxPool", "simd", make<false>},
};

}  // namespace

MadeKernel make_global_pool(const KernelRequest& request, bool average) {
  const graph::TensorInfo& x = request.inputs[0];
  if (x.type != DataType::Float || request.outputs[0].type != DataType::Float) return refuse("only float");
  if (x.shape.size() < 2) return refuse("x must have two dimensions or more");
  if (graph::element_count(x.shape) == 0) return refuse("an empty tensor");
  return std::unique_ptr<Kernel>(std::make_unique<GlobalPool>(x.shape, request.input_layouts[0], average));
}

std::span<const KernelRow> simd_global_pool_rows() { return rows; }

}  // namespace belay::backend::cpu
