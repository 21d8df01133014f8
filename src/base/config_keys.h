// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belay {

// The keys of an acl.json that nobody reads, each as a sentence with the known key that it is most like:
// "dump.dump_lists is not a known key and is ignored; did you mean dump_list?" Every section and every object in its
// lists is looked at. A pure function of the text; what is no JSON object has no keys.
std::vector<std::string> unknown_keys(std::string_view acl_json);

// Logs those of the text, each sentence once in the life of the process.
void say_unknown_keys(std::string_view acl_json);

}  // namespace belay
