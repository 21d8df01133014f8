// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "acl/acl_base.h"
#include "base/status.h"
#include "comm/communicator.h"
#include "hccl/hccl_types.h"

namespace belay::api {

// An operation whose first checks are done: where it goes, and how its work is made. Whatever it needs of the caller it
// holds itself.
struct Operation {
  HcclComm comm;
  aclrtStream stream;
  uint64_t volume = 0;   // elements; a group runs the largest first
  bool counted = false;  // it has count arrays: a group runs it after the others
  // The remaining checks, then the work.
  std::function<Result<comm::Work>(const comm::Communicator& communicator)> make;
};

// Puts the operation on its stream, or into the group of this thread.
Status submit(Operation operation);
// The same for sends and receives. `make` may give none.
struct Messages {
  HcclComm comm;
  aclrtStream stream;
  std::function<Result<std::vector<comm::Message>>(const comm::Communicator& communicator)> make;
};
Status submit(Messages messages);

// At once, whatever group there is.
Status run(const Operation& operation);
Status run(const Messages& messages);

}  // namespace belay::api
