// SPDX-License-Identifier: Apache-2.0
#include "comm/meeting/introduce.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/text.h"
#include "comm/engine/engines.h"
#include "comm/meeting/hex.h"
#include "comm/meeting/links.h"
#include "comm/variables.h"
#include "comm/waiting/boards.h"

namespace belay::comm {
namespace {

using nlohmann::json;

// Processes of one host, the same namespaces and one user share memory, and read each other's where that is allowed;
// others use the network. Where only some namespaces are the same, UCX would try shared memory in vain.
std::string transports_for(const std::vector<Member>& members, bool all_can_read) {
  const auto same = [&](auto field) {
    return std::ranges::all_of(members, [&](const Member& member) { return member.*field == members.front().*field; });
  };
  if (same(&Member::place)) return all_can_read ? "sysv,cma,self" : "tcp,sysv,self";
  for (const Member& one : members)
    for (const Member& other : members)
      if (one.host == other.host && one.place != other.place) return "tcp,self";
  return all_can_read ? "tcp,sysv,cma,self" : "tcp,sysv,self";
}

// The card for TCP: that of the address where others reach this process. Given several, UCX may take one that leads
// nowhere.
std::string card_for(const std::string& transports) {
  const auto read = variables();
  if (!read.ok() || !transports.starts_with("tcp")) return {};
  return card_of(choose_address((*read).host_ip, (*read).interfaces, (*read).ipv6));
}

// Whether every rank can read the memory of every other that is of its place: they tell each other.
Result<bool> all_can_read(Attendance& attendance, const std::vector<Member>& members, const Member& me,
                          Deadline deadline) {
  const bool mine =
      std::ranges::all_of(members, [&](const Member& member) { return member.place != me.place || can_read(member); });
  const auto said = TRY(attendance.post(1, mine ? "yes" : "no", deadline));
  return std::ranges::count(said, "yes") == std::ssize(said);
}

// What each rank tells in the third round.
struct Contact {
  std::string link, worker;

  std::string text() const { return json{{"link", link}, {"worker", to_hex(worker)}}.dump(); }
  static Result<Contact> parse(const std::string& text) {
    try {
      const json read = json::parse(text);
      return Contact{read.at("link"), from_hex(read.at("worker"))};
    } catch (const json::exception&) {
      return Status{HCCL_E_INTERNAL, "a rank gave no address: another version?", "EI0015"};
    }
  }
};

void set_servers(Board& board, const std::vector<Member>& members) {
  for (const Member& member : members)
    board.seat(member.rank).server = std::ranges::find(members, member.host, &Member::host)->rank;
}

Status compare_extra(const std::vector<Member>& members, uint32_t rank) {
  for (const Member& member : members)
    if (member.link != members[rank].link)
      return {HCCL_E_INTERNAL,
              formatted("rank {} and rank {} were given different rank tables ({} and {})", rank, member.rank,
                        members[rank].link, member.link),
              "EI0005"};
  return {};
}

Status connect_all(const std::vector<Member>& members, const std::vector<Contact>& contacts, const Newcomer& newcomer,
                   const Introduction& made, Deadline deadline, const Check& check) {
  const std::string own = members[newcomer.place.rank].process;
  std::map<std::string, std::vector<uint32_t>> elsewhere;
  for (const Member& member : members)
    if (member.process != own) elsewhere[member.process].push_back(member.rank);
  for (const auto& [process, ranks] : elsewhere) {
    for (const uint32_t rank : ranks) {
      Status reached = made.engine->connect(rank, contacts[rank].worker);
      if (reached.ok()) continue;
      reached.message += no_descriptors_left();
      return reached;
    }
    TRY(Links::get().connect(own, process, contacts[ranks.front()].link, deadline, check));
    Links::get().join(process, newcomer.key, made.board, ranks);
  }
  made.board->set_messenger([key = newcomer.key](const Failure& failure) { Links::get().tell_failure(key, failure); });
  return {};
}

// Where another rank failed before, that is why this one could not be reached or could not reach it: it hears of it
// within moments.
Status why_not(const Status& connected, const Check& check) {
  for (int turn = 0; turn < 25; ++turn) {
    TRY(check());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return connected;
}

Result<Introduction> meet(Attendance& attendance, const Newcomer& newcomer, Deadline deadline) {
  Member me = this_process();
  me.rank = newcomer.place.rank;
  me.size = newcomer.size;
  me.device = newcomer.place.physical;
  me.link = newcomer.extra;
  std::vector<Member> members;
  for (const std::string& text : TRY(attendance.post(0, me.text(), deadline)))
    members.push_back(TRY(Member::parse(text)));
  TRY(compare_extra(members, me.rank));
  std::vector<bool> here;
  for (const Member& member : members) here.push_back(member.process == me.process);
  Introduction made;
  made.board = newcomer.seat
                   ? newcomer.seat
                   : take_seat(newcomer.key, newcomer.name, newcomer.size, me.rank, newcomer.place.device, here);
  for (uint32_t rank = 0; rank < newcomer.size; ++rank) made.board->seat(rank).here = here[rank];
  if (!newcomer.seat) set_servers(*made.board, members);
  const bool alone = std::ranges::all_of(here, [](bool one) { return one; });
  Contact contact;
  if (!alone) {
    const bool readable = TRY(all_can_read(attendance, members, me, deadline));
    const std::string transports = transports_for(members, readable);
    auto engine = make_engine(transports, card_for(transports));
    if (!engine.ok()) return engine.status();
    made.engine = std::move(engine).value();
    if (Links::get().address().empty())
      return Status{HCCL_E_INTERNAL, "this process cannot listen for the others" + no_descriptors_left(), "EI0006"};
    contact = {Links::get().address(), made.engine->address()};
  }
  std::vector<Contact> contacts;
  for (const std::string& text : TRY(attendance.post(2, contact.text(), deadline)))
    contacts.push_back(TRY(Contact::parse(text)));
  if (!alone) {
    const auto check = [&] { return attendance.check(); };
    const Status connected = connect_all(members, contacts, newcomer, made, deadline, check);
    if (!connected.ok()) return why_not(connected, check);
  }
  // Nobody works before all are connected.
  TRY(attendance.post(Meeting::kLastRound, "{}", deadline));
  return made;
}

}  // namespace

Result<Introduction> introduce(Attendance& attendance, const Newcomer& newcomer, Deadline deadline) {
  auto made = meet(attendance, newcomer, deadline);
  if (!made.ok()) attendance.give_up(made.status());
  return made;
}

}  // namespace belay::comm
