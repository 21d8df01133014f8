// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dump/config/config.h"

// The documented checks of a dump section, in their order; each assumes that those before it passed.
namespace belay::dump {

using Json = nlohmann::json;

// 100009 with a message id: EP0001 missing, empty or of the wrong type, EP0002 not one of the allowed values, EP0003
// invalid with a reason, EP0004 no JSON, EP0005 in conflict with another item.
Status wrong(const char* id, std::string message);

// The member of that name; null when there is none.
const Json* find(const Json& object, const char* key);
// The string of that name; empty when there is none.
std::string text_of(const Json& object, const char* key);

Status check_types(const Json& dump);
Status check_values(const Json& dump);
Status check_constraints(const Json& dump, const PathCheck& check_path);

Scene scene_of(const Json& dump);
uint8_t statistics_of(const std::vector<std::string>& names);
// The ranges of dump_step. Numbers that are too large count as the largest.
Result<std::vector<StepRange>> steps_of(const Json& dump);

}  // namespace belay::dump
