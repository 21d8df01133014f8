// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "graph/om/om.h"

// Any bytes are an .om file or are refused with a code and a sentence; what was read can be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace belay;
  auto owner = std::make_shared<const std::vector<std::byte>>(std::as_bytes(std::span(data, size)).begin(),
                                                              std::as_bytes(std::span(data, size)).end());
  const auto file = graph::read_om(*owner, owner);
  if (!file.ok()) {
    if (file.status().code == ACL_SUCCESS || file.status().message.empty()) abort();
    return 0;
  }
  for (const auto& model : (*file).models) {
    const auto image = graph::write_om(*model);
    if (!image.ok()) continue;  // a graph that cannot be written: it says why
    auto kept = std::make_shared<const std::vector<std::byte>>(*image);
    if (!graph::read_om(*kept, kept).ok()) abort();
  }
  return 0;
}
