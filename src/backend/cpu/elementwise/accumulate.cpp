// SPDX-License-Identifier: Apache-2.0
// Operators over any number of inputs that broadcast together.
#include "backend/cpu/broadcast.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

enum class Mode : int64_t { Product = 0, Sum = 1, Max = 2 };

template <class C>
C combined(Mode mode, C total, C next) {
  switch (mode) {
    case Mode::Product:
      return static_cast<C>(total * next);
    case Mode::Sum:
      return static_cast<C>(total + next);
    case Mode::Max:
      return total < next ? next : total;
  }
  return total;
}

MadeKernel make(const KernelRequest& request, Mode mode, std::vector<float> factors) {
  std::vector<Broadcast> broadcasts;
  for (const graph::TensorInfo& input : request.inputs) {
    if (input.type != request.inputs[0].type) return refuse("all inputs must have one type");
    broadcasts.emplace_back(request.outputs[0].shape, std::span(&input.shape, 1));
  }
  factors.resize(broadcasts.size(), 1.0f);
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    using C = compute_t<T>;
    return function_kernel([broadcasts, mode, factors](Inputs in, Outputs out) -> Status {
      // Kept in the wide type until all inputs are in: rounded once.
      std::vector<C> total(static_cast<size_t>(out[0].count()));
      for (size_t n = 0; n < in.size(); ++n) {
        const T* x = in[n].as<T>();
        const int64_t step = broadcasts[n].strides[0].back();
        for_rows<1>(broadcasts[n], [&](int64_t start, const auto& at, int64_t length) {
          for (int64_t i = 0; i < length; ++i) {
            C& sum = total[static_cast<size_t>(start + i)];
            const C value = C(x[at[0] + i * step]) * C(factors[n]);
            sum = n == 0 ? value : combined(mode, sum, value);
          }
        });
      }
      std::copy(total.begin(), total.end(), out[0].as<T>());
      return {};
    });
  });
}

MadeKernel make_sum(const KernelRequest& request) { return make(request, Mode::Sum, {}); }

MadeKernel make_axpy(const KernelRequest& request) {
  return make(request, Mode::Sum, {1.0f, get_or(request.node.attributes, "alpha", 1.0f)});
}

MadeKernel make_eltwise(const KernelRequest& request) {
  const int64_t mode = get_or(request.node.attributes, "mode", int64_t{1});
  if (mode < 0 || mode > 2) return refuse(formatted("mode must be 0, 1 or 2, not {}", mode));
  std::vector<float> factors;
  if (mode == 1) factors = get_or(request.node.attributes, "coeff", std::vector<float>{});
  return make(request, static_cast<Mode>(mode), std::move(factors));
}

constexpr KernelRow rows[] = {
    {"AccumulateNV2", "reference", make_sum},
    {"AddN", "reference", make_sum},
    {"Axpy", "reference", make_axpy},
    {"Eltwise", "reference", make_eltwise},
};

}  // namespace

std::span<const KernelRow> accumulate_rows() { return rows; }

}  // namespace belay::backend::cpu
