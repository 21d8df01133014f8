// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <atomic>

namespace belay {

// While it lives, no signal interrupts the calling thread.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { (void)pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// A lock for a few instructions that neither allocate nor wait. No handler can interrupt whoever holds it, so that a
// thread which a handler waits for can always take it.
class SignalLock {
 public:
  class Guard {
   public:
    explicit Guard(SignalLock& lock) : lock_(lock) {
      while (lock_.held_.test_and_set(std::memory_order_acquire)) sched_yield();
    }
    ~Guard() { lock_.held_.clear(std::memory_order_release); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    SignalsBlocked blocked_;
    SignalLock& lock_;
  };

 private:
  std::atomic_flag held_;
};

}  // namespace belay
