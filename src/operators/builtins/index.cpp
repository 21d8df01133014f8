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

// The tensors of advanced indexing: integers, broadcast to one shape, each about one dimension, and masks, each about
// as many as it has; the dimensions they are about. A mask counts as the list of its true places, as long as only the
// run tells: it takes part in the broadcast as one more dimension of unknown size that meets the last one of `shape`.
struct Indexed {
  std::vector<int64_t> dims;
  Values tensors;
  Shape shape;  // of the integers
  bool masked = false;

  // Dimensions of what the indices select together.
  size_t rank() const { return masked ? std::max<size_t>(shape.size(), 1) : shape.size(); }
};

bool is_mask(const Value& index) { return index.type == DataType::Bool || index.type == DataType::UInt8; }

Status mask_fits(const Value& mask, const Value& x, size_t dim) {
  for (size_t i = 0; i < mask.rank(); ++i)
    if (mask.shape[i] != x.shape[dim + i])
      return invalid(formatted("a mask of shape {} does not fit {} at dimension {}", graph::to_text(mask.shape),
                               graph::to_text(x.shape), dim));
  return {};
}

Result<Indexed> indexed(Sketch& s, const Value& x, const Value& indices) {
  Indexed made;
  size_t dim = 0;
  for (const Value& index : indices.list) {
    const bool given = index.present() && (index.shape != Shape{0} || is_mask(index));
    const size_t about = given && is_mask(index) ? index.rank() : 1;
    if (dim + about > x.rank()) return invalid("there are more indices than dimensions");
    for (size_t i = 0; i < about && given; ++i) made.dims.push_back(static_cast<int64_t>(dim + i));
    if (given && is_mask(index)) {
      TRY(mask_fits(index, x, dim));
      made.tensors.push_back(index);
      made.masked = true;
    } else if (given) {
      made.tensors.push_back(TRY(s.cast(index, DataType::Int64)));
      auto shape = graph::broadcast(made.shape, index.shape);
      if (!shape.ok()) return invalid(shape.status().message);
      made.shape = *shape;
    }
    dim += about;
  }
  if (made.tensors.empty()) return invalid("indices has no tensor");
  for (Value& tensor : made.tensors)
    if (!is_mask(tensor)) tensor = TRY(s.expand(tensor, made.shape));
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
  const bool apart = index.dims.empty() || !neighbours(index);
  const size_t before = apart ? 0 : static_cast<size_t>(index.dims.front()), many = index.rank();
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

// A node that computes with masks; its result has this shape.
Result<Value> by_masks(Sketch& s, const char* type, const Value& front, const Indexed& index, const Values& more,
                       const Shape& shape, graph::Attributes attributes) {
  Values inputs{front};
  std::vector<std::string> ports{"x"};
  for (const Value& tensor : index.tensors) inputs.push_back(tensor), ports.emplace_back("index");
  for (const Value& value : more) inputs.push_back(value), ports.emplace_back("values");
  attributes["ports"] = std::move(ports);
  attributes["results"] = std::vector<int64_t>{0};
  attributes["types"] = std::vector<int64_t>{static_cast<int64_t>(front.type)};
  attributes["shapes"] = std::vector<Shape>{shape};
  return s.op(type, inputs, std::move(attributes));
}

// The shape of what the indices select, the indexed dimensions first: masks select `selected`.
Shape selected_shape(const Indexed& index, const Value& front, int64_t selected) {
  Shape shape = index.shape;
  if (index.masked) shape.resize(index.rank()), shape.back() = selected;
  shape.insert(shape.end(), front.shape.begin() + static_cast<std::ptrdiff_t>(index.dims.size()), front.shape.end());
  return shape;
}

// With masks the caller's output says how many elements they select.
Result<Value> masked_index(Sketch& s, const Value& front, const Indexed& index, const Value& out) {
  const size_t rank = front.rank() - index.dims.size() + index.rank();
  if (out.rank() != rank)
    return invalid(formatted("the result has {} dimensions, out has shape {}", rank, graph::to_text(out.shape)));
  const auto turn = indexed_dims_first(index, rank);
  const int64_t room = out.shape[static_cast<size_t>(turn[index.rank() - 1])];
  const Shape first = selected_shape(index, front, room);
  for (size_t i = 0; i < rank; ++i)
    if (const int64_t given = out.shape[static_cast<size_t>(turn[i])]; given != first[i])
      return invalid(formatted("dimension {} of out is {}; the indices make it {}", turn[i], given, first[i]));
  const Value made = TRY(by_masks(s, "AclnnMaskedIndex", front, index, {}, first, {{"room", room}}));
  return s.permute(made, turned_back(turn));
}

// index(x, indices, out)
Result<Value> index(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const Indexed index = TRY(indexed(s, a[0], a[1]));
  const Value front = TRY(s.permute(a[0], indexed_first(a[0], index)));
  if (index.masked) return masked_index(s, front, index, a[2]);
  const Value places = TRY(coordinates(s, index));
  const Value made = TRY(s.op("GatherNd", {front, places}, {{"negative_index_support", true}}));
  return s.permute(made, turned_back(indexed_dims_first(index, made.rank())));
}

// Whether the values are the same for all that a mask of the first dimensions selects.
bool is_one_for_all(const Value& values, const Value& x, const Value& mask) {
  const size_t row = x.rank() - mask.rank();
  return values.rank() <= row || (values.rank() == row + 1 && values.shape[0] == 1);
}

// x with one value, or one row, where a mask of its first dimensions is true.
Result<Value> mask_fill(Sketch& s, const Value& x, const Value& given, const Value& values, bool accumulate) {
  TRY(mask_fits(given, x, 0));
  Shape shape = given.shape, row(x.shape.begin() + static_cast<std::ptrdiff_t>(given.rank()), x.shape.end());
  shape.resize(x.rank(), 1);
  const Value mask = TRY(s.reshape(TRY(s.cast(given, DataType::Bool)), shape));
  Value made = TRY(s.cast(values, x.type));
  if (made.rank() > row.size()) made = TRY(s.reshape(made, Shape(made.shape.begin() + 1, made.shape.end())));
  made = TRY(s.expand(made, row));
  if (accumulate) made = TRY(s.op("Add", {x, made}));
  return s.op("SelectV2", {mask, made, x});
}

// index_put(x, indices, values, accumulate)
Result<Value> index_put(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[2]));
  const Values& list = a[1].list;
  if (list.size() == 1 && is_mask(list[0]) && list[0].rank() <= a[0].rank() && is_one_for_all(a[2], a[0], list[0]))
    return mask_fill(s, a[0], list[0], a[2], flag_at(a, 3));
  const Indexed index = TRY(indexed(s, a[0], a[1]));
  const auto order = indexed_first(a[0], index);
  const Value front = TRY(s.permute(a[0], order));
  const size_t rank = a[0].rank() - index.dims.size() + index.rank();
  if (a[2].rank() > rank)
    return invalid(
        formatted("values has shape {}, but the indices select {} dimensions", graph::to_text(a[2].shape), rank));
  const auto turn = indexed_dims_first(index, rank);
  // Masks select as many as values has there, or, where it has 1, any number.
  int64_t given = 1;
  if (const auto missing = rank - a[2].rank(); index.masked)
    if (const auto at = static_cast<size_t>(turn[index.rank() - 1]); at >= missing) given = a[2].shape[at - missing];
  const Shape first = selected_shape(index, front, given);
  Shape shape(rank);
  for (size_t i = 0; i < rank; ++i) shape[static_cast<size_t>(turn[i])] = first[i];
  const Value values = TRY(s.permute(TRY(s.expand(TRY(s.cast(a[2], a[0].type)), shape)), turn));
  const bool accumulate = flag_at(a, 3);
  Value made;
  if (index.masked) {
    made = TRY(by_masks(s, "AclnnMaskedPut", front, index, {values}, front.shape,
                        {{"given", given}, {"accumulate", accumulate}}));
  } else {
    const Value places = TRY(coordinates(s, index));
    made = TRY(s.op(accumulate ? "TensorScatterAdd" : "TensorScatterUpdate", {front, places, values}));
  }
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

// index_update(op, x, dim, index, source, factor): slices of x replaced, or added to, of the source times a factor.
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
  graph::Attributes attributes;
  Value source = a[4];
  if (a.size() > 5) {
    TRY(need(a[5]));
    if (scales_within(Values{a[1], source}, a[5]))
      attributes["alpha"] = static_cast<float>(a[5].number);
    else
      source = TRY(scaled(s, {source, a[5]}));
  }
  source = TRY(s.cast(source, a[1].type));
  if (a[4].is_tensor() && a[4].rank() == a[1].rank()) {
    source = TRY(moved(s, source, dim, 0));
  } else {
    Shape shape = x.shape;
    shape[0] = count;
    source = TRY(s.expand(source, shape));
  }
  return moved(s, TRY(s.op(a[0].text, {x, places, source}, std::move(attributes))), 0, dim);
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
