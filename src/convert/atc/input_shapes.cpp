// SPDX-License-Identifier: Apache-2.0
#include "convert/atc/input_shapes.h"

#include <algorithm>

#include "base/text.h"

namespace belay::convert {
namespace {

Status wrong(std::string_view option, std::string_view part, std::string_view why) {
  return {ACL_ERROR_INVALID_PARAM, formatted("--{}: \"{}\" {}", option, part, why), "E10001"};
}

// One dimension: a size, -1, or low~high where high may be -1.
Status add_dimension(std::string_view option, std::string_view text, InputShape& input) {
  text = trimmed(text);
  if (text == "-1") {
    input.shape.push_back(-1);
    input.range.emplace_back(0, -1);
    return {};
  }
  const size_t tilde = text.find('~');
  const auto low = parse_number(text.substr(0, tilde));
  if (!low) return wrong(option, text, "is not a dimension; give a number, -1 or low~high");
  if (tilde == std::string_view::npos) {
    input.shape.push_back(static_cast<int64_t>(*low));
    input.range.emplace_back(*low, *low);
    return {};
  }
  const std::string_view upper = text.substr(tilde + 1);
  const auto high = upper == "-1" ? std::optional<uint64_t>(0) : parse_number(upper);
  if (!high || (upper != "-1" && *high < *low)) return wrong(option, text, "is not a range; give low~high");
  input.shape.push_back(-1);
  input.range.emplace_back(*low, upper == "-1" ? -1 : static_cast<int64_t>(*high));
  return {};
}

Result<InputShape> parse_input(std::string_view option, std::string_view text, bool brackets) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return wrong(option, text, "must be name:dimensions");
  InputShape input{.name = std::string(trimmed(text.substr(0, colon)))};
  std::string_view dims = trimmed(text.substr(colon + 1));
  if (brackets) {
    if (dims.size() < 2 || dims.front() != '[' || dims.back() != ']')
      return wrong(option, text, "must be name:[dimensions]");
    dims = dims.substr(1, dims.size() - 2);
  }
  for (const auto part : split_text(dims, ',')) TRY(add_dimension(option, part, input));
  if (std::none_of(input.shape.begin(), input.shape.end(), [](int64_t dim) { return dim < 0; })) input.range.clear();
  return input;
}

Result<std::vector<InputShape>> parse(std::string_view option, std::string_view text, bool brackets) {
  std::vector<InputShape> inputs;
  for (const auto part : split_text(text, ';')) {
    if (trimmed(part).empty()) continue;
    inputs.push_back(TRY(parse_input(option, part, brackets)));
    for (size_t i = 0; i + 1 < inputs.size(); ++i)
      if (inputs[i].name == inputs.back().name) return wrong(option, inputs.back().name, "is given twice");
  }
  return inputs;
}

}  // namespace

std::vector<std::string_view> split_text(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  if (text.empty()) return parts;
  for (size_t start = 0;;) {
    const size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

Result<std::vector<InputShape>> parse_input_shape(std::string_view text) { return parse("input_shape", text, false); }

Result<std::vector<InputShape>> parse_input_shape_range(std::string_view text) {
  return parse("input_shape_range", text, true);
}

Result<std::vector<std::vector<int64_t>>> parse_number_lists(std::string_view text, std::string_view option) {
  std::vector<std::vector<int64_t>> lists;
  for (const auto part : split_text(text, ';')) {
    std::vector<int64_t> list;
    for (const auto item : split_text(part, ',')) {
      const auto number = parse_number(trimmed(item));
      if (!number || *number == 0) return wrong(option, item, "is not a positive number");
      list.push_back(static_cast<int64_t>(*number));
    }
    lists.push_back(std::move(list));
  }
  return lists;
}

}  // namespace belay::convert
