// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn/chain_kernel.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "backend/cpu/onednn/nan_watch.h"
#include "backend/run_again.h"
#include "base/parallel.h"

namespace belay::backend::cpu::onednn {

MadeKernel ChainKernel::make(Parts parts) {
  std::unique_ptr<ChainKernel> kernel(new ChainKernel(std::move(parts)));
  if (kernel->repacks()) kernel->repacked_ = TRY(allocate_packed(kernel->parts_.weights_wanted.get_size()));
  kernel->fused_ = kernel->make_call(true);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Call ChainKernel::make_call(bool with_activation) const {
  Call call = parts_.make(with_activation);
  for (const Source& source : parts_.sources) call.add(source.argument, source.desc);
  call.add(DNNL_ARG_DST, parts_.result);
  if (parts_.weights_input < 0) return call;
  call.add(DNNL_ARG_WEIGHTS, parts_.weights_wanted);
  call.set(DNNL_ARG_WEIGHTS, parts_.weights ? parts_.weights.get() : repacked_.get());
  return call;
}

Layout ChainKernel::wants(size_t i) const {
  if (static_cast<int>(i) == parts_.addend) return parts_.gives;
  for (const Source& source : parts_.sources)
    if (source.input == static_cast<int>(i)) return source.layout;
  return Layout::Plain;
}

void ChainKernel::bind(Call& call, std::span<const Tensor> inputs, void* result) const {
  for (const Source& source : parts_.sources) call.set(source.argument, inputs[static_cast<size_t>(source.input)].data);
  call.set(DNNL_ARG_DST, result);
}

Status ChainKernel::run_once(Call& call, const void* addend, void* result) const {
  if (addend && addend != result)
    parallel_for(static_cast<int64_t>(parts_.result.get_size()), 1 << 16, [&](int64_t begin, int64_t end) {
      std::memcpy(static_cast<std::byte*>(result) + begin, static_cast<const std::byte*>(addend) + begin,
                  static_cast<size_t>(end - begin));
    });
  return call.run();
}

Status ChainKernel::run(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
  if (repacks()) {
    const void* given = inputs[static_cast<size_t>(parts_.weights_input)].data;
    TRY(convert(parts_.weights_given, given, parts_.weights_wanted, repacked_.get()));
  }
  void* result = outputs[0].data;
  const void* addend = parts_.addend >= 0 ? inputs[static_cast<size_t>(parts_.addend)].data : nullptr;
  bind(fused_, inputs, result);
  if (addend == result && keeps_addend_) {
    kept_.assign(outputs[0].as<std::byte>(), outputs[0].as<std::byte>() + parts_.result.get_size());
    addend = kept_.data();
  }
  if (addend == result) met_nan();  // the flag of others must not alarm us
  TRY(run_once(fused_, addend, result));
  if (!parts_.has_activation || !met_nan()) return {};
  if (addend == result) {
    keeps_addend_ = true;
    return run_again();
  }
  TRY(run_once(fused_, addend, result));  // the flag may have been another kernel's
  return met_nan() ? run_with_nan(inputs, addend, result) : Status{};
}

// Finds the NaNs without the activation and puts them where the activation lost them.
Status ChainKernel::run_with_nan(std::span<const Tensor> inputs, const void* addend, void* result) {
  Call bare = make_call(false);
  std::vector<std::byte> scratch(bare.scratch_bytes() + 64);
  bare.set_scratch(reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64));
  bind(bare, inputs, result);
  TRY(run_once(bare, addend, result));
  auto* values = static_cast<float*>(result);
  std::vector<size_t> lost;
  for (size_t i = 0; i < parts_.result.get_size() / sizeof(float); ++i)
    if (std::isnan(values[i])) lost.push_back(i);
  TRY(run_once(fused_, addend, result));
  for (const size_t i : lost) values[i] = std::numeric_limits<float>::quiet_NaN();
  return {};
}

}  // namespace belay::backend::cpu::onednn
