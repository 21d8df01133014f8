// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/threads/fork.h"

namespace belay {

// Live objects of one kind, by the handle that C programs hold. A handle is a number, never an address, and never given
// out twice: looking it up either pins the object or says that it is gone. In an orphan (base/threads/fork.h) all are
// gone. Safe from any thread.
template <class T>
class HandleTable {
 public:
  // `kind` keeps the handles of different tables apart, so that a handle of another kind is not found.
  explicit HandleTable(uint8_t kind) : kind_(kind) {}

  void* insert(std::shared_ptr<T> object) {
    const uint64_t key = (uint64_t{kind_} << 48) | (next_.fetch_add(1, std::memory_order_relaxed) << 4);
    Shard& shard = shard_of(key);
    std::lock_guard lock(shard.mutex);
    shard.objects.emplace(key, std::move(object));
    return reinterpret_cast<void*>(key);
  }

  // Null when the handle is dead, foreign or null.
  std::shared_ptr<T> find(const void* handle) const {
    if (orphaned()) return nullptr;
    const auto key = reinterpret_cast<uint64_t>(handle);
    const Shard& shard = shard_of(key);
    std::lock_guard lock(shard.mutex);
    const auto found = shard.objects.find(key);
    return found == shard.objects.end() ? nullptr : found->second;
  }

  // Takes the object out; null when it was not there (so that of two destroyers only one wins).
  std::shared_ptr<T> remove(const void* handle) {
    if (orphaned()) return nullptr;
    const auto key = reinterpret_cast<uint64_t>(handle);
    Shard& shard = shard_of(key);
    std::lock_guard lock(shard.mutex);
    const auto found = shard.objects.find(key);
    if (found == shard.objects.end()) return nullptr;
    auto object = std::move(found->second);
    shard.objects.erase(found);
    return object;
  }

  // Puts `made` behind the handle in the place of `old`; false when that is not there any more.
  bool replace(const void* handle, const T& old, std::shared_ptr<T> made) {
    if (orphaned()) return false;
    const auto key = reinterpret_cast<uint64_t>(handle);
    Shard& shard = shard_of(key);
    std::unique_lock lock(shard.mutex);
    const auto found = shard.objects.find(key);
    if (found == shard.objects.end() || found->second.get() != &old) return false;
    found->second.swap(made);
    lock.unlock();  // the old one ends outside of it
    return true;
  }

  std::vector<std::shared_ptr<T>> all() const {
    std::vector<std::shared_ptr<T>> objects;
    if (orphaned()) return objects;
    for (const Shard& shard : shards_) {
      std::lock_guard lock(shard.mutex);
      for (const auto& [key, object] : shard.objects) objects.push_back(object);
    }
    return objects;
  }

 private:
  struct alignas(64) Shard {
    mutable std::mutex mutex;
    std::unordered_map<uint64_t, std::shared_ptr<T>> objects;
  };
  Shard& shard_of(uint64_t key) { return shards_[(key >> 4) % shards_.size()]; }
  const Shard& shard_of(uint64_t key) const { return shards_[(key >> 4) % shards_.size()]; }

  const uint8_t kind_;
  std::atomic<uint64_t> next_{1};
  std::array<Shard, 16> shards_;
};

}  // namespace belay
