// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

namespace belay {

// A file descriptor that closes itself; negative when there is none.
struct Descriptor {
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  const int number;
};

}  // namespace belay
