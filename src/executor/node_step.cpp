// SPDX-License-Identifier: Apache-2.0
#include "executor/observer.h"

namespace belay::executor {

std::string NodeStep::name() const {
  const std::string member = part == node ? "" : part->name;
  if (kind == Kind::Computes) return member.empty() ? "kernel" : member;
  return (member.empty() ? "" : member + "_") + "TransData_" + (kind == Kind::ChangesInput ? "input" : "output") +
         std::to_string(port);
}

const std::string& NodeStep::type() const {
  static const auto& change = *new std::string("TransData");
  return kind == Kind::Computes ? part->type : change;
}

}  // namespace belay::executor
