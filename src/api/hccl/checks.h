// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/status.h"
#include "comm/communicator.h"
#include "hccl/hccl_types.h"
#include "runtime/memory/blocks.h"
#include "runtime/stream/stream.h"

// What the operations check alike; each calls them in its documented order.
namespace belay::api {

constexpr uint64_t kMostElements = 0x7FFFFFFFF;

// A communicator while a call is at work on it: meanwhile it cannot be destroyed.
class Visit {
 public:
  explicit Visit(std::shared_ptr<comm::Communicator> visited) : visited_(std::move(visited)) { ++visited_->visitors; }
  ~Visit() {
    if (visited_) --visited_->visitors;
  }
  Visit(Visit&&) = default;
  Visit& operator=(Visit&&) = delete;
  comm::Communicator* operator->() const { return visited_.get(); }
  comm::Communicator& operator*() const { return *visited_; }
  const std::shared_ptr<comm::Communicator>& shared() const { return visited_; }

 private:
  std::shared_ptr<comm::Communicator> visited_;
};

// E_PTR for null, E_PARA for a handle that is not or no longer one.
Result<Visit> find_communicator(HcclComm comm);
// E_PTR for null: there is no default stream here.
Result<std::shared_ptr<Stream>> find_hccl_stream(aclrtStream stream);

Status check_count(uint64_t count, const char* parameter);
Status check_movable(HcclDataType type);
Status check_reducible(HcclDataType type, HcclReduceOp op);
Status check_rank(uint32_t rank, const comm::Communicator& communicator, const char* parameter);
// E_PARA for memory that a device does not reach, or that ends before the elements do.
Status check_buffer(const void* buffer, uint64_t count, HcclDataType type, const char* parameter, Use use);

}  // namespace belay::api
