// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "runtime/signal.h"

namespace belay {

// A few words of memory that several processes can share, and wait on: what notifies and IPC events are made of.
// A cell lives as long as one process has it open; the key opens it elsewhere while its maker lives.
class SharedCell {
 public:
  static constexpr size_t kWords = 15;  // 64 bits each
  static std::shared_ptr<SharedCell> make();
  // 107000 when the key is malformed or its process has ended.
  static Result<std::shared_ptr<SharedCell>> open(const std::string& key);
  ~SharedCell();

  const std::string& key() const { return key_; }
  std::atomic<uint64_t>& word(size_t index) { return words_[index]; }

  // To be called after every change of a word that somebody may wait for.
  void announce();
  // Waits until `ready()`, which looks at the words; false when `stop` turned true (announced) or the time is over.
  template <class Ready>
  bool wait(Ready ready, const std::atomic<bool>* stop, Timeout timeout);

 private:
  SharedCell(std::atomic<uint64_t>* words, std::string key) : words_(words), key_(std::move(key)) {}
  uint32_t changes() const;
  // Sleeps until the number of changes is no longer `seen`, or a short while.
  void sleep(uint32_t seen) const;

  std::atomic<uint64_t>* const words_;  // kWords words, then the number of changes
  const std::string key_;
};

template <class Ready>
bool SharedCell::wait(Ready ready, const std::atomic<bool>* stop, Timeout timeout) {
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    const uint32_t seen = changes();
    if (ready()) return true;
    if (stop && stop->load()) return false;
    if (timeout && std::chrono::steady_clock::now() - start >= *timeout) return false;
    sleep(seen);
  }
}

}  // namespace belay
