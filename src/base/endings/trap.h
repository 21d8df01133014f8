// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

// Surviving a SIGSEGV, SIGBUS or SIGFPE in code that we call. Off until somebody asks for it: it takes over the
// process's handlers of these signals. What is not ours goes on to whoever handled it before.
namespace belay {

// A signal that ended a call.
struct Trap {
  int signal = 0;
  const void* address = nullptr;  // that was read or written (SIGSEGV, SIGBUS), or of the instruction
};

// "SIGSEGV at address 0x10".
std::string to_text(const Trap& trap);

// Installs the handlers, once for the process.
void enable_traps();
bool traps_enabled();

namespace trap_detail {
using Call = void (*)(void* object);
using Seen = void (*)(void* object, const Trap& trap, const void* context);
bool run(Call call, void* body, Seen seen, void* observer, Trap& trap);
struct Frame;
}  // namespace trap_detail

// Calls `body`; false when one of the signals, raised by its own code on this thread, ended it. Nothing is unwound
// then: what it held stays held. Threads that share its loops (base/threads/pool.h) are covered. `seen(trap, context)`
// is called in the signal handler, on its own stack, while the body's is still whole; `context` is a ucontext_t. Calls
// may be nested. Without enable_traps, just the call.
template <class Body, class Observer>
bool trapped(Body&& body, Trap& trap, Observer&& seen) {
  return trap_detail::run([](void* object) { (*static_cast<std::remove_reference_t<Body>*>(object))(); }, &body,
                          [](void* object, const Trap& what, const void* context) {
                            (*static_cast<std::remove_reference_t<Observer>*>(object))(what, context);
                          },
                          &seen, trap);
}
template <class Body>
bool trapped(Body&& body, Trap& trap) {
  return trapped(body, trap, [](const Trap&, const void*) {});
}

// For code that has other threads work for a trapped() call: each of them is trapped by itself, and the call of the
// thread that they work for ends as if the signal had hit it.
class TrapOwner {
 public:
  // The innermost trapped() call of this thread.
  TrapOwner();
  explicit operator bool() const { return frame_ != nullptr; }
  // Shows its observer a signal that hit whoever.
  void show(const Trap& trap, const void* context) const;
  // Ends it; called by its own thread.
  [[noreturn]] void end(const Trap& trap) const;

 private:
  trap_detail::Frame* frame_;
};

// Whether all of this memory can be read: it looks at a byte of each page. True without enable_traps.
bool readable(const void* memory, size_t bytes);

}  // namespace belay
