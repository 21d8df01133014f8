// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace belay {

// A name out of a file as it can be shown: in one line, and without power over the terminal. Control characters, marks
// that turn the direction of the text and bytes that are not UTF-8 become \n, \t, \x1b, \u202e; the rest stays.
std::string printable(std::string_view text);
// A text of several lines: ends of lines stay where `indent` follows them, so that no name begins a line of its own.
std::string printable_lines(std::string_view text, std::string_view indent = "");

}  // namespace belay
