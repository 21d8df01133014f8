// SPDX-License-Identifier: Apache-2.0
#include "report/digest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/text.h"
#include "compare/measure/elements.h"
#include "compare/measure/kernels.h"

namespace belay::report {
namespace {

using compare::ElementSource;
constexpr size_t kBins = 64;
constexpr size_t kWorst = 10;
constexpr int64_t kPiece = 16 * compare::kBlock;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// How far two elements are apart; NaN and infinities are equal to themselves and infinitely far from all else. Exact
// for integers, which a wider type holds.
long double apart(long double x, long double y) {
  if (std::isfinite(x) && std::isfinite(y)) return std::fabs(x - y);
  return x == y || (std::isnan(x) && std::isnan(y)) ? 0 : kInfinity;
}

long double size_of(long double x) { return std::isfinite(x) ? std::fabs(x) : kInfinity; }

// False: no doubles hold them all.
bool read_doubles(const ElementSource& source, std::span<const std::byte> bytes, size_t count, double* to) {
  const auto read = compare::double_elements(source.type(), bytes, count, to);
  if (read && read->data != to) std::memcpy(to, read->data, count * sizeof *to);
  return read.has_value();
}

void read_exactly(const ElementSource& source, std::span<const std::byte> bytes, size_t count, long double* to) {
  for (size_t i = 0; i < count; ++i) to[i] = compare::element_of(source.type(), bytes, i);
}

// A block of both sides; `theirs` is of no use when there is one side.
struct Block {
  const ElementSource& ours;
  const ElementSource* truth;
  std::span<const std::byte> of_ours, of_truth;
  size_t count;
};

// Calls body(first, x, y, count) with doubles when they hold every element, else with long doubles.
template <class Body>
void over_block(const Block& block, int64_t first, const Body& body) {
  double x[compare::kBlock], y[compare::kBlock];
  if (read_doubles(block.ours, block.of_ours, block.count, x) &&
      (!block.truth || read_doubles(*block.truth, block.of_truth, block.count, y)))
    return body(first, x, block.truth ? y : nullptr, block.count);
  long double wide_x[compare::kBlock], wide_y[compare::kBlock];
  read_exactly(block.ours, block.of_ours, block.count, wide_x);
  if (block.truth) read_exactly(*block.truth, block.of_truth, block.count, wide_y);
  body(first, wide_x, block.truth ? wide_y : nullptr, block.count);
}

// Calls body for all blocks of both; y is null when there is one side.
template <class Body>
Status over_blocks(const ElementSource& ours, const ElementSource* truth, const Body& body) {
  std::vector<std::byte> of_ours, of_truth;
  for (int64_t first = 0; first < ours.count(); first += kPiece) {
    const int64_t size = std::min(kPiece, ours.count() - first);
    const auto mine = TRY(ours.read(first, size, of_ours));
    std::span<const std::byte> theirs;
    if (truth) theirs = TRY(truth->read(first, size, of_truth));
    for (int64_t at = 0; at < size; at += compare::kBlock) {
      const auto behind = [at](const ElementSource& source, std::span<const std::byte> bytes) {
        return bytes.subspan(static_cast<size_t>(at) * compare::stored_bytes(source.type()));
      };
      const auto count = static_cast<size_t>(std::min<int64_t>(compare::kBlock, size - at));
      over_block({ours, truth, behind(ours, mine), truth ? behind(*truth, theirs) : theirs, count}, first + at, body);
    }
    ours.forget();
    if (truth) truth->forget();
  }
  return {};
}

struct Range {
  double low = kInfinity, high = -kInfinity;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

// The arithmetic of the statistics that dumps hold (dump::measure), of elements in any layout.
struct Sums {
  Range range;  // of the finite elements, for histograms
  long double low = kInfinity, high = -kInfinity;
  long double sum = 0, squares = 0;
  int64_t finite = 0;

  void add(long double value, Summary& summary) {
    if (std::isnan(value)) {
      ++summary.nan;
      return;
    }
    low = std::min(low, value);
    high = std::max(high, value);
    if (std::isinf(value)) {
      ++(value > 0 ? summary.plus_inf : summary.minus_inf);
      return;
    }
    range.add(static_cast<double>(value));
    sum += value;
    squares += value * value;
    ++finite;
  }
  void finish(Summary& summary) const {
    if (low > high) {  // nothing, or nothing but NaNs
      summary.min = summary.max = summary.mean = summary.deviation = summary.l2norm = kNaN;
      return;
    }
    summary.min = low;
    summary.max = high;
    const bool infinite = summary.plus_inf + summary.minus_inf > 0;
    if (infinite || summary.nan > 0) {
      const bool none = summary.nan > 0 || (summary.plus_inf > 0 && summary.minus_inf > 0);
      summary.mean = none ? kNaN : summary.plus_inf > 0 ? kInfinity : -kInfinity;
      summary.l2norm = summary.nan > 0 ? kNaN : kInfinity;
      summary.deviation = kNaN;
      return;
    }
    const long double mean = sum / finite;
    summary.mean = static_cast<double>(mean);
    summary.deviation = static_cast<double>(std::sqrt(std::max(0.0L, squares / finite - mean * mean)));
    summary.l2norm = static_cast<double>(std::sqrt(squares));
  }
};

class Bins {
 public:
  Bins(const Range& range, Histogram& to) : to_(to) {
    if (range.empty()) return;
    to.low = range.low;
    to.high = range.high;
    to.counts.resize(kBins);
    const double width = range.high - range.low;
    scale_ = width > 0 && std::isfinite(width) ? kBins / width : 0;
  }
  void add(double value) {
    if (!std::isfinite(value) || to_.counts.empty()) return;
    const auto bin = static_cast<size_t>(std::max(0.0, (value - to_.low) * scale_));
    ++to_.counts[std::min(bin, kBins - 1)];
  }

 private:
  Histogram& to_;
  double scale_ = 0;
};

// The largest ones, the earlier of two that are the same.
class Worst {
 public:
  void add(int64_t at, long double how_far, long double x, long double y) {
    if (how_far == 0 || (found_.size() == kWorst && how_far <= found_.back().how_far)) return;
    const auto place = std::ranges::upper_bound(found_, how_far, std::greater(), &Found::how_far);
    found_.insert(place, {how_far, {at, x, y}});
    if (found_.size() > kWorst) found_.pop_back();
  }
  std::vector<Extreme> list() const {
    std::vector<Extreme> list;
    for (const Found& found : found_) list.push_back(found.extreme);
    return list;
  }

 private:
  struct Found {
    long double how_far;
    Extreme extreme;
  };
  std::vector<Found> found_;
};

// As many cells as are allowed: the longest axes are halved first.
graph::Shape cells_of(const graph::Shape& shape, int64_t most) {
  graph::Shape cells = shape;
  while (!cells.empty() && graph::element_count(cells) > most) {
    const auto longest = std::ranges::max_element(cells);
    *longest = (*longest + 1) / 2;
  }
  return cells;
}

class Painter {
 public:
  Painter(const graph::Shape& shape, int64_t most, Picture& to) : to_(to), shape_(shape) {
    if (most <= 0 || graph::element_count(shape) <= 0) return;
    if (shape_.empty()) shape_.push_back(1);
    to.cells = cells_of(shape_, most);
    largest_.resize(static_cast<size_t>(graph::element_count(to.cells)));
    int64_t stride = 1;
    steps_.resize(shape_.size());
    for (size_t axis = shape_.size(); axis-- > 0; stride *= to.cells[axis])
      for (int64_t i = 0; i < shape_[axis]; ++i) steps_[axis].push_back(stride * (i * to.cells[axis] / shape_[axis]));
    index_.resize(shape_.size());
    begin_row();
  }

  // Elements come in their order.
  void add(long double how_far) {
    if (largest_.empty()) return;
    constexpr long double most = std::numeric_limits<double>::max();  // two finite doubles can be farther apart
    const size_t inner = shape_.size() - 1;
    double& cell = largest_[static_cast<size_t>(row_ + steps_[inner][static_cast<size_t>(index_[inner])])];
    cell = std::max(cell, static_cast<double>(std::isinf(how_far) ? how_far : std::min(how_far, most)));
    if (++index_[inner] == shape_[inner]) next_row();
  }

  void finish() {
    for (const double value : largest_)
      if (std::isfinite(value)) to_.most = std::max(to_.most, value);
    for (const double value : largest_) to_.codes.push_back(code(value));
  }

 private:
  uint8_t code(double value) const {
    if (!std::isfinite(value)) return Picture::kNotFinite;
    if (value == 0) return 0;
    const double decades = std::log10(value / to_.most) + Picture::kDecades;
    const double at = 1 + (Picture::kCodes - 1) * decades / Picture::kDecades;
    return static_cast<uint8_t>(std::clamp(std::lround(at), 1L, static_cast<long>(Picture::kCodes)));
  }
  void next_row() {
    for (size_t axis = shape_.size(); axis-- > 0;) {
      if (index_[axis] < shape_[axis]) break;
      index_[axis] = 0;
      if (axis > 0) ++index_[axis - 1];
    }
    begin_row();
  }
  void begin_row() {
    row_ = 0;
    for (size_t axis = 0; axis + 1 < shape_.size(); ++axis) row_ += steps_[axis][static_cast<size_t>(index_[axis])];
  }

  Picture& to_;
  graph::Shape shape_;
  std::vector<std::vector<int64_t>> steps_;  // what each index adds to the cell's place
  std::vector<int64_t> index_;
  std::vector<double> largest_;
  int64_t row_ = 0;
};

Status check(const ElementSource& ours, const ElementSource* truth) {
  for (const ElementSource* source : {&ours, truth})
    if (source && !compare::has_values(source->type()))
      return {ACL_ERROR_PARSE_FILE, formatted("the values of {} cannot be told", graph::name_of(source->type()))};
  if (truth && truth->count() != ours.count())
    return {ACL_ERROR_PARSE_FILE,
            formatted("the shapes differ: {} and {}", graph::to_text(ours.shape()), graph::to_text(truth->shape()))};
  return {};
}

}  // namespace

Result<Digest> digest(const ElementSource& ours, const ElementSource* truth, int64_t cells) {
  TRY(check(ours, truth));
  Digest made{.count = ours.count()};
  Sums of_ours, of_truth;
  Range difference;
  TRY(over_blocks(ours, truth, [&](int64_t, const auto* x, const auto* y, size_t count) {
    for (size_t i = 0; i < count; ++i) of_ours.add(x[i], made.ours);
    for (size_t i = 0; y && i < count; ++i) {
      of_truth.add(y[i], made.truth);
      if (const auto each = static_cast<double>(x[i] - y[i]); std::isfinite(each)) difference.add(each);
    }
  }));
  of_ours.finish(made.ours);
  of_truth.finish(made.truth);

  Range both = of_ours.range;
  if (!of_truth.range.empty()) both.add(of_truth.range.low), both.add(of_truth.range.high);
  Bins in_ours(of_ours.range.empty() ? Range() : both, made.of_ours);
  Bins in_truth(of_truth.range.empty() ? Range() : both, made.of_truth);
  Bins in_difference(difference, made.of_difference);
  Worst worst;
  Painter painter(ours.shape(), cells, made.picture);
  TRY(over_blocks(ours, truth, [&](int64_t first, const auto* x, const auto* y, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const long double how_far = y ? apart(x[i], y[i]) : size_of(x[i]);
      in_ours.add(static_cast<double>(x[i]));
      if (y) in_truth.add(static_cast<double>(y[i])), in_difference.add(static_cast<double>(x[i] - y[i]));
      worst.add(first + static_cast<int64_t>(i), how_far, x[i], y ? static_cast<long double>(y[i]) : kNaN);
      painter.add(how_far);
    }
  }));
  painter.finish();
  made.worst = worst.list();
  return made;
}

}  // namespace belay::report
