// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "api/aclnn/objects.h"
#include "base/status.h"
#include "operators/composition.h"
#include "operators/plan.h"
#include "runtime/stream/stream.h"

namespace belay::api {

// A recipe followed for certain types and shapes: shared by all calls that have them.
struct AclnnPlan {
  std::shared_ptr<operators::Plan> plan;
  std::vector<operators::Place> inputs, outputs;
  bool whole = false;  // Composition::whole
  // The outputs in the order in which those that are copied are stored: what the call names first comes last.
  std::vector<size_t> stored = {};
};

// One aclnn call between its phases: the plan, and the tensors as the program described them.
class AclnnExecutor {
 public:
  AclnnExecutor(const char* function, std::shared_ptr<const AclnnPlan> plan,
                std::vector<std::shared_ptr<TensorView>> inputs, std::vector<std::shared_ptr<TensorView>> outputs);

  // Queues the call with the addresses that the tensors have now. What a run needs besides its tensors (copies of those
  // that are not contiguous, results that would overwrite what is still read, the plan's own memory) is scratch memory
  // of the stream's thread, so that nothing but the results is written to.
  Status launch(const std::shared_ptr<Stream>& stream) const;

  std::atomic<bool> repeatable{false};

 private:
  struct Run;
  Status check_memory() const;
  std::unique_ptr<Run> make_run(Stream& stream, bool watched) const;
  bool needs_copy(size_t output, bool watched) const;

  const char* const function_;
  const uint64_t sequence_;  // counts the first phases of the process
  const std::shared_ptr<const AclnnPlan> plan_;
  const std::vector<std::shared_ptr<TensorView>> inputs_, outputs_;
};

// The executor that a handle names, null when it is none; `take` ends its life.
std::shared_ptr<AclnnExecutor> find_executor(const aclOpExecutor* handle);
std::shared_ptr<AclnnExecutor> take_executor(const aclOpExecutor* handle);
aclOpExecutor* keep_executor(std::shared_ptr<AclnnExecutor> executor);

}  // namespace belay::api
