// SPDX-License-Identifier: Apache-2.0
#pragma once

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

// Runs them as one batch: none waits for another. Messages to this rank itself are in pairs, in order.
Status run_messages(Communicator& communicator, Stream& stream, std::vector<Message> messages);

}  // namespace belay::comm
