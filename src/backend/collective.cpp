// SPDX-License-Identifier: Apache-2.0
#include "backend/collective.h"

#include <utility>

namespace belay::backend {
namespace {

thread_local Collectives* t_collectives = nullptr;

}  // namespace

Collectives* collectives() { return t_collectives; }

CollectivesScope::CollectivesScope(Collectives& of) : before_(std::exchange(t_collectives, &of)) {}

CollectivesScope::~CollectivesScope() { t_collectives = before_; }

}  // namespace belay::backend
