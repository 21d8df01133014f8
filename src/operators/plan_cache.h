// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace belay::operators {

// The plans that were used last, by a text that says what they do. Safe from any thread.
template <class T>
class PlanCache {
 public:
  explicit PlanCache(size_t room = 256) : room_(room) {}

  std::optional<T> find(const std::string& key) {
    std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) return std::nullopt;
    kept_.splice(kept_.begin(), kept_, found->second);
    return kept_.front().plan;
  }

  void keep(const std::string& key, T plan) {
    std::lock_guard lock(mutex_);
    if (index_.contains(key)) return;
    kept_.push_front({key, std::move(plan)});
    index_.emplace(kept_.front().key, kept_.begin());
    if (kept_.size() <= room_) return;
    index_.erase(kept_.back().key);
    kept_.pop_back();
  }

  void clear() {
    std::lock_guard lock(mutex_);
    index_.clear();
    kept_.clear();
  }

 private:
  struct Kept {
    std::string key;
    T plan;
  };
  const size_t room_;
  std::mutex mutex_;
  std::list<Kept> kept_;                                                            // the last used first
  std::unordered_map<std::string_view, typename std::list<Kept>::iterator> index_;  // keys are those of kept_
};

}  // namespace belay::operators
