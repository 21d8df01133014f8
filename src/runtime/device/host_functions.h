// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <thread>

#include "runtime/stream/report_queue.h"

namespace belay {

// The thread on which a context's host functions run, one at a time. Ends with the object.
class HostFunctionThread {
 public:
  HostFunctionThread();
  ~HostFunctionThread();
  const std::shared_ptr<ReportQueue>& queue() const { return queue_; }

 private:
  std::shared_ptr<ReportQueue> queue_;
  std::thread thread_;
};

}  // namespace belay
