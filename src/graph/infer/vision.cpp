// SPDX-License-Identifier: Apache-2.0
// Shapes of what samples images, pools parts of them, and keeps the best detections.
#include <algorithm>

#include "graph/infer/arguments.h"
#include "graph/infer/rows.h"

namespace belay::graph {
namespace {

// x [n, c, ...] at the places of a grid [n, ..., dims].
Status grid_sampler(InferContext& c) {
  TRY(require_inputs(c, 2));
  const Shape &x = c.shape(0), &grid = c.shape(1);
  if (!rank_known(x) || !rank_known(grid)) {
    c.add_output(c.inputs[0].type, {-2});
    return {};
  }
  if (x.size() < 3 || grid.size() != x.size()) return c.fail("x and the grid differ in rank");
  Shape y{x[0] < 0 ? grid[0] : x[0], x[1]};
  y.insert(y.end(), grid.begin() + 1, grid.end() - 1);
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status affine_grid(InferContext& c) {
  TRY(require_inputs(c, 2));
  const auto size = c.ints(1);
  if (!size) {
    c.add_output(c.inputs[0].type, {-2});
    return {};
  }
  if (size->size() != 4 && size->size() != 5) return c.fail("output_size needs 4 or 5 numbers");
  Shape y{(*size)[0]};
  y.insert(y.end(), size->begin() + 2, size->end());
  y.push_back(int64_t(size->size()) - 2);
  c.add_output(c.inputs[0].type, std::move(y));
  return {};
}

Status pooled_boxes(InferContext& c, int64_t height, int64_t width) {
  TRY(require_inputs(c, 2));
  const Shape &x = c.shape(0), &rois = c.shape(1);
  if (!rank_known(x) || !rank_known(rois)) {
    c.add_output(c.inputs[0].type, {-1, -1, height, width});
    return {};
  }
  if (x.size() != 4) return c.fail("the image must have 4 dimensions");
  if (rois.size() != 2 || (rois[1] >= 0 && rois[1] != 5)) return c.fail("rois must be rows of 5 numbers");
  c.add_output(c.inputs[0].type, {rois[0], x[1], height, width});
  return {};
}

Status roi_align(InferContext& c) {
  return pooled_boxes(c, int_of(c.node, "pooled_height", 1), int_of(c.node, "pooled_width", 1));
}

Status roi_pooling(InferContext& c) {
  return pooled_boxes(c, int_of(c.node, "pooled_h", 1), int_of(c.node, "pooled_w", 1));
}

// Rows of (batch, class, box): of each class as many as are wanted, but not more than there are boxes.
Status suppressed_by_class(InferContext& c) {
  TRY(require_inputs(c, 2));
  c.data_dependent = true;
  c.bounds = {{0, 0}};
  const Shape& scores = c.shape(1);
  int64_t most = -1;
  if (rank_known(scores) && is_known(scores)) {
    if (scores.size() != 3) return c.fail("scores must be [batch, classes, n]");
    most = scores[2];
    if (!c.has(2))
      most = 0;
    else if (const auto wanted = scalar(c, 2))
      most = std::clamp<int64_t>(*wanted, 0, most);
    most *= scores[0] * scores[1];
  }
  c.add_output(DataType::Int32, {most, 3});
  return {};
}

Status suppressed(InferContext& c) {
  TRY(require_inputs(c, 3));
  c.data_dependent = true;
  const Shape& scores = c.shape(1);
  int64_t most = rank_known(scores) && scores.size() == 1 ? scores[0] : -1;
  const auto wanted = scalar(c, 2);
  if (wanted && most >= 0) most = std::clamp<int64_t>(*wanted, 0, most);
  c.add_output(DataType::Int32, {most});
  return {};
}

constexpr InferRow rows[] = {
    {"GridSampler2D", grid_sampler},
    {"GridSampler3D", grid_sampler},
    {"AffineGrid", affine_grid},
    {"ROIAlign", roi_align},
    {"ROIPooling", roi_pooling},
    {"NonMaxSuppressionV6", suppressed_by_class},
    {"NonMaxSuppressionV7", suppressed_by_class},
    {"NonMaxSuppression", suppressed},
    {"NonMaxSuppressionV2", suppressed},
    {"NonMaxSuppressionV3", suppressed},
};

}  // namespace

std::span<const InferRow> infer_rows_vision() { return rows; }

}  // namespace belay::graph
