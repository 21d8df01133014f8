// SPDX-License-Identifier: Apache-2.0
#include "base/endings/handler_stack.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace belay {
namespace {

// As much as threads have: handlers of the program's own may run on it. Only what is touched takes memory.
constexpr size_t kStackBytes = 8 << 20;

// Below the stack, so that its end is a crash and not somebody else's memory.
size_t guard_bytes() {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return page;
}

}  // namespace

HandlerStack::HandlerStack() {
  stack_t known{};
  if (sigaltstack(nullptr, &known) != 0 || !(known.ss_flags & SS_DISABLE)) return;
  const size_t guard = guard_bytes();
  void* memory = mmap(nullptr, guard + kStackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return;
  const stack_t mine{.ss_sp = static_cast<char*>(memory) + guard, .ss_flags = 0, .ss_size = kStackBytes};
  if (mprotect(memory, guard, PROT_NONE) == 0 && sigaltstack(&mine, nullptr) == 0)
    memory_ = memory;
  else
    munmap(memory, guard + kStackBytes);
}

HandlerStack::~HandlerStack() {
  if (!memory_) return;
  stack_t known{};
  if (sigaltstack(nullptr, &known) == 0 && known.ss_sp == static_cast<char*>(memory_) + guard_bytes()) {
    if (known.ss_flags & SS_ONSTACK) return;  // a handler called exit(), and goes on with what is to be done then
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    (void)sigaltstack(&none, nullptr);
  }
  munmap(memory_, guard_bytes() + kStackBytes);
}

}  // namespace belay
