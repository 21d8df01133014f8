// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <vector>

#include "comm/exchange.h"

namespace belay::comm {

// One send or receive between this rank and another.
struct Message {
  Call call;  // Send or Receive, its type and count
  uint32_t peer = 0;
  std::byte* data = nullptr;
  size_t bytes = 0;
  uint64_t number = 0;  // among those from the sender to the receiver
};

// E_PARA unless those to the own rank are pairs of the same count and type.
Status check_pairs_to_itself(const std::vector<Message>& messages, uint32_t rank);

// A batch of messages on its way: none waits for another. Those to this rank itself are in pairs, in order.
class Batch {
 public:
  Batch(Communicator& communicator, Stream& stream, std::vector<Message> messages);
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // Whether all have been delivered, without waiting for long. Otherwise run() goes on where this was.
  bool attempt();
  Status run();

 private:
  class Delivery;
  void begin();

  Communicator& communicator_;
  Stream& stream_;
  const std::vector<Message> messages_;
  std::list<Delivery> deliveries_;
  bool begun_ = false, all_begun_ = false;
};

}  // namespace belay::comm
