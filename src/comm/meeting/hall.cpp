// SPDX-License-Identifier: Apache-2.0
#include "comm/meeting/hall.h"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "comm/waiting/watcher.h"
#include "hccl/hccl_types.h"

namespace belay::comm {
namespace {

using nlohmann::json;

// Ranks are told why a meeting failed within this time.
constexpr std::chrono::seconds kToTell{20};

// Messages keep their ids as literals.
const char* known_id(const std::string& id) {
  static constexpr const char* ids[] = {"EI0003", "EI0005", "EI0006", "EI0009", "EI0015"};
  for (const char* one : ids)
    if (id == one) return one;
  return nullptr;
}

std::string reply_text(const Status& status, const Meeting::Texts& texts) {
  return json{{"code", status.code},
              {"message", status.message},
              {"id", status.message_id ? status.message_id : ""},
              {"texts", texts}}
      .dump();
}

// A rank of another process, at the socket through which it takes part.
class Guest : public std::enable_shared_from_this<Guest> {
 public:
  explicit Guest(int socket) : socket_(socket) {}
  ~Guest() { close(socket_); }

  void begin() {
    Watcher::get().watch(socket_, [self = shared_from_this()] { self->hear(); });
  }

 private:
  void hear() {
    const bool open = reader_.read(socket_);
    while (auto text = reader_.next()) answer(*text);
    if (open) return;
    if (meeting_) meeting_->lose(rank_);
    const auto self = shared_from_this();  // the watcher holds the other one
    Watcher::get().forget(socket_);
  }

  void answer(const std::string& text) {
    const json asked = json::parse(text, nullptr, false);
    const auto tell = [self = shared_from_this()](const Status& status, const Meeting::Texts& texts) {
      (void)send_frame(self->socket_, reply_text(status, texts));
    };
    try {
      const std::string identifier = asked.at("meeting");
      if (!meeting_)
        meeting_ = identifier.starts_with(kTableKey) ? find_or_open_meeting(identifier) : find_meeting(identifier);
      rank_ = asked.at("rank");
      if (!meeting_)
        return tell({HCCL_E_INTERNAL, formatted("there is no meeting {} here (any more)", identifier), "EI0015"}, {});
      if (asked.contains("lost")) {
        return meeting_->lose(rank_, {HCCL_E_INTERNAL, asked.at("lost"), known_id(asked.at("id"))});
      }
      if (asked.contains("expire")) return meeting_->expire(std::chrono::seconds(asked.at("expire").get<int64_t>()));
      meeting_->post(rank_, asked.at("size"), asked.at("round"), asked.at("text"), tell);
    } catch (const json::exception&) {
      tell({HCCL_E_INTERNAL, "this is no message of a rank: another version?", "EI0015"}, {});
    }
  }

  const int socket_;
  FrameReader reader_;
  std::shared_ptr<Meeting> meeting_;
  uint32_t rank_ = 0;
};

class LocalAttendance : public Attendance {
 public:
  LocalAttendance(std::shared_ptr<Meeting> meeting, uint32_t rank, uint32_t size)
      : meeting_(std::move(meeting)), rank_(rank), size_(size) {}
  ~LocalAttendance() override { meeting_->lose(rank_); }
  Result<Meeting::Texts> post(uint32_t round, const std::string& text, Deadline deadline) override {
    const auto left = std::chrono::duration_cast<std::chrono::seconds>(deadline - std::chrono::steady_clock::now());
    return post_and_wait(*meeting_, rank_, size_, round, text, left);
  }
  Status check() override { return meeting_->failure(); }
  void give_up(const Status& why) override { meeting_->lose(rank_, why); }

 private:
  const std::shared_ptr<Meeting> meeting_;
  const uint32_t rank_, size_;
};

class DistantAttendance : public Attendance {
 public:
  DistantAttendance(int socket, std::string identifier, uint32_t rank, uint32_t size)
      : socket_(socket), identifier_(std::move(identifier)), rank_(rank), size_(size) {}
  ~DistantAttendance() override { close(socket_); }

  Result<Meeting::Texts> post(uint32_t round, const std::string& text, Deadline deadline) override {
    const json asked = {{"meeting", identifier_}, {"rank", rank_}, {"size", size_}, {"round", round}, {"text", text}};
    const Status sent = send_frame(socket_, asked.dump());
    auto answered = sent.ok() ? receive_frame(socket_, deadline) : Result<std::string>(sent);
    if (!answered.ok() && answered.status().code == HCCL_E_TIMEOUT) answered = expire();
    auto texts = read(answered);
    if (!texts.ok()) failure_ = texts.status();
    return texts;
  }

  // Nothing comes between two rounds but that.
  Status check() override {
    pollfd told{socket_, POLLIN, 0};
    if (!failure_.ok() || poll(&told, 1, 0) <= 0) return failure_;
    const auto heard = read(receive_frame(socket_, std::chrono::steady_clock::now() + kToTell));
    return failure_ = heard.ok() ? Status{} : heard.status();
  }

  void give_up(const Status& why) override {
    (void)send_frame(socket_, json{{"meeting", identifier_},
                                   {"rank", rank_},
                                   {"lost", why.message},
                                   {"id", why.message_id ? why.message_id : ""}}
                                  .dump());
  }

 private:
  Result<Meeting::Texts> read(const Result<std::string>& answered) {
    if (!answered.ok() && answered.status().code == HCCL_E_TCP_TRANSFER)
      return Status{HCCL_E_INTERNAL,
                    formatted("the process that called HcclGetRootInfo, and answers meeting {}, ended before all ranks "
                              "had come",
                              identifier_),
                    "EI0015"};
    if (!answered.ok())
      return Status{
          answered.status().code,
          formatted("the process that answers meeting {} does not: {}", identifier_, answered.status().message),
          "EI0015"};
    return read(json::parse(*answered, nullptr, false));
  }

  // Whoever answers the meeting tells all ranks that wait for it, this one too.
  Result<std::string> expire() {
    const auto waited = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began_);
    const json asked = {{"meeting", identifier_}, {"rank", rank_}, {"expire", waited.count()}};
    TRY(send_frame(socket_, asked.dump()));
    return receive_frame(socket_, std::chrono::steady_clock::now() + kToTell);
  }

  static Result<Meeting::Texts> read(const json& reply) {
    try {
      if (const int code = reply.at("code"); code != HCCL_SUCCESS)
        return Status{code, reply.at("message"), known_id(reply.at("id"))};
      return reply.at("texts").get<Meeting::Texts>();
    } catch (const json::exception&) {
      return Status{HCCL_E_INTERNAL, "the answer of the meeting is not one: another version?", "EI0015"};
    }
  }

  const int socket_;
  const std::string identifier_;
  const uint32_t rank_, size_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  Status failure_;
};

}  // namespace

void answer_at(Listener listener) {
  Watcher::get().watch(listener.descriptor, [listener] {
    const int socket = accept_at(listener);
    if (socket >= 0) std::make_shared<Guest>(socket)->begin();
  });
}

std::unique_ptr<Attendance> attend(std::shared_ptr<Meeting> meeting, uint32_t rank, uint32_t size) {
  return std::make_unique<LocalAttendance>(std::move(meeting), rank, size);
}

std::unique_ptr<Attendance> attend(int socket, const std::string& identifier, uint32_t rank, uint32_t size) {
  return std::make_unique<DistantAttendance>(socket, identifier, rank, size);
}

}  // namespace belay::comm
