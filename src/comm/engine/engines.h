// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "comm/engine/engine.h"

namespace belay::comm {

// An engine between processes, from the library beside this one that needs UCX. E_NOT_SUPPORT, with the package to
// install, when it cannot be loaded. `transports` is UCX's list, `device` a network card or empty.
Result<std::unique_ptr<Engine>> make_engine(const std::string& transports, const std::string& device);

// What that library exports: the engine, or null and the reason.
using MakeEngine = Engine* (*)(const char* transports, const char* device, std::string* error);
constexpr const char* kMakeEngine = "belay_make_ucx_engine";

}  // namespace belay::comm
