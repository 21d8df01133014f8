// SPDX-License-Identifier: Apache-2.0
// Operators that make tensors from shapes and single numbers.
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/elementwise/integer.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

Status fill_with(const Tensor& y, double value) {
  return with_type(AllTypes{}, y.type, [&]<class T>() -> Status {
    std::fill_n(y.as<T>(), y.count(), convert_element<T>(value));
    return {};
  });
}

Status write_integers(const Tensor& y, const std::vector<int64_t>& values) {
  return with_type(IntegerTypes{}, y.type, [&]<class T>() -> Status {
    for (size_t i = 0; i < values.size(); ++i) y.as<T>()[i] = static_cast<T>(values[i]);
    return {};
  });
}

MadeKernel make_shape(const KernelRequest&) {
  return function_kernel([](Inputs in, Outputs out) -> Status {
    for (size_t i = 0; i < out.size(); ++i) TRY(write_integers(out[i], in[i].shape));
    return {};
  });
}

MadeKernel make_size(const KernelRequest&) {
  return function_kernel([](Inputs in, Outputs out) { return write_integers(out[0], {in[0].count()}); });
}

MadeKernel make_rank(const KernelRequest&) {
  return function_kernel(
      [](Inputs in, Outputs out) { return write_integers(out[0], {static_cast<int64_t>(in[0].shape.size())}); });
}

// The value is the last input: any element size, repeated.
MadeKernel make_fill(const KernelRequest&) {
  return function_kernel([](Inputs in, Outputs out) -> Status {
    const size_t bytes = graph::bits_of(out[0].type) / 8;
    auto* to = out[0].as<std::byte>();
    for (int64_t i = 0; i < out[0].count(); ++i)
      std::memcpy(to + static_cast<size_t>(i) * bytes, in.back().data, bytes);
    return {};
  });
}

template <int value>
MadeKernel make_constant(const KernelRequest&) {
  return function_kernel([](Inputs, Outputs out) { return fill_with(out[0], value); });
}

MadeKernel make_fills(const KernelRequest& request) {
  return function_kernel([value = get_or(request.node.attributes, "value", 0.0f)](Inputs, Outputs out) {
    return fill_with(out[0], value);
  });
}

MadeKernel make_range(const KernelRequest& request) {
  return with_type(NumberTypes{}, request.outputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([](Inputs in, Outputs out) -> Status {
      using C = std::conditional_t<is_float<T>, double, T>;
      const C start = C(in[0].as<T>()[0]), delta = C(in[2].as<T>()[0]);
      for (int64_t i = 0; i < out[0].count(); ++i) {
        if constexpr (is_float<T>)
          out[0].as<T>()[i] = convert_element<T>(start + static_cast<C>(i) * delta);
        else
          out[0].as<T>()[i] = wrapping_add(start, wrapping_multiply(static_cast<T>(i), delta));
      }
      return {};
    });
  });
}

constexpr KernelRow rows[] = {
    {"Fill", "reference", make_fill},
    {"FillD", "reference", make_fill},
    {"FillV2D", "reference", make_fills},
    {"Fills", "reference", make_fills},
    {"OnesLike", "reference", make_constant<1>},
    {"Range", "reference", make_range},
    {"Rank", "reference", make_rank},
    {"Shape", "reference", make_shape},
    {"ShapeN", "reference", make_shape},
    {"Size", "reference", make_size},
    {"ZerosLike", "reference", make_constant<0>},
};

}  // namespace

std::span<const KernelRow> fill_rows() { return rows; }

}  // namespace belay::backend::cpu
