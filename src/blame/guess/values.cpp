// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "blame/guess/guess.h"
#include "inspect/tensor.h"

namespace belay::blame {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", value);
  return text;
}

bool all_finite(std::span<const exact::Value> inputs) {
  return std::ranges::all_of(inputs, [](const exact::Value& input) {
    return !input.present || !input.real() ||
           std::ranges::all_of(input.doubles(), [](double value) { return std::isfinite(value); });
  });
}

std::string not_finite(const Suspect& suspect) {
  const auto is_finite = [&](int64_t at) { return std::isfinite(element_of(suspect.got, at)); };
  if (std::ranges::any_of(suspect.wrong, is_finite) || !all_finite(suspect.trial.inputs())) return "";
  const int64_t at = suspect.wrong.front();
  return formatted("{} at {} although every input is finite and the result is {}", number(element_of(suspect.got, at)),
                   inspect::index_text(suspect.expected.value.shape, at), number(suspect.yardstick.expected(at)));
}

// Nothing is larger than the limit, and what is wrong lies at it and should lie beyond.
std::string clipped(const Suspect& suspect) {
  if (suspect.wrong.size() < 2) return "";  // one that is too small may be the largest by chance
  double low = -INFINITY, high = INFINITY;
  for (const int64_t at : suspect.wrong) {
    const double got = element_of(suspect.got, at), expected = suspect.yardstick.expected(at);
    if (!std::isfinite(got) || got == 0) return "";
    if (expected > got)
      high = high == INFINITY || high == got ? got : NAN;
    else
      low = low == -INFINITY || low == got ? got : NAN;
  }
  if (std::isnan(low) || std::isnan(high)) return "";
  for (int64_t at = 0; at < suspect.got.count(); ++at)
    if (const double got = element_of(suspect.got, at); got > high || got < low) return "";
  if (std::isinf(low)) return formatted("saturation: nothing is above {}", number(high));
  if (std::isinf(high)) return formatted("saturation: nothing is below {}", number(low));
  return formatted("saturation: nothing is outside {} to {}", number(low), number(high));
}

// Rounded towards zero, up or down instead of to nearest: every element lies on that side, less than a step away.
std::string rounded_otherwise(const Suspect& suspect) {
  struct Way {
    const char* name;
    bool (*side)(double got, double expected);
  };
  static constexpr Way kWays[] = {
      {"towards zero", [](double got, double expected) { return std::abs(got) <= std::abs(expected); }},
      {"down", [](double got, double expected) { return got <= expected; }},
      {"up", [](double got, double expected) { return got >= expected; }}};
  if (suspect.wrong.size() < 8) return "";
  for (const Way& way : kWays) {
    const bool fits = std::ranges::all_of(suspect.wrong, [&](int64_t at) {
      const double got = element_of(suspect.got, at), expected = suspect.yardstick.expected(at);
      return way.side(got, expected) && std::abs(got - expected) <= 2 * suspect.yardstick.allowed(at);
    });
    if (fits) return formatted("results are rounded {} instead of to nearest", way.name);
  }
  return "";
}

}  // namespace

std::string guess_values(const Suspect& suspect) {
  if (suspect.wrong.empty()) return "";
  for (const auto& hypothesis : {not_finite, clipped, rounded_otherwise})
    if (std::string text = hypothesis(suspect); !text.empty()) return text;
  return "";
}

}  // namespace belay::blame
