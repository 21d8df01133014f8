// SPDX-License-Identifier: Apache-2.0
#include "backend/layout.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "backend/cpu/arguments.h"
#include "backend/cpu/move/strided_copy.h"
#include "backend/cpu/simd/layout_plan.h"

namespace belay::backend {
namespace {

using namespace cpu;

// A tensor with its channels in groups of `part`, which both layouts of a copy keep together: strides, in elements, of
// batches, groups, channels of a group, and places.
Shape strides_of(const Tensor& tensor, int64_t part) {
  const int64_t channels = tensor.shape[1], space = product(tensor.shape, 2, tensor.shape.size());
  const int64_t block = channel_block(tensor.layout);
  switch (tensor.layout) {
    case Layout::Plain:
      return {channels * space, part * space, space, 1};
    case Layout::ChannelsLast:
      return {channels * space, part, 1, channels};
    case Layout::Blocked8:
    case Layout::Blocked16:
      return {(channels + block - 1) / block * block * space, block * space, 1, block};
  }
  return {};
}

// Copies the region of these sizes, the largest strides of the target outermost.
void copy_region(size_t bytes, Shape sizes, std::byte* to, const Shape& to_strides, const std::byte* from,
                 const Shape& from_strides) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return to_strides[a] > to_strides[b]; });
  Shape dims, target, source;
  for (const size_t d : order) {
    dims.push_back(sizes[d]);
    target.push_back(to_strides[d]);
    source.push_back(from_strides[d]);
  }
  copy_strided(bytes, dims, to, target, from, source);
}

// The groups that are whole, then what is left of the channels.
void move_groups(const Tensor& from, Tensor& to, size_t bytes) {
  const int64_t channels = from.shape[1], space = product(from.shape, 2, from.shape.size());
  const int64_t most = std::max(channel_block(from.layout), channel_block(to.layout));
  const int64_t part = most > 1 ? most : channels;
  const Shape source = strides_of(from, part), target = strides_of(to, part);
  const int64_t whole = channels / part, rest = channels % part, step = int64_t(bytes);
  auto* out = to.as<std::byte>();
  const auto* in = from.as<std::byte>();
  if (whole) copy_region(bytes, {from.shape[0], whole, part, space}, out, target, in, source);
  if (rest)
    copy_region(bytes, {from.shape[0], 1, rest, space}, out + whole * target[1] * step, target,
                in + whole * source[1] * step, source);
}

class Reorder : public Kernel {
 public:
  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    return reorder(inputs[0], outputs[0]);
  }
};

}  // namespace

std::unique_ptr<Kernel> make_reorder() { return std::make_unique<Reorder>(); }

bool same_bytes(const Tensor& tensor, Layout layout) {
  if (tensor.layout == layout) return true;
  const Shape& shape = tensor.shape;
  if (shape.size() != 4 && shape.size() != 5) return false;
  const bool one_place = product(shape, 2, shape.size()) == 1, one_channel = shape[1] == 1;
  const bool blocked = channel_block(tensor.layout) > 1 || channel_block(layout) > 1;
  if (!one_place && (blocked || !one_channel)) return false;
  return storage_bytes(tensor.type, shape, tensor.layout) == storage_bytes(tensor.type, shape, layout);
}

Status reorder(const Tensor& from, Tensor& to) {
  if (from.layout == to.layout || from.shape.size() < 3) {
    const size_t bytes = storage_bytes(from.type, from.shape, from.layout);
    if (bytes > 0) std::memcpy(to.data, from.data, bytes);  // else there may be no addresses
    return {};
  }
  const size_t bytes = TRY(element_bytes(from.type));
  if (from.count() == 0) return {};
  const int64_t a = channel_block(from.layout), b = channel_block(to.layout);
  if (a > 1 && b > 1) {  // 8 and 16: by way of the plain order
    std::vector<std::byte> plain(storage_bytes(from.type, from.shape, Layout::Plain));
    Tensor between = from;
    between.layout = Layout::Plain;
    between.data = plain.data();
    TRY(reorder(from, between));
    return reorder(between, to);
  }
  move_groups(from, to, bytes);
  clear_padding(to.type, to.shape, to.layout, to.data);
  return {};
}

}  // namespace belay::backend
