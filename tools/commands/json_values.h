// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace belay::tools {

// What is text in a report, as JSON: numbers where JSON has them, inf and nan as text.
nlohmann::ordered_json number_json(const std::string& text);
// "[1,3]" as a list; else, as the shape "NA" of a statistics file, the text.
nlohmann::ordered_json dims_json(const std::string& text);

}  // namespace belay::tools
