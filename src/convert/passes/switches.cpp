// SPDX-License-Identifier: Apache-2.0
#include "convert/passes/switches.h"

#include <nlohmann/json.hpp>

#include "base/files/file.h"
#include "base/text.h"
#include "convert/atc/input_shapes.h"

namespace belay::convert {
namespace {

constexpr size_t largest_file = 1 << 20;

Status wrong(std::string_view what) {
  return {ACL_ERROR_INVALID_PARAM, formatted("--fusion_switch_file: {}", what), "E10001"};
}

Result<bool> on_or_off(std::string_view pass, std::string_view text) {
  if (text == "on" || text == "off") return text == "on";
  return wrong(formatted("{} is \"{}\", must be on or off", pass, text));
}

}  // namespace

Result<Switches> Switches::parse(std::string_view text) {
  Switches switches;
  if (trimmed(text).starts_with('{')) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("Switch") || !json["Switch"].is_object())
      return wrong("JSON without an object \"Switch\"");
    for (const auto& [key, map] : {std::pair{"GraphFusion", &switches.graph_}, {"UBFusion", &switches.ub_}}) {
      if (!json["Switch"].contains(key)) continue;
      if (!json["Switch"][key].is_object()) return wrong(formatted("{} must be an object", key));
      for (const auto& [pass, value] : json["Switch"][key].items()) {
        if (!value.is_string()) return wrong(formatted("{} must be \"on\" or \"off\"", pass));
        (*map)[pass] = TRY(on_or_off(pass, value.get<std::string>()));
      }
    }
    return switches;
  }
  for (const auto line : split_text(text, '\n')) {
    const auto content = trimmed(line);
    if (content.empty() || content.starts_with('#')) continue;
    const size_t colon = content.find(':');
    if (colon == std::string_view::npos) return wrong(formatted("\"{}\" must be Pass:on or Pass:off", content));
    const auto pass = std::string(trimmed(content.substr(0, colon)));
    const bool on = TRY(on_or_off(pass, trimmed(content.substr(colon + 1))));
    switches.graph_[pass] = switches.ub_[pass] = on;
  }
  return switches;
}

Result<Switches> Switches::read(const std::filesystem::path& file) {
  return parse(TRY(read_text(file.string(), largest_file)));
}

bool Switches::enabled(std::string_view pass, bool ub) const {
  const auto& map = ub ? ub_ : graph_;
  if (const auto found = map.find(pass); found != map.end()) return found->second;
  const auto all = map.find("ALL");
  return all == map.end() || all->second;
}

}  // namespace belay::convert
