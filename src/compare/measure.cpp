// SPDX-License-Identifier: Apache-2.0
#include "compare/measure.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "base/text.h"
#include "base/threads/parallel.h"
#include "compare/measure/elements.h"
#include "compare/measure/tally.h"
#include "dump/format/statistics_kernels.h"

namespace belay::compare {
namespace {

using graph::DataType;
using Bytes = std::span<const std::byte>;

constexpr int64_t kPiece = 32 * kBlock;       // what a thread takes at a time
constexpr int64_t kRound = int64_t{1} << 12;  // pieces whose results are kept at a time
constexpr double kOperationsPerElement = 40;  // to decide on threads
constexpr int64_t kForgetEvery = 8;           // pieces; private formats touch up to 4 MiB for each
constexpr double kForgetBeyond = 144 << 20;   // bytes of both; mapped files of less may stay in memory
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct BothBytes {
  Bytes x, y;
};

struct Divergence : DivergenceSums {
  void add(const Divergence& later) { a += later.a, b += later.b, a_log_ratio += later.a_log_ratio; }
};

// The least element of each side.
struct Least {
  double x, y;
  // Whether nothing that was seen is less.
  bool holds(const Tally& seen) const { return seen.x.min >= x && seen.y.min >= y; }
};

// Whether the Kullback-Leibler divergence is a number that has to be computed.
bool diverges(const Tally& tally) {
  return tally.all_finite() && tally.x.min < tally.x.max && tally.y.min < tally.y.max &&
         tally.x_at_min_y <= tally.x.min && tally.different > 0;
}

// What is summed up in one pass.
struct Sums {
  Tally tally;
  Divergence divergence;
  void add(const Sums& later) { tally.add(later.tally), divergence.add(later.divergence); }
};

// Two tensors side by side.
class Couple {
 public:
  Couple(const ElementSource& x, const ElementSource& y, const Tolerance& tolerance)
      : x_(x), y_(y), spacing_(Spacing::coarser(x.type(), y.type())) {
    by_ = {.ulp = {std::ldexp(1.0, spacing_.least + spacing_.digits), std::ldexp(1.0, spacing_.digits)},
           .rtol = tolerance.rtol,
           .atol = tolerance.atol};
  }

  // What one pass tells: the tally, and the sums of the divergence if the least elements could be guessed before.
  struct Looked {
    Tally tally;
    std::optional<Divergence> divergence;
  };
  Result<Looked> look_at_all() const {
    const std::optional<Least> guess = TRY(guessed_least());
    std::atomic<bool> wrong{!guess};
    const Sums all = TRY(over_pieces<Sums>([&](Sums& sum, const BothBytes& piece, int64_t first, int64_t count) {
      const bool same = equal_bytes(piece);
      sum.tally.same_bytes &= same;
      over_blocks(piece, count, [&](const BothBytes& block, int64_t at, size_t size) {
        add_block(sum.tally, block, first + at, size, same);
        if (!wrong) sum.divergence.add({divergence_of(block, size, *guess)});
      });
      if (!wrong && !(sum.tally.all_finite() && guess->holds(sum.tally))) wrong = true;
    }));
    if (wrong) return Looked{all.tally, {}};
    return Looked{all.tally, all.divergence};
  }

  // With the least element of each side known, and no x above its least where y is at its own.
  Result<Divergence> divergence(const Least& least) const {
    return over_pieces<Divergence>([&](Divergence& sum, const BothBytes& piece, int64_t, int64_t count) {
      over_blocks(piece, count,
                  [&](const BothBytes& block, int64_t, size_t size) { sum.add({divergence_of(block, size, least)}); });
    });
  }

  // How many elements of one type have other bytes.
  Result<uint64_t> other_bits() const {
    struct Count {
      uint64_t elements = 0;
      void add(const Count& later) { elements += later.elements; }
    };
    const Count all = TRY(over_pieces<Count>([this](Count& sum, const BothBytes& piece, int64_t, int64_t count) {
      const size_t size = stored_bytes(x_.type());
      for (size_t at = 0; at < static_cast<size_t>(count) * size; at += size)
        sum.elements += std::memcmp(&piece.x[at], &piece.y[at], size) != 0;
    }));
    return all.elements;
  }

  // The first different element of a block, and the first of those farthest apart. Nothing for block -1.
  struct Places {
    Place first, worst;
  };
  Result<Places> look(int64_t block) const {
    Places found;
    if (block < 0) return found;
    std::vector<std::byte> of_x, of_y;
    const auto size = std::min<int64_t>(kBlock, x_.count() - block);
    const BothBytes bytes = TRY(read(block, size, of_x, of_y));
    long double most = 0;
    for (int64_t i = 0; i < size; ++i) {
      const long double a = element_of(x_.type(), bytes.x, i), b = element_of(y_.type(), bytes.y, i);
      const long double between = apart(a, b);
      if (between == 0) continue;
      const Place place{block + i, a, b};
      if (found.first.at < 0) found.first = place;
      if (between > most) found.worst = place;
      most = std::max(most, between);
    }
    return found;
  }

 private:
  Result<BothBytes> read(int64_t first, int64_t count, std::vector<std::byte>& of_x,
                         std::vector<std::byte>& of_y) const {
    BothBytes bytes{.x = TRY(x_.read(first, count, of_x))};
    bytes.y = TRY(y_.read(first, count, of_y));
    return bytes;
  }

  // Calls add(sum, bytes, first, count) for every piece, each with a sum of its own; these are then added up in order.
  template <class Sum, class Add>
  Result<Sum> over_pieces(const Add& add) const {
    const int64_t count = x_.count(), pieces = (count + kPiece - 1) / kPiece;
    const double bytes = static_cast<double>(count * (stored_bytes(x_.type()) + stored_bytes(y_.type())));
    const int64_t threads = threads_for(kOperationsPerElement * static_cast<double>(count), bytes);
    std::vector<std::vector<std::byte>> storage(2 * threads);
    Sum all;
    for (int64_t begin = 0; begin < pieces; begin += kRound) {
      std::vector<Result<Sum>> sums(std::min(kRound, pieces - begin), Sum{});
      parallel_pieces(static_cast<int64_t>(sums.size()), threads, [&](int64_t piece, int64_t thread) {
        const int64_t first = (begin + piece) * kPiece, size = std::min(kPiece, count - first);
        sums[piece] = [&]() -> Result<Sum> {
          Sum sum;
          add(sum, TRY(read(first, size, storage[2 * thread], storage[2 * thread + 1])), first, size);
          if (bytes > kForgetBeyond && piece % kForgetEvery == 0) forget();
          return sum;
        }();
      });
      for (Result<Sum>& sum : sums) all.add(TRY(std::move(sum)));
    }
    return all;
  }

  bool equal_bytes(const BothBytes& piece) const {
    return x_.type() == y_.type() && std::memcmp(piece.x.data(), piece.y.data(), piece.x.size()) == 0;
  }

  // Activations are often least where they were clipped: then the first piece tells it, and one pass does.
  Result<std::optional<Least>> guessed_least() const {
    if (x_.count() <= kPiece) return std::optional<Least>();
    std::vector<std::byte> of_x, of_y;
    const BothBytes piece = TRY(read(0, kPiece, of_x, of_y));
    if (equal_bytes(piece)) return std::optional<Least>();
    Tally seen;
    over_blocks(piece, kPiece,
                [&](const BothBytes& block, int64_t at, size_t size) { add_block(seen, block, at, size, false); });
    return diverges(seen) ? std::optional(Least{seen.x.min, seen.y.min}) : std::nullopt;
  }

  void add_block(Tally& sum, const BothBytes& block, int64_t at, size_t size, bool same) const {
    if (same && add_same(sum, block, size)) return;
    if (!add_fast(sum, block, at, size)) add_slowly(sum, block, at, 0, size);
  }

  void forget() const {
    x_.forget();
    y_.forget();
  }

  template <class Body>
  void over_blocks(const BothBytes& piece, int64_t count, const Body& body) const {
    for (int64_t at = 0; at < count; at += kBlock) {
      const BothBytes block{piece.x.subspan(at * stored_bytes(x_.type())),
                            piece.y.subspan(at * stored_bytes(y_.type()))};
      body(block, at, static_cast<size_t>(std::min<int64_t>(kBlock, count - at)));
    }
  }

  // The same bytes on both sides. False when the block has to be looked at element by element.
  bool add_same(Tally& sum, const BothBytes& block, size_t size) const {
    if (!fit_floats()) return false;
    float of_x[kBlock];
    const dump::BlockTotals all = dump::measure_block(as_floats(x_.type(), block.x, size, of_x), size, true);
    if (!std::isfinite(all.squares)) return false;
    const auto min = static_cast<double>(all.min), max = static_cast<double>(all.max);
    sum.add_block({.sum_x = all.sum,
                   .squares_x = all.squares,
                   .sum_y = all.sum,
                   .squares_y = all.squares,
                   .products = all.squares,
                   .min_x = min,
                   .max_x = max,
                   .min_y = min,
                   .max_y = max,
                   .x_at_min_y = min},
                  -1);
    return true;
  }

  // False when the block has to be looked at element by element: not all is finite, or too large for doubles.
  bool add_fast(Tally& sum, const BothBytes& block, int64_t at, size_t size) const {
    BlockSums sums;
    size_t done = 0;
    if (fit_floats()) {
      float of_x[kBlock], of_y[kBlock];
      done = sum_block(float_elements(x_.type(), block.x, size, of_x), float_elements(y_.type(), block.y, size, of_y),
                       size, by_, sums);
    } else {
      double of_x[kBlock], of_y[kBlock];
      const auto xs = double_elements(x_.type(), block.x, size, of_x);
      const auto ys = double_elements(y_.type(), block.y, size, of_y);
      if (!xs || !ys) return false;
      done = sum_block(*xs, *ys, size, by_, sums);
    }
    if (!std::isfinite(sums.squares_x + sums.squares_y + sums.distance_squares)) return false;
    if (done > 0) sum.add_block(sums, at);
    add_slowly(sum, block, at, done, size);
    return true;
  }

  void add_slowly(Tally& sum, const BothBytes& block, int64_t at, size_t begin, size_t end) const {
    for (size_t i = begin; i < end; ++i) {
      const long double y = element_of(y_.type(), block.y, i);
      sum.add_element(element_of(x_.type(), block.x, i), y, {spacing_.unit_at(y), by_.rtol, by_.atol}, at);
    }
  }

  bool fit_floats() const { return fits_floats(x_.type()) && fits_floats(y_.type()); }

  DivergenceSums divergence_of(const BothBytes& block, size_t size, const Least& least) const {
    if (fit_floats()) {
      float of_x[kBlock], of_y[kBlock];
      return divergence_block(float_elements(x_.type(), block.x, size, of_x),
                              float_elements(y_.type(), block.y, size, of_y), size, least.x, least.y);
    }
    double of_x[kBlock], of_y[kBlock];
    return divergence_block(rounded(x_.type(), block.x, size, of_x), rounded(y_.type(), block.y, size, of_y), size,
                            least.x, least.y);
  }

  // As doubles, integers beyond their range rounded.
  static Elements rounded(DataType type, Bytes bytes, size_t size, double* buffer) {
    if (const auto exact = double_elements(type, bytes, size, buffer)) return *exact;
    for (size_t i = 0; i < size; ++i) buffer[i] = static_cast<double>(element_of(type, bytes, i));
    return {Elements::As::Double, buffer};
  }

  const ElementSource &x_, &y_;
  const Spacing spacing_;
  Yardstick by_;
};

double cosine_of(long double products, long double squares_x, long double squares_y) {
  if (squares_x == 0 && squares_y == 0) return 1;
  if (squares_x == 0 || squares_y == 0) return kNaN;
  const auto cosine = static_cast<double>(products / (std::sqrt(squares_x) * std::sqrt(squares_y)));
  return cosine > 1 ? 1 : cosine;
}

double relative_euclidean_of(const Tally& tally) {
  if (std::sqrt(tally.y.squares) <= kEpsilon) return 0;
  return static_cast<double>(std::sqrt(tally.distance_squares / tally.y.squares));
}

Result<double> kullback_leibler_of(const Couple& couple, const Couple::Looked& looked) {
  const Tally& tally = looked.tally;
  if (!tally.all_finite() || !(tally.x.min < tally.x.max) || !(tally.y.min < tally.y.max)) return kNaN;
  if (tally.x_at_min_y > tally.x.min) return std::numeric_limits<double>::infinity();
  if (tally.different == 0) return 0.0;
  const Divergence sums = looked.divergence ? *looked.divergence : TRY(couple.divergence({tally.x.min, tally.y.min}));
  const double divergence = sums.a_log_ratio / sums.a + std::log(sums.b / sums.a);
  return std::abs(divergence) < kEpsilon ? 0.0 : divergence;
}

SideCount side_of(const Tally::OneSide& side, int64_t count) {
  SideCount made{.nan = side.nan, .plus_inf = side.plus_inf, .minus_inf = side.minus_inf};
  const bool any = count > static_cast<int64_t>(side.nan);
  made.min = any ? side.min : kNaN;
  made.max = any ? side.max : kNaN;
  const long double mean = side.sum / count, variance = side.squares / count - mean * mean;
  made.mean = static_cast<double>(mean);
  made.deviation = static_cast<double>(std::sqrt(std::isnan(variance) ? variance : std::max(variance, 0.0L)));
  return made;
}

// The table asks for two metrics of bools.
void leave_out_for_bools(Measures& made) {
  for (double* value : {&made.max_absolute, &made.accumulated_relative, &made.kullback_leibler, &made.mean_absolute,
                        &made.root_mean_square, &made.max_relative, &made.mean_relative, &made.psnr})
    *value = kNaN;
}

Measures measures_of(const Tally& tally, int64_t count) {
  Measures made{.count = count, .bitwise = tally.same_bytes, .constant_one = count == 1};
  made.cosine = made.constant_one ? 1 : cosine_of(tally.products, tally.x.squares, tally.y.squares);
  made.max_absolute = tally.max_distance;
  made.accumulated_relative = static_cast<double>(tally.relative);
  made.relative_euclidean = relative_euclidean_of(tally);
  made.mean_absolute = static_cast<double>(tally.distance / count);
  made.root_mean_square = static_cast<double>(std::sqrt(tally.distance_squares / count));
  made.max_relative = tally.max_relative;
  made.mean_relative = static_cast<double>(tally.relative / count);
  made.max_ulp = tally.max_ulp;
  made.psnr = 20 * std::log10(std::max(std::abs(tally.y.min), std::abs(tally.y.max)) / made.root_mean_square);
  if (made.root_mean_square == 0) made.psnr = std::numeric_limits<double>::infinity();
  made.least_rtol = tally.max_rtol;
  made.least_atol = tally.max_apart;
  made.different = tally.different;
  made.outside = tally.outside;
  const Tally::Finite& finite = tally.finite;
  made.finite_cosine = cosine_of(finite.products, finite.squares_x, finite.squares_y);
  if (finite.distance_squares > 0)
    made.finite_euclidean = static_cast<double>(std::sqrt(finite.distance_squares / finite.squares_y));
  made.finite_largest = finite.largest_y;
  made.ours = side_of(tally.x, count);
  made.truth = side_of(tally.y, count);
  return made;
}

Status check(const ElementSource& ours, const ElementSource& truth) {
  if (ours.count() < 0 || ours.count() != truth.count())
    return {ACL_ERROR_PARSE_FILE, formatted("the shapes {} and {} do not have the same number of elements",
                                            graph::to_text(ours.shape()), graph::to_text(truth.shape()))};
  if (ours.type() == truth.type()) return {};
  for (const ElementSource* source : {&ours, &truth})
    if (!has_values(source->type()))
      return {ACL_ERROR_PARSE_FILE,
              formatted("elements of type {} have no values that could be compared", graph::name_of(source->type()))};
  return {};
}

Result<Measures> compare_bits(const Couple& couple, int64_t count) {
  Measures made{.count = count, .bits_only = true};
  made.different = TRY(couple.other_bits());
  made.bitwise = made.different == 0;
  for (double* value :
       {&made.cosine, &made.max_absolute, &made.accumulated_relative, &made.relative_euclidean, &made.kullback_leibler,
        &made.mean_absolute, &made.root_mean_square, &made.max_relative, &made.mean_relative, &made.max_ulp, &made.psnr,
        &made.least_rtol, &made.least_atol, &made.finite_cosine, &made.finite_euclidean})
    *value = kNaN;
  for (SideCount* side : {&made.ours, &made.truth})
    for (double* value : {&side->mean, &side->deviation, &side->min, &side->max}) *value = kNaN;
  return made;
}

}  // namespace

Result<Measures> measure(const ElementSource& ours, const ElementSource& truth, const Tolerance& tolerance) {
  TRY(check(ours, truth));
  const Couple couple(ours, truth, tolerance);
  if (!has_values(ours.type())) return compare_bits(couple, ours.count());
  Couple::Looked looked = TRY(couple.look_at_all());
  Tally& tally = looked.tally;
  tally.same_bytes &= ours.type() == truth.type();
  Measures made = measures_of(tally, ours.count());
  made.kullback_leibler = TRY(kullback_leibler_of(couple, looked));
  made.first = TRY(couple.look(tally.first_block)).first;
  made.worst = TRY(couple.look(tally.worst_block)).worst;
  if (ours.type() == DataType::Bool || truth.type() == DataType::Bool) leave_out_for_bools(made);
  return made;
}

}  // namespace belay::compare
