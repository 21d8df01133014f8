// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/notify.h"

#include <unistd.h>

#include "acl/acl_rt.h"
#include "runtime/stream/write_gate.h"

namespace belay {
namespace {

// The words of a notify's cell after the flag.
constexpr size_t kAnyone = 1, kOwner = 2, kFirstPid = 3;

bool may_import(SharedCell& cell) {
  const auto self = static_cast<uint64_t>(getpid());
  if (cell.word(kAnyone) || cell.word(kOwner) == self) return true;
  for (size_t i = kFirstPid; i < SharedCell::kWords; ++i)
    if (cell.word(i) == self) return true;
  return false;
}

uint32_t next_id() {
  static std::atomic<uint32_t> next{0};
  return next++;
}

}  // namespace

HandleTable<Notify>& notify_table() {
  static auto& table = *new HandleTable<Notify>(4);
  return table;
}

Result<std::shared_ptr<Notify>> find_notify(aclrtNotify handle) {
  if (auto notify = notify_table().find(handle)) return notify;
  return Status{ACL_ERROR_RT_INVALID_HANDLE, "notify is not a live notify: it was destroyed, or is something else",
                "EE1017"};
}

Notify::Notify(std::shared_ptr<SharedCell> cell) : cell_(std::move(cell)), id_(next_id()) {}

Result<std::shared_ptr<Notify>> Notify::make() {
  auto cell = TRY(SharedCell::make());
  cell->word(kOwner) = static_cast<uint64_t>(getpid());
  return std::shared_ptr<Notify>(new Notify(std::move(cell)));
}

Result<std::shared_ptr<Notify>> Notify::import(const std::string& key) {
  auto cell = TRY(SharedCell::open(key));
  if (!may_import(*cell))
    return Status{ACL_ERROR_RT_PARAM_INVALID,
                  "process " + std::to_string(getpid()) +
                      " may not import this notify; its owner must name it with aclrtNotifySetImportPid"};
  return std::shared_ptr<Notify>(new Notify(std::move(cell)));
}

Status Notify::record(Stream& stream) {
  return stream.launch([self = shared_from_this()] {
    self->flag() = 1;
    self->cell_->announce();
  });
}

Status Notify::wait(Stream& stream, std::chrono::seconds timeout) {
  return stream.launch([self = shared_from_this(), &stream, timeout]() -> Status {
    const Timeout limit = timeout.count() ? Timeout(timeout) : std::nullopt;
    auto take = [&] {
      uint64_t set = 1;
      return self->flag().compare_exchange_strong(set, 0);
    };
    write_gate().step_out();
    if (self->cell_->wait(take, &stream.interrupted(), limit)) return {};
    return {ACL_ERROR_RT_WAIT_TIMEOUT, "a wait for a notify timed out after " + std::to_string(timeout.count()) + " s"};
  });
}

void Notify::reset() { flag() = 0; }

std::string Notify::export_key(bool anyone) {
  if (anyone) cell_->word(kAnyone) = 1;
  return cell_->key();
}

Status Notify::allow(std::span<const int32_t> pids) {
  size_t free = kFirstPid;
  for (const int32_t pid : pids) {
    while (free < SharedCell::kWords && cell_->word(free)) ++free;
    if (free == SharedCell::kWords)
      return {ACL_ERROR_RT_PARAM_INVALID,
              "a notify can be shared with " + std::to_string(SharedCell::kWords - kFirstPid) + " processes at most"};
    cell_->word(free) = static_cast<uint64_t>(pid);
  }
  return {};
}

}  // namespace belay
