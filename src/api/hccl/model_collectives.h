// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/collective.h"
#include "comm/communicator.h"
#include "graph/model/graph.h"
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
  void give_up(const graph::Model& model, const Status& why);

 private:
  Result<std::shared_ptr<comm::Communicator>> find(const std::string& group) const;
  Status run_message(const backend::Collective& collective, comm::Communicator& in);

  const int device_;
  Stream& stream_;
};

}  // namespace belay::api
