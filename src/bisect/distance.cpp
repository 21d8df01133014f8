// SPDX-License-Identifier: Apache-2.0
#include "bisect/distance.h"

#include <algorithm>

#include "base/text.h"

namespace belay::bisect {
namespace {

class ArraySource : public compare::ElementSource {
 public:
  // `array` is borrowed.
  explicit ArraySource(const Array& array) : ElementSource(array.type, array.shape), bytes_(array.bytes) {}

  Result<std::span<const std::byte>> read(int64_t first, int64_t count, std::vector<std::byte>&) const override {
    const size_t start = graph::bytes_of(type(), first), size = graph::bytes_of(type(), count);
    if (first < 0 || count < 0 || start > bytes_.size() || size > bytes_.size() - start)
      return Status{ACL_ERROR_INVALID_PARAM, formatted("elements {} to {} are not in the array", first, first + count)};
    return bytes_.subspan(start, size);
  }

 private:
  const std::span<const std::byte> bytes_;
};

class OwnArraySource : private Array, public ArraySource {
 public:
  explicit OwnArraySource(const Array& array) : Array(array), ArraySource(static_cast<const Array&>(*this)) {}
};

}  // namespace

Result<Distance> distance(const Array& ours, const compare::ElementSource& truth, const compare::Limits& limits) {
  if (graph::element_count(ours.shape) != truth.count())
    return Status{ACL_ERROR_PARSE_FILE, formatted("output {} is {}, what it is compared with is {}", ours.name,
                                                  graph::to_text(ours.shape), graph::to_text(truth.shape()))};
  const auto measures = TRY(compare::measure(ArraySource(ours), truth, limits.tolerance()));
  return Distance{ours.name, compare::difference(measures, limits), measures};
}

Truth truth_of(const Array& array) { return std::make_shared<OwnArraySource>(array); }

bool all_pass(std::span<const Distance> distances) { return std::ranges::all_of(distances, &Distance::passes); }

}  // namespace belay::bisect
