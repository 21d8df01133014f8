// SPDX-License-Identifier: Apache-2.0
#include "blame/permute.h"

#include <cstring>

namespace belay::blame {
namespace {

// By place in the swapped order: the place before.
std::vector<size_t> swapped_places(const graph::Shape& shape, size_t a, size_t b) {
  graph::Shape swapped = shape, steps(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) steps[d - 1] = steps[d] * shape[d];
  std::swap(swapped[a], swapped[b]);
  std::swap(steps[a], steps[b]);
  const auto count = static_cast<size_t>(graph::element_count(shape));
  std::vector<size_t> places(count);
  std::vector<int64_t> at(shape.size());
  int64_t place = 0;
  for (size_t i = 0; i < count; ++i) {
    places[i] = static_cast<size_t>(place);
    for (size_t d = shape.size(); d-- > 0;) {
      place += steps[d];
      if (++at[d] < swapped[d]) break;
      place -= steps[d] * swapped[d];
      at[d] = 0;
    }
  }
  return places;
}

exact::Value taken_from(const exact::Value& value, const std::vector<size_t>& places) {
  const size_t each = graph::bits_of(value.type) / 8;
  auto bytes = std::make_shared<std::vector<std::byte>>(value.bytes->size());
  for (size_t i = 0; i < places.size(); ++i)
    std::memcpy(bytes->data() + i * each, value.bytes->data() + places[i] * each, each);
  exact::Value made = value;
  made.bytes = std::move(bytes);
  return made;
}

}  // namespace

std::vector<std::pair<size_t, size_t>> swappable_axes(const graph::Shape& shape) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t a = 0; a < shape.size(); ++a)
    for (size_t b = a + 1; b < shape.size(); ++b)
      if (shape[a] > 1 && shape[b] > 1) pairs.emplace_back(a, b);
  return pairs;
}

exact::Value with_axes_swapped(const exact::Value& value, size_t a, size_t b) {
  return taken_from(value, swapped_places(value.shape, a, b));
}

exact::Output with_axes_swapped(const exact::Output& output, size_t a, size_t b) {
  const auto places = swapped_places(output.value.shape, a, b);
  exact::Output made{taken_from(output.value, places), {}};
  for (size_t i = 0; i < places.size() && !output.allowed.empty(); ++i)
    made.allowed.push_back(output.allowed[places[i]]);
  return made;
}

}  // namespace belay::blame
