// SPDX-License-Identifier: Apache-2.0
// Convolutions. GE knows two and three spatial dimensions; one becomes two with a row of height 1.
#include <algorithm>

#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/window.h"

namespace belay::convert {
namespace {

std::vector<int64_t> filter_window(const NodeContext& c) {
  const Shape filter = c.shape(1);
  if (filter.size() < 3) return {};
  return {filter.begin() + 2, filter.end()};
}

Attributes conv_attributes(const NodeContext& c, const Window& window, size_t rank) {
  return {{"strides", Window::with_batch(window.strides)},
          {"dilations", Window::with_batch(window.dilations)},
          {"pads", window.pads()},
          {"groups", c.integer("group", 1)},
          {"data_format", rank == 3 ? "NCDHW" : "NCHW"}};
}

Edge unsqueezed(NodeContext& c, const char* suffix, Edge x) {
  return c.add({"Unsqueeze", suffix}, {x}, {{"axes", std::vector<int64_t>{2}}});
}

Edge squeezed(NodeContext& c, Edge y) {
  return c.add({"Squeeze", "SqueezeY"}, {y}, {{"axis", std::vector<int64_t>{2}}});
}

Status conv(NodeContext& c) {
  Window window = TRY(read_window(c, filter_window(c)));
  const size_t rank = window.rank();
  if (rank > 3) return c.fail(formatted("convolution over {} dimensions is not supported", rank));
  Edge x = c.in(0), filter = c.in(1);
  if (rank == 1) {
    x = unsqueezed(c, "UnsqueezeX", x);
    filter = unsqueezed(c, "UnsqueezeW", filter);
    window = window.widened(0);
  }
  Attributes attributes = conv_attributes(c, window, rank);
  attributes["auto_pad"] = window.auto_pad;
  attributes["fixed_shift_value"] = 0;
  const Edge y = c.add(rank == 3 ? "Conv3D" : "Conv2D", {x, filter, c.in(2)}, std::move(attributes));
  c.give(0, rank == 1 ? squeezed(c, y) : y);
  return {};
}

constexpr int64_t kLargestInput = int64_t{1} << 36;  // times the largest stride it is a number still

// Paddings that give the wanted output sizes; what the window cannot reach becomes output padding.
Status fit_output(const NodeContext& c, const std::vector<int64_t>& output, std::vector<int64_t>& output_padding,
                  Window& window) {
  const Shape input = c.shape(0);
  const bool upper = window.auto_pad == "SAME_UPPER";
  for (size_t i = 0; i < window.rank(); ++i) {
    if (input.size() != window.rank() + 2 || input[i + 2] < 0 || input[i + 2] > kLargestInput)
      return c.fail("output_shape and SAME padding need known sizes of the input");
    const int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const int64_t wanted = output.empty() ? input[i + 2] * window.strides[i] : output[i];
    int64_t total = window.strides[i] * (input[i + 2] - 1) + output_padding[i] + extent - wanted;
    if (total < 0) output_padding[i] -= total, total = 0;
    window.begin[i] = upper ? total / 2 : total - total / 2;
    window.end[i] = total - window.begin[i];
  }
  window.auto_pad = "NOTSET";
  return {};
}

Result<Window> transposed_window(const NodeContext& c, std::vector<int64_t>& output_padding) {
  Window window = TRY(read_window(c, filter_window(c)));
  const size_t rank = window.rank();
  output_padding = c.integers("output_padding", std::vector<int64_t>(rank, 0));
  auto output = c.integers("output_shape");
  if (output.size() > rank) output.erase(output.begin(), output.end() - static_cast<std::ptrdiff_t>(rank));
  window.auto_pad = c.text("auto_pad", "NOTSET");
  if (window.auto_pad == "VALID") window.auto_pad = "NOTSET";
  if (output_padding.size() != rank) return c.fail(formatted("output_padding must have {} numbers", rank));
  if (!output.empty() && output.size() != rank) return c.fail(formatted("output_shape must have {} numbers", rank));
  const auto absurd = [](int64_t size) { return size < 0 || size > kLargestInput; };
  if (std::ranges::any_of(output, absurd) || std::ranges::any_of(output_padding, absurd))
    return c.fail("output_shape and output_padding must be sizes");
  if (!output.empty() || window.auto_pad != "NOTSET") TRY(fit_output(c, output, output_padding, window));
  return window;
}

Status conv_transpose(NodeContext& c) {
  std::vector<int64_t> output_padding;
  Window window = TRY(transposed_window(c, output_padding));
  const size_t rank = window.rank();
  if (rank > 3) return c.fail(formatted("convolution over {} dimensions is not supported", rank));
  Edge x = c.in(0), filter = c.in(1);
  if (rank == 1) {
    x = unsqueezed(c, "UnsqueezeX", x);
    filter = unsqueezed(c, "UnsqueezeW", filter);
    window = window.widened(0);
    output_padding.insert(output_padding.begin(), 0);
  }
  // Zeros: the size follows from the window.
  const Edge size = c.int_constant("Const", std::vector<int64_t>(rank == 3 ? 5 : 4, 0));
  Attributes attributes = conv_attributes(c, window, rank);
  std::vector<int64_t> padding = {0, 0};
  padding.insert(padding.end(), output_padding.begin(), output_padding.end());
  attributes["output_padding"] = padding;
  attributes["output_shape"] = c.integers("output_shape");
  attributes["auto_pad"] = window.auto_pad;
  const Edge y =
      c.add(rank == 3 ? "Conv3DTranspose" : "Conv2DTranspose", {size, x, filter, c.in(2)}, std::move(attributes));
  c.give(0, rank == 1 ? squeezed(c, y) : y);
  return {};
}

constexpr MapRow rows[] = {
    {"Conv", 1, latest, "Conv2D", conv},
    {"ConvTranspose", 1, latest, "Conv2DTranspose", conv_transpose},
};

}  // namespace

std::span<const MapRow> map_rows_conv() { return rows; }

}  // namespace belay::convert
