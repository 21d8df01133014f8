// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/half.h"
#include "base/text.h"
#include "blame/guess/guess.h"
#include "blame/terms.h"

namespace belay::blame {
namespace {

constexpr double kHalfStep = 0x1p-11;  // half a step of half precision, relative
constexpr size_t kMostElements = 512;

// What half precision makes of a sum in the order of its terms, how wide it may go in any order, and what it is.
struct Sum {
  double exact = 0, in_half = 0, bound = 0;
};

Sum sum_of(const Suspect& suspect, const Product& product, int64_t element) {
  const auto &left = suspect.trial.inputs()[product.left], &right = suspect.trial.inputs()[product.right];
  Sum sum;
  double magnitude = 0;
  float narrow = 0;
  const auto terms = product.plan.terms(element);
  for (const auto& term : terms) {
    const double value = element_of(left, term.left) * element_of(right, term.right);
    sum.exact += value;
    magnitude += std::abs(value);
    const float rounded = half_to_float(float_to_half(static_cast<float>(value)));
    narrow = half_to_float(float_to_half(narrow + rounded));
  }
  sum.in_half = static_cast<double>(narrow);
  sum.bound = static_cast<double>(terms.size() + 1) * kHalfStep * magnitude;
  return sum;
}

}  // namespace

// Every error must be within what half precision may do to the sum in any order, and all together as large as they are
// when the sums are added up in order.
std::string guess_sums(const Suspect& suspect) {
  const auto product = product_of(suspect.trial, suspect.output);
  if (!product || suspect.wrong.empty()) return "";
  double squares = 0, simulated = 0;
  const size_t step = std::max<size_t>(1, suspect.wrong.size() / kMostElements);
  for (size_t i = 0; i < suspect.wrong.size(); i += step) {
    const int64_t at = suspect.wrong[i];
    const double error = element_of(suspect.got, at) - suspect.yardstick.expected(at);
    const Sum sum = sum_of(suspect, *product, at);
    if (!(std::abs(error) <= 2 * (sum.bound + suspect.yardstick.allowed(at)))) return "";
    squares += error * error;
    simulated += (sum.in_half - sum.exact) * (sum.in_half - sum.exact);
  }
  if (simulated == 0 || squares < simulated / 64 || squares > simulated * 64) return "";
  return "the sums are accumulated in half precision: such sums, computed again, are as far off";
}

}  // namespace belay::blame
