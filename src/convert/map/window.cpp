// SPDX-License-Identifier: Apache-2.0
#include "convert/map/window.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"

namespace belay::convert {
namespace {

bool is_size(int64_t value) { return value >= 1 && value <= kLargestWindow; }

Status check(const NodeContext& c, const Window& window, const std::vector<int64_t>& pads) {
  const size_t rank = window.rank();
  if (rank == 0) return c.fail("the size of its window is not known");
  if (window.strides.size() != rank || window.dilations.size() != rank || pads.size() != 2 * rank)
    return c.fail(formatted("strides, dilations and pads must have {}, {} and {} numbers", rank, rank, 2 * rank));
  for (const auto* sizes : {&window.kernel, &window.strides, &window.dilations})
    if (!std::ranges::all_of(*sizes, is_size))
      return c.fail(formatted("kernel, strides and dilations must be positive and at most {}", kLargestWindow));
  if (!std::ranges::all_of(pads, [](int64_t pad) { return pad >= -kLargestWindow && pad <= kLargestWindow; }))
    return c.fail(formatted("pads must be at most {}", kLargestWindow));
  return {};
}

// The output is as large as the input divided by the stride; an odd row goes to the end or to the beginning.
void pad_same(const Shape& input, bool lower, Window& window) {
  for (size_t i = 0; i < window.rank(); ++i) {
    const int64_t size = input[i + 2], stride = window.strides[i];
    const int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const int64_t out = (size + stride - 1) / stride;
    const int64_t total = std::max<int64_t>(0, (out - 1) * stride + extent - size);
    window.begin[i] = lower ? total - total / 2 : total / 2;
    window.end[i] = total - window.begin[i];
  }
}

}  // namespace

Window Window::widened(size_t axis) const {
  Window wide = *this;
  const auto at = static_cast<std::ptrdiff_t>(axis);
  for (auto* ones : {&wide.kernel, &wide.strides, &wide.dilations}) ones->insert(ones->begin() + at, 1);
  for (auto* zeros : {&wide.begin, &wide.end}) zeros->insert(zeros->begin() + at, 0);
  return wide;
}

std::vector<int64_t> Window::with_batch(const std::vector<int64_t>& values) {
  std::vector<int64_t> whole = {1, 1};
  whole.insert(whole.end(), values.begin(), values.end());
  return whole;
}

std::vector<int64_t> Window::pads() const {
  std::vector<int64_t> pairs;
  for (size_t i = 0; i < begin.size(); ++i) pairs.insert(pairs.end(), {begin[i], end[i]});
  return pairs;
}

Result<Window> read_window(const NodeContext& c, std::vector<int64_t> kernel) {
  Window window{.kernel = c.integers("kernel_shape", std::move(kernel))};
  const size_t rank = window.rank();
  window.strides = c.integers("strides", std::vector<int64_t>(rank, 1));
  window.dilations = c.integers("dilations", std::vector<int64_t>(rank, 1));
  window.auto_pad = c.text("auto_pad", "NOTSET");
  auto pads = c.integers("pads", std::vector<int64_t>(2 * rank, 0));
  TRY(check(c, window, pads));
  if (window.auto_pad != "NOTSET") pads.assign(2 * rank, 0);
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(rank);
  window.begin.assign(pads.begin(), middle);
  window.end.assign(middle, pads.end());
  if (window.auto_pad == "VALID") window.auto_pad = "NOTSET";
  if (window.auto_pad == "NOTSET") return window;
  const bool lower = window.auto_pad == "SAME_LOWER";
  if (!lower && window.auto_pad != "SAME_UPPER") return c.fail("auto_pad " + window.auto_pad + " is not known");
  const Shape input = c.shape(0);
  if (input.size() != rank + 2) return window;
  if (std::any_of(input.begin() + 2, input.end(), [](int64_t dim) { return dim < 0; })) return window;
  pad_same(input, lower, window);
  window.auto_pad = "NOTSET";
  return window;
}

}  // namespace belay::convert
