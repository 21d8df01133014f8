// SPDX-License-Identifier: Apache-2.0
#include "blame/guess/guess.h"

#include <array>

namespace belay::blame {

Suspect make_suspect(const Trial& trial, const Ran& ran, size_t output, graph::DataType type,
                     std::span<const Execution> executions) {
  const exact::Output& expected = trial.expected()[output];
  Suspect suspect{trial, ran,       output, type, *trial.got()[output], expected, exact::Yardstick(expected, type),
                  {},    executions};
  for (int64_t at = 0; at < suspect.yardstick.count(); ++at)
    if (!suspect.yardstick.fits(element_of(suspect.got, at), at)) suspect.wrong.push_back(at);
  return suspect;
}

bool explains(const Suspect& suspect, const exact::Output& hypothesis) {
  if (hypothesis.value.count() != suspect.got.count()) return false;
  const exact::Yardstick yardstick(hypothesis, suspect.type);
  for (int64_t at = 0; at < yardstick.count(); ++at)
    if (!yardstick.fits(element_of(suspect.got, at), at)) return false;
  return true;
}

std::string guess(const Suspect& suspect) {
  static constexpr std::array kFamilies = {guess_ranks,  guess_bits,   guess_values,
                                           guess_places, guess_inputs, guess_sums};
  for (const auto& family : kFamilies)
    if (std::string cause = family(suspect); !cause.empty()) return cause;
  return "";
}

}  // namespace belay::blame
