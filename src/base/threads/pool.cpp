// SPDX-License-Identifier: Apache-2.0
#include "base/threads/pool.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/endings/handler_stack.h"
#include "base/endings/trap.h"
#include "base/threads/cores.h"
#include "base/threads/futex.h"

namespace belay {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSpin = std::chrono::microseconds(50);   // that an idle thread looks for work before it sleeps
constexpr auto kCalm = std::chrono::milliseconds(100);  // without being displaced until the machine is not busy

thread_local bool in_loop = false;

// Somebody else wanted a core of ours lately: then waiting threads do not spin.
class Busyness {
 public:
  bool now() const { return Clock::now().time_since_epoch().count() < until_.load(std::memory_order_relaxed); }
  // Called by a thread of the pool; `displaced` is its own count.
  void look(long& displaced) {
    rusage usage{};
    if (getrusage(RUSAGE_THREAD, &usage) != 0 || usage.ru_nivcsw == displaced) return;
    displaced = usage.ru_nivcsw;
    until_.store((Clock::now() + kCalm).time_since_epoch().count(), std::memory_order_relaxed);
  }

 private:
  std::atomic<Clock::rep> until_{0};
};

void pause_briefly() {
#if defined(__x86_64__)
  for (int i = 0; i < 16; ++i) __builtin_ia32_pause();
#else
  for (int i = 0; i < 64; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

template <class Ready>
bool spin_until(const Ready& ready) {
  const auto end = Clock::now() + kSpin;
  do {
    for (int i = 0; i < 8; ++i) {
      if (ready()) return true;
      pause_briefly();
    }
  } while (Clock::now() < end);
  return ready();
}

// One call of work_together, on the stack of its thread.
class Loop {
 public:
  Loop(SharedWork& work, std::atomic<uint32_t>& bell) : work_(work), bell_(bell) {}

  void take_part(int64_t member) {
    const bool before = std::exchange(in_loop, true);
    auto body = [&] {
      try {
        work_.work(member);
      } catch (...) {
        if (!failed_.exchange(true)) error_ = std::current_exception();
      }
    };
    Trap trap;
    if (!owner_)
      body();
    else
      (void)trapped(body, trap, [&](const Trap& what, const void* context) { crashed(member, what, context); });
    in_loop = before;
  }

  // Called by the owner's thread while others are in the loop: shows what hit one of them, which waits for that.
  void show_crash() {
    if (stage_.load(std::memory_order_acquire) != Stage::Shown) return;
    Trap again;
    (void)trapped([&] { owner_.show(trap_, context_); }, again);
    finish(Stage::Done);
  }

  // When all have left.
  void end() {
    if (stage_.load(std::memory_order_acquire) == Stage::Done) owner_.end(trap_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  enum class Stage : uint32_t { None, Taken, Shown, Done };

  // In the handler of the member's thread, whose stack is whole until it returns.
  void crashed(int64_t member, const Trap& what, const void* context) {
    auto none = Stage::None;
    if (!stage_.compare_exchange_strong(none, Stage::Taken)) return;
    trap_ = what;
    context_ = context;
    if (member == 0) {
      owner_.show(what, context);
      return finish(Stage::Done);
    }
    stage_.store(Stage::Shown, std::memory_order_release);
    ++bell_;
    futex_wake(bell_, INT_MAX);
    while (stage_.load(std::memory_order_acquire) != Stage::Done) sched_yield();
  }
  void finish(Stage stage) { stage_.store(stage, std::memory_order_release); }

  SharedWork& work_;
  std::atomic<uint32_t>& bell_;
  const TrapOwner owner_;
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
  std::atomic<Stage> stage_{Stage::None};
  Trap trap_;
  const void* context_ = nullptr;
};

// A place for an open loop. Threads come as long as it is open and they are fewer than wanted; whoever finds the work
// taken closes it. The loop lives until as many have left as came.
class alignas(64) Slot {
 public:
  bool take() { return !taken_.load(std::memory_order_relaxed) && !taken_.exchange(true, std::memory_order_acquire); }
  void give_back() { taken_.store(false, std::memory_order_release); }
  std::atomic<uint32_t>& bell() { return bell_; }

  void open(Loop& loop, uint64_t wanted) {
    loop_ = &loop;
    asleep_.store(0, std::memory_order_relaxed);
    state_.store(kOpen | wanted << kWanted, std::memory_order_release);
  }
  void close() { state_.fetch_and(~kOpen, std::memory_order_acq_rel); }

  // How many came, when another one is wanted; -1: none is.
  int64_t room() const {
    const uint64_t state = state_.load(std::memory_order_relaxed);
    return (state & kOpen) && field(state, kCame) < field(state, kWanted) ? static_cast<int64_t>(field(state, kCame))
                                                                          : -1;
  }

  // So many of the wanted threads sleep.
  void count_asleep(int64_t threads) { asleep_.store(threads, std::memory_order_relaxed); }
  // How many of them to wake now, 2 at the most: to wake one takes microseconds, which whoever opened the loop should
  // not pay for all. Those that come wake the next.
  int64_t to_wake() {
    int64_t asleep = asleep_.load(std::memory_order_relaxed);
    while (asleep > 0) {
      const int64_t now = std::min<int64_t>(asleep, 2);
      if (asleep_.compare_exchange_weak(asleep, asleep - now, std::memory_order_relaxed)) return now;
    }
    return 0;
  }

  // A thread of the pool comes, calls came(), works and leaves; false: it was not wanted any more.
  template <class Came>
  bool help(const Came& came) {
    uint64_t state = state_.load(std::memory_order_relaxed);
    do {
      if (!(state & kOpen) || field(state, kCame) >= field(state, kWanted)) return false;
    } while (!state_.compare_exchange_weak(state, state + (1ull << kCame), std::memory_order_acq_rel));
    came();
    loop_->take_part(static_cast<int64_t>(field(state, kCame)) + 1);
    close();
    state = state_.fetch_add(1ull << kLeft, std::memory_order_acq_rel);
    if ((state & kWaited) && field(state, kLeft) + 1 == field(state, kCame)) {
      ++bell_;
      futex_wake(bell_, INT_MAX);
    }
    return true;
  }

  // Until all have left; the loop is closed.
  void wait(Loop& loop) {
    const auto alone = [&] {
      const uint64_t state = state_.load(std::memory_order_acquire);
      return field(state, kLeft) == field(state, kCame);
    };
    if (spin_until(alone)) return;
    for (;;) {
      const uint32_t heard = bell_.load(std::memory_order_acquire);
      state_.fetch_or(kWaited, std::memory_order_acq_rel);
      if (alone()) return;
      loop.show_crash();
      futex_wait(bell_, heard);
    }
  }

 private:
  static constexpr uint64_t kOpen = 1, kWaited = 2;
  static constexpr int kWanted = 4, kCame = 24, kLeft = 44;  // where counts of threads begin
  static uint64_t field(uint64_t state, int at) { return state >> at & 0xfffff; }

  std::atomic<bool> taken_{false};
  std::atomic<uint32_t> bell_{0};
  std::atomic<uint64_t> state_{0};
  std::atomic<int64_t> asleep_{0};  // wanted threads that sleep and that nobody has woken yet
  Loop* loop_ = nullptr;
};

// What a thread of the pool does. Whoever calls it says that it works; it then looks for an open loop.
class alignas(64) Seat {
 public:
  enum : uint32_t { kWorks, kSpins, kSleeps };

  // Calls the thread if it does `what`.
  bool call(uint32_t what) {
    uint32_t does = does_.load(std::memory_order_relaxed);
    if (does != what || !does_.compare_exchange_strong(does, kWorks)) return false;
    if (what == kSleeps) futex_wake(does_, 1);
    return true;
  }
  void call() {
    if (does_.exchange(kWorks) == kSleeps) futex_wake(does_, 1);
  }

  // For the thread itself: lie() makes it callable, rest() returns when it was called.
  void lie() { does_.store(kSpins); }
  void rest(bool spin) {
    if (spin && spin_until([&] { return does_.load(std::memory_order_relaxed) == kWorks; })) return;
    uint32_t does = kSpins;
    if (!does_.compare_exchange_strong(does, kSleeps)) return;
    while (does_.load(std::memory_order_relaxed) == kSleeps) futex_wait(does_, kSleeps);
  }

 private:
  std::atomic<uint32_t> does_{kWorks};
};

class Pool {
 public:
  void run(int64_t members, SharedWork& work) {
    Slot* slot = free_slot();
    const int64_t wanted = slot ? std::min<int64_t>(members - 1, start(members - 1)) : 0;
    std::atomic<uint32_t> nobody{0};
    Loop loop(work, slot ? slot->bell() : nobody);
    if (wanted > 0) {
      loops_.fetch_add(1, std::memory_order_relaxed);
      slot->open(loop, static_cast<uint64_t>(wanted));
      call(wanted, *slot);
    }
    loop.take_part(0);
    if (wanted > 0) {
      slot->close();
      slot->wait(loop);
    }
    if (slot) slot->give_back();
    loop.end();
  }

  void end_threads() {
    std::lock_guard lock(mutex_);
    ++generation_;
    for (int64_t i = 0; i < started_; ++i) seat(first_ + i).call();
    first_ += started_;
    started_ = 0;
    full_ = false;
  }

  PoolCounters counters() const {
    return {loops_.load(std::memory_order_relaxed), pieces_.load(std::memory_order_relaxed),
            helped_.load(std::memory_order_relaxed), woken_.load(std::memory_order_relaxed)};
  }
  void count(uint64_t pieces) { pieces_.fetch_add(pieces, std::memory_order_relaxed); }

 private:
  Slot* free_slot() {
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (!slots_[i].take()) continue;
      for (size_t used = used_.load(); used <= i && !used_.compare_exchange_weak(used, i + 1);) {
      }
      return &slots_[i];
    }
    return nullptr;
  }

  // Has up to so many threads started; how many there are.
  int64_t start(int64_t wanted) {
    if (const int64_t ready = started_.load(std::memory_order_acquire); ready >= wanted || full_) return ready;
    std::lock_guard lock(mutex_);
    const int64_t most = std::min<int64_t>(wanted, usable_cores() - 1);
    while (started_ < most && !full_) full_ = !start_one();
    if (started_ >= usable_cores() - 1) full_ = true;
    return started_;
  }

  // Threads of ours take no signals but those of their own crashes.
  bool start_one() {
    sigset_t all, before;
    (void)sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) (void)sigdelset(&all, own);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    bool done = true;
    try {
      std::thread thread(
          [this, at = first_ + started_, generation = generation_.load()] { serve(seat(at), generation); });
      (void)pthread_setname_np(thread.native_handle(), "belay-pool");
      thread.detach();
      ++started_;
    } catch (const std::system_error&) {  // no more threads are allowed: those that are there do the work
      done = false;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return done;
  }

  // Those that are awake, then those that sleep, and of either the first: loops of few threads find the same ones each
  // time, with what they read in their caches, and the others stay asleep.
  void call(int64_t wanted, Slot& slot) {
    slot.count_asleep(wanted - call(wanted, Seat::kSpins));
    wake(slot);
  }
  int64_t call(int64_t wanted, uint32_t what) {
    int64_t called = 0;
    const int64_t first = first_, end = first + started_;
    for (int64_t at = first; at < end && called < wanted; ++at) called += seat(at).call(what);
    return called;
  }
  void wake(Slot& slot) {
    if (const int64_t threads = slot.to_wake(); threads > 0)
      woken_.fetch_add(static_cast<uint64_t>(call(threads, Seat::kSleeps)), std::memory_order_relaxed);
  }
  // Threads that end may still be in their seats when the next have started, so these have others.
  Seat& seat(int64_t at) { return seats_[static_cast<size_t>(at) % seats_.size()]; }

  void serve(Seat& seat, uint64_t generation) {
    const HandlerStack stack;
    long displaced = 0;
    for (;;) {
      if (Slot* slot = neediest()) {
        help(*slot);
        continue;
      }
      seat.lie();
      if (generation_.load() != generation) return;
      if (neediest()) {  // opened just before this thread could be called
        seat.call();
        continue;
      }
      busy_.look(displaced);
      seat.rest(!busy_.now());
    }
  }

  // The open loop that has fewest threads of those that want more.
  Slot* neediest() {
    Slot* best = nullptr;
    int64_t fewest = INT64_MAX;
    const size_t used = used_.load(std::memory_order_acquire);
    for (size_t i = 0; i < used; ++i) {
      const int64_t came = slots_[i].room();
      if (came < 0 || came >= fewest) continue;
      best = &slots_[i];
      fewest = came;
    }
    return best;
  }
  void help(Slot& slot) {
    if (slot.help([&] { wake(slot); })) helped_.fetch_add(1, std::memory_order_relaxed);
  }

  std::array<Slot, 64> slots_;
  std::atomic<size_t> used_{0};  // slots that were ever taken
  std::array<Seat, 1024> seats_;
  alignas(64) std::atomic<uint64_t> loops_{0}, pieces_{0}, helped_{0}, woken_{0};
  Busyness busy_;
  std::mutex mutex_;                            // for starting and ending threads
  std::atomic<uint64_t> generation_{0};         // threads of an earlier one end
  std::atomic<int64_t> first_{0}, started_{0};  // the seats of those that are there
  std::atomic<bool> full_{false};               // no more can be started
};

std::atomic<Pool*> one{nullptr};

Pool& pool() {
  static std::once_flag once;
  std::call_once(once, [] {
    one.store(new Pool);
    // The threads stay with the parent, and so does the pool: one of them may have been in the middle of something.
    (void)pthread_atfork(nullptr, nullptr, [] {
      one.store(new Pool);
      in_loop = false;
    });
  });
  return *one.load(std::memory_order_acquire);
}

}  // namespace

void work_together(int64_t members, SharedWork& work) { pool().run(members, work); }

void end_pool_threads() {
  if (Pool* made = one.load(std::memory_order_acquire)) made->end_threads();
}

bool works_together() { return in_loop; }

PoolCounters pool_counters() { return pool().counters(); }

void count_pieces(uint64_t pieces) { pool().count(pieces); }

}  // namespace belay
