// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"

namespace belay::comm {

// A message on its way to or from a rank in another process. It stays where it is until it is done or cancelled.
struct Transfer {
  std::atomic<bool> done{false};
  bool failed = false;      // read when done
  std::string error;        // read when done
  void* request = nullptr;  // the engine's
};

// Carries messages of one rank of a communicator to and from ranks in other processes. Messages of one tag and sender
// arrive in order. Safe from any thread.
class Engine {
 public:
  virtual ~Engine() = default;

  // What others need to reach this rank.
  virtual std::string address() const = 0;
  virtual Status connect(uint32_t rank, const std::string& address) = 0;

  // Another one of the same kind, not connected.
  virtual Result<std::unique_ptr<Engine>> again() const = 0;

  // Begins to send or to receive; `memory` stays until the transfer is done. `synchronous`: done when the receiver has
  // it.
  virtual void send(uint32_t rank, uint64_t tag, const void* memory, size_t bytes, bool synchronous,
                    Transfer& transfer) = 0;
  virtual void receive(uint64_t tag, void* memory, size_t bytes, Transfer& transfer) = 0;
  // Done when all that was sent has left this process, also without further progress.
  virtual void flush(Transfer& transfer) = 0;
  // After it, the engine touches neither the transfer nor its memory.
  virtual void cancel(Transfer& transfer) = 0;

  // Moves what can be moved; transfers become done here.
  virtual void progress() = 0;
  // Sleeps until something can be moved, or until somebody writes to the descriptor below, or so long.
  virtual void sleep(std::chrono::milliseconds most) = 0;
  virtual int wake_descriptor() const = 0;
};

}  // namespace belay::comm
