// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/values.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "graph/infer/arguments.h"

namespace belay::graph {
namespace {

constexpr int64_t kMostElements = 1024;  // shapes and indices are short

// What a value rule sees. It leaves what it can tell; saying nothing is always right.
struct Values {
  const Node& node;
  std::span<const TensorInfo> inputs;
  std::span<const TensorInfo> shapes;  // of the outputs
  std::vector<std::optional<Elements>>& outputs;

  std::optional<Elements> in(size_t input) const {
    if (input >= inputs.size() || !inputs[input].present) return {};
    const TensorInfo& info = inputs[input];
    const int64_t count = element_count(info.shape);
    if (count < 0 || count > kMostElements) return {};
    if (info.value) return integers(*info.value);
    if (info.partial) return *info.partial;
    return {};
  }
  // The first element of an input that is known; nothing else.
  std::optional<int64_t> scalar(size_t input) const {
    const auto elements = in(input);
    if (!elements || elements->empty() || elements->front() == kUnknownElement) return {};
    return elements->front();
  }
  bool flat(size_t input) const { return input < inputs.size() && inputs[input].shape.size() == 1; }
};

using Rule = void (*)(Values&);

void shape_of(Values& v) {
  for (size_t i = 0; i < v.inputs.size(); ++i) {
    if (i >= v.outputs.size() || !rank_known(v.inputs[i].shape)) continue;
    v.outputs[i] = v.inputs[i].shape;
    std::ranges::replace(*v.outputs[i], int64_t{-1}, kUnknownElement);
  }
}

void size_of(Values& v) {
  if (const int64_t count = element_count(v.inputs[0].shape); count >= 0) v.outputs[0] = Elements{count};
}

void rank_of(Values& v) {
  if (rank_known(v.inputs[0].shape)) v.outputs[0] = Elements{static_cast<int64_t>(v.inputs[0].shape.size())};
}

void same(Values& v) { v.outputs[0] = v.in(0); }

void cast(Values& v) {
  auto elements = v.in(0);
  if (!elements) return;
  if (v.shapes[0].type == DataType::Bool)
    for (int64_t& element : *elements)
      if (element != kUnknownElement) element = element != 0;
  v.outputs[0] = std::move(elements);
}

void gather(Values& v) {
  const auto x = v.in(0), indices = v.in(1);
  if (!x || !indices || !v.flat(0)) return;
  Elements picked;
  for (const int64_t index : *indices) {
    const auto at = index == kUnknownElement ? std::nullopt : axis_within(index, x->size());
    picked.push_back(at ? (*x)[*at] : kUnknownElement);
  }
  v.outputs[0] = std::move(picked);
}

// Inputs [first, end) one after the other; all of them vectors or all of them scalars.
void join(Values& v, size_t first, size_t end) {
  Elements joined;
  for (size_t i = first; i < end; ++i) {
    if (v.inputs[i].shape.size() > 1) return;
    const int64_t count = element_count(v.inputs[i].shape);
    if (count < 0 || count > kMostElements) return;
    const auto elements = v.in(i).value_or(Elements(count, kUnknownElement));
    joined.insert(joined.end(), elements.begin(), elements.end());
  }
  v.outputs[0] = std::move(joined);
}

void concat_d(Values& v) { join(v, 0, v.inputs.size()); }
void concat(Values& v) { join(v, 1, v.inputs.size()); }
void concat_v2(Values& v) { join(v, 0, v.inputs.size() - 1); }

void unpack(Values& v) {
  const auto x = v.in(0);
  if (!x || !v.flat(0)) return;
  for (size_t i = 0; i < std::min(x->size(), v.outputs.size()); ++i) v.outputs[i] = Elements{(*x)[i]};
}

int64_t clamped(int64_t index, int64_t size, int64_t low, int64_t high) {
  if (index < 0) index += size;
  return std::clamp(index, low, high);
}

// x[begin:end:stride]; the masks' lowest bits open an end or drop the dimension.
void slice_vector(Values& v, std::optional<int64_t> begin, std::optional<int64_t> end, int64_t stride) {
  const auto x = v.in(0);
  if (!x || !v.flat(0) || stride == 0) return;
  if (int_of(v.node, "new_axis_mask", 0) || int_of(v.node, "ellipsis_mask", 0)) return;
  const auto size = static_cast<int64_t>(x->size());
  stride = std::clamp(stride, -size - 1, size + 1);
  const bool open_begin = int_of(v.node, "begin_mask", 0) & 1, open_end = int_of(v.node, "end_mask", 0) & 1;
  if ((!open_begin && !begin) || (!open_end && !end)) return;
  Elements taken;
  if (int_of(v.node, "shrink_axis_mask", 0) & 1) {
    if (begin && axis_within(*begin, x->size())) v.outputs[0] = Elements{(*x)[*axis_within(*begin, x->size())]};
    return;
  }
  const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  const int64_t from = open_begin ? (stride > 0 ? low : high) : clamped(*begin, size, low, high);
  const int64_t to = open_end ? (stride > 0 ? high : low) : clamped(*end, size, low, high);
  for (int64_t i = from; stride > 0 ? i < to : i > to; i += stride) taken.push_back((*x)[i]);
  v.outputs[0] = std::move(taken);
}

void strided_slice(Values& v) {
  if (const auto stride = v.scalar(3)) slice_vector(v, v.scalar(1), v.scalar(2), *stride);
}

void strided_slice_v2(Values& v) {
  const bool has_strides = v.inputs.size() > 4 && v.inputs[4].present;
  const auto stride = has_strides ? v.scalar(4) : std::optional<int64_t>(1);
  if (stride) slice_vector(v, v.scalar(1), v.scalar(2), *stride);
}

void slice(Values& v) {
  const auto offset = v.scalar(1), count = v.scalar(2);
  if (!offset || !count || *offset < 0 || *offset > kMostElements) return;
  slice_vector(v, offset, *count < 0 || *count > kMostElements ? kMostElements : *offset + *count, 1);
}

void fill(Values& v) {
  const int64_t count = element_count(v.shapes[0].shape);
  const auto value = v.scalar(1);
  if (value && count >= 0 && count <= kMostElements) v.outputs[0] = Elements(count, *value);
}

int64_t wrapped(uint64_t value) { return static_cast<int64_t>(value); }

void range(Values& v) {
  const auto start = v.scalar(0), delta = v.scalar(2);
  const int64_t count = element_count(v.shapes[0].shape);
  if (!start || !delta || count < 0 || count > kMostElements) return;
  Elements made(count);
  for (int64_t i = 0; i < count; ++i)
    made[i] = wrapped(static_cast<uint64_t>(*start) + static_cast<uint64_t>(i) * static_cast<uint64_t>(*delta));
  v.outputs[0] = std::move(made);
}

// The elements of a scalar or vector, stretched to a vector of `count`.
std::optional<Elements> stretched(const Values& v, size_t input, int64_t count) {
  if (input >= v.inputs.size()) return {};
  auto elements = v.in(input);
  if (!elements && v.inputs[input].shape.size() <= 1) elements = Elements(count, kUnknownElement);
  if (!elements || v.inputs[input].shape.size() > 1) return {};
  if (elements->size() == 1) elements->resize(count, elements->front());
  if (static_cast<int64_t>(elements->size()) != count) return {};
  return elements;
}

template <class Combine>
void combine(Values& v, Combine each) {
  const Shape& shape = v.shapes[0].shape;
  const int64_t count = element_count(shape);
  if (shape.size() > 1 || count < 0 || count > kMostElements) return;
  const auto a = stretched(v, 0, count), b = stretched(v, 1, count);
  if (!a || !b) return;
  Elements result(count, kUnknownElement);
  for (int64_t i = 0; i < count; ++i)
    if ((*a)[i] != kUnknownElement && (*b)[i] != kUnknownElement) result[i] = each((*a)[i], (*b)[i]);
  v.outputs[0] = std::move(result);
}

int64_t floor_div(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }
bool divides(int64_t b) { return b != 0 && b != -1; }

void add(Values& v) {
  combine(v, [](int64_t a, int64_t b) { return wrapped(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); });
}
void sub(Values& v) {
  combine(v, [](int64_t a, int64_t b) { return wrapped(static_cast<uint64_t>(a) - static_cast<uint64_t>(b)); });
}
void mul(Values& v) {
  combine(v, [](int64_t a, int64_t b) { return wrapped(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); });
}
void div(Values& v) {
  combine(v, [](int64_t a, int64_t b) { return divides(b) ? a / b : kUnknownElement; });
}
void div_floor(Values& v) {
  combine(v, [](int64_t a, int64_t b) { return divides(b) ? floor_div(a, b) : kUnknownElement; });
}
void mod_floor(Values& v) {
  combine(v, [](int64_t a, int64_t b) { return divides(b) ? a - floor_div(a, b) * b : kUnknownElement; });
}
void maximum(Values& v) {
  combine(v, [](int64_t a, int64_t b) { return std::max(a, b); });
}
void minimum(Values& v) {
  combine(v, [](int64_t a, int64_t b) { return std::min(a, b); });
}
void equal(Values& v) {
  combine(v, [](int64_t a, int64_t b) { return int64_t{a == b}; });
}
void not_equal(Values& v) {
  combine(v, [](int64_t a, int64_t b) { return int64_t{a != b}; });
}
void less(Values& v) {
  combine(v, [](int64_t a, int64_t b) { return int64_t{a < b}; });
}
void less_equal(Values& v) {
  combine(v, [](int64_t a, int64_t b) { return int64_t{a <= b}; });
}
void greater(Values& v) {
  combine(v, [](int64_t a, int64_t b) { return int64_t{a > b}; });
}
void greater_equal(Values& v) {
  combine(v, [](int64_t a, int64_t b) { return int64_t{a >= b}; });
}

void select(Values& v) {
  const int64_t count = element_count(v.shapes[0].shape);
  if (v.shapes[0].shape.size() > 1 || count < 0 || count > kMostElements) return;
  const auto condition = stretched(v, 0, count), yes = stretched(v, 1, count), no = stretched(v, 2, count);
  if (!condition || !yes || !no) return;
  Elements result(count, kUnknownElement);
  for (int64_t i = 0; i < count; ++i)
    if ((*condition)[i] != kUnknownElement) result[i] = (*condition)[i] ? (*yes)[i] : (*no)[i];
  v.outputs[0] = std::move(result);
}

template <class Combine>
void reduce_all(Values& v, int64_t start, Combine each) {
  const auto x = v.in(0);
  if (!x || !v.flat(0) || element_count(v.shapes[0].shape) != 1) return;
  int64_t result = start;
  for (const int64_t element : *x) {
    if (element == kUnknownElement) return;
    result = each(result, element);
  }
  v.outputs[0] = Elements{result};
}

void reduce_prod(Values& v) {
  reduce_all(v, 1, [](int64_t a, int64_t b) { return wrapped(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); });
}
void reduce_sum(Values& v) {
  reduce_all(v, 0, [](int64_t a, int64_t b) { return wrapped(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); });
}

// clang-format off
const std::unordered_map<std::string_view, Rule>& rules() {
  static const auto& all = *new const std::unordered_map<std::string_view, Rule>{
      {"Shape", shape_of}, {"ShapeN", shape_of}, {"Size", size_of}, {"Rank", rank_of}, {"Cast", cast},
      {"Identity", same}, {"TensorMove", same}, {"Reshape", same}, {"Flatten", same}, {"Squeeze", same},
      {"SqueezeV2", same}, {"SqueezeV3", same}, {"Unsqueeze", same}, {"UnsqueezeV2", same}, {"UnsqueezeV3", same},
      {"ExpandDims", same}, {"GatherV2", gather}, {"GatherV2D", gather}, {"Gather", gather},
      {"ConcatD", concat_d}, {"ConcatV2D", concat_d}, {"Concat", concat}, {"ConcatV2", concat_v2}, {"Pack", concat_d},
      {"Unpack", unpack}, {"StridedSlice", strided_slice}, {"StridedSliceV2", strided_slice_v2}, {"Slice", slice},
      {"Fill", fill}, {"Range", range}, {"Add", add}, {"Sub", sub}, {"Mul", mul}, {"RealDiv", div}, {"Div", div},
      {"TruncateDiv", div}, {"FloorDiv", div_floor}, {"FloorMod", mod_floor}, {"Maximum", maximum},
      {"Minimum", minimum}, {"Equal", equal}, {"NotEqual", not_equal}, {"Less", less}, {"LessEqual", less_equal},
      {"Greater", greater}, {"GreaterEqual", greater_equal}, {"SelectV2", select}, {"ReduceProd", reduce_prod},
      {"ReduceProdD", reduce_prod}, {"ReduceSum", reduce_sum}, {"ReduceSumD", reduce_sum},
  };
  return all;
}
// clang-format on

bool carries_integers(DataType type) {
  return type == DataType::Int64 || type == DataType::Int32 || type == DataType::Bool;
}

// A value is worth keeping when it fits the shape and says something.
bool tells(const std::optional<Elements>& value, const TensorInfo& output) {
  return value && carries_integers(output.type) && static_cast<int64_t>(value->size()) == element_count(output.shape) &&
         (value->empty() || std::ranges::any_of(*value, [](int64_t each) { return each != kUnknownElement; }));
}

}  // namespace

std::vector<std::optional<Elements>> known_values(const Node& node, std::span<const TensorInfo> inputs,
                                                  std::span<const TensorInfo> outputs) {
  std::vector<std::optional<Elements>> values(outputs.size());
  const auto rule = rules().find(node.type);
  if (rule == rules().end() || outputs.empty() || inputs.empty()) return values;
  if (node.attributes.contains(kMembers)) return values;  // it computes more than its type says
  Values view{node, inputs, outputs, values};
  rule->second(view);
  for (size_t i = 0; i < values.size(); ++i)
    if (!tells(values[i], outputs[i])) values[i].reset();
  return values;
}

std::optional<Constant> to_constant(DataType type, const Shape& shape, const Elements& elements) {
  if (std::ranges::find(elements, kUnknownElement) != elements.end()) return {};
  if (type == DataType::Int64) return make_constant(type, shape, elements);
  const auto fits = [&](int64_t low, int64_t high) {
    return std::ranges::all_of(elements, [=](int64_t each) { return each >= low && each <= high; });
  };
  if (type == DataType::Int32 && fits(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()))
    return make_constant(type, shape, std::vector<int32_t>(elements.begin(), elements.end()));
  if (type == DataType::Bool && fits(0, 1))
    return make_constant(type, shape, std::vector<uint8_t>(elements.begin(), elements.end()));
  return {};
}

}  // namespace belay::graph
