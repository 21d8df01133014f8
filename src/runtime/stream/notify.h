// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "runtime/handle_table.h"
#include "runtime/stream/shared_cell.h"
#include "runtime/stream/stream.h"

namespace belay {

// A flag that one stream sets and another waits for and takes: one record lets one wait pass. Works across processes.
class Notify : public std::enable_shared_from_this<Notify> {
 public:
  static Result<std::shared_ptr<Notify>> make();
  // Opens a notify of another process: 107000 when the key is bad or this process is not on its list.
  static Result<std::shared_ptr<Notify>> import(const std::string& key);

  Status record(Stream& stream);
  // Zero seconds: for ever. When the time is over, the stream fails with 107019.
  Status wait(Stream& stream, std::chrono::seconds timeout);
  void reset();  // at once, on the host

  // The key to import by; with `anyone`, the list of processes is not asked.
  std::string export_key(bool anyone);
  // 107000 when there are more processes than fit.
  Status allow(std::span<const int32_t> pids);

  uint32_t id() const { return id_; }

 private:
  explicit Notify(std::shared_ptr<SharedCell> cell);
  std::atomic<uint64_t>& flag() const { return cell_->word(0); }

  const std::shared_ptr<SharedCell> cell_;
  const uint32_t id_;
};

HandleTable<Notify>& notify_table();
Result<std::shared_ptr<Notify>> find_notify(aclrtNotify handle);

}  // namespace belay
