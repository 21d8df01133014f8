// SPDX-License-Identifier: Apache-2.0
// Cast between floats of two widths, and between float and int32.
#include <algorithm>

#include "backend/cpu/rows.h"
#include "backend/cpu/simd/convert_floats.h"
#include "backend/cpu/simd/layout_plan.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t grain = 1 << 15;
constexpr size_t block = 1024;

class CastKernel : public Kernel {
 public:
  explicit CastKernel(const KernelRequest& request)
      : from_(request.inputs[0].type), to_(request.outputs[0].type), plan_(plan_layouts(request, 1)) {}
  Layout wants(size_t i) const override { return i == 0 ? plan_.layout : Layout::Plain; }
  Layout gives(size_t) const override { return plan_.layout; }

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    const auto* x = inputs[0].as<std::byte>();
    auto* y = outputs[0].as<std::byte>();
    const size_t from_bytes = graph::bits_of(from_) / 8, to_bytes = graph::bits_of(to_) / 8;
    parallel_for(graph::element_count(plan_.output), grain, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); i += block)
        convert(x + i * from_bytes, y + i * to_bytes, std::min(block, static_cast<size_t>(end) - i));
    });
    return {};
  }

 private:
  void convert(const void* x, void* y, size_t count) const {
    float wide[block];
    if (from_ == DataType::Float) {
      store(static_cast<const float*>(x), y, count);
    } else if (to_ == DataType::Float) {
      load(x, static_cast<float*>(y), count);
    } else {
      load(x, wide, count);
      store(wide, y, count);
    }
  }
  void load(const void* x, float* wide, size_t count) const {
    if (from_ == DataType::Int32)
      int32_to_floats(static_cast<const int32_t*>(x), wide, count);
    else
      load_floats(from_, x, wide, count);
  }
  void store(const float* wide, void* y, size_t count) const {
    if (to_ == DataType::Int32)
      floats_to_int32(wide, static_cast<int32_t*>(y), count);
    else
      store_floats(to_, wide, y, count);
  }

  DataType from_, to_;
  LayoutPlan plan_;
};

MadeKernel make_cast(const KernelRequest& request) {
  const DataType from = request.inputs[0].type, to = request.outputs[0].type;
  const auto handled = [](DataType type) { return is_float_storage(type) || type == DataType::Int32; };
  if (!handled(from) || !handled(to))
    return refuse(formatted("{} to {} is not supported here", graph::name_of(from), graph::name_of(to)));
  // An int32 does not always fit a float: only the cast to float itself rounds it once.
  if (from == DataType::Int32 && to != DataType::Float) return refuse("int32 is cast to float only");
  return std::unique_ptr<Kernel>(std::make_unique<CastKernel>(request));
}

constexpr KernelRow rows[] = {
    {"Cast", "simd", make_cast},
    {"CastLike", "simd", make_cast},
};

}  // namespace

std::span<const KernelRow> simd_cast_rows() { return rows; }

}  // namespace belay::backend::cpu
