// SPDX-License-Identifier: Apache-2.0
// Queueing an empty task, against a push into the simplest queue that does the same job.
#include <benchmark/benchmark.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "acl/acl.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"
#include "runtime/stream/stream.h"

namespace {

// A mutex, a deque and a condition variable, and a thread that runs what is pushed.
class BareQueue {
 public:
  BareQueue() : worker_([this] { work(); }) {}
  ~BareQueue() {
    push(nullptr);
    worker_.join();
  }
  void push(std::function<void()> task) {
    {
      std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    ready_.notify_one();
  }
  void drain() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return tasks_.empty(); });
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [this] { return !tasks_.empty(); });
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      if (tasks_.empty()) idle_.notify_all();
      lock.unlock();
      if (!task) return;
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable ready_, idle_;
  std::deque<std::function<void()>> tasks_;
  std::thread worker_;
};

constexpr int kBatch = 10000;

void BM_BareQueuePush(benchmark::State& state) {
  BareQueue queue;
  for (auto _ : state) {
    for (int i = 0; i < kBatch; ++i) queue.push([] {});
    state.PauseTiming();
    queue.drain();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}
BENCHMARK(BM_BareQueuePush)->UseRealTime();

void BM_StreamLaunch(benchmark::State& state) {
  // The rooms are linked in twice (here and in the library): this is the runtime itself, without the C functions.
  if (!belay::find_device(0).ok()) return state.SkipWithError("no device");
  (void)(*belay::find_device(0))->set();
  auto stream = (*belay::current_context())->create_stream({});
  for (auto _ : state) {
    for (int i = 0; i < kBatch; ++i) (void)(*stream)->launch([] {});
    state.PauseTiming();
    (void)(*stream)->synchronize();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
  (void)(*belay::current_context())->destroy_stream(*stream, true);
  (void)(*belay::find_device(0))->reset(false);
}
BENCHMARK(BM_StreamLaunch)->UseRealTime();

}  // namespace
