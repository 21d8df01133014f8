// SPDX-License-Identifier: Apache-2.0
#include "operators/builtins/builtins.h"

namespace belay::operators {
namespace {

Result<Value> along(Sketch& s, const Value& x, const Value& index, int64_t dim) {
  return s.op("GatherV2", {x, index, s.scalar(DataType::Int64, static_cast<double>(dim))},
              {{"negative_index_support", true}});
}

// select(x, dim, index): whole slices.
Result<Value> select(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[2]));
  const int64_t dim = TRY(dimension(int_at(a, 1), a[0].rank()));
  if (a[0].rank() > 0) return along(s, a[0], a[2], dim);
  return s.reshape(TRY(along(s, TRY(s.reshape(a[0], {1})), a[2], 0)), a[2].shape);
}

// gather(x, dim, index): one element for each index; x may be larger in the other dimensions.
Result<Value> gather(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[2]));
  if (a[0].rank() == 0) return s.reshape(a[0], a[2].shape);
  if (a[2].rank() != a[0].rank()) return invalid("index must have as many dimensions as self");
  const int64_t dim = TRY(dimension(int_at(a, 1), a[0].rank()));
  Value x = a[0];
  Shape smaller = x.shape;
  for (size_t i = 0; i < smaller.size(); ++i)
    if (static_cast<int64_t>(i) != dim) smaller[i] = std::min(smaller[i], a[2].shape[i]);
  if (smaller != x.shape)
    x = TRY(s.op("StridedSliceV2", {x, s.indices(std::vector<int64_t>(smaller.size())), s.indices(smaller)}));
  return s.op("GatherElements", {x, a[2]}, {{"dim", dim}});
}

// scatter(x, dim, index, updates, reduction): a number as updates is repeated.
Result<Value> scatter(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[2]));
  TRY(need(a[3]));
  const int64_t dim = TRY(dimension(int_at(a, 1), a[0].rank()));
  constexpr const char* kReductions[] = {"none", "add", "mul"};
  const int64_t reduction = int_at(a, 4);
  if (reduction < 0 || reduction > 2) return invalid("reduce must be 0 (none), 1 (add) or 2 (mul)");
  if (a[2].rank() == 0 || graph::element_count(a[2].shape) == 0) return a[0];
  Value updates = TRY(s.cast(a[3], a[0].type));
  if (!a[3].is_tensor()) {
    updates = TRY(s.expand(updates, a[2].shape));
  } else if (updates.shape != a[2].shape) {
    if (updates.rank() != a[2].rank()) return invalid("src must have as many dimensions as index");
    updates =
        TRY(s.op("StridedSliceV2", {updates, s.indices(std::vector<int64_t>(a[2].rank())), s.indices(a[2].shape)}));
  }
  return s.op("ScatterElements", {a[0], a[2], updates}, {{"axis", dim}, {"reduction", kReductions[reduction]}});
}

// rows(weight, indices): an embedding.
Result<Value> rows(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[1]));
  if (a[0].rank() != 2) return invalid("weight must have two dimensions");
  return along(s, a[0], a[1], 0);
}

// The index tensors of advanced indexing, broadcast to one shape; the dimensions they are about.
struct Indexed {
  std::vector<int64_t> dims;
  Values tensors;
  Shape shape;
};

bool is_mask(const Value& index) { return index.type == DataType::Bool || index.type == DataType::UInt8; }

Result<Indexed> indexed(Sketch& s, const Value& x, const Value& indices) {
  Indexed made;
  if (indices.list.size() > x.rank()) return invalid("there are more indices than dimensions");
  for (size_t i = 0; i < indices.list.size(); ++i) {
    const Value& index = indices.list[i];
    if (!index.present() || index.shape == Shape{0}) continue;
    if (is_mask(index))
      return invalid("indices by mask have a size that depends on their values; use aclnnNonzero first");
    made.dims.push_back(static_cast<int64_t>(i));
    made.tensors.push_back(TRY(s.cast(index, DataType::Int64)));
    auto shape = graph::broadcast(made.shape, index.shape);
    if (!shape.ok()) return invalid(shape.status().message);
    made.shape = *shape;
  }
  if (made.dims.empty()) return invalid("indices has no tensor");
  for (Value& tensor : made.tensors) tensor = TRY(s.expand(tensor, made.shape));
  return made;
}

// The dimensions of x with the indexed ones first; and where the result's indexed dimensions belong.
std::vector<int64_t> indexed_first(const Value& x, const Indexed& index) {
  std::vector<int64_t> order = index.dims;
  for (size_t i = 0; i < x.rank(); ++i)
    if (std::ranges::find(index.dims, static_cast<int64_t>(i)) == index.dims.end())
      order.push_back(static_cast<int64_t>(i));
  return order;
}

bool neighbours(const Indexed& index) {
  return index.dims.back() - index.dims.front() + 1 == static_cast<int64_t>(index.dims.size());
}

Result<Value> coordinates(Sketch& s, const Indexed& index) {
  return s.op("Pack", {Value::many(index.tensors)},
              {{"axis", static_cast<int64_t>(index.shape.size())}, {"N", static_cast<int64_t>(index.tensors.size())}});
}

// The result of indexing has its indexed dimensions first, or, where they are neighbours, in their place: `order` of
// the result's dimensions gives the first from the second.
std::vector<int64_t> indexed_dims_first(const Indexed& index, size_t rank) {
  const size_t before = neighbours(index) ? static_cast<size_t>(index.dims.front()) : 0, many = index.shape.size();
  std::vector<int64_t> order;
  for (size_t i = 0; i < many; ++i) order.push_back(static_cast<int64_t>(before + i));
  for (size_t i = 0; i < rank; ++i)
    if (i < before || i >= before + many) order.push_back(static_cast<int64_t>(i));
  return order;
}

std::vector<int64_t> turned_back(const std::vector<int64_t>& order) {
  std::vector<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return back;
}

// index(x, indices)
Result<Value> index(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const Indexed index = TRY(indexed(s, a[0], a[1]));
  const Value front = TRY(s.permute(a[0], indexed_first(a[0], index)));
  const Value places = TRY(coordinates(s, index));
  const Value made = TRY(s.op("GatherNd", {front, places}, {{"negative_index_support", true}}));
  return s.permute(made, turned_back(indexed_dims_first(index, made.rank())));
}

// x with values where a mask of its first dimensions is true: one value, one row for all, or a row for each. Fewer rows
// than are true fail when they run; more are not read.
Result<Value> mask_put(Sketch& s, const Value& x, const Value& given, const Value& values, bool accumulate) {
  Shape shape = given.shape, row(x.shape.begin() + static_cast<std::ptrdiff_t>(given.rank()), x.shape.end());
  if (!std::equal(shape.begin(), shape.end(), x.shape.begin()))
    return invalid(formatted("a mask of shape {} does not fit {}", graph::to_text(shape), graph::to_text(x.shape)));
  shape.resize(x.rank(), 1);
  const Value mask = TRY(s.reshape(TRY(s.cast(given, DataType::Bool)), shape));
  Value made = TRY(s.cast(values, x.type));
  if (made.rank() == row.size() + 1 && made.shape[0] == 1)
    made = TRY(s.reshape(made, Shape(made.shape.begin() + 1, made.shape.end())));
  if (made.rank() > row.size() + 1) return invalid("values has too many dimensions");
  if (made.rank() == row.size() + 1) {
    Shape rows = row;
    rows.insert(rows.begin(), made.shape[0]);
    made = TRY(s.expand(made, rows));
    const Value into = accumulate ? TRY(s.expand(s.scalar(x.type, 0), x.shape)) : x;
    const Value places = TRY(s.expand(mask, x.shape));
    made = TRY(s.op("MaskedScatter", {into, places, made}));
    return accumulate ? s.op("Add", {x, made}) : Result<Value>(made);
  }
  made = TRY(s.expand(made, row));
  if (accumulate) made = TRY(s.op("Add", {x, made}));
  return s.op("SelectV2", {mask, made, x});
}

// index_put(x, indices, values, accumulate)
Result<Value> index_put(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[2]));
  if (a[1].list.size() == 1 && is_mask(a[1].list[0]) && a[1].list[0].rank() <= a[0].rank())
    return mask_put(s, a[0], a[1].list[0], a[2], flag_at(a, 3));
  const Indexed index = TRY(indexed(s, a[0], a[1]));
  const auto order = indexed_first(a[0], index);
  const Value front = TRY(s.permute(a[0], order));
  const size_t rank = a[0].rank() - index.dims.size() + index.shape.size();
  const auto turn = indexed_dims_first(index, rank);
  Shape shape(rank), first = index.shape;
  first.insert(first.end(), front.shape.begin() + static_cast<std::ptrdiff_t>(index.dims.size()), front.shape.end());
  for (size_t i = 0; i < rank; ++i) shape[static_cast<size_t>(turn[i])] = first[i];
  const Value values = TRY(s.permute(TRY(s.expand(TRY(s.cast(a[2], a[0].type)), shape)), turn));
  const Value places = TRY(coordinates(s, index));
  const Value made = TRY(s.op(flag_at(a, 3) ? "TensorScatterAdd" : "TensorScatterUpdate", {front, places, values}));
  return s.permute(made, turned_back(order));
}

// Moves a dimension to the front, or back again.
Result<Value> moved(Sketch& s, const Value& x, int64_t from, int64_t to) {
  if (from == to) return x;
  std::vector<int64_t> order;
  for (size_t i = 0; i < x.rank(); ++i)
    if (static_cast<int64_t>(i) != from) order.push_back(static_cast<int64_t>(i));
  order.insert(order.begin() + to, from);
  return s.permute(x, order);
}

// index_update(op, x, dim, index, source): slices of x replaced or added to.
Result<Value> index_update(Sketch& s, const Values& a) {
  TRY(need(a[1]));
  TRY(need(a[3]));
  TRY(need(a[4]));
  if (a[1].rank() == 0) return invalid("self must have dimensions");
  const int64_t dim = TRY(dimension(int_at(a, 2), a[1].rank()));
  const Value x = TRY(moved(s, a[1], dim, 0));
  const Value given = a[3].is_tensor() ? a[3] : s.indices(a[3].ints());
  const int64_t count = graph::element_count(given.shape);
  const Value places = TRY(s.reshape(given, {count, 1}));
  Value source = TRY(s.cast(a[4], a[1].type));
  if (a[4].is_tensor() && a[4].rank() == a[1].rank()) {
    source = TRY(moved(s, source, dim, 0));
  } else {
    Shape shape = x.shape;
    shape[0] = count;
    source = TRY(s.expand(source, shape));
  }
  return moved(s, TRY(s.op(a[0].text, {x, places, source})), 0, dim);
}

// masked_fill(x, mask, value)
Result<Value> masked_fill(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[1]));
  TRY(need(a[2]));
  const Value mask = TRY(s.cast(a[1], DataType::Bool));
  const Value value = TRY(s.cast(a[2], a[0].type));
  if (graph::element_count(value.shape) != 1) return invalid("value must be one element");
  const Value one = TRY(s.reshape(value, {}));
  return s.op("SelectV2", {mask, one, a[0]});
}

// top_k(x, k, dim, largest, sorted) -> values, indices
Result<Value> top_k(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const Value x = a[0].rank() == 0 ? TRY(s.reshape(a[0], {1})) : a[0];
  const int64_t dim = TRY(dimension(int_at(a, 2), x.rank())), k = int_at(a, 1);
  if (k < 0 || k > x.shape[static_cast<size_t>(dim)])
    return invalid(formatted("k is {}, the dimension has {}", k, x.shape[static_cast<size_t>(dim)]));
  auto made = TRY(s.ops("TopKV2", {x, s.scalar(DataType::Int64, static_cast<double>(k))},
                        {{"sorted", true},
                         {"dim", dim},
                         {"largest", flag_at(a, 3)},
                         {"indices_dtype", static_cast<int64_t>(DataType::Int64)}}));
  return Value::many(std::move(made));
}

// sort(x, stable, dim, descending) -> values, indices
Result<Value> sort(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const Value x = a[0].rank() == 0 ? TRY(s.reshape(a[0], {1})) : a[0];
  const int64_t dim = TRY(dimension(int_at(a, 2), x.rank()));
  auto made = TRY(s.ops(
      "Sort", {x}, {{"axis", dim}, {"descending", flag_at(a, 3)}, {"stable", true}, {"y2_dtype", DataType::Int64}}));
  return Value::many(std::move(made));
}

// one_hot(x, classes, on, off, axis)
Result<Value> one_hot(Sketch& s, const Values& a) {
  for (const Value& value : a) TRY(need(value));
  const Value on = TRY(s.reshape(a[2], {}));
  const Value off = TRY(s.reshape(TRY(s.cast(a[3], a[2].type)), {}));
  return s.op("OneHot", {a[0], s.scalar(DataType::Int64, a[1].number), on, off}, {{"axis", int_at(a, 4)}});
}

// sorted_by(sequence, sorter): the sequence in the order that the sorter gives, where there is one.
Result<Value> sorted_by(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  return at(a, 1).present() ? gather(s, {a[0], Value::of(int64_t{-1}), a[1]}) : Result<Value>(a[0]);
}

constexpr Builtin kRows[] = {
    {"sorted_by", sorted_by},
    {"select", select},
    {"gather", gather},
    {"scatter", scatter},
    {"rows", rows},
    {"index", index},
    {"index_put", index_put},
    {"top_k", top_k},
    {"masked_fill", masked_fill},
    {"sort", sort},
    {"index_update", index_update},
    {"one_hot", one_hot},
};

}  // namespace

std::span<const Builtin> index_builtins() { return kRows; }

}  // namespace belay::operators
