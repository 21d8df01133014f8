// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn/call.h"

#include "base/text.h"

namespace belay::backend::cpu::onednn {

void Call::add(int argument, const Desc& desc) {
  dnnl::memory memory(desc, engine(), DNNL_MEMORY_NONE);
  list_.push_back({argument, memory.get()});
  arguments_.push_back({argument, nullptr, std::move(memory)});
}

// oneDNN clears the padding of blocked tensors whenever an address is set: only when it is another.
void Call::set(int argument, const void* data) {
  for (Argument& known : arguments_) {
    if (known.id != argument || known.data == data) continue;
    known.data = const_cast<void*>(data);
    known.memory.set_data_handle(known.data);
  }
}

void Call::set_scratch(void* data) {
  if (scratch_bytes_ > 0) set(DNNL_ARG_SCRATCHPAD, data);
}

Status Call::run() {
  const OneThread alone;
  const auto status =
      dnnl_primitive_execute(primitive_.get(), stream().get(), static_cast<int>(list_.size()), list_.data());
  if (status == dnnl_success) return {};
  return refuse(formatted("oneDNN could not run the primitive (status {})", static_cast<int>(status)));
}

Status convert(const Desc& from_desc, const void* from, const Desc& to_desc, void* to) {
  const OneThread alone;
  dnnl::reorder::primitive_desc desc(engine(), from_desc, engine(), to_desc);
  Call call(desc, dnnl::reorder(desc));
  call.add(DNNL_ARG_FROM, from_desc);
  call.add(DNNL_ARG_TO, to_desc);
  call.set(DNNL_ARG_FROM, from);
  call.set(DNNL_ARG_TO, to);
  return call.run();
}

}  // namespace belay::backend::cpu::onednn
