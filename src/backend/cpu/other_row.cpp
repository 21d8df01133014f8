// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/other_row.h"

#include "backend/layout.h"

namespace belay::backend::cpu {
namespace {

Tensor in_layout(const Tensor& tensor, Layout layout, std::vector<std::byte>& memory) {
  memory.resize(tensor.bytes());
  return {tensor.type, tensor.shape, layout, memory.data(), tensor.present};
}

}  // namespace

OtherRow::OtherRow(const KernelRequest& request, std::string_view how)
    : node_(request.node),
      how_(how),
      threads_(request.threads),
      inputs_(request.inputs.begin(), request.inputs.end()),
      outputs_(request.outputs.begin(), request.outputs.end()) {
  for (auto* infos : {&inputs_, &outputs_})
    for (graph::TensorInfo& info : *infos) info.partial = nullptr;
  constants_.reserve(inputs_.size());
  for (graph::TensorInfo& input : inputs_)
    if (input.value) input.value = &constants_.emplace_back(*input.value);
}

Status OtherRow::make(std::span<const Tensor> inputs) {
  std::vector<Layout> layouts;
  for (const Tensor& input : inputs) layouts.push_back(input.layout);
  kernel_ = TRY(make_kernel({node_, inputs_, outputs_, layouts, threads_}, how_));
  return {};
}

Status OtherRow::run(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
  if (!kernel_) TRY(make(inputs));
  std::vector<std::vector<std::byte>> memory(inputs.size() + outputs.size());
  std::vector<Tensor> taken(inputs.begin(), inputs.end()), given;
  for (size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i].present || taken[i].layout == kernel_->wants(i)) continue;
    taken[i] = in_layout(inputs[i], kernel_->wants(i), memory[i]);
    TRY(reorder(inputs[i], taken[i]));
  }
  for (size_t o = 0; o < outputs.size(); ++o)
    given.push_back(in_layout(outputs[o], kernel_->gives(o), memory[inputs.size() + o]));
  constexpr size_t alignment = 64;
  std::vector<std::byte> scratch(kernel_->scratch_bytes() + alignment);
  const auto address = reinterpret_cast<uintptr_t>(scratch.data());
  kernel_->set_scratch(scratch.data() + (alignment - address % alignment));
  TRY(kernel_->run(taken, given));
  for (size_t o = 0; o < outputs.size(); ++o) TRY(reorder(given[o], outputs[o]));
  return {};
}

}  // namespace belay::backend::cpu
