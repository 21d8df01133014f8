// SPDX-License-Identifier: Apache-2.0
// From launching a callback to its run, against two bare hand-offs between threads; and how many go through.
#include <benchmark/benchmark.h>
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "acl/acl.h"

namespace {

// One slot that one thread fills and another empties.
class HandOff {
 public:
  void give() {
    {
      std::lock_guard lock(mutex_);
      ++count_;
    }
    ready_.notify_one();
  }
  bool take() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return count_ > 0 || over_; });
    if (count_ == 0) return false;
    --count_;
    return true;
  }
  void end() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    ready_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  int count_ = 0;
  bool over_ = false;
};

std::atomic<int64_t> g_called{0};

void called(void*) { g_called.fetch_add(1, std::memory_order_release); }

void wait_until(int64_t count) {
  while (g_called.load(std::memory_order_acquire) < count) std::this_thread::yield();
}

void BM_TwoBareHandOffs(benchmark::State& state) {
  HandOff to_worker, to_server;
  g_called = 0;
  std::thread worker([&] {
    while (to_worker.take()) to_server.give();
  });
  std::thread server([&] {
    while (to_server.take()) called(nullptr);
  });
  int64_t sent = 0;
  for (auto _ : state) {
    to_worker.give();
    wait_until(++sent);
  }
  to_worker.end();
  worker.join();
  to_server.end();
  server.join();
}
BENCHMARK(BM_TwoBareHandOffs)->UseRealTime();

// A stream with a thread that serves it.
class Served {
 public:
  Served() {
    aclrtCreateStream(&stream);
    server_ = std::thread([this] {
      while (!over_) aclrtProcessReport(1000);
    });
    aclrtSubscribeReport(server_.native_handle(), stream);
  }
  ~Served() {
    over_ = true;
    aclrtUnSubscribeReport(server_.native_handle(), stream);
    server_.join();
    aclrtDestroyStream(stream);
  }
  aclrtStream stream = nullptr;

 private:
  std::atomic<bool> over_{false};
  std::thread server_;
};

void BM_CallbackLaunchToRun(benchmark::State& state) {
  Served served;
  g_called = 0;
  int64_t sent = 0;
  for (auto _ : state) {
    aclrtLaunchCallback(called, nullptr, ACL_CALLBACK_BLOCK, served.stream);
    wait_until(++sent);
  }
}
BENCHMARK(BM_CallbackLaunchToRun)->UseRealTime();

void BM_MillionCallbacks(benchmark::State& state) {
  constexpr int kCallbacks = 1000000;
  Served served;
  int64_t sent = g_called = 0;
  for (auto _ : state) {
    for (int i = 0; i < kCallbacks; ++i) aclrtLaunchCallback(called, nullptr, ACL_CALLBACK_NO_BLOCK, served.stream);
    wait_until(sent += kCallbacks);
  }
  state.SetItemsProcessed(state.iterations() * kCallbacks);
}
BENCHMARK(BM_MillionCallbacks)->UseRealTime()->Iterations(2)->Unit(benchmark::kMillisecond);

}  // namespace
