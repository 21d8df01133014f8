// SPDX-License-Identifier: Apache-2.0
#include "replay/shrink.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "acl/acl_base.h"
#include "base/text.h"
#include "exact/value.h"
#include "replay/judge.h"

namespace belay::replay {
namespace {

using graph::Constant;

// An extent of an input.
struct Place {
  size_t port, axis;
};
using Places = std::vector<Place>;

struct Part {
  int64_t first, count;
};

Constant owned(const Constant& like, graph::Shape shape, std::vector<std::byte> bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {like.type, std::move(shape), like.format, *owner, owner};
}

Constant cut(const Constant& tensor, size_t axis, Part part) {
  const size_t element = graph::bits_of(tensor.type) / 8;
  size_t outer = 1, inner = element;
  for (size_t i = 0; i < axis; ++i) outer *= static_cast<size_t>(tensor.shape[i]);
  for (size_t i = axis + 1; i < tensor.shape.size(); ++i) inner *= static_cast<size_t>(tensor.shape[i]);
  const auto row = static_cast<size_t>(tensor.shape[axis]) * inner, kept = static_cast<size_t>(part.count) * inner;
  std::vector<std::byte> bytes(outer * kept);
  for (size_t i = 0; i < outer && kept > 0; ++i)
    std::memcpy(&bytes[i * kept], &tensor.bytes[i * row + static_cast<size_t>(part.first) * inner], kept);
  graph::Shape shape = tensor.shape;
  shape[axis] = part.count;
  return owned(tensor, std::move(shape), std::move(bytes));
}

bool is_float(graph::DataType type) {
  using enum graph::DataType;
  return type == Float || type == Float16 || type == BFloat16 || type == Double;
}

Constant zeroed(const Constant& tensor, size_t first, size_t count) {
  std::vector<std::byte> bytes(tensor.bytes.begin(), tensor.bytes.end());
  const size_t element = graph::bits_of(tensor.type) / 8;
  std::memset(&bytes[first * element], 0, count * element);
  return owned(tensor, tensor.shape, std::move(bytes));
}

bool any_set(const Constant& tensor, size_t first, size_t count) {
  const size_t element = graph::bits_of(tensor.type) / 8;
  const auto part = tensor.bytes.subspan(first * element, count * element);
  return std::ranges::any_of(part, [](std::byte byte) { return byte != std::byte{0}; });
}

// To so many significant bits, in the tensor's own type.
std::optional<Constant> rounded(const Constant& tensor, int bits) {
  const auto value = exact::widened(tensor.type, tensor.shape, tensor.bytes);
  if (!value.ok()) return {};
  std::vector<double> numbers((*value).doubles().begin(), (*value).doubles().end());
  for (double& number : numbers) {
    if (!std::isfinite(number) || number == 0) continue;
    int exponent = 0;
    const double fraction = std::frexp(number, &exponent);
    number = std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
  }
  auto bytes = std::make_shared<std::vector<std::byte>>(numbers.size() * sizeof(double));
  if (!numbers.empty()) std::memcpy(bytes->data(), numbers.data(), bytes->size());
  auto made = exact::narrowed({graph::DataType::Double, tensor.shape, std::move(bytes)}, tensor.type);
  if (!made.ok()) return {};
  return owned(tensor, tensor.shape, std::move(made).value());
}

class Shrinker {
 public:
  Shrinker(const Operator& op, const Runner& run, const ShrinkLimits& limits) : run_(run), limits_(limits) {
    made_.op = op;
  }

  Result<Shrunk> go() {
    if (const Status status = why_not(made_.op); !status.ok()) return status;
    while (shrink_shapes()) {
    }
    for (size_t port = 0; port < made_.op.inputs.size(); ++port) zero_values(port);
    for (size_t port = 0; port < made_.op.inputs.size(); ++port) round_values(port);
    while (shrink_shapes()) {
    }
    return std::move(made_);
  }

 private:
  // Why this is not a failure; fills in what it gives.
  Status why_not(Operator& op) {
    auto expected = recompute(op);
    if (!expected.ok()) return {ACL_ERROR_INVALID_FILE, "it cannot be computed again: " + expected.status().message};
    op.dumped = TRY(run_(op));
    for (size_t i = 0; i < op.dumped.size() && i < (*expected).size(); ++i)
      if (TRY(judge(op.dumped[i], (*expected)[i])).wrong > 0) return {};
    return {ACL_ERROR_INVALID_FILE,
            "nothing is wrong with what comes out here: it is as near to the recomputation in double as it must be"};
  }

  bool out_of_time() const {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    return made_.tries >= limits_.tries || taken.count() > limits_.seconds;
  }

  bool take(Operator candidate) {
    if (out_of_time()) return made_.finished = false;
    ++made_.tries;
    if (!why_not(candidate).ok()) return false;
    made_.op = std::move(candidate);
    return true;
  }

  // Extents that may have to stay equal: all of one length, any two of them, each alone.
  std::vector<Places> groups() const {
    std::map<int64_t, Places, std::greater<>> by_extent;
    for (size_t port = 0; port < made_.op.inputs.size(); ++port) {
      const Input& input = made_.op.inputs[port];
      if (!input.present || graph::bits_of(input.value.type) % 8 != 0) continue;
      for (size_t axis = 0; axis < input.value.shape.size(); ++axis)
        if (input.value.shape[axis] > 1) by_extent[input.value.shape[axis]].push_back({port, axis});
    }
    std::vector<Places> made;
    for (const auto& [extent, places] : by_extent) {
      if (places.size() > 2) made.push_back(places);
      for (size_t i = 0; i < places.size(); ++i)
        for (size_t j = i + 1; j < places.size(); ++j)
          if (places[i].port != places[j].port) made.push_back({places[i], places[j]});
      for (const Place& place : places) made.push_back({place});
    }
    return made;
  }

  bool halve(const Places& places) {
    const int64_t extent = made_.op.inputs[places.front().port].value.shape[places.front().axis];
    if (extent < 2) return false;
    for (const Part part : {Part{0, extent / 2}, Part{extent - extent / 2, extent / 2}, Part{0, extent - 1}}) {
      Operator candidate = made_.op;
      for (const Place& place : places) {
        Constant& value = candidate.inputs[place.port].value;
        value = cut(value, place.axis, part);
      }
      if (take(std::move(candidate))) return true;
    }
    return false;
  }

  bool shrink_shapes() {
    bool any = false;
    for (const Places& places : groups()) {
      // An earlier group may have changed one of the extents.
      const auto extent = [&](const Place& place) { return made_.op.inputs[place.port].value.shape[place.axis]; };
      const auto same = [&] {
        return std::ranges::all_of(places, [&](const Place& place) { return extent(place) == extent(places.front()); });
      };
      while (same() && !out_of_time() && halve(places)) any = true;
    }
    return any && !out_of_time();
  }

  void zero_values(size_t port) {
    const Input& input = made_.op.inputs[port];
    if (!input.present || !is_float(input.value.type)) return;
    const auto count = static_cast<size_t>(graph::element_count(input.value.shape));
    for (size_t block = count; block > 0; block /= 2)
      for (size_t first = 0; first < count && !out_of_time(); first += block) {
        const size_t length = std::min(block, count - first);
        if (!any_set(made_.op.inputs[port].value, first, length)) continue;
        Operator candidate = made_.op;
        candidate.inputs[port].value = zeroed(candidate.inputs[port].value, first, length);
        (void)take(std::move(candidate));
      }
  }

  void round_values(size_t port) {
    const Input& input = made_.op.inputs[port];
    if (!input.present || !is_float(input.value.type)) return;
    for (const int bits : {1, 2, 4, 8}) {
      auto value = rounded(made_.op.inputs[port].value, bits);
      if (!value) return;
      if (std::ranges::equal(value->bytes, made_.op.inputs[port].value.bytes)) return;
      Operator candidate = made_.op;
      candidate.inputs[port].value = std::move(*value);
      if (take(std::move(candidate))) return;
    }
  }

  const Runner& run_;
  const ShrinkLimits limits_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Shrunk made_;
};

}  // namespace

Result<Shrunk> shrink(const Operator& op, const Runner& run, const ShrinkLimits& limits) {
  return Shrinker(op, run, limits).go();
}

}  // namespace belay::replay
