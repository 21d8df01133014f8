// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/endings/trap.h"
#include "executor/faults/injection.h"
#include "executor/observer.h"

// Kernels that fail, and who hears of it.
namespace belay::executor {

// A kernel while it runs. Everything is borrowed.
struct Running {
  const RunInfo& run;
  const graph::Node& node;
  std::string_view how;  // of the kernel's row: "panels"; empty: the node runs as several
  std::span<const Tensor> inputs;
  std::span<Tensor> outputs;
  std::span<const std::byte> scratch;
};

// The operator's type and how it is computed: "SoftmaxV2_simd".
std::string kernel_name(const Running& running);
// "model "tiny" (1), kernel SoftmaxV2_simd, device 0, stream 2, task 1": where a failure happened.
std::string place_of(const Running& running);

// Hears of every kernel that fails; one for the process.
class FailureListener {
 public:
  virtual ~FailureListener() = default;
  // In the signal handler of the thread whose kernel crashed, while that one's stack is still whole. `context` is a
  // ucontext_t.
  virtual void crashed(const Running& running, const Trap& trap, const void* context) = 0;
  // On the thread that ran the kernel. It may add to the message what it left behind.
  virtual void failed(const Running& running, Status& why) = 0;
};
// It lives for ever; null: nobody listens.
void set_failure_listener(FailureListener* listener);

// Programs compiled from now on keep the inputs of a node whole until it has run.
void keep_inputs_whole();
bool inputs_are_kept_whole();

// Runs a kernel with the faults that are meant for it (null: none), but for those that come after it. A signal in it
// becomes 507015 where traps are on.
Status call_guarded(const Running& running, const Injection* injection, const std::function<Status()>& kernel);

// Whether the tensors' memory is there, where traps are on: 507015 with the first that cannot be read. For memory of
// the caller's: a kernel may meet it on a thread where a signal would end the process.
Status check_memory(const Running& running);

// What a kernel returned, as the error of a task: whatever it refused when it ran is 507015.
Status as_exception(Status status);

// Puts the operator and its place into the message and tells the listener.
void report_failure(const Running& running, Status& status);

// A tensor of an operator that failed.
struct FailedTensor {
  graph::DataType type;
  graph::Format format;
  graph::Shape shape;
  void* address;
};
// An operator that failed, as exception callbacks may ask for it.
struct FailedOperator {
  RunInfo run;
  std::string name;
  std::vector<FailedTensor> inputs, outputs;
};
// The failure that the calling thread met last; once.
std::shared_ptr<const FailedOperator> take_failed_operator();
// The last failure of that task among the latest of the process; null when there is none.
std::shared_ptr<const FailedOperator> find_failed_operator(int device, uint32_t stream, uint32_t task);

}  // namespace belay::executor
