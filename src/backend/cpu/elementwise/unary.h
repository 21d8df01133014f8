// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/parallel.h"

namespace belay::backend::cpu {

constexpr int64_t elementwise_grain = 16384;

// y[i] = f(x[i]) for all elements; To and From have the same size when y takes over x's memory.
template <class To, class From, class F>
Status map_elements(const Tensor& x, const Tensor& y, const F& f) {
  const From* from = x.as<From>();
  To* to = y.as<To>();
  parallel_for(x.count(), elementwise_grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = To(f(compute_t<From>(from[i])));
  });
  return {};
}

// A row's make() for y = f(x), one type in and out.
template <class Types, auto f>
MadeKernel unary(const KernelRequest& request) {
  return with_type(Types{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([](Inputs in, Outputs out) { return map_elements<T, T>(in[0], out[0], f); },
                           same_places(request));
  });
}

// The same where f is made from the node's attributes.
template <class Types, auto make_f>
MadeKernel unary_with(const KernelRequest& request) {
  return with_type(Types{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel(
        [f = make_f(request.node.attributes)](Inputs in, Outputs out) { return map_elements<T, T>(in[0], out[0], f); },
        same_places(request));
  });
}

// y = f(x) with a Bool result.
template <class Types, auto f>
MadeKernel test_elements(const KernelRequest& request) {
  return with_type(Types{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([](Inputs in, Outputs out) { return map_elements<Bool, T>(in[0], out[0], f); },
                           same_places(request));
  });
}

}  // namespace belay::backend::cpu
