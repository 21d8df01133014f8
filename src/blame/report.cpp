// SPDX-License-Identifier: Apache-2.0
#include "blame/report.h"

#include <algorithm>

namespace belay::blame {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Clean:
      return "clean";
    case Verdict::Inherits:
      return "inherits";
    case Verdict::Guilty:
      return "guilty";
    case Verdict::NotCheckable:
      return "not checkable";
  }
  return "";
}

size_t Report::count(Verdict verdict) const {
  return static_cast<size_t>(std::ranges::count(operators, verdict, &OperatorReport::verdict));
}

}  // namespace belay::blame
