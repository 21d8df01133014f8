// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/elementwise/ternary.h"

#include "backend/cpu/broadcast.h"
#include "backend/cpu/elementwise/integer.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

// Elements are only chosen, so their size is all that matters.
template <class F>
TernaryLoop loop_by_size(DataType type, F f) {
  switch (graph::bits_of(type)) {
    case 8:
      return f.template operator()<uint8_t>();
    case 16:
      return f.template operator()<uint16_t>();
    case 32:
      return f.template operator()<uint32_t>();
    case 64:
      return f.template operator()<uint64_t>();
    default:
      return nullptr;
  }
}

MadeKernel make_select_v2(const KernelRequest& request) {
  constexpr auto choose = [](bool condition, auto then, auto otherwise) { return condition ? then : otherwise; };
  return ternary_kernel(request, loop_by_size(request.inputs[1].type, [&]<class T>() -> TernaryLoop {
                          return ternary_loop<T, Bool, T, T, choose>;
                        }));
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
  constexpr auto fill = [](auto x, bool mask, auto value) { return mask ? value : x; };
  return ternary_kernel(request, loop_by_size(request.inputs[0].type, [&]<class T>() -> TernaryLoop {
                          return ternary_loop<T, T, Bool, T, fill>;
                        }));
}

Status one_type(const KernelRequest& request) {
  for (size_t i = 1; i < 3; ++i)
    if (request.inputs[i].type != request.inputs[0].type) return refuse("all inputs must have one type");
  return {};
}

template <auto f>
MadeKernel make_ternary(const KernelRequest& request) {
  TRY(one_type(request));
  static constexpr auto table =
      loop_table<TernaryLoop>(NumberTypes{}, []<class T>() -> TernaryLoop { return ternary_loop<T, T, T, T, f>; });
  return ternary_kernel(request, find_loop(table, request.inputs[0].type));
}

constexpr auto multiply_add = [](auto x, auto y, auto z) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return x * y + z;
  else
    return wrapping_add(wrapping_multiply(x, y), z);
};
constexpr auto add_multiplied = [](auto x, auto y, auto alpha) { return multiply_add(y, alpha, x); };
constexpr auto multiply_by_last = [](auto x, auto y, auto z) { return multiply_add(x, z, y); };
constexpr auto interpolate = [](auto start, auto end, auto weight) {
  return multiply_add(weight, static_cast<decltype(start)>(end - start), start);
};
// The upper limit wins when the two are crossed.
constexpr auto clip = [](auto x, auto low, auto high) {
  const auto above = x < low ? low : x;
  return high < above ? high : above;
};

// x + value * a * b, or x + value * a / b.
MadeKernel make_addcmul(const KernelRequest& request) {
  TRY(one_type(request));
  if (request.inputs.size() < 4 || graph::element_count(request.inputs[3].shape) != 1)
    return refuse("value must be one number");
  const bool divides = request.node.type == "Addcdiv";
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    const Shape shapes[] = {request.inputs[0].shape, request.inputs[1].shape, request.inputs[2].shape};
    TRY(check_broadcast(request.outputs[0].shape, shapes));
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
    {"AxpyV2", "reference", make_ternary<add_multiplied>},
    {"ClipByValue", "reference", make_ternary<clip>},
    {"ClipByValueV2", "reference", make_ternary<clip>},
    {"FusedMulAdd", "reference", make_ternary<multiply_add>},
    {"FusedMulAddN", "reference", make_ternary<multiply_by_last>},
    {"Lerp", "reference", make_ternary<interpolate>},
    {"MaskedFill", "reference", make_masked_fill},
    {"Select", "reference", make_select},
    {"SelectV2", "reference", make_select_v2},
};

}  // namespace

std::span<const KernelRow> ternary_rows() { return rows; }

}  // namespace belay::backend::cpu
