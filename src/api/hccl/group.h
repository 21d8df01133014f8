// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "api/hccl/submit.h"
#include "base/status.h"

namespace belay::api {

// What a thread collects between HcclGroupStart and HcclGroupEnd.
class Group {
 public:
  // Of the calling thread; null outside a group.
  static Group* current();

  // E_NOT_SUPPORT where creation is mixed with operations, or collectives with sends and receives.
  Status add(Operation operation);
  Status add(Messages messages);
  // Runs on a thread of its own, with the device current that is current now.
  Status add_creation(std::function<Status()> create);

  static void start();
  // 5 outside a group. The outermost one runs what was collected, and waits for the streams of collectives.
  static Status end();

 private:
  void run();

  int depth_ = 0;
  std::vector<Operation> operations_;
  std::vector<Messages> messages_;
  std::vector<std::function<Status()>> creations_;
};

}  // namespace belay::api
