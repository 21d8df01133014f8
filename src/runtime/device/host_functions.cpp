// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/host_functions.h"

#include <pthread.h>

#include <future>

namespace belay {

HostFunctionThread::HostFunctionThread() {
  std::promise<std::shared_ptr<ReportQueue>> made;
  auto queue = made.get_future();
  thread_ = std::thread([&made] {
    auto own = std::make_shared<ReportQueue>(pthread_self());
    made.set_value(own);
    own->serve();
  });
  queue_ = queue.get();
}

HostFunctionThread::~HostFunctionThread() {
  queue_->end();
  if (thread_.get_id() == std::this_thread::get_id())
    thread_.detach();  // destroyed from inside a host function
  else
    thread_.join();
}

}  // namespace belay
