// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace belay::convert {

// One option of atc, as `atc --help` explains it.
struct AtcOptionRow {
  enum class Kind {
    Works,
    WithoutEffect,  // accepted; it steers the device's compiler and changes nothing on a CPU
    Refused,        // known, and refused: the result would not be what it asks for
  };
  std::string_view name;
  std::string_view fallback;  // what counts when it is not given
  std::string_view text;
  Kind kind = Kind::Works;
};

std::span<const AtcOptionRow> atc_option_rows();
// Null when atc has no such option.
const AtcOptionRow* find_atc_option(std::string_view name);

}  // namespace belay::convert
