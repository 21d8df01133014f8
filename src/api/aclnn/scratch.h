// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace belay::api {

// Memory that an aclnn call needs while it runs, on the calling thread, which must not have another one meanwhile.
// Small blocks stay with the thread; 64-byte aligned.
class Scratch {
 public:
  explicit Scratch(size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Null when there is none left, and for 0 bytes.
  std::byte* memory() const { return memory_; }

 private:
  std::byte* memory_ = nullptr;
  bool own_ = false;  // not the thread's
};

}  // namespace belay::api
