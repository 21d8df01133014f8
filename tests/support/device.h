// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <list>
#include <string>
#include <thread>

#include "acl/acl.h"

namespace belay::test {

// A test with device 0 set on its thread, and taken away again.
class WithDevice : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    aclGetRecentErrMsg();
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  }
  void TearDown() override { EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS); }
};

// The error text since the last call; empty when there is none.
inline std::string recent_error() {
  const char* text = aclGetRecentErrMsg();
  return text ? text : "";
}

// Runs on a thread that has no context.
template <class Body>
void without_context(Body body) {
  std::thread(body).join();
}

// Device memory that is freed with the scope.
struct DeviceMemory {
  explicit DeviceMemory(size_t bytes) {
    EXPECT_EQ(aclrtMalloc(&pointer, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  ~DeviceMemory() { EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS); }
  template <class T>
  T* as() const {
    return static_cast<T*>(pointer);
  }
  void* pointer = nullptr;
};

// Pinned host memory that is freed with the scope.
struct PinnedMemory {
  explicit PinnedMemory(size_t bytes) { EXPECT_EQ(aclrtMallocHost(&pointer, bytes), ACL_SUCCESS); }
  PinnedMemory(const PinnedMemory&) = delete;
  ~PinnedMemory() { EXPECT_EQ(aclrtFreeHost(pointer), ACL_SUCCESS); }
  template <class T>
  T* as() const {
    return static_cast<T*>(pointer);
  }
  void* pointer = nullptr;
};

struct TestStream {
  TestStream() { EXPECT_EQ(aclrtCreateStream(&handle), ACL_SUCCESS); }
  TestStream(const TestStream&) = delete;
  ~TestStream() { EXPECT_EQ(aclrtDestroyStream(handle), ACL_SUCCESS); }
  operator aclrtStream() const { return handle; }
  aclrtStream handle = nullptr;
};

// Keeps a stream busy until released, or gone.
class Gate {
 public:
  explicit Gate(aclrtStream stream) {
    static auto& all = *new std::list<std::future<void>>;  // a function that was dropped never comes for its own
    const auto wait = [](void* opened) { static_cast<std::future<void>*>(opened)->wait(); };
    EXPECT_EQ(aclrtLaunchHostFunc(stream, wait, &all.emplace_back(open_.get_future())), ACL_SUCCESS);
  }
  void open() { open_.set_value(); }

 private:
  std::promise<void> open_;
};

}  // namespace belay::test
