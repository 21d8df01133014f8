// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/broadcast.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"

namespace belay::backend::cpu {

// z = f(a, b, c) element by element with broadcasting; `order` says which input is a, b and c.
template <class To, class A, class B, class C, class F>
MadeKernel combine3(const KernelRequest& request, F f, std::array<size_t, 3> order = {0, 1, 2}) {
  std::vector<Shape> shapes;
  for (const size_t i : order) shapes.push_back(request.inputs[i].shape);
  const Broadcast broadcast(request.outputs[0].shape, shapes);
  return function_kernel(
      [broadcast, f, order](Inputs in, Outputs out) -> Status {
        const A* a = in[order[0]].as<A>();
        const B* b = in[order[1]].as<B>();
        const C* c = in[order[2]].as<C>();
        To* z = out[0].as<To>();
        const int64_t da = broadcast.strides[0].back(), db = broadcast.strides[1].back(),
                      dc = broadcast.strides[2].back();
        for_rows<3>(broadcast, [&](int64_t start, const auto& at, int64_t length) {
          for (int64_t i = 0; i < length; ++i)
            z[start + i] = To(
                f(compute_t<A>(a[at[0] + i * da]), compute_t<B>(b[at[1] + i * db]), compute_t<C>(c[at[2] + i * dc])));
        });
        return {};
      },
      same_places(request));
}

}  // namespace belay::backend::cpu
