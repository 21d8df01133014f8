// SPDX-License-Identifier: Apache-2.0
#include "graph/tensor/private_format.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>

#include "base/text.h"

namespace belay::graph {
namespace {

constexpr int64_t kFractal = 16;  // rows of a fractal

// The axes that formats speak of. A tensor of the fractal matrix formats has B (all leading dimensions), H and W.
enum AxisName { N, C, D, H, W, B, kAxes };
using Extents = std::array<int64_t, kAxes>;

// For each index along an axis, where its elements lie: added over the axes this is the position of an element.
struct AxisOffsets {
  std::vector<int64_t> logical, stored;
};
// Elements whose positions are sums over the axes. A tensor is one piece, or one for each group.
using Piece = std::vector<AxisOffsets>;
struct Plan {
  std::vector<Piece> pieces;
  int64_t logical_count = 0, stored_count = 0;
};

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

bool is_fractal(Format format) {
  return is_fractal_matrix(format) || format == Format::FractalZ || format == Format::FractalZ3D ||
         format == Format::FractalZ3DTranspose;
}

bool is_3d(Format format) {
  return format == Format::NDC1HWC0 || format == Format::FractalZ3D || format == Format::FractalZ3DTranspose;
}

// A logical tensor: which axis each of its dimensions is.
struct Logical {
  std::vector<AxisName> axes;
  Shape shape;

  Extents extents() const {
    Extents all;
    all.fill(1);
    for (size_t i = 0; i < axes.size(); ++i) all[axes[i]] = shape[i];
    return all;
  }
};

std::string letters_of(Format format, size_t rank, Format stored) {
  const bool plain = format != Format::ND && format != Format::Reserved;
  if (plain) return std::string(name_of(format));
  if (rank == 2 && stored == Format::FractalZ) return "CN";
  if (rank == 5) return "NCDHW";
  return "NCHW";
}

// The last two dimensions are rows and columns, the others one batch. A vector is a row, unless it was stored as a
// column.
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

// Whether a stored shape has room for these axes, as far as they can be read off it.
bool fits(const TensorForm& stored, const Extents& e) {
  const Shape& s = stored.shape;
  if (stored.format == Format::NDC1HWC0)
    return s.size() == 6 && s[0] == e[N] && s[1] == e[D] && s[2] == cdiv(e[C], s[5]) && s[3] == e[H] && s[4] == e[W];
  if (stored.format == Format::NC1HWC0 || stored.format == Format::NC1HWC0C04)
    return s.size() == 5 && s[0] == e[N] && s[1] == cdiv(e[C], s[4]) && s[2] == e[H] && s[3] == e[W];
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

// Row-major positions in `shape`, axis by axis.
Piece logical_piece(const Logical& logical) {
  Piece piece(logical.axes.size());
  int64_t stride = 1;
  for (size_t i = logical.axes.size(); i-- > 0;) {
    for (int64_t k = 0; k < logical.shape[i]; ++k) piece[i].logical.push_back(k * stride);
    stride *= logical.shape[i];
  }
  return piece;
}

// Fills the stored positions of a piece from a function of axis and index.
template <class Position>
void place(Piece& piece, const Logical& logical, Position position) {
  for (size_t i = 0; i < piece.size(); ++i)
    for (size_t k = 0; k < piece[i].logical.size(); ++k)
      piece[i].stored.push_back(position(logical.axes[i], static_cast<int64_t>(k)));
}

// Stored dimensions, outermost first, as (size, axis or none): an axis split in two has its outer and inner part.
struct StoredDim {
  AxisName axis;
  int64_t size;
  int64_t divide = 1, modulo = 0;  // index / divide, then % modulo unless that is 0
};

Plan regular_plan(const Logical& logical, const std::vector<StoredDim>& dims) {
  Plan plan{{logical_piece(logical)}, element_count(logical.shape), 1};
  std::vector<int64_t> strides(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = plan.stored_count;
    plan.stored_count *= dims[i].size;
  }
  place(plan.pieces[0], logical, [&](AxisName axis, int64_t index) {
    int64_t position = 0;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i].axis != axis) continue;
      const int64_t part = index / dims[i].divide;
      position += strides[i] * (dims[i].modulo ? part % dims[i].modulo : part);
    }
    return position;
  });
  return plan;
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

// The numbers of FRACTAL_Z with groups: so many groups are packed together that channels fill whole fractals.
struct GroupPacking {
  GroupPacking(const Extents& e, int64_t groups, int64_t c0)
      : cin(e[C]),
        cout(e[N] / groups),
        together(std::min(std::lcm(std::lcm(cin, c0) / cin, std::lcm(cout, kFractal) / cout), groups)),
        packs(cdiv(groups, together)),
        c1(cdiv(together * cin, c0)),
        padded_cout(cdiv(together * cout, kFractal) * kFractal) {}
  int64_t cin, cout, together, packs, c1, padded_cout;
};

Plan grouped_plan(const Logical& logical, int64_t groups, int64_t c0) {
  const Extents e = logical.extents();
  const GroupPacking p(e, groups, c0);
  Plan plan{{}, element_count(logical.shape), p.packs * p.c1 * e[H] * e[W] * p.padded_cout * c0};
  const int64_t column = p.padded_cout * c0;
  for (int64_t group = 0; group < groups; ++group) {
    const int64_t slot = group % p.together, pack = group / p.together;
    Piece piece = logical_piece(logical);
    for (size_t i = 0; i < piece.size(); ++i) {  // only this group's outputs
      if (logical.axes[i] != N) continue;
      auto& of_n = piece[i].logical;
      of_n.erase(of_n.begin() + (group + 1) * p.cout, of_n.end());
      of_n.erase(of_n.begin(), of_n.begin() + group * p.cout);
    }
    place(piece, logical, [&](AxisName axis, int64_t index) {
      const int64_t ci = slot * p.cin + index;
      if (axis == C) return (pack * p.c1 + ci / c0) * e[H] * e[W] * column + ci % c0;
      if (axis == H) return index * e[W] * column;
      if (axis == W) return index * column;
      return axis == N ? (slot * p.cout + index) * c0 : 0;
    });
    plan.pieces.push_back(std::move(piece));
  }
  return plan;
}

bool is_plain(Format format) {
  return format != Format::ND &&
         std::ranges::all_of(name_of(format), [](char letter) { return axis_of(letter).has_value(); });
}

Result<Plan> make_plan(const TensorForm& stored, const TensorForm& logical) {
  const Logical view = TRY(logical_view(stored, logical));
  const Extents e = view.extents();
  if (!is_private(stored.format)) {
    if (!is_plain(stored.format)) return unknown_order(stored.format);
    std::vector<StoredDim> dims;
    for (const char letter : name_of(stored.format)) dims.push_back({*axis_of(letter), e[*axis_of(letter)]});
    return regular_plan(view, dims);
  }
  const int64_t c0 = stored.shape.back();
  if (stored.shape.size() < 4 || (is_fractal(stored.format) && stored.shape[stored.shape.size() - 2] != kFractal))
    return shapes_differ(stored, logical);
  if (stored.format == Format::FractalZ && stored.groups > 1) {
    if (e[N] % stored.groups != 0 || e[N] == 0 || e[C] == 0) return shapes_differ(stored, logical);
    return grouped_plan(view, stored.groups, c0);
  }
  if (!fits(stored, e)) return shapes_differ(stored, logical);
  return regular_plan(view, stored_dims(stored.format, e, c0));
}

template <class T, bool to_stored>
void move_axis(const Piece& piece, size_t axis, const T* from, T* to, int64_t logical, int64_t stored) {
  const AxisOffsets& offsets = piece[axis];
  const bool last = axis + 1 == piece.size();
  for (size_t i = 0; i < offsets.logical.size(); ++i) {
    const int64_t l = logical + offsets.logical[i], s = stored + offsets.stored[i];
    if (!last)
      move_axis<T, to_stored>(piece, axis + 1, from, to, l, s);
    else if constexpr (to_stored)
      to[s] = from[l];
    else
      to[l] = from[s];
  }
}

template <class T>
void move_elements(const Plan& plan, bool to_stored, const std::byte* from, std::byte* to) {
  const auto* source = reinterpret_cast<const T*>(from);
  auto* target = reinterpret_cast<T*>(to);
  for (const Piece& piece : plan.pieces) {
    if (piece.empty())
      target[0] = source[0];
    else if (to_stored)
      move_axis<T, true>(piece, 0, source, target, 0, 0);
    else
      move_axis<T, false>(piece, 0, source, target, 0, 0);
  }
}

}  // namespace

bool is_private(Format format) {
  switch (format) {
    case Format::NC1HWC0:
    case Format::NC1HWC0C04:
    case Format::NDC1HWC0:
    case Format::FractalZ:
    case Format::FractalZ3D:
    case Format::FractalZ3DTranspose:
      return true;
    default:
      return is_fractal_matrix(format);
  }
}

int64_t default_c0(DataType type) {
  switch (bits_of(type)) {
    case 8:
      return type == DataType::Int8 || type == DataType::UInt8 ? 32 : 16;
    case 4:
      return type == DataType::Int4 ? 64 : 16;
    case 2:
      return 128;
    case 1:
      return 256;
    default:
      return 16;
  }
}

Result<Shape> private_shape(DataType type, Format format, int64_t groups, const TensorForm& origin, int64_t c0) {
  if (!is_private(format)) return unknown_order(format);
  if (c0 == 0) c0 = default_c0(type);
  if (static_cast<int32_t>(format) >= 50) c0 = std::array{16, 32, 2, 4, 8}[static_cast<int32_t>(format) - 50];
  if (format == Format::NC1HWC0C04) c0 = 4;
  if (is_fractal_matrix(format)) {
    const Logical matrix = as_matrix(origin.shape, {});
    const int64_t rows = cdiv(matrix.shape[1], kFractal), columns = cdiv(matrix.shape[2], c0);
    Shape shape(origin.shape.begin(),
                origin.shape.end() - std::min<int64_t>(2, static_cast<int64_t>(origin.shape.size())));
    const bool column_major = format != Format::FractalZZ;
    shape.insert(shape.end(), {column_major ? columns : rows, column_major ? rows : columns, kFractal, c0});
    return shape;
  }
  const Logical view = TRY(logical_view({Format::FractalZ, {}, 1}, origin));
  const Extents e = view.extents();
  const int64_t c1 = cdiv(e[C], c0);
  if (format == Format::NDC1HWC0) return Shape{e[N], e[D], c1, e[H], e[W], c0};
  if (format == Format::NC1HWC0 || format == Format::NC1HWC0C04) return Shape{e[N], c1, e[H], e[W], c0};
  if (format == Format::FractalZ3DTranspose)
    return Shape{e[D] * cdiv(e[N], c0) * e[H] * e[W], cdiv(e[C], kFractal), kFractal, c0};
  if (groups > 1 && e[N] % groups == 0 && e[N] > 0 && e[C] > 0) {
    const GroupPacking p(e, groups, c0);
    return Shape{p.packs * p.c1 * e[H] * e[W], p.padded_cout / kFractal, kFractal, c0};
  }
  return Shape{(is_3d(format) ? e[D] : 1) * c1 * e[H] * e[W], cdiv(e[N], kFractal), kFractal, c0};
}

Result<std::vector<std::byte>> convert_form(DataType type, std::span<const std::byte> bytes, const TensorForm& from,
                                            const TensorForm& to) {
  const size_t bits = bits_of(type);
  if (bits % 8 != 0 || bits == 0)
    return Status{ACL_ERROR_GE_DATATYPE_INVALID, formatted("{} elements are not whole bytes", name_of(type))};
  // The side that decides the order: the private one, else the one given by letters.
  const bool to_stored = is_private(to.format) || (!is_private(from.format) && is_plain(to.format));
  const TensorForm &stored = to_stored ? to : from, &logical = to_stored ? from : to;
  const int64_t logical_count = element_count(logical.shape), stored_count = element_count(stored.shape);
  // Before anything is sized by them: shapes come from files.
  if (logical_count < 0 || stored_count < logical_count ||
      static_cast<uint64_t>(element_count(from.shape)) > bytes.size() / (bits / 8))
    return shapes_differ(stored, logical);
  if (logical_count == 0) return std::vector<std::byte>(to_stored ? bytes_of(type, stored_count) : 0);
  const Plan plan = TRY(make_plan(stored, logical));
  if (stored_count != plan.stored_count) return shapes_differ(stored, logical);
  std::vector<std::byte> made((to_stored ? plan.stored_count : plan.logical_count) * (bits / 8));
  switch (bits / 8) {
    case 1:
      move_elements<uint8_t>(plan, to_stored, bytes.data(), made.data());
      break;
    case 2:
      move_elements<std::array<uint8_t, 2>>(plan, to_stored, bytes.data(), made.data());
      break;
    case 4:
      move_elements<std::array<uint8_t, 4>>(plan, to_stored, bytes.data(), made.data());
      break;
    case 8:
      move_elements<std::array<uint8_t, 8>>(plan, to_stored, bytes.data(), made.data());
      break;
    case 16:
      move_elements<std::array<uint8_t, 16>>(plan, to_stored, bytes.data(), made.data());
      break;
    default:
      return Status{ACL_ERROR_GE_DATATYPE_INVALID, formatted("{} cannot be moved", name_of(type))};
  }
  return made;
}

}  // namespace belay::graph
