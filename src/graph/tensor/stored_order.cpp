// SPDX-License-Identifier: Apache-2.0
#include "graph/tensor/stored_order.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace belay::graph::order {
namespace {

constexpr int64_t kMostChannels = 4096;  // no device takes so many at a time

bool is_fractal(Format format) {
  return is_fractal_matrix(format) || format == Format::FractalZ || format == Format::FractalZ3D ||
         format == Format::FractalZ3DTranspose;
}

std::string letters_of(Format format, size_t rank, Format stored) {
  const bool plain = format != Format::ND && format != Format::Reserved;
  if (plain) return std::string(name_of(format));
  if (rank == 2 && stored == Format::FractalZ) return "CN";
  if (rank == 5) return "NCDHW";
  return "NCHW";
}

// Whether a stored shape has room for these axes, as far as they can be read off it.
bool fits(const TensorForm& stored, const Extents& e) {
  const Shape& s = stored.shape;
  if (stored.format == Format::NDC1HWC0)
    return s.size() == 6 && s[5] > 0 && s[0] == e[N] && s[1] == e[D] && s[2] == cdiv(e[C], s[5]) && s[3] == e[H] &&
           s[4] == e[W];
  if (stored.format == Format::NC1HWC0 || stored.format == Format::NC1HWC0C04)
    return s.size() == 5 && s[4] > 0 && s[0] == e[N] && s[1] == cdiv(e[C], s[4]) && s[2] == e[H] && s[3] == e[W];
  return true;
}

// A logical shape with fewer dimensions than its format has letters lacks some that are 1: those that make it fit.
Result<Logical> lacking(const std::string& letters, const TensorForm& stored, const TensorForm& logical) {
  const size_t rank = logical.shape.size();
  std::optional<Logical> second_best;
  for (unsigned chosen = 0; chosen < (1u << letters.size()); ++chosen) {
    if (static_cast<size_t>(__builtin_popcount(chosen)) != rank) continue;
    Logical candidate{{}, logical.shape};
    for (size_t i = 0; i < letters.size(); ++i)
      if (chosen & (1u << i)) candidate.axes.push_back(*axis_of(letters[i]));
    if (!fits(stored, candidate.extents())) continue;
    if (rank == 0 || std::ranges::find(candidate.axes, C) != candidate.axes.end()) return candidate;
    second_best = std::move(candidate);
  }
  if (second_best) return *second_best;
  return shapes_differ(stored, logical);
}

std::vector<StoredDim> stored_dims(Format format, const Extents& e, int64_t c0) {
  const int64_t c1 = cdiv(e[C], c0), no = cdiv(e[N], kFractal);
  switch (format) {
    case Format::NC1HWC0:
    case Format::NC1HWC0C04:
      return {{N, e[N]}, {C, c1, c0}, {H, e[H]}, {W, e[W]}, {C, c0, 1, c0}};
    case Format::NDC1HWC0:
      return {{N, e[N]}, {D, e[D]}, {C, c1, c0}, {H, e[H]}, {W, e[W]}, {C, c0, 1, c0}};
    case Format::FractalZ:
    case Format::FractalZ3D:
      return {{D, e[D]},     {C, c1, c0}, {H, e[H]}, {W, e[W]}, {N, no, kFractal}, {N, kFractal, 1, kFractal},
              {C, c0, 1, c0}};
    case Format::FractalZ3DTranspose:
      return {{D, e[D]},
              {N, cdiv(e[N], c0), c0},
              {H, e[H]},
              {W, e[W]},
              {C, cdiv(e[C], kFractal), kFractal},
              {C, kFractal, 1, kFractal},
              {N, c0, 1, c0}};
    case Format::FractalZZ:
      return {{B, e[B]},
              {H, cdiv(e[H], kFractal), kFractal},
              {W, cdiv(e[W], c0), c0},
              {H, kFractal, 1, kFractal},
              {W, c0, 1, c0}};
    default:  // the FRACTAL_NZ family
      return {{B, e[B]},
              {W, cdiv(e[W], c0), c0},
              {H, cdiv(e[H], kFractal), kFractal},
              {H, kFractal, 1, kFractal},
              {W, c0, 1, c0}};
  }
}

}  // namespace

int64_t cdiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

Status unknown_order(Format format) {
  return {ACL_ERROR_GE_FORMAT_INVALID, formatted("the order of format {} is not known", name_of(format))};
}

Status shapes_differ(const TensorForm& stored, const TensorForm& logical) {
  return {ACL_ERROR_GE_SHAPE_INVALID,
          formatted("shape {} of format {} does not hold a tensor {} of format {}", to_text(stored.shape),
                    name_of(stored.format), to_text(logical.shape), name_of(logical.format))};
}

std::optional<AxisName> axis_of(char letter) {
  switch (letter) {
    case 'N':
      return N;
    case 'C':
      return C;
    case 'D':
      return D;
    case 'H':
      return H;
    case 'W':
    case 'L':
      return W;
    default:
      return {};
  }
}

bool is_fractal_matrix(Format format) {
  const auto number = static_cast<int32_t>(format);
  return format == Format::FractalNZ || format == Format::FractalZZ || (number >= 50 && number <= 54);
}

bool is_plain(Format format) {
  return format != Format::ND &&
         std::ranges::all_of(name_of(format), [](char letter) { return axis_of(letter).has_value(); });
}

Extents Logical::extents() const {
  Extents all;
  all.fill(1);
  for (size_t i = 0; i < axes.size(); ++i) all[axes[i]] = shape[i];
  return all;
}

Logical as_matrix(const Shape& shape, const Shape& stored) {
  Logical logical{{B, H, W}, {1, 1, 1}};
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i + 2 < shape.size()) logical.shape[0] *= shape[i];
    if (i + 2 == shape.size()) logical.shape[1] = shape[i];
    if (i + 1 == shape.size()) logical.shape[2] = shape[i];
  }
  const bool column = shape.size() == 1 && stored.size() == 4 && stored[0] == 1 && stored[1] > 1;
  if (column) std::swap(logical.shape[1], logical.shape[2]);
  return logical;
}

Result<Logical> logical_view(const TensorForm& stored, const TensorForm& logical) {
  if (is_private(logical.format)) return unknown_order(logical.format);
  if (!is_known(logical.shape) || !is_known(stored.shape)) return shapes_differ(stored, logical);
  if (is_fractal_matrix(stored.format)) return as_matrix(logical.shape, stored.shape);
  const std::string letters = letters_of(logical.format, logical.shape.size(), stored.format);
  for (const char letter : letters)
    if (!axis_of(letter)) return unknown_order(logical.format);
  if (logical.shape.size() > letters.size()) return shapes_differ(stored, logical);
  if (logical.shape.size() < letters.size()) return lacking(letters, stored, logical);
  Logical view{{}, logical.shape};
  for (const char letter : letters) view.axes.push_back(*axis_of(letter));
  return view;
}

GroupPacking::GroupPacking(const Extents& e, int64_t groups, int64_t c0)
    : cin(e[C]),
      cout(e[N] / groups),
      together(std::min(std::lcm(std::lcm(cin, c0) / cin, std::lcm(cout, kFractal) / cout), groups)),
      packs(cdiv(groups, together)),
      c1(cdiv(together * cin, c0)),
      padded_cout(cdiv(together * cout, kFractal) * kFractal) {}

StoredOrder::StoredOrder(Logical logical, std::vector<StoredDim> dims)
    : logical_(std::move(logical)), extents_(logical_.extents()), dims_(std::move(dims)) {
  for (size_t i = dims_.size(); i-- > 0;) {
    dims_[i].stride = stored_count_;
    stored_count_ *= dims_[i].size;
  }
}

StoredOrder::StoredOrder(Logical logical, int64_t groups, int64_t c0)
    : logical_(std::move(logical)), extents_(logical_.extents()), groups_(groups), c0_(c0) {
  packing_.emplace(extents_, groups, c0);
  stored_count_ = packing_->packs * packing_->c1 * extents_[H] * extents_[W] * packing_->padded_cout * c0;
}

Result<StoredOrder> StoredOrder::find(const TensorForm& stored, const TensorForm& logical) {
  const Logical view = TRY(logical_view(stored, logical));
  const Extents e = view.extents();
  if (!is_private(stored.format)) {
    if (!is_plain(stored.format)) return unknown_order(stored.format);
    std::vector<StoredDim> dims;
    for (const char letter : name_of(stored.format)) dims.push_back({*axis_of(letter), e[*axis_of(letter)]});
    return StoredOrder(view, std::move(dims));
  }
  if (stored.shape.size() < 4 || (is_fractal(stored.format) && stored.shape[stored.shape.size() - 2] != kFractal))
    return shapes_differ(stored, logical);
  const int64_t c0 = stored.shape.back();
  if (c0 <= 0 || c0 > kMostChannels) return shapes_differ(stored, logical);
  if (stored.format == Format::FractalZ && stored.groups > 1) {
    if (e[N] % stored.groups != 0 || e[N] == 0 || e[C] == 0) return shapes_differ(stored, logical);
    return StoredOrder(view, stored.groups, c0);
  }
  if (!fits(stored, e)) return shapes_differ(stored, logical);
  return StoredOrder(view, stored_dims(stored.format, e, c0));
}

int64_t StoredOrder::position(AxisName axis, int64_t index, int64_t group) const {
  if (!packing_) {
    int64_t position = 0;
    for (const StoredDim& dim : dims_) {
      if (dim.axis != axis) continue;
      const int64_t part = index / dim.divide;
      position += dim.stride * (dim.modulo ? part % dim.modulo : part);
    }
    return position;
  }
  const GroupPacking& p = *packing_;
  const int64_t slot = group % p.together, pack = group / p.together, column = p.padded_cout * c0_;
  const int64_t ci = slot * p.cin + index;
  if (axis == C) return (pack * p.c1 + ci / c0_) * extents_[H] * extents_[W] * column + ci % c0_;
  if (axis == H) return index * extents_[W] * column;
  if (axis == W) return index * column;
  return axis == N ? (slot * p.cout + index) * c0_ : 0;
}

}  // namespace belay::graph::order
