// SPDX-License-Identifier: Apache-2.0
// Operators that change the shape and keep the elements, tell about shapes, or make tensors of a given shape.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "graph/infer/arguments.h"
#include "graph/infer/rows.h"

namespace belay::graph {
namespace {

Status unknown_rank(InferContext& c) {
  c.add_output(c.inputs[0].type, {-2});
  return {};
}

Status same(InferContext& c) {
  c.add_output(c.inputs[0].type, c.shape(0));
  return {};
}

Status same_each(InferContext& c) {
  for (const TensorInfo& input : c.inputs) c.add_output(input.type, input.shape);
  return {};
}

Status nothing(InferContext&) { return {}; }

// A graph's input knows itself.
Status data(InferContext& c) {
  const auto& descs = c.node.outputs.empty() ? c.node.input_descs : c.node.outputs;
  if (descs.empty()) return c.fail("a graph input needs a tensor description");
  c.add_output(descs[0].type, descs[0].shape);
  return {};
}

Status constant(InferContext& c) {
  const auto* value = get_if<Constant>(c.node.attributes, "value");
  if (!value) return c.fail("attribute value is missing or not a tensor");
  c.add_output(value->type, value->shape);
  return {};
}

// The elements that remain for the dimension given as -1. Dimensions copied by 0 cancel out, so they may be unknown.
int64_t remaining(const Shape& x, const std::vector<int64_t>& target, bool zero_copies) {
  int64_t have = 1, taken = 1;
  for (size_t i = 0; i < std::max(x.size(), target.size()); ++i) {
    const bool copied = zero_copies && i < target.size() && target[i] == 0;
    if (copied) continue;
    if (i < x.size()) have = x[i] < 0 || have < 0 ? -1 : have * x[i];
    if (i < target.size() && target[i] != -1)
      taken = target[i] == kUnknownElement || taken < 0 ? -1 : taken * target[i];
  }
  if (have < 0 || taken < 0) return -1;
  return taken == 0 || have % taken != 0 ? -2 : have / taken;
}

Status reshape_to(InferContext& c, const std::vector<int64_t>& target) {
  const Shape& x = c.shape(0);
  const bool zero_copies = !flag_of(c.node, "allowzero", false);
  if (std::ranges::count(target, -1) > 1) return c.fail("the target shape has more than one -1");
  Shape y = target;
  for (size_t i = 0; i < y.size(); ++i) {
    if (target[i] == kUnknownElement) {
      y[i] = -1;
    } else if (target[i] == 0 && zero_copies) {
      if (rank_known(x) && i >= x.size()) return c.fail("a 0 in the target shape is beyond the input's dimensions");
      y[i] = rank_known(x) ? x[i] : -1;
    } else if (target[i] == -1 && rank_known(x)) {
      y[i] = remaining(x, target, zero_copies);
      if (y[i] == -2) return c.fail(formatted("{} elements do not divide into {}", to_text(x), to_text(target)));
    } else if (target[i] < -1) {
      return c.fail(formatted("the target shape {} has a negative dimension", to_text(target)));
    }
  }
  if (is_known(y) && is_known(x) && element_count(x) != element_count(y))
    return c.fail(
        formatted("{} has {} elements, {} would have {}", to_text(x), element_count(x), to_text(y), element_count(y)));
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status reshape(InferContext& c) {
  const auto target = c.partial_ints(1);
  return target ? reshape_to(c, *target) : unknown_rank(c);
}

int64_t product(const Shape& x, size_t first, size_t end) {
  return element_count(Shape(x.begin() + static_cast<int64_t>(first), x.begin() + static_cast<int64_t>(end)));
}

Status flatten(InferContext& c) {
  const Shape& x = c.shape(0);
  if (!rank_known(x)) {
    c.add_output(c.inputs[0].type, {-1, -1});
    return {};
  }
  const int64_t axis = int_of(c.node, "axis", 1);
  const size_t at = axis == static_cast<int64_t>(x.size()) ? x.size() : TRY(require_axis(c, axis, x.size()));
  c.add_output(c.inputs[0].type, {product(x, 0, at), product(x, at, x.size())});
  return {};
}

Status flatten_range(InferContext& c) {
  const Shape& x = c.shape(0);
  if (!rank_known(x)) return unknown_rank(c);
  if (x.empty()) {
    c.add_output(c.inputs[0].type, {1});
    return {};
  }
  const size_t first = TRY(require_axis(c, int_of(c.node, "axis", 1), x.size()));
  const size_t last = TRY(require_axis(c, int_of(c.node, "end_axis", -1), x.size()));
  if (last < first) return c.fail("end_axis is before axis");
  Shape y(x.begin(), x.begin() + static_cast<int64_t>(first));
  y.push_back(product(x, first, last + 1));
  y.insert(y.end(), x.begin() + static_cast<int64_t>(last) + 1, x.end());
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status squeeze_axes(InferContext& c, const std::vector<int64_t>& axes) {
  const Shape& x = c.shape(0);
  if (!rank_known(x) || (axes.empty() && !is_known(x))) return unknown_rank(c);
  std::vector<bool> drop(x.size());
  for (const int64_t axis : axes) {
    const size_t at = TRY(require_axis(c, axis, x.size()));
    if (x[at] > 1 || x[at] == 0) return c.fail(formatted("dimension {} of {} is not 1", axis, to_text(x)));
    drop[at] = true;
  }
  Shape y;
  for (size_t i = 0; i < x.size(); ++i)
    if (!drop[i] && (!axes.empty() || x[i] != 1)) y.push_back(x[i]);
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status squeeze(InferContext& c) { return squeeze_axes(c, ints_of(c.node, "axis")); }

Status squeeze_by_input(InferContext& c) {
  if (!c.has(1)) return squeeze_axes(c, {});
  const auto axes = c.ints(1);
  return axes ? squeeze_axes(c, *axes) : unknown_rank(c);
}

Status unsqueeze_axes(InferContext& c, const std::vector<int64_t>& axes) {
  const Shape& x = c.shape(0);
  if (!rank_known(x)) return unknown_rank(c);
  const size_t rank = x.size() + axes.size();
  std::vector<bool> added(rank);
  for (const int64_t axis : axes) {
    const size_t at = TRY(require_axis(c, axis, rank));
    if (added[at]) return c.fail(formatted("axis {} is given twice", axis));
    added[at] = true;
  }
  Shape y;
  auto next = x.begin();
  for (size_t i = 0; i < rank; ++i) y.push_back(added[i] ? 1 : *next++);
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status unsqueeze(InferContext& c) { return unsqueeze_axes(c, ints_of(c.node, "axes")); }
Status unsqueeze_axis(InferContext& c) { return unsqueeze_axes(c, ints_of(c.node, "axis")); }

Status unsqueeze_by_input(InferContext& c) {
  const auto axes = c.ints(1);
  return axes ? unsqueeze_axes(c, *axes) : unknown_rank(c);
}

Status transpose_by(InferContext& c, const std::vector<int64_t>& perm) {
  const Shape& x = c.shape(0);
  if (!rank_known(x)) {
    c.add_output(c.inputs[0].type, Shape(perm.size(), -1));
    return {};
  }
  if (perm.size() != x.size())
    return c.fail(formatted("a permutation of {} axes for {} dimensions", perm.size(), x.size()));
  Shape y;
  std::vector<bool> used(x.size());
  for (const int64_t axis : perm) {
    const size_t at = TRY(require_axis(c, axis, x.size()));
    if (used[at]) return c.fail(formatted("axis {} appears twice in the permutation {}", axis, to_text(perm)));
    used[at] = true;
    y.push_back(x[at]);
  }
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status transpose(InferContext& c) {
  if (const auto perm = c.ints(1)) return transpose_by(c, *perm);
  c.add_output(c.inputs[0].type, rank_known(c.shape(0)) ? Shape(c.shape(0).size(), -1) : Shape{-2});
  return {};
}

Status transpose_d(InferContext& c) { return transpose_by(c, ints_of(c.node, "perm")); }
Status permute(InferContext& c) { return transpose_by(c, ints_of(c.node, "order")); }

Status shape_of(InferContext& c) {
  for (const TensorInfo& input : c.inputs)
    c.add_output(type_of(c.node, "dtype", DataType::Int32),
                 {rank_known(input.shape) ? static_cast<int64_t>(input.shape.size()) : -1});
  return {};
}

Status size_of(InferContext& c) {
  c.add_output(type_of(c.node, "dtype", DataType::Int32), {});
  return {};
}

// The dimensions that an input asks for; unknown ones are -1.
std::optional<Shape> wanted_shape(const InferContext& c, size_t input) {
  auto wanted = c.partial_ints(input);
  if (wanted) std::ranges::replace(*wanted, kUnknownElement, int64_t{-1});
  return wanted;
}

// ONNX Expand: either side may be the one that is stretched. -1 keeps the input's dimension.
Status expand_to(InferContext& c, const std::optional<Shape>& wanted) {
  if (!wanted) return unknown_rank(c);
  auto y = broadcast(c.shape(0), *wanted);
  if (!y.ok()) return c.fail(y.status().message);
  c.add_output(c.inputs[0].type, *y);
  return {};
}

Status expand(InferContext& c) { return expand_to(c, wanted_shape(c, 1)); }
Status expand_d(InferContext& c) { return expand_to(c, ints_of(c.node, "shape")); }

Status fill(InferContext& c) {
  c.add_output(c.inputs[1].type, wanted_shape(c, 0).value_or(Shape{-2}));
  return {};
}

Status fill_d(InferContext& c) {
  c.add_output(c.inputs[0].type, ints_of(c.node, "dims"));
  return {};
}

Status fill_value(InferContext& c) {
  c.add_output(DataType::Float, ints_of(c.node, "dims"));
  return {};
}

template <class T>
std::optional<double> first_element(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(T)) return {};
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

std::optional<double> number(const InferContext& c, size_t input) {
  if (const auto whole = scalar(c, input)) return static_cast<double>(*whole);
  const Constant* value = c.inputs[input].value;
  if (value && value->type == DataType::Float) return first_element<float>(value->bytes);
  if (value && value->type == DataType::Double) return first_element<double>(value->bytes);
  return {};
}

// How many integers there are; doubles would lose their low bits.
std::optional<double> exact_steps(const InferContext& c, bool closed) {
  const auto start = scalar(c, 0), limit = scalar(c, 1), delta = scalar(c, 2);
  if (!start || !limit || !delta) return std::nullopt;
  const auto span = static_cast<__int128>(*limit) - *start;
  const auto whole = span / *delta;  // towards 0
  const bool below = span % *delta != 0 && (span < 0) != (*delta < 0), above = span % *delta != 0 && !below;
  return static_cast<double>(closed ? whole - below : whole + above);
}

Status range(InferContext& c) {
  const auto start = number(c, 0), limit = number(c, 1), delta = number(c, 2);
  if (delta && *delta == 0) return c.fail("delta is 0");
  int64_t count = -1;
  if (start && limit && delta) {
    const bool closed = flag_of(c.node, "is_closed", false);
    const double ratio = (*limit - *start) / *delta;
    const double steps = exact_steps(c, closed).value_or(closed ? std::floor(ratio) : std::ceil(ratio));
    if (!(std::abs(steps) < 0x1p53))
      return c.fail(formatted("from {} to {} there are {} steps", *start, *limit, steps));
    count = std::max<int64_t>(static_cast<int64_t>(steps) + closed, 0);
  }
  c.add_output(c.inputs[0].type, {count});
  return {};
}

Status bitcast(InferContext& c) {
  const DataType to = type_of(c.node, "type", DataType::Undefined);
  const auto from_bits = static_cast<int64_t>(bits_of(c.inputs[0].type)), to_bits = static_cast<int64_t>(bits_of(to));
  if (from_bits == 0 || to_bits == 0) return c.fail("types without a fixed size cannot be reinterpreted");
  Shape y = c.shape(0);
  if (rank_known(y) && from_bits > to_bits) y.push_back(from_bits / to_bits);
  if (rank_known(y) && from_bits < to_bits) {
    if (y.empty() || (y.back() >= 0 && y.back() != to_bits / from_bits))
      return c.fail(formatted("the last dimension must be {}", to_bits / from_bits));
    y.pop_back();
  }
  c.add_output(to, std::move(y));
  return {};
}

// clang-format off
constexpr InferRow kRows[] = {
    {"Data", data}, {"RefData", data}, {"AippData", data}, {"Const", constant}, {"Constant", constant},
    {"NetOutput", nothing},
    {"Identity", same}, {"TensorMove", same}, {"TransData", same}, {"MemcpyAsync", same}, {"Snapshot", same},
    {"StopGradient", same}, {"PreventGradient", same}, {"Dropout", same}, {"PlaceHolder", same}, {"End", same},
    {"GuaranteeConst", same}, {"ZerosLike", same}, {"OnesLike", same}, {"IdentityN", same_each},
    {"Reshape", reshape}, {"Flatten", flatten}, {"FlattenV2", flatten_range},
    {"Squeeze", squeeze}, {"SqueezeV2", squeeze}, {"SqueezeV3", squeeze_by_input},
    {"Unsqueeze", unsqueeze}, {"UnsqueezeV2", unsqueeze_axis}, {"UnsqueezeV3", unsqueeze_by_input},
    {"ExpandDims", unsqueeze_by_input},
    {"Transpose", transpose}, {"TransposeD", transpose_d}, {"Permute", permute},
    {"Shape", shape_of}, {"ShapeN", shape_of}, {"Size", size_of}, {"Rank", size_of},
    {"Expand", expand}, {"BroadcastTo", expand}, {"ExpandD", expand_d}, {"BroadcastToD", expand_d},
    {"Fill", fill}, {"FillD", fill_d}, {"FillV2D", fill_value}, {"Range", range}, {"Bitcast", bitcast},
};
// clang-format on

}  // namespace

std::span<const InferRow> infer_rows_shape() { return kRows; }

}  // namespace belay::graph
