// SPDX-License-Identifier: Apache-2.0
#include "api/hccl/group.h"

#include <algorithm>
#include <map>
#include <thread>

#include "api/hccl/checks.h"
#include "api/hccl/entry.h"
#include "base/log/log.h"
#include "base/threads/thread_object.h"
#include "hccl/hccl_comm.h"
#include "runtime/device/current.h"

namespace belay::api {
namespace {

Status mixed(const char* what) {
  return {HCCL_E_NOT_SUPPORT, formatted("a group cannot hold {}; end it and start another", what), "EI0003"};
}

// What it should have sent and received would be missed for ever, and here nobody would notice.
Status give_up(const Messages& messages, const Status& why) {
  const Visit communicator = TRY(find_communicator(messages.comm));
  const auto stream = TRY(find_hccl_stream(messages.stream));
  communicator->give_up(why, *stream);
  return {};
}

void note(const Status& status) {
  if (!status.ok()) report("HcclGroupEnd", status);
}

}  // namespace

Group* Group::current() {
  Group& group = thread_object<Group>();
  return group.depth_ > 0 ? &group : nullptr;
}

void Group::start() { ++thread_object<Group>().depth_; }

Status Group::end() {
  Group& group = thread_object<Group>();
  if (group.depth_ == 0) return {HCCL_E_NOT_SUPPORT, "HcclGroupEnd without HcclGroupStart", "EI0003"};
  if (--group.depth_ > 0) return {};
  Group collected;
  std::swap(collected, group);
  collected.run();
  return {};
}

Status Group::add(Operation operation) {
  if (!creations_.empty()) return mixed("creation and operations");
  if (!messages_.empty()) return mixed("collective operations and sends or receives");
  operations_.push_back(std::move(operation));
  return {};
}

Status Group::add(Messages messages) {
  if (!creations_.empty()) return mixed("creation and operations");
  if (!operations_.empty()) return mixed("collective operations and sends or receives");
  messages_.push_back(std::move(messages));
  return {};
}

Status Group::add_creation(std::function<Status()> create) {
  if (!operations_.empty() || !messages_.empty()) return mixed("creation and operations");
  creations_.push_back([create = std::move(create), context = peek_current_context()] {
    set_current_context(context);
    return create();
  });
  return {};
}

void Group::run() {
  std::vector<Status> created(creations_.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < creations_.size(); ++i)
    threads.emplace_back([&, i] { created[i] = as_hccl(creations_[i]()); });
  for (auto& thread : threads) thread.join();
  std::ranges::for_each(created, note);

  std::ranges::stable_sort(operations_, [](const Operation& a, const Operation& b) {
    return a.counted != b.counted ? !a.counted : !a.counted && a.volume > b.volume;
  });
  for (const Operation& operation : operations_) note(api::run(operation));
  for (const Operation& operation : operations_)
    if (auto stream = find_any_stream(operation.stream); stream.ok()) note((*stream)->drain());

  std::map<HcclComm, std::vector<const Messages*>> batches;
  for (const Messages& messages : messages_) batches[messages.comm].push_back(&messages);
  for (const auto& [comm, parts] : batches) {
    const auto make = [&parts = parts](const comm::Communicator& communicator) -> Result<std::vector<comm::Message>> {
      std::vector<comm::Message> all;
      for (const Messages* part : parts)
        for (auto& message : TRY(part->make(communicator))) all.push_back(message);
      return all;
    };
    const Status status = api::run(Messages{comm, parts.front()->stream, make});
    note(status);
    if (!status.ok()) (void)give_up(*parts.front(), status);
  }
}

Status run(const Operation& operation) {
  const Visit communicator = TRY(find_communicator(operation.comm));
  const auto stream = TRY(find_hccl_stream(operation.stream));
  auto work = TRY(operation.make(*communicator));
  return communicator->launch(std::move(work), *stream);
}

Status run(const Messages& messages) {
  const Visit communicator = TRY(find_communicator(messages.comm));
  const auto stream = TRY(find_hccl_stream(messages.stream));
  auto made = TRY(messages.make(*communicator));
  return communicator->launch(std::move(made), *stream);
}

Status submit(Operation operation) {
  if (Group* group = Group::current()) return group->add(std::move(operation));
  return run(operation);
}

Status submit(Messages messages) {
  if (Group* group = Group::current()) return group->add(std::move(messages));
  return run(messages);
}

}  // namespace belay::api

using namespace belay;
using namespace belay::api;

HcclResult HcclGroupStart() {
  return hccl_entry(__func__, []() -> Status {
    Group::start();
    return {};
  });
}

HcclResult HcclGroupEnd() {
  return hccl_entry(__func__, [] { return Group::end(); });
}

HcclResult HcclGroupStatusGet(bool* isGroupEnabled) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(given(isGroupEnabled, "isGroupEnabled"));
        *isGroupEnabled = Group::current() != nullptr;
        return {};
      },
      isGroupEnabled);
}
