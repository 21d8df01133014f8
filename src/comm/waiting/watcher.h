// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace belay::comm {

// The one thread of the process that looks at sockets and idle engines. It starts with the first of them, and sleeps
// while nothing happens. Safe from any thread.
class Watcher {
 public:
  // Called on the watcher's thread when the descriptor can be read or was closed at the other end. It must not wait
  // long.
  using Callback = std::function<void()>;

  static Watcher& get();

  // False when the system refuses.
  bool watch(int descriptor, Callback callback);
  // The callback does not run any more when this returns (unless it is itself what calls).
  void forget(int descriptor);

 private:
  void work();
  bool start();

  std::mutex mutex_;
  // Guarded by mutex_.
  int epoll_ = -1;
  std::map<int, std::shared_ptr<Callback>> callbacks_;
  // Held while a callback runs.
  std::recursive_mutex running_;
};

}  // namespace belay::comm
