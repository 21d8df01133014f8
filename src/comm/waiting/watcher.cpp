// SPDX-License-Identifier: Apache-2.0
#include "comm/waiting/watcher.h"

#include <sys/epoll.h>

#include <array>
#include <thread>

#include "base/threads/fork.h"

namespace belay::comm {

Watcher& Watcher::get() {
  static auto& watcher = *new Watcher;
  return watcher;
}

bool Watcher::start() {
  if (epoll_ >= 0) return true;
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_ < 0) return false;
  expect_threads();
  std::thread([this] { work(); }).detach();
  return true;
}

bool Watcher::watch(int descriptor, Callback callback) {
  std::lock_guard lock(mutex_);
  if (!start()) return false;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  event.data.fd = descriptor;
  callbacks_[descriptor] = std::make_shared<Callback>(std::move(callback));
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Watcher::forget(int descriptor) {
  {
    std::lock_guard lock(mutex_);
    if (callbacks_.erase(descriptor) == 0) return;
    epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
  }
  std::lock_guard over(running_);
}

void Watcher::work() {
  std::array<epoll_event, 32> events;
  while (true) {
    const int ready = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < ready; ++i) {
      std::lock_guard running(running_);
      std::shared_ptr<Callback> callback;
      {
        std::lock_guard lock(mutex_);
        if (const auto found = callbacks_.find(events[static_cast<size_t>(i)].data.fd); found != callbacks_.end())
          callback = found->second;
      }
      if (callback) (*callback)();
    }
  }
}

}  // namespace belay::comm
