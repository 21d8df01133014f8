// SPDX-License-Identifier: Apache-2.0
#include "blame/walk.h"

#include <algorithm>

#include "base/text.h"
#include "blame/cone.h"
#include "blame/record_names.h"
#include "executor/branch.h"
#include "graph/infer/graph.h"
#include "graph/infer/infer.h"

namespace belay::blame {
namespace {

using executor::GraphRole;
using executor::NodeKind;
using graph::Graph;
using graph::Node;

Held missing(std::string why) {
  Held held;
  held.missing = std::move(why);
  return held;
}

Held from_source(Result<Source> source, std::string origin) {
  if (!source.ok()) return missing(source.status().message);
  Held held;
  held.source = std::move(source).value();
  held.origin = std::move(origin);
  return held;
}

Held recorded(const compare::SideTensor& tensor, std::string origin) {
  Held held = from_source(tensor.open(), std::move(origin));
  held.time = tensor.time;
  return held;
}

Held constant_held(const Node& node) {
  const auto* constant = graph::get_if<graph::Constant>(node.attributes, "value");
  if (!constant) return missing(formatted("the model does not hold the value of {}", node.name));
  Held held = from_source(source_of(*constant), "weight " + node.name);
  held.weight = constant;
  return held;
}

// The shape that a view gives its first input; the integers that say it are inputs, too.
Result<graph::Shape> viewed_shape(const graph::Model& model, const Node& node, std::span<const Held> inputs) {
  std::vector<graph::Constant> values(inputs.size());
  std::vector<std::vector<std::byte>> storage(inputs.size());
  std::vector<graph::TensorInfo> infos;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].present) {
      infos.push_back({.present = false});
      continue;
    }
    const auto& source = *inputs[i].source;
    values[i] = {source.type(), source.shape(), graph::Format::ND};
    if (i > 0) values[i].bytes = TRY(bytes_of(source, storage[i]));
    infos.push_back({source.type(), source.shape(), i > 0 ? &values[i] : nullptr});
  }
  graph::InferContext context(node, infos);
  context.model = &model;
  TRY(graph::infer(context));
  if (context.outputs.empty()) return context.fail("it has no output");
  return context.outputs[0].shape;
}

Held derived_view(const Node& node, const std::vector<Held>& inputs) {
  Held held = missing(formatted("{} {} is made of what was not dumped", node.type, node.name));
  held.derived = std::make_shared<Derivation>(Derivation{&node, inputs});
  return held;
}

std::vector<Held> view(const graph::Model& model, const Node& node, const std::vector<Held>& inputs) {
  if (inputs.empty()) return {};
  for (const Held& input : inputs)
    if (!input.known()) return {input.derived ? derived_view(node, inputs) : input};
  auto shape = viewed_shape(model, node, inputs);
  if (!shape.ok()) return {missing(shape.status().message)};
  Held held = inputs[0];
  auto source = reshaped(inputs[0].source, *shape);
  if (!source.ok()) return {missing(source.status().message)};
  held.source = std::move(source).value();
  return {held};
}

// What chooses a branch or ends a loop, as the executor looks at it.
Result<backend::Tensor> as_tensor(const Held& held, std::vector<std::byte>& storage) {
  if (!held.source) return Status{ACL_ERROR_INVALID_PARAM, held.missing};
  const auto bytes = TRY(bytes_of(*held.source, storage));
  if (bytes.data() != storage.data()) storage.assign(bytes.begin(), bytes.end());
  return backend::Tensor{.type = held.source->type(), .shape = held.source->shape(), .data = storage.data()};
}

}  // namespace

Walk::Walk(const graph::Model& model, const Execution& execution, const GivenTensors& given, Visit visit)
    : model_(model), given_(given), visit_(std::move(visit)) {
  sort_records(execution);
}

void Walk::sort_records(const Execution& execution) {
  const RecordNames names(model_);
  for (const Record& record : execution.records) {
    if (const std::string name = names.by_name(record); !name.empty()) {
      records_[name].push_back(&record);
      continue;
    }
    bool used = false;
    for (const compare::SideTensor* output : record.outputs) {
      const std::string name = output ? names.by_origin(record, *output) : "";
      if (name.empty()) continue;
      Record& part = by_origin_.emplace_back(Record{record.op, record.op_type, record.time, record.task, {}, {}});
      part.outputs.resize(output->origin_index + 1);
      part.outputs[output->origin_index] = output;
      records_[name].push_back(&part);
      used = true;
    }
    if (!used) foreign_.push_back(&record);
  }
}

std::vector<Held> Walk::run() {
  used_.clear();
  unrecorded_.clear();
  return walk(model_.main(), GraphRole::Main, {});
}

const std::vector<const Record*>* Walk::records_of(const Node& node) const {
  const auto found = records_.find(node.name);
  return found == records_.end() ? nullptr : &found->second;
}

const Record* Walk::next_record(const Node& node) {
  const auto* records = records_of(node);
  if (!records) return nullptr;
  size_t& used = used_[records];
  return used < records->size() ? (*records)[used++] : nullptr;
}

bool Walk::has_records_left(const Graph& graph) const {
  return std::ranges::any_of(graph.nodes, [this](const Node& node) {
    for (size_t i = 0; i < node.subgraphs.size(); ++i)
      if (const auto inner = executor::subgraph_of(model_, node, i); inner.ok() && has_records_left(**inner))
        return true;
    const auto* records = records_of(node);
    if (!records || !executor::has_task(node)) return false;
    const auto used = used_.find(records);
    return used == used_.end() || used->second < records->size();
  });
}

std::vector<const Record*> Walk::superfluous() const {
  std::vector<const Record*> left;
  for (const auto& [name, records] : records_) {
    const auto used = used_.find(&records);
    if (used == used_.end())
      continue;  // it did not run at all: a branch that was not taken, a model of another version
    for (size_t i = used->second; i < records.size(); ++i)
      if (records[i]->op_type != "Data") left.push_back(records[i]);  // an input is recorded for each of its readers
  }
  return left;
}

Held Walk::graph_input(const Node& node) {
  const std::string origin = "input " + node.name;
  if (const Record* record = next_record(node); record && !record->outputs.empty() && record->outputs[0])
    return from_source(record->outputs[0]->open(), origin);
  if (const auto given = given_.find(node.name); given != given_.end()) return from_source(given->second, origin);
  return missing(
      formatted("input {} of the model is not in the dump; give it with --input {}=FILE", node.name, node.name));
}

std::vector<Held> Walk::walk(const Graph& graph, GraphRole role, const Tensors& inputs) {
  std::vector<Tensors> values(graph.nodes.size());
  Tensors results;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const NodeKind kind = executor::kind_of(node);
    if (kind == NodeKind::Input) {
      const size_t port = executor::input_port(node, role);
      values[i] = {role == GraphRole::Main ? inputs_[node.name] = graph_input(node)
                   : port < inputs.size()  ? inputs[port]
                                           : missing(formatted("{} has no input {}", graph.name, port))};
      continue;
    }
    Tensors taken;
    for (const graph::Edge& edge : node.inputs) {
      Held open;
      open.present = false;
      if (!edge.connected()) {
        taken.push_back(open);
        continue;
      }
      const Tensors& made = values[static_cast<size_t>(edge.node)];
      const auto output = static_cast<size_t>(edge.output);
      const std::string& name = graph.nodes[static_cast<size_t>(edge.node)].name;
      taken.push_back(output < made.size() ? made[output]
                                           : missing(formatted("output {} of {} was not dumped", output, name)));
    }
    if (kind != NodeKind::Result) {
      values[i] = run_node(kind, node, taken);
      continue;
    }
    for (size_t input = 0; input < taken.size(); ++input) {
      const size_t port = executor::result_port(node, role, input);
      if (results.size() <= port) results.resize(port + 1);
      results[port] = taken[input];
    }
  }
  return results;
}

std::vector<Held> Walk::run_node(NodeKind kind, const Node& node, const Tensors& inputs) {
  switch (kind) {
    case NodeKind::Constant:
      return {constant_held(node)};
    case NodeKind::Choice:
      return run_choice(node, inputs);
    case NodeKind::Loop:
      return run_loop(node, inputs);
    case NodeKind::Fused:
    case NodeKind::Operator:
      return executor::has_task(node) ? run_operator(node, inputs) : view(model_, node, inputs);
    case NodeKind::Input:
    case NodeKind::Result:
      break;
  }
  return {};
}

std::vector<Held> Walk::run_operator(const Node& node, const Tensors& inputs) {
  const Record* record = next_record(node);
  if (!record) return skip_operator(node, inputs);
  Tensors read = inputs;
  for (size_t i = 0; i < read.size() && i < record->inputs.size(); ++i)
    if (record->inputs[i] && inputs[i].present) {
      Held own = recorded(*record->inputs[i], inputs[i].origin);
      own.weight = inputs[i].weight;
      read[i] = std::move(own);
    }
  visit(node, *record, inputs, read);
  Tensors outputs;
  for (size_t o = 0; o < std::max(node.outputs.size(), record->outputs.size()); ++o)
    outputs.push_back(o < record->outputs.size() && record->outputs[o]
                          ? recorded(*record->outputs[o], formatted("output {} of {}", o, node.name))
                          : missing(formatted("output {} of {} was not dumped", o, node.name)));
  return outputs;
}

std::vector<Held> Walk::skip_operator(const Node& node, const Tensors& inputs) {
  unrecorded_.push_back(&node);
  auto derivation = std::make_shared<Derivation>(Derivation{&node, inputs});
  Tensors outputs(node.outputs.size(), missing(formatted("{} {} was not dumped", node.type, node.name)));
  for (size_t o = 0; o < outputs.size(); ++o) {
    outputs[o].derived = derivation;
    outputs[o].derived_output = o;
  }
  return outputs;
}

void Walk::visit(const Node& node, const Record& record, const Tensors& made, const Tensors& read) {
  if (std::ranges::none_of(read, [](const Held& held) { return held.derived != nullptr; }))
    return visit_({node, record, made, read, loops_ > 0});
  const auto cone = make_cone(node, read);
  if (!cone.ok()) return visit_({node, record, made, read, loops_ > 0});
  visit_({(*cone).node, record, (*cone).inputs, (*cone).inputs, loops_ > 0, (*cone).unrecorded, &node});
}

std::vector<Held> Walk::run_choice(const Node& node, const Tensors& inputs) {
  std::vector<std::byte> storage;
  std::vector<backend::Tensor> first(1);
  Status why;
  if (node.subgraphs.size() > 1) {
    auto tensor = as_tensor(inputs[0], storage);
    if (tensor.ok())
      first[0] = *tensor;
    else
      why = tensor.status();
  }
  size_t branch = node.subgraphs.size();
  if (why.ok()) {
    if (auto chosen = executor::choose_branch(node, first, node.subgraphs.size()); chosen.ok()) branch = *chosen;
  }
  for (size_t b = 0; b < node.subgraphs.size() && branch == node.subgraphs.size(); ++b) {
    const auto graph = executor::subgraph_of(model_, node, b);
    if (graph.ok() && has_records_left(**graph)) branch = b;
  }
  const auto graph = executor::subgraph_of(model_, node, branch);
  if (!graph.ok())
    return Tensors(node.outputs.size(), missing(formatted("which branch of {} ran is not known", node.name)));
  return walk(**graph, GraphRole::Subgraph, inputs);
}

std::vector<Held> Walk::run_loop(const Node& node, Tensors variables) {
  const auto condition = executor::subgraph_of(model_, node, 0), body = executor::subgraph_of(model_, node, 1);
  if (!condition.ok() || !body.ok())
    return Tensors(node.outputs.size(), missing(formatted("{} has no condition or no body", node.name)));
  ++loops_;
  for (bool recorded = true; recorded;) {
    const Tensors goes_on = walk(**condition, GraphRole::Subgraph, variables);
    std::vector<std::byte> storage;
    const auto tensor = as_tensor(goes_on.empty() ? missing("") : goes_on[0], storage);
    const auto known = tensor.ok() ? executor::is_true(*tensor) : Result<bool>(tensor.status());
    recorded = has_records_left(**body) || has_records_left(**condition);
    if (known.ok() ? !*known : !recorded) {
      --loops_;
      return variables;
    }
    if (!recorded) break;  // it went on, and nothing of it was dumped
    variables = walk(**body, GraphRole::Subgraph, variables);
  }
  --loops_;
  return Tensors(node.outputs.size(), missing(formatted("the operators in loop {} were not dumped", node.name)));
}

}  // namespace belay::blame
