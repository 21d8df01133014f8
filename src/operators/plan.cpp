// SPDX-License-Identifier: Apache-2.0
#include "operators/plan.h"

#include <cstring>

#include "base/threads/parallel.h"

namespace belay::operators {
namespace {

constexpr size_t kAlignment = 64;  // of a Program's arena

void* aligned(void* memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  return reinterpret_cast<void*>((address + kAlignment - 1) / kAlignment * kAlignment);
}

// `output` says how much fits; afterwards, what is there.
Status copy_result(const Tensor& result, Tensor& output) {
  const size_t bytes = graph::bytes_of(result.type, result.count());
  const size_t room = graph::bytes_of(output.type, output.count());
  if (result.type != output.type || bytes > room)
    return {ACL_ERROR_INVALID_PARAM, "the result is " + std::string(graph::name_of(result.type)) + " " +
                                         graph::to_text(result.shape) + ", but the output was declared as " +
                                         std::string(graph::name_of(output.type)) + " " + graph::to_text(output.shape)};
  if (bytes > 0) std::memcpy(output.data, result.data, bytes);
  output.shape = result.shape;
  return {};
}

RunInfo of_one_task(RunInfo info) {
  info.single = true;
  return info;
}

}  // namespace

Result<std::shared_ptr<Plan>> Plan::make(graph::Graph graph) {
  std::shared_ptr<Plan> plan(new Plan);
  plan->model_.name = graph.name;
  plan->model_.graphs.push_back(std::move(graph));
  const executor::ProgramOptions options{.threads = threads_given(0), .observers = {plan->relay_}, .single = true};
  bool not_static = false;
  auto program =
      executor::Program::compile(plan->model_, plan->model_.main(), executor::GraphRole::Main, {}, options, not_static);
  if (program.ok()) {
    plan->program_ = std::move(program).value();
    if (const size_t arena = plan->program_->arena_bytes(); arena > 0) plan->work_bytes_ = arena + kAlignment;
  } else if (not_static) {
    plan->eager_ = std::make_unique<executor::EagerRunner>(plan->model_, options);
  } else {
    return program.status();
  }
  return plan;
}

Status Plan::run(const RunInfo& info, std::span<const Tensor> inputs, std::span<Tensor> outputs, void* work,
                 const Watch* watch) {
  std::lock_guard lock(mutex_);
  relay_->set(watch);
  program_->set_arena(aligned(work));
  return program_->run(of_one_task(info), inputs, outputs);
}

Status Plan::run_nodes(const RunInfo& info, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                       executor::Allocator& allocator, const Watch* watch) {
  std::lock_guard lock(mutex_);
  relay_->set(watch);
  std::vector<executor::LiveTensor> taken;
  for (const Tensor& input : inputs) taken.push_back({input});
  const auto results = TRY(eager_->run(model_.main(), executor::GraphRole::Main, of_one_task(info), taken, allocator));
  for (size_t i = 0; i < outputs.size() && i < results.size(); ++i) TRY(copy_result(results[i].tensor, outputs[i]));
  return {};
}

}  // namespace belay::operators
