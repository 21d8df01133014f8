// SPDX-License-Identifier: Apache-2.0
#include "base/handler_stack.h"

#include <signal.h>
#include <sys/mman.h>

#include <cstddef>

namespace belay {
namespace {

constexpr size_t kStackBytes = 256 << 10;  // a handler may write a core file

}  // namespace

HandlerStack::HandlerStack() {
  stack_t known{};
  if (sigaltstack(nullptr, &known) != 0 || !(known.ss_flags & SS_DISABLE)) return;
  void* memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  const stack_t mine{.ss_sp = memory, .ss_flags = 0, .ss_size = kStackBytes};
  if (sigaltstack(&mine, nullptr) == 0)
    memory_ = memory;
  else
    munmap(memory, kStackBytes);
}

HandlerStack::~HandlerStack() {
  if (!memory_) return;
  stack_t known{};
  if (sigaltstack(nullptr, &known) == 0 && known.ss_sp == memory_) {
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    (void)sigaltstack(&none, nullptr);
  }
  munmap(memory_, kStackBytes);
}

}  // namespace belay
