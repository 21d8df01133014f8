// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/infer.h"

#include <cstring>
#include <unordered_map>

#include "base/text.h"
#include "graph/infer/graph.h"
#include "graph/infer/rows.h"
#include "graph/model/schema.h"
#include "graph/tensor/sizes.h"

namespace belay::graph {
namespace {

using FamilyRows = std::span<const InferRow> (*)();

// One line per family that has rules.
constexpr FamilyRows kFamilies[] = {
    infer_rows_elementwise, infer_rows_shape,  infer_rows_reduce,     infer_rows_gather,  infer_rows_join,
    infer_rows_slice,       infer_rows_select, infer_rows_nn,         infer_rows_resize,  infer_rows_vision,
    infer_rows_recurrent,   infer_rows_quant,  infer_rows_collective, infer_rows_special,
};

std::unordered_map<std::string_view, InferRule> index_rules() {
  std::unordered_map<std::string_view, InferRule> rules;
  for (const FamilyRows family : kFamilies)
    for (const InferRow& row : family()) rules.emplace(row.op, row.rule);
  return rules;
}

// Rules may read the required inputs without asking, and the first one of many.
Status check_inputs(const InferContext& context) {
  const Schema* schema = find_schema(context.node.type);
  if (!schema) return {};
  for (size_t i = 0; i < schema->inputs.size(); ++i) {
    const Port& port = schema->inputs[i];
    const bool whole_call = context.node.attributes.contains("ports");  // may have numbers alone
    if (port.kind == PortKind::Dynamic && i == 0 && !context.has(0) && !whole_call)
      return context.fail("it has no inputs");
    if (port.kind == PortKind::Dynamic) break;
    if (port.kind == PortKind::Required && !context.has(i) && !is_graph_input(context.node))
      return context.fail(formatted("input {} ({}) is not connected", i, port.name));
  }
  return {};
}

template <class T>
std::vector<int64_t> widened(std::span<const std::byte> bytes) {
  std::vector<int64_t> values(bytes.size() / sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<int64_t>(value);
  }
  return values;
}

Status run_rule(InferContext& context) {
  if (const auto* members = get_if<std::shared_ptr<Graph>>(context.node.attributes, kMembers))
    return infer_members(context, **members);
  if (context.model && !context.node.subgraphs.empty()) return infer_subgraphs(context);
  const InferRule* rule = find_infer_rule(context.node.type);
  if (!rule) return context.fail("no shape rule for this operator type");
  TRY(check_inputs(context));
  return (*rule)(context);
}

}  // namespace

const InferRule* find_infer_rule(std::string_view op) {
  static const auto& rules = *new const auto(index_rules());
  const auto found = rules.find(op);
  return found == rules.end() ? nullptr : &found->second;
}

Status infer(InferContext& context) {
  TRY(run_rule(context));
  if (context.data_dependent) return {};  // bounds: whoever needs memory for them asks for it
  for (size_t i = 0; i < context.outputs.size(); ++i)
    if (const auto problem = too_large(context.outputs[i].type, context.outputs[i].shape); !problem.empty())
      return context.fail(formatted("output {}, {}", i, problem));
  return {};
}

std::optional<std::vector<int64_t>> integers(const Constant& constant) {
  switch (constant.type) {
    case DataType::Int8:
      return widened<int8_t>(constant.bytes);
    case DataType::UInt8:
    case DataType::Bool:
      return widened<uint8_t>(constant.bytes);
    case DataType::Int16:
      return widened<int16_t>(constant.bytes);
    case DataType::UInt16:
      return widened<uint16_t>(constant.bytes);
    case DataType::Int32:
      return widened<int32_t>(constant.bytes);
    case DataType::UInt32:
      return widened<uint32_t>(constant.bytes);
    case DataType::Int64:
      return widened<int64_t>(constant.bytes);
    case DataType::UInt64:
      return widened<uint64_t>(constant.bytes);
    default:
      return {};
  }
}

std::optional<std::vector<int64_t>> InferContext::ints(size_t input) const {
  if (!has(input) || !inputs[input].value) return {};
  return integers(*inputs[input].value);
}

std::optional<std::vector<int64_t>> InferContext::partial_ints(size_t input) const {
  if (!has(input)) return {};
  const TensorInfo& info = inputs[input];
  if (info.value) return integers(*info.value);
  if (info.partial) return *info.partial;
  if (info.shape.size() == 1 && info.shape[0] >= 0) return std::vector<int64_t>(info.shape[0], kUnknownElement);
  return {};
}

Status InferContext::fail(const std::string& why) const {
  return {ACL_ERROR_PARSE_MODEL, formatted("{} {}: {}", node.type, node.name, why)};
}

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  if (!rank_known(a) || !rank_known(b)) return Shape{-2};
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const size_t offset = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    const int64_t x = longer[offset + i], y = shorter[i];
    if (x == y || y == 1) continue;
    if (x == 1 || (x == -1 && y >= 0))
      result[offset + i] = y;
    else if (y != -1)
      return Status{ACL_ERROR_PARSE_MODEL, formatted("shapes {} and {} do not broadcast", to_text(a), to_text(b))};
  }
  return result;
}

}  // namespace belay::graph
