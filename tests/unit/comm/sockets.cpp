// SPDX-License-Identifier: Apache-2.0
#include "comm/meeting/sockets.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace belay::comm {
namespace {

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int connected(uint16_t from, uint16_t to) {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in own = loopback(from), other = loopback(to);
  EXPECT_EQ(bind(made, reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
  EXPECT_EQ(connect(made, reinterpret_cast<const sockaddr*>(&other), sizeof other), 0);
  return made;
}

TEST(ASocket, ThatLeadsToItselfIsKnown) {
  const Listener listener = listen_at("127.0.0.1", 0);
  ASSERT_GE(listener.descriptor, 0);
  const int other = connected(0, static_cast<uint16_t>(listener.port));
  EXPECT_FALSE(leads_to_itself(other));
  close(listener.descriptor);
  close(other);
  const int itself = connected(static_cast<uint16_t>(listener.port), static_cast<uint16_t>(listener.port));
  EXPECT_TRUE(leads_to_itself(itself));
  close(itself);
}

}  // namespace
}  // namespace belay::comm
