// SPDX-License-Identifier: Apache-2.0
#include "graph/tensor/form_reader.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "graph/tensor/small_element.h"
#include "graph/tensor/stored_order.h"

namespace belay::graph {
namespace {

constexpr int64_t kLongestTable = 1 << 16;  // positions of longer axes are computed each time

}  // namespace

FormReader::FormReader(DataType type) : type_(type), bits_(bits_of(type)) {}

Result<FormReader> FormReader::make(DataType type, size_t bytes, const TensorForm& stored, const TensorForm& logical) {
  FormReader reader(type);
  const int64_t wanted = element_count(logical.shape), there = element_count(stored.shape);
  if (reader.bits_ == 0)
    return Status{ACL_ERROR_GE_DATATYPE_INVALID, formatted("{} elements have no fixed size", name_of(type))};
  if (wanted < 0 || there < wanted || static_cast<uint64_t>(there) > bytes * 8 / reader.bits_)
    return order::shapes_differ(stored, logical);
  if (wanted == 0) return columns(type, logical.shape);
  auto found = TRY(order::StoredOrder::find(stored, logical));
  if (found.stored_count() != there) return order::shapes_differ(stored, logical);
  reader.order_ = std::make_shared<const order::StoredOrder>(std::move(found));
  const order::Logical& view = reader.order_->logical();
  for (size_t i = 0; i < view.axes.size(); ++i) {
    Axis axis{.size = view.shape[i], .order_axis = view.axes[i]};
    if (reader.order_->groups() == 1 && axis.size <= kLongestTable)
      for (int64_t k = 0; k < axis.size; ++k) axis.positions.push_back(reader.order_->position(view.axes[i], k, 0));
    reader.axes_.push_back(std::move(axis));
  }
  return reader;
}

FormReader FormReader::columns(DataType type, const Shape& shape) {
  FormReader reader(type);
  int64_t stride = 1;
  for (const int64_t size : shape) {
    reader.axes_.push_back({.size = size, .stride = stride});
    stride *= size;
  }
  return reader;
}

int64_t FormReader::position(const Axis& axis, int64_t index) const {
  if (!axis.positions.empty()) return axis.positions[static_cast<size_t>(index)];
  return order_ ? order_->position(static_cast<order::AxisName>(axis.order_axis), index, 0) : index * axis.stride;
}

// With groups an axis alone does not say where an element is.
int64_t FormReader::position(const Shape& indices) const {
  const int64_t outputs = order_->outputs_of_group();
  int64_t group = 0, sum = 0;
  for (size_t i = 0; i < axes_.size(); ++i)
    if (axes_[i].order_axis == order::N) group = indices[i] / outputs;
  for (size_t i = 0; i < axes_.size(); ++i) {
    const bool along_outputs = axes_[i].order_axis == order::N;
    sum += order_->position(static_cast<order::AxisName>(axes_[i].order_axis),
                            along_outputs ? indices[i] % outputs : indices[i], group);
  }
  return sum;
}

// Calls copy(position) for each element in order.
template <class Copy>
void FormReader::walk(int64_t first, int64_t count, Copy copy) const {
  Shape indices(axes_.size());
  for (size_t i = axes_.size(); i-- > 0;) {
    indices[i] = first % axes_[i].size;
    first /= axes_[i].size;
  }
  const bool grouped = order_ && order_->groups() > 1;
  const Axis& last = axes_.back();
  while (count > 0) {
    int64_t base = 0;
    for (size_t i = 0; !grouped && i + 1 < axes_.size(); ++i) base += position(axes_[i], indices[i]);
    const int64_t end = std::min(last.size, indices.back() + count);
    count -= end - indices.back();
    int64_t& k = indices.back();
    if (const int64_t* known = last.positions.empty() ? nullptr : last.positions.data())
      for (; k < end; ++k) copy(base + known[k]);
    else
      for (; k < end; ++k) copy(grouped ? position(indices) : base + position(last, k));
    for (size_t i = axes_.size(); i-- > 0 && indices[i] == axes_[i].size;) {
      indices[i] = 0;
      if (i > 0) ++indices[i - 1];
    }
  }
}

void FormReader::read(const std::byte* stored, int64_t first, int64_t count, std::byte* out) const {
  if (count == 0) return;
  const auto copies = [&]<size_t size>() {
    if (axes_.empty()) return static_cast<void>(std::memcpy(out, stored, size));
    walk(first, count, [&](int64_t at) {
      std::memcpy(out, stored + static_cast<size_t>(at) * size, size);
      out += size;
    });
  };
  switch (bits_) {
    case 8:
      return copies.operator()<1>();
    case 16:
      return copies.operator()<2>();
    case 32:
      return copies.operator()<4>();
    case 64:
      return copies.operator()<8>();
    case 128:
      return copies.operator()<16>();
    case 40:
      return copies.operator()<5>();
    default:
      if (axes_.empty()) {
        *out = small_element(type_, bits_, stored, 0);
        return;
      }
      walk(first, count, [&](int64_t at) { *out++ = small_element(type_, bits_, stored, at); });
  }
}

}  // namespace belay::graph
