// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn/weights.h"

#include "backend/cpu/onednn/call.h"

namespace belay::backend::cpu::onednn {

Result<PackedWeights> pack(const Desc& given, PackedWeights data, const Desc& wanted) {
  if (given == wanted) return data;
  return pack_copy(given, data.get(), wanted);
}

Result<PackedWeights> pack_copy(const Desc& given, const void* data, const Desc& wanted) {
  std::string form(reinterpret_cast<const char*>(&given.data), sizeof given.data);
  form.append(reinterpret_cast<const char*>(&wanted.data), sizeof wanted.data);
  return pack_as(form, data, given.get_size(), wanted.get_size(),
                 [&](void* to) { return convert(given, data, wanted, to); });
}

}  // namespace belay::backend::cpu::onednn
