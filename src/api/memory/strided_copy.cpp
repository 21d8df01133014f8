// SPDX-License-Identifier: Apache-2.0
#include "api/memory/strided_copy.h"
#include "base/device_memory.h"
#include "base/loose.h"

namespace belay::api {
namespace {

// Calls copy(address in the view, place in the row-major order, elements) for each run of the last dimension.
template <class Copy>
void for_rows(const TensorView& view, const Copy& copy) {
  const auto bytes = static_cast<int64_t>(view.element_bytes());
  const int64_t inner = view.shape.empty() ? 1 : view.shape.back();
  const int64_t rows = inner == 0 ? 0 : view.count() / inner;
  const size_t outer = view.shape.empty() ? 0 : view.shape.size() - 1;
  graph::Shape index(outer);
  std::byte* at = host_view(view.first());
  for (int64_t row = 0; row < rows; ++row) {
    copy(at, row * inner * bytes, inner);
    for (size_t d = outer; d-- > 0;) {
      at += view.strides[d] * bytes;
      if (++index[d] < view.shape[d]) break;
      at -= view.strides[d] * view.shape[d] * bytes;
      index[d] = 0;
    }
  }
}

template <class Element>
void gather_rows(const TensorView& view, std::byte* to, int64_t step) {
  for_rows(view, [&](const std::byte* from, int64_t place, int64_t count) {
    const auto* source = reinterpret_cast<const Element*>(from);
    auto* target = reinterpret_cast<Element*>(to + place);
    for (int64_t i = 0; i < count; ++i) target[i] = source[i * step];
  });
}

template <class Element>
void scatter_rows(const std::byte* from, const TensorView& view, int64_t step) {
  for_rows(view, [&](std::byte* to, int64_t place, int64_t count) {
    const auto* source = reinterpret_cast<const Element*>(from + place);
    auto* target = reinterpret_cast<Element*>(to);
    for (int64_t i = 0; i < count; ++i) target[i * step] = source[i];
  });
}

struct Wide {
  uint64_t halves[2];
};

template <class F>
void with_width(size_t bytes, F f) {
  switch (bytes) {
    case 1:
      return f(Loose<uint8_t>{});
    case 2:
      return f(Loose<uint16_t>{});
    case 4:
      return f(Loose<uint32_t>{});
    case 8:
      return f(Loose<uint64_t>{});
    default:
      return f(Loose<Wide>{});
  }
}

// Calls visit(element of the memory, element of the row-major order) for all; elements of 4 bits.
template <class Visit>
void for_nibbles(const TensorView& view, const Visit& visit) {
  graph::Shape index(view.shape.size());
  int64_t at = view.offset;
  for (int64_t place = 0, count = view.count(); place < count; ++place) {
    visit(at, place);
    for (size_t d = index.size(); d-- > 0;) {
      at += view.strides[d];
      if (++index[d] < view.shape[d]) break;
      at -= view.strides[d] * view.shape[d];
      index[d] = 0;
    }
  }
}

void move_nibble(const std::byte* from, int64_t source, std::byte* to, int64_t target) {
  const std::byte value = from[source / 2] >> (source % 2 * 4) & std::byte{15};
  to[target / 2] = (to[target / 2] & std::byte(target % 2 ? 15 : 240)) | value << (target % 2 * 4);
}

}  // namespace

void gather_view(const TensorView& view, std::byte* to) {
  if (view.count() == 0) return;
  if (view.contiguous()) return void(copy_memory(to, view.first(), view.bytes()));
  if (view.element_bytes() == 0) {
    const auto* memory = host_view(static_cast<const std::byte*>(view.data));
    return for_nibbles(view, [&](int64_t at, int64_t place) { move_nibble(memory, at, to, place); });
  }
  const int64_t step = view.shape.empty() ? 1 : view.strides.back();
  with_width(view.element_bytes(), [&](auto element) { gather_rows<decltype(element)>(view, to, step); });
}

void scatter_view(const std::byte* from, const TensorView& view) {
  if (view.count() == 0) return;
  if (view.contiguous()) return void(copy_memory(view.first(), from, view.bytes()));
  if (view.element_bytes() == 0) {
    auto* memory = host_view(static_cast<std::byte*>(view.data));
    return for_nibbles(view, [&](int64_t at, int64_t place) { move_nibble(from, place, memory, at); });
  }
  const int64_t step = view.shape.empty() ? 1 : view.strides.back();
  with_width(view.element_bytes(), [&](auto element) { scatter_rows<decltype(element)>(from, view, step); });
}

}  // namespace belay::api
