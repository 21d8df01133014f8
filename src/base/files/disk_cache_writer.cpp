// SPDX-License-Identifier: Apache-2.0
#include "base/files/disk_cache_writer.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "base/threads/futex.h"
#include "base/threads/parallel.h"
#include "base/threads/signal_lock.h"

namespace belay {
namespace {

constexpr uint64_t kMostWaiting = uint64_t{1} << 30;    // bytes that wait for the disk
constexpr auto kPatience = std::chrono::seconds(30);    // of an exit, while nothing gets stored
constexpr auto kLook = std::chrono::milliseconds(100);  // between two looks at the clock
constexpr auto kCalm = std::chrono::milliseconds(100);  // without anything new, until storing begins

struct Job {
  DiskCache& cache;
  std::string key, label;
  std::shared_ptr<const void> content;
  size_t bytes;
  Job* next = nullptr;

  void store() const { cache.store(key, label, {static_cast<const std::byte*>(content.get()), bytes}); }
};

// What waits to be stored, and the thread that does it. A handler may exit while its thread is in here: so nothing is
// waited for under the lock, and nothing allocated.
class Writer {
 public:
  void add(std::unique_ptr<Job> job) {
    if (ended_) return job->store();
    wait_until([&] { return waiting_ == 0 || waiting_ + job->bytes <= kMostWaiting; });
    waiting_ += job->bytes;
    bool starts = false;
    {
      const SignalLock::Guard guard(lock_);
      Job* const last = std::exchange(last_, job.get());
      (last ? last->next : first_) = job.release();
      ++given_;
      starts = !std::exchange(serving_, true);
    }
    if (starts) start();
    futex_wake(given_, 1);
  }

  void finish() {
    wait_until([this] { return stored_ == given_; });
  }

  // Does not wait for a disk that stands still.
  void end() {
    ended_ = true;
    const Hurry hurry(*this);
    uint32_t seen = stored_;
    for (auto since = Clock::now(); stored_ != given_ && Clock::now() - since < kPatience;) {
      futex_wait(stored_, seen, kLook);
      if (const uint32_t now = stored_; now != seen) seen = now, since = Clock::now();
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  // While one lives, somebody waits for the thread.
  class Hurry {
   public:
    explicit Hurry(Writer& writer) : writer_(writer) {
      ++writer_.hurried_;
      futex_wake(writer_.given_, 1);
    }
    ~Hurry() { --writer_.hurried_; }
    Hurry(const Hurry&) = delete;
    Hurry& operator=(const Hurry&) = delete;

   private:
    Writer& writer_;
  };

  template <class Ready>
  void wait_until(const Ready& ready) {
    if (ready()) return;
    const Hurry hurry(*this);
    for (uint32_t seen = stored_; !ready(); seen = stored_) futex_wait(stored_, seen);
  }

  void start() {
    const SignalsBlocked inherited;
    try {
      std::thread thread([this] { serve(); });
      (void)pthread_setname_np(thread.native_handle(), "belay-cache");
      thread.detach();
    } catch (const std::system_error&) {  // no more threads are allowed
      const Hurry hurry(*this);
      serve();
    }
  }

  // Returns when there is nothing to do: a process whose main thread has left ends with its last thread.
  void serve() {
    const ThreadScope alone(1);  // the cores are for those who compute
    do {
      // Whoever loads a model has the machine to himself: memory for files would be taken from him.
      for (uint32_t given = given_; !hurried_; given = given_) {
        futex_wait(given_, given, kCalm);
        if (given_ == given) break;
      }
      while (const std::unique_ptr<Job> job = take()) {
        job->store();
        job->content = nullptr;
        waiting_ -= job->bytes;
        ++stored_;
        futex_wake(stored_, INT_MAX);
      }
    } while (!leave());
  }

  // False: there is something to do again.
  bool leave() {
    const SignalLock::Guard guard(lock_);
    if (first_) return false;
    serving_ = false;
    return true;
  }

  std::unique_ptr<Job> take() {
    const SignalLock::Guard guard(lock_);
    Job* const job = first_;
    if (!job) return nullptr;
    first_ = job->next;
    if (!first_) last_ = nullptr;
    return std::unique_ptr<Job>(job);
  }

  SignalLock lock_;
  Job* first_ = nullptr;  // guarded by lock_
  Job* last_ = nullptr;   // guarded by lock_
  bool serving_ = false;  // there is a thread; guarded by lock_
  std::atomic<uint32_t> given_{0}, stored_{0};
  std::atomic<uint64_t> waiting_{0};  // bytes
  std::atomic<int> hurried_{0};
  std::atomic<bool> ended_{false};  // what comes now is stored at once
};

std::atomic<Writer*> one{nullptr};

void end_of_process() { one.load()->end(); }

// A forked process has another: the thread stays with the parent, and so does its work.
Writer& writer() {
  static std::once_flag once;
  std::call_once(once, [] {
    one.store(new Writer);
    (void)std::atexit(end_of_process);
    (void)std::at_quick_exit(end_of_process);
    (void)pthread_atfork(nullptr, nullptr, [] { one.store(new Writer); });
  });
  return *one.load(std::memory_order_acquire);
}

}  // namespace

void store_later(DiskCache& cache, std::string key, std::string label, std::shared_ptr<const void> content,
                 size_t bytes) {
  writer().add(std::unique_ptr<Job>(new Job{cache, std::move(key), std::move(label), std::move(content), bytes}));
}

void finish_storing() { writer().finish(); }

}  // namespace belay
