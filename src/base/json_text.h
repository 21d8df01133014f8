// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace belay {

// The text of a JSON value. Names of operators and files may be any bytes: what is not UTF-8 becomes U+FFFD, where
// nlohmann's dump() alone would throw. `indent` -1: on one line.
template <class Json>
std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace belay
