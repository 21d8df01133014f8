// SPDX-License-Identifier: Apache-2.0
#include "graph/tensor/private_format.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"
#include "graph/tensor/stored_order.h"

namespace belay::graph {

using namespace order;

namespace {

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

Plan make_plan(const StoredOrder& order) {
  const Logical& logical = order.logical();
  Plan plan{{}, element_count(logical.shape), order.stored_count()};
  for (int64_t group = 0; group < order.groups(); ++group) {
    Piece piece = logical_piece(logical);
    for (size_t i = 0; i < piece.size(); ++i) {
      auto& along = piece[i].logical;
      if (order.groups() > 1 && logical.axes[i] == N) {  // only this group's outputs
        along.erase(along.begin() + (group + 1) * order.outputs_of_group(), along.end());
        along.erase(along.begin(), along.begin() + group * order.outputs_of_group());
      }
      for (size_t k = 0; k < along.size(); ++k)
        piece[i].stored.push_back(order.position(logical.axes[i], static_cast<int64_t>(k), group));
    }
    plan.pieces.push_back(std::move(piece));
  }
  return plan;
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

bool is_3d(Format format) {
  return format == Format::NDC1HWC0 || format == Format::FractalZ3D || format == Format::FractalZ3DTranspose;
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
  const Plan plan = make_plan(TRY(StoredOrder::find(stored, logical)));
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
