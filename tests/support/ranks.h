// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of this process, each with a device, a stream and a communicator.
#pragma once

#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "hccl/hccl.h"
#include "support/acl.h"

namespace belay::test {

struct Rank {
  uint32_t rank = 0, size = 0;
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;

  aclError synchronize() const { return aclrtSynchronizeStream(stream); }
};

// A device buffer of elements.
template <class T>
class Buffer {
 public:
  explicit Buffer(size_t count, T value = {}) : Buffer(std::vector<T>(count, value)) {}
  explicit Buffer(const std::vector<T>& values) : count_(values.size()) {
    EXPECT_EQ(aclrtMalloc(&data_, bytes() + 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemcpy(data_, bytes(), values.data(), bytes(), ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  }
  ~Buffer() { aclrtFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() const { return static_cast<T*>(data_); }
  std::vector<T> values() const {
    std::vector<T> read(count_);
    EXPECT_EQ(aclrtMemcpy(read.data(), bytes(), data_, bytes(), ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    return read;
  }

 private:
  size_t bytes() const { return count_ * sizeof(T); }
  const size_t count_;
  void* data_ = nullptr;
};

// Runs `body` once for each rank, each on its own thread and device.
inline void on_devices(uint32_t size, const std::function<void(uint32_t rank)>& body) {
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      ASSERT_EQ(aclrtSetDevice(static_cast<int32_t>(rank)), ACL_SUCCESS);
      body(rank);
      EXPECT_EQ(aclrtResetDevice(static_cast<int32_t>(rank)), ACL_SUCCESS);
    });
  for (auto& thread : threads) thread.join();
}

inline HcclRootInfo new_token() {
  HcclRootInfo token{};
  std::thread([&] {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(HcclGetRootInfo(&token), HCCL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  }).join();
  return token;
}

// The same with a communicator of all of them.
inline void on_ranks(uint32_t size, const std::function<void(const Rank& rank)>& body,
                     const HcclCommConfig* config = nullptr) {
  const HcclRootInfo token = new_token();
  on_devices(size, [&](uint32_t number) {
    Rank rank{number, size, nullptr, new_stream()};
    if (config)
      ASSERT_EQ(HcclCommInitRootInfoConfig(size, &token, number, config, &rank.comm), HCCL_SUCCESS) << message();
    else
      ASSERT_EQ(HcclCommInitRootInfo(size, &token, number, &rank.comm), HCCL_SUCCESS) << message();
    body(rank);
    EXPECT_EQ(HcclCommDestroy(rank.comm), HCCL_SUCCESS) << message();
    EXPECT_EQ(aclrtDestroyStream(rank.stream), ACL_SUCCESS);
  });
}

}  // namespace belay::test
