// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace belay {

// A stack for the signal handlers of the thread that makes it: a crash may be the end of its own. Without effect on a
// thread that has one already.
class HandlerStack {
 public:
  HandlerStack();
  ~HandlerStack();
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  void* memory_ = nullptr;
};

}  // namespace belay
