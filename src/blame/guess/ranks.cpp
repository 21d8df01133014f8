// SPDX-License-Identifier: Apache-2.0
#include "blame/guess/guess.h"

namespace belay::blame {

std::string guess_ranks(const Suspect& suspect) {
  if (!suspect.trial.others()) return "";
  for (const OtherRanks::Mishap& mishap : suspect.trial.others()->mishaps(suspect.ran))
    if (suspect.output < mishap.outputs.size() && explains(suspect, mishap.outputs[suspect.output])) return mishap.what;
  return "";
}

}  // namespace belay::blame
