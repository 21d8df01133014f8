// SPDX-License-Identifier: Apache-2.0
#include "base/exception_words.h"

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>
#include <protozero/exception.hpp>
#include <system_error>

#include "base/text.h"

namespace belay {
namespace {

template <class Kind>
bool is(const std::exception& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

constexpr int kNoSuchKey = 403, kNumberTooLarge = 406;  // of nlohmann's exceptions

// "there is no name", for "... key 'name' not found".
std::string missing_key(std::string_view text) {
  const size_t open = text.find('\''), close = text.rfind('\'');
  if (open == close) return "a key is missing";
  return formatted("there is no \"{}\" where one must be", text.substr(open + 1, close - open - 1));
}

}  // namespace

std::string exception_words(const protozero::exception& error) {
  if (is<protozero::end_of_buffer_exception>(error)) return "it ends in the middle of a field";
  if (is<protozero::varint_too_long_exception>(error)) return "a number in it has too many bytes";
  if (is<protozero::invalid_tag_exception>(error)) return "a field in it has a number that none may have";
  if (is<protozero::invalid_length_exception>(error)) return "a list in it ends in the middle of a number";
  return "a field in it is of a kind that there is not";
}

std::string json_words(const std::exception& error, std::string_view text) {
  const auto* parse = dynamic_cast<const nlohmann::json::parse_error*>(&error);
  if (!parse) {
    const auto* other = dynamic_cast<const nlohmann::json::exception*>(&error);
    if (other && other->id == kNoSuchKey) return missing_key(other->what());
    if (other && other->id == kNumberTooLarge) return "a number is too large";
    return "a value is of another type than it must be";
  }
  const bool ends = parse->byte > text.size();
  const std::string_view before = text.substr(0, std::min(text.size(), parse->byte - std::min<size_t>(parse->byte, 1)));
  const auto line = std::ranges::count(before, '\n') + 1;
  const size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  const bool bytes = std::string_view(parse->what()).find("UTF-8") != std::string_view::npos;
  return formatted("line {}, column {}: {}", line, column,
                   ends    ? "the text ends too early"
                   : bytes ? "this is not UTF-8"
                           : "this is not JSON");
}

std::string exception_words(const std::exception& error) {
  if (is<std::bad_alloc>(error)) return "out of host memory";
  if (is<std::length_error>(error)) return "something would be larger than any memory";
  if (is<std::system_error>(error)) return error.what();  // the system's own words are in it
  return formatted("this library failed in a way that it did not foresee ({})", error.what());
}

}  // namespace belay
