// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "convert/onnx/reader.h"

// Any bytes are an ONNX model or are refused with a code and a sentence.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace belay;
  auto owner = std::make_shared<const std::vector<std::byte>>(std::as_bytes(std::span(data, size)).begin(),
                                                              std::as_bytes(std::span(data, size)).end());
  const auto model = convert::onnx::read_model(*owner, owner, "/nonexistent");
  if (!model.ok() && (model.status().code == ACL_SUCCESS || model.status().message.empty())) abort();
  return 0;
}
