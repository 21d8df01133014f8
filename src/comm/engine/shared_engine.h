// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comm/engine/engine.h"

namespace belay::comm {

// The engine of a communicator, used by one that was made out of it: other ranks, other tags.
class SharedEngine : public Engine {
 public:
  // `ranks[i]` is what rank i is in the communicator of `engine`; `mark` tells the communicators apart (16 bits).
  SharedEngine(std::shared_ptr<Engine> engine, std::vector<uint32_t> ranks, uint64_t mark)
      : engine_(std::move(engine)), ranks_(std::move(ranks)), mark_((mark & 0xffff) << 36) {}

  std::string address() const override { return engine_->address(); }
  Status connect(uint32_t, const std::string&) override { return {}; }
  Result<std::unique_ptr<Engine>> again() const override { return engine_->again(); }
  void send(uint32_t rank, uint64_t tag, const void* memory, size_t bytes, bool synchronous,
            Transfer& transfer) override {
    engine_->send(ranks_[rank], tag ^ mark_, memory, bytes, synchronous, transfer);
  }
  void receive(uint64_t tag, void* memory, size_t bytes, Transfer& transfer) override {
    engine_->receive(tag ^ mark_, memory, bytes, transfer);
  }
  void flush(Transfer& transfer) override { engine_->flush(transfer); }
  void cancel(Transfer& transfer) override { engine_->cancel(transfer); }
  void progress() override { engine_->progress(); }
  void sleep(std::chrono::milliseconds most) override { engine_->sleep(most); }
  int wake_descriptor() const override { return engine_->wake_descriptor(); }

 private:
  const std::shared_ptr<Engine> engine_;
  const std::vector<uint32_t> ranks_;
  const uint64_t mark_;
};

}  // namespace belay::comm
