// SPDX-License-Identifier: Apache-2.0
#include "base/faults.h"

#include <cstdlib>

// Any text is refused with a code and a sentence, or becomes faults that name their operators.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto faults = belay::parse_faults({reinterpret_cast<const char*>(data), size});
  if (!faults.ok()) {
    if (faults.status().code != ACL_ERROR_INVALID_PARAM || faults.status().message.empty()) abort();
    return 0;
  }
  for (const auto& fault : (*faults).ops) {
    if (fault.op.empty() || fault.text.empty() || (*faults).pick(fault.text, 3) > 2) abort();
    if ((fault.kind == belay::OpFault::Kind::Overwrite) == fault.victim.empty()) abort();
  }
  return 0;
}
