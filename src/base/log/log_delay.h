// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace belay {

// While one lives, observers of the log do not see the calling thread's lines; they get them when the last one ends.
// For locks under which something is logged: observers are the program's, and may call us. Declare it before the lock.
class LogDelay {
 public:
  LogDelay();
  ~LogDelay();
  LogDelay(const LogDelay&) = delete;
  LogDelay& operator=(const LogDelay&) = delete;
};

}  // namespace belay
