// SPDX-License-Identifier: Apache-2.0
// Tasks that may be done on the thread that launches them (Stream::launch_or_do).
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/stream/stream.h"

namespace {

using namespace belay;

class Attempts : public testing::Test {
 protected:
  void SetUp() override {
    context = std::make_shared<Context>(**find_device(0), false);
    context->open();
    stream = *context->create_stream({});
  }
  void TearDown() override {
    stream.reset();
    EXPECT_TRUE(context->close().ok());
  }
  // A task that says that it ran, and on which thread; `done`: what its attempt comes to.
  Status launch(bool done, int name) {
    return stream->launch_or_do(
        [this, name](const Stream::Place&) -> Result<Task> {
          return Task([this, name] { note(name, std::this_thread::get_id()); });
        },
        [this, name, done] {
          if (done) note(name, std::this_thread::get_id());
          return done;
        });
  }
  void note(int name, std::thread::id thread) {
    std::lock_guard lock(mutex);
    names.push_back(name);
    threads.push_back(thread);
  }

  std::shared_ptr<Context> context;
  std::shared_ptr<Stream> stream;
  std::mutex mutex;
  std::vector<int> names;
  std::vector<std::thread::id> threads;
};

TEST_F(Attempts, AreMadeHereWhenTheStreamHasNothingElseToDo) {
  ASSERT_TRUE(launch(true, 1).ok());
  EXPECT_TRUE(*stream->idle());
  EXPECT_EQ(names, std::vector{1});
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  EXPECT_EQ(*last_task_id(), 0u);
  ASSERT_TRUE(launch(true, 2).ok());
  EXPECT_EQ(*last_task_id(), 1u);
}

TEST_F(Attempts, ThatComeToNothingAreQueued) {
  ASSERT_TRUE(launch(false, 1).ok());
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(names, std::vector{1});
  EXPECT_NE(threads[0], std::this_thread::get_id());
}

TEST_F(Attempts, ThatThrowAreQueued) {
  ASSERT_TRUE(stream
                  ->launch_or_do([this](const Stream::Place&)
                                     -> Result<Task> { return Task([this] { note(1, std::this_thread::get_id()); }); },
                                 []() -> bool { throw std::bad_alloc(); })
                  .ok());
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(names, std::vector{1});
}

TEST_F(Attempts, AreNotMadeBehindOtherTasks) {
  std::promise<void> open;
  ASSERT_TRUE(
      stream->launch([opened = std::make_shared<std::future<void>>(open.get_future())] { opened->wait(); }).ok());
  ASSERT_TRUE(launch(true, 1).ok());
  EXPECT_TRUE(names.empty());
  open.set_value();
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(names, std::vector{1});
  EXPECT_NE(threads[0], std::this_thread::get_id());
}

// What others launch meanwhile comes after it, whether it is done here or queued.
TEST_F(Attempts, KeepTheOrder) {
  for (const bool done : {true, false}) {
    names.clear();
    ASSERT_TRUE(
        stream
            ->launch_or_do([this](const Stream::Place&) -> Result<Task> { return Task([this] { note(1, {}); }); },
                           [this, done] {
                             std::thread([this] {
                               for (int name = 2; name < 5; ++name)
                                 EXPECT_TRUE(stream->launch([this, name] { note(name, {}); }).ok());
                             }).join();
                             std::this_thread::sleep_for(std::chrono::milliseconds(2));
                             if (done) note(1, {});
                             return done;
                           })
            .ok());
    ASSERT_TRUE(stream->synchronize().ok());
    EXPECT_EQ(names, (std::vector{1, 2, 3, 4}));
  }
}

TEST_F(Attempts, AreDroppedByAnAbortMeanwhile) {
  auto alive = std::make_shared<int>();
  ASSERT_TRUE(
      stream
          ->launch_or_do(
              [this, alive](const Stream::Place&) -> Result<Task> { return Task([this, alive] { note(1, {}); }); },
              [this] {
                stream->abort(ACL_ERROR_RT_STREAM_ABORT);
                return false;
              })
          .ok());
  (void)stream->synchronize();
  while (alive.use_count() > 1) std::this_thread::yield();
  EXPECT_TRUE(names.empty());
  ASSERT_TRUE(launch(true, 2).ok());  // the stream can be used again
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(names, std::vector{2});
}

TEST_F(Attempts, EndBeforeTheStreamDoes) {
  std::promise<void> begun;
  std::atomic<bool> over{false};
  std::thread launches([&] {
    EXPECT_TRUE(stream
                    ->launch_or_do([](const Stream::Place&) -> Result<Task> { return Task([] {}); },
                                   [&] {
                                     begun.set_value();
                                     std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                     over = true;
                                     return true;
                                   })
                    .ok());
  });
  begun.get_future().wait();
  stream->close();
  EXPECT_TRUE(over);
  launches.join();
}

// Threads that launch and wait at once: each task runs once, and each wait ends.
TEST_F(Attempts, OfManyThreadsLoseNothing) {
  constexpr int kThreads = 4, kTimes = 2000;
  std::atomic<int> ran{0};
  std::vector<std::thread> all;
  for (int t = 0; t < kThreads; ++t)
    all.emplace_back([&, t] {
      for (int i = 0; i < kTimes; ++i) {
        const bool done = (i + t) % 3 != 0;
        const auto make = [&](const Stream::Place&) -> Result<Task> { return Task([&] { ++ran; }); };
        EXPECT_TRUE(stream->launch_or_do(make, [&] { return done && ++ran; }).ok());
        if (i % 7 == t) EXPECT_TRUE(stream->synchronize().ok());
      }
    });
  for (auto& thread : all) thread.join();
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(ran, kThreads * kTimes);
}

}  // namespace
