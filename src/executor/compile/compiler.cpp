// SPDX-License-Identifier: Apache-2.0
#include "executor/compile/compiler.h"

#include <algorithm>

#include "backend/chosen_kernel.h"
#include "backend/layout.h"
#include "base/threads/parallel.h"
#include "executor/branch.h"
#include "executor/faults/half_sum.h"
#include "executor/graph_walk.h"

namespace belay::executor {
namespace {

using graph::Node;
using graph::TensorInfo;

}  // namespace

Result<std::unique_ptr<Program>> Program::compile(const graph::Model& model, const graph::Graph& graph, GraphRole role,
                                                  std::span<const TensorInfo> inputs, const ProgramOptions& options,
                                                  bool& not_static) {
  return Compiler(model, graph, role, options).compile(inputs, not_static);
}

Compiler::Compiler(const graph::Model& model, const graph::Graph& graph, GraphRole role, const ProgramOptions& options)
    : model_(model),
      graph_(graph),
      role_(role),
      options_(options),
      inference_(&model, graph),
      next_task_(options.first_task) {}

Result<std::unique_ptr<Program>> Compiler::compile(std::span<const TensorInfo> inputs, bool& not_static) {
  const ThreadScope threads(options_.threads);  // kernels divide their work when they are made
  inputs_ = inputs;
  program_.reset(new Program);
  program_->threads_ = options_.threads;
  program_->inside_ = role_ == GraphRole::Members;
  if (!program_->inside_) program_->observers_ = options_.observers;
  Status inferred = inputs.empty() ? inference_.run() : inference_.run(inputs);
  if (!inferred.ok()) return inferred;
  of_node_.resize(graph_.nodes.size());
  std::string problems;
  aclError code = ACL_SUCCESS;
  TRY(walk(graph_, [&](NodeKind kind, size_t i) -> Status {
    Status status = add_node(kind, static_cast<int>(i));
    if (status.ok()) return {};
    if (not_static_) {
      not_static = true;
      return status;
    }
    code = status.code;
    problems += (problems.empty() ? "" : "\n") + status.message;
    for (const TensorInfo& output : inference_.outputs_of(static_cast<int>(i)))  // go on, to find all of them
      of_node_[i].push_back(add_value({output.type, output.shape}));
    return {};
  }));
  if (code != ACL_SUCCESS) return Status{code, problems};
  program_->tasks_end_ = next_task_;
  show_parts();
  find_lives();
  place_outputs();
  add_faults();
  know_needs();
  share_memory();
  find_shareable();
  plan();
  return std::move(program_);
}

Status Compiler::add_node(NodeKind kind, int index) {
  const Node& node = graph_.nodes[index];
  if (kind == NodeKind::Constant) return add_constant(index), Status{};
  if (kind == NodeKind::Result) return add_results(index), Status{};
  for (const TensorInfo& output : inference_.outputs_of(index)) {
    if (graph::is_known(output.shape)) continue;
    not_static_ = true;
    return {ACL_ERROR_GE_FAILURE, node.type + " " + node.name + ": its shape is not known before it runs"};
  }
  if (kind == NodeKind::Input) return add_input(index), Status{};
  if (kind == NodeKind::Loop) {
    not_static_ = true;
    return {ACL_ERROR_GE_FAILURE, node.type + " " + node.name + ": a loop runs node by node"};
  }
  if (kind == NodeKind::Choice) return add_choice(index);
  if (kind == NodeKind::Fused) return add_members(index);
  return add_kernel(index);
}

void Compiler::add_input(int index) {
  const Node& node = graph_.nodes[index];
  const TensorInfo& info = inference_.outputs_of(index)[0];
  const int value = add_value({info.type, info.shape});
  values_[value].input = static_cast<int>(input_port(node, role_));
  of_node_[index] = {value};
  if (role_ == GraphRole::Members) know_constant(value);
  auto& step = add_step(node);
  if (step.watchers.empty())
    program_->steps_.pop_back();
  else
    use(step, {}, {value});
}

// An input of a fused node that is a constant of the model is one for its members, too.
void Compiler::know_constant(int value) {
  const auto input = static_cast<size_t>(values_[value].input);
  const graph::Constant* constant = input < inputs_.size() ? inputs_[input].value : nullptr;
  if (!constant) return;
  values_[value].constant = constant;
  values_[value].input = -1;
  values_[value].tensor.data = const_cast<std::byte*>(constant->bytes.data());
}

void Compiler::add_constant(int index) {
  const auto* constant = graph::get_if<graph::Constant>(graph_.nodes[index].attributes, "value");
  const TensorInfo& info = inference_.outputs_of(index)[0];
  const int value = add_value({info.type, info.shape});
  values_[value].constant = constant;
  if (constant) values_[value].tensor.data = const_cast<std::byte*>(constant->bytes.data());  // nobody writes to it
  of_node_[index] = {value};
}

void Compiler::add_results(int index) {
  const Node& node = graph_.nodes[index];
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].connected()) continue;
    const size_t port = result_port(node, role_, i);
    results_.resize(std::max(results_.size(), port + 1), -1);
    results_[port] = as_layout(of_node_[node.inputs[i].node][node.inputs[i].output], backend::Layout::Plain, index, i);
  }
  for (const int value : results_)
    program_->outputs_.push_back(value < 0 ? TensorInfo{}
                                           : TensorInfo{values_[value].tensor.type, values_[value].tensor.shape});
}

Status Compiler::add_kernel(int index) {
  const Node& node = graph_.nodes[index];
  auto inputs = inputs_of(node);
  std::vector<TensorInfo> infos = inference_.inputs_of(node);
  std::vector<backend::Layout> layouts;
  for (size_t i = 0; i < inputs.size(); ++i) {
    infos[i].value = inputs[i] < 0 ? nullptr : values_[inputs[i]].constant;
    layouts.push_back(inputs[i] < 0 ? backend::Layout::Plain : values_[inputs[i]].tensor.layout);
  }
  std::string_view how = "injected";
  const backend::KernelRequest request{node, infos, inference_.outputs_of(index), layouts, options_.threads};
  auto kernel = injected_kernel(request, options_.fused, options_.single);
  if (!kernel) kernel = TRY(backend::make_kernel(request, options_.only_kernels, how));
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] >= 0 && !kernel->packed(i)) inputs[i] = as_layout(inputs[i], kernel->wants(i), index, i);
  bool only_views = !inference_.outputs_of(index).empty();
  for (size_t o = 0; o < inference_.outputs_of(index).size(); ++o) {
    const TensorInfo& info = inference_.outputs_of(index)[o];
    const int value = add_value({info.type, info.shape, kernel->gives(o)});
    of_node_[index].push_back(value);
    const int source = kernel->alias_of(o);
    only_views = only_views && source >= 0;
    if (source >= 0) make_view(value, inputs[static_cast<size_t>(source)]);
  }
  auto& step = add_step(node);
  if (!only_views) step.kernel = std::move(kernel);
  step.how = how;
  use(step, inputs, of_node_[index]);
  return {};
}

// From now on `value` is the memory of `of`, seen otherwise.
void Compiler::make_view(int value, int of) {
  values_[value].root = root_of(of);
  values_[value].tensor.data = values_[of].tensor.data;
}

Status Compiler::add_choice(int index) {
  const Node& node = graph_.nodes[index];
  auto inputs = inputs_of(node);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] >= 0) inputs[i] = as_layout(inputs[i], backend::Layout::Plain, index, i);
  const auto infos = inference_.inputs_of(node);
  const bool gears = graph::chooses_gear(node);  // each branch has the shapes of its own gear
  std::vector<std::unique_ptr<Program>> branches;
  for (size_t branch = 0; branch < node.subgraphs.size(); ++branch) {
    const graph::Graph* graph = TRY(subgraph_of(model_, node, branch));
    // A branch that does not fit these shapes must be left alone until it is taken: the graph runs node by node.
    if (!gears && node.subgraphs.size() > 1)
      if (const Status status = graph::GraphInference(&model_, *graph).run(infos); !status.ok()) {
        not_static_ = true;
        return status;
      }
    ProgramOptions options = options_;
    options.first_task = next_task_;
    branches.push_back(
        TRY(Program::compile(model_, *graph, GraphRole::Subgraph,
                             gears ? std::span<const TensorInfo>() : std::span(infos), options, not_static_)));
    next_task_ = branches.back()->tasks_end();
  }
  for (const TensorInfo& info : inference_.outputs_of(index))
    of_node_[index].push_back(add_value({info.type, info.shape}));
  auto& step = add_step(node);
  step.branches = std::move(branches);
  use(step, inputs, of_node_[index]);
  return {};
}

// A fused node: one kernel that does it all, or its members one after the other.
Status Compiler::add_members(int index) {
  const Node& node = graph_.nodes[index];
  if (!sums_in_half(node, options_.single) && add_kernel(index).ok()) return {};
  of_node_[index].clear();
  auto inputs = inputs_of(node);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] >= 0) inputs[i] = as_layout(inputs[i], backend::Layout::Plain, index, i);
  auto infos = inference_.inputs_of(node);
  for (size_t i = 0; i < inputs.size(); ++i) infos[i].value = inputs[i] < 0 ? nullptr : values_[inputs[i]].constant;
  ProgramOptions options = options_;
  if (!options.inside) options.fused = &node;
  options.inside = true;
  auto program = TRY(Program::compile(model_, members_of(node), GraphRole::Members, infos, options, not_static_));
  for (const TensorInfo& info : inference_.outputs_of(index))
    of_node_[index].push_back(add_value({info.type, info.shape}));
  auto& step = add_step(node);
  step.branches.push_back(std::move(program));
  use(step, inputs, of_node_[index]);
  return {};
}

Program::Step& Compiler::add_step(const Node& node) {
  auto step = std::make_unique<Program::Step>();
  step->node = &node;
  step->task_id = next_task_;
  if (has_task(node)) ++next_task_;
  for (const auto& observer : program_->observers_)
    if (observer->wants(node)) step->watchers.push_back(observer.get());
  program_->steps_.push_back(std::move(step));
  return *program_->steps_.back();
}

int Compiler::add_value(Tensor tensor) {
  const int index = static_cast<int>(values_.size());
  values_.push_back({std::move(tensor)});
  values_.back().root = index;
  return index;
}

int Compiler::root_of(int value) const {
  while (values_[value].root != value) value = values_[value].root;
  return value;
}

std::vector<int> Compiler::inputs_of(const Node& node) const {
  std::vector<int> inputs;
  for (const graph::Edge& edge : node.inputs)
    inputs.push_back(edge.connected() ? of_node_[edge.node][edge.output] : -1);
  return inputs;
}

// The same tensor in another layout, for input `port` of the node `reader`; a value is reordered once, however many
// want it.
int Compiler::as_layout(int value, backend::Layout layout, int reader, size_t port) {
  if (values_[value].tensor.layout == layout) return value;
  const auto [found, added] = reordered_.try_emplace({value, layout}, -1);
  if (!added) return found->second;
  Tensor tensor = values_[value].tensor;
  tensor.layout = layout;
  tensor.data = nullptr;
  const int made = found->second = add_value(tensor);
  if (backend::same_bytes(values_[value].tensor, layout))
    make_view(made, value);
  else
    add_change(value, made, reader, port);
  return made;
}

void Compiler::add_change(int value, int made, int reader, size_t port) {
  auto step = std::make_unique<Program::Step>();
  step->task_id = next_task_;  // of what comes next
  step->kernel = backend::make_reorder();
  step->how = "reorder";
  step->part = part_of_change(reader, port);
  program_->steps_.push_back(std::move(step));
  use(*program_->steps_.back(), {value}, {made});
}

void Compiler::use(Program::Step& step, const std::vector<int>& inputs, const std::vector<int>& outputs) {
  for (const int value : inputs) {
    step.inputs.push_back(value < 0 ? Tensor{.present = false} : values_[value].tensor);
  }
  for (const int value : outputs) step.outputs.push_back(values_[value].tensor);
  step_inputs_.push_back(inputs);
  step_outputs_.push_back(outputs);
}

}  // namespace belay::executor
