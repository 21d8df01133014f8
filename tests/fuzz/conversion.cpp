// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "convert/convert.h"
#include "graph/om/om.h"

// Any bytes are converted to a model that can be written, or are refused with a code and a sentence.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace belay;
  auto owner = std::make_shared<const std::vector<std::byte>>(std::as_bytes(std::span(data, size)).begin(),
                                                              std::as_bytes(std::span(data, size)).end());
  const auto converted = convert::convert_onnx(*owner, owner, "/nonexistent", {.name = "model"});
  if (!converted.ok()) {
    if (converted.status().code == ACL_SUCCESS || converted.status().message.empty()) abort();
    return 0;
  }
  const auto image = graph::write_om(*(*converted).model);
  if (!image.ok() && image.status().message.empty()) abort();
  return 0;
}
