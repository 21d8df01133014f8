// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn/reorder.h"

#include "backend/cpu/layout.h"
#include "backend/cpu/onednn/call.h"

namespace belay::backend::cpu {
namespace {

class PlainReorder : public Kernel {
 public:
  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    return reorder(inputs[0], outputs[0]);
  }
};

class FastReorder : public Kernel {
 public:
  explicit FastReorder(onednn::Call call) : call_(std::move(call)) {}
  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    call_.set(DNNL_ARG_FROM, inputs[0].data);
    call_.set(DNNL_ARG_TO, outputs[0].data);
    return call_.run();
  }
  size_t scratch_bytes() const override { return call_.scratch_bytes(); }
  void set_scratch(void* scratch) override { call_.set_scratch(scratch); }

 private:
  onednn::Call call_;
};

MadeKernel make_fast(const Tensor& from, Layout to) {
  return onednn::making([&]() -> MadeKernel {
    const auto from_desc = onednn::desc_of(from.shape, from.layout), to_desc = onednn::desc_of(from.shape, to);
    const dnnl::reorder::primitive_desc desc(onednn::engine(), from_desc, onednn::engine(), to_desc,
                                             onednn::with_scratch());
    onednn::Call call(desc, dnnl::reorder(desc));
    call.add(DNNL_ARG_FROM, from_desc);
    call.add(DNNL_ARG_TO, to_desc);
    return std::unique_ptr<Kernel>(std::make_unique<FastReorder>(std::move(call)));
  });
}

}  // namespace

std::unique_ptr<Kernel> make_reorder(const Tensor& from, Layout to) {
  const bool fits = from.type == DataType::Float && (from.shape.size() == 4 || from.shape.size() == 5);
  if (fits && from.count() > 0)
    if (auto made = make_fast(from, to); made.ok()) return std::move(made).value();
  return std::make_unique<PlainReorder>();
}

bool same_bytes(const Tensor& tensor, Layout layout) { return onednn::same_bytes(tensor.shape, tensor.layout, layout); }

}  // namespace belay::backend::cpu
