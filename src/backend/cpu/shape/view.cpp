// SPDX-License-Identifier: Apache-2.0
// Operators whose outputs have the bytes of their inputs under another shape or name.
#include <cstring>

#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "base/text.h"

namespace belay::backend::cpu {

namespace {

// Output i repeats input i. Without a change of shape any layout will do.
class View : public Kernel {
 public:
  explicit View(std::vector<Layout> layouts) : layouts_(std::move(layouts)) {}

  Status run(Inputs inputs, Outputs outputs) override {
    for (size_t i = 0; i < outputs.size(); ++i)
      if (const size_t bytes = inputs[i].bytes(); bytes > 0 && outputs[i].data != inputs[i].data)
        std::memcpy(outputs[i].data, inputs[i].data, bytes);
    return {};
  }
  Layout wants(size_t i) const override { return i < layouts_.size() ? layouts_[i] : Layout::Plain; }
  Layout gives(size_t o) const override { return wants(o); }
  int alias_of(size_t o) const override { return static_cast<int>(o); }

 private:
  std::vector<Layout> layouts_;
};

MadeKernel make(const KernelRequest& request) {
  std::vector<Layout> layouts;
  for (size_t o = 0; o < request.outputs.size(); ++o) {
    const graph::TensorInfo &x = request.inputs[o], &y = request.outputs[o];
    if (graph::bytes_of(x.type, graph::element_count(x.shape)) !=
        graph::bytes_of(y.type, graph::element_count(y.shape)))
      return refuse(
          formatted("{} elements cannot be seen as shape {}", graph::element_count(x.shape), graph::to_text(y.shape)));
    layouts.push_back(x.shape == y.shape ? request.input_layouts[o] : Layout::Plain);
  }
  return std::unique_ptr<Kernel>(std::make_unique<View>(std::move(layouts)));
}

constexpr std::string_view operators[] = {
    "Bitcast",        "Dropout",   "End",       "ExpandDims",  "Flatten",     "FlattenV2",
    "GuaranteeConst", "Identity",  "IdentityN", "MemcpyAsync", "PlaceHolder", "PreventGradient",
    "Reshape",        "Snapshot",  "Squeeze",   "SqueezeV2",   "SqueezeV3",   "StopGradient",
    "TensorMove",     "TransData", "Unsqueeze", "UnsqueezeV2", "UnsqueezeV3",
};

}  // namespace

std::span<const KernelRow> view_rows() {
  static const auto* rows = [] {
    auto* made = new std::vector<KernelRow>;
    for (const std::string_view op : operators) made->push_back({op, "reference", make});
    return made;
  }();
  return *rows;
}

}  // namespace belay::backend::cpu
