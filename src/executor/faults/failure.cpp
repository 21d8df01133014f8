// SPDX-License-Identifier: Apache-2.0
#include "executor/faults/failure.h"

#include <atomic>
#include <deque>
#include <mutex>

#include "base/text.h"
#include "base/threads/thread_object.h"
#include "executor/model_registry.h"

namespace belay::executor {
namespace {

constexpr size_t kRemembered = 64;

std::atomic<FailureListener*> listener{nullptr};
std::atomic<bool> inputs_whole{false};

struct Latest {
  std::mutex mutex;
  std::deque<std::shared_ptr<const FailedOperator>> operators;  // the last one first
};

Latest& latest() {
  static auto& only = *new Latest;
  return only;
}

struct Failed {
  std::shared_ptr<const FailedOperator> last;  // of the thread
};

std::vector<FailedTensor> describe(std::span<const Tensor> tensors, const std::vector<graph::TensorDesc>& descs) {
  std::vector<FailedTensor> all;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].present)
      all.push_back(
          {tensors[i].type, i < descs.size() ? descs[i].format : graph::Format::ND, tensors[i].shape, tensors[i].data});
  return all;
}

void remember(const Running& running) {
  auto failed = std::make_shared<const FailedOperator>(
      FailedOperator{running.run, running.node.name, describe(running.inputs, running.node.input_descs),
                     describe(running.outputs, running.node.outputs)});
  thread_object<Failed>().last = failed;
  std::lock_guard lock(latest().mutex);
  latest().operators.push_front(std::move(failed));
  if (latest().operators.size() > kRemembered) latest().operators.pop_back();
}

}  // namespace

std::string kernel_name(const Running& running) {
  return running.node.type + "_" + (running.how.empty() ? "members" : std::string(running.how));
}

std::string place_of(const Running& running) {
  const RunInfo& run = running.run;
  std::string model;
  if (const auto found = model_registry().find(run.model_id); found.ok())
    model = formatted("model \"{}\" ({}), ", (*found)->name(), run.model_id);
  return formatted("{}kernel {}, device {}, stream {}, task {}", model, kernel_name(running), run.device_id,
                   run.stream_id, run.task_id);
}

void set_failure_listener(FailureListener* given) { listener.store(given, std::memory_order_release); }

void keep_inputs_whole() { inputs_whole.store(true, std::memory_order_relaxed); }
bool inputs_are_kept_whole() { return inputs_whole.load(std::memory_order_relaxed); }

Status call_guarded(const Running& running, const Injection* injection, const std::function<Status()>& kernel) {
  if (injection) TRY(injection->before());
  Status status;
  Trap trap;
  const bool ended = trapped(
      [&] {
        if (injection && injection->crashes()) injection->crash(running.inputs, running.outputs);
        status = kernel();
      },
      trap,
      [&](const Trap& what, const void* context) {
        if (auto* heard = listener.load(std::memory_order_acquire)) heard->crashed(running, what, context);
      });
  if (!ended) return {ACL_ERROR_RT_AICORE_EXCEPTION, "the kernel crashed: " + to_text(trap)};
  return status;
}

Status check_memory(const Running& running) {
  if (!traps_enabled()) return {};
  const auto check = [](std::span<const Tensor> tensors, const char* what) -> Status {
    for (size_t i = 0; i < tensors.size(); ++i) {
      const Tensor& tensor = tensors[i];
      if (!tensor.present || tensor.count() <= 0) continue;
      const size_t bytes = tensor.bytes();
      if (!readable(tensor.data, bytes))
        return {ACL_ERROR_RT_AICORE_EXCEPTION,
                formatted("{} {} is not accessible: its {} bytes at {} cannot be read", what, i, bytes, tensor.data)};
    }
    return {};
  };
  TRY(check(running.inputs, "input"));
  return check(running.outputs, "output");
}

Status as_exception(Status status) {
  if (status.code == ACL_ERROR_GE_FAILURE) status.code = ACL_ERROR_RT_AICORE_EXCEPTION;
  return status;
}

void report_failure(const Running& running, Status& status) {
  const std::string label = running.node.type + " " + running.node.name + ": ";
  if (!status.message.starts_with(label)) status.message = label + status.message;
  status.message += "; " + place_of(running);
  remember(running);
  if (auto* heard = listener.load(std::memory_order_acquire)) heard->failed(running, status);
}

std::shared_ptr<const FailedOperator> take_failed_operator() {
  return std::exchange(thread_object<Failed>().last, nullptr);
}

std::shared_ptr<const FailedOperator> find_failed_operator(int device, uint32_t stream, uint32_t task) {
  std::lock_guard lock(latest().mutex);
  for (const auto& failed : latest().operators)
    if (failed->run.device_id == device && failed->run.stream_id == stream && failed->run.task_id == task)
      return failed;
  return nullptr;
}

}  // namespace belay::executor
