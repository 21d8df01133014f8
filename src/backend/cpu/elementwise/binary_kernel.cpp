// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/broadcast.h"
#include "backend/cpu/elementwise/binary.h"
#include "backend/cpu/function_kernel.h"

namespace belay::backend::cpu {

MadeKernel binary_kernel(const KernelRequest& request, BinaryLoop loop, const Parameters& parameters) {
  const DataType type = request.inputs[0].type, other = request.inputs[1].type;
  if (type != other)
    return refuse(
        formatted("inputs of types {} and {}: both must have one type", graph::name_of(type), graph::name_of(other)));
  if (!loop) return refuse(formatted("type {} is not supported", graph::name_of(type)));
  const Shape shapes[] = {request.inputs[0].shape, request.inputs[1].shape};
  TRY(check_broadcast(request.outputs[0].shape, shapes));
  const Broadcast broadcast(request.outputs[0].shape, shapes);
  const auto from_bytes = static_cast<int64_t>(graph::bits_of(type) / 8);
  const auto to_bytes = static_cast<int64_t>(graph::bits_of(request.outputs[0].type) / 8);
  return function_kernel(
      [=](Inputs in, Outputs out) -> Status {
        const auto *x = in[0].as<std::byte>(), *y = in[1].as<std::byte>();
        auto* z = out[0].as<std::byte>();
        const int64_t dx = broadcast.strides[0].back(), dy = broadcast.strides[1].back();
        for_rows<2>(broadcast, [&](int64_t start, const auto& at, int64_t length) {
          loop(x + at[0] * from_bytes, dx, y + at[1] * from_bytes, dy, z + start * to_bytes, length, parameters);
        });
        return {};
      },
      same_places(request));
}

}  // namespace belay::backend::cpu
