// SPDX-License-Identifier: Apache-2.0
#include "executor/eager.h"

#include <algorithm>
#include <cstring>

#include "backend/chosen_kernel.h"
#include "backend/layout.h"
#include "base/endings/trap.h"
#include "base/threads/parallel.h"
#include "executor/branch.h"
#include "executor/faults/failure.h"
#include "executor/faults/half_sum.h"
#include "executor/faults/spoiling.h"
#include "executor/graph_walk.h"
#include "executor/overflow_guard.h"
#include "executor/timing.h"
#include "graph/infer/graph.h"

namespace belay::executor {
namespace {

using graph::Node;
using graph::TensorInfo;

constexpr size_t kKernelsPerNode = 8;

Result<LiveTensor> allocate(Tensor tensor, Allocator& allocator) {
  const size_t bytes = tensor.bytes();
  tensor.data = TRY(allocator.allocate(std::max<size_t>(bytes, 1)));
  std::shared_ptr<void> memory(tensor.data, [&allocator](void* address) { allocator.free(address); });
  return LiveTensor{std::move(tensor), std::move(memory)};
}

Result<LiveTensor> as_layout(const LiveTensor& value, backend::Layout layout, Allocator& allocator) {
  if (value.tensor.layout == layout) return value;
  Tensor tensor = value.tensor;
  tensor.layout = layout;
  LiveTensor made = TRY(allocate(tensor, allocator));
  TRY(backend::reorder(value.tensor, made.tensor));
  return made;
}

LiveTensor constant_of(const Node& node) {
  const auto* constant = graph::get_if<graph::Constant>(node.attributes, "value");
  if (!constant) return {};
  return {{constant->type, constant->shape, backend::Layout::Plain, const_cast<std::byte*>(constant->bytes.data())},
          nullptr,
          constant};
}

// How many nodes still need a node's outputs.
std::vector<int> count_uses(const graph::Graph& graph) {
  std::vector<int> uses(graph.nodes.size());
  for (const Node& node : graph.nodes)
    for (const graph::Edge& edge : node.inputs)
      if (edge.connected()) ++uses[edge.node];
  return uses;
}

std::vector<Tensor> tensors_of(const std::vector<LiveTensor>& values) {
  std::vector<Tensor> tensors;
  for (const LiveTensor& value : values) tensors.push_back(value.tensor);
  return tensors;
}

std::vector<LiveTensor> results_of(const Node& net_output, GraphRole role, const std::vector<LiveTensor>& inputs) {
  std::vector<LiveTensor> results;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const size_t port = result_port(net_output, role, i);
    results.resize(std::max(results.size(), port + 1));
    results[port] = inputs[i];
  }
  return results;
}

// Which variables of a loop its body hands on as they came in. All others are another value in each iteration.
std::vector<bool> kept_variables(const graph::Graph& body, size_t count) {
  std::vector<bool> kept(count);
  const int index = body.output_node();
  if (index < 0) return kept;
  const Node& output = body.nodes[static_cast<size_t>(index)];
  for (size_t i = 0; i < output.inputs.size(); ++i) {
    if (!output.inputs[i].connected()) continue;
    const Node& source = body.nodes[static_cast<size_t>(output.inputs[i].node)];
    const size_t port = result_port(output, GraphRole::Subgraph, i);
    if (port < count && graph::is_graph_input(source)) kept[port] = graph::parent_port(source) == port;
  }
  return kept;
}

}  // namespace

EagerRunner::Outputs EagerRunner::run(const graph::Graph& graph, GraphRole role, RunInfo info,
                                      const std::vector<LiveTensor>& inputs, Allocator& allocator) {
  const ThreadScope threads(options_.threads);
  std::vector<std::vector<LiveTensor>> values(graph.nodes.size());
  std::vector<int> uses = count_uses(graph);
  std::vector<LiveTensor> results;
  const bool counts_tasks = !info.single && !options_.inside;
  if (counts_tasks) info.task_id = 0;
  TRY(walk(graph, [&](NodeKind kind, size_t i) -> Status {
    const Node& node = graph.nodes[i];
    std::vector<LiveTensor> taken;
    for (const graph::Edge& edge : node.inputs)
      taken.push_back(edge.connected() ? values[edge.node][edge.output] : LiveTensor{{.present = false}});
    if (kind == NodeKind::Input) {
      const size_t index = input_port(node, role);
      if (index >= inputs.size())
        return {ACL_ERROR_GE_FAILURE, "Data " + node.name + ": there is no input " + std::to_string(index)};
      values[i] = {inputs[index]};
    } else if (kind == NodeKind::Constant) {
      values[i] = {constant_of(node)};
    } else if (kind == NodeKind::Result) {
      results = results_of(node, role, taken);
    } else {
      values[i] = TRY(run_node(kind, node, info, taken, allocator));
      if (has_task(node) && counts_tasks) ++info.task_id;
    }
    for (const graph::Edge& edge : node.inputs)
      if (edge.connected() && --uses[edge.node] == 0) values[edge.node].clear();
    if (!faults().ops.empty()) overwrite_others(graph, node, info.device_id, values);
    return {};
  }));
  return results;
}

EagerRunner::Outputs EagerRunner::run_node(NodeKind kind, const Node& node, RunInfo info,
                                           const std::vector<LiveTensor>& inputs, Allocator& allocator) {
  std::vector<Observer*> watchers;
  for (const auto& observer : options_.observers)
    if (!options_.inside && observer->wants(node)) watchers.push_back(observer.get());
  const auto seen = tensors_of(inputs);
  const uint64_t clipped_before = info.guard ? info.guard->clipped() : 0;
  for (Observer* watcher : watchers) watcher->starts(info, node, seen);
  const bool control = kind == NodeKind::Choice || kind == NodeKind::Loop;
  Outputs outputs = kind == NodeKind::Choice  ? run_choice(node, info, inputs, allocator)
                    : kind == NodeKind::Loop  ? run_loop(node, info, inputs, allocator)
                    : kind == NodeKind::Fused ? run_fused(node, info, inputs, allocator)
                                              : run_kernel(node, info, inputs, allocator);
  if (!outputs.ok()) {
    Status status = outputs.status();
    if (control || options_.inside) return status;
    if (status.code != ACL_ERROR_RT_AICORE_EXCEPTION)  // no kernel's doing
      return Status{status.code, node.type + " " + node.name + ": " + status.message};
    std::vector<Tensor> tried = tensors_of(tried_);
    report_failure({info, node, tried_how_, seen, tried}, status);
    tried_.clear();
    return status;
  }
  info.clipped = info.guard && info.guard->clipped() != clipped_before;
  for (Observer* watcher : watchers) watcher->ran(info, node, seen, tensors_of(*outputs));
  return outputs;
}

// A fused node runs its members one after the other: its shapes come too late to look for one kernel.
EagerRunner::Outputs EagerRunner::run_fused(const Node& node, RunInfo info, const std::vector<LiveTensor>& inputs,
                                            Allocator& allocator) {
  const graph::Graph& members = members_of(node);
  if (!members_)
    members_ = std::make_unique<EagerRunner>(model_, ProgramOptions{.threads = options_.threads,
                                                                    .only_kernels = options_.only_kernels,
                                                                    .observers = options_.observers,
                                                                    .inside = true});
  members_->fused_ = fused_ ? fused_ : &node;
  const Injection* injection = injection_of(node, info.device_id);
  if (!injection) return members_->run(members, GraphRole::Members, info, inputs, allocator);
  Outputs outputs = Status{};
  const auto taken = tensors_of(inputs);
  TRY(call_guarded({info, node, "", taken}, injection, [&] {
    outputs = members_->run(members, GraphRole::Members, info, inputs, allocator);
    return outputs.ok() ? Status{} : outputs.status();
  }));
  injection->after(tensors_of(*outputs), true);
  return outputs;
}

EagerRunner::Outputs EagerRunner::run_kernel(const Node& node, RunInfo info, const std::vector<LiveTensor>& inputs,
                                             Allocator& allocator) {
  std::vector<graph::Constant> values(inputs.size());
  std::vector<TensorInfo> infos;
  for (size_t i = 0; i < inputs.size(); ++i) {  // everything is in memory: rules may look at any value
    const Tensor& tensor = inputs[i].tensor;
    values[i] = {tensor.type, tensor.shape, graph::Format::ND};
    if (tensor.data)
      values[i].bytes = {static_cast<const std::byte*>(tensor.data), graph::bytes_of(tensor.type, tensor.count())};
    infos.push_back({tensor.type, tensor.shape, tensor.present ? &values[i] : nullptr, tensor.present});
  }
  graph::InferContext context(node, infos);
  context.model = &model_;
  TRY(graph::infer(context));
  const CachedKernel& found = *TRY(find_kernel(node, inputs, infos, context.outputs));
  backend::Kernel* kernel = found.kernel.get();
  const bool shows = shows_steps(node, *kernel, inputs, context.outputs.size());
  std::vector<LiveTensor> held, outputs;
  std::vector<Tensor> given;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool read = inputs[i].tensor.present && !kernel->packed(i);
    held.push_back(read ? TRY(as_layout(inputs[i], kernel->wants(i), allocator)) : inputs[i]);
    if (shows && held.back().tensor.layout != inputs[i].tensor.layout)
      show_step(info, node, NodeStep::Kind::ChangesInput, i, {&inputs[i].tensor, 1}, {&held.back().tensor, 1});
  }
  const std::vector<Tensor> taken = tensors_of(held);
  for (size_t o = 0; o < context.outputs.size(); ++o) {
    if (const int source = kernel->alias_of(o); source >= 0) {  // both have the memory of the input
      outputs.push_back(held[static_cast<size_t>(source)]);
      outputs.back().tensor.type = context.outputs[o].type;
      outputs.back().tensor.shape = context.outputs[o].shape;
      outputs.back().constant = nullptr;
      given.push_back(outputs.back().tensor);
      continue;
    }
    outputs.push_back(TRY(allocate({context.outputs[o].type, context.outputs[o].shape, kernel->gives(o)}, allocator)));
    given.push_back(outputs.back().tensor);
  }
  LiveTensor scratch;
  if (const size_t bytes = kernel->scratch_bytes(); bytes > 0) {
    scratch = TRY(allocate({graph::DataType::UInt8, {static_cast<int64_t>(bytes)}}, allocator));
    kernel->set_scratch(scratch.tensor.data);
  }
  if (info.guard) info.guard->before(taken, given);
  if (Status status = call(node, info, found, taken, given); !status.ok()) {
    tried_ = std::move(outputs);
    tried_how_ = found.how;
    return status;
  }
  if (const Injection* injection = injection_of(node, info.device_id); injection && !outputs.empty())
    injection->after(given, outputs[0].memory != nullptr);
  if (info.guard) info.guard->after(*kernel, taken, given);
  if (shows) show_step(info, node, NodeStep::Kind::Computes, 0, taken, given);
  for (size_t o = 0; o < outputs.size(); ++o) {
    outputs[o].tensor.shape = given[o].shape;  // now exact
    LiveTensor plain = TRY(as_layout(outputs[o], backend::Layout::Plain, allocator));
    if (shows && plain.tensor.layout != outputs[o].tensor.layout)
      show_step(info, node, NodeStep::Kind::ChangesOutput, o, {&outputs[o].tensor, 1}, {&plain.tensor, 1});
    outputs[o] = std::move(plain);
  }
  return outputs;
}

// Members of a fused node are its steps; any other node has several when its kernel wants or gives other layouts.
bool EagerRunner::shows_steps(const Node& node, const backend::Kernel& kernel, std::span<const LiveTensor> inputs,
                              size_t outputs) const {
  if (options_.observers.empty() || !has_task(node)) return false;
  if (fused_) return true;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].tensor.present && !kernel.packed(i) && kernel.wants(i) != inputs[i].tensor.layout) return true;
  for (size_t o = 0; o < outputs; ++o)
    if (kernel.alias_of(o) < 0 && kernel.gives(o) != backend::Layout::Plain) return true;
  return false;
}

void EagerRunner::show_step(const RunInfo& info, const Node& node, NodeStep::Kind kind, size_t port,
                            std::span<const Tensor> inputs, std::span<const Tensor> outputs) const {
  const NodeStep step{fused_ ? fused_ : &node, &node, kind, port};
  for (const auto& observer : options_.observers)
    if (observer->wants_step(step)) observer->ran_step(info, step, inputs, outputs);
}

Status EagerRunner::call(const Node& node, const RunInfo& info, const CachedKernel& kernel,
                         std::span<const Tensor> inputs, std::vector<Tensor>& outputs) {
  const auto kernel_run = [&] { return as_exception(kernel.kernel->run(inputs, outputs)); };
  const auto run = [&] {
    if (!timeline::on()) [[likely]]
      return kernel_run();
    return timed(info, node, kernel.how, kernel_run, [&] { return backend::work_of(node, inputs, outputs); });
  };
  const Injection* injection = injection_of(node, info.device_id);
  if (!injection && !traps_enabled()) return run();
  TRY(check_memory({info, node, kernel.how, inputs, outputs}));
  return call_guarded({info, node, kernel.how, inputs, outputs}, injection, run);
}

const Injection* EagerRunner::injection_of(const Node& node, int device) {
  if (faults().ops.empty() || !faults().hits(device) || options_.inside || !has_task(node)) return nullptr;
  const auto [found, added] = injections_.try_emplace(&node);
  if (added) found->second = Injection::make(node, options_.single);
  return found->second.get();
}

void EagerRunner::overwrite_others(const graph::Graph& graph, const Node& node, int device,
                                   const std::vector<std::vector<LiveTensor>>& values) {
  const Injection* injection = injection_of(node, device);
  if (!injection) return;
  for (const OpFault* fault : injection->overwrites())
    for (size_t i = 0; i < values.size(); ++i)
      if (!values[i].empty() && values[i][0].memory && is_meant(fault->victim, graph.nodes[i], options_.single))
        overwrite(*fault, values[i][0].tensor);
}

EagerRunner::KernelKey EagerRunner::key_of(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs) {
  KernelKey key;
  for (const TensorInfo& input : inputs) key.push_back({input.type, input.shape, input.present, input.value});
  for (const TensorInfo& output : outputs) key.push_back({output.type, output.shape, output.present, nullptr});
  return key;
}

Result<const EagerRunner::CachedKernel*> EagerRunner::find_kernel(const Node& node,
                                                                  const std::vector<LiveTensor>& inputs,
                                                                  std::span<const TensorInfo> infos,
                                                                  std::span<const TensorInfo> outputs) {
  std::vector<TensorInfo> constants(infos.begin(), infos.end());
  for (size_t i = 0; i < inputs.size(); ++i) constants[i].value = inputs[i].constant;
  KernelKey key = key_of(constants, outputs);
  auto& cached = kernels_[&node];
  for (const CachedKernel& entry : cached)
    if (entry.key == key) return &entry;

  const std::vector<backend::Layout> layouts(inputs.size(), backend::Layout::Plain);
  std::string_view how = "injected";
  const backend::KernelRequest request{node, constants, outputs, layouts, options_.threads};
  auto kernel = injected_kernel(request, fused_, options_.single);
  if (!kernel) kernel = TRY(backend::make_kernel(request, options_.only_kernels, how));
  if (cached.size() == kKernelsPerNode) cached.erase(cached.begin());
  cached.push_back({std::move(key), std::move(kernel), how});
  return &cached.back();
}

EagerRunner::Outputs EagerRunner::run_subgraph(const Node& node, size_t index, RunInfo info,
                                               const std::vector<LiveTensor>& inputs, Allocator& allocator) {
  return run(*TRY(subgraph_of(model_, node, index)), GraphRole::Subgraph, info, inputs, allocator);
}

EagerRunner::Outputs EagerRunner::run_choice(const Node& node, RunInfo info, const std::vector<LiveTensor>& inputs,
                                             Allocator& allocator) {
  const size_t branch = TRY(choose_branch(node, tensors_of(inputs), node.subgraphs.size()));
  return run_subgraph(node, branch, info, inputs, allocator);
}

// Subgraph 0 says whether to go on, subgraph 1 makes the next variables.
EagerRunner::Outputs EagerRunner::run_loop(const Node& node, RunInfo info, std::vector<LiveTensor> variables,
                                           Allocator& allocator) {
  const graph::Graph* body = node.subgraphs.size() > 1 ? model_.find_graph(node.subgraphs[1]) : nullptr;
  const auto kept = body ? kept_variables(*body, variables.size()) : std::vector<bool>();
  for (;;) {
    for (size_t i = 0; i < variables.size(); ++i)
      if (i >= kept.size() || !kept[i]) variables[i].constant = nullptr;
    const auto condition = TRY(run_subgraph(node, 0, info, variables, allocator));
    if (condition.empty()) return Status{ACL_ERROR_GE_FAILURE, node.name + ": its condition has no result"};
    if (!TRY(is_true(condition[0].tensor))) return variables;
    variables = TRY(run_subgraph(node, 1, info, variables, allocator));
  }
}

}  // namespace belay::executor
