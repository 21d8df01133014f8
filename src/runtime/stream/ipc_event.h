// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/stream/event.h"
#include "runtime/stream/shared_cell.h"

namespace belay {

// An event that several processes share: recorded in one, waited for in another.
class IpcEvent : public Event {
 public:
  IpcEvent(uint32_t flags, uint32_t id, std::shared_ptr<SharedCell> cell)
      : Event(EventKind::Extended, flags, id), cell_(std::move(cell)) {}

  Status record(Stream& stream) override;
  Status wait(Stream& stream, std::chrono::seconds timeout) override;
  Status reset(Stream& stream) override;
  Status synchronize(Timeout timeout) override;
  bool reached(bool unrecorded) const override;
  Result<uint64_t> time() const override;

  const std::string& key() const { return cell_->key(); }

 private:
  class Arrival;
  std::atomic<uint64_t>& recorded() const { return cell_->word(0); }  // how often record was called
  std::atomic<uint64_t>& passed() const { return cell_->word(1); }    // the last record that a stream reached
  std::atomic<uint64_t>& when() const { return cell_->word(2); }

  const std::shared_ptr<SharedCell> cell_;
};

}  // namespace belay
