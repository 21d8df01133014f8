// SPDX-License-Identifier: Apache-2.0
#include "graph/infer/slice_plan.h"

#include <algorithm>
#include <limits>

#include "graph/infer/arguments.h"

namespace belay::graph {
namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max();

Status wrong(std::string why) { return {ACL_ERROR_INVALID_PARAM, std::move(why)}; }

// One dimension of the input as the request speaks of it.
struct Range {
  int64_t begin = 0, end = most, step = 1;
  bool from_start = true, to_end = true, shrink = false;
};

bool bit(int64_t mask, size_t position) { return position < 64 && (mask >> position & 1); }

Range entry(const SliceRequest& request, size_t i) {
  Range range;
  range.begin = request.begin[i];
  range.end = request.end[i];
  range.step = request.strides.empty() ? 1 : request.strides[i];
  range.from_start = bit(request.begin_mask, i);
  range.to_end = bit(request.end_mask, i);
  range.shrink = bit(request.shrink_axis_mask, i);
  return range;
}

// The result's dimensions in order: an input dimension, or -1 for a new one.
struct Layout {
  std::vector<Range> ranges;
  std::vector<int> order;
};

Result<Layout> by_axes(size_t rank, const SliceRequest& request) {
  if (request.axes.size() != request.begin.size()) return wrong("axes and begin differ in length");
  if (request.ellipsis_mask || request.new_axis_mask) return wrong("axes together with an ellipsis or a new axis");
  Layout layout{std::vector<Range>(rank), {}};
  for (size_t i = 0; i < request.axes.size(); ++i) {
    const auto axis = axis_within(request.axes[i], rank);
    if (!axis) return wrong("axis " + std::to_string(request.axes[i]) + " is outside rank " + std::to_string(rank));
    layout.ranges[*axis] = entry(request, i);
  }
  for (size_t d = 0; d < rank; ++d) layout.order.push_back(int(d));
  return layout;
}

Result<Layout> by_position(size_t rank, const SliceRequest& request) {
  size_t named = 0;  // entries that take an input dimension
  bool ellipsis = false;
  for (size_t i = 0; i < request.begin.size(); ++i) {
    if (bit(request.ellipsis_mask, i)) {
      if (ellipsis) return wrong("more than one ellipsis");
      ellipsis = true;
    } else if (!bit(request.new_axis_mask, i)) {
      ++named;
    }
  }
  if (named > rank) return wrong(std::to_string(named) + " entries for a tensor of rank " + std::to_string(rank));
  Layout layout;
  const auto whole = [&](size_t dimensions) {
    for (; dimensions; --dimensions) {
      layout.order.push_back(int(layout.ranges.size()));
      layout.ranges.push_back({});
    }
  };
  for (size_t i = 0; i < request.begin.size(); ++i) {
    if (bit(request.ellipsis_mask, i)) {
      whole(rank - named);
    } else if (bit(request.new_axis_mask, i)) {
      layout.order.push_back(-1);
    } else {
      layout.order.push_back(int(layout.ranges.size()));
      layout.ranges.push_back(entry(request, i));
    }
  }
  if (!ellipsis) whole(rank - named);
  return layout;
}

int64_t clamped(int64_t value, int64_t size, int64_t low, int64_t high) {
  return std::clamp(value < 0 ? value + size : value, low, high);
}

// Fills begin, step and count of one dimension.
Status resolve(const Range& range, int64_t size, SlicePlan& plan) {
  if (range.step == 0) return wrong("a stride is 0");
  plan.step.push_back(range.shrink ? 1 : range.step);
  if (size < 0) {
    plan.begin.push_back(range.begin);
    plan.count.push_back(range.shrink ? 1 : -1);
    return {};
  }
  if (range.shrink) {
    const int64_t at = range.from_start ? 0 : range.begin < 0 ? range.begin + size : range.begin;
    if (at < 0 || at >= size)
      return wrong("index " + std::to_string(range.begin) + " is outside a dimension of " + std::to_string(size));
    plan.begin.push_back(at);
    plan.count.push_back(1);
    return {};
  }
  const bool up = range.step > 0;
  const int64_t low = up ? 0 : -1, high = up ? size : size - 1;
  const int64_t begin = range.from_start ? (up ? 0 : size - 1) : clamped(range.begin, size, low, high);
  const int64_t end = range.to_end ? (up ? size : -1) : clamped(range.end, size, low, high);
  const int64_t span = up ? end - begin : begin - end;
  // |step| may be the largest integer there is: divide without adding it first.
  const uint64_t stride = up ? uint64_t(range.step) : -uint64_t(range.step);
  plan.begin.push_back(begin);
  plan.count.push_back(span <= 0 ? 0 : int64_t((uint64_t(span) - 1) / stride) + 1);
  return {};
}

}  // namespace

SliceRequest slice_masks(const Node& node) {
  SliceRequest request;
  request.begin_mask = int_of(node, "begin_mask", 0);
  request.end_mask = int_of(node, "end_mask", 0);
  request.ellipsis_mask = int_of(node, "ellipsis_mask", 0);
  request.new_axis_mask = int_of(node, "new_axis_mask", 0);
  request.shrink_axis_mask = int_of(node, "shrink_axis_mask", 0);
  return request;
}

Result<SlicePlan> plan_slice(const Shape& x, const SliceRequest& request) {
  if (request.begin.size() != request.end.size()) return wrong("begin and end differ in length");
  if (!request.strides.empty() && request.strides.size() != request.begin.size())
    return wrong("begin and strides differ in length");
  const auto layout = TRY(request.axes.empty() ? by_position(x.size(), request) : by_axes(x.size(), request));
  SlicePlan plan;
  for (size_t d = 0; d < x.size(); ++d) TRY(resolve(layout.ranges[d], x[d], plan));
  for (const int d : layout.order) {
    if (d < 0)
      plan.shape.push_back(1);
    else if (!layout.ranges[size_t(d)].shrink)
      plan.shape.push_back(plan.count[size_t(d)]);
  }
  return plan;
}

std::vector<int64_t> pad_pairs(bool contiguous, const std::vector<int64_t>& paddings, size_t rank) {
  if (paddings.size() != 2 * rank || contiguous) return paddings;
  std::vector<int64_t> pairs;
  for (size_t d = 0; d < rank; ++d) {
    pairs.push_back(paddings[d]);
    pairs.push_back(paddings[rank + d]);
  }
  return pairs;
}

}  // namespace belay::graph
