// SPDX-License-Identifier: Apache-2.0
#include "commands/bisect_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/json_text.h"
#include "commands/say.h"
#include "commands/table.h"

namespace belay::tools {
namespace {

using bisect::Answer;
using bisect::Distance;
using bisect::Needed;
using Json = nlohmann::ordered_json;

std::string real(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::isnan(value) ? "nan" : text;
}

std::string limits_text(const compare::Limits& limits) {
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (limits.rtol || limits.atol)
    add("|x - y| <= " + real(limits.tolerance().atol) + " + " + real(limits.tolerance().rtol) + " * |y|");
  if (limits.cosine) add("a cosine of " + real(*limits.cosine));
  if (limits.euclidean) add("a relative Euclidean distance of " + real(*limits.euclidean));
  if (limits.peak) add("no element off by more than " + real(*limits.peak) + " of the largest");
  return text;
}

// "y: cosine 0.99, element 3 is inf, should be 2", of the output that is farthest off.
std::string text_of(const std::vector<Distance>& distances) {
  const auto worst = std::ranges::max_element(distances, {}, [](const Distance& one) {
    const double off = one.measures.relative_euclidean;
    return std::tuple(!one.passes(), std::isnan(off) ? HUGE_VAL : off);
  });
  if (worst == distances.end()) return "no outputs";
  const std::string text = worst->output + ": cosine " + real(worst->measures.cosine);
  const compare::Place& place = worst->measures.worst;
  if (place.at < 0) return text + ", equal";
  return text + ", element " + std::to_string(place.at) + " is " + real(place.ours) + ", should be " +
         real(place.truth);
}

Json number_of(double value) { return std::isfinite(value) ? Json(value) : Json(real(value)); }

Json json_of(const std::vector<Distance>& distances) {
  Json list = Json::array();
  for (const Distance& one : distances)
    list.push_back({{"output", one.output},
                    {"passes", one.passes()},
                    {"why_not", one.why},
                    {"cosine", number_of(one.measures.cosine)},
                    {"relative_euclidean_distance", number_of(one.measures.relative_euclidean)},
                    {"max_absolute_error", number_of(one.measures.max_absolute)},
                    {"worst_index", one.measures.worst.at},
                    {"ours", number_of(one.measures.worst.ours)},
                    {"truth", number_of(one.measures.worst.truth)}});
  return list;
}

const char* word_of(Answer::Kind kind) {
  switch (kind) {
    case Answer::Kind::AllNarrow:
      return "passes in the narrow type";
    case Answer::Kind::Found:
      return "passes with some operators in float32";
    case Answer::Kind::NeverPasses:
      return "does not pass in float32 either";
  }
  return "";
}

void print_needed(const BisectReport& report) {
  const Answer& answer = report.answer;
  say("all in %s: it fails (%s)\n", report.precision.c_str(), text_of(answer.in_narrow).c_str());
  say("passes when %zu of %zu operators stay in float32:\n", answer.needed.size(), answer.operators);
  std::vector<std::vector<std::string>> rows = {{"operator", "type", "error of it alone", "without it"}};
  for (const Needed& one : answer.needed) {
    std::string types;
    for (const std::string& type : one.op.types) types += (types.empty() ? "" : "+") + type;
    rows.push_back({one.op.name, types, real(one.sensitivity), text_of(one.without)});
  }
  print_table(rows, 2);
  say("with these: %s\n", text_of(answer.found).c_str());
  say("minimal: without any one of them it fails; each was tried\n");
  if (!answer.ordered) say("the search was not ordered by sensitivity: %s\n", answer.unordered.c_str());
  if (!answer.black)
    say("mixed precision does not pass, with or without these types on its black list\n");
  else if (answer.black->empty())
    say("mixed precision passes as it is\n");
  else
    say("mixed precision passes with these types on its black list\n");
}

}  // namespace

void print_json(const BisectReport& report) {
  const Answer& answer = report.answer;
  Json json{{"model", report.model},
            {"precision", report.precision},
            {"result", word_of(answer.kind)},
            {"operators", answer.operators},
            {"trials", answer.trials}};
  json["keep_float32"] = Json::array();
  for (const Needed& one : answer.needed)
    json["keep_float32"].push_back({{"name", one.op.name},
                                    {"types", one.op.types},
                                    {"alone_narrow_relative_error", number_of(one.sensitivity)},
                                    {"without_it", json_of(one.without)}});
  json["minimal"] = answer.kind == Answer::Kind::Found;
  json["in_float32"] = json_of(answer.in_float);
  json["all_narrow"] = json_of(answer.in_narrow);
  json["with_these_in_float32"] = json_of(answer.found);
  json["mixed_precision_black_list"] = answer.black ? Json(*answer.black) : Json();
  if (!answer.ordered) json["not_ordered_by_sensitivity"] = answer.unordered;
  json["files"] = report.files;
  std::printf("%s\n", json_text(json, 2).c_str());
}

void print_text(const BisectReport& report) {
  const Answer& answer = report.answer;
  say("%s: %zu operators that %s changes; an output passes with %s%s\n", report.model.c_str(), answer.operators,
      report.precision.c_str(), limits_text(limits_for(report.question)).c_str(),
      report.question.truth.empty() ? ", from the model's own float32" : "");
  switch (answer.kind) {
    case Answer::Kind::AllNarrow:
      say("passes with everything in %s: %s\n", report.precision.c_str(), text_of(answer.in_narrow).c_str());
      break;
    case Answer::Kind::NeverPasses:
      say("does not pass even with everything in float32: %s\n", text_of(answer.in_float).c_str());
      say("precision is not the cause; belay blame looks for another\n");
      break;
    case Answer::Kind::Found:
      print_needed(report);
  }
  say("%zu trial%s\n", answer.trials, answer.trials == 1 ? "" : "s");
  for (const std::string& file : report.files) say("wrote %s\n", file.c_str());
}

}  // namespace belay::tools
