// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/function_kernel.h"

namespace belay::backend::cpu {

uint32_t same_places(const KernelRequest& request) {
  const graph::TensorInfo& output = request.outputs[0];
  uint32_t places = 0;
  for (size_t i = 0; i < request.inputs.size() && i < 32; ++i) {
    const graph::TensorInfo& input = request.inputs[i];
    if (input.present && input.shape == output.shape && graph::bits_of(input.type) == graph::bits_of(output.type))
      places |= 1u << i;
  }
  return places;
}

}  // namespace belay::backend::cpu
