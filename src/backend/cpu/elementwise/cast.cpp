// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convert_element.h"
#include "backend/cpu/elementwise/unary.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

template <class To, class From>
void convert_loop(const void* from, void* to, int64_t count, const Parameters&) {
  const From* x = static_cast<const From*>(from);
  To* y = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) y[i] = convert_element<To>(x[i]);
}

template <class From>
UnaryLoop loop_to(DataType type) {
  static constexpr auto table =
      loop_table<UnaryLoop>(AllTypes{}, []<class To>() -> UnaryLoop { return convert_loop<To, From>; });
  return find_loop(table, type);
}

MadeKernel make_cast(const KernelRequest& request) {
  using ByTarget = UnaryLoop (*)(DataType);
  static constexpr auto table =
      loop_table<ByTarget>(AllTypes{}, []<class From>() -> ByTarget { return loop_to<From>; });
  const ByTarget find = find_loop(table, request.inputs[0].type);
  UnaryLoop loop = find ? find(request.outputs[0].type) : nullptr;
  if (!loop)
    return refuse(formatted("{} to {} is not supported", graph::name_of(request.inputs[0].type),
                            graph::name_of(request.outputs[0].type)));
  return unary_kernel(request, loop);
}

constexpr KernelRow rows[] = {
    {"Cast", "reference", make_cast},
    {"CastLike", "reference", make_cast},
};

}  // namespace

std::span<const KernelRow> cast_rows() { return rows; }

}  // namespace belay::backend::cpu
