// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <ctime>

namespace belay {

// While it lives, a write or a resize beyond the limit on the size of files (ulimit -f) fails with EFBIG on this thread
// and does not end the process: we report it as a disk, or a memory, that is full. May be used in signal handlers.
class SizeSignalBlocked {
 public:
  SizeSignalBlocked() {
    (void)sigemptyset(&size_);
    (void)sigaddset(&size_, SIGXFSZ);
    (void)pthread_sigmask(SIG_BLOCK, &size_, &before_);
    sigset_t pending;
    sent_ = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
  }
  ~SizeSignalBlocked() { (void)pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SizeSignalBlocked(const SizeSignalBlocked&) = delete;
  SizeSignalBlocked& operator=(const SizeSignalBlocked&) = delete;

  // A call failed so: its signal is ours, unless one was sent before.
  void take() const {
    const timespec at_once{};
    if (!sent_) (void)sigtimedwait(&size_, nullptr, &at_once);
  }

 private:
  sigset_t size_, before_;
  bool sent_;
};

}  // namespace belay
