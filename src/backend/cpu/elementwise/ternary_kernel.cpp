// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/broadcast.h"
#include "backend/cpu/elementwise/ternary.h"
#include "backend/cpu/function_kernel.h"

namespace belay::backend::cpu {

MadeKernel ternary_kernel(const KernelRequest& request, TernaryLoop loop) {
  if (!loop) return refuse(formatted("type {} is not supported", graph::name_of(request.outputs[0].type)));
  const Shape shapes[] = {request.inputs[0].shape, request.inputs[1].shape, request.inputs[2].shape};
  TRY(check_broadcast(request.outputs[0].shape, shapes));
  const Broadcast broadcast(request.outputs[0].shape, shapes);
  std::array<int64_t, 3> bytes, steps;
  for (size_t i = 0; i < 3; ++i) {
    bytes[i] = static_cast<int64_t>(graph::bits_of(request.inputs[i].type) / 8);
    steps[i] = broadcast.strides[i].back();
  }
  const auto to_bytes = static_cast<int64_t>(graph::bits_of(request.outputs[0].type) / 8);
  return function_kernel(
      [=](Inputs in, Outputs out) -> Status {
        for_rows<3>(broadcast, [&](int64_t start, const auto& at, int64_t length) {
          std::array<const void*, 3> from;
          for (size_t i = 0; i < 3; ++i) from[i] = in[i].as<std::byte>() + at[i] * bytes[i];
          loop(from, steps, out[0].as<std::byte>() + start * to_bytes, length);
        });
        return {};
      },
      same_places(request));
}

}  // namespace belay::backend::cpu
