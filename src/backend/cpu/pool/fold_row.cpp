// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/pool/fold_row.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include <algorithm>

#include "backend/cpu/panels/unroll.h"
#include "backend/cpu/pool/fold_row.h"
#include "backend/cpu/pool/folds-inl.h"
#include "backend/cpu/simd/stretch-inl.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::pool::HWY_NAMESPACE {

using Rows = std::span<const float* const>;
using cpu::HWY_NAMESPACE::for_stretches;
using cpu::HWY_NAMESPACE::Stretch;

// Whether the window is so large that a row between, of the rows folded into one, saves work.
HWY_INLINE bool folds_rows_first(const Along& a, int64_t rows) {
  return a.apart == a.inner && a.out_width * a.kernel * rows > 2 * (a.width * (rows + 1) + a.out_width * a.kernel);
}

template <class Fold, size_t n>
HWY_INLINE void start(Vector (&folds)[n], Vector (&watches)[n]) {
  BELAY_UNROLL
  for (size_t j = 0; j < n; ++j) folds[j] = hn::Set(Floats(), Fold::nothing), watches[j] = hn::Zero(Floats());
}

template <size_t n>
HWY_INLINE Vector sum_of(const Vector (&watches)[n]) {
  Vector sum = watches[0];
  BELAY_UNROLL
  for (size_t j = 1; j < n; ++j) sum = hn::Add(sum, watches[j]);
  return sum;
}

// to[i] = the fold of rows[...][i].
template <class Fold>
HWY_INLINE Vector fold_rows(Rows rows, int64_t count, float* to) {
  return for_stretches<4>(count, [=]<size_t n, bool cut>(int64_t i, Stretch<n, cut> at) BELAY_INLINE_LAMBDA {
    Vector folds[n], watches[n];
    start<Fold>(folds, watches);
    for (const float* row : rows) BELAY_UNROLL
    for (size_t j = 0; j < n; ++j) Fold::add(at.load(row + i, j), folds[j], watches[j]);
    BELAY_UNROLL
    for (size_t j = 0; j < n; ++j) at.store(Fold::value(folds[j], watches[j]), to + i, j);
    return sum_of(watches);
  });
}

// Every stride-th element of a row of `count` beside one another, in `stride` rows.
HWY_INLINE void part_phases(const float* row, int64_t count, int64_t stride, int64_t length, float* to) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (stride == 2) {
    for (int64_t i = 0; i < count; i += 2 * lanes) {
      Vector even, odd;
      hn::LoadInterleaved2(d, row + i, even, odd);
      hn::StoreU(even, d, to + i / 2);
      hn::StoreU(odd, d, to + length + i / 2);
    }
    return;
  }
  for (int64_t p = 0; p < stride; ++p)
    for (int64_t i = p, j = 0; i < count; i += stride, ++j) to[p * length + j] = row[i];
}

// Places of one element: first the rows are folded into one, with what the windows see beside it.
template <class Fold>
HWY_INLINE Vector fold_across(const Along& a, Rows rows, float* to) {
  const int64_t reach = a.reach(), before = std::min(a.pad, reach);
  const int64_t seen = std::clamp<int64_t>(reach - a.pad, 0, a.width);
  std::fill_n(to, before, Fold::nothing);
  const Vector alarm = fold_rows<Fold>(rows, seen, to + before);
  std::fill_n(to + before + seen, reach - before - seen, Fold::nothing);
  return alarm;
}

// Then each tap is a row of its own.
template <class Fold>
HWY_INLINE void fold_along(const Along& a, const float* row, float divisor, const float* by, float* phases, float* y) {
  const int64_t length = a.phase_length();
  if (a.stride > 1) {
    part_phases(row, a.reach(), a.stride, length, phases);
    row = phases;
  }
  const int64_t kernel = a.kernel, stride = a.stride, dilation = a.dilation;
  for_stretches<4>(a.out_width, [=]<size_t n, bool cut>(int64_t i, Stretch<n, cut> at) BELAY_INLINE_LAMBDA {
    const auto lanes = static_cast<int64_t>(hn::Lanes(Floats()));
    Vector folds[n], watches[n];
    start<Fold>(folds, watches);
    int64_t phase = 0, start = i;
    for (int64_t k = 0; k < kernel; ++k) {
      const float* tap = row + phase * length + start;
      BELAY_UNROLL
      for (size_t j = 0; j < n; ++j) Fold::add(hn::LoadU(Floats(), tap + int64_t(j) * lanes), folds[j], watches[j]);
      for (phase += dilation; phase >= stride; phase -= stride) ++start;
    }
    BELAY_UNROLL
    for (size_t j = 0; j < n; ++j)
      at.store(Fold::finish_all(Fold::value(folds[j], watches[j]), divisor, by, i + int64_t(j) * lanes), y + i, j);
    return hn::Zero(Floats());
  });
}

template <class Fold>
HWY_INLINE Vector fold_single(const Along& a, std::span<const Task> tasks, const float* by, float* scratch) {
  Vector alarm = hn::Zero(Floats());
  // A row that was just written is slow to read at another place: several are written before the first is read.
  const int64_t apart = a.reach() + slack;
  for (size_t t = 0; t < tasks.size(); ++t)
    alarm = hn::Add(alarm, fold_across<Fold>(a, tasks[t].rows, scratch + static_cast<int64_t>(t) * apart));
  float* phases = scratch + static_cast<int64_t>(most_tasks) * apart;
  for (size_t t = 0; t < tasks.size(); ++t)
    fold_along<typename Fold::OfFolded>(a, scratch + static_cast<int64_t>(t) * apart, tasks[t].divisor, by, phases,
                                        tasks[t].y);
  return alarm;
}

// The taps of the window at a place of y that lie inside the row: where the first is, and how many.
struct Taps {
  Taps(const Along& a, int64_t place) {
    const int64_t start = place * a.stride - a.pad;
    const int64_t begin = start < 0 ? std::min((-start + a.dilation - 1) / a.dilation, a.kernel) : 0;
    const int64_t end = std::clamp<int64_t>((a.width - start + a.dilation - 1) / a.dilation, begin, a.kernel);
    first = start + begin * a.dilation;
    count = end - begin;
    // The others are among the first of the next place.
    fresh = a.dilation == 1 && place + 1 < a.out_width ? std::min(count, a.stride) : count;
  }
  int64_t first, count, fresh;
};

// Places of many elements.
template <class Fold>
HWY_INLINE Vector fold_places(const Along& a, Rows rows, float divisor, const float* by, float* y) {
  const int64_t inner = a.inner, apart = a.apart, step = a.dilation * apart;
  Vector alarm = hn::Zero(Floats());
  for (int64_t place = 0; place < a.out_width; ++place, y += inner) {
    const Taps taps(a, place);
    const auto part = [=]<size_t n, bool cut>(int64_t c, Stretch<n, cut> at) BELAY_INLINE_LAMBDA {
      Vector folds[n], watches[n];
      start<Fold>(folds, watches);
      for (const float* row : rows) {
        row += taps.first * apart + c;
        int64_t k = 0;
        for (; k < taps.fresh; ++k, row += step) BELAY_UNROLL
        for (size_t j = 0; j < n; ++j) Fold::add(at.load(row, j), folds[j], watches[j]);
        for (; k < taps.count; ++k, row += step) BELAY_UNROLL
        for (size_t j = 0; j < n; ++j) Fold::OfFolded::add(at.load(row, j), folds[j], watches[j]);
      }
      BELAY_UNROLL
      for (size_t j = 0; j < n; ++j)
        at.store(Fold::finish(Fold::value(folds[j], watches[j]), divisor, by, place), y + c, j);
      return sum_of(watches);
    };
    alarm = hn::Add(alarm, for_stretches<4>(inner, part));
  }
  return alarm;
}

template <class Fold>
HWY_INLINE Vector fold_many(const Along& a, const Task& task, const float* by, float* scratch) {
  if (!folds_rows_first(a, static_cast<int64_t>(task.rows.size())))
    return fold_places<Fold>(a, task.rows, task.divisor, by, task.y);
  const Vector alarm = fold_rows<Fold>(task.rows, a.width * a.inner, scratch);
  const float* const folded[] = {scratch};
  fold_places<typename Fold::OfFolded>(a, folded, task.divisor, by, task.y);
  return alarm;
}

// Whether the fold may have overlooked a NaN.
template <class Fold>
HWY_INLINE bool fold_all(const Along& a, std::span<const Task> tasks, const float* by, float* scratch) {
  Vector alarm = hn::Zero(Floats());
  if (a.inner == 1)
    alarm = fold_single<Fold>(a, tasks, by, scratch);
  else
    for (const Task& task : tasks) alarm = hn::Add(alarm, fold_many<Fold>(a, task, by, scratch));
  return !hn::AllFalse(Floats(), hn::IsNaN(alarm));
}

void largest_all(const Along& a, std::span<const Task> tasks, float* scratch) {
  if (fold_all<WatchedLargest>(a, tasks, nullptr, scratch)) fold_all<Largest>(a, tasks, nullptr, scratch);
}

void average_all(const Along& a, std::span<const Task> tasks, const float* by, float* scratch) {
  fold_all<Average>(a, tasks, by, scratch);
}

}  // namespace belay::backend::cpu::pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu::pool {

HWY_EXPORT(largest_all);
HWY_EXPORT(average_all);

int64_t scratch_floats(const Along& a) {
  if (a.inner > 1) return a.width * a.inner + slack;
  return static_cast<int64_t>(most_tasks) * (a.reach() + slack) + a.stride * a.phase_length();
}

void largest_in_rows(const Along& along, std::span<const Task> tasks, float* scratch) {
  HWY_DYNAMIC_DISPATCH(largest_all)(along, tasks, scratch);
}

void average_in_rows(const Along& along, std::span<const Task> tasks, const float* by, float* scratch) {
  HWY_DYNAMIC_DISPATCH(average_all)(along, tasks, by, scratch);
}

}  // namespace belay::backend::cpu::pool
#endif
