// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/status.h"

namespace belay::report {

// What a browser asked for: the path behind the token, and the numbers of the query.
struct HttpRequest {
  std::string path;  // "" for the page itself, "news"...
  std::map<std::string, uint64_t> query;
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

// Serves GET and HEAD requests on 127.0.0.1 alone, to those that know the token. 403: another token or none, "..", a
// Host that is not ours, a page of another origin. Connections are served side by side, a thread each, one request
// each; when there are too many, the oldest that has not asked for anything is dropped.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  // Port 0: any that is free. 500000 when it cannot listen, with the system's reason.
  static Result<std::unique_ptr<HttpServer>> start(uint16_t port, Handler handler);
  // Ends what is being served; handlers that wait must return soon.
  ~HttpServer();

  std::string address() const;  // "http://127.0.0.1:8000/<token>/"

 private:
  struct Connection {
    int socket = -1;
    std::atomic<bool> asked = false;  // its request is there
    bool dropped = false;             // to make room
    std::atomic<bool> done = false;
    std::thread thread;
  };

  HttpServer(int listening, uint16_t port, Handler handler);
  void accept_all();
  void serve(Connection& connection);
  HttpResponse answer(const std::string& head) const;
  void join_finished();
  void make_room();  // with mutex_ held

  const int listening_;
  const uint16_t port_;
  const std::string token_;
  const Handler handler_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::list<Connection> connections_;  // guarded by mutex_; each belongs to its thread until it is done
  std::thread acceptor_;
};

}  // namespace belay::report
