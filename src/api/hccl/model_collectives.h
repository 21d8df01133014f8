// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backend/collective.h"
#include "comm/communicator.h"
#include "runtime/stream/stream.h"

namespace belay::api {

// The communicators of a device, as the operators of a model find them by the names of their groups. Used by the thread
// that runs the model; `stream` is the one on which the program put it, and says when to give up waiting.
class ModelCollectives : public backend::Collectives {
 public:
  ModelCollectives(int device, Stream& stream) : device_(device), stream_(stream) {}

  Result<Member> member(const std::string& group) override;
  Status run(backend::Collective collective) override;

  // The model has failed: the other ranks of its groups wait for it in vain, and are told.
  void give_up(std::span<const std::string> groups, const Status& why);

 private:
  Result<std::shared_ptr<comm::Communicator>> find(const std::string& group) const;
  Status run_message(const backend::Collective& collective, comm::Communicator& in);

  const int device_;
  Stream& stream_;
};

// Goes along with a model that waits in a stream for its turn: one that is dropped there leaves the other ranks of its
// groups waiting, and tells them.
class ModelTicket {
 public:
  // For the groups that have a communicator on the device by now.
  ModelTicket(std::span<const std::string> groups, int device, const Stream& stream);
  ModelTicket(ModelTicket&&) = default;
  ~ModelTicket();
  // The model is queued; from then on it must be used. Under the lock of the stream.
  void begin();
  // It runs.
  void use() { used_ = true; }

 private:
  std::vector<std::shared_ptr<comm::Communicator>> communicators_;
  const std::atomic<bool>* aborted_;
  bool begun_ = false, used_ = false;
};

}  // namespace belay::api
