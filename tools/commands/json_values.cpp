// SPDX-License-Identifier: Apache-2.0
#include "commands/json_values.h"

namespace belay::tools {

using Json = nlohmann::ordered_json;

Json number_json(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_number() ? value : Json(text);
}

Json dims_json(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_array() ? value : Json(text);
}

}  // namespace belay::tools
