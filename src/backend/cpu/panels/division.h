// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/panels/geometry.h"

namespace belay::backend::cpu::panels {

// How the rows of y and the panels of the filter are divided into pieces, each computed by one thread. What is used
// again and again shall stay in the second cache: a small filter, or else one panel of it and x. Panels that are left
// over, or narrower than the others, are shared: each thread has a part of their rows, so that all have as much to do.
class Division {
 public:
  struct Range {
    int64_t begin, end;
  };
  struct Piece {
    Range rows, panels;
  };

  Division(const Geometry& g, int64_t threads);

  int64_t pieces() const { return own() + shared_ * parts_; }
  Piece piece(int64_t index) const;
  int64_t longest() const;  // rows of a piece, at the most

 private:
  int64_t own() const { return of_panels_ * of_rows_; }  // pieces with whole panels
  Piece whole(int64_t index) const;
  Piece part(int64_t index) const;

  int64_t rows_, of_rows_;
  int64_t panels_, of_panels_, together_;  // together: panels of a piece, at the most
  int64_t threads_, shared_ = 0;           // the last panels, in parts of rows
  int64_t parts_ = 0;                      // of a shared panel, as many for each thread
};

// Of all groups.
int64_t panels_of(const Geometry& g);

}  // namespace belay::backend::cpu::panels
