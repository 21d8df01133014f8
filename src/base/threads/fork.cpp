// SPDX-License-Identifier: Apache-2.0
#include "base/threads/fork.h"

#include <pthread.h>

namespace belay {

void expect_threads() {
  static const int once = pthread_atfork(nullptr, nullptr, [] { orphan.store(true, std::memory_order_relaxed); });
  (void)once;
}

}  // namespace belay
