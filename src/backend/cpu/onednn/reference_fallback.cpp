// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn/reference_fallback.h"

#include "backend/cpu/layout.h"

namespace belay::backend::cpu::onednn {
namespace {

Tensor in_plain(const Tensor& tensor, std::vector<std::byte>& memory) {
  memory.resize(storage_bytes(tensor.type, tensor.shape, Layout::Plain));
  return {tensor.type, tensor.shape, Layout::Plain, memory.data(), tensor.present};
}

}  // namespace

ReferenceFallback::ReferenceFallback(const KernelRequest& request)
    : node_(request.node),
      inputs_(request.inputs.begin(), request.inputs.end()),
      outputs_(request.outputs.begin(), request.outputs.end()) {
  for (auto* infos : {&inputs_, &outputs_})
    for (graph::TensorInfo& info : *infos) info.partial = nullptr;
}

Status ReferenceFallback::run(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
  if (!kernel_) {
    const std::vector<Layout> layouts(inputs.size(), Layout::Plain);
    kernel_ = TRY(make_kernel({node_, inputs_, outputs_, layouts, 1}, "reference"));
  }
  std::vector<std::vector<std::byte>> memory(inputs.size() + outputs.size());
  std::vector<Tensor> taken(inputs.begin(), inputs.end()), given;
  for (size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i].present || taken[i].layout == Layout::Plain) continue;
    taken[i] = in_plain(inputs[i], memory[i]);
    TRY(reorder(inputs[i], taken[i]));
  }
  for (size_t o = 0; o < outputs.size(); ++o) given.push_back(in_plain(outputs[o], memory[inputs.size() + o]));
  TRY(kernel_->run(taken, given));
  for (size_t o = 0; o < outputs.size(); ++o) TRY(reorder(given[o], outputs[o]));
  return {};
}

}  // namespace belay::backend::cpu::onednn
