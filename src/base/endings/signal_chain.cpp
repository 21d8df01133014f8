// SPDX-License-Identifier: Apache-2.0
#include "base/endings/signal_chain.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace belay {
namespace {

std::array<signal_chain_detail::Behind, 4> chains{};  // guarded by signal_chain_mutex

bool caused_by_code(int signal, const siginfo_t* info) {
  return info->si_code > 0 && signal != SIGABRT && signal != SIGTERM && signal != SIGINT;
}

// The end of the stack comes as one of these, and then there is no room on it.
bool may_be_end_of_stack(int signal) { return signal == SIGSEGV || signal == SIGBUS; }

}  // namespace

std::mutex& signal_chain_mutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}

namespace signal_chain_detail {

void add(Behind behind) {
  for (auto& chain : chains) {
    if (chain == behind) return;
    if (chain) continue;
    chain = behind;
    return;
  }
}

const struct sigaction* behind(int signal, const struct sigaction& action) {
  for (const auto chain : chains)
    if (const struct sigaction* next = chain ? chain(signal, action) : nullptr) return next;
  return nullptr;
}

bool is_handler(const struct sigaction& action) {
  return action.sa_flags & SA_SIGINFO || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

bool same(const struct sigaction& a, const struct sigaction& b) {
  return a.sa_flags == b.sa_flags &&
         (a.sa_flags & SA_SIGINFO ? a.sa_sigaction == b.sa_sigaction : a.sa_handler == b.sa_handler);
}

struct sigaction in_front_of(const struct sigaction& now, int signal, int flags) {
  struct sigaction ours {};
  ours.sa_flags = (is_handler(now) ? now.sa_flags : SA_ONSTACK) | SA_SIGINFO | flags;
  if (may_be_end_of_stack(signal)) ours.sa_flags |= SA_ONSTACK;
  ours.sa_mask = now.sa_mask;
  return ours;
}

void pass_on(const struct sigaction& to, int signal, siginfo_t* info, void* context) {
  if (to.sa_flags & SA_SIGINFO) return to.sa_sigaction(signal, info, context);
  if (to.sa_handler != SIG_DFL && to.sa_handler != SIG_IGN) return to.sa_handler(signal);
  (void)sigaction(signal, &to, nullptr);
  // The instruction that caused it causes it again; a signal that was sent must be sent again, and comes when we
  // return.
  if (!caused_by_code(signal, info)) (void)syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}

}  // namespace signal_chain_detail
}  // namespace belay
