// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/call.h"
#include "comm/engine/engine.h"

namespace belay::comm {

// What stands before the data of every message: the sender's arguments, so that the receiver can compare.
struct Letterhead {
  static constexpr uint64_t kMagic = 0x31636c6c6579614c;
  uint64_t magic = 0;
  Call call;
  uint64_t number = 0;
  uint64_t bytes = 0;  // of the data
};

// The messages of one rank in one operation: data under a letterhead. Small data travel with it, large ones after it.
class Post {
 public:
  // `engine` null: no rank is elsewhere.
  Post(Engine* engine, const Call& call, uint64_t number) : engine_(engine), call_(call), number_(number) {}
  ~Post();
  Post(const Post&) = delete;
  Post& operator=(const Post&) = delete;

  // `step` tells the messages between two ranks in one operation apart: what is on its way is not begun again. `data`
  // stays until all is done.
  void send(uint32_t from, uint32_t to, uint32_t step, const std::byte* data, size_t bytes, bool synchronous = false);
  void receive(uint32_t from, uint32_t step, std::byte* into, size_t bytes);
  // The same without a letterhead, for a later step: the arguments have been compared.
  void send_bare(uint32_t from, uint32_t to, uint32_t step, const std::byte* data, size_t bytes);
  void receive_bare(uint32_t from, uint32_t step, std::byte* into, size_t bytes);

  // Whether all messages to this rank are here. Calls progress().
  bool arrived();
  // Whether moreover all sent ones have left our memory. Calls progress().
  bool done();

  // A letterhead that is not as expected, or a message that failed; success when there is none. Once done.
  struct Trouble {
    uint32_t from = 0;
    Letterhead theirs;
    std::string error;      // of the transport
    uint64_t expected = 0;  // bytes of its data
  };
  const Trouble* trouble() const { return trouble_ ? &*trouble_ : nullptr; }
  bool pending() const { return !letters_.empty() && !all_; }
  // The rank of the first message that is still missing.
  uint32_t missing() const;

 private:
  static constexpr size_t kWithLetterhead = 8 << 10;
  struct Letter {
    Letter(bool arrives, uint32_t rank, uint64_t data_tag, std::byte* memory, size_t size)
        : incoming(arrives), peer(rank), tag(data_tag), into(memory), bytes(size) {}
    const bool incoming;
    const uint32_t peer;
    const uint64_t tag;  // of the data
    std::byte* const into;
    const size_t bytes;
    std::unique_ptr<std::byte[]> packed;
    Transfer first, rest;
    bool opened = false;
  };
  uint64_t tag(uint32_t from, uint32_t step) const;
  bool knows(bool incoming, uint32_t peer, uint64_t tag) const;
  bool finished(Letter& letter);
  void open(Letter& letter);

  Engine* const engine_;
  const Call call_;
  const uint64_t number_;
  std::list<Letter> letters_;
  Transfer flushed_;
  bool flushing_ = false, all_ = false;
  std::optional<Trouble> trouble_;
};

}  // namespace belay::comm
