// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"

namespace belay::convert {

// Which passes may run: what --fusion_switch_file says, all of them by default.
class Switches {
 public:
  // A text of lines "Pass:off", or JSON {"Switch":{"GraphFusion":{"ALL":"off","Pass":"on"},"UBFusion":{...}}}. An error
  // shows the line that is neither.
  static Result<Switches> parse(std::string_view text);
  static Result<Switches> read(const std::filesystem::path& file);

  bool enabled(std::string_view pass, bool ub) const;

 private:
  std::map<std::string, bool, std::less<>> graph_, ub_;  // by pass; "ALL" for those not named
};

}  // namespace belay::convert
