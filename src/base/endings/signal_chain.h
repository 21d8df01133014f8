// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <utility>

// Handlers of ours in front of whatever a signal led to before.
namespace belay {

namespace signal_chain_detail {
// The action that a handler of some chain stands for; null: the action is of no chain.
using Behind = const struct sigaction* (*)(int signal, const struct sigaction& action);
void add(Behind behind);  // several times do no harm
const struct sigaction* behind(int signal, const struct sigaction& action);
bool is_handler(const struct sigaction& action);
bool same(const struct sigaction& a, const struct sigaction& b);
struct sigaction in_front_of(const struct sigaction& now, int signal, int flags);
// As if we were not there.
void pass_on(const struct sigaction& to, int signal, siginfo_t* info, void* context);
}  // namespace signal_chain_detail

// For guard() and leave(): held by their callers. One for all chains.
std::mutex& signal_chain_mutex();

// One reason to look at signals. Link::hit(signal, info, context) is called in the handler, then whatever was there
// before, as it would have been; where there is nothing the process ends by that signal. Link::returned() is called
// when a handler that was there before returned. A program may install a handler over ours that calls ours, which calls
// the one before it: so ours come in levels, each with the one that it stands for, and never twice in one chain.
template <class Link>
class SignalChain {
 public:
  // Has the signal lead here from now on. Nothing to do when it does already, maybe by way of other chains: called
  // again, it looks after handlers that were installed since. `flags` are added to those of the handler before.
  static void guard(int signal, int flags = 0) {
    signal_chain_detail::add(behind);
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) != 0 || leads_here(signal, now)) return;
    auto& known = earlier_[index(signal)];
    size_t level = 0;
    while (level < known.used && !signal_chain_detail::same(known.actions[level], now)) ++level;
    if (level == kLevels) return;
    known.actions[level] = now;
    known.used = std::max(known.used, level + 1);
    struct sigaction ours = signal_chain_detail::in_front_of(now, signal, flags);
    ours.sa_sigaction = kHandlers[level];
    (void)sigaction(signal, &ours, nullptr);
  }

  // Whether the handler of the signal is one of this chain. Needs no lock.
  static bool in_front(int signal) {
    struct sigaction now {};
    return sigaction(signal, nullptr, &now) == 0 && level_of(now) < kLevels;
  }

  // Gives the signal back to whoever had it, unless somebody has taken it since.
  static void leave(int signal) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) != 0 || level_of(now) == kLevels) return;
    (void)sigaction(signal, behind(signal, now), nullptr);
  }

 private:
  static constexpr size_t kLevels = 8;
  using Handler = void (*)(int, siginfo_t*, void*);
  struct Earlier {
    std::array<struct sigaction, kLevels> actions;
    size_t used = 0;
  };

  static size_t index(int signal) { return static_cast<size_t>(signal) % 32; }  // real-time signals have no chains

  // kLevels: not of this chain.
  static size_t level_of(const struct sigaction& action) {
    if (!(action.sa_flags & SA_SIGINFO)) return kLevels;
    return static_cast<size_t>(std::ranges::find(kHandlers, action.sa_sigaction) - kHandlers.begin());
  }

  static const struct sigaction* behind(int signal, const struct sigaction& action) {
    const size_t level = level_of(action);
    return level == kLevels ? nullptr : &earlier_[index(signal)].actions[level];
  }

  static bool leads_here(int signal, const struct sigaction& from) {
    const struct sigaction* action = &from;
    for (size_t steps = 0; action && steps < 4 * kLevels; ++steps) {
      if (level_of(*action) < kLevels) return true;
      action = signal_chain_detail::behind(signal, *action);
    }
    return false;
  }

  template <size_t level>
  static void handle(int signal, siginfo_t* info, void* context) {
    Link::hit(signal, info, context);
    const struct sigaction& next = earlier_[index(signal)].actions[level];
    signal_chain_detail::pass_on(next, signal, info, context);
    if (signal_chain_detail::is_handler(next)) Link::returned();
  }
  template <size_t... levels>
  static constexpr std::array<Handler, kLevels> all_handlers(std::index_sequence<levels...>) {
    return {handle<levels>...};
  }
  static constexpr std::array<Handler, kLevels> kHandlers = all_handlers(std::make_index_sequence<kLevels>());

  static inline std::array<Earlier, 32> earlier_;
};

}  // namespace belay
