// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/move/put_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <span>

#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"
#include "backend/cpu/simd/combine_floats.h"
#include "backend/cpu/simd/convert_floats.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

template <class T>
T met(Put how, T old, T update) {
  using C = compute_t<T>;
  const C a = old, b = update;
  switch (how) {
    case Put::Replace:
      return update;
    case Put::Add:
      return T(C(a + b));
    case Put::Sub:
      return T(C(a - b));
    case Put::Mul:
      return T(C(a * b));
    case Put::Max:
      return a != a || a > b ? old : update;  // a NaN stays
    case Put::Min:
      return a != a || a < b ? old : update;
  }
  return update;
}

void multiply(float* values, float factor, int64_t count) {
  if (factor != 1) combine_floats(Combine::Multiply, {values, 0, 1}, {&factor, 0, 0}, values, 1, count);
}

// Each of `count` elements meets its own.
void meet(Put how, float* to, const float* from, int64_t count) {
  const auto by_vectors = [&](Combine f) { combine_floats(f, {to, 0, 1}, {from, 0, 1}, to, 1, count); };
  if (how == Put::Add && count > 8) return by_vectors(Combine::Add);
  if (how == Put::Mul && count > 8) return by_vectors(Combine::Multiply);
  for (int64_t i = 0; i < count; ++i) to[i] = met(how, to[i], from[i]);
}

template <class T>
void put_each(Put how, const std::vector<int64_t>& targets, int64_t inner, const T* updates, T* y) {
  for (size_t i = 0; i < targets.size(); ++i) {
    T* to = y + targets[i] * inner;
    const T* from = updates + int64_t(i) * inner;
    for (int64_t j = 0; j < inner; ++j) to[j] = met(how, to[j], from[j]);
  }
}

void put_scaled(Put how, const std::vector<int64_t>& targets, int64_t inner, const float* updates, float* y,
                float factor) {
  if (factor == 1) return put_each(how, targets, inner, updates, y);
  std::vector<float> row(static_cast<size_t>(inner));
  for (size_t i = 0; i < targets.size(); ++i) {
    std::copy_n(updates + int64_t(i) * inner, inner, row.begin());
    multiply(row.data(), factor, inner);
    meet(how, y + targets[i] * inner, row.data(), inner);
  }
}

// Rows of elements of 16 bits as floats that lie side by side, and back: they are converted many at a time.
class NarrowRows {
 public:
  NarrowRows(DataType type, int64_t inner, size_t rows)
      : type_(type), inner_(static_cast<size_t>(inner)), stage_(rows * inner_) {}

  void load(const uint16_t* x, std::span<const int64_t> rows, float* to) {
    for (size_t i = 0; i < rows.size(); ++i) copy(x + static_cast<size_t>(rows[i]) * inner_, &stage_[i * inner_]);
    load_floats(type_, stage_.data(), to, rows.size() * inner_);
  }
  void store(const float* from, std::span<const int64_t> rows, uint16_t* y) {
    store_floats(type_, from, stage_.data(), rows.size() * inner_);
    for (size_t i = 0; i < rows.size(); ++i) copy(&stage_[i * inner_], y + static_cast<size_t>(rows[i]) * inner_);
  }

 private:
  void copy(const uint16_t* from, uint16_t* to) const {
    if (inner_ == 1)
      *to = *from;
    else
      std::memcpy(to, from, inner_ * sizeof(*to));
  }

  DataType type_;
  size_t inner_;
  std::vector<uint16_t> stage_;
};

bool all_differ(const std::vector<int64_t>& targets, int64_t rows) {
  std::vector<bool> seen(static_cast<size_t>(rows));
  for (const int64_t target : targets) {
    if (seen[static_cast<size_t>(target)]) return false;
    seen[static_cast<size_t>(target)] = true;
  }
  return true;
}

// Elements of 16 bits: what meets in one row meets in float, and is rounded once.
class NarrowPut {
 public:
  NarrowPut(Put how, DataType type, const std::vector<int64_t>& targets, int64_t inner, const Tensor& updates,
            Tensor& y, float factor)
      : how_(how),
        type_(type),
        targets_(targets),
        inner_(inner),
        at_once_(static_cast<size_t>(std::max<int64_t>(1, 4096 / inner))),
        updates_(updates.as<uint16_t>()),
        y_(y.as<uint16_t>()),
        count_(y.count()),
        factor_(factor) {}

  void run() const {
    if (all_differ(targets_, count_ / inner_)) return run_apart();
    const bool many = static_cast<int64_t>(targets_.size()) * inner_ >= count_ / 8;
    many ? run_densely() : run_together();
  }

 private:
  struct Buffers {
    NarrowRows rows;
    std::vector<float> old, update;
  };
  Buffers buffers() const {
    const size_t size = at_once_ * static_cast<size_t>(inner_);
    return {NarrowRows(type_, inner_, at_once_), std::vector<float>(size), std::vector<float>(size)};
  }
  std::span<const int64_t> block(int64_t b) const {
    const size_t begin = static_cast<size_t>(b) * at_once_;
    return std::span(targets_).subspan(begin, std::min(at_once_, targets_.size() - begin));
  }
  int64_t blocks() const { return static_cast<int64_t>((targets_.size() + at_once_ - 1) / at_once_); }
  void load_updates(int64_t b, float* to) const {
    const auto count = static_cast<int64_t>(block(b).size()) * inner_;
    load_floats(type_, updates_ + b * static_cast<int64_t>(at_once_) * inner_, to, static_cast<size_t>(count));
    multiply(to, factor_, count);
  }

  // No row is met twice.
  void run_apart() const {
    const int64_t grain = std::max<int64_t>(1, (1 << 15) / (static_cast<int64_t>(at_once_) * inner_));
    parallel_for(blocks(), grain, [&](int64_t begin, int64_t end) {
      auto [rows, old, update] = buffers();
      for (int64_t b = begin; b < end; ++b) {
        rows.load(y_, block(b), old.data());
        load_updates(b, update.data());
        meet(how_, old.data(), update.data(), static_cast<int64_t>(block(b).size()) * inner_);
        rows.store(old.data(), block(b), y_);
      }
    });
  }

  // All of y goes through floats. What is not met keeps its bits, those of a NaN too.
  void run_densely() const {
    const auto wide = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(count_));
    parallel_for(count_, 1 << 15, [&](int64_t begin, int64_t end) {
      load_floats(type_, y_ + begin, wide.get() + begin, static_cast<size_t>(end - begin));
    });
    std::vector<float> update(at_once_ * static_cast<size_t>(inner_));
    for (int64_t b = 0; b < blocks(); ++b) {
      load_updates(b, update.data());
      const auto rows = block(b);
      for (size_t i = 0; i < rows.size() && inner_ == 1; ++i)
        wide[static_cast<size_t>(rows[i])] = met(how_, wide[static_cast<size_t>(rows[i])], update[i]);
      const float* from = update.data();
      for (size_t i = 0; i < rows.size() && inner_ > 1; ++i, from += inner_)
        meet(how_, wide.get() + rows[i] * inner_, from, inner_);
    }
    parallel_for(count_, 1 << 15, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i += 1024) store_changed(wide.get(), i, std::min<int64_t>(1024, end - i));
    });
  }
  void store_changed(const float* wide, int64_t begin, int64_t count) const {
    float before[1024];
    uint16_t after[1024];
    load_floats(type_, y_ + begin, before, static_cast<size_t>(count));
    store_floats(type_, wide + begin, after, static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      if (std::bit_cast<uint32_t>(before[i]) != std::bit_cast<uint32_t>(wide[begin + i])) y_[begin + i] = after[i];
  }

  // Of the memory for all of y only what the rows need is touched.
  void run_together() const {
    const auto wide = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(count_));
    auto [rows, old, update] = buffers();
    const auto each = [&](int64_t b, float* here, const auto& body) {
      for (const int64_t row : block(b)) body(wide.get() + row * inner_, here), here += inner_;
    };
    for (int64_t b = 0; b < blocks(); ++b) {
      rows.load(y_, block(b), old.data());
      each(b, old.data(), [&](float* to, const float* from) { std::copy_n(from, inner_, to); });
    }
    for (int64_t b = 0; b < blocks(); ++b) {
      load_updates(b, update.data());
      each(b, update.data(), [&](float* to, const float* from) { meet(how_, to, from, inner_); });
    }
    for (int64_t b = 0; b < blocks(); ++b) {
      each(b, old.data(), [&](const float* from, float* to) { std::copy_n(from, inner_, to); });
      rows.store(old.data(), block(b), y_);
    }
  }

  Put how_;
  DataType type_;
  const std::vector<int64_t>& targets_;
  int64_t inner_;
  size_t at_once_;  // rows
  const uint16_t* updates_;
  uint16_t* y_;
  int64_t count_;
  float factor_;
};

}  // namespace

Status put_rows(Put how, DataType type, const std::vector<int64_t>& targets, int64_t inner, const Tensor& updates,
                Tensor& y, float factor) {
  const size_t row = TRY(element_bytes(type)) * size_t(inner);
  if (row == 0) return {};
  if (how == Put::Replace) {
    for (size_t i = 0; i < targets.size(); ++i)
      std::memcpy(y.as<std::byte>() + size_t(targets[i]) * row, updates.as<std::byte>() + i * row, row);
    return {};
  }
  return with_type(AllTypes{}, type, [&]<class T>() -> Status {
    if constexpr (is_narrow_float<T>)
      NarrowPut(how, type, targets, inner, updates, y, factor).run();
    else if constexpr (std::is_same_v<T, float>)
      put_scaled(how, targets, inner, updates.as<T>(), y.as<T>(), factor);
    else
      put_each(how, targets, inner, updates.as<T>(), y.as<T>());
    return {};
  });
}

void begin_with(const Tensor& x, Tensor& y) {
  if (x.data != y.data && x.count()) std::memcpy(y.data, x.data, graph::bytes_of(x.type, x.count()));
}

}  // namespace belay::backend::cpu
