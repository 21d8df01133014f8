// SPDX-License-Identifier: Apache-2.0
#include "base/endings/endings.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/endings/handler_stack.h"
#include "base/threads/signal_lock.h"

namespace belay {
namespace {

constexpr std::array kSignals = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT};
constexpr long kLook = 100'000;   // nanoseconds between two looks at the thread
constexpr time_t kPatience = 30;  // seconds without progress

// The thread, and how far it is. Left to the system at exit.
struct Finisher {
  pid_t process = 0;
  Ending ending;
  sem_t wanted;
  std::atomic<uint64_t> asked{0}, done{0};
};
std::atomic<Finisher*> finisher{nullptr};

// Null, too, in a process that was forked from the one whose thread it is.
Finisher* own_finisher() {
  Finisher* const only = finisher.load();
  return only && only->process == getpid() ? only : nullptr;
}

time_t seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

[[noreturn]] void work(Finisher& self) {
  for (;;) {
    while (sem_wait(&self.wanted) != 0) {
    }
    const uint64_t asked = self.asked;
    self.ending.finish();
    self.done = asked;
  }
}

// A program may install a handler over ours that calls ours, which calls the one before it. So ours come in levels,
// each with the one that it stands for, and never twice in one chain.
constexpr size_t kLevels = 8;
std::array<std::array<struct sigaction, kSignals.size()>, kLevels> earlier;
std::array<size_t, kSignals.size()> used_levels{};  // guarded by the mutex of guard_endings

bool caused_by_code(int signal, const siginfo_t* info) {
  return info->si_code > 0 && signal != SIGABRT && signal != SIGTERM && signal != SIGINT;
}

bool is_handler(const struct sigaction& action) {
  return action.sa_flags & SA_SIGINFO || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

// As if we were not there.
void pass_on(const struct sigaction& to, int signal, siginfo_t* info, void* context) {
  if (to.sa_flags & SA_SIGINFO) return to.sa_sigaction(signal, info, context);
  if (to.sa_handler != SIG_DFL && to.sa_handler != SIG_IGN) return to.sa_handler(signal);
  (void)sigaction(signal, &to, nullptr);
  // The instruction that caused it causes it again; a signal that was sent must be sent again, and comes when we
  // return.
  if (!caused_by_code(signal, info)) (void)syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}

size_t index_of(int signal) { return static_cast<size_t>(std::ranges::find(kSignals, signal) - kSignals.begin()); }

template <size_t level>
void handle(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  (void)finish_now();
  errno = error;
  const struct sigaction& next = earlier[level][index_of(signal)];
  pass_on(next, signal, info, context);
  if (!is_handler(next)) return;
  if (const Finisher* only = own_finisher()) only->ending.go_on();
}

using Handler = void (*)(int, siginfo_t*, void*);
template <size_t... levels>
constexpr std::array<Handler, sizeof...(levels)> all_handlers(std::index_sequence<levels...>) {
  return {handle<levels>...};
}
constexpr auto kHandlers = all_handlers(std::make_index_sequence<kLevels>());

// The level of a handler of ours; kLevels: it is not ours.
size_t level_of(const struct sigaction& action) {
  if (!(action.sa_flags & SA_SIGINFO)) return kLevels;
  return static_cast<size_t>(std::ranges::find(kHandlers, action.sa_sigaction) - kHandlers.begin());
}

bool same(const struct sigaction& a, const struct sigaction& b) {
  return a.sa_flags == b.sa_flags &&
         (a.sa_flags & SA_SIGINFO ? a.sa_sigaction == b.sa_sigaction : a.sa_handler == b.sa_handler);
}

// The end of the stack comes as one of these, and then there is no room on it.
bool may_be_end_of_stack(int signal) { return signal == SIGSEGV || signal == SIGBUS; }

void guard(size_t index) {
  struct sigaction now {};
  if (sigaction(kSignals[index], nullptr, &now) != 0 || level_of(now) < kLevels) return;
  if (!is_handler(now) && now.sa_handler == SIG_IGN) return;
  size_t level = 0;
  while (level < used_levels[index] && !same(earlier[level][index], now)) ++level;
  if (level == kLevels) return;
  earlier[level][index] = now;
  used_levels[index] = std::max(used_levels[index], level + 1);
  struct sigaction ours {};
  ours.sa_sigaction = kHandlers[level];
  ours.sa_flags = (is_handler(now) ? now.sa_flags : SA_ONSTACK) | SA_SIGINFO;
  if (may_be_end_of_stack(kSignals[index])) ours.sa_flags |= SA_ONSTACK;
  ours.sa_mask = now.sa_mask;
  (void)sigaction(kSignals[index], &ours, nullptr);
}

std::mutex& hook_mutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

bool finish_at_the_end(const Ending& ending) {
  std::lock_guard lock(hook_mutex());
  if (finisher.load()) return true;
  auto* made = new Finisher{.process = getpid(), .ending = ending};
  sem_init(&made->wanted, 0, 0);
  try {
    const SignalsBlocked inherited;
    std::thread thread(work, std::ref(*made));
    pthread_setname_np(thread.native_handle(), "belay-ending");
    thread.detach();
  } catch (const std::system_error&) {
    delete made;
    return false;
  }
  finisher = made;
  return true;
}

void guard_endings() {
  if (!own_finisher()) return;
  thread_local const HandlerStack stack;
  std::lock_guard lock(hook_mutex());
  for (size_t i = 0; i < kSignals.size(); ++i) guard(i);
}

void leave_endings() {
  if (!own_finisher()) return;
  std::lock_guard lock(hook_mutex());
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now {};
    if (sigaction(kSignals[i], nullptr, &now) != 0 || level_of(now) == kLevels) continue;
    (void)sigaction(kSignals[i], &earlier[level_of(now)][i], nullptr);
  }
}

bool finish_now() {
  Finisher* const only = own_finisher();
  if (!only) return false;
  const SignalsBlocked blocked;
  const uint64_t mine = ++only->asked;
  sem_post(&only->wanted);
  uint64_t seen = only->ending.progress();
  for (time_t since = seconds_now(); only->done < mine && seconds_now() - since <= kPatience;) {
    const timespec look{.tv_sec = 0, .tv_nsec = kLook};
    nanosleep(&look, nullptr);
    if (const uint64_t now = only->ending.progress(); now != seen) seen = now, since = seconds_now();
  }
  return true;
}

}  // namespace belay
