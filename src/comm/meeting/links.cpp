// SPDX-License-Identifier: Apache-2.0
#include "comm/meeting/links.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/text.h"
#include "comm/meeting/hex.h"
#include "comm/meeting/meeting.h"
#include "comm/variables.h"
#include "comm/waiting/boards.h"
#include "comm/waiting/waits.h"
#include "comm/waiting/watcher.h"

namespace belay::comm {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kForAnAnswer{3000};
constexpr std::chrono::milliseconds kForTheRest{6000};  // its lines of source are looked up, on a busy machine
constexpr std::chrono::milliseconds kBetweenLooks{100};

std::string listed(const std::vector<uint32_t>& ranks) {
  std::string text;
  for (const uint32_t rank : ranks) text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return text;
}

std::string pid_of(const std::string& process) { return process.substr(0, process.find('-')); }

// Messages keep their ids as literals.
const char* known_id(const std::string& id) {
  static constexpr const char* ids[] = {"EI0002", "EI0005", "EI0006", "EI0009"};
  for (const char* one : ids)
    if (id == one) return one;
  return "EI0002";
}

std::string failure_text(const std::string& key, const Failure& failure) {
  const Status& status = failure.status;
  return json{{"failure", key},
              {"code", status.code},
              {"message", status.message},
              {"id", status.message_id ? status.message_id : ""},
              {"async", failure.async}}
      .dump();
}

}  // namespace

Links& Links::get() {
  static auto& links = *new Links;
  return links;
}

// Under the lock. A host without a network still has names.
void Links::listen() {
  if (std::exchange(listening_, true)) return;
  const auto read = variables();
  const std::string ip = read.ok() ? choose_address((*read).host_ip, (*read).interfaces, (*read).ipv6) : "127.0.0.1";
  Listener listener = listen_at(ip, 0);
  if (listener.descriptor < 0) return;
  address_ = formatted("{} {}", ip, listener.port);
  Watcher::get().watch(listener.descriptor, [this, listener] {
    const int socket = accept_at(listener);
    {
      std::lock_guard one(mutex_);
      cannot_accept_ = socket < 0 ? no_descriptors_left() : "";
    }
    if (socket >= 0) greet(socket);
  });
}

std::string Links::address() {
  std::lock_guard lock(mutex_);
  listen();
  return address_;
}

// The first frame says who calls.
void Links::greet(int socket) {
  auto reader = std::make_shared<FrameReader>();
  Watcher::get().watch(socket, [this, socket, reader] {
    const bool open = reader->read(socket);
    const auto process = reader->next();
    if (!open || process) Watcher::get().forget(socket);
    if (process)
      add(*process, socket);
    else if (!open)
      close(socket);
  });
}

void Links::add(const std::string& process, int socket) {
  auto link = std::make_shared<Link>();
  link->socket = socket;
  {
    std::lock_guard lock(mutex_);
    links_[process] = link;
  }
  changed_.notify_all();
  Watcher::get().watch(socket, [this, process] { hear(process); });
}

Status Links::wait_for_caller(const std::string& process, Deadline deadline, const Check& check) {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, kBetweenLooks, [&] { return links_.contains(process); })) return {};
      const std::string who = pid_of(process);
      if (!cannot_accept_.empty())
        return {HCCL_E_INTERNAL, formatted("process {} cannot be let in{}", who, cannot_accept_), "EI0006"};
      if (std::chrono::steady_clock::now() > deadline)
        return {HCCL_E_TIMEOUT, formatted("process {} did not connect in time", who), "EI0006"};
    }
    TRY(check());
  }
}

Status Links::connect(const std::string& own, const std::string& process, const std::string& address, Deadline deadline,
                      const Check& check) {
  if (own > process) return wait_for_caller(process, deadline, check);
  static auto& connecting = *new std::mutex;  // ranks of this process that meet the same one
  std::lock_guard one(connecting);
  {
    std::lock_guard lock(mutex_);
    if (links_.contains(process)) return {};
  }
  std::istringstream parts(address);
  std::string ip;
  uint32_t port = 0;
  parts >> ip >> port;
  const int socket = TRY(connect_to(ip, port, deadline, check));
  TRY(send_frame(socket, own));
  add(process, socket);
  return {};
}

void Links::join(const std::string& process, const std::string& key, const std::shared_ptr<Board>& board,
                 std::vector<uint32_t> ranks, bool is_part) {
  std::lock_guard lock(mutex_);
  std::erase_if(members_, [](const auto& row) { return row.second.board.expired(); });
  const auto [first, last] = members_.equal_range(key);
  const bool known = std::any_of(
      first, last, [&](const auto& row) { return row.second.process == process && row.second.board.lock() == board; });
  if (!known) members_.emplace(key, Member{board, process, std::move(ranks), is_part});
}

void Links::join_as(const std::string& parent, const std::string& key, const std::shared_ptr<Board>& board,
                    const std::vector<uint32_t>& ranks) {
  std::map<std::string, std::vector<uint32_t>> elsewhere;
  {
    std::lock_guard lock(mutex_);
    const auto [first, last] = members_.equal_range(parent);
    for (auto row = first; row != last; ++row)
      for (uint32_t rank = 0; rank < ranks.size(); ++rank)
        if (std::ranges::find(row->second.ranks, ranks[rank]) != row->second.ranks.end())
          elsewhere[row->second.process].push_back(rank);
  }
  for (const auto& [process, theirs] : elsewhere) join(process, key, board, theirs, true);
}

std::vector<std::string> Links::processes_of(const std::string& key) {
  std::lock_guard lock(mutex_);
  std::vector<std::string> found;
  const auto [first, last] = members_.equal_range(key);
  for (auto row = first; row != last; ++row) found.push_back(row->second.process);
  return found;
}

void Links::send(const std::string& process, const std::string& text) {
  std::shared_ptr<Link> link;
  {
    std::lock_guard lock(mutex_);
    if (const auto found = links_.find(process); found != links_.end()) link = found->second;
  }
  if (link) (void)send_frame(link->socket, text);
}

void Links::say_goodbye(const std::string& among, const std::string& key, uint32_t rank) {
  const std::string text = json{{"goodbye", key}, {"rank", rank}}.dump();
  for (const std::string& process : processes_of(among)) send(process, text);
}

void Links::tell_failure(const std::string& key, const Failure& failure) {
  const std::string text = failure_text(key, failure);
  for (const std::string& process : processes_of(key)) send(process, text);
}

std::string Links::process_of(const std::string& key, uint32_t rank) {
  std::lock_guard lock(mutex_);
  const auto [first, last] = members_.equal_range(key);
  for (auto row = first; row != last; ++row)
    if (std::ranges::find(row->second.ranks, rank) != row->second.ranks.end()) return row->second.process;
  return {};
}

void Links::send_trails(const std::vector<Trail>& trails) {
  for (const Trail& trail : trails)
    send(process_of(trail.key, trail.peer), json{{"trail", trail.key},
                                                 {"origin", trail.origin},
                                                 {"wait", trail.wait},
                                                 {"text", trail.path.text},
                                                 {"keys", trail.path.keys},
                                                 {"peer", trail.peer},
                                                 {"number", trail.number},
                                                 {"age", trail.age.count()},
                                                 {"from", trail.rank},
                                                 {"sends", trail.sends},
                                                 {"message", trail.message}}
                                                .dump());
}

// Asked of another process when it is made; while it lives, the answer is kept.
class Links::Question {
 public:
  Question(Links& links, std::string process, json text) : links_(links), process_(std::move(process)) {
    {
      std::lock_guard lock(links_.mutex_);
      number_ = std::to_string(++links_.questions_);
      links_.answers_[number_] = {};
    }
    text["question"] = number_;
    links_.send(process_, text.dump());
  }
  ~Question() {
    std::lock_guard lock(links_.mutex_);
    links_.answers_.erase(number_);
  }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  enum class End : uint8_t { Answered, Lost, Late };
  // Waits for the answer, until the link to the process is lost, or for as long as `check` lets it.
  template <class Check>
  End wait(Deadline deadline, const Check& check) {
    std::unique_lock lock(links_.mutex_);
    while (true) {
      if (links_.answers_.at(number_).whole) return End::Answered;
      if (!links_.links_.contains(process_)) return End::Lost;
      if (std::chrono::steady_clock::now() > deadline || !check()) return End::Late;
      links_.changed_.wait_for(lock, kBetweenLooks);
    }
  }
  // As much of it as has come; empty when nothing has.
  std::string answer() const {
    std::lock_guard lock(links_.mutex_);
    return links_.answers_.at(number_).text;
  }

 private:
  Links& links_;
  const std::string process_;
  std::string number_;
};

std::string Links::ask(const std::string& key, uint32_t rank, uint64_t number) {
  Question question(*this, process_of(key, rank), {{"ask", key}, {"rank", rank}, {"number", number}});
  const Deadline asked = std::chrono::steady_clock::now();
  (void)question.wait(asked + kForAnAnswer, [] { return true; });
  if (!question.answer().empty()) (void)question.wait(asked + kForTheRest, [] { return true; });
  return question.answer();
}

std::vector<uint64_t> Links::ask_for_arrays(const std::string& key, uint32_t rank, uint64_t number) {
  Question question(*this, process_of(key, rank), {{"arrays", key}, {"rank", rank}, {"number", number}});
  (void)question.wait(std::chrono::steady_clock::now() + kForAnAnswer, [] { return true; });
  std::vector<uint64_t> arrays;
  std::istringstream numbers(question.answer());
  for (uint64_t count; numbers >> count;) arrays.push_back(count);
  return arrays;
}

std::map<std::string, std::vector<uint32_t>> Links::ranks_elsewhere(const std::string& key) {
  std::lock_guard lock(mutex_);
  std::map<std::string, std::vector<uint32_t>> found;
  const auto [first, last] = members_.equal_range(key);
  for (auto row = first; row != last; ++row)
    if (!row->second.ranks.empty()) found[row->second.process] = row->second.ranks;
  return found;
}

Status Links::wait_until_quiet(const std::string& key, const Board& board, std::chrono::milliseconds patience) {
  struct Asked {
    std::string process, ranks;
    std::unique_ptr<Question> question;
  };
  std::vector<Asked> all;
  for (const auto& [process, ranks] : ranks_elsewhere(key))
    all.push_back({process, listed(ranks),
                   std::make_unique<Question>(*this, process, json{{"quiet", key}, {"patience", patience.count()}})});
  const Deadline deadline = std::chrono::steady_clock::now() + patience + kForAnAnswer;  // they themselves wait as long
  for (const Asked& asked : all) {
    const auto end = asked.question->wait(deadline, [&] { return !board.failed(); });
    if (board.failed()) return {};
    if (end == Question::End::Lost)
      return {HCCL_E_REMOTE, formatted("rank {} is gone: process {} has ended", asked.ranks, pid_of(asked.process))};
    if (end == Question::End::Late)
      return {HCCL_E_TIMEOUT, formatted("rank {} is in another process ({}), which does not answer: it is stopped, or "
                                        "the network to it is cut",
                                        asked.ranks, pid_of(asked.process))};
    if (const std::string loud = asked.question->answer(); !loud.empty()) return {HCCL_E_TIMEOUT, loud};
  }
  return {};
}

void Links::announce(const std::string& key, uint32_t rank, const std::string& address) {
  const std::string text = json{{"announce", key}, {"rank", rank}, {"worker", to_hex(address)}}.dump();
  for (const std::string& process : processes_of(key)) send(process, text);
}

Result<std::string> Links::announced(const std::string& key, uint32_t rank, const Board& board, Deadline deadline) {
  const std::string which = formatted("{} {}", key, rank);
  std::unique_lock lock(mutex_);
  while (!announced_.contains(which)) {
    if (board.failed()) return board.failure().status;
    if (std::chrono::steady_clock::now() > deadline)
      return Status{HCCL_E_TIMEOUT,
                    formatted("communicator {} was resumed here, but not by rank {}", board.name(), rank), "EI0006"};
    changed_.wait_for(lock, kBetweenLooks);
  }
  return from_hex(announced_[which]);
}

void Links::answer(const std::string& process, const json& said, const std::string& text, bool whole) {
  send(process, json{{"answer", text}, {"question", said.at("question")}, {"whole", whole}}.dump());
}

void Links::hear(const std::string& process) {
  std::shared_ptr<Link> link;
  {
    std::lock_guard lock(mutex_);
    link = links_[process];
  }
  if (!link) return;
  const bool open = link->reader.read(link->socket);
  while (auto text = link->reader.next()) handle(process, *text);
  if (!open) lost(process);
}

void Links::handle(const std::string& process, const std::string& text) {
  const json said = json::parse(text, nullptr, false);
  if (!said.is_object()) return;
  try {
    if (said.contains("answer")) {
      std::lock_guard lock(mutex_);
      if (const auto asked = answers_.find(said.at("question")); asked != answers_.end())
        asked->second = {said.at("answer"), said.value("whole", true)};
      changed_.notify_all();
      return;
    }
    std::string key;
    if (said.contains("announce")) {
      std::lock_guard lock(mutex_);
      announced_[formatted("{} {}", said.at("announce").get<std::string>(), said.at("rank").get<uint32_t>())] =
          said.at("worker");
      changed_.notify_all();
      return;
    }
    for (const char* kind : {"goodbye", "ask", "arrays", "quiet", "trail", "failure"})
      if (said.contains(kind)) key = said.at(kind);
    std::vector<std::shared_ptr<Board>> boards;
    {
      std::lock_guard lock(mutex_);
      const auto [first, last] = members_.equal_range(key);
      for (auto row = first; row != last; ++row) {
        if (row->second.process != process) continue;
        if (auto board = row->second.board.lock()) boards.push_back(std::move(board));
        if (said.contains("goodbye")) std::erase(row->second.ranks, said.at("rank").get<uint32_t>());
      }
    }
    if (boards.empty() && said.contains("question"))
      answer(process, said, said.contains("ask") ? not_seated(key, said.at("rank")) : "");
    for (const auto& board : boards) {
      if (said.contains("goodbye")) {
        board->seat(said.at("rank")).left = true;
        board->changed();
      } else if (said.contains("ask")) {
        std::thread([=, this] {  // it takes a while
          const uint32_t rank = said.at("rank");
          if (!board->seat(rank).taken) return answer(process, said, not_seated(key, rank));
          answer(process, said, waits().absence(*board, rank, said.at("number"), false), false);
          answer(process, said, waits().absence(*board, rank, said.at("number")));
        })
            .detach();
        break;
      } else if (said.contains("arrays")) {
        std::string numbers;
        for (const uint64_t count : board->arrays_of(said.at("rank"), said.at("number")))
          numbers += std::to_string(count) + " ";
        answer(process, said, numbers);
        break;
      } else if (said.contains("quiet")) {
        std::thread([=, this, patience = std::chrono::milliseconds(said.at("patience").get<int64_t>())] {
          const auto loud = board->wait_until_quiet(std::chrono::steady_clock::now() + patience);
          // It knows of the failure before its messenger has told it; the answer must not overtake that.
          if (board->failed()) send(process, failure_text(key, board->failure()));
          answer(process, said, loud);
        }).detach();
        break;
      } else if (said.contains("trail")) {
        const Trail trail{said.at("origin"),
                          said.at("wait"),
                          {said.at("text"), said.at("keys")},
                          key,
                          said.at("peer"),
                          said.at("number"),
                          std::chrono::milliseconds(said.at("age").get<int64_t>()),
                          said.at("from"),
                          said.at("sends"),
                          said.at("message")};
        send_trails(waits().follow_trail(*board, trail, process_name()));
        break;
      } else {
        board->fail({{said.at("code"), said.at("message"), known_id(said.at("id"))}, said.at("async")});
      }
    }
  } catch (const json::exception&) {
    return;
  }
}

void Links::lost(const std::string& process) {
  struct Orphan {
    std::shared_ptr<Board> board;
    std::vector<uint32_t> ranks;
    bool is_part;  // of another communicator: it may not have been made there
  };
  std::vector<Orphan> orphans;
  std::shared_ptr<Link> link;
  {
    std::lock_guard lock(mutex_);
    const auto found = links_.extract(process);
    if (found) link = found.mapped();
    for (auto row = members_.begin(); row != members_.end();) {
      if (row->second.process != process) {
        ++row;
        continue;
      }
      if (auto board = row->second.board.lock(); board && !row->second.ranks.empty())
        orphans.push_back({std::move(board), row->second.ranks, row->second.is_part});
      row = members_.erase(row);
    }
  }
  if (link) {
    Watcher::get().forget(link->socket);
    close(link->socket);
  }
  for (const auto& [board, ranks, is_part] : orphans) {
    board->fail(
        {{ACL_ERROR_RT_FFTS_PLUS_TIMEOUT,
          formatted(
              "communicator {}: rank {} is gone: process {} ended without HcclCommDestroy{} (killed, crashed, or it "
              "left early)",
              board->name(), listed(ranks), pid_of(process),
              is_part ? ", or without having made this communicator" : ""),
          "EI0002"},
         HCCL_E_REMOTE});
  }
  changed_.notify_all();  // nobody waits for its answers any more
}

}  // namespace belay::comm
