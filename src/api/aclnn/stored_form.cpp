// SPDX-License-Identifier: Apache-2.0
#include "api/aclnn/stored_form.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "api/operators/tensor_desc.h"
#include "base/device_memory.h"
#include "base/text.h"
#include "graph/tensor/private_format.h"
#include "opdev/op_errno.h"

namespace belay::api {
namespace {

using operators::Form;

bool is_fractal(aclFormat format) { return format == ACL_FORMAT_FRACTAL_NZ || (format >= 50 && format <= 54); }

// 32 bytes of columns; of a format with its own number, that.
int64_t columns_of_fractal(const TensorView& view) {
  if (view.format >= 50 && view.format <= 54) return std::array{16, 32, 2, 4, 8}[view.format - 50];
  const size_t bits = graph::bits_of(to_graph(view.type));
  return bits == 0 ? 16 : static_cast<int64_t>(256 / bits);
}

// The matrices of a view, each with its place in memory.
struct Matrices {
  StoredMatrix matrix;
  std::vector<int64_t> places;  // of the matrices of the view, counted in matrices

  explicit Matrices(const TensorView& view) : matrix(StoredMatrix::of(view)) {
    const int64_t size = std::max<int64_t>(matrix.rows * matrix.columns, 1);
    places.push_back(view.offset / size);
    for (size_t d = 0; d + 2 < view.shape.size(); ++d) {
      std::vector<int64_t> next;
      for (const int64_t place : places)
        for (int64_t i = 0; i < view.shape[d]; ++i) next.push_back(place + i * view.strides[d] / size);
      places = std::move(next);
    }
  }
};

// Nibbles or whole bytes from one place to another, `count` elements.
void copy_elements(size_t bits, const std::byte* from, int64_t first, std::byte* to, int64_t place, int64_t count) {
  if (bits >= 8) {
    const size_t bytes = bits / 8;
    std::memcpy(to + static_cast<size_t>(place) * bytes, from + static_cast<size_t>(first) * bytes,
                static_cast<size_t>(count) * bytes);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const auto nibble = std::to_integer<unsigned>(from[(first + i) / 2]) >> ((first + i) % 2 * 4) & 15U;
    std::byte& at = to[(place + i) / 2];
    const unsigned shift = static_cast<unsigned>((place + i) % 2) * 4;
    at = static_cast<std::byte>((std::to_integer<unsigned>(at) & ~(15U << shift)) | nibble << shift);
  }
}

// Between fractals and rows, by runs of the columns of a fractal. `dense` is in the order of the view.
void move_matrices(const TensorView& view, const std::byte* from, std::byte* to, bool into_fractals) {
  const Matrices all(view);
  const StoredMatrix& m = all.matrix;
  const size_t bits = graph::bits_of(to_graph(view.type));
  const int64_t size = m.rows * m.columns;
  for (size_t index = 0; index < all.places.size(); ++index) {
    const int64_t dense = static_cast<int64_t>(index) * size, stored = all.places[index] * m.padded();
    for (int64_t i = 0; i < m.rows; ++i)
      for (int64_t j = 0; j < m.columns; j += m.turned ? 1 : m.c0) {
        const int64_t run = m.turned ? 1 : std::min(m.c0, m.columns - j);
        const int64_t row = dense + (m.turned ? j * m.rows + i : i * m.columns + j);
        const int64_t place = stored + ((j / m.c0 * m.down() + i / 16) * 16 + i % 16) * m.c0 + j % m.c0;
        copy_elements(bits, from, into_fractals ? row : place, to, into_fractals ? place : row, run);
      }
  }
}

std::byte* memory_of(const TensorView& view) { return host_view(static_cast<std::byte*>(view.data)); }

// A private form other than FRACTAL_NZ, and the plain one that has the letters of `other`.
Status convert(const TensorView& view, const TensorView& other, const std::byte* from, std::byte* to, bool into) {
  const graph::DataType type = to_graph(view.type);
  const graph::TensorForm stored{to_graph(view.format), view.storage_shape, 1},
      plain{to_graph(other.format), view.shape, 1};
  const auto& source = into ? plain : stored;
  const std::span bytes(from, graph::bytes_of(type, graph::element_count(source.shape)));
  auto made = graph::convert_form(type, bytes, source, into ? stored : plain);
  if (!made.ok()) return {ACLNN_ERR_RUNTIME_ERROR, made.status().message};
  std::memcpy(to, (*made).data(), (*made).size());
  return {};
}

}  // namespace

StoredMatrix StoredMatrix::of(const TensorView& view) {
  StoredMatrix made;
  made.c0 = columns_of_fractal(view);
  const size_t rank = view.shape.size();
  if (rank < 2) return made;
  made.rows = view.shape[rank - 2], made.columns = view.shape[rank - 1];
  made.turned = view.strides[rank - 2] == 1 && view.strides[rank - 1] != 1 && made.rows != 1;
  if (made.turned) std::swap(made.rows, made.columns);
  return made;
}

bool is_rearranged(const TensorView& view, Form form) {
  if (form == Form::Plain || view.shape.size() < 2) return false;
  if (form == Form::Labelled && !is_fractal(view.format)) return graph::is_private(to_graph(view.format));
  const auto matrix = StoredMatrix::of(view);
  return matrix.fills_fractals() || (view.storage_shape.size() >= 4 && view.storage_shape.back() == matrix.c0 &&
                                     graph::element_count(view.storage_shape) % matrix.padded() == 0);
}

Status check_strides(const TensorView& view, Form form) {
  if (!is_rearranged(view, form) || (form == Form::Labelled && !is_fractal(view.format))) return {};
  const auto matrix = StoredMatrix::of(view);
  const size_t last = view.shape.size() - 1;
  const int64_t down = view.strides[matrix.turned ? last : last - 1],
                across = view.strides[matrix.turned ? last - 1 : last];
  const auto refused = [&](std::string_view why) -> Status {
    return {
        ACLNN_ERR_PARAM_INVALID,
        formatted("a tensor in FRACTAL_NZ has shape {}, strides {} and storage shape {}; {}",
                  graph::to_text(view.shape), graph::to_text(view.strides), graph::to_text(view.storage_shape), why)};
  };
  if ((matrix.rows > 1 && down != matrix.columns) || (matrix.columns > 1 && across != 1))
    return refused("the rows or columns of its matrices must lie one after another");
  const auto places = Matrices(view).places;
  if (places.empty()) return {};
  const auto [lowest, highest] = std::ranges::minmax(places);
  if (lowest < 0 ||
      (!matrix.fills_fractals() && (highest + 1) * matrix.padded() > graph::element_count(view.storage_shape)))
    return refused("its matrices do not all lie in the storage");
  return {};
}

void label_as_fractals(TensorView& view) {
  view.format = ACL_FORMAT_FRACTAL_NZ;
  const auto matrix = StoredMatrix::of(view);
  if (!matrix.fills_fractals()) return;
  view.storage_shape.assign(view.shape.begin(), view.shape.end() - 2);
  view.storage_shape.insert(view.storage_shape.end(), {matrix.across(), matrix.down(), 16, matrix.c0});
}

Status check_form(const TensorView& view, const TensorView& other) {
  const graph::Format format = to_graph(view.format);
  if (!graph::is_private(format)) return {};
  if (is_fractal(view.format)) {
    if (view.shape.size() >= 2 && view.shape.size() <= 6) return {};
    return {ACLNN_ERR_PARAM_INVALID, formatted("a tensor in FRACTAL_NZ has shape {}; 2 to 6 dimensions are supported",
                                               graph::to_text(view.shape))};
  }
  const auto stored = graph::private_shape(to_graph(view.type), format, 1, {to_graph(other.format), view.shape, 1},
                                           view.storage_shape.empty() ? 0 : view.storage_shape.back());
  if (stored.ok() && *stored == view.storage_shape) return {};
  return {ACLNN_ERR_PARAM_INVALID,
          formatted("a tensor of shape {} in {} has storage shape {}{}", graph::to_text(view.shape),
                    graph::name_of(format), graph::to_text(view.storage_shape),
                    stored.ok() ? "; it must be " + graph::to_text(*stored) : ": " + stored.status().message)};
}

Status unpack(const TensorView& view, const TensorView& other, std::byte* to) {
  if (!is_fractal(view.format) && graph::is_private(to_graph(view.format)))
    return convert(view, other, memory_of(view), to, false);
  move_matrices(view, memory_of(view), to, false);
  return {};
}

Status pack(const std::byte* from, const TensorView& view, const TensorView& other) {
  if (!is_fractal(view.format) && graph::is_private(to_graph(view.format)))
    return convert(view, other, from, memory_of(view), true);
  const Matrices all(view);
  const size_t bytes = graph::bytes_of(to_graph(view.type), all.matrix.padded());
  for (const int64_t place : all.places) std::memset(memory_of(view) + static_cast<size_t>(place) * bytes, 0, bytes);
  move_matrices(view, from, memory_of(view), true);
  return {};
}

}  // namespace belay::api
