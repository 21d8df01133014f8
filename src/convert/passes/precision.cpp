// SPDX-License-Identifier: Apache-2.0
#include "convert/passes/precision.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "convert/map/numbers.h"
#include "convert/passes/graph_editor.h"
#include "convert/passes/origin.h"
#include "convert/passes/type_choice.h"
#include "graph/infer/infer.h"

namespace belay::convert {
namespace {

using graph::DataType;
using graph::Edge;

// Scales, sizes and regions are no data: they keep their type.
bool is_argument(const graph::Node& node, size_t port) { return node.type == "Resize" && port > 0; }

bool is_real(DataType type) {
  return type == DataType::Float || type == DataType::Float16 || type == DataType::BFloat16;
}

graph::Constant lowered(const graph::Constant& value, DataType type) {
  auto numbers = *read_numbers(value);
  constexpr double largest = 65504;  // what is finite stays finite, as in the vendor's converter
  if (type == DataType::Float16)
    for (double& number : numbers)
      if (std::isfinite(number)) number = std::clamp(number, -largest, largest);
  return make_numbers(numbers, value.shape, type);
}

class TypeChanger {
 public:
  TypeChanger(graph::Graph& graph, const PrecisionRules& rules, CastCounter& casts)
      : editor_(graph), mode_(rules.mode), choice_(rules), casts_(casts) {}

  Status run();

 private:
  DataType wanted(const graph::Node& node) const;
  bool follows(const graph::Node& node, DataType type) const;
  void lower_inputs(int index, DataType type);
  void round_inputs(int index);
  void set_outputs(int index, DataType type);
  void restore_inputs(int index);
  void change(int index);
  Status customize(int index, const CustomTypes& types);
  Status set_types(int index, const CustomTypes& types);
  void rename_copies();
  Edge cast(Edge edge, DataType type, int place);

  GraphEditor editor_;
  const Precision mode_;
  const TypeChoice choice_;
  CastCounter& casts_;
  std::map<std::tuple<int, int, DataType>, Edge> made_;  // casts and constants, by what they were made of
};

DataType TypeChanger::wanted(const graph::Node& node) const {
  if (mode_ == Precision::Half) return DataType::Float16;
  if (mode_ != Precision::MixedHalf && mode_ != Precision::MixedBrain) return DataType::Float;
  const DataType narrow = mode_ == Precision::MixedHalf ? DataType::Float16 : DataType::BFloat16;
  const MixList list = choice_.list_of(node.type);
  const bool lower = list == MixList::White || (list == MixList::Gray && follows(node, narrow));
  return lower ? narrow : DataType::Float;
}

// All its inputs that are no constants have the type already.
bool TypeChanger::follows(const graph::Node& node, DataType type) const {
  bool any = false;
  for (size_t port = 0; port < node.inputs.size(); ++port) {
    const Edge edge = node.inputs[port];
    if (!edge.connected() || editor_.constant(edge) || is_argument(node, port)) continue;
    if (editor_.desc(edge).type == DataType::Float) return false;
    any |= editor_.desc(edge).type == type;
  }
  return any;
}

Edge TypeChanger::cast(Edge edge, DataType type, int place) {
  const auto key = std::tuple(edge.node, edge.output, type);
  if (const auto found = made_.find(key); found != made_.end()) return found->second;
  if (const graph::Constant* value = editor_.constant(edge)) {
    // The constant under its own name when nobody needs the float one.
    graph::Node copy = editor_.node(edge.node);
    copy.attributes["value"] = lowered(*value, type);
    copy.outputs.front().type = type;
    return made_[key] = {editor_.add(std::move(copy), edge.node), 0};
  }
  graph::Node made{.name = casts_.name(), .type = "Cast", .inputs = {edge}};
  made.attributes["dst_type"] = static_cast<int64_t>(type);
  made.outputs = {editor_.desc(edge)};
  made.outputs.front().type = type;
  const auto& producer = editor_.node(edge.node);
  const graph::Node* carried[] = {&producer};
  set_origin(made, carried, producer);
  made.outputs.front().attributes["_datadump_origin_output_index"] = static_cast<int64_t>(edge.output);
  set_no_origin(made);
  return made_[key] = {editor_.add(std::move(made), place), 0};
}

void TypeChanger::lower_inputs(int index, DataType type) {
  for (size_t port = 0; port < editor_.node(index).inputs.size(); ++port) {
    const Edge edge = editor_.node(index).inputs[port];
    if (!edge.connected() || is_argument(editor_.node(index), port)) continue;
    const bool wide = editor_.node(index).input_descs[port].type == DataType::Float;
    const bool other = wide && editor_.desc(edge).type != type;
    editor_.set_input(index, port, other ? cast(edge, type, index) : edge);  // also takes the type over
  }
}

// To float16 and back: the product of float16 inputs, in float.
void TypeChanger::round_inputs(int index) {
  for (size_t port = 0; port < editor_.node(index).inputs.size(); ++port) {
    const Edge edge = editor_.node(index).inputs[port];
    if (!edge.connected() || editor_.desc(edge).type != DataType::Float) continue;
    const Edge narrow = cast(edge, DataType::Float16, index);
    editor_.set_input(index, port, cast(narrow, DataType::Float, index));
  }
}

void TypeChanger::set_outputs(int index, DataType type) {
  auto& node = editor_.node(index);
  std::vector<graph::TensorInfo> inputs;
  for (const Edge edge : node.inputs) {
    if (!edge.connected()) {
      inputs.push_back({.present = false});
      continue;
    }
    inputs.push_back({editor_.desc(edge).type, editor_.desc(edge).shape, editor_.constant(edge)});
  }
  graph::InferContext context(node, inputs);
  const bool inferred = graph::find_infer_rule(node.type) && graph::infer(context).ok();
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    auto& output = node.outputs[i];
    if (inferred && i < context.outputs.size()) {
      output.type = context.outputs[i].type;
    } else if (is_real(output.type)) {
      output.type = type;
    }
  }
}

// The inputs get the types they had.
void TypeChanger::restore_inputs(int index) {
  for (size_t port = 0; port < editor_.node(index).inputs.size(); ++port) {
    const Edge edge = editor_.node(index).inputs[port];
    const DataType before = editor_.node(index).input_descs[port].type;
    if (edge.connected() && editor_.desc(edge).type != before && is_real(before))
      editor_.set_input(index, port, cast(edge, before, index));
  }
}

// A constant that is needed in several types: the later ones get names of their own.
void TypeChanger::rename_copies() {
  std::set<int> copies;
  for (const auto& [key, edge] : made_) copies.insert(edge.node);
  std::set<std::string> taken;
  for (int i = 0; i < editor_.count(); ++i)
    if (!copies.contains(i) && editor_.user_count(i) > 0) taken.insert(editor_.node(i).name);
  for (const int copy : copies) {
    auto& node = editor_.node(copy);
    if (!graph::is_constant(node) || editor_.user_count(copy) == 0) continue;
    while (!taken.insert(node.name).second) node.name += "_" + std::string(graph::name_of(node.outputs.front().type));
  }
}

// The types of the list, where the operator can have them at all.
Status TypeChanger::set_types(int index, const CustomTypes& types) {
  const auto fail = [&](const std::string& why) -> Status {
    const auto& node = editor_.node(index);
    return {ACL_ERROR_INVALID_PARAM, formatted("--customize_dtypes: {} ({}) {}", node.name, node.type, why), "E10001"};
  };
  const auto real = std::ranges::find_if(types.inputs, is_real);
  const size_t count = editor_.node(index).inputs.size();
  if (!types.by_type && types.inputs.size() > count)
    return fail(formatted("has {} inputs; {} types are given", count, types.inputs.size()));
  for (size_t port = 0; port < count; ++port) {
    const Edge edge = editor_.node(index).inputs[port];
    if (!edge.connected()) continue;
    const DataType now = editor_.desc(edge).type;
    DataType type = port < types.inputs.size() ? types.inputs[port] : now;
    if (port >= types.inputs.size() && is_real(now) && real != types.inputs.end() &&
        !is_argument(editor_.node(index), port))
      type = *real;
    if (type != now && !(is_floating(now) && is_floating(type)) && !(is_integer(now) && is_integer(type)))
      return fail(
          formatted("cannot have {} for input {}, which is {}", graph::name_of(type), port, graph::name_of(now)));
    editor_.set_input(index, port, type == now ? edge : cast(edge, type, index));
  }
  set_outputs(index, real != types.inputs.end() ? *real : DataType::Float);
  return {};
}

Status TypeChanger::customize(int index, const CustomTypes& types) {
  TRY(set_types(index, types));
  const auto differs = [&]() -> int {
    const auto& outputs = editor_.node(index).outputs;
    for (size_t i = 0; i < std::min(outputs.size(), types.outputs.size()); ++i)
      if (outputs[i].type != types.outputs[i]) return static_cast<int>(i);
    return -1;
  };
  const int first = differs();
  if (first < 0) return {};
  // Narrow inputs with results in float: computed in float of inputs that were rounded.
  const DataType made = editor_.node(index).outputs[static_cast<size_t>(first)].type;
  const DataType asked = types.outputs[static_cast<size_t>(first)];
  if (asked == DataType::Float && is_real(made)) {
    for (size_t port = 0; port < editor_.node(index).inputs.size(); ++port)
      if (const Edge edge = editor_.node(index).inputs[port]; edge.connected() && is_real(editor_.desc(edge).type))
        editor_.set_input(index, port, cast(edge, DataType::Float, index));
    set_outputs(index, DataType::Float);
    if (differs() < 0) return {};
  }
  const auto& node = editor_.node(index);
  return {ACL_ERROR_INVALID_PARAM,
          formatted("--customize_dtypes: {} ({}) gives {} for output {} with these inputs, not {}", node.name,
                    node.type, graph::name_of(made), first, graph::name_of(asked)),
          "E10001"};
}

// As the mode and the lists say.
void TypeChanger::change(int index) {
  const auto& node = editor_.node(index);
  const bool keeps = choice_.keeps(node);
  if (std::ranges::none_of(node.input_descs, [](const auto& desc) { return is_real(desc.type); })) return;
  const DataType type = keeps ? DataType::Float : wanted(node);
  if (type != DataType::Float) {
    lower_inputs(index, type);
    set_outputs(index, type);
    return;
  }
  restore_inputs(index);
  if (mode_ == Precision::CubeFromHalf && !keeps && is_cube(node.type)) round_inputs(index);
}

Status TypeChanger::run() {
  const int count = editor_.count();
  for (int i = 0; i < count; ++i) {
    if (graph::is_graph_input(editor_.node(i)) || graph::is_constant(editor_.node(i))) continue;
    if (const CustomTypes* types = choice_.custom(editor_.node(i))) {
      TRY(customize(i, *types));
    } else {
      change(i);
    }
  }
  rename_copies();
  editor_.remove_dead();
  return editor_.finish();
}

}  // namespace

Status apply_precision(graph::Graph& graph, const PrecisionRules& rules, CastCounter& casts) {
  if (rules.mode == Precision::Origin && rules.custom.empty() && rules.half_inputs.empty()) return {};
  for (const std::string& name : rules.half_inputs) TRY(take_half_input(graph, name));
  return TypeChanger(graph, rules, casts).run();
}

}  // namespace belay::convert
