// SPDX-License-Identifier: Apache-2.0
// Operators that make tensors from shapes and single numbers.
#include <algorithm>
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/elementwise/integer.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {

namespace {

constexpr int64_t grain = 1 << 18;  // elements that are worth a thread

Status fill_with(const Tensor& y, double value) {
  return with_type(AllTypes{}, y.type, [&]<class T>() -> Status {
    parallel_for(y.count(), grain, [&, element = convert_element<T>(value)](int64_t begin, int64_t end) {
      std::fill(y.as<T>() + begin, y.as<T>() + end, element);
    });
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

// An element of 16 bytes: a complex number.
struct Wide {
  uint64_t half[2];
};

template <class T>
void repeat(const Tensor& value, const Tensor& y) {
  T element;
  std::memcpy(&element, value.data, sizeof element);
  parallel_for(y.count(), grain,
               [&](int64_t begin, int64_t end) { std::fill(y.as<T>() + begin, y.as<T>() + end, element); });
}

// The value is the last input: any element size, repeated.
MadeKernel make_fill(const KernelRequest& request) {
  const auto run = [](void (*fill)(const Tensor&, const Tensor&)) {
    return function_kernel([fill](Inputs in, Outputs out) -> Status { return fill(in.back(), out[0]), Status{}; });
  };
  switch (graph::bits_of(request.outputs[0].type)) {
    case 8:
      return run(repeat<uint8_t>);
    case 16:
      return run(repeat<uint16_t>);
    case 32:
      return run(repeat<uint32_t>);
    case 64:
      return run(repeat<uint64_t>);
    case 128:
      return run(repeat<Wide>);
    default:
      return refuse(formatted("type {} has no whole bytes", graph::name_of(request.outputs[0].type)));
  }
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
      const int64_t count = out[0].count();
      for (int64_t i = 0; i < count; ++i) {
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
