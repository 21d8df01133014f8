// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/quant/scaled_product.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "backend/cpu/gemm.h"
#include "backend/cpu/quant/exact_product.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t kColumns = 128;  // that are computed together

// Columns [first, first + count) of the weight as floats: rows one after another, or columns when it is turned.
void read_columns(const ScaledProduct& p, int64_t first, int64_t count, float* to) {
  const int64_t outer = p.w_turned ? count : p.k, inner = p.w_turned ? p.k : count;
  for (int64_t o = 0; o < outer; ++o) {
    float* row = to + o * inner;
    read_floats(p.w, p.w_first + (p.w_turned ? (first + o) * p.w_step : o * p.w_step + first), inner, row);
    if (!p.scale.values) continue;
    for (int64_t i = 0; i < inner; ++i) {
      const int64_t k = p.w_turned ? i : o, column = first + (p.w_turned ? o : i);
      row[i] = (row[i] + (p.offset.values ? p.offset.at(k, column) : 0)) * p.scale.at(k, column);
    }
  }
}

void multiply_columns(const ScaledProduct& p, int64_t first, int64_t count) {
  const auto room = [](int64_t floats) {
    return std::make_unique_for_overwrite<float[]>(static_cast<size_t>(std::max<int64_t>(floats, 1)));
  };
  const auto weights = room(p.k * count), sums = room(p.m * count);
  read_columns(p, first, count, weights.get());
  const Matrix<float> a{p.x, p.x_step, p.x_turned}, b{weights.get(), p.w_turned ? p.k : count, p.w_turned};
  std::vector<int32_t> exact(p.whole ? static_cast<size_t>(p.m * count) : 0);
  if (p.whole)
    exact_gemm(p.m, count, p.k, a, b, exact_terms(128, 128), sums.get(), exact.data());
  else
    gemm(p.m, count, p.k, a, b, 0.0f, sums.get(), count);
  for (int64_t r = 0; r < p.m; ++r)
    p.finish(r, first, count, sums.get() + r * count, p.whole ? exact.data() + r * count : nullptr);
}

}  // namespace

void multiply(std::span<const ScaledProduct> products) {
  struct Piece {
    const ScaledProduct* product;
    int64_t first, count;
  };
  std::vector<Piece> pieces;
  double operations = 0;
  for (const ScaledProduct& p : products) {
    if (p.m == 0) continue;
    for (int64_t first = 0; first < p.n; first += kColumns)
      pieces.push_back({&p, first, std::min(kColumns, p.n - first)});
    operations += 2.0 * static_cast<double>(p.m + 2) * static_cast<double>(p.n) * static_cast<double>(p.k);
  }
  parallel_pieces(static_cast<int64_t>(pieces.size()), threads_for(operations, 0), [&](int64_t at, int64_t) {
    const Piece& piece = pieces[static_cast<size_t>(at)];
    multiply_columns(*piece.product, piece.first, piece.count);
  });
}

std::vector<float> scale_numbers(const Tensor& tensor) {
  if (!tensor.present || tensor.type != DataType::Int64) return all_floats(tensor);
  Tensor words = tensor;
  words.type = DataType::UInt64;
  return all_floats(words);
}

std::vector<float> word_offsets(const Tensor& tensor) {
  if (!tensor.present || (tensor.type != DataType::Int64 && tensor.type != DataType::UInt64)) return {};
  std::vector<float> made;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    const auto bits = static_cast<int>(tensor.as<uint64_t>()[i] >> 37 & 0x1ff);
    made.push_back(static_cast<float>(bits < 256 ? bits : bits - 512));
  }
  return made;
}

Tensor as_int4(Tensor tensor) {
  if (tensor.type == DataType::Int32) {
    tensor.type = DataType::Int4;
    if (!tensor.shape.empty()) tensor.shape.back() *= 8;
  }
  return tensor;
}

Shape shape_in_int4(const graph::TensorInfo& info, bool packed) {
  Shape shape = info.shape;
  if (packed && info.type == DataType::Int32 && !shape.empty()) shape.back() *= 8;
  return shape;
}

}  // namespace belay::backend::cpu
