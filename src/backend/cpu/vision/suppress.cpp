// SPDX-License-Identifier: Apache-2.0
// Detections of which the best are kept.
#include <algorithm>
#include <limits>

#include "backend/cpu/arguments.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

struct Box {
  double left, top, right, bottom;
  double area() const { return (right - left) * (bottom - top); }
};

Box box_at(const double* corner, bool centred) {
  if (centred) {
    const double half_w = corner[2] / 2, half_h = corner[3] / 2;
    return {corner[0] - half_w, corner[1] - half_h, corner[0] + half_w, corner[1] + half_h};
  }
  return {std::min(corner[1], corner[3]), std::min(corner[0], corner[2]), std::max(corner[1], corner[3]),
          std::max(corner[0], corner[2])};
}

// Intersection over union; 0 for boxes without area.
double overlap(const Box& a, const Box& b) {
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (width <= 0 || height <= 0 || a.area() <= 0 || b.area() <= 0) return 0;
  const double shared = width * height;
  return shared / (a.area() + b.area() - shared);
}

struct Limits {
  int64_t most;
  double overlap, score;
};

// The best boxes in order of score, none of which overlaps a better one too much.
std::vector<int64_t> kept_of(const std::vector<Box>& boxes, const double* scores, const Limits& limits) {
  std::vector<int64_t> order;
  for (size_t i = 0; i < boxes.size(); ++i)
    if (scores[i] > limits.score) order.push_back(int64_t(i));
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
  std::vector<int64_t> kept;
  for (const int64_t candidate : order) {
    if (int64_t(kept.size()) >= limits.most) break;
    const bool free = std::all_of(kept.begin(), kept.end(), [&](int64_t better) {
      return overlap(boxes[size_t(candidate)], boxes[size_t(better)]) <= limits.overlap;
    });
    if (free) kept.push_back(candidate);
  }
  return kept;
}

Result<Limits> limits_of(Inputs in) {
  const auto given = [&](size_t input) { return input < in.size() && in[input].present && in[input].count() > 0; };
  Limits limits{0, 0, -std::numeric_limits<double>::infinity()};
  if (given(2)) limits.most = TRY(integer(in[2]));
  if (given(3)) limits.overlap = TRY(reals(in[3]))[0];
  if (given(4)) limits.score = TRY(reals(in[4]))[0];
  return limits;
}

// boxes [batch, n, 4], scores [batch, classes, n]: rows of (batch, class, box).
MadeKernel make_by_class(const KernelRequest& request) {
  const bool centred = graph::int_of(request.node, "center_point_box", 0) != 0;
  const Shape &boxes = request.inputs[0].shape, &scores = request.inputs[1].shape;
  if (boxes.size() != 3 || scores.size() != 3 || boxes[0] != scores[0] || boxes[1] != scores[2] || boxes[2] != 4)
    return refuse("boxes must be [batch, n, 4] and scores [batch, classes, n]");
  if (request.outputs[0].type != DataType::Int32 && request.outputs[0].type != DataType::Int64)
    return refuse("the indices must be int32 or int64");
  return function_kernel([centred](Inputs in, Outputs out) -> Status {
    const auto corners = TRY(reals(in[0])), scores = TRY(reals(in[1]));
    const Limits limits = TRY(limits_of(in));
    const int64_t batches = in[1].shape[0], classes = in[1].shape[1], count = in[1].shape[2];
    std::vector<int64_t> rows;
    for (int64_t b = 0; b < batches; ++b) {
      std::vector<Box> boxes;
      for (int64_t i = 0; i < count; ++i) boxes.push_back(box_at(&corners[size_t((b * count + i) * 4)], centred));
      for (int64_t c = 0; c < classes; ++c)
        for (const int64_t box : kept_of(boxes, scores.data() + (b * classes + c) * count, limits))
          rows.insert(rows.end(), {b, c, box});
    }
    const bool fits = int64_t(rows.size()) <= out[0].count();
    if (!fits) return refuse("the result is larger than its bound");
    for (size_t i = 0; i < rows.size(); ++i) {
      if (out[0].type == DataType::Int64)
        out[0].as<int64_t>()[i] = rows[i];
      else
        out[0].as<int32_t>()[i] = int32_t(rows[i]);
    }
    out[0].shape = {int64_t(rows.size()) / 3, 3};
    return {};
  });
}

// boxes [n, 4], scores [n]: the indices of the boxes kept.
MadeKernel make_plain(const KernelRequest& request) {
  const bool attribute = request.node.type == "NonMaxSuppression";
  const double fixed = graph::get_or<float>(request.node.attributes, "iou_threshold", 0.5f);
  const Shape &boxes = request.inputs[0].shape, &scores = request.inputs[1].shape;
  if (boxes.size() != 2 || boxes[1] != 4 || scores != Shape{boxes[0]})
    return refuse("boxes must be [n, 4] and scores [n]");
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto corners = TRY(reals(in[0])), scores = TRY(reals(in[1]));
    Limits limits = TRY(limits_of(in));
    if (attribute) limits.overlap = fixed;
    std::vector<Box> boxes;
    for (size_t i = 0; i < corners.size(); i += 4) boxes.push_back(box_at(&corners[i], false));
    const auto kept = kept_of(boxes, scores.data(), limits);
    for (size_t i = 0; i < kept.size(); ++i) out[0].as<int32_t>()[i] = int32_t(kept[i]);
    out[0].shape = {int64_t(kept.size())};
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"NonMaxSuppressionV6", "reference", make_by_class}, {"NonMaxSuppressionV7", "reference", make_by_class},
    {"NonMaxSuppression", "reference", make_plain},      {"NonMaxSuppressionV2", "reference", make_plain},
    {"NonMaxSuppressionV3", "reference", make_plain},
};

}  // namespace

std::span<const KernelRow> suppress_rows() { return rows; }

}  // namespace belay::backend::cpu
