// SPDX-License-Identifier: Apache-2.0
#include "operators/observers.h"

#include <atomic>
#include <mutex>

namespace belay::operators {
namespace {

struct Watchers {
  std::mutex mutex;
  std::vector<std::shared_ptr<executor::Observer>> observers;
  std::atomic<uint64_t> generation{0};
};

Watchers& watchers() {
  static auto& only = *new Watchers;
  return only;
}

}  // namespace

void set_observers(std::vector<std::shared_ptr<executor::Observer>> observers) {
  std::lock_guard lock(watchers().mutex);
  watchers().observers = std::move(observers);
  ++watchers().generation;
}

std::vector<std::shared_ptr<executor::Observer>> observers() {
  std::lock_guard lock(watchers().mutex);
  return watchers().observers;
}

uint64_t observers_generation() { return watchers().generation; }

}  // namespace belay::operators
