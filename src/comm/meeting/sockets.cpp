// SPDX-License-Identifier: Apache-2.0
#include "comm/meeting/sockets.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "base/text.h"
#include "hccl/hccl_types.h"

namespace belay::comm {
bool leads_to_itself(int descriptor) {
  sockaddr_storage own{}, peer{};
  socklen_t own_size = sizeof own, peer_size = sizeof peer;
  return getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &own_size) == 0 &&
         getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &peer_size) == 0 && own_size == peer_size &&
         std::memcmp(&own, &peer, own_size) == 0;
}

namespace {

using Clock = std::chrono::steady_clock;
constexpr uint32_t kLongestFrame = 64 << 20;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

std::optional<Address> parse_address(const std::string& ip, uint32_t port) {
  Address address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  const size_t percent = ip.find('%');
  const std::string plain = ip.substr(0, percent);
  if (inet_pton(AF_INET, plain.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<uint16_t>(port));
    address.size = sizeof *v4;
  } else if (inet_pton(AF_INET6, plain.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<uint16_t>(port));
    if (percent != std::string::npos) v6->sin6_scope_id = if_nametoindex(ip.substr(percent + 1).c_str());
    address.size = sizeof *v6;
  } else {
    return {};
  }
  return address;
}

// Seen by processes of this network namespace only, gone with the last of them.
Address named_address(const std::string& name) {
  Address address;
  auto* local = reinterpret_cast<sockaddr_un*>(&address.storage);
  local->sun_family = AF_UNIX;
  const size_t length = std::min(name.size(), sizeof local->sun_path - 1);
  std::memcpy(local->sun_path + 1, name.data(), length);
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return address;
}

int new_socket(const Address& address) {
  const int descriptor = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (descriptor >= 0 && address.storage.ss_family != AF_UNIX) {
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  }
  return descriptor;
}

Listener listen_on(const Address& address) {
  const int descriptor = new_socket(address);
  if (descriptor < 0) return {};
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (bind(descriptor, address.get(), address.size) != 0 || listen(descriptor, 256) != 0 ||
      getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
    close(descriptor);
    return {};
  }
  const uint16_t port = bound.ss_family == AF_INET    ? reinterpret_cast<sockaddr_in*>(&bound)->sin_port
                        : bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                                      : 0;
  return {descriptor, ntohs(port)};
}

bool try_connect(int descriptor, const Address& address, Deadline deadline) {
  timeval limit{};
  const auto left = std::chrono::duration_cast<std::chrono::microseconds>(deadline - Clock::now()).count();
  limit.tv_sec = std::max<int64_t>(left, 1000) / 1'000'000;
  limit.tv_usec = std::max<int64_t>(left, 1000) % 1'000'000;
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (connect(descriptor, address.get(), address.size) != 0) return false;
  if (leads_to_itself(descriptor)) {
    errno = ECONNREFUSED;
    return false;
  }
  const timeval none{};
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
  return true;
}

Result<int> connect_until(const Address& address, const std::string& where, Deadline deadline,
                          const Check& check = {}) {
  while (true) {
    const int descriptor = new_socket(address);
    if (descriptor >= 0 && try_connect(descriptor, address, deadline)) return descriptor;
    const int error = errno;
    if (descriptor >= 0) close(descriptor);
    if (Clock::now() >= deadline)
      return Status{HCCL_E_TCP_CONNECT, formatted("nobody answers at {}: {}", where, std::strerror(error)), "EI0006"};
    if (descriptor < 0 && (error == EMFILE || error == ENFILE))
      return Status{HCCL_E_INTERNAL, formatted("cannot connect to {}{}", where, no_descriptors_left()), "EI0006"};
    if (check) TRY(check());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

struct Card {
  std::string name, ip;
};

// Those that are up, with their addresses of the family.
std::vector<Card> cards_of(int family) {
  std::vector<Card> cards;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return cards;
  for (const ifaddrs* one = all; one; one = one->ifa_next) {
    if (!one->ifa_addr || !(one->ifa_flags & IFF_UP) || one->ifa_addr->sa_family != family) continue;
    char text[INET6_ADDRSTRLEN];
    const void* bytes = family == AF_INET6
                            ? static_cast<void*>(&reinterpret_cast<sockaddr_in6*>(one->ifa_addr)->sin6_addr)
                            : &reinterpret_cast<sockaddr_in*>(one->ifa_addr)->sin_addr;
    if (inet_ntop(family, bytes, text, sizeof text)) cards.push_back({one->ifa_name, text});
  }
  freeifaddrs(all);
  return cards;
}

int rank_of_card(std::string_view card) {
  if (card == "lo") return 2;
  return card.starts_with("docker") ? 1 : 0;
}

}  // namespace

bool fits(std::string_view card, std::string_view interfaces) {
  const bool inverted = interfaces.starts_with('^');
  if (inverted) interfaces.remove_prefix(1);
  const bool exact = interfaces.starts_with('=');
  if (exact) interfaces.remove_prefix(1);
  bool found = false;
  while (!interfaces.empty()) {
    const size_t comma = interfaces.find(',');
    const std::string_view name = trimmed(interfaces.substr(0, comma));
    found = found || (!name.empty() && (exact ? card == name : card.starts_with(name)));
    if (comma == std::string_view::npos) break;
    interfaces.remove_prefix(comma + 1);
  }
  return found != inverted;
}

std::string choose_address(const std::string& host_ip, const std::string& interfaces, bool ipv6) {
  if (!host_ip.empty()) return host_ip;
  std::vector<Card> cards = cards_of(ipv6 ? AF_INET6 : AF_INET);
  std::erase_if(cards, [&](const Card& card) { return !interfaces.empty() && !fits(card.name, interfaces); });
  std::ranges::stable_sort(cards, [](const Card& a, const Card& b) {
    return std::pair(rank_of_card(a.name), a.name) < std::pair(rank_of_card(b.name), b.name);
  });
  return cards.empty() ? (ipv6 ? "::1" : "127.0.0.1") : cards.front().ip;
}

std::string card_of(const std::string& ip) {
  for (const int family : {AF_INET, AF_INET6})
    for (const Card& card : cards_of(family))
      if (card.ip == ip.substr(0, ip.find('%'))) return card.name;
  return {};
}

bool is_address(const std::string& ip) { return parse_address(ip, 0).has_value(); }

Listener listen_at(const std::string& ip, uint32_t port) {
  const auto address = parse_address(ip, port);
  return address ? listen_on(*address) : Listener{};
}

Listener listen_by_name(const std::string& name) { return listen_on(named_address(name)); }

int accept_at(const Listener& listener) {
  const int socket = accept4(listener.descriptor, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
    const int error = errno;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    errno = error;
  }
  return socket;
}

std::string no_descriptors_left() {
  constexpr size_t kFew = 8;  // what failed for want of more has given back what it had
  std::vector<int> opened;
  for (int one = 0; one >= 0 && opened.size() < kFew;)
    if (one = eventfd(0, EFD_CLOEXEC); one >= 0) opened.push_back(one);
  const bool enough = opened.size() == kFew || errno != EMFILE;
  for (const int one : opened) close(one);
  if (enough) return {};
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const std::string left = opened.empty() ? "no" : formatted("only {}", opened.size());
  return formatted("; this process may open {} more files (ulimit -n {})", left, limit.rlim_cur);
}

Result<int> connect_to(const std::string& ip, uint32_t port, Deadline deadline, const Check& check) {
  const auto address = parse_address(ip, port);
  if (!address) return Status{HCCL_E_TCP_CONNECT, formatted("\"{}\" is no address", ip), "EI0006"};
  return connect_until(*address, formatted("{} port {}", ip, port), deadline, check);
}

Result<int> connect_by_name(const std::string& name, Deadline deadline) {
  return connect_until(named_address(name), name, deadline);
}

Status send_frame(int descriptor, std::string_view text) {
  std::string frame(sizeof(uint32_t), '\0');
  const auto length = static_cast<uint32_t>(text.size());
  std::memcpy(frame.data(), &length, sizeof length);
  frame += text;
  for (size_t sent = 0; sent < frame.size();) {
    const ssize_t now = send(descriptor, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return {HCCL_E_TCP_TRANSFER, formatted("the other side is gone: {}", std::strerror(errno)), "EI0006"};
    sent += static_cast<size_t>(now);
  }
  return {};
}

bool FrameReader::read(int descriptor) {
  char room[65536];
  while (true) {
    const ssize_t now = recv(descriptor, room, sizeof room, MSG_DONTWAIT);
    if (now > 0)
      bytes_.append(room, static_cast<size_t>(now));
    else if (next_length() > kLongestFrame)
      return false;  // no rank speaks like this
    else if (now < 0 && errno == EINTR)
      continue;
    else
      return now < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
}

uint32_t FrameReader::next_length() const {
  uint32_t length = 0;
  if (bytes_.size() >= sizeof length) std::memcpy(&length, bytes_.data(), sizeof length);
  return length;
}

std::optional<std::string> FrameReader::next() {
  const uint32_t length = next_length();
  if (length > kLongestFrame || bytes_.size() < sizeof length + length) return {};
  std::string text = bytes_.substr(sizeof length, length);
  bytes_.erase(0, sizeof length + length);
  return text;
}

Result<std::string> receive_frame(int descriptor, Deadline deadline) {
  FrameReader reader;
  while (true) {
    if (auto text = reader.next()) return *std::move(text);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Status{HCCL_E_TIMEOUT, "no answer in time", "EI0006"};
    pollfd wanted{descriptor, POLLIN, 0};
    if (poll(&wanted, 1, static_cast<int>(std::min<int64_t>(left, 1000))) <= 0) continue;
    const bool open = reader.read(descriptor);
    if (auto text = reader.next()) return *std::move(text);
    if (!open) return Status{HCCL_E_TCP_TRANSFER, "the other side is gone", "EI0006"};
  }
}

}  // namespace belay::comm
