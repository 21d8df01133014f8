// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace belay::backend::cpu::onednn {

// While it lives, oneDNN works on the calling thread alone: the threads that it would start are not of our pool, and
// spin.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace belay::backend::cpu::onednn
