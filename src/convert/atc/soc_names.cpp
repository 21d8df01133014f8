// SPDX-License-Identifier: Apache-2.0
#include "convert/atc/soc_names.h"

#include <regex>

#include "base/closest.h"

namespace belay::convert {
namespace {

// A family, a variant (Ascend310P3, Ascend910ProB, Ascend910B2C, Ascend910B4-1, Ascend910_9391), a part of one that is
// divided (Ascend310P3Vir04).
constexpr const char* kAscend =
    "Ascend(031|035|310|320|610|615|710|910|920|950|960)"
    "(RC|Lite|Mini|Pro[AB]?|PremiumA?|A[0-9]?|C|P[0-9]?|B[0-9]?C?(-[0-9])?|(PR|DT)?_[0-9]{2,4}[A-Za-z]*)?"
    "(Vir[0-9A-Z]+)?";
constexpr const char* kOthers = "Hi3796CV300[CE]S|SD3403|BS9SX1A[A-Z]?|BS9SX2A[A-Z]*|OPTG|Tsns[A-Z]";

constexpr std::string_view kExamples[] = {"Ascend310",   "Ascend310B1", "Ascend310B4", "Ascend310P3",
                                          "Ascend910",   "Ascend910A",  "Ascend910B",  "Ascend910B1",
                                          "Ascend910B2", "Ascend910B3", "Ascend910B4", "Ascend910_9391"};

}  // namespace

bool is_soc_name(std::string_view name) {
  static const auto &ascend = *new const std::regex(kAscend), &others = *new const std::regex(kOthers);
  return std::regex_match(name.begin(), name.end(), ascend) || std::regex_match(name.begin(), name.end(), others);
}

std::string soc_hint(std::string_view name) {
  std::string text;
  for (const std::string_view example : kExamples) text += (text.empty() ? "known are " : ", ") + std::string(example);
  text += " and their variants";
  const std::string_view nearest = closest_name(name, kExamples);
  return nearest.empty() ? text : "did you mean " + std::string(nearest) + "? " + text;
}

}  // namespace belay::convert
