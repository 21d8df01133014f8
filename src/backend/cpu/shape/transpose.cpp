// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/broadcast.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/move/strided_copy.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {

namespace {

Status transpose(const Tensor& x, const Tensor& y, const std::vector<int64_t>& order) {
  const Shape strides = row_major_strides(x.shape);
  if (order.size() != strides.size())
    return refuse(formatted("perm has {} entries, x {} dimensions", order.size(), strides.size()));
  Shape dims, steps;
  for (const int64_t axis : order) {
    const auto d = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(strides.size()) : axis);
    if (d >= strides.size()) return refuse(formatted("perm has {}, outside the dimensions of x", axis));
    dims.push_back(x.shape[d]);
    steps.push_back(strides[d]);
  }
  copy_strided(TRY(element_bytes(x.type)), dims, y.data, row_major_strides(dims), x.data, steps);
  return {};
}

// Channels that lie last and are moved there, or that come from there: the elements stay, only their layout gets
// another name.
class TurnedView : public Kernel {
 public:
  TurnedView(Layout wants, Layout gives) : wants_(wants), gives_(gives) {}

  Status run(Inputs in, Outputs out) override {
    const size_t bytes = in[0].bytes();
    if (bytes > 0 && in[0].data != out[0].data) std::memcpy(out[0].data, in[0].data, bytes);
    return {};
  }
  Layout wants(size_t i) const override { return i == 0 ? wants_ : Layout::Plain; }
  Layout gives(size_t) const override { return gives_; }
  int alias_of(size_t) const override { return 0; }

 private:
  const Layout wants_, gives_;
};

std::vector<int64_t> order_attribute(const graph::Node& node) {
  return get_or(node.attributes, "perm", get_or(node.attributes, "order", std::vector<int64_t>{}));
}

Result<std::vector<int64_t>> constant_order(const KernelRequest& request) {
  if (request.node.type != "Transpose") return order_attribute(request.node);
  const auto known = request.inputs[1].value ? graph::integers(*request.inputs[1].value) : std::nullopt;
  if (!known) return refuse("perm is not a constant");
  return *known;
}

// Whether dimension 1 becomes the last, or the last dimension 1, and the others keep their order.
bool is_turn(const std::vector<int64_t>& order, bool to_last) {
  const auto rank = static_cast<int64_t>(order.size());
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t from = d == 0 ? 0 : to_last ? d % (rank - 1) + 1 : d == 1 ? rank - 1 : d - 1;
    if (order[static_cast<size_t>(d)] != from && order[static_cast<size_t>(d)] != from - rank) return false;
  }
  return true;
}

MadeKernel make_view(const KernelRequest& request) {
  const auto order = TRY(constant_order(request));
  TRY(element_bytes(request.inputs[0].type));
  const size_t rank = request.inputs[0].shape.size();
  if (order.size() != rank || (rank != 4 && rank != 5)) return refuse("only four or five dimensions have layouts");
  const Layout comes = request.input_layouts[0];
  if (comes == Layout::ChannelsLast && is_turn(order, true))
    return std::unique_ptr<Kernel>(std::make_unique<TurnedView>(Layout::ChannelsLast, Layout::Plain));
  if (comes == Layout::Plain && is_turn(order, false))
    return std::unique_ptr<Kernel>(std::make_unique<TurnedView>(Layout::Plain, Layout::ChannelsLast));
  return refuse("the elements must move");
}

MadeKernel make_transpose(const KernelRequest&) {
  return function_kernel(
      [](Inputs in, Outputs out) -> Status { return transpose(in[0], out[0], TRY(integers(in[1]))); });
}

MadeKernel make_transpose_d(const KernelRequest& request) {
  return function_kernel(
      [order = order_attribute(request.node)](Inputs in, Outputs out) { return transpose(in[0], out[0], order); });
}

// Repeats x to the output's shape, which broadcasting allows.
MadeKernel make_expand(const KernelRequest& request) {
  const Shape to = request.outputs[0].shape;
  const Shape& from = request.inputs[0].shape;
  if (from.size() > to.size()) return refuse("x has more dimensions than the output");
  const Shape own = row_major_strides(from);
  Shape strides(to.size(), 0);
  const size_t lead = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] != 1) strides[lead + d] = own[d];
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    copy_strided(bytes, to, out[0].data, row_major_strides(to), in[0].data, strides);
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"BroadcastTo", "reference", make_expand},
    {"BroadcastToD", "reference", make_expand},
    {"Expand", "reference", make_expand},
    {"ExpandD", "reference", make_expand},
    {"Permute", "view", make_view},
    {"Transpose", "view", make_view},
    {"TransposeD", "view", make_view},
    {"Permute", "reference", make_transpose_d},
    {"Transpose", "reference", make_transpose},
    {"TransposeD", "reference", make_transpose_d},
};

}  // namespace

std::span<const KernelRow> transpose_rows() { return rows; }

}  // namespace belay::backend::cpu
