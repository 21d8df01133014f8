// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/elementwise_kernel.h"

#include <algorithm>

#include "backend/cpu/broadcast.h"
#include "backend/cpu/simd/convert_floats.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t grain = 1 << 15;  // elements that are worth a thread
constexpr size_t narrow_block =
    1024;  // floats that are made at a time of halves, or scaled: they stay in the first cache

// What the kernels of this file have in common: the layouts, and the type.
class ElementwiseKernel : public Kernel {
 public:
  ElementwiseKernel(const KernelRequest& request, LayoutPlan plan)
      : type_(request.outputs[0].type), plan_(std::move(plan)) {
    for (size_t i = 0; i < plan_.operands.size(); ++i)
      takes_over_.push_back(request.inputs[i].type == type_ && request.inputs[i].shape == request.outputs[0].shape);
  }
  Layout wants(size_t i) const override { return i < plan_.wants.size() ? plan_.wants[i] : Layout::Plain; }
  Layout gives(size_t) const override { return plan_.layout; }
  bool in_place(size_t o, size_t i) const override { return o == 0 && i < takes_over_.size() && takes_over_[i]; }

 protected:
  const std::byte* at(const Tensor& tensor, int64_t index) const {
    return tensor.as<std::byte>() + static_cast<size_t>(index) * float_storage_bytes(type_);
  }
  std::byte* at(Tensor& tensor, int64_t index) const {
    return tensor.as<std::byte>() + static_cast<size_t>(index) * float_storage_bytes(type_);
  }

  DataType type_;
  LayoutPlan plan_;
  std::vector<bool> takes_over_;
};

class MapKernel : public ElementwiseKernel {
 public:
  MapKernel(const KernelRequest& request, Map f, const MapParameters& parameters)
      : ElementwiseKernel(request, plan_layouts(request, 1)), f_(f), parameters_(parameters) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    parallel_for(graph::element_count(plan_.output), grain, [&](int64_t begin, int64_t end) {
      if (type_ == DataType::Float)
        map_floats(f_, parameters_, inputs[0].as<float>() + begin, outputs[0].as<float>() + begin,
                   static_cast<size_t>(end - begin));
      else
        run_narrow(inputs[0], outputs[0], begin, end);
    });
    return {};
  }

 private:
  void run_narrow(const Tensor& x, Tensor& y, int64_t begin, int64_t end) const {
    float block[narrow_block];
    for (int64_t i = begin; i < end; i += narrow_block) {
      const size_t count = std::min(narrow_block, static_cast<size_t>(end - i));
      load_floats(type_, at(x, i), block, count);
      map_floats(f_, parameters_, block, block, count);
      store_floats(type_, block, at(y, i), count);
    }
  }

  Map f_;
  MapParameters parameters_;
};

class CombineKernel : public ElementwiseKernel {
 public:
  CombineKernel(const KernelRequest& request, Combine f, float factor)
      : ElementwiseKernel(request, plan_layouts(request, 2)),
        f_(f),
        factor_(factor),
        broadcast_(plan_.output, plan_.operands) {
    const size_t rank = broadcast_.dims.size();
    inner_ = broadcast_.dims.back();
    rows_ = rank > 1 ? broadcast_.dims[rank - 2] : 1;
    for (size_t i = 0; i < 2; ++i) {
      step_[i] = broadcast_.strides[i].back();
      row_[i] = rank > 1 ? broadcast_.strides[i][rank - 2] : 0;
    }
  }

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    parallel_for(broadcast_.count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end;) i += run_block(inputs, outputs[0], i, end);
    });
    return {};
  }

 private:
  // As many whole rows as there are, or a part of one; the number of elements done.
  int64_t run_block(std::span<const Tensor> inputs, Tensor& output, int64_t begin, int64_t end) const {
    int64_t offsets[2] = {}, rest = begin;
    for (size_t d = broadcast_.dims.size(); d-- > 0; rest /= broadcast_.dims[d])
      for (size_t i = 0; i < 2; ++i) offsets[i] += rest % broadcast_.dims[d] * broadcast_.strides[i][d];
    const int64_t column = begin % inner_;
    int64_t rows = 1, length = std::min(inner_ - column, end - begin);
    if (column == 0 && length == inner_) rows = std::min((end - begin) / inner_, rows_ - begin / inner_ % rows_);
    if (type_ == DataType::Float && factor_ == 1)
      combine_floats(f_, {inputs[0].as<float>() + offsets[0], row_[0], step_[0]},
                     {inputs[1].as<float>() + offsets[1], row_[1], step_[1]}, output.as<float>() + begin, rows, length);
    else
      for (int64_t r = 0; r < rows; ++r)
        run_by_blocks(inputs, output, offsets[0] + r * row_[0], offsets[1] + r * row_[1], begin + r * length, length);
    return rows * length;
  }

  void run_by_blocks(std::span<const Tensor> inputs, Tensor& output, int64_t x, int64_t y, int64_t z,
                     int64_t length) const {
    float blocks[2][narrow_block];
    for (int64_t i = 0; i < length; i += narrow_block) {
      const auto count = std::min<int64_t>(narrow_block, length - i);
      const auto load = [&](size_t side, int64_t from) {
        load_floats(type_, at(inputs[side], from + i * step_[side]), blocks[side],
                    step_[side] ? static_cast<size_t>(count) : 1);
      };
      load(0, x);
      load(1, y);
      if (factor_ != 1)
        combine_floats(Combine::Multiply, {blocks[1], 0, 1}, {&factor_, 0, 0}, blocks[1], 1, step_[1] ? count : 1);
      float result[narrow_block];
      combine_floats(f_, {blocks[0], 0, step_[0]}, {blocks[1], 0, step_[1]}, result, 1, count);
      store_floats(type_, result, at(output, z + i), static_cast<size_t>(count));
    }
  }

  Combine f_;
  float factor_;
  Broadcast broadcast_;
  int64_t inner_, rows_, step_[2], row_[2];
};

Status check_types(const KernelRequest& request, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (request.inputs[i].type != request.outputs[0].type || !is_float_storage(request.inputs[i].type))
      return refuse(
          formatted("type {} is not one of float, float16, bfloat16", graph::name_of(request.inputs[i].type)));
  return {};
}

}  // namespace

MadeKernel map_kernel(const KernelRequest& request, Map f, const MapParameters& parameters) {
  TRY(check_types(request, 1));
  return std::unique_ptr<Kernel>(std::make_unique<MapKernel>(request, f, parameters));
}

MadeKernel combine_kernel(const KernelRequest& request, Combine f, float factor) {
  TRY(check_types(request, 2));
  const Shape shapes[] = {request.inputs[0].shape, request.inputs[1].shape};
  TRY(check_broadcast(request.outputs[0].shape, shapes));
  return std::unique_ptr<Kernel>(std::make_unique<CombineKernel>(request, f, factor));
}

}  // namespace belay::backend::cpu
