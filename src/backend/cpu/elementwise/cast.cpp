// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convert_element.h"
#include "backend/cpu/elementwise/unary.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

template <class To, class From>
Status convert_all(const Tensor& x, const Tensor& y) {
  const From* from = x.as<From>();
  To* to = y.as<To>();
  parallel_for(x.count(), elementwise_grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = convert_element<To>(from[i]);
  });
  return {};
}

MadeKernel make_cast(const KernelRequest& request) {
  return with_type(AllTypes{}, request.inputs[0].type, [&]<class From>() {
    return with_type(AllTypes{}, request.outputs[0].type, [&]<class To>() -> MadeKernel {
      return function_kernel([](Inputs in, Outputs out) { return convert_all<To, From>(in[0], out[0]); },
                             same_places(request));
    });
  });
}

constexpr KernelRow rows[] = {
    {"Cast", "reference", make_cast},
    {"CastLike", "reference", make_cast},
};

}  // namespace

std::span<const KernelRow> cast_rows() { return rows; }

}  // namespace belay::backend::cpu
