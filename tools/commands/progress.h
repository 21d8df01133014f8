// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace belay::tools {

// A bar on the terminal for work that takes more than two seconds; nothing when stderr is no terminal. It goes away
// when the work is done.
class Progress {
 public:
  Progress(std::string what, size_t total);
  ~Progress();
  void advance();

 private:
  void draw();

  const std::string what_;
  const size_t total_;
  const bool terminal_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point drawn_ = start_;
  size_t done_ = 0;
  bool visible_ = false;
};

}  // namespace belay::tools
