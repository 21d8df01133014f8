// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace protozero {
struct exception;
}

// What others throw, in words for a user: the texts of a parser name its own parts, not the file's.
namespace belay {

// "it ends in the middle of a field".
std::string exception_words(const protozero::exception& error);
// "line 3, column 7: this is not JSON", for the `text` that was parsed; or what was missed when its values were taken.
std::string json_words(const std::exception& error, std::string_view text);
// "out of host memory"; of what nobody expects, the library's own words as well.
std::string exception_words(const std::exception& error);

}  // namespace belay
