// SPDX-License-Identifier: Apache-2.0
// Operators that pick, place and join elements: gather, scatter, slice, concat, split, pad.
#include <limits>
#include <numeric>

#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/numbers.h"
#include "convert/onnx/types.h"

namespace belay::convert {
namespace {

Status concat(NodeContext& c) {
  const bool old = c.opset < 4;
  if (!old && !c.given("axis")) return c.fail("attribute axis is missing");
  if (c.input_count() == 1) {
    c.give(0, c.add("Identity", c.inputs()));
    return {};
  }
  const auto count = static_cast<int64_t>(c.input_count());
  c.give(0, c.add("ConcatD", c.inputs(), {{"concat_dim", c.integer("axis", 1)}, {"N", count}}));
  return {};
}

// Sizes of the pieces when they are given; empty for equal ones.
Result<std::vector<int64_t>> split_sizes(NodeContext& c, int64_t axis) {
  if (c.opset < 13) return c.integers("split");
  const int rank = c.rank(size_t{0});
  if (!c.given("num_outputs") || rank < 0) return std::vector<int64_t>{};
  const auto count = static_cast<int64_t>(c.output_count());
  const int64_t dim = c.shape(0)[TRY(c.axis_within(axis, rank))];
  if (count < 1) return c.fail("it has no outputs");
  if (dim < 0 || dim % count == 0) return std::vector<int64_t>{};
  // The last piece is the smaller one.
  std::vector<int64_t> sizes(static_cast<size_t>(count), (dim + count - 1) / count);
  sizes.back() = dim - sizes.front() * (count - 1);
  if (sizes.back() < 0) return c.fail(formatted("{} elements do not make {} pieces", dim, count));
  return sizes;
}

Status split(NodeContext& c) {
  const int64_t axis = c.integer("axis", 0);
  const size_t count = c.output_count();
  const Attributes attributes = {{"num_split", static_cast<int64_t>(count)}};
  const auto sizes = TRY(split_sizes(c, axis));
  const bool by_input = c.opset >= 13 && c.has(1);
  if (!by_input && sizes.empty()) {
    const Edge dim = c.int_scalar("split_dim", axis, DataType::Int32);
    c.give_all(c.add("Split", {dim, c.in(0)}, attributes, count));
    return {};
  }
  const Edge pieces = by_input ? c.in(1) : c.int_constant("size_splits", sizes);
  const Edge dim = c.int_scalar("split_dim", axis, DataType::Int32);
  c.give_all(c.add("SplitV", {c.in(0), pieces, dim}, attributes, count));
  return {};
}

// Bounds as attributes.
Status slice_old(NodeContext& c) {
  const Edge begin = c.int_constant("begin", c.integers("starts"));
  const Edge end = c.int_constant("end", c.integers("ends"));
  std::vector<Edge> inputs = {c.in(0), begin, end};
  if (c.given("axes")) inputs.push_back(c.int_constant("axes", c.integers("axes")));
  c.give(0, c.add("StridedSliceV2", inputs));
  return {};
}

Status gather(NodeContext& c) {
  const Edge axis = c.int_scalar("const_data", c.integer("axis", 0), DataType::Int32);
  c.give(0, c.add({"GatherV2", "gatherv2"}, {c.in(0), c.in(1), axis}, {{"negative_index_support", true}}));
  return {};
}

Status gather_elements(NodeContext& c) {
  c.give(0, c.add("GatherElements", c.inputs(), {{"dim", c.integer("axis", 0)}}));
  return {};
}

Status gather_nd(NodeContext& c) {
  c.give(0,
         c.add("GatherNd", c.inputs(), {{"batch_dims", c.integer("batch_dims", 0)}, {"negative_index_support", true}}));
  return {};
}

Status scatter_elements(NodeContext& c) {
  c.give(0, c.add("ScatterElements", c.inputs(),
                  {{"axis", c.integer("axis", 0)}, {"reduction", c.text("reduction", "none")}}));
  return {};
}

Status scatter_nd(NodeContext& c) {
  const std::string reduction = c.text("reduction", "none");
  static const auto& types = *new const std::map<std::string, const char*>{{"none", "TensorScatterUpdate"},
                                                                           {"add", "TensorScatterAdd"},
                                                                           {"mul", "TensorScatterMul"},
                                                                           {"max", "TensorScatterMax"},
                                                                           {"min", "TensorScatterMin"}};
  const auto found = types.find(reduction);
  if (found == types.end()) return c.fail("reduction " + reduction + " is not known");
  c.give(0, c.add(found->second, c.inputs()));
  return {};
}

// Paddings and value as attributes.
Status pad_old(NodeContext& c) {
  const std::string mode = c.text("mode", "constant");
  const auto pads = c.integers(c.opset < 2 ? "paddings" : "pads");
  if (mode == "reflect") {
    // MirrorPad takes one row per dimension: before, after.
    const auto rank = static_cast<int64_t>(pads.size() / 2);
    std::vector<int64_t> pairs;
    for (int64_t i = 0; i < rank; ++i)
      for (const int64_t at : {i, i + rank}) pairs.push_back(pads[static_cast<size_t>(at)]);
    const Edge paddings = c.constant("Const", make_ints(pairs, {rank, 2}, DataType::Int64));
    c.give(0, c.add("MirrorPad", {c.in(0), paddings}, {{"mode", "REFLECT"}}));
    return {};
  }
  const Edge paddings = c.int_constant("Const_0", pads);
  const DataType type = c.type(0) == DataType::Undefined ? DataType::Float : c.type(0);
  const Edge value = c.scalar("Const_1", c.real("value", 0), type);
  c.give(0, c.add("PadV3", {c.in(0), paddings, value}, {{"mode", mode}, {"paddings_contiguous", false}}));
  return {};
}

// From opset 18 on only some axes may be named; GE wants all of them.
Result<Edge> whole_paddings(NodeContext& c) {
  const auto axes = c.ints(3), pads = c.ints(1);
  const int rank = c.rank(size_t{0});
  if (!axes || !pads || rank < 0) return c.fail("with axes, pads and axes must be constant and the rank known");
  if (pads->size() != 2 * axes->size()) return c.fail("pads must have two numbers for each axis");
  std::vector<int64_t> whole(static_cast<size_t>(2 * rank), 0);
  for (size_t i = 0; i < axes->size(); ++i) {
    const auto axis = static_cast<size_t>((*axes)[i] < 0 ? (*axes)[i] + rank : (*axes)[i]);
    if (axis >= static_cast<size_t>(rank)) return c.fail(formatted("axis {} is not one of its input", (*axes)[i]));
    whole[axis] = (*pads)[i];
    whole[axis + static_cast<size_t>(rank)] = (*pads)[i + axes->size()];
  }
  return c.int_constant("Const", whole);
}

Status pad(NodeContext& c) {
  const Edge paddings = c.has(3) ? TRY(whole_paddings(c)) : c.in(1);
  c.give(0, c.add("PadV3", {c.in(0), paddings, c.in(2)},
                  {{"mode", c.text("mode", "constant")}, {"paddings_contiguous", false}}));
  return {};
}

// Each axis is cut or padded to its size alike at both ends; an odd element is cut from, or added at, the end.
Status center_crop_pad(NodeContext& c) {
  const auto sizes = c.ints(1);
  const Shape x = c.shape(0);
  const auto rank = static_cast<int64_t>(x.size());
  if (!sizes) return c.fail("shape must be constant");
  if (!graph::is_known(x)) return c.fail("the shape of its input must be known");
  std::vector<int64_t> axes = c.integers("axes");
  if (!c.given("axes")) axes.resize(x.size()), std::iota(axes.begin(), axes.end(), 0);
  if (axes.size() != sizes->size()) return c.fail(formatted("{} axes, but {} sizes", axes.size(), sizes->size()));
  std::vector<int64_t> begin(x.size(), 0), end = x, pads(2 * x.size(), 0);
  bool cut = false, padded = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = TRY(c.axis_within(axes[i], static_cast<int>(rank)));
    const int64_t more = (*sizes)[i] - x[axis];
    if ((*sizes)[i] < 0) return c.fail(formatted("a size of {} is wanted", (*sizes)[i]));
    if (more < 0) cut = true, begin[axis] = -more / 2, end[axis] = begin[axis] + (*sizes)[i];
    if (more > 0) padded = true, pads[axis] = more / 2, pads[axis + x.size()] = more - more / 2;
  }
  Edge y = c.in(0);
  if (cut) y = c.add("StridedSliceV2", {y, c.int_constant("begin", begin), c.int_constant("end", end)});
  if (padded)
    y = c.add("PadV3", {y, c.int_constant("paddings", pads)}, {{"mode", "constant"}, {"paddings_contiguous", false}});
  c.give(0, cut || padded ? y : c.add("Identity", {y}));
  return {};
}

Status trilu(NodeContext& c) {
  c.give(0, c.add("Trilu", c.inputs(), {{"upper", c.integer("upper", 1)}}));
  return {};
}

Status reverse_sequence(NodeContext& c) {
  c.give(0, c.add("ReverseSequence", c.inputs(),
                  {{"seq_dim", c.integer("time_axis", 0)}, {"batch_dim", c.integer("batch_axis", 1)}}));
  return {};
}

// Where the condition holds; without an axis, of the flattened input.
Status compress(NodeContext& c) {
  const Edge places = c.add("Where", {c.in(1)});
  const Edge indices = c.add("Squeeze", {places}, {{"axis", std::vector<int64_t>{1}}});
  Edge x = c.in(0);
  if (!c.given("axis")) x = c.add("Reshape", {x, c.int_constant("shape", {-1})});
  const Edge axis = c.int_scalar("axis", c.integer("axis", 0), DataType::Int32);
  c.give(0, c.add("GatherV2", {x, indices, axis}, {{"negative_index_support", true}}));
  return {};
}

// Indices below 0 count from the end: depth is added and the remainder taken.
Status one_hot(NodeContext& c) {
  const Edge split_dim = c.int_scalar("Const", 0, DataType::Int32);
  const Edge off = c.add("Split", {split_dim, c.in(2)}, {{"num_split", 2}}, 2);
  Edge indices = c.in(0), depth = c.in(1);
  if (c.type(0) != DataType::Int64) indices = c.cast("CastIndices", indices, DataType::Int64);
  if (c.type(1) != DataType::Int64) depth = c.cast("CastDepth", depth, DataType::Int64);
  indices = c.add({"Identity", "Identity_0"}, {indices});
  depth = c.add({"Identity", "Identity_1"}, {depth});
  const Edge shifted = c.add("Add", {indices, depth});
  const Edge wrapped = c.add("Mod", {shifted, depth});
  c.give(0, c.add("OneHot", {wrapped, depth, {off.node, 1}, off}, {{"axis", c.integer("axis", -1)}}));
  return {};
}

// y, first places, places of each element, counts; GE has counts before places.
Status unique(NodeContext& c) {
  const Edge axis = c.given("axis") ? c.int_constant("axis", {c.integer("axis", 0)}) : c.int_constant("axis", {});
  const Edge y =
      c.add("UniqueWithCountsExt2", {c.in(0), axis},
            {{"out_idx", DataType::Int64}, {"sorted", c.integer("sorted", 1) != 0}, {"return_inverse", true}});
  c.give(0, y);
  const int ports[] = {0, 1, 3, 2};
  for (size_t i = 1; i < 4; ++i)
    if (c.wanted(i)) c.give(i, {y.node, ports[i]});
  return {};
}

Status tf_idf(NodeContext& c) {
  if (!c.texts("pool_strings").empty()) return c.fail("pools of strings are not supported");
  c.give(0, c.add("TfIdfVectorizer", c.inputs(),
                  {{"max_gram_length", c.integer("max_gram_length", 1)},
                   {"max_skip_count", c.integer("max_skip_count", 0)},
                   {"min_gram_length", c.integer("min_gram_length", 1)},
                   {"mode", c.text("mode", "TF")},
                   {"ngram_counts", c.integers("ngram_counts")},
                   {"ngram_indexes", c.integers("ngram_indexes")},
                   {"pool_int64s", c.integers("pool_int64s")},
                   {"weights", c.reals("weights")}}));
  return {};
}

constexpr MapRow rows[] = {
    {"CenterCropPad", 18, latest, "PadV3", center_crop_pad},
    {"Compress", 9, latest, "GatherV2", compress},
    {"Concat", 1, latest, "ConcatD", concat},
    {"Gather", 1, latest, "GatherV2", gather},
    {"GatherElements", 11, latest, "GatherElements", gather_elements},
    {"GatherND", 11, latest, "GatherNd", gather_nd},
    {"OneHot", 9, latest, "OneHot", one_hot},
    {"Pad", 1, 10, "PadV3", pad_old},
    {"Pad", 11, latest, "PadV3", pad},
    {"ReverseSequence", 10, latest, "ReverseSequence", reverse_sequence},
    {"Scatter", 9, latest, "ScatterElements", scatter_elements},
    {"ScatterElements", 11, latest, "ScatterElements", scatter_elements},
    {"ScatterND", 11, latest, "TensorScatterUpdate", scatter_nd},
    {"Slice", 1, 9, "StridedSliceV2", slice_old},
    {"Slice", 10, latest, "StridedSliceV2"},
    {"Split", 2, latest, "Split", split},
    {"TfIdfVectorizer", 9, latest, "TfIdfVectorizer", tf_idf},
    {"Trilu", 14, latest, "Trilu", trilu},
    {"Unique", 11, latest, "UniqueWithCountsExt2", unique},
};

}  // namespace

std::span<const MapRow> map_rows_move() { return rows; }

}  // namespace belay::convert
