// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <list>
#include <string>
#include <thread>
#include <vector>

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

// Whether device memory can be reached by nothing but copies.
inline bool memory_is_opaque() {
  const char* value = std::getenv("BELAY_OPAQUE");
  return value && std::string(value) == "1";
}

// What is in device memory, and what shall be: by copies, as on an NPU.
template <class T = char>
std::vector<T> on_device(const void* at, size_t count) {
  std::vector<T> values(count);
  EXPECT_EQ(aclrtMemcpy(values.data(), count * sizeof(T), at, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_SUCCESS);
  return values;
}
inline void put_on_device(void* at, const void* from, size_t bytes) {
  EXPECT_EQ(aclrtMemcpy(at, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
}

// Device memory that is freed with the scope.
struct DeviceMemory {
  explicit DeviceMemory(size_t bytes) {
    EXPECT_EQ(aclrtMalloc(&pointer, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  ~DeviceMemory() { EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS); }
  // An address, not to be followed.
  template <class T>
  T* as() const {
    return static_cast<T*>(pointer);
  }
  template <class T>
  T get(size_t index = 0) const {
    return on_device<T>(as<T>() + index, 1)[0];
  }
  template <class T>
  void set(T value, size_t index = 0) const {
    put_on_device(as<T>() + index, &value, sizeof value);
  }
  template <class T>
  std::vector<T> values(size_t count) const {
    return on_device<T>(pointer, count);
  }
  void put(const void* from, size_t bytes) const { put_on_device(pointer, from, bytes); }
  void fill(int value, size_t bytes) const { EXPECT_EQ(aclrtMemset(pointer, bytes, value, bytes), ACL_SUCCESS); }
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
