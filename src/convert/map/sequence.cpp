// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals. GE has neither: a sequence whose length is known here is the list of its tensors, an
// optional is its tensor or nothing, and nothing of them is left in the graph.
#include <algorithm>

#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/onnx/graph_importer.h"

namespace belay::convert {
namespace {

using Elements = std::vector<std::string>;
using Kind = Collection::Kind;

std::string input_name(const NodeContext& c, size_t input) {
  return input < c.node.inputs.size() ? c.node.inputs[input] : "";
}

// What an element is called that the file has no name for.
std::string element_name(const std::string& sequence, size_t index) {
  return formatted("{}[{}]@sequence", sequence, index);
}

void give_sequence(NodeContext& c, size_t output, Elements elements) {
  if (c.wanted(output)) c.importer().bind_collection(c.node.outputs[output], {Kind::Sequence, std::move(elements)});
}

Result<Elements> sequence(NodeContext& c, size_t input) {
  const Collection* found = c.importer().collection(input_name(c, input));
  if (found && found->kind == Kind::Sequence) return found->elements;
  return c.fail(formatted("input {} is no sequence whose length is known", input_name(c, input)));
}

void give_tensor(NodeContext& c, Edge edge) { c.give(0, c.add("Identity", {edge})); }

Edge element(NodeContext& c, const std::string& name) { return c.importer().find(name); }

// A position among `count`, counted from the end when below 0.
Result<size_t> position(NodeContext& c, size_t input, size_t count) {
  const auto known = c.ints(input);
  if (!known || known->size() != 1) return c.fail("the position must be constant");
  const int64_t size = static_cast<int64_t>(count), at = known->front() < 0 ? known->front() + size : known->front();
  if (at >= 0 && at < size) return static_cast<size_t>(at);
  return c.fail(formatted("position {} is outside the sequence of {}", known->front(), count));
}

Status sequence_construct(NodeContext& c) {
  give_sequence(c, 0, c.node.inputs);
  return {};
}

Status sequence_empty(NodeContext& c) {
  give_sequence(c, 0, {});
  return {};
}

Status sequence_length(NodeContext& c) {
  c.give(0, c.int_scalar("Const", static_cast<int64_t>(TRY(sequence(c, 0)).size())));
  return {};
}

Status sequence_insert(NodeContext& c) {
  Elements elements = TRY(sequence(c, 0));
  // It may be put behind the last one, too.
  const size_t at = c.has(2) ? TRY(position(c, 2, elements.size() + (c.ints(2) && c.ints(2)->front() >= 0 ? 1 : 0)))
                             : elements.size();
  elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(at), input_name(c, 1));
  give_sequence(c, 0, std::move(elements));
  return {};
}

Status sequence_erase(NodeContext& c) {
  Elements elements = TRY(sequence(c, 0));
  if (elements.empty()) return c.fail("the sequence is empty");
  const size_t at = c.has(1) ? TRY(position(c, 1, elements.size())) : elements.size() - 1;
  elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(at));
  give_sequence(c, 0, std::move(elements));
  return {};
}

bool are_alike(NodeContext& c, const Elements& elements) {
  const TensorInfo first = c.info(element(c, elements.front()));
  return graph::is_known(first.shape) && std::ranges::all_of(elements, [&](const std::string& name) {
           const TensorInfo info = c.info(element(c, name));
           return info.type == first.type && info.shape == first.shape;
         });
}

Edge packed(NodeContext& c, const Elements& elements, int64_t axis) {
  std::vector<Edge> edges;
  for (const auto& name : elements) edges.push_back(element(c, name));
  return c.add("Pack", edges, {{"axis", axis}, {"N", static_cast<int64_t>(edges.size())}});
}

// A position that is computed chooses among tensors of one shape.
Status sequence_at(NodeContext& c) {
  const Elements elements = TRY(sequence(c, 0));
  if (elements.empty()) return c.fail("the sequence is empty");
  if (c.value(1)) {
    give_tensor(c, element(c, elements[TRY(position(c, 1, elements.size()))]));
    return {};
  }
  if (!are_alike(c, elements))
    return c.fail("the position must be constant, because the sequence's elements differ in shape or type");
  const Edge all = packed(c, elements, 0), axis = c.int_scalar("axis", 0, DataType::Int32);
  c.give(0, c.add("GatherV2", {all, c.in(1), axis}, {{"negative_index_support", true}}));
  return {};
}

Status concat_from_sequence(NodeContext& c) {
  const Elements elements = TRY(sequence(c, 0));
  if (elements.empty()) return c.fail("the sequence is empty");
  if (!c.given("axis")) return c.fail("attribute axis is missing");
  const int64_t axis = c.integer("axis", 0);
  if (c.integer("new_axis", 0) != 0) {
    c.give(0, packed(c, elements, axis));
  } else if (elements.size() == 1) {
    give_tensor(c, element(c, elements.front()));
  } else {
    std::vector<Edge> edges;
    for (const auto& name : elements) edges.push_back(element(c, name));
    c.give(0, c.add("ConcatD", edges, {{"concat_dim", axis}, {"N", static_cast<int64_t>(edges.size())}}));
  }
  return {};
}

struct Pieces {
  Edge sizes;
  size_t count;
};

// How long the pieces are: as `split` says, one number for each or for all; one by one without it.
Result<Pieces> pieces_of(NodeContext& c, size_t axis) {
  if (c.rank(size_t{1}) == 1 && graph::is_known(c.shape(1))) return Pieces{c.in(1), static_cast<size_t>(c.shape(1)[0])};
  const int64_t size = c.shape(0)[axis];
  if (size < 0) return c.fail(formatted("the size of axis {} must be known", axis));
  if (c.has(1) && !c.ints(1)) return c.fail("split must be constant, or a list of known length");
  const int64_t length = c.has(1) ? c.ints(1)->at(0) : 1;
  if (length < 1) return c.fail(formatted("pieces of {} elements cannot be made", length));
  TRY(c.require_few(size / length));
  std::vector<int64_t> sizes(static_cast<size_t>(size / length), length);
  if (size % length) sizes.push_back(size % length);
  return Pieces{c.int_constant("size_splits", sizes), sizes.size()};
}

Status split_to_sequence(NodeContext& c) {
  const int rank = c.rank(size_t{0});
  const size_t axis = TRY(c.axis_within(c.integer("axis", 0), rank));
  const auto [sizes, count] = TRY(pieces_of(c, axis));
  const bool drops = !c.has(1) && c.integer("keepdims", 1) == 0;
  Elements elements;
  const Edge dim = c.int_scalar("split_dim", static_cast<int64_t>(axis), DataType::Int32);
  const Edge pieces = c.add("SplitV", {c.in(0), sizes, dim}, {{"num_split", static_cast<int64_t>(count)}}, count);
  for (int i = 0; i < static_cast<int>(count); ++i) {
    Edge piece{pieces.node, i};
    if (drops)
      piece = c.add({"Squeeze", formatted("Squeeze_{}", i)}, {piece},
                    {{"axis", std::vector<int64_t>{static_cast<int64_t>(axis)}}});
    elements.push_back(element_name(c.node.outputs.at(0), static_cast<size_t>(i)));
    c.importer().bind(elements.back(), piece);
  }
  give_sequence(c, 0, std::move(elements));
  return {};
}

// The body once for each element; what it gives is joined to sequences again.
Status sequence_map(NodeContext& c) {
  const onnx::Graph* body = c.graph("body");
  if (!body || body->inputs.size() != c.node.inputs.size() || body->outputs.size() < c.output_count())
    return c.fail("its body is missing or does not fit its inputs");
  const Elements first = TRY(sequence(c, 0));
  std::vector<Elements> results(c.output_count());
  for (size_t i = 0; i < first.size(); ++i) {
    std::vector<Edge> given, made;
    for (size_t k = 0; k < body->inputs.size(); ++k) {
      const Collection* list = c.importer().collection(input_name(c, k));
      if (list && list->elements.size() != first.size()) return c.fail("its sequences differ in length");
      given.push_back(list ? element(c, list->elements[i]) : c.in(k));
    }
    auto outside = c.importer().names();
    for (size_t k = 0; k < given.size(); ++k) c.importer().bind(body->inputs[k].name, given[k]);
    c.importer().add_initializers(*body);
    c.importer().add_nodes(*body);
    for (size_t k = 0; k < results.size(); ++k) made.push_back(element(c, body->outputs[k].name));
    c.importer().put_back(std::move(outside));
    for (size_t k = 0; k < results.size(); ++k) {
      results[k].push_back(element_name(c.node.outputs[k], i));
      c.importer().bind(results[k].back(), made[k]);
    }
  }
  for (size_t k = 0; k < results.size(); ++k) give_sequence(c, k, std::move(results[k]));
  return {};
}

Status optional(NodeContext& c) {
  const std::string held = input_name(c, 0);
  c.importer().bind_collection(c.node.outputs.at(0), {Kind::Optional, held.empty() ? Elements{} : Elements{held}});
  return {};
}

// What an optional holds; a tensor or sequence holds itself. "" when it is empty.
std::string held_by(NodeContext& c) {
  const std::string name = input_name(c, 0);
  const Collection* found = c.importer().collection(name);
  if (!found || found->kind == Kind::Sequence) return name;
  return found->elements.empty() ? "" : found->elements.front();
}

// The same tensor, sequence or optional under another name.
Status same(NodeContext& c, const std::string& name) {
  if (const Collection* list = c.importer().collection(name))
    c.importer().bind_collection(c.node.outputs.at(0), *list);
  else
    give_tensor(c, element(c, name));
  return {};
}

Status identity(NodeContext& c) { return same(c, input_name(c, 0)); }

Status optional_get_element(NodeContext& c) {
  const std::string held = held_by(c);
  return held.empty() ? c.fail("the optional holds nothing") : same(c, held);
}

Status optional_has_element(NodeContext& c) {
  c.give(0, c.int_scalar("Const", held_by(c).empty() ? 0 : 1, DataType::Bool));
  return {};
}

constexpr bool takes_any = true;
constexpr MapRow rows[] = {
    {"ConcatFromSequence", 11, latest, "ConcatD", concat_from_sequence, "", takes_any},
    {"Identity", 1, latest, "Identity", identity, "", takes_any},
    {"Optional", 15, latest, "", optional, "", takes_any},
    {"OptionalGetElement", 15, latest, "", optional_get_element, "", takes_any},
    {"OptionalHasElement", 15, latest, "Const", optional_has_element, "", takes_any},
    {"SequenceAt", 11, latest, "GatherV2", sequence_at, "", takes_any},
    {"SequenceConstruct", 11, latest, "", sequence_construct},
    {"SequenceEmpty", 11, latest, "", sequence_empty},
    {"SequenceErase", 11, latest, "", sequence_erase, "", takes_any},
    {"SequenceInsert", 11, latest, "", sequence_insert, "", takes_any},
    {"SequenceLength", 11, latest, "Const", sequence_length, "", takes_any},
    {"SequenceMap", 17, latest, "", sequence_map, "", takes_any},
    {"SplitToSequence", 11, latest, "SplitV", split_to_sequence},
};

}  // namespace

std::span<const MapRow> map_rows_sequence() { return rows; }

}  // namespace belay::convert
