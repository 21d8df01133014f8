// SPDX-License-Identifier: Apache-2.0
// Image preprocessing that was fixed at conversion: crop, colour conversion, mean and variance, padding.
#include <algorithm>
#include <array>
#include <string>

#include "backend/cpu/convert_element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

using Pixel = std::array<int, 4>;

// Reads pixels of a raw image of height x width.
struct ImageReader {
  Pixel (*read)(const uint8_t* image, int64_t height, int64_t width, int64_t y, int64_t x);
  int64_t rows_times_2, bytes_per_pixel;  // of the buffer
};

// Planes: Y, then U and V alternating, one pair for two pixels in a row.
template <int rows_per_chroma>
Pixel semi_planar(const uint8_t* image, int64_t height, int64_t width, int64_t y, int64_t x) {
  const uint8_t* pair = image + height * width + y / rows_per_chroma * width + x / 2 * 2;
  return {image[y * width + x], pair[0], pair[1], 0};
}

Pixel yuyv(const uint8_t* image, int64_t, int64_t width, int64_t y, int64_t x) {
  const uint8_t* pair = image + (y * width + x / 2 * 2) * 2;
  return {pair[x % 2 * 2], pair[1], pair[3], 0};
}

template <int channels>
Pixel packed(const uint8_t* image, int64_t, int64_t width, int64_t y, int64_t x) {
  Pixel pixel{};
  for (int c = 0; c < channels; ++c) pixel[static_cast<size_t>(c)] = image[(y * width + x) * channels + c];
  return pixel;
}

const ImageReader* find_reader(const std::string& format) {
  static const std::pair<const char*, ImageReader> readers[] = {
      {"YUV420SP_U8", {semi_planar<2>, 3, 1}},
      {"YUV422SP_U8", {semi_planar<1>, 4, 1}},
      {"YUYV_U8", {yuyv, 2, 2}},
      {"YUV400_U8", {packed<1>, 2, 1}},
      {"RGB888_U8", {packed<3>, 2, 3}},
      {"XRGB8888_U8", {packed<4>, 2, 4}},
      {"ARGB8888_U8", {packed<4>, 2, 4}},
      {"AYUV444_U8", {packed<4>, 2, 4}},
  };
  for (const auto& [name, reader] : readers)
    if (format == name) return &reader;
  return nullptr;
}

struct Settings {
  ImageReader reader;
  int64_t source_height, source_width, start_h = 0, start_w = 0;
  int64_t top = 0, left = 0, bottom = 0, right = 0;
  float padding_value;
  bool swap, convert;
  std::array<std::array<int64_t, 3>, 3> matrix;
  std::array<int64_t, 3> input_bias, output_bias;
  std::array<float, 4> mean, min, factor;
};

Result<Settings> read_settings(const graph::Node& node) {
  const auto number = [&](const std::string& name) { return graph::int_of(node, name, 0); };
  const auto real = [&](const std::string& name) { return graph::get_or(node.attributes, name, 0.0f); };
  const auto on = [&](const char* name) { return graph::flag_of(node, name, false); };
  const ImageReader* reader = find_reader(graph::text_of(node, "input_format", ""));
  if (!reader) return refuse("its input_format is not supported");
  if (on("ax_swap_switch") || on("resize")) return refuse("ax_swap_switch and resize are not supported");
  Settings s{
      .reader = *reader, .source_height = number("src_image_size_h"), .source_width = number("src_image_size_w")};
  if (on("crop")) s.start_h = number("load_start_pos_h"), s.start_w = number("load_start_pos_w");
  if (on("padding")) {
    s.top = number("top_padding_size"), s.bottom = number("bottom_padding_size");
    s.left = number("left_padding_size"), s.right = number("right_padding_size");
  }
  s.padding_value = real("padding_value");
  s.swap = on("rbuv_swap_switch");
  s.convert = on("csc_switch");
  for (size_t i = 0; i < 3; ++i) {
    s.input_bias[i] = number("input_bias_" + std::to_string(i));
    s.output_bias[i] = number("output_bias_" + std::to_string(i));
    for (size_t j = 0; j < 3; ++j) s.matrix[i][j] = number("matrix_r" + std::to_string(i) + "c" + std::to_string(j));
  }
  for (size_t i = 0; i < 4; ++i) {
    s.mean[i] = real("mean_chn_" + std::to_string(i));
    s.min[i] = real("min_chn_" + std::to_string(i));
    s.factor[i] = real("var_reci_chn_" + std::to_string(i));
  }
  return s;
}

// The matrix has 8 bits behind the point.
Pixel converted(const Settings& s, const Pixel& from) {
  Pixel to{};
  for (size_t i = 0; i < 3; ++i) {
    int64_t sum = 0;
    for (size_t j = 0; j < 3; ++j) sum += s.matrix[i][j] * (from[j] - s.input_bias[j]);
    to[i] = static_cast<int>(std::clamp<int64_t>((sum >> 8) + s.output_bias[i], 0, 255));
  }
  return to;
}

template <class T>
struct Features {
  T* data;
  int64_t channels, height, width;
  bool channels_last;
  T& at(int64_t c, int64_t y, int64_t x) const {
    return channels_last ? data[(y * width + x) * channels + c] : data[(c * height + y) * width + x];
  }
};

template <class T>
void preprocess_row(const Settings& s, const uint8_t* image, const Features<T>& to, int64_t y) {
  for (int64_t x = 0; x < to.width; ++x) {
    const bool inside = y >= s.top && y < to.height - s.bottom && x >= s.left && x < to.width - s.right;
    Pixel pixel{};
    if (inside) {
      pixel = s.reader.read(image, s.source_height, s.source_width, y - s.top + s.start_h, x - s.left + s.start_w);
      const bool luma_first = s.reader.read != packed<3>;
      if (s.swap) std::swap(pixel[luma_first ? 1 : 0], pixel[2]);  // U and V, or R and B
      if (s.convert) pixel = converted(s, pixel);
    }
    for (int64_t c = 0; c < to.channels; ++c) {
      const auto i = static_cast<size_t>(c);
      const float value =
          inside ? (static_cast<float>(pixel[i]) - s.mean[i] - s.min[i]) * s.factor[i] : s.padding_value;
      to.at(c, y, x) = convert_element<T>(value);
    }
  }
}

Status check_sizes(const Settings& s, const Shape& image, const Features<float>& to) {
  const int64_t rows = s.source_height * s.reader.rows_times_2 / 2;
  if (image.size() != 4 || image[1] != rows || image[2] != s.source_width || image[3] != s.reader.bytes_per_pixel)
    return refuse("the image's buffer does not fit its input_format and source size");
  const int64_t height = to.height - s.top - s.bottom, width = to.width - s.left - s.right;
  if (s.start_h < 0 || s.start_w < 0 || s.top < 0 || s.bottom < 0 || s.left < 0 || s.right < 0 || height < 0 ||
      width < 0 || s.start_h + height > s.source_height || s.start_w + width > s.source_width || to.channels > 4)
    return refuse("crop and padding do not fit the image and the model's input");
  return {};
}

MadeKernel make_aipp(const KernelRequest& request) {
  if (request.inputs.size() > 1 && request.inputs[1].present) return refuse("dynamic AIPP is not supported");
  if (request.inputs[0].type != DataType::UInt8) return refuse("the image must be uint8");
  const Settings settings = TRY(read_settings(request.node));
  const Shape& y = request.outputs[0].shape;
  if (y.size() != 4) return refuse("its result must have 4 dimensions");
  const bool last = !request.node.outputs.empty() && request.node.outputs[0].format == graph::Format::NHWC;
  Features<float> form{nullptr, y[last ? 3 : 1], y[last ? 1 : 2], y[last ? 2 : 3], last};
  TRY(check_sizes(settings, request.inputs[0].shape, form));
  return with_type(FloatTypes{}, request.outputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([settings, form](Inputs in, Outputs out) -> Status {
      const int64_t image_bytes = in[0].shape[1] * in[0].shape[2] * in[0].shape[3];
      const int64_t result = form.channels * form.height * form.width;
      parallel_for(in[0].shape[0] * form.height, 16, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const int64_t n = row / form.height;
          const Features<T> to{out[0].as<T>() + n * result, form.channels, form.height, form.width, form.channels_last};
          preprocess_row(settings, in[0].as<uint8_t>() + n * image_bytes, to, row % form.height);
        }
      });
      return {};
    });
  });
}

constexpr KernelRow rows[] = {{"Aipp", "reference", make_aipp}};

}  // namespace

std::span<const KernelRow> aipp_rows() { return rows; }

}  // namespace belay::backend::cpu
