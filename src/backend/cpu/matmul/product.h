// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "backend/cpu/matmul/right_side.h"

namespace belay::backend::cpu::matmul {

// Products of pairs of float matrices, m by k and k by n, by the steps between their elements. Nothing is empty.
struct Sizes {
  int64_t m = 1, n = 1, k = 1;
  int64_t a_row = 1, a_column = 1, b_row = 1, b_column = 1, y_row = 1;
  std::span<const int64_t> a_starts, b_starts;  // of each pair: where its matrices begin; those of y follow one another
  int64_t a_count = 1;                          // matrices that the left sides are, one behind the other
  bool packed = false;                          // b is in panels, and b_starts are in floats of them
};

struct Operands {
  const float *a, *b;
  panels::Finish how;  // its addend is laid out as y, and may be y
  float* y;
};

// How products of given sizes are divided into pieces for the threads. An element is summed up in an order that only
// the sizes decide.
class Product {
 public:
  // On `threads` threads at the most. The starts must live on.
  Product(const Sizes& sizes, int64_t threads);

  int64_t threads() const { return threads_; }  // that the work pays for
  size_t scratch_bytes() const;
  // With scratch memory of that size, 64-byte aligned; on the threads of the scope.
  void run(const Operands& operands, void* scratch) const;

 private:
  struct Range {
    int64_t begin, end;
    int64_t length() const { return end - begin; }
  };
  struct Piece {
    int64_t pair;
    Range rows, columns, depth;
    int64_t part;  // of the depth
  };
  // Scratch memory of one thread.
  struct Own {
    float* sums;
    const float** rows;
    float* panel;
  };

  void choose_way();
  void divide(int64_t threads);
  int64_t pieces() const { return pairs() * of_rows_ * of_columns_ * of_depth_; }
  int64_t pairs() const { return static_cast<int64_t>(sizes_.a_starts.size()); }
  Piece piece_at(int64_t index) const;
  Own own_scratch(void* scratch, int64_t thread) const;
  size_t own_bytes() const { return sum_bytes() + row_bytes() + panel_bytes(); }
  size_t sum_bytes() const;
  size_t row_bytes() const;
  size_t panel_bytes() const;
  size_t left_bytes() const;
  size_t part_bytes() const;

  void turn_left(const float* a, float* to) const;
  struct Panel {
    const float* data;
    int64_t step;  // 0: it is packed
  };
  Panel panel_of(const Operands& o, const Piece& piece, int64_t column, const Own& own) const;
  void run_piece(const Operands& o, const Piece& piece, const Own& own, float* parts) const;
  void run_rows(const Operands& o, const Piece& piece, int64_t column, Panel panel, const Own& own, float* parts) const;
  void run_dots(const Operands& o, const Piece& piece, const Own& own) const;
  void join_parts(const Operands& o, const float* parts, const Own& own) const;
  float* part_at(float* parts, int64_t pair, int64_t row, int64_t column) const;
  void put_row(const Operands& o, const float* rows, int64_t count, int64_t pair, int64_t row, int64_t column,
               const Own& own) const;
  panels::Finish finish_at(const Operands& o, int64_t place, int64_t column) const;

  Sizes sizes_;
  bool swapped_ = false;                  // b was a vector: y = transposed (b · a)
  bool turned_ = false;                   // the elements of a row of a are not side by side: a is copied first
  bool dots_ = false;                     // few rows, and the elements of a column of b are side by side
  bool given_ = false;                    // b is multiplied as it lies there, but for columns that do not fill vectors
  bool packs_ = false;                    // some of b is packed at each run
  int64_t rows_ = 1, of_rows_ = 1;        // of a piece, at the most; how many pieces the rows are
  int64_t columns_ = 1, of_columns_ = 1;  // the same of the columns
  int64_t depth_ = 1, of_depth_ = 1;      // the same of the depth
  int64_t together_ = 1;                  // pieces that a thread takes at a time
  int64_t threads_ = 1;
};

}  // namespace belay::backend::cpu::matmul
