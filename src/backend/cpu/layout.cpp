// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/layout.h"

#include <cstring>

#include "backend/cpu/parallel.h"

namespace belay::backend::cpu {
namespace {

// A tensor of rank 3 to 5 as batches × channels × space, and where each element is.
struct Plane {
  int64_t batches = 1, channels = 1, space = 1, block = 1, blocks = 1;
  Layout layout;

  explicit Plane(const Tensor& tensor) : layout(tensor.layout) {
    const Shape& shape = tensor.shape;
    if (shape.size() > 0) batches = shape[0];
    if (shape.size() > 1) channels = shape[1];
    for (size_t i = 2; i < shape.size(); ++i) space *= shape[i];
    if (layout == Layout::Blocked8) block = 8;
    if (layout == Layout::Blocked16) block = 16;
    blocks = (channels + block - 1) / block;
  }
  int64_t at(int64_t n, int64_t c, int64_t s) const {
    switch (layout) {
      case Layout::Plain:
        return (n * channels + c) * space + s;
      case Layout::ChannelsLast:
        return (n * space + s) * channels + c;
      case Layout::Blocked8:
      case Layout::Blocked16:
        return ((n * blocks + c / block) * space + s) * block + c % block;
    }
    return 0;
  }
};

template <class T>
void move(const Tensor& from, Tensor& to) {
  const Plane source(from), target(to);
  const T* in = from.as<T>();
  T* out = to.as<T>();
  if (target.blocks * target.block != target.channels)
    std::memset(to.data, 0, storage_bytes(to.type, to.shape, to.layout));
  parallel_for(source.batches * source.channels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t nc = begin; nc < end; ++nc) {
      const int64_t n = nc / source.channels, c = nc % source.channels;
      for (int64_t s = 0; s < source.space; ++s) out[target.at(n, c, s)] = in[source.at(n, c, s)];
    }
  });
}

}  // namespace

Status reorder(const Tensor& from, Tensor& to) {
  if (from.layout == to.layout) {
    std::memcpy(to.data, from.data, storage_bytes(from.type, from.shape, from.layout));
    return {};
  }
  switch (graph::bits_of(from.type)) {
    case 8:
      move<uint8_t>(from, to);
      return {};
    case 16:
      move<uint16_t>(from, to);
      return {};
    case 32:
      move<uint32_t>(from, to);
      return {};
    case 64:
      move<uint64_t>(from, to);
      return {};
    default:
      return refuse("the layout of type " + std::string(graph::name_of(from.type)) + " cannot be changed");
  }
}

}  // namespace belay::backend::cpu
