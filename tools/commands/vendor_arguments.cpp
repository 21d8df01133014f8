// SPDX-License-Identifier: Apache-2.0
#include "commands/vendor_arguments.h"

#include <algorithm>
#include <string_view>

#include "base/closest.h"
#include "base/text.h"

namespace belay::tools {
namespace {

const VendorOption* find(const std::vector<VendorOption>& known, const std::string& name) {
  const auto found = std::ranges::find_if(known, [&](const VendorOption& option) { return name == option.name; });
  return found == known.end() ? nullptr : &*found;
}

std::string unknown(const std::vector<VendorOption>& known, const std::string& given, const std::string& name) {
  std::vector<std::string_view> names;
  for (const VendorOption& option : known) names.push_back(option.name);
  const std::string nearest(closest_name(name, names));
  return "there is no option " + given + (nearest.empty() ? "" : "; did you mean -" + nearest + "?");
}

}  // namespace

bool asks_for_help(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) { return word == "-h" || word == "--help"; });
}

VendorArguments::VendorArguments(const std::vector<VendorOption>& known, const std::vector<std::string>& given) {
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string& word = given[i];
    if (word.size() < 2 || word[0] != '-') throw VendorUsage("'" + word + "' is one argument too many");
    const size_t equals = word.find('=');
    const std::string spelled = word.substr(0, equals), name = spelled.substr(spelled.starts_with("--") ? 2 : 1);
    const VendorOption* option = find(known, name);
    if (!option) throw VendorUsage(unknown(known, spelled, name));
    if (*option->refusal) throw VendorUsage(formatted("-{} is not supported: {}", name, option->refusal));
    if (!option->takes_value) {
      values_[name] = "";
    } else if (equals != std::string::npos) {
      values_[name] = word.substr(equals + 1);
    } else {
      if (i + 1 == given.size()) throw VendorUsage(formatted("{} needs a value", spelled));
      values_[name] = given[++i];
    }
    if (option->takes_value && values_[name].empty()) throw VendorUsage(formatted("{}: its value is empty", spelled));
  }
}

std::string VendorArguments::value(const std::string& name, const std::string& otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second;
}

std::string VendorArguments::required(const std::string& name) const {
  if (!has(name)) throw VendorUsage(formatted("-{} is missing", name));
  return value(name);
}

}  // namespace belay::tools
