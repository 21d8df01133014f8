// SPDX-License-Identifier: Apache-2.0
#include "base/endings/trap.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <utility>

#include "base/endings/handler_stack.h"
#include "base/text.h"
#include "base/threads/thread_object.h"

namespace belay {

namespace trap_detail {

// A call that may be ended. The innermost one of each thread is the thread's.
struct Frame {
  sigjmp_buf place;
  Frame* outer;
  Trap* trap;
  Seen seen;
  void* observer;
  struct Slot* slot;  // of its thread
  bool ending = false;
  std::atomic<bool> probing{false};  // whether malloc returns
};

// The innermost call of one thread. A handler finds it by the thread's number: a thread_local of a library that was
// loaded late may have to be allocated when it is first looked at, and handlers must not allocate.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<pid_t> thread{0};
  Frame* frame = nullptr;
};

}  // namespace trap_detail

namespace {

using trap_detail::Frame;
using trap_detail::Slot;

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE};
constexpr time_t kPatience = 5;          // seconds that malloc may take in a handler
constexpr size_t kNotCached = 64 << 10;  // bytes for which malloc takes its lock

std::array<Slot, 1024> slots;

pid_t thread_id() { return static_cast<pid_t>(syscall(SYS_gettid)); }

Slot* own_slot() {
  const pid_t own = thread_id();
  const auto found = std::ranges::find_if(slots, [=](const Slot& slot) { return slot.thread == own && slot.frame; });
  return found == slots.end() ? nullptr : &*found;
}

std::atomic<uint32_t> forks{0};  // of the processes before this one: threads have other numbers after each
std::atomic<bool> on{false};
std::array<struct sigaction, kSignals.size()> earlier;

// What a thread needs for its first such call, until it ends: a slot, and a stack for the handler.
class ThreadState {
 public:
  ThreadState() {
    for (Slot& slot : slots) {
      if (slot.taken.exchange(true)) continue;
      slot_ = &slot;
      break;
    }
  }
  ~ThreadState() {
    if (!slot_) return;
    slot_->thread = 0;
    slot_->taken = false;
  }
  ThreadState(const ThreadState&) = delete;
  ThreadState& operator=(const ThreadState&) = delete;
  // Null: too many threads have one.
  Slot* slot() {
    if (slot_ && forks_ != forks) {
      forks_ = forks;
      slot_->thread = thread_id();
    }
    return slot_;
  }

 private:
  Slot* slot_ = nullptr;
  uint32_t forks_ = forks - 1;  // with which the slot's thread number was looked up
  HandlerStack stack_;
};

void hand_on(int signal, siginfo_t* info, void* context) {
  const auto index = static_cast<size_t>(std::ranges::find(kSignals, signal) - kSignals.begin());
  const struct sigaction& before = earlier[index];
  if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler == SIG_IGN && info->si_code <= 0) return;
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  (void)sigaction(signal, &before, nullptr);
  if (info->si_code <= 0) (void)raise(signal);  // sent, not caused: it would not come again by itself
}

const char timer_mark = 0;  // its address: our own timer sent the signal

// Code that crashed inside of malloc holds its lock for ever: neither the observer nor who goes on afterwards could
// allocate. So malloc is tried, and a timer sends the signal again when it does not return.
void try_malloc(Frame& frame, int signal) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event.sigev_value.sival_ptr = const_cast<char*>(&timer_mark);
  event._sigev_un._tid = thread_id();
  int timer = -1;
  if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) != 0) return;
  const itimerspec once{.it_interval = {}, .it_value = {.tv_sec = kPatience, .tv_nsec = 0}};
  frame.probing = true;
  (void)syscall(SYS_timer_settime, timer, 0, &once, nullptr);
  void* volatile memory = std::malloc(kNotCached);
  frame.probing = false;
  (void)syscall(SYS_timer_delete, timer);
  std::free(memory);
}

// malloc did not return: the process ends as if the crash had not been trapped.
void give_up(int signal, siginfo_t* info, void* context) {
  constexpr std::string_view text =
      "belay: a kernel crashed while it held the lock of malloc: nothing can go on, the process ends\n";
  (void)!write(STDERR_FILENO, text.data(), text.size());
  hand_on(signal, info, context);
  struct sigaction none {};
  none.sa_handler = SIG_DFL;  // a handler that returned: it knew nothing of malloc
  (void)sigaction(signal, &none, nullptr);
  (void)raise(signal);
}

void handle(int signal, siginfo_t* info, void* context) {
  Slot* slot = own_slot();
  if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &timer_mark) {
    if (slot && slot->frame->probing) give_up(signal, info, context);
    return;
  }
  if (!slot || info->si_code <= 0) return hand_on(signal, info, context);
  Frame* frame = slot->frame;
  if (!frame->ending) {  // else the observer itself failed
    frame->ending = true;
    *frame->trap = {signal, info->si_addr};
    try_malloc(*frame, signal);
    frame->seen(frame->observer, *frame->trap, context);
  }
  siglongjmp(frame->place, 1);
}

}  // namespace

std::string to_text(const Trap& trap) {
  const char* name = trap.signal == SIGSEGV ? "SIGSEGV" : trap.signal == SIGBUS ? "SIGBUS" : "SIGFPE";
  return formatted("{} at address {}", name, trap.address);
}

void enable_traps() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction action {};
      action.sa_sigaction = handle;
      // Not blocked meanwhile: the handler is left by a jump.
      action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      (void)sigemptyset(&action.sa_mask);
      (void)sigaction(kSignals[i], &action, &earlier[i]);
    }
    (void)pthread_atfork(nullptr, nullptr, [] { ++forks; });
    on.store(true, std::memory_order_release);
  });
}

bool traps_enabled() { return on.load(std::memory_order_relaxed); }

namespace trap_detail {

[[gnu::noinline]] bool run(Call call, void* body, Seen seen, void* observer, Trap& trap) {
  if (!traps_enabled()) return call(body), true;
  Slot* const slot = thread_object<ThreadState>().slot();
  if (!slot) return call(body), true;
  Frame frame{.outer = slot->frame, .trap = &trap, .seen = seen, .observer = observer, .slot = slot};
  struct Leave {
    Slot* slot;
    ~Leave() { slot->frame = slot->frame->outer; }
  };
  if (sigsetjmp(frame.place, 0) != 0) {  // the mask is as it was: the signals are not blocked in their handler
    frame.slot->frame = frame.outer;
    return false;
  }
  slot->frame = &frame;
  const Leave leave{slot};
  call(body);
  return true;
}

}  // namespace trap_detail

TrapOwner::TrapOwner() : frame_(nullptr) {
  if (!traps_enabled()) return;
  if (const Slot* slot = thread_object<ThreadState>().slot()) frame_ = slot->frame;
}

void TrapOwner::show(const Trap& trap, const void* context) const {
  if (!std::exchange(frame_->ending, true)) frame_->seen(frame_->observer, trap, context);
}

void TrapOwner::end(const Trap& trap) const {
  frame_->ending = true;
  *frame_->trap = trap;
  frame_->slot->frame = frame_;  // what is inside of it ends with it
  siglongjmp(frame_->place, 1);
}

namespace {

// Whatever sanitizers think of it: that is what is to be found out.
[[gnu::noinline, gnu::no_sanitize("address", "undefined", "thread")]] void touch(uintptr_t address) {
  (void)*reinterpret_cast<const volatile char*>(address);
}

}  // namespace

bool readable(const void* memory, size_t bytes) {
  if (bytes == 0 || !traps_enabled()) return true;
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(memory), end = begin + bytes;
  if (end < begin) return false;
  Trap trap;
  return trapped(
      [&] {
        for (uintptr_t at = begin; at < end; at = (at / page + 1) * page) touch(at);
      },
      trap);
}

}  // namespace belay
