// SPDX-License-Identifier: Apache-2.0
#include "dump/writing/outgoing_queue.h"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <memory>
#include <system_error>

#include "base/log/log.h"

namespace belay::dump {
namespace {

constexpr long kPatience = 200'000'000;  // nanoseconds, with items that came quietly
constexpr long kLook = 200'000;          // nanoseconds between two looks at what others do

thread_local const OutgoingQueue* served = nullptr;

timespec later(long nanoseconds) {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  time.tv_nsec += nanoseconds;
  time.tv_sec += time.tv_nsec / 1'000'000'000;
  time.tv_nsec %= 1'000'000'000;
  return time;
}

int64_t seconds_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

}  // namespace

struct OutgoingQueue::Node {
  Outgoing item;
  uint64_t number = 0;
  int error = 0;
  std::atomic<bool> consumed{false};
  bool* finished = nullptr;  // whom to tell; guarded by mutex_
  // Guarded by lock_.
  Node *before = nullptr, *after = nullptr, *next_done = nullptr;
};

OutgoingQueue::OutgoingQueue(const char* name, size_t threads, bool uninterrupted, Consume consume, Failed failed)
    : name_(name),
      thread_count_(threads),
      uninterrupted_(uninterrupted),
      consume_(std::move(consume)),
      failed_(std::move(failed)) {
  sem_init(&work_, 0, 0);
}

OutgoingQueue::~OutgoingQueue() {
  ending_ = true;
  call(threads_.size());
  for (std::thread& thread : threads_) thread.join();
  let_go_of_done();
  sem_destroy(&work_);
}

bool OutgoingQueue::forked() const {
  const pid_t owner = owner_.load(std::memory_order_relaxed);
  return owner != 0 && owner != getpid();
}

bool OutgoingQueue::on_own_thread() const { return served == this; }

void OutgoingQueue::call(size_t threads) {
  called_ = true;
  for (size_t i = 0; i < threads; ++i) sem_post(&work_);
}

bool OutgoingQueue::start_threads() {
  std::lock_guard lock(mutex_);
  if (!threads_.empty()) return true;
  try {
    threads_.reserve(thread_count_);
    std::unique_ptr<SignalsBlocked> inherited;
    if (uninterrupted_) inherited = std::make_unique<SignalsBlocked>();
    while (threads_.size() < thread_count_) {
      threads_.emplace_back([this] { work(); });
      pthread_setname_np(threads_.back().native_handle(), name_);
    }
  } catch (const std::system_error& e) {
    log_notice(LogModule::Dump, "only {} of {} threads {} could be started: {}", threads_.size(), thread_count_, name_,
               e.what());
  }
  if (!threads_.empty()) owner_ = getpid();
  return !threads_.empty();
}

bool OutgoingQueue::submit(Outgoing& item, bool* finished) { return add(item, false, finished); }

bool OutgoingQueue::submit_quietly(Outgoing& item) { return add(item, true, nullptr); }

void OutgoingQueue::wait(const bool& finished) {
  std::unique_lock lock(mutex_);
  let_go_.wait(lock, [&] { return finished; });
}

// Whatever may fail comes before the item is moved.
bool OutgoingQueue::add(Outgoing& item, bool quietly, bool* finished) {
  if (forked() || !start_threads()) return false;
  auto node = std::make_unique<Node>();
  node->item = std::move(item);
  node->finished = finished;
  bool first = false;
  if (!append(node.get(), first)) {
    item = std::move(node->item);
    return false;
  }
  (void)node.release();
  if (!quietly) called_ = true;
  if (!quietly || first) sem_post(&work_);
  return true;
}

bool OutgoingQueue::append(Node* node, bool& first) {
  const SignalLock::Guard guard(lock_);
  if (closed_) return false;
  node->number = ++last_;
  node->before = newest_;
  (newest_ ? newest_->after : oldest_) = node;
  newest_ = node;
  first = next_ == nullptr;
  if (first) next_ = node;
  return true;
}

void OutgoingQueue::close() {
  const SignalLock::Guard guard(lock_);
  closed_ = true;
}

void OutgoingQueue::open() {
  const SignalLock::Guard guard(lock_);
  closed_ = false;
}

OutgoingQueue::Node* OutgoingQueue::take() {
  const SignalLock::Guard guard(lock_);
  Node* const node = next_;
  if (!node) return nullptr;
  next_ = node->after;
  if (!next_) called_ = false;
  return node;
}

void OutgoingQueue::consume(Node& node) {
  node.error = consume_(node.item);
  ++consumed_count_;
  node.consumed.store(true, std::memory_order_release);
}

void OutgoingQueue::let_go(Node* node) {
  if (node->error) failed_(node->item, node->error);
  { const Outgoing gone = std::move(node->item); }  // its memory is free before anybody is told
  {
    const SignalLock::Guard guard(lock_);
    (node->before ? node->before->after : oldest_) = node->after;
    (node->after ? node->after->before : newest_) = node->before;
  }
  {
    std::lock_guard lock(mutex_);
    if (node->finished) *node->finished = true;
  }
  let_go_.notify_all();
  delete node;
}

void OutgoingQueue::let_go_of_done() {
  for (;;) {
    Node* node = nullptr;
    {
      const SignalLock::Guard guard(lock_);
      node = done_;
      if (!node) return;
      done_ = node->next_done;
    }
    let_go(node);
  }
}

bool OutgoingQueue::consume_one() {
  Node* node = nullptr;
  {
    const SignalsBlocked blocked;  // a handler would wait for what it interrupts
    node = take();
    if (node) consume(*node);
  }
  if (!node) return false;
  let_go(node);
  return true;
}

void OutgoingQueue::drain() {
  if (on_own_thread() || forked()) return;
  std::unique_lock lock(mutex_);
  uint64_t last = 0;
  bool waiting = false;
  {
    const SignalLock::Guard guard(lock_);
    last = last_;
    waiting = next_ != nullptr;
  }
  if (waiting) call(threads_.size());
  let_go_.wait(lock, [&] {
    const SignalLock::Guard guard(lock_);
    return !oldest_ || oldest_->number > last;
  });
}

bool OutgoingQueue::others_have_begun() {
  const SignalLock::Guard guard(lock_);
  for (const Node* node = oldest_; node; node = node->after)
    if (!node->consumed.load(std::memory_order_acquire)) return true;
  return false;
}

void OutgoingQueue::finish(int patience_s) {
  if (forked()) return;
  const SignalsBlocked blocked;
  close();
  while (Node* node = take()) {
    consume(*node);
    const SignalLock::Guard guard(lock_);
    node->next_done = done_;
    done_ = node;
  }
  uint64_t seen = consumed_count_;
  for (int64_t since = seconds_now(); others_have_begun() && seconds_now() - since <= patience_s;) {
    const timespec look{.tv_sec = 0, .tv_nsec = kLook};
    nanosleep(&look, nullptr);
    if (const uint64_t now = consumed_count_; now != seen) seen = now, since = seconds_now();
  }
  sem_post(&work_);  // so that somebody lets go of it, should the process go on
}

void OutgoingQueue::work() {
  served = this;
  for (;;) {
    while (sem_wait(&work_) != 0 && errno == EINTR) {
    }
    const timespec until = later(kPatience);
    while (!called_ && !ending_ && (sem_clockwait(&work_, CLOCK_MONOTONIC, &until) == 0 || errno == EINTR)) {
    }
    let_go_of_done();
    while (Node* node = take()) {
      consume(*node);
      let_go(node);
    }
    if (ending_) return;
  }
}

}  // namespace belay::dump
