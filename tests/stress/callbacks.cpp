// SPDX-License-Identifier: Apache-2.0
// Many streams, few serving threads, and everything that can be done to them at random:
//   stress_callbacks OPERATIONS [SEED]
// Every launch is accounted for: it is called exactly once, or its stream was unsubscribed, aborted or destroyed after
// it. Callbacks of a stream run in the order in which a thread launched them, never after their subscription has ended,
// and no task of the stream runs beside a BLOCK callback. The random choices are fixed by the seed; what the threads
// make of them is not.
#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <initializer_list>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"

namespace {

constexpr int kStreams = 64, kServers = 4, kDrivers = 4;

std::atomic<int> faults{0};

void fault(const char* what, long long detail = 0) {
  const char* text = aclGetRecentErrMsg();
  fprintf(stderr, "fault: %s (%lld) %s\n", what, detail, text ? text : "");
  ++faults;
}

void expect(aclError code, std::initializer_list<aclError> allowed, const char* what) {
  for (const aclError one : allowed)
    if (code == one) return;
  fault(what, code);
}

// A clock that counts events: a smaller number happened before, or at the same time.
std::atomic<uint64_t> ticks{1};
uint64_t tick() { return ticks.fetch_add(1) + 1; }

struct Slot;

struct Launch {
  Slot* slot;
  int driver;
  uint64_t number;  // of this driver on this slot
  bool block;
  uint64_t begun = 0;  // ticks
  std::atomic<uint64_t> ended{0};
  std::atomic<int> calls{0};
  std::atomic<bool> launched{false};
};

// The last time that something took a slot's callbacks away; zero: never.
struct Taking {
  uint64_t begun = 0, ended = 0;
};

struct Slot {
  std::atomic<aclrtStream> stream{nullptr};
  std::atomic<uint64_t> takings_begun{0}, takings_ended{0};
  std::atomic<uint64_t>* word = nullptr;  // in pinned memory: changed by tasks of the stream
  std::mutex replacing;

  std::mutex mutex;
  // Guarded by mutex.
  Taking last_taking, last_unsubscribe;
  std::array<uint64_t, kDrivers> last_number{};

  std::atomic<int> blocking{0};  // BLOCK callbacks that run
};

std::array<Slot, kStreams> slots;
std::array<pthread_t, kServers> servers;
std::atomic<bool> stop_serving{false};
aclrtContext context;

struct Tally {
  std::atomic<long> launched{0}, called{0}, taken{0}, operations{0};
} tally;

void check_order(Launch& launch) {
  std::lock_guard lock(launch.slot->mutex);
  Slot& slot = *launch.slot;
  uint64_t& last = slot.last_number[launch.driver];
  if (launch.number <= last) fault("a callback overtook another of its stream", static_cast<long long>(launch.number));
  last = launch.number;
  const uint64_t now = tick();
  const uint64_t ended = launch.ended;
  if (ended && ended < slot.last_unsubscribe.begun && now > slot.last_unsubscribe.ended && slot.last_unsubscribe.ended)
    fault("a callback ran after its stream was unsubscribed");
}

void callback(void* data) {
  auto& launch = *static_cast<Launch*>(data);
  Slot& slot = *launch.slot;
  if (launch.calls.fetch_add(1) != 0) fault("a callback was called twice");
  check_order(launch);
  if (!launch.block) return;
  if (slot.blocking.fetch_add(1) != 0) fault("two BLOCK callbacks of one stream ran at the same time");
  const uint64_t before = *slot.word;
  for (int i = 0; i < 200; ++i) asm volatile("" ::: "memory");
  if (launch.number % 16 == 0) std::this_thread::yield();
  if (*slot.word != before) fault("a task ran beside a BLOCK callback");
  slot.blocking.fetch_sub(1);
}

void serve() {
  while (!stop_serving) {
    const aclError code = aclrtProcessReport(50);
    expect(code, {0, ACL_ERROR_RT_THREAD_SUBSCRIBE, ACL_ERROR_RT_REPORT_TIMEOUT}, "aclrtProcessReport");
    if (code == ACL_ERROR_RT_THREAD_SUBSCRIBE) std::this_thread::yield();
  }
}

// One of the threads that do things at random.
class Driver {
 public:
  Driver(int index, uint64_t seed) : index_(index), random_(seed * 1000003 + static_cast<uint64_t>(index)) {}

  void run(long operations) {
    if (aclrtSetCurrentContext(context) != ACL_SUCCESS) fault("aclrtSetCurrentContext");
    if (aclrtCreateEventExWithFlag(&event_, ACL_EVENT_SYNC) != ACL_SUCCESS) fault("aclrtCreateEventExWithFlag");
    for (long i = 0; i < operations; ++i) {
      one_of(slots[random_() % kStreams]);
      ++tally.operations;
    }
    expect(aclrtDestroyEvent(event_), {0}, "aclrtDestroyEvent");
  }

  std::deque<Launch>& launches() { return launches_; }

 private:
  void one_of(Slot& slot) {
    const unsigned dice = random_() % 1000;
    if (dice < 550) return launch(slot);
    if (dice < 700) return write(slot);
    if (dice < 760) return join(slot, slots[random_() % kStreams]);
    if (dice < 860) return subscribe(slot);
    if (dice < 890) return unsubscribe(slot);
    if (dice < 970) return synchronize(slot);
    if (dice < 985) return abort(slot);
    return replace(slot, dice % 2);
  }

  Launch& launch_one(Slot& slot, bool block) {
    Launch& launch = launches_.emplace_back();
    launch.slot = &slot;
    launch.driver = index_;
    launch.number = ++next_number_;
    launch.block = block;
    launch.begun = tick();
    const aclError code =
        aclrtLaunchCallback(callback, &launch, block ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK, slot.stream);
    expect(code, {0, ACL_ERROR_RT_STREAM_NO_CB_REG, ACL_ERROR_RT_INVALID_HANDLE}, "aclrtLaunchCallback");
    launch.ended = tick();
    launch.launched = code == ACL_SUCCESS;
    if (launch.launched) ++tally.launched;
    return launch;
  }

  void launch(Slot& slot) { launch_one(slot, random_() % 2); }

  void write(Slot& slot) {
    expect(aclrtValueWrite(slot.word, random_(), 0, slot.stream), {0, ACL_ERROR_RT_INVALID_HANDLE}, "aclrtValueWrite");
  }

  // One stream waits for what another has queued so far.
  void join(Slot& from, Slot& to) {
    expect(aclrtRecordEvent(event_, from.stream), {0, ACL_ERROR_RT_INVALID_HANDLE}, "aclrtRecordEvent");
    expect(aclrtStreamWaitEvent(to.stream, event_), {0, ACL_ERROR_RT_INVALID_HANDLE}, "aclrtStreamWaitEvent");
  }

  void subscribe(Slot& slot) {
    expect(aclrtSubscribeReport(servers[random_() % kServers], slot.stream),
           {0, ACL_ERROR_RT_STREAM_SUBSCRIBE, ACL_ERROR_RT_INVALID_HANDLE}, "aclrtSubscribeReport");
  }

  // What an operation that takes callbacks away reports about itself.
  template <class Operation>
  aclError taking(Slot& slot, bool unsubscribes, Operation operation) {
    const uint64_t begun = tick();
    ++slot.takings_begun;
    const aclError code = operation();
    if (code == ACL_SUCCESS) {
      std::lock_guard lock(slot.mutex);
      const Taking done{begun, tick()};
      slot.last_taking = done;
      if (unsubscribes && done.begun > slot.last_unsubscribe.begun) slot.last_unsubscribe = done;
    }
    ++slot.takings_ended;
    return code;
  }

  void unsubscribe(Slot& slot) {
    for (const pthread_t server : servers) {
      const aclError code = taking(slot, true, [&] { return aclrtUnSubscribeReport(server, slot.stream); });
      expect(code, {0, ACL_ERROR_RT_STREAM_SUBSCRIBE, ACL_ERROR_RT_THREAD_SUBSCRIBE, ACL_ERROR_RT_INVALID_HANDLE},
             "aclrtUnSubscribeReport");
      if (code != ACL_ERROR_RT_THREAD_SUBSCRIBE) return;
    }
  }

  void abort(Slot& slot) {
    expect(taking(slot, false, [&] { return aclrtStreamAbort(slot.stream); }), {0, ACL_ERROR_RT_INVALID_HANDLE},
           "aclrtStreamAbort");
  }

  // What was launched before and not taken away has been called when synchronize returns.
  void synchronize(Slot& slot) {
    const uint64_t ended = slot.takings_ended;
    const bool quiet = slot.takings_begun == ended;
    Launch& last = launch_one(slot, true);
    const aclError code = aclrtSynchronizeStreamWithTimeout(slot.stream, 120000);
    expect(code, {0, ACL_ERROR_RT_STREAM_ABORT, ACL_ERROR_RT_INVALID_HANDLE}, "aclrtSynchronizeStreamWithTimeout");
    if (code == ACL_SUCCESS && last.launched && quiet && slot.takings_begun == ended && last.calls != 1)
      fault("synchronize returned before a BLOCK callback had run");
  }

  // In between, others find a dead handle.
  void replace(Slot& slot, bool force) {
    std::lock_guard lock(slot.replacing);
    const aclrtStream old = slot.stream;
    const aclError code =
        taking(slot, true, [&] { return force ? aclrtDestroyStreamForce(old) : aclrtDestroyStream(old); });
    expect(code, {0}, "aclrtDestroyStream");
    aclrtStream made = nullptr;
    expect(aclrtCreateStream(&made), {0}, "aclrtCreateStream");
    slot.stream = made;
  }

  const int index_;
  std::mt19937_64 random_;
  uint64_t next_number_ = 0;
  aclrtEvent event_ = nullptr;
  std::deque<Launch> launches_;
};

void check(Launch& launch) {
  const int calls = launch.calls;
  if (calls == 1) ++tally.called;
  if (!launch.launched) {
    if (calls != 0) fault("a refused launch was called");
    return;
  }
  if (calls == 1) return;
  ++tally.taken;
  std::lock_guard lock(launch.slot->mutex);
  if (launch.slot->last_taking.ended < launch.begun) fault("a callback was lost", calls);
}

void finish_streams() {
  for (Slot& slot : slots) {
    // Behind the last callback there is nothing left, for a thread runs them in the order in which they became ready.
    const aclError code = aclrtSubscribeReport(servers[0], slot.stream);
    expect(code, {0, ACL_ERROR_RT_STREAM_SUBSCRIBE}, "aclrtSubscribeReport");
    std::atomic<bool> ran{false};
    const auto last = [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; };
    expect(aclrtLaunchCallback(last, &ran, ACL_CALLBACK_BLOCK, slot.stream), {0}, "aclrtLaunchCallback");
    expect(aclrtSynchronizeStreamWithTimeout(slot.stream, 120000), {0}, "aclrtSynchronizeStreamWithTimeout");
    if (!ran) fault("the last callback did not run");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long operations = argc > 1 ? atol(argv[1]) : 100000;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], nullptr, 10) : 1;
  expect(aclInit(nullptr), {0}, "aclInit");
  expect(aclrtSetDevice(0), {0}, "aclrtSetDevice");
  expect(aclrtCreateContext(&context, 0), {0}, "aclrtCreateContext");
  for (Slot& slot : slots) {
    aclrtStream made = nullptr;
    void* word = nullptr;
    expect(aclrtCreateStream(&made), {0}, "aclrtCreateStream");
    expect(aclrtMallocHost(&word, 64), {0}, "aclrtMallocHost");
    slot.word = new (word) std::atomic<uint64_t>(0);
    slot.stream = made;
  }
  std::vector<std::thread> serving;
  for (int i = 0; i < kServers; ++i) {
    serving.emplace_back(serve);
    servers[i] = serving.back().native_handle();
  }

  const auto start = std::chrono::steady_clock::now();
  std::deque<Driver> drivers;
  std::vector<std::thread> driving;
  for (int i = 0; i < kDrivers; ++i) {
    Driver& driver = drivers.emplace_back(i, seed);
    driving.emplace_back([&driver, operations] { driver.run(operations / kDrivers); });
  }
  for (auto& thread : driving) thread.join();
  finish_streams();
  stop_serving = true;
  for (auto& thread : serving) thread.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  for (Driver& driver : drivers)
    for (Launch& launch : driver.launches()) check(launch);
  expect(aclrtDestroyContext(context), {0}, "aclrtDestroyContext");
  expect(aclrtResetDevice(0), {0}, "aclrtResetDevice");
  expect(aclFinalize(), {0}, "aclFinalize");
  printf("%ld operations in %.1f s: %ld callbacks launched, %ld called, %ld taken away, %d faults\n",
         tally.operations.load(), took.count(), tally.launched.load(), tally.called.load(), tally.taken.load(),
         faults.load());
  return faults == 0 ? 0 : 1;
}
