// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/broadcast.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"

namespace belay::backend::cpu {

// z = f(x, y) element by element with broadcasting. The output may take over an input of its own shape.
template <class To, class From, class F>
MadeKernel combine(const KernelRequest& request, F f) {
  const Shape shapes[] = {request.inputs[0].shape, request.inputs[1].shape};
  const Broadcast broadcast(request.outputs[0].shape, shapes);
  return function_kernel(
      [broadcast, f](Inputs in, Outputs out) -> Status {
        const From *x = in[0].as<From>(), *y = in[1].as<From>();
        To* z = out[0].as<To>();
        const int64_t dx = broadcast.strides[0].back(), dy = broadcast.strides[1].back();
        for_rows<2>(broadcast, [&](int64_t start, const auto& at, int64_t length) {
          using C = compute_t<From>;
          for (int64_t i = 0; i < length; ++i) z[start + i] = To(f(C(x[at[0] + i * dx]), C(y[at[1] + i * dy])));
        });
        return {};
      },
      same_places(request));
}

inline Status same_types(const KernelRequest& request) {
  const auto& in = request.inputs;
  if (in[0].type == in[1].type) return {};
  return refuse(formatted("inputs of types {} and {}: both must have one type", graph::name_of(in[0].type),
                          graph::name_of(in[1].type)));
}

// A row's make() for z = f(x, y), one type in and out.
template <class Types, auto f>
MadeKernel binary(const KernelRequest& request) {
  TRY(same_types(request));
  return with_type(Types{}, request.inputs[0].type, [&]<class T>() { return combine<T, T>(request, f); });
}

// The same with a Bool result.
template <class Types, auto f>
MadeKernel compare(const KernelRequest& request) {
  TRY(same_types(request));
  return with_type(Types{}, request.inputs[0].type, [&]<class T>() { return combine<Bool, T>(request, f); });
}

}  // namespace belay::backend::cpu
