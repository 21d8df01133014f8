// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"

// Allocators for streams: one that has memory, and adaptors that stand around another. Used by one thread at a time, as
// the runtime promises for each registration.
namespace belay::tools {

class Pool {
 public:
  virtual ~Pool() = default;
  virtual void* take(size_t bytes) = 0;  // null: there is none
  virtual void give(void* address) = 0;  // something that take gave
};

// Device memory. What is given back is kept for the next that needs as much, until the end.
class DevicePool : public Pool {
 public:
  ~DevicePool() override;
  void* take(size_t bytes) override;
  void give(void* address) override;

 private:
  std::multimap<size_t, void*> kept_;
  std::map<void*, size_t> used_;
};

// Counts what goes through.
class CountingPool : public Pool {
 public:
  explicit CountingPool(Pool& under) : under_(under) {}
  void* take(size_t bytes) override;
  void give(void* address) override;

  uint64_t blocks = 0, returned = 0, refused = 0;
  uint64_t bytes = 0, most_bytes = 0, largest = 0;  // now, at most, the largest block

 private:
  Pool& under_;
  std::map<void*, size_t> live_;
};

// Refuses what would bring the sum beyond a limit.
class LimitedPool : public Pool {
 public:
  LimitedPool(Pool& under, uint64_t limit) : under_(under), limit_(limit) {}
  void* take(size_t bytes) override;
  void give(void* address) override;

 private:
  Pool& under_;
  const uint64_t limit_;
  uint64_t bytes_ = 0;
  std::map<void*, size_t> live_;
};

// Writes a line for each call: "take,<bytes>,<address>" or "give,<bytes>,<address>"; address 0 when there was none.
class LoggingPool : public Pool {
 public:
  // Adds to `lines`.
  LoggingPool(Pool& under, std::string& lines) : under_(under), lines_(lines) {}
  void* take(size_t bytes) override;
  void give(void* address) override;

 private:
  Pool& under_;
  std::string& lines_;
  std::map<void*, size_t> live_;
};

// Makes the pool the allocator of a stream, until the end.
class Registration {
 public:
  Registration(aclrtStream stream, Pool& pool);
  ~Registration();
  aclError code = ACL_SUCCESS;  // of aclrtAllocatorRegister

 private:
  const aclrtStream stream_;
};

}  // namespace belay::tools
