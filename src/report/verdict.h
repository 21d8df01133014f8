// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/question.h"

namespace belay::report {

// What a page says first.
struct Verdict {
  std::string text;   // one sentence
  std::string more;   // what supports it; may be empty
  std::string state;  // "good", "bad", "unknown": how it is coloured
  std::string op;     // the operator that it is about; "" none
};

// Who is guilty, else how the sides differ, else what overflowed, else that nothing of it was found.
Verdict verdict_of(const Question& question);

// That nobody is guilty, of so many as could be judged, and why the others could not. "good" when all were.
Verdict nobody_guilty(const blame::Report& report);

// Who overflowed first, of one or more that did.
Verdict overflowed(const inspect::OverflowReport& report);

}  // namespace belay::report
