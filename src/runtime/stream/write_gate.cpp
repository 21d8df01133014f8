// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/write_gate.h"

#include <sched.h>

#include <new>

namespace belay {
namespace {

struct Visitor {
  int depth = 0;        // of Writings
  bool inside = false;  // counted in its slot
};
thread_local Visitor t_visitor;

}  // namespace

WriteGate& write_gate() {
  static auto& gate = *new WriteGate;
  return gate;
}

WriteGate::Slot& WriteGate::own_slot() {
  static std::atomic<size_t> next{0};
  thread_local const size_t own = next++ % slots_.size();
  return slots_[own];
}

// Sequentially consistent on both sides: either the closer sees the writer, or the writer sees that it is closed.
void WriteGate::enter() {
  Slot& slot = own_slot();
  for (;;) {
    ++slot.writers;
    if (!closed_) break;
    --slot.writers;
    closed_.wait(true);
  }
  t_visitor.inside = true;
}

void WriteGate::leave() {
  t_visitor.inside = false;
  --own_slot().writers;
}

void WriteGate::step_out() {
  if (t_visitor.inside) leave();
}

void WriteGate::step_in() {
  if (t_visitor.depth > 0 && !t_visitor.inside) enter();
}

void WriteGate::forget_others() {
  for (Slot& slot : slots_) slot.writers = 0;
  if (t_visitor.inside) ++own_slot().writers;
  closed_ = false;
  new (&closing_) std::mutex;  // it may belong to a thread that is not here
}

WriteGate::Writing::Writing() {
  if (t_visitor.depth++ == 0) write_gate().enter();
}

WriteGate::Writing::~Writing() {
  if (--t_visitor.depth == 0) write_gate().step_out();
}

WriteGate::Closed::Closed() : was_inside_(t_visitor.inside) {
  WriteGate& gate = write_gate();
  gate.step_out();
  gate.closing_.lock();
  gate.closed_ = true;
  for (const Slot& slot : gate.slots_)
    while (slot.writers != 0) sched_yield();
}

WriteGate::Closed::~Closed() {
  WriteGate& gate = write_gate();
  gate.closed_ = false;
  gate.closed_.notify_all();
  gate.closing_.unlock();
  if (was_inside_) gate.enter();
}

}  // namespace belay
