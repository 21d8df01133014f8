// SPDX-License-Identifier: Apache-2.0
// What tests of the C interface have in common.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "support/child.h"

namespace belay::test {

// What the calls that failed on this thread said, since it was last asked.
inline std::string message() {
  const char* text = aclGetRecentErrMsg();
  return text ? text : "";
}

inline void forget_errors() {
  (void)message();
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
}

// The call returns exactly that code, and its message has that part.
#define EXPECT_FAILS(call, code, part)                                 \
  do {                                                                 \
    ::belay::test::forget_errors();                                    \
    EXPECT_EQ(call, code);                                             \
    EXPECT_THAT(::belay::test::message(), ::testing::HasSubstr(part)); \
  } while (0)

// A test that runs in a process of its own, because it is about what the whole process shares.
#define TEST_ALONE(suite, name)                                                                \
  TEST(suite, name) { ::belay::test::expect_passes_with({}, #suite "Child.DISABLED_" #name); } \
  TEST(suite##Child, DISABLED_##name)

// No device is set when a test begins, whatever the tests before it left.
class WithoutDevice : public testing::Test {
 protected:
  void SetUp() override {
    for (int device = 0; device < 8; ++device) (void)aclrtResetDeviceForce(device);
    forget_errors();
  }
};

// Device 0 is set for the length of each test.
class OnDevice : public WithoutDevice {
 protected:
  void SetUp() override {
    WithoutDevice::SetUp();
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(aclrtResetDeviceForce(0), ACL_SUCCESS); }
};

inline aclrtStream new_stream() {
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  return stream;
}

// Keeps a stream busy until it is opened; belongs to the context that is current when it is made.
class StreamGate {
 public:
  explicit StreamGate(aclrtStream stream) : opener_(new_stream()) {
    EXPECT_EQ(aclrtCreateNotify(&notify_, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtWaitAndResetNotify(notify_, stream, 0), ACL_SUCCESS);
  }
  ~StreamGate() {
    open();
    aclrtDestroyStream(opener_);
    aclrtDestroyNotify(notify_);
  }
  StreamGate(const StreamGate&) = delete;
  StreamGate& operator=(const StreamGate&) = delete;

  void open() {
    if (opened_.exchange(true)) return;
    EXPECT_EQ(aclrtRecordNotify(notify_, opener_), ACL_SUCCESS);
  }

 private:
  aclrtStream opener_;
  aclrtNotify notify_ = nullptr;
  std::atomic<bool> opened_{false};
};

// A thread that loops in aclrtProcessReport, as programs do; without device and context of its own.
class ServingThread {
 public:
  explicit ServingThread(int32_t timeout = 100) {
    std::promise<uint64_t> id;
    auto made = id.get_future();
    thread_ = std::thread([this, timeout, &id] {
      id.set_value(pthread_self());
      while (!end_) {
        const aclError code = aclrtProcessReport(timeout);
        if (code == ACL_ERROR_RT_THREAD_SUBSCRIBE) std::this_thread::yield();
      }
    });
    id_ = made.get();
  }
  ~ServingThread() { join(); }

  uint64_t id() const { return id_; }
  void join() {
    end_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<bool> end_{false};
  uint64_t id_ = 0;
  std::thread thread_;
};

// A single operator at work: casts floats, all of them 1.5, to float16.
class CastOperator {
 public:
  explicit CastOperator(int64_t count)
      : x_(static_cast<size_t>(count), 1.5f),
        y_(static_cast<size_t>(count)),
        from_(aclCreateTensorDesc(ACL_FLOAT, 1, &count, ACL_FORMAT_ND)),
        to_(aclCreateTensorDesc(ACL_FLOAT16, 1, &count, ACL_FORMAT_ND)),
        in_(aclCreateDataBuffer(x_.data(), x_.size() * sizeof x_[0])),
        out_(aclCreateDataBuffer(y_.data(), y_.size() * sizeof y_[0])) {}
  ~CastOperator() {
    aclDestroyDataBuffer(in_);
    aclDestroyDataBuffer(out_);
    aclDestroyTensorDesc(from_);
    aclDestroyTensorDesc(to_);
  }
  CastOperator(const CastOperator&) = delete;
  CastOperator& operator=(const CastOperator&) = delete;

  // Queues it and waits for it.
  aclError run(aclrtStream stream) {
    if (const aclError code = aclopCast(from_, in_, to_, out_, 0, stream); code != ACL_SUCCESS) return code;
    const aclError waited = aclrtSynchronizeStream(stream);
    EXPECT_EQ(y_.back(), 0x3e00);  // 1.5
    return waited;
  }

 private:
  std::vector<float> x_;
  std::vector<uint16_t> y_;
  aclTensorDesc *from_, *to_;
  aclDataBuffer *in_, *out_;
};

}  // namespace belay::test
