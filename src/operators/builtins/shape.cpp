// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "base/text.h"
#include "operators/builtins/builtins.h"

namespace belay::operators {
namespace {

// Tensors of one type; those of shape [0] are left out, as they always were.
Result<Values> joined_parts(Sketch& s, const Value& tensors) {
  if (tensors.list.empty()) return invalid("the list of tensors is empty");
  Values parts;
  for (const Value& tensor : tensors.list) {
    TRY(need(tensor));
    if (tensor.shape != Shape{0}) parts.push_back(tensor);
  }
  if (parts.empty()) parts.push_back(tensors.list[0]);
  return as_type(s, parts, common_type(tensors.list));
}

Result<Value> cat(Sketch& s, const Values& a) {
  const Values parts = TRY(joined_parts(s, a[0]));
  const int64_t dim = TRY(dimension(int_at(a, 1), parts[0].rank()));
  if (parts.size() == 1) return parts[0];
  return s.op("ConcatD", {Value::many(parts)}, {{"concat_dim", dim}, {"N", static_cast<int64_t>(parts.size())}});
}

Result<Value> stack(Sketch& s, const Values& a) {
  if (a[0].list.empty()) return invalid("the list of tensors is empty");
  const Values parts = TRY(as_type(s, a[0].list, common_type(a[0].list)));
  const int64_t axis = TRY(dimension(int_at(a, 1), parts[0].rank() + 1));
  return s.op("Pack", {Value::many(parts)}, {{"axis", axis}, {"N", static_cast<int64_t>(parts.size())}});
}

Result<Value> split_sizes(Sketch& s, const Value& x, const std::vector<int64_t>& sizes, int64_t dim) {
  if (sizes.size() == 1) return Value::many({x});
  auto made = TRY(s.ops("SplitV", {x, s.indices(sizes), s.scalar(DataType::Int64, static_cast<double>(dim))},
                        {{"num_split", static_cast<int64_t>(sizes.size())}}, sizes.size()));
  return Value::many(std::move(made));
}

// split(x, size, dim): parts of one size, the last may be smaller.
Result<Value> split(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const int64_t dim = TRY(dimension(int_at(a, 2), a[0].rank())), size = int_at(a, 1);
  if (size <= 0) return invalid("splitSections must be above 0");
  std::vector<int64_t> sizes;
  for (int64_t left = a[0].shape.at(static_cast<size_t>(dim)); left > 0; left -= size)
    sizes.push_back(std::min(left, size));
  return split_sizes(s, a[0], sizes, dim);
}

Result<Value> split_with_size(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[1]));
  return split_sizes(s, a[0], a[1].ints(), TRY(dimension(int_at(a, 2), a[0].rank())));
}

// slice(x, starts, ends, axes, steps)
Result<Value> slice(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const auto list = [&](size_t i) {
    return a[i].kind == Value::Kind::Number ? std::vector<int64_t>{a[i].integer} : a[i].ints();
  };
  const auto starts = list(1), axes = list(3);
  auto steps = list(4);
  if (steps.empty()) steps.assign(starts.size(), 1);
  for (const int64_t step : steps)
    if (step <= 0) return invalid("the step must be above 0");
  for (const int64_t axis : axes) TRY(dimension(axis, a[0].rank()));
  return s.op("StridedSliceV2", {a[0], s.indices(starts), s.indices(list(2)), s.indices(axes), s.indices(steps)});
}

// strided_slice(x, begin, end, strides, five masks)
Result<Value> strided_slice(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  return s.op("StridedSlice", {a[0], s.indices(a[1].ints()), s.indices(a[2].ints()), s.indices(a[3].ints())},
              {{"begin_mask", int_at(a, 4)},
               {"end_mask", int_at(a, 5)},
               {"ellipsis_mask", int_at(a, 6)},
               {"new_axis_mask", int_at(a, 7)},
               {"shrink_axis_mask", int_at(a, 8)}});
}

Result<Value> permute(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[1]));
  if (a[1].numbers.size() != a[0].rank()) return invalid("dims must name every dimension once");
  if (a[0].rank() == 0) return a[0];
  return s.permute(a[0], TRY(dimensions(a[1], a[0].rank())));
}

Result<Value> expand(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  Shape shape = a[1].kind == Value::Kind::Like ? a[1].shape : Shape(a[1].ints());
  const size_t rank = a[0].rank();
  if (shape.size() < rank) return invalid("the size has fewer dimensions than the tensor");
  for (size_t i = 0; i < rank; ++i)
    if (int64_t& wanted = shape[shape.size() - rank + i]; wanted == -1) wanted = a[0].shape[i];
  return s.expand(a[0], shape);
}

Result<Value> repeat(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const auto repeats = a[1].ints();
  if (repeats.size() < a[0].rank()) return invalid("repeats has fewer elements than the tensor dimensions");
  Shape shape(repeats.size() - a[0].rank(), 1);
  shape.insert(shape.end(), a[0].shape.begin(), a[0].shape.end());
  return s.op("Tile", {TRY(s.reshape(a[0], shape)), s.indices(repeats)});
}

// repeat_each(x, times[, dim]): without dim, of the flattened tensor.
Result<Value> repeat_each(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const bool flat = !at(a, 2).present();
  const Value x = flat ? TRY(s.reshape(a[0], {graph::element_count(a[0].shape)})) : a[0];
  const auto dim = static_cast<size_t>(flat ? 0 : TRY(dimension(a[2].integer, x.rank())));
  const int64_t times = int_at(a, 1);
  Shape apart = x.shape, tiles(x.rank() + 1, 1), whole = x.shape;
  apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(dim) + 1, 1);
  tiles[dim + 1] = times;
  whole[dim] *= times;
  const Value tiled = TRY(s.op("Tile", {TRY(s.reshape(x, apart)), s.indices(tiles)}));
  return s.reshape(tiled, whole);
}

Result<Value> flip(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  if (a[1].numbers.empty()) return a[0];
  const auto dims = TRY(dimensions(a[1], a[0].rank()));
  return s.op("ReverseV2", {a[0], s.indices(dims)});
}

Result<Value> roll(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const bool flat = at(a, 2).numbers.empty();
  const Value x = flat ? TRY(s.reshape(a[0], {graph::element_count(a[0].shape)})) : a[0];
  const auto dims = flat ? std::vector<int64_t>{0} : a[2].ints();
  const Value made = TRY(s.op("Roll", {x}, {{"shifts", a[1].ints()}, {"dims", dims}}));
  return s.reshape(made, a[0].shape);
}

Result<Value> flatten(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  int64_t rows = 1, columns = 1;
  const int64_t axis =
      int_at(a, 1) == static_cast<int64_t>(a[0].rank()) ? int_at(a, 1) : TRY(dimension(int_at(a, 1), a[0].rank()));
  for (size_t i = 0; i < a[0].rank(); ++i) (static_cast<int64_t>(i) < axis ? rows : columns) *= a[0].shape[i];
  return s.reshape(a[0], {rows, columns});
}

// pad(x, pads, mode[, value]): pads are of the last dimension first, as (before, after).
Result<Value> pad(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const auto given = a[1].ints();
  if (given.size() % 2 != 0 || given.size() / 2 > a[0].rank()) return invalid("pad has a wrong number of elements");
  std::vector<int64_t> pads(a[0].rank() * 2);
  for (size_t i = 0; i < given.size() / 2; ++i) {
    const size_t dim = a[0].rank() - 1 - i;
    pads[2 * dim] = given[2 * i];
    pads[2 * dim + 1] = given[2 * i + 1];
  }
  Values inputs{a[0], s.indices(pads)};
  if (at(a, 3).present()) inputs.push_back(TRY(s.cast(a[3], a[0].type)));
  return s.op("PadV3", inputs, {{"mode", a[2].text}});
}

// band(op, x, diagonal): Triu, Tril.
Result<Value> band(Sketch& s, const Values& a) {
  TRY(need(a[1]));
  return s.op(a[0].text, {a[1]}, {{"diagonal", int_at(a, 2)}});
}

// range(start, end, step, like, closed)
Result<Value> range(Sketch& s, const Values& a) {
  for (const Value& value : a) TRY(need(value));
  const double start = a[0].number, step = a[2].number;
  const int64_t count = graph::element_count(a[3].shape);
  if (step == 0) return invalid("step must not be 0");
  if ((a[1].number - start) / step < 0) return invalid("the end lies on the wrong side of the start");
  if (a[0].whole() && a[2].whole()) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(static_cast<int64_t>(static_cast<uint64_t>(a[0].integer) +
                                            static_cast<uint64_t>(i) * static_cast<uint64_t>(a[2].integer)));
    return s.constant(a[3].type, a[3].shape, values);
  }
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(start + static_cast<double>(i) * step);
  return s.constant(a[3].type, a[3].shape, values);
}

// places(x, like): 0, 1, ... for the elements of a tensor of one dimension, of the other's type.
Result<Value> places(Sketch& s, const Values& a) {
  if (a[0].rank() != 1) return invalid("repeats must have one dimension");
  std::vector<int64_t> values(static_cast<size_t>(a[0].shape[0]));
  std::iota(values.begin(), values.end(), int64_t{0});
  return s.constant(a[1].type, a[0].shape, values);
}

// Of what numbers say, before anything of that size is made.
Status must_be(const Shape& said, const Value& like) {
  if (said == like.shape) return {};
  return invalid(formatted("the result is {}, but the output is {}", graph::to_text(said), graph::to_text(like.shape)));
}

// linspace(start, end, steps, like)
Result<Value> linspace(Sketch& s, const Values& a) {
  for (const Value& value : a) TRY(need(value));
  const int64_t steps = a[2].integer;
  TRY(must_be({steps}, a[3]));
  std::vector<double> values;
  for (int64_t i = 0; i < steps; ++i) {
    const double step = steps > 1 ? (a[1].number - a[0].number) / static_cast<double>(steps - 1) : 0;
    values.push_back(i < steps / 2 || steps == 1 ? a[0].number + step * static_cast<double>(i)
                                                 : a[1].number - step * static_cast<double>(steps - 1 - i));
  }
  return s.constant(is_narrow(a[3].type) ? DataType::Float : a[3].type, {steps}, values);
}

Result<Value> eye(Sketch& s, const Values& a) {
  const int64_t rows = int_at(a, 0), columns = int_at(a, 1);
  TRY(must_be({rows, columns}, a[2]));
  std::vector<double> values(static_cast<size_t>(rows * columns));
  for (int64_t i = 0; i < std::min(rows, columns); ++i) values[static_cast<size_t>(i * columns + i)] = 1;
  return s.constant(a[2].type, {rows, columns}, values);
}

Result<Value> item(Sketch&, const Values& a) {
  const auto index = static_cast<size_t>(int_at(a, 1));
  if (index >= a[0].list.size()) return invalid("the list has too few elements");
  return a[0].list[index];
}

// half(x, dim, which)
Result<Value> half(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const int64_t dim = TRY(dimension(int_at(a, 1), a[0].rank()));
  const int64_t size = a[0].shape.at(static_cast<size_t>(dim));
  if (size % 2 != 0) return invalid("the dimension that is halved must be even");
  return TRY(split_sizes(s, a[0], {size / 2, size / 2}, dim)).list[static_cast<size_t>(int_at(a, 2))];
}

// pick(i, texts...)
Result<Value> pick(Sketch&, const Values& a) {
  const int64_t index = int_at(a, 0);
  if (index < 0 || index >= static_cast<int64_t>(a.size()) - 1)
    return invalid(formatted("{} is not one of the {} choices", index, a.size() - 1));
  return a[static_cast<size_t>(index) + 1];
}

// fold(op, list): op of all members, pair by pair.
Result<Value> fold(Sketch& s, const Values& a) {
  if (a[1].list.empty()) return invalid("the list of tensors is empty");
  Value made = a[1].list[0];
  for (size_t i = 1; i < a[1].list.size(); ++i) made = TRY(promoted(s, a[0].text, Values{made, a[1].list[i]}));
  return made;
}

// size(x, dim)
Result<Value> size(Sketch&, const Values& a) {
  TRY(need(a[0]));
  return Value::of(a[0].shape.at(static_cast<size_t>(TRY(dimension(int_at(a, 1), a[0].rank())))));
}

constexpr Builtin kRows[] = {
    {"cat", cat},         {"stack", stack},       {"split", split},   {"split_with_size", split_with_size},
    {"slice", slice},     {"permute", permute},   {"expand", expand}, {"strided_slice", strided_slice},
    {"repeat", repeat},   {"flip", flip},         {"roll", roll},     {"repeat_each", repeat_each},
    {"flatten", flatten}, {"pad", pad},           {"band", band},     {"range", range},
    {"places", places},   {"linspace", linspace}, {"eye", eye},       {"item", item},
    {"half", half},       {"pick", pick},         {"fold", fold},     {"size", size},
};

}  // namespace

std::span<const Builtin> shape_builtins() { return kRows; }

}  // namespace belay::operators
