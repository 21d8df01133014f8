// SPDX-License-Identifier: Apache-2.0
#include "api/aclnn/executor.h"

#include <algorithm>

#include "aclnn/acl_meta.h"
#include "api/aclnn/args.h"
#include "api/aclnn/scratch.h"
#include "api/aclnn/stored_form.h"
#include "api/core/entry.h"
#include "api/device/task_overflow.h"
#include "api/memory/strided_copy.h"
#include "api/operators/tensor_desc.h"
#include "base/device_memory.h"
#include "base/text.h"
#include "dump/exceptions/op_args.h"
#include "dump/observers/recorder.h"
#include "executor/compile/host_allocator.h"
#include "opdev/op_errno.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/handle_table.h"

using namespace belay;
using namespace belay::api;

namespace belay::api {
namespace {

constexpr size_t kAlignment = 64;
constexpr uint8_t kExecutorKind = 0x45;

uint64_t next_sequence() {
  static std::atomic<uint64_t> next{0};
  return next++;
}

size_t rounded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

HandleTable<AclnnExecutor>& executors() {
  static auto& only = *new HandleTable<AclnnExecutor>(kExecutorKind);
  return only;
}

bool overlap(const TensorView& a, const TensorView& b) {
  const auto [a_begin, a_end] = a.reach();
  const auto [b_begin, b_end] = b.reach();
  return a_begin < b_end && b_begin < a_end;
}

using Views = std::vector<std::shared_ptr<TensorView>>;

bool same_memory(const TensorView& a, const TensorView& b) { return a.first() == b.first() && a.bytes() == b.bytes(); }

bool in_order(const TensorView& view, const operators::Place& place) {
  return view.contiguous() && view.aligned() && !is_rearranged(view, place.form);
}

}  // namespace

std::shared_ptr<AclnnExecutor> find_executor(const aclOpExecutor* handle) { return executors().find(handle); }

std::shared_ptr<AclnnExecutor> take_executor(const aclOpExecutor* handle) { return executors().remove(handle); }

aclOpExecutor* keep_executor(std::shared_ptr<AclnnExecutor> executor) {
  return static_cast<aclOpExecutor*>(executors().insert(std::move(executor)));
}

// What one run works with: tensors in order of the plan, and the copies to make before and after it.
struct AclnnExecutor::Run {
  struct Copied {
    TensorView view;
    size_t tensor;         // of the inputs or outputs
    bool rearranged;       // is_rearranged
    TensorView letters{};  // with it: the tensor on the other side
  };
  std::shared_ptr<operators::Plan> plan;
  operators::RunInfo info{};
  TaskOverflow overflow;
  std::vector<backend::Tensor> inputs, outputs;
  std::vector<Copied> copied_inputs, copied_outputs;  // the latter in the order in which they are stored
  bool keeps_parts = false;                           // the plan may leave parts of its outputs as they are
  std::vector<std::shared_ptr<TensorView>> open;      // the outputs, where only the run tells their shapes
  // When the call is dumped: how its kernels are shown, and the call as a whole.
  std::unique_ptr<operators::Watch> watch;
  std::shared_ptr<executor::Observer> call_watcher;
  graph::Node whole;

  size_t needed() const {
    size_t bytes = plan->work_bytes();
    for (const auto* copies : {&copied_inputs, &copied_outputs})
      for (const Copied& copied : *copies) bytes += rounded(copied.view.bytes());
    return bytes;
  }

  Status run() {
    const size_t bytes = needed();
    const Scratch scratch(bytes);
    std::byte* at = scratch.memory();
    if (!at && bytes > 0) return {ACLNN_ERR_RUNTIME_ERROR, "out of host memory"};
    for (const Copied& copied : copied_inputs) {
      if (copied.rearranged)
        TRY(unpack(copied.view, copied.letters, at));
      else
        gather_view(copied.view, at);
      inputs[copied.tensor].data = at;
      at += rounded(copied.view.bytes());
    }
    for (const Copied& copied : copied_outputs) {
      if (keeps_parts || !open.empty()) gather_view(copied.view, at);
      outputs[copied.tensor].data = at;
      at += rounded(copied.view.bytes());
    }
    info.guard = overflow.guard();
    if (call_watcher) call_watcher->starts(info, whole, inputs);
    TRY(plan->fixed() ? plan->run(info, inputs, outputs, at, watch.get()) : run_nodes());
    if (call_watcher) call_watcher->ran(info, whole, inputs, outputs);
    for (Copied& copied : copied_outputs) {
      const auto* made = static_cast<const std::byte*>(outputs[copied.tensor].data);
      if (!open.empty()) copied.view.shape = outputs[copied.tensor].shape;
      if (copied.rearranged)
        TRY(pack(made, copied.view, copied.letters));
      else
        scatter_view(made, copied.view);
    }
    for (size_t i = 0; i < open.size(); ++i) open[i]->become(outputs[i].shape);
    return overflow.settle();
  }

  // Kernels are L0, the call is L2. `call` may be null.
  void watched_by(std::shared_ptr<executor::Observer> kernels, std::shared_ptr<executor::Observer> call,
                  const std::string& function, uint64_t sequence) {
    const std::string numbered = function + "_" + std::to_string(sequence);
    watch = std::make_unique<operators::Watch>(operators::Watch{std::move(kernels), numbered + "_L0", "AiCore"});
    call_watcher = std::move(call);
    whole.type = numbered + "_L2";
    whole.name = function;
    const auto describe = [](const std::vector<backend::Tensor>& tensors, std::vector<graph::TensorDesc>& descs) {
      for (const auto& tensor : tensors)
        descs.push_back({.type = tensor.type, .shape = tensor.shape, .origin_shape = tensor.shape});
    };
    describe(inputs, whole.input_descs);
    describe(outputs, whole.outputs);
    whole.inputs.resize(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) whole.inputs[i] = {static_cast<int>(i), 0};
  }

  Status run_nodes() { return plan->run_nodes(info, inputs, outputs, executor::host_allocator(), watch.get()); }
};

AclnnExecutor::AclnnExecutor(const char* function, std::shared_ptr<const AclnnPlan> plan, Views inputs, Views outputs)
    : function_(function),
      sequence_(next_sequence()),
      plan_(std::move(plan)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)) {}

Status AclnnExecutor::check_memory() const {
  for (const auto* side : {&inputs_, &outputs_})
    for (const auto& view : *side)
      if (!view->data && view->count() > 0)
        return {ACLNN_ERR_PARAM_NULLPTR, formatted("{}: a tensor of shape {} has no memory; set its address with "
                                                   "aclSetTensorAddr",
                                                   function_, graph::to_text(view->shape))};
  return {};
}

Status AclnnExecutor::launch(const std::shared_ptr<Stream>& stream) const {
  if (!plan_->plan) return {};  // nothing to compute
  TRY(check_memory());
  using dump::OperatorLevel;
  auto kernels = dump::recorder().watch_operator(OperatorLevel::Kernel);
  auto run = make_run(*stream, kernels != nullptr);
  if (dump::op_args().started()) record_arguments(plan_->plan->graph());
  if (kernels)
    run->watched_by(std::move(kernels), dump::recorder().watch_operator(OperatorLevel::Call), function_, sequence_);
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (plan_->outputs[i].form == operators::Form::Fractal) label_as_fractals(*outputs_[i]);
  return stream->launch([run = std::move(run), function = function_] {
    Status status = run->run();
    if (!status.ok()) status.message = formatted("{}: {}", function, status.message);
    return status;
  });
}

std::unique_ptr<AclnnExecutor::Run> AclnnExecutor::make_run(Stream& stream, bool watched) const {
  auto run = std::make_unique<Run>(Run{.overflow = TaskOverflow(stream)});
  run->plan = plan_->plan;
  run->keeps_parts = plan_->whole;
  run->info.stream_id = static_cast<uint32_t>(stream.id());
  run->info.task_id = stream.next_operator_id();
  run->info.device_id = stream.context()->device().id();
  run->inputs.reserve(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const TensorView& view = *inputs_[i];
    run->inputs.push_back({to_graph(view.type), view.shape, backend::Layout::Plain, host_view(view.first())});
    const bool rearranged = is_rearranged(view, plan_->inputs[i].form);
    if (!in_order(view, plan_->inputs[i])) run->copied_inputs.push_back({view, i, rearranged});
    if (rearranged) run->copied_inputs.back().letters = *outputs_[0];
  }
  run->outputs.reserve(outputs_.size());
  for (const auto& output : outputs_)
    run->outputs.push_back({to_graph(output->type), output->shape, backend::Layout::Plain, host_view(output->first())});
  for (const size_t o : plan_->stored) {
    if (!needs_copy(o, watched)) continue;
    const bool rearranged = is_rearranged(*outputs_[o], plan_->outputs[o].form);
    run->copied_outputs.push_back({*outputs_[o], o, rearranged});
    if (rearranged) run->copied_outputs.back().letters = *inputs_[0];
  }
  if (!plan_->plan->fixed()) run->open = outputs_;
  return run;
}

// Whether a result may not be written where it belongs while the plan runs: whoever watches wants to see the inputs
// afterwards, and of results that overlap it is stored last which the call names first.
bool AclnnExecutor::needs_copy(size_t o, bool watched) const {
  const TensorView& output = *outputs_[o];
  if (!in_order(output, plan_->outputs[o])) return true;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const TensorView& input = *inputs_[i];
    if (!overlap(output, input)) continue;
    if (watched) return true;
    if (in_order(input, plan_->inputs[i]) && !(same_memory(output, input) && plan_->plan->may_share(o, i))) return true;
  }
  for (size_t other = 0; other < outputs_.size(); ++other)
    if (other != o && overlap(output, *outputs_[other])) return true;
  return false;
}

}  // namespace belay::api

namespace {

Status not_an_executor() { return {ACLNN_ERR_INNER, "not a live executor (destroyed or consumed)"}; }

// The new address is kept in the tensor itself.
Status set_address(const aclOpExecutor* executor, aclTensor* tensor, void* addr) {
  if (!tensor) return {ACLNN_ERR_INNER_NULLPTR, "parameter tensor must not be null"};
  if (!executor) return {ACLNN_ERR_INNER_NULLPTR, "parameter executor must not be null"};
  tensor->view->data = addr;
  return {};
}

Status set_address(const aclOpExecutor* executor, aclTensorList* tensors, size_t index, void* addr) {
  if (!tensors) return {ACLNN_ERR_INNER_NULLPTR, "parameter tensors must not be null"};
  if (!executor) return {ACLNN_ERR_INNER_NULLPTR, "parameter executor must not be null"};
  if (index >= tensors->members.size())
    return {ACLNN_ERR_PARAM_INVALID,
            formatted("relativeIndex is {}, the list has {} tensors", index, tensors->members.size())};
  tensors->members[index]->view->data = addr;
  return {};
}

aclnnStatus set_address(const char* function, aclOpExecutor* executor, aclTensor* tensor, void* addr) {
  return entry(
      function, [&] { return set_address(executor, tensor, addr); }, executor, tensor, addr);
}

aclnnStatus set_address(const char* function, aclOpExecutor* executor, aclTensorList* tensors, size_t index,
                        void* addr) {
  return entry(
      function, [&] { return set_address(executor, tensors, index, addr); }, executor, tensors, index, addr);
}

}  // namespace

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  return entry(
      __func__,
      [&]() -> Status {
        const auto found = find_executor(executor);
        if (!found) return not_an_executor();
        found->repeatable = true;
        return {};
      },
      executor);
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  return entry(
      __func__, [&] { return take_executor(executor) ? Status{} : not_an_executor(); }, executor);
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor, void* addr) {
  return set_address(__func__, executor, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor, void* addr) {
  return set_address(__func__, executor, tensor, addr);
}

aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor, void* addr) {
  return set_address(__func__, executor, tensor, addr);
}

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t, const size_t relativeIndex,
                                         aclTensorList* tensors, void* addr) {
  return set_address(__func__, executor, tensors, relativeIndex, addr);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t, const size_t relativeIndex,
                                          aclTensorList* tensors, void* addr) {
  return set_address(__func__, executor, tensors, relativeIndex, addr);
}

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t, const size_t relativeIndex, aclTensorList* tensors,
                                    void* addr) {
  return set_address(__func__, executor, tensors, relativeIndex, addr);
}

aclnnStatus AclSetInputTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor, void* addr) {
  return set_address(__func__, executor, tensor, addr);
}

aclnnStatus AclSetOutputTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor, void* addr) {
  return set_address(__func__, executor, tensor, addr);
}

aclnnStatus AclSetTensorAddr(aclOpExecutor* executor, const size_t, aclTensor* tensor, void* addr) {
  return set_address(__func__, executor, tensor, addr);
}

aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t, const size_t relativeIndex,
                                         aclTensorList* tensors, void* addr) {
  return set_address(__func__, executor, tensors, relativeIndex, addr);
}

aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t, const size_t relativeIndex,
                                          aclTensorList* tensors, void* addr) {
  return set_address(__func__, executor, tensors, relativeIndex, addr);
}

aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor* executor, size_t, const size_t relativeIndex, aclTensorList* tensors,
                                    void* addr) {
  return set_address(__func__, executor, tensors, relativeIndex, addr);
}
