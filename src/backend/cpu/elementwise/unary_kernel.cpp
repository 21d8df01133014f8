// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/elementwise/unary.h"
#include "backend/cpu/function_kernel.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {

namespace {

constexpr int64_t grain = 16384;

}  // namespace

MadeKernel unary_kernel(const KernelRequest& request, UnaryLoop loop, const Parameters& parameters) {
  const DataType from = request.inputs[0].type, to = request.outputs[0].type;
  if (!loop) return refuse(formatted("type {} is not supported", graph::name_of(from)));
  const size_t from_bytes = graph::bits_of(from) / 8, to_bytes = graph::bits_of(to) / 8;
  return function_kernel(
      [=](Inputs in, Outputs out) -> Status {
        parallel_for(in[0].count(), grain, [&](int64_t begin, int64_t end) {
          const auto first = static_cast<size_t>(begin);
          loop(in[0].as<std::byte>() + first * from_bytes, out[0].as<std::byte>() + first * to_bytes, end - begin,
               parameters);
        });
        return {};
      },
      same_places(request));
}

}  // namespace belay::backend::cpu
