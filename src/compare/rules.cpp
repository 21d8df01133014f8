// SPDX-License-Identifier: Apache-2.0
#include "compare/rules.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/closest.h"
#include "base/files/file.h"
#include "base/text.h"

namespace belay::compare {
namespace {

using graph::DataType;
using Json = nlohmann::json;

constexpr size_t kLargestFile = 16 << 20, kDeepest = 8;

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The graph engine's name: "float", "double".
std::string engine_text(DataType type) {
  const std::string name = in_small_letters(std::string(graph::name_of(type)));
  return name.starts_with("dt_") ? name.substr(3) : name;
}

bool fits(const std::string& glob, const std::string& text) {
  return glob.empty() || ::fnmatch(glob.c_str(), text.c_str(), FNM_NOESCAPE) == 0;
}

bool fits_type(const std::string& glob, DataType type) {
  return fits(glob, type_text(type)) || fits(glob, engine_text(type)) || fits(glob, "dt_" + engine_text(type));
}

Status wrong(size_t rule, const std::string& what) {
  return {ACL_ERROR_PARSE_FILE, formatted("rule {}: {}", rule, what)};
}

using Number = std::optional<double> Limits::*;
constexpr std::array<std::pair<std::string_view, Number>, 5> kNumbers{{{"rtol", &Limits::rtol},
                                                                       {"atol", &Limits::atol},
                                                                       {"cosine", &Limits::cosine},
                                                                       {"euclidean", &Limits::euclidean},
                                                                       {"peak", &Limits::peak}}};
using Text = std::string Rule::*;
constexpr std::array<std::pair<std::string_view, Text>, 3> kTexts{
    {{"op", &Rule::op}, {"type", &Rule::op_type}, {"dtype", &Rule::type}}};

std::string unknown_key(const std::string& key) {
  std::vector<std::string_view> known{"ignore"};
  for (const auto& [name, member] : kTexts) known.push_back(name);
  for (const auto& [name, member] : kNumbers) known.push_back(name);
  const std::string_view nearest = closest_name(key, known);
  return formatted("there is no key \"{}\"", key) +
         (nearest.empty() ? std::string() : formatted("; did you mean \"{}\"?", nearest));
}

// "" or what is wrong with the entry.
std::string take(Rule& rule, const std::string& key, const Json& value) {
  if (key == "ignore") {
    if (!value.is_boolean()) return "\"ignore\" is neither true nor false";
    rule.limits.ignore = value.get<bool>();
    return "";
  }
  for (const auto& [name, member] : kTexts) {
    if (key != name) continue;
    if (!value.is_string()) return formatted("\"{}\" is no text", key);
    rule.*member = value.get<std::string>();
    if ((rule.*member).empty()) return formatted("\"{}\" is empty; leave it out to match all", key);
    return "";
  }
  for (const auto& [name, member] : kNumbers) {
    if (key != name) continue;
    const bool cosine = key == "cosine";
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    if (!(number >= (cosine ? -1 : 0)) || !(number <= (cosine ? 1 : std::numeric_limits<double>::max())))
      return formatted(cosine ? "\"{}\" is no number from -1 to 1" : "\"{}\" is no number from 0 up", key);
    rule.limits.*member = number;
    return "";
  }
  return unknown_key(key);
}

Result<Rule> rule_of(const Json& json, size_t number) {
  if (!json.is_object()) return wrong(number, "it is no object");
  Rule rule;
  for (const auto& [key, value] : json.items())
    if (const std::string problem = take(rule, key, value); !problem.empty()) return wrong(number, problem);
  rule.type = in_small_letters(rule.type);
  if (rule.limits.empty()) return wrong(number, "it has no limit; \"ignore\": true leaves tensors out");
  return rule;
}

// `twice`: a key that an object has more than once, of which JSON readers take one.
Json parse_noting_keys(std::string_view text, std::string& twice) {
  std::vector<std::set<std::string>> keys;  // by depth
  const auto note = [&](int depth, Json::parse_event_t event, Json& value) {
    const auto level = static_cast<size_t>(depth);
    keys.resize(std::max(keys.size(), level + 2));
    if (event == Json::parse_event_t::object_start) keys[level + 1].clear();
    if (event == Json::parse_event_t::key && !keys[level].insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
    return true;
  };
  return Json::parse(text, note, false, true);
}

}  // namespace

std::string type_text(DataType type) {
  if (type == DataType::Float) return "float32";
  if (type == DataType::Double) return "float64";
  return engine_text(type);
}

Limits Rules::limits_for(const SideTensor& ours, DataType ours_type, const SideTensor& truth,
                         DataType truth_type) const {
  for (const Rule& rule : rules)
    if ((fits(rule.op, ours.op) || fits(rule.op, truth.op)) &&
        (fits(rule.op_type, ours.op_type) || fits(rule.op_type, truth.op_type)) &&
        (fits_type(rule.type, ours_type) || fits_type(rule.type, truth_type)))
      return rule.limits;
  return otherwise.empty() ? usual_limits(ours_type, truth_type) : otherwise;
}

Result<std::vector<Rule>> parse_rules(std::string_view text) {
  std::string twice;
  const Json json = nesting_depth(text) > kDeepest ? Json() : parse_noting_keys(text, twice);
  if (!twice.empty()) return Status{ACL_ERROR_PARSE_FILE, formatted("the key \"{}\" is there twice", twice)};
  const bool wrapped = json.is_object() && json.contains("rules");
  if (wrapped)
    for (const auto& [key, value] : json.items())
      if (key != "rules")
        return Status{ACL_ERROR_PARSE_FILE, formatted("there is no key \"{}\" beside \"rules\"", key)};
  const Json& list = wrapped ? json["rules"] : json;
  if (!list.is_array())
    return Status{ACL_ERROR_PARSE_FILE,
                  "this is no rules file: JSON like {\"rules\": [{\"op\": \"*\", \"rtol\": 0.001}]}"};
  if (list.empty()) return Status{ACL_ERROR_PARSE_FILE, "there is no rule in it"};
  std::vector<Rule> rules;
  for (const Json& entry : list) rules.push_back(TRY(rule_of(entry, rules.size() + 1)));
  return rules;
}

Result<std::vector<Rule>> read_rules(const std::filesystem::path& file) {
  auto rules = parse_rules(TRY(read_text(file.string(), kLargestFile)));
  if (rules.ok()) return rules;
  return Status{rules.status().code, formatted("{}: {}", file.string(), rules.status().message)};
}

}  // namespace belay::compare
