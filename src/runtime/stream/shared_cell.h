// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "runtime/stream/signal.h"

namespace belay {

// A few words of memory that several processes can share, and wait on: what notifies and IPC events are made of.
// A cell lives as long as one process has it open; the key opens it elsewhere while its maker has it open.
class SharedCell {
 public:
  static constexpr size_t kWords = 14;  // 64 bits each
  // 207001 when the host has no memory for it.
  static Result<std::shared_ptr<SharedCell>> make();
  // 107000 when the key is malformed, its process has ended or has closed the cell.
  static Result<std::shared_ptr<SharedCell>> open(const std::string& key);
  ~SharedCell();

  const std::string& key() const { return key_; }
  std::atomic<uint64_t>& word(size_t index) { return words_[index]; }

  // To be called after every change of a word that somebody may wait for.
  void announce();
  // Waits until `ready()`, which looks at the words; false when `stop` turned true or the time is over.
  template <class Ready>
  bool wait(Ready ready, const std::atomic<bool>* stop, Timeout timeout);

 private:
  SharedCell(std::atomic<uint64_t>* words, std::string key) : words_(words), key_(std::move(key)) {}
  uint32_t changes() const;
  // Sleeps until the number of changes is no longer `seen`, or a short while, at most `longest`.
  void sleep(uint32_t seen, std::chrono::nanoseconds longest) const;

  std::atomic<uint64_t>* const words_;  // kWords words, then who the cell is, then the number of changes
  const std::string key_;
};

template <class Ready>
bool SharedCell::wait(Ready ready, const std::atomic<bool>* stop, Timeout timeout) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = timeout ? Clock::now() + *timeout : Clock::time_point::max();
  while (true) {
    const uint32_t seen = changes();
    if (ready()) return true;
    if (stop && stop->load()) return false;
    const auto now = Clock::now();
    if (now >= deadline) return false;
    sleep(seen, deadline - now);
  }
}

}  // namespace belay
