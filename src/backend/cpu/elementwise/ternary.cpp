// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/elementwise/ternary.h"

#include "backend/cpu/elementwise/activation.h"
#include "backend/cpu/elementwise/integer.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

constexpr auto multiply_add = [](auto x, auto y, auto z) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return x * y + z;
  else
    return wrapping_add(wrapping_multiply(x, y), z);
};

// Elements are only chosen, so their size is all that matters.
template <class F>
MadeKernel choose(const KernelRequest& request, size_t of, F make) {
  switch (graph::bits_of(request.inputs[of].type)) {
    case 8:
      return make.template operator()<uint8_t>();
    case 16:
      return make.template operator()<uint16_t>();
    case 32:
      return make.template operator()<uint32_t>();
    case 64:
      return make.template operator()<uint64_t>();
    default:
      return refuse(formatted("type {} is not supported", graph::name_of(request.inputs[of].type)));
  }
}

MadeKernel make_select_v2(const KernelRequest& request) {
  return choose(request, 1, [&]<class T>() {
    return combine3<T, Bool, T, T>(request,
                                   [](bool condition, T then, T otherwise) { return condition ? then : otherwise; });
  });
}

// The condition may have only the first dimension of the others: it then chooses whole rows.
MadeKernel make_select(const KernelRequest& request) {
  const Shape& condition = request.inputs[0].shape;
  if (condition.size() != 1 || request.inputs[1].shape.size() <= 1) return make_select_v2(request);
  std::vector<graph::TensorInfo> inputs(request.inputs.begin(), request.inputs.end());
  inputs[0].shape.resize(request.inputs[1].shape.size(), 1);
  return make_select_v2({request.node, inputs, request.outputs, request.input_layouts, request.threads});
}

MadeKernel make_masked_fill(const KernelRequest& request) {
  return choose(request, 0, [&]<class T>() {
    return combine3<T, T, Bool, T>(request, [](T x, bool mask, T value) { return mask ? value : x; });
  });
}

MadeKernel make_clip(const KernelRequest& request) {
  return with_type(NumberTypes{}, request.inputs[0].type, [&]<class T>() {
    return combine3<T, T, T, T>(request, [](auto x, auto low, auto high) {
      // The upper limit wins when the two are crossed.
      const auto above = x < low ? low : x;
      return high < above ? high : above;
    });
  });
}

template <auto f>
MadeKernel make_ternary(const KernelRequest& request) {
  return with_type(NumberTypes{}, request.inputs[0].type, [&]<class T>() { return combine3<T, T, T, T>(request, f); });
}

MadeKernel make_addcmul(const KernelRequest& request) {
  if (request.inputs.size() < 4 || graph::element_count(request.inputs[3].shape) != 1)
    return refuse("value must be one number");
  const bool divides = request.node.type == "Addcdiv";
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    const Shape shapes[] = {request.inputs[0].shape, request.inputs[1].shape, request.inputs[2].shape};
    const Broadcast broadcast(request.outputs[0].shape, shapes);
    return function_kernel([broadcast, divides](Inputs in, Outputs out) -> Status {
      using X = compute_t<T>;
      const T *x = in[0].as<T>(), *a = in[1].as<T>(), *b = in[2].as<T>();
      const X value = in[3].as<T>()[0];
      for_rows<3>(broadcast, [&](int64_t start, const auto& at, int64_t length) {
        for (int64_t i = 0; i < length; ++i) {
          const X left = a[at[1] + i * broadcast.strides[1].back()], right = b[at[2] + i * broadcast.strides[2].back()];
          const X base = x[at[0] + i * broadcast.strides[0].back()];
          out[0].as<T>()[start + i] = T(base + value * (divides ? left / right : left * right));
        }
      });
      return {};
    });
  });
}

constexpr KernelRow rows[] = {
    {"Addcdiv", "reference", make_addcmul},
    {"Addcmul", "reference", make_addcmul},
    {"AxpyV2", "reference", make_ternary<[](auto x, auto y, auto alpha) { return multiply_add(y, alpha, x); }>},
    {"ClipByValue", "reference", make_clip},
    {"ClipByValueV2", "reference", make_clip},
    {"FusedMulAdd", "reference", make_ternary<multiply_add>},
    {"FusedMulAddN", "reference", make_ternary<[](auto x, auto y, auto z) { return multiply_add(x, z, y); }>},
    {"Lerp", "reference", make_ternary<[](auto start, auto end, auto weight) {
       return multiply_add(weight, static_cast<decltype(start)>(end - start), start);
     }>},
    {"MaskedFill", "reference", make_masked_fill},
    {"Select", "reference", make_select},
    {"SelectV2", "reference", make_select_v2},
};

}  // namespace

std::span<const KernelRow> ternary_rows() { return rows; }

}  // namespace belay::backend::cpu
