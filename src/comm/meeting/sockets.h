// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace belay::comm {

using Deadline = std::chrono::steady_clock::time_point;

// An address of this host where others reach it: HCCL_IF_IP, a card of HCCL_SOCKET_IFNAME, else the first card that is
// neither docker's nor the loopback, then those.
std::string choose_address(const std::string& host_ip, const std::string& interfaces, bool ipv6);
bool is_address(const std::string& ip);
// The card that has this address; empty when none has.
std::string card_of(const std::string& ip);
// Whether a card's name fits HCCL_SOCKET_IFNAME: "eth", "^eth", "=eth0", "^=eth0", with commas.
bool fits(std::string_view card, std::string_view interfaces);

// Whether a connected socket is its own peer, as the system allows where the port that it chose for a caller is the one
// that is called, and nobody listens there.
bool leads_to_itself(int descriptor);

// A socket that listens, and its port; port 0 takes any. -1 when it cannot.
struct Listener {
  int descriptor = -1;
  uint32_t port = 0;
};
Listener listen_at(const std::string& ip, uint32_t port);
// The same under a name that only processes of this network namespace see.
Listener listen_by_name(const std::string& name);

// The next that has connected to it; -1 when there is none. Where descriptors have run out, it takes a moment: the
// listener is ready all the time, and whoever watches it would never rest.
int accept_at(const Listener& listener);
// "; this process may open no more files (ulimit -n 1024)", or nothing when it may open some.
std::string no_descriptors_left();

// A connected socket, tried again until the deadline, E_TCP_CONNECT, or until `check` has a reason not to.
using Check = std::function<Status()>;
Result<int> connect_to(const std::string& ip, uint32_t port, Deadline deadline, const Check& check = {});
Result<int> connect_by_name(const std::string& name, Deadline deadline);

// Frames: a length of 4 bytes, then the text. E_TCP_TRANSFER when the other side is gone, E_TIMEOUT after the deadline.
Status send_frame(int descriptor, std::string_view text);
Result<std::string> receive_frame(int descriptor, Deadline deadline);

// Collects what arrives at a socket without waiting.
class FrameReader {
 public:
  // Reads what there is; false when the other side is gone, or sends no frames.
  bool read(int descriptor);
  // The next whole frame; nothing when there is none yet.
  std::optional<std::string> next();

 private:
  uint32_t next_length() const;  // 0 before it is there
  std::string bytes_;
};

}  // namespace belay::comm
