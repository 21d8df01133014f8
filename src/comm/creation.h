// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "comm/communicator.h"
#include "comm/meeting/token.h"

namespace belay::comm {

using CommunicatorPtr = std::shared_ptr<Communicator>;

// Opens a meeting that this process answers, in the background.
Result<Token> open_meeting(int physical_device);

// Meets the other ranks where the token says, and waits for them.
Result<CommunicatorPtr> join(const Token& token, uint32_t size, Communicator::Place place, Settings settings);

// One communicator for each of the places; all ranks are of this process.
Result<std::vector<CommunicatorPtr>> make_all(const std::vector<Communicator::Place>& places, const Settings& settings);

// A communicator of some ranks of another: position i of `ranks` becomes rank i. Nobody is waited for.
struct Split {
  std::vector<uint32_t> ranks;
  uint64_t id = 0;
  uint32_t rank = 0;
};
Result<CommunicatorPtr> split(Communicator& parent, const Split& part, Settings settings);

// The same ranks once more, for the operators of models: these are numbered when they run, and not, as the program's
// operations, when they are called. Made when first asked for; it lives as long as `communicator`.
Result<CommunicatorPtr> for_models(Communicator& communicator);

// E_PARA when a communicator of that device has the name already.
Status check_name_is_free(const std::string& name, int device);

}  // namespace belay::comm
