// SPDX-License-Identifier: Apache-2.0
// Which row of a table equals a vector: how a model with gears finds its branch.
#include <algorithm>

#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {
namespace {

MadeKernel make_map_index(const KernelRequest& request) {
  if (request.inputs[0].type != DataType::Int32 || request.inputs[1].type != DataType::Int32)
    return refuse("x and data_seq must be int32");
  return function_kernel([](Inputs in, Outputs out) -> Status {
    const auto* x = in[0].as<int32_t>();
    const auto* rows = in[1].as<int32_t>();
    const int64_t width = in[0].count(), count = width > 0 ? in[1].count() / width : 0;
    for (int64_t row = 0; row < count; ++row)
      if (std::equal(x, x + width, rows + row * width))
        return *out[0].as<int32_t>() = static_cast<int32_t>(row), Status{};
    return {ACL_ERROR_RT_AICORE_EXCEPTION, "x is none of the " + std::to_string(count) + " rows of data_seq"};
  });
}

constexpr KernelRow kRows[] = {{"MapIndex", "reference", make_map_index}};

}  // namespace

std::span<const KernelRow> map_index_rows() { return kRows; }

}  // namespace belay::backend::cpu
