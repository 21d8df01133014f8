// SPDX-License-Identifier: Apache-2.0
// Operators that add borders to a tensor: a constant, or elements of the tensor itself. Negative paddings take away.
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/broadcast.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/move/strided_copy.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "graph/infer/arguments.h"
#include "graph/infer/slice_plan.h"

namespace belay::backend::cpu {
namespace {

enum class Border { Constant, Reflect, Symmetric, Edge, Wrap };

Result<Border> border_named(const std::string& mode) {
  if (mode == "constant" || mode == "CONSTANT") return Border::Constant;
  if (mode == "reflect" || mode == "REFLECT") return Border::Reflect;
  if (mode == "symmetric" || mode == "SYMMETRIC") return Border::Symmetric;
  if (mode == "edge" || mode == "replicate" || mode == "EDGE") return Border::Edge;
  if (mode == "wrap" || mode == "circular" || mode == "WRAP") return Border::Wrap;
  return refuse(formatted("mode {} is not one of constant, reflect, symmetric, edge, wrap", mode));
}

struct Pad {
  std::string label;
  size_t bytes;
  Border border;
  std::vector<std::byte> value;  // of the constant border: one element
};

// Which element of a dimension of `size` stands at place `at`, counted from the first.
int64_t mirrored(Border border, int64_t at, int64_t size) {
  if (border == Border::Edge) return std::clamp<int64_t>(at, 0, size - 1);
  if (border == Border::Wrap) return (at % size + size) % size;
  const int64_t period = border == Border::Reflect ? std::max<int64_t>(1, 2 * (size - 1)) : 2 * size;
  const int64_t within = (at % period + period) % period;
  if (border == Border::Reflect) return within < size ? within : period - within;
  return within < size ? within : period - 1 - within;
}

void pad_constant(const Pad& pad, const std::vector<int64_t>& pairs, const void* value, const Tensor& x, Tensor& y) {
  const Shape from = row_major_strides(x.shape), to = row_major_strides(y.shape);
  Shape kept(x.shape.size());
  int64_t first_from = 0, first_to = 0;
  for (size_t d = 0; d < kept.size(); ++d) {
    const int64_t before = pairs[2 * d], after = pairs[2 * d + 1];
    kept[d] = std::max<int64_t>(0, x.shape[d] + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0));
    first_from += from[d] * std::max<int64_t>(0, -before);
    first_to += to[d] * std::max<int64_t>(0, before);
  }
  fill_elements(pad.bytes, y.data, y.count(), value);
  if (graph::element_count(kept) == 0) return;
  const auto step = int64_t(pad.bytes);
  copy_strided(pad.bytes, kept, y.as<std::byte>() + first_to * step, to, x.as<std::byte>() + first_from * step, from);
}

Status pad_from_itself(const Pad& pad, const std::vector<int64_t>& pairs, const Tensor& x, Tensor& y) {
  const Shape strides = row_major_strides(x.shape);
  std::vector<std::vector<int64_t>> tables(x.shape.size());
  for (size_t d = 0; d < tables.size(); ++d) {
    if (x.shape[d] == 0 && y.shape[d] > 0) return failed(pad.label, "an empty dimension has nothing to repeat");
    for (int64_t i = 0; i < y.shape[d]; ++i)
      tables[d].push_back(strides[d] * mirrored(pad.border, i - pairs[2 * d], x.shape[d]));
  }
  copy_indexed(pad.bytes, tables, y.data, x.data);
  return {};
}

Status run_pad(const Pad& pad, const std::vector<int64_t>& pairs, const void* value, const Tensor& x, Tensor& y) {
  if (pairs.size() != 2 * x.shape.size()) return failed(pad.label, "paddings needs two numbers for each dimension");
  for (size_t d = 0; d < x.shape.size(); ++d)
    if (x.shape[d] + pairs[2 * d] + pairs[2 * d + 1] != y.shape[d])
      return failed(pad.label, "the paddings do not lead to the result's shape");
  if (y.count() == 0) return {};
  if (pad.border != Border::Constant) return pad_from_itself(pad, pairs, x, y);
  pad_constant(pad, pairs, value ? value : pad.value.data(), x, y);
  return {};
}

Result<Pad> pad_of(const KernelRequest& request) {
  const auto& node = request.node;
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  const Border border = TRY(border_named(graph::text_of(node, "mode", "constant")));
  Pad pad{label_of(node), bytes, border, {}};
  pad.value.resize(pad.bytes);
  if (const int64_t constant = graph::int_of(node, "constant_values", 0))
    TRY(with_type(AllTypes{}, request.inputs[0].type, [&]<class T>() -> Status {
      const T value = T(compute_t<T>(constant));
      std::memcpy(pad.value.data(), &value, sizeof(T));
      return {};
    }));
  return pad;
}

const void* border_value(Inputs in, size_t input) {
  return in.size() > input && in[input].present && in[input].count() > 0 ? in[input].data : nullptr;
}

Status check_value(const KernelRequest& request, size_t input) {
  if (request.inputs.size() <= input || !request.inputs[input].present) return {};
  if (request.inputs[input].type == request.inputs[0].type) return {};
  return refuse("constant_values has another type than x");
}

// x, paddings, constant_values?
MadeKernel make_pad(const KernelRequest& request) {
  TRY(check_value(request, 2));
  const bool contiguous = graph::flag_of(request.node, "paddings_contiguous", true);
  return function_kernel([contiguous, pad = TRY(pad_of(request))](Inputs in, Outputs out) -> Status {
    const auto pairs = graph::pad_pairs(contiguous, TRY(integers(in[1])), in[0].shape.size());
    return run_pad(pad, pairs, border_value(in, 2), in[0], out[0]);
  });
}

// x, constant_values?; the paddings are an attribute.
MadeKernel make_pad_d(const KernelRequest& request) {
  TRY(check_value(request, 1));
  std::vector<int64_t> pairs;
  for (const auto& pair : graph::get_or<std::vector<std::vector<int64_t>>>(request.node.attributes, "paddings", {}))
    pairs.insert(pairs.end(), pair.begin(), pair.end());
  return function_kernel([pairs, pad = TRY(pad_of(request))](Inputs in, Outputs out) -> Status {
    return run_pad(pad, pairs, border_value(in, 1), in[0], out[0]);
  });
}

constexpr KernelRow rows[] = {
    {"Pad", "reference", make_pad},       {"PadV2", "reference", make_pad},  {"PadV3", "reference", make_pad},
    {"MirrorPad", "reference", make_pad}, {"PadD", "reference", make_pad_d}, {"PadV2D", "reference", make_pad_d},
    {"PadV3D", "reference", make_pad_d},
};

}  // namespace

std::span<const KernelRow> pad_rows() { return rows; }

}  // namespace belay::backend::cpu
