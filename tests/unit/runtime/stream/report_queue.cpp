// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/report_queue.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <future>
#include <vector>

namespace {

using namespace belay;
using namespace std::chrono_literals;

void count(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

class ReportQueueObject : public testing::Test {
 protected:
  std::shared_ptr<Subscription> subscribe(int device = 0) { return *ReportQueue::subscribe(queue, device, false); }
  std::shared_ptr<ReportQueue> queue = std::make_shared<ReportQueue>(pthread_self());
  std::atomic<int> runs{0};
};

TEST_F(ReportQueueObject, RunsWhatIsReadyAndSetsTheSignals) {
  const auto subscription = subscribe();
  auto returned = std::make_shared<Signal>();
  queue->post(subscription, {count, &runs}, nullptr);
  queue->post(subscription, {count, &runs}, returned);
  EXPECT_FALSE(returned->is_set());
  EXPECT_TRUE(queue->process(std::nullopt).ok());
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(returned->is_set());
  EXPECT_EQ(subscription->blocks_over, 1u);
  EXPECT_EQ(queue->process(1ms).code, ACL_ERROR_RT_REPORT_TIMEOUT);
  EXPECT_TRUE(queue->process(1ms).silent);
}

TEST_F(ReportQueueObject, WithoutSubscriptionReturnsAtOnce) {
  EXPECT_EQ(queue->process(std::nullopt).code, ACL_ERROR_RT_THREAD_SUBSCRIBE);
  const auto subscription = subscribe();
  EXPECT_EQ(queue->cancel(*subscription), 0u);
  EXPECT_EQ(queue->process(std::nullopt).code, ACL_ERROR_RT_THREAD_SUBSCRIBE);
  EXPECT_TRUE(queue->unused());
}

TEST_F(ReportQueueObject, CancelDropsOnlyItsOwnAndSetsTheirSignals) {
  const auto first = subscribe(), second = subscribe();
  auto returned = std::make_shared<Signal>(), late = std::make_shared<Signal>();
  queue->post(first, {count, &runs}, returned);
  queue->post(second, {count, &runs}, nullptr);
  EXPECT_EQ(queue->cancel(*first), 1u);
  EXPECT_TRUE(returned->is_set());
  queue->post(first, {count, &runs}, late);  // comes too late
  EXPECT_TRUE(late->is_set());
  EXPECT_EQ(queue->cancel(*first), 0u);
  EXPECT_TRUE(queue->process(std::nullopt).ok());
  EXPECT_EQ(runs, 1);
}

TEST_F(ReportQueueObject, WithdrawTakesBackWhatHasNotStarted) {
  const auto subscription = subscribe();
  auto first = std::make_shared<Signal>(), second = std::make_shared<Signal>();
  queue->post(subscription, {count, &runs}, first);
  queue->post(subscription, {count, &runs}, second);
  EXPECT_TRUE(queue->withdraw(*first));
  EXPECT_FALSE(queue->withdraw(*first));
  EXPECT_TRUE(queue->process(std::nullopt).ok());
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(queue->withdraw(*second));
  EXPECT_EQ(subscription->blocks_over, 2u);
}

TEST_F(ReportQueueObject, CancelFromAnotherThreadWaitsForWhatRunsNestedOrNot) {
  const auto outer = subscribe(), inner = subscribe();
  struct Scene {
    ReportQueue& queue;
    std::shared_ptr<Subscription> inner;
    std::promise<void> started, go_on;
    std::atomic<bool> ended{false};
  } scene{*queue, inner};
  // The outer callback serves the inner one; the outer subscription is cancelled meanwhile.
  const auto inner_body = [](void* data) {
    auto& it = *static_cast<Scene*>(data);
    it.started.set_value();
    it.go_on.get_future().wait();
  };
  static void (*posted)(void*);
  posted = inner_body;
  const auto outer_body = [](void* data) {
    auto& it = *static_cast<Scene*>(data);
    it.queue.post(it.inner, {posted, data}, nullptr);
    EXPECT_TRUE(it.queue.process(std::nullopt).ok());
    it.ended = true;
  };
  queue->post(outer, {outer_body, &scene}, nullptr);
  auto canceller = std::async(std::launch::async, [&] {
    scene.started.get_future().wait();
    std::thread releaser([&] { scene.go_on.set_value(); });
    queue->cancel(*outer);
    EXPECT_TRUE(scene.ended);
    releaser.join();
  });
  EXPECT_TRUE(queue->process(std::nullopt).ok());
  canceller.get();
}

TEST_F(ReportQueueObject, ServesOneDeviceAtATime) {
  const auto subscription = subscribe(0);
  EXPECT_EQ(ReportQueue::subscribe(queue, 1, false).status().code, ACL_ERROR_RT_THREAD_SUBSCRIBE);
  queue->cancel(*subscription);
  EXPECT_TRUE(ReportQueue::subscribe(queue, 1, false).ok());
}

TEST_F(ReportQueueObject, AThreadThatOnlyServesRunsAllUntilTheEnd) {
  const auto subscription = subscribe();
  std::thread server([&] { queue->serve(); });
  for (int i = 0; i < 1000; ++i) queue->post(subscription, {count, &runs}, nullptr);
  auto last = std::make_shared<Signal>();
  queue->post(subscription, {count, &runs}, last);
  EXPECT_TRUE(last->wait());
  EXPECT_EQ(runs, 1001);
  queue->end();
  server.join();
}

}  // namespace
