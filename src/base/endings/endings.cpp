// SPDX-License-Identifier: Apache-2.0
#include "base/endings/endings.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/endings/handler_stack.h"
#include "base/endings/signal_chain.h"
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

struct EndingLink {
  static void hit(int, siginfo_t*, void*) {
    const int error = errno;
    (void)finish_now();
    errno = error;
  }
  static void returned() {
    if (const Finisher* only = own_finisher()) only->ending.go_on();
  }
};
using Chain = SignalChain<EndingLink>;

bool ignored(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN;
}

}  // namespace

bool finish_at_the_end(const Ending& ending) {
  std::lock_guard lock(signal_chain_mutex());
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
  std::lock_guard lock(signal_chain_mutex());
  for (const int signal : kSignals)
    if (!ignored(signal)) Chain::guard(signal);
}

void leave_endings() {
  if (!own_finisher()) return;
  std::lock_guard lock(signal_chain_mutex());
  for (const int signal : kSignals) Chain::leave(signal);
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
