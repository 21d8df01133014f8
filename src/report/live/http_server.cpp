// SPDX-License-Identifier: Apache-2.0
#include "report/live/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/text.h"

namespace belay::report {
namespace {

constexpr size_t kMostConnections = 64, kMostOfAll = 256, kMostHead = 16384;
constexpr std::string_view kGet = "GET ", kHead = "HEAD ";
constexpr int kHeadMilliseconds = 5000;  // for a browser to send its request

std::string random_token() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes))
    throw std::runtime_error(std::string("no random numbers: ") + std::strerror(errno));
  std::string token;
  for (const unsigned char byte : bytes)
    for (const int part : {byte >> 4, byte & 15}) token += "0123456789abcdef"[part];
  return token;
}

// As long for any text of the same length.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

std::string lower(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  return small;
}

std::vector<std::string_view> lines_of(std::string_view head) {
  std::vector<std::string_view> lines;
  for (size_t end; (end = head.find("\r\n")) != std::string_view::npos; head.remove_prefix(end + 2))
    lines.push_back(head.substr(0, end));
  return lines;
}

std::string header(const std::vector<std::string_view>& lines, std::string_view name) {
  for (const std::string_view line : lines) {
    const size_t colon = line.find(':');
    if (colon != std::string_view::npos && lower(line.substr(0, colon)) == name)
      return std::string(trimmed(line.substr(colon + 1)));
  }
  return "";
}

size_t count_of(const std::vector<std::string_view>& lines, std::string_view name) {
  return static_cast<size_t>(std::ranges::count_if(lines, [&](std::string_view line) {
    return lower(line.substr(0, std::min(line.find(':'), line.size()))) == name;
  }));
}

std::map<std::string, uint64_t> query_of(std::string_view text) {
  std::map<std::string, uint64_t> query;
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view part = text.substr(0, end);
    const size_t equals = part.find('=');
    if (equals != std::string_view::npos)
      if (const auto number = parse_number(part.substr(equals + 1)))
        query[std::string(part.substr(0, equals))] = *number;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return query;
}

// Until the empty line that ends it; "" when it does not come, or is too long.
std::string read_head(int socket, const std::atomic<bool>& stopping) {
  std::string head;
  for (int waited = 0; waited < kHeadMilliseconds && !stopping;) {
    pollfd wanted{socket, POLLIN, 0};
    if (poll(&wanted, 1, 100) <= 0) {
      waited += 100;
      continue;
    }
    char room[4096];
    const ssize_t bytes = recv(socket, room, sizeof room, 0);
    if (bytes <= 0) return "";
    head.append(room, static_cast<size_t>(bytes));
    if (head.find("\r\n\r\n") != std::string::npos) return head;
    if (head.size() > kMostHead) return "";
  }
  return "";
}

void write_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t bytes = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (bytes <= 0) return;
    text.remove_prefix(static_cast<size_t>(bytes));
  }
}

const char* reason(int status) {
  return status == 200 ? "OK" : status == 403 ? "Forbidden" : status == 404 ? "Not Found" : "Bad Request";
}

std::string text_of(const HttpResponse& response) {
  return formatted(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
      response.status, reason(response.status), response.type, response.body.size());
}

Status listen_failure(uint16_t port) {
  return {ACL_ERROR_INTERNAL_ERROR, formatted("cannot listen on 127.0.0.1:{}: {}", port, std::strerror(errno))};
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(uint16_t port, Handler handler) {
  const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listening < 0) return listen_failure(port);
  const int yes = 1;
  setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listening, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listening, 16) != 0 ||
      getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const Status failed = listen_failure(port);
    close(listening);
    return failed;
  }
  return std::unique_ptr<HttpServer>(new HttpServer(listening, ntohs(address.sin_port), std::move(handler)));
}

HttpServer::HttpServer(int listening, uint16_t port, Handler handler)
    : listening_(listening), port_(port), token_(random_token()), handler_(std::move(handler)) {
  acceptor_ = std::thread([this] { accept_all(); });
}

HttpServer::~HttpServer() {
  stopping_ = true;
  acceptor_.join();
  close(listening_);
  for (Connection& connection : connections_) connection.thread.join();
}

std::string HttpServer::address() const { return formatted("http://127.0.0.1:{}/{}/", port_, token_); }

void HttpServer::accept_all() {
  while (!stopping_) {
    pollfd wanted{listening_, POLLIN, 0};
    const bool someone = poll(&wanted, 1, 100) > 0;
    join_finished();
    if (!someone) continue;
    const int socket = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    const timeval patience{10, 0};  // a browser that reads nothing does not hold a thread for ever
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    std::lock_guard lock(mutex_);
    if (connections_.size() >= kMostConnections) make_room();
    if (connections_.size() >= kMostOfAll) {
      close(socket);
      continue;
    }
    Connection& connection = connections_.emplace_back();
    connection.socket = socket;
    connection.thread = std::thread([this, &connection] { serve(connection); });
  }
}

void HttpServer::make_room() {
  const auto idle = std::ranges::find_if(
      connections_, [](const Connection& each) { return !each.asked && !each.dropped && !each.done; });
  if (idle == connections_.end()) return;
  idle->dropped = true;
  shutdown(idle->socket, SHUT_RDWR);  // its thread sees the end, and closes it
}

void HttpServer::join_finished() {
  std::list<Connection> finished;
  {
    std::lock_guard lock(mutex_);
    for (auto each = connections_.begin(); each != connections_.end();) {
      const auto next = std::next(each);
      if (each->done) finished.splice(finished.end(), connections_, each);
      each = next;
    }
  }
  for (Connection& connection : finished) connection.thread.join();
}

void HttpServer::serve(Connection& connection) {
  const std::string head = read_head(connection.socket, stopping_);
  if (!head.empty()) {
    connection.asked = true;
    const HttpResponse response = answer(head);
    write_all(connection.socket, text_of(response));
    if (!head.starts_with(kHead)) write_all(connection.socket, response.body);
    shutdown(connection.socket, SHUT_WR);
    char rest[256];  // until the other side has closed: what it has not read yet would be lost
    const timeval patience{1, 0};
    setsockopt(connection.socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    while (recv(connection.socket, rest, sizeof rest, 0) > 0) {
    }
  }
  std::lock_guard lock(mutex_);  // a socket that is to be dropped is still this one
  close(connection.socket);
  connection.done = true;
}

HttpResponse HttpServer::answer(const std::string& head) const {
  const HttpResponse forbidden{403, "text/plain; charset=utf-8", "belay view answers to the address that it printed\n"};
  const std::vector<std::string_view> lines = lines_of(head);
  const std::string_view request = lines.empty() ? "" : lines[0];
  const size_t method = request.starts_with(kGet) ? kGet.size() : request.starts_with(kHead) ? kHead.size() : 0;
  if (method == 0 || !request.substr(method).starts_with('/'))
    return {400, "text/plain; charset=utf-8", "GET and HEAD only\n"};
  if (count_of(lines, "host") > 1) return forbidden;
  const std::string_view target = request.substr(method, request.find(' ', method) - method);
  const std::string host = header(lines, "host"), origin = header(lines, "origin");
  const std::string ours = formatted("127.0.0.1:{}", port_), local = formatted("localhost:{}", port_);
  if (host != ours && host != local) return forbidden;
  if (!origin.empty() && origin != "http://" + host) return forbidden;
  if (const std::string site = header(lines, "sec-fetch-site"); site == "cross-site" || site == "same-site")
    if (header(lines, "sec-fetch-mode") != "navigate") return forbidden;
  if (target.find("..") != std::string_view::npos || target.find('%') != std::string_view::npos) return forbidden;
  const size_t slash = target.find('/', 1);
  if (slash == std::string_view::npos || !same(target.substr(1, slash - 1), token_)) return forbidden;
  const std::string_view rest = target.substr(slash + 1);
  const size_t question = std::min(rest.find('?'), rest.size());
  const std::string_view query = rest.substr(std::min(question + 1, rest.size()));
  try {
    return handler_({std::string(rest.substr(0, question)), query_of(query)});
  } catch (const std::exception& problem) {
    return {400, "text/plain; charset=utf-8", std::string(problem.what()) + "\n"};
  }
}

}  // namespace belay::report
