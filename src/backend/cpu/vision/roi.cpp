// SPDX-License-Identifier: Apache-2.0
// Parts of images, as boxes name them, brought to one size.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/grain.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"
#include "graph/infer/resize_plan.h"

namespace belay::backend::cpu {
namespace {

// Boxes as rows of 5: the image's number, then two corners.
struct Box {
  int64_t image;
  double x1, y1, x2, y2;
};

Result<std::vector<Box>> boxes_of(const std::string& label, const Tensor& rois, int64_t images) {
  if (rois.shape.size() != 2 || rois.shape[1] != 5) return failed(label, "rois must be rows of 5 numbers");
  const auto all = TRY(reals(rois));
  std::vector<Box> boxes;
  for (size_t i = 0; i < all.size(); i += 5) {
    if (!(all[i] >= 0) || all[i] >= double(images)) return bad_index(label, int64_t(all[i]), int64_t(i), images, false);
    boxes.push_back({int64_t(all[i]), all[i + 1], all[i + 2], all[i + 3], all[i + 4]});
  }
  return boxes;
}

struct RoiAlign {
  double scale;
  int64_t height, width, samples;
  int64_t end_mode;  // 0: corners as they are, 1: the end is inclusive, 2: half a pixel less
  bool maximum;
};

// One place of an image as four elements with weights.
struct Corners {
  int64_t offset[4];
  double weight[4];
};

// False when the place is outside the image.
bool corners_at(double y, double x, int64_t height, int64_t width, Corners& corners) {
  if (!(y >= -1.0 && y <= double(height) && x >= -1.0 && x <= double(width))) return false;
  y = std::max(y, 0.0);
  x = std::max(x, 0.0);
  auto top = int64_t(y), left = int64_t(x);
  int64_t bottom = top + 1, right = left + 1;
  if (top >= height - 1) y = double(top = bottom = height - 1);
  if (left >= width - 1) x = double(left = right = width - 1);
  const double down = y - double(top), across = x - double(left);
  corners = {{top * width + left, top * width + right, bottom * width + left, bottom * width + right},
             {(1 - down) * (1 - across), (1 - down) * across, down * (1 - across), down * across}};
  return true;
}

// The samples of one bin; a maximum is taken of the weighted elements, not of the samples.
template <class T>
double pooled(const RoiAlign& op, const T* plane, const std::vector<Corners>& samples, int64_t count) {
  double sum = 0, most = -std::numeric_limits<double>::infinity();
  for (const Corners& sample : samples)
    for (int k = 0; k < 4; ++k) {
      const double value = sample.weight[k] * double(compute_t<T>(plane[sample.offset[k]]));
      sum += value;
      most = std::max(most, value);
    }
  if (op.maximum) return samples.empty() ? 0 : most;
  return sum / double(std::max<int64_t>(1, count));
}

template <class T>
void align_box(const RoiAlign& op, const Box& box, const Shape& shape, const T* image, T* y) {
  const double half = op.end_mode == 2 ? 0.5 : 0, inclusive = op.end_mode == 1 ? 1 : 0;
  const double left = box.x1 * op.scale - half, top = box.y1 * op.scale - half;
  double width = (box.x2 + inclusive) * op.scale - half - left, height = (box.y2 + inclusive) * op.scale - half - top;
  if (op.end_mode != 2) width = std::max(width, 1.0), height = std::max(height, 1.0);
  const double bin_h = height / double(op.height), bin_w = width / double(op.width);
  const int64_t rows = op.samples > 0 ? op.samples : int64_t(std::ceil(bin_h));
  const int64_t columns = op.samples > 0 ? op.samples : int64_t(std::ceil(bin_w));
  const int64_t plane = shape[2] * shape[3];
  std::vector<Corners> samples;
  for (int64_t bin = 0; bin < op.height * op.width; ++bin) {
    samples.clear();
    const double bin_y = top + double(bin / op.width) * bin_h, bin_x = left + double(bin % op.width) * bin_w;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        Corners corners;
        const double at_y = bin_y + (double(r) + 0.5) * bin_h / double(rows);
        const double at_x = bin_x + (double(c) + 0.5) * bin_w / double(columns);
        if (corners_at(at_y, at_x, shape[2], shape[3], corners)) samples.push_back(corners);
      }
    for (int64_t channel = 0; channel < shape[1]; ++channel)
      y[channel * op.height * op.width + bin] =
          T(compute_t<T>(pooled(op, image + channel * plane, samples, rows * columns)));
  }
}

MadeKernel make_roi_align(const KernelRequest& request) {
  const auto& node = request.node;
  const std::string pool = graph::text_of(node, "pool_mode", "avg");
  if (pool != "avg" && pool != "max") return refuse(formatted("pool_mode {} is not avg or max", pool));
  const RoiAlign op{graph::get_or<float>(node.attributes, "spatial_scale", 1.0f),
                    graph::int_of(node, "pooled_height", 1),
                    graph::int_of(node, "pooled_width", 1),
                    graph::int_of(node, "sample_num", 2),
                    graph::int_of(node, "roi_end_mode", 1),
                    pool == "max"};
  if (op.end_mode < 0 || op.end_mode > 2) return refuse(formatted("roi_end_mode {} is not supported", op.end_mode));
  if (request.inputs[0].shape.size() != 4) return refuse("features must have 4 dimensions");
  if (graph::element_count(request.inputs[0].shape) == 0) return refuse("features is empty");
  return function_kernel([op, label = label_of(node)](Inputs in, Outputs out) -> Status {
    const Shape& shape = in[0].shape;
    const auto boxes = TRY(boxes_of(label, in[1], shape[0]));
    return with_type(FloatTypes{}, in[0].type, [&]<class T>() -> Status {
      const int64_t image = product(shape, 1, 4), result = shape[1] * op.height * op.width;
      parallel_for(int64_t(boxes.size()), grain_of(4 * result), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          align_box(op, boxes[size_t(i)], shape, in[0].as<T>() + boxes[size_t(i)].image * image,
                    out[0].as<T>() + i * result);
      });
      return {};
    });
  });
}

// The largest element of each bin of whole elements; an empty bin is 0.
template <class T>
void pool_box(double scale_h, double scale_w, int64_t rows, int64_t columns, const Box& box, const Shape& shape,
              const T* image, T* y) {
  const auto left = int64_t(std::round(box.x1 * scale_w)), top = int64_t(std::round(box.y1 * scale_h));
  const auto right = int64_t(std::round(box.x2 * scale_w)), bottom = int64_t(std::round(box.y2 * scale_h));
  const double bin_h = double(std::max<int64_t>(bottom - top + 1, 1)) / double(rows);
  const double bin_w = double(std::max<int64_t>(right - left + 1, 1)) / double(columns);
  const auto edge = [](double at, int64_t start, int64_t size) {
    return std::clamp<int64_t>(int64_t(at) + start, 0, size);
  };
  for (int64_t c = 0; c < shape[1]; ++c)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t q = 0; q < columns; ++q) {
        const int64_t y1 = edge(std::floor(double(r) * bin_h), top, shape[2]);
        const int64_t y2 = edge(std::ceil(double(r + 1) * bin_h), top, shape[2]);
        const int64_t x1 = edge(std::floor(double(q) * bin_w), left, shape[3]);
        const int64_t x2 = edge(std::ceil(double(q + 1) * bin_w), left, shape[3]);
        double most = y1 < y2 && x1 < x2 ? -std::numeric_limits<double>::infinity() : 0;
        for (int64_t i = y1; i < y2; ++i)
          for (int64_t j = x1; j < x2; ++j)
            most = std::max(most, double(compute_t<T>(image[(c * shape[2] + i) * shape[3] + j])));
        y[(c * rows + r) * columns + q] = T(compute_t<T>(most));
      }
}

MadeKernel make_roi_pooling(const KernelRequest& request) {
  const auto& node = request.node;
  const double scale_h = graph::get_or<float>(node.attributes, "spatial_scale_h", 1.0f);
  const double scale_w = graph::get_or<float>(node.attributes, "spatial_scale_w", 1.0f);
  const int64_t rows = graph::int_of(node, "pooled_h", 1), columns = graph::int_of(node, "pooled_w", 1);
  if (request.inputs[0].shape.size() != 4) return refuse("x must have 4 dimensions");
  return function_kernel([=, label = label_of(node)](Inputs in, Outputs out) -> Status {
    const Shape& shape = in[0].shape;
    const auto boxes = TRY(boxes_of(label, in[1], shape[0]));
    return with_type(FloatTypes{}, in[0].type, [&]<class T>() -> Status {
      for (size_t i = 0; i < boxes.size(); ++i)
        pool_box(scale_h, scale_w, rows, columns, boxes[i], shape,
                 in[0].as<T>() + boxes[i].image * product(shape, 1, 4),
                 out[0].as<T>() + int64_t(i) * shape[1] * rows * columns);
      return {};
    });
  });
}

// Boxes are (y1, x1, y2, x2) in parts of the image; images are NHWC or, by the input's format, NCHW.
struct CropAndResize {
  bool nearest, first;  // `first`: channels in dimension 1
  float outside;

  template <class T, class Y>
  void crop(const double* box, const Shape& shape, const T* image, const Shape& result, Y* y) const {
    const size_t row = first ? 2 : 1;
    const int64_t height = shape[row], width = shape[row + 1], channels = shape[first ? 1 : 3];
    const int64_t rows = result[row], columns = result[row + 1];
    const auto place = [](double begin, double end, int64_t at, int64_t count, int64_t size) {
      if (count <= 1) return 0.5 * (begin + end) * double(size - 1);
      return begin * double(size - 1) + double(at) * (end - begin) * double(size - 1) / double(count - 1);
    };
    for (int64_t i = 0; i < rows * columns; ++i) {
      const double at_y = place(box[0], box[2], i / columns, rows, height),
                   at_x = place(box[1], box[3], i % columns, columns, width);
      const bool inside = at_y >= 0 && at_y <= double(height - 1) && at_x >= 0 && at_x <= double(width - 1);
      for (int64_t c = 0; c < channels; ++c) {
        const auto element = [&](double py, double px) {
          const int64_t at = int64_t(py) * width + int64_t(px);
          return double(compute_t<T>(image[first ? c * height * width + at : at * channels + c]));
        };
        double value = outside;
        if (inside && nearest) value = element(std::round(at_y), std::round(at_x));
        if (inside && !nearest) {
          const double top = std::floor(at_y), bottom = std::ceil(at_y), left = std::floor(at_x),
                       right = std::ceil(at_x);
          const double above = element(top, left) + (element(top, right) - element(top, left)) * (at_x - left);
          const double below = element(bottom, left) + (element(bottom, right) - element(bottom, left)) * (at_x - left);
          value = above + (below - above) * (at_y - top);
        }
        y[first ? c * rows * columns + i : i * channels + c] = Y(value);
      }
    }
  }
};

MadeKernel make_crop_and_resize(const KernelRequest& request) {
  const auto& node = request.node;
  const std::string method = graph::text_of(node, "method", "bilinear");
  if (method != "bilinear" && method != "nearest")
    return refuse(formatted("method {} is not bilinear or nearest", method));
  const bool wide = request.outputs[0].type == DataType::Double;
  if (!wide && request.outputs[0].type != DataType::Float) return refuse("the result must be float");
  const CropAndResize op{method == "nearest", graph::channels_first(node),
                         graph::get_or<float>(node.attributes, "extrapolation_value", 0.0f)};
  return function_kernel([op, wide, label = label_of(node)](Inputs in, Outputs out) -> Status {
    const Shape& shape = in[0].shape;
    if (shape.size() != 4 || in[1].shape.size() != 2 || in[1].shape[1] != 4)
      return failed(label, "boxes must be rows of 4 numbers");
    const auto images = TRY(indices_within(label, in[2], shape[0], false));
    const auto boxes = TRY(reals(in[1]));
    if (images.size() * 4 != boxes.size()) return failed(label, "boxes and box_index differ in length");
    return with_type(NumberTypes{}, in[0].type, [&]<class T>() -> Status {
      const auto crop_all = [&](auto* y) {
        for (size_t i = 0; i < images.size(); ++i)
          op.crop(&boxes[i * 4], shape, in[0].as<T>() + images[i] * product(shape, 1, 4), out[0].shape,
                  y + int64_t(i) * product(out[0].shape, 1, 4));
      };
      if (wide)
        crop_all(out[0].as<double>());
      else
        crop_all(out[0].as<float>());
      return {};
    });
  });
}

constexpr KernelRow rows[] = {
    {"ROIAlign", "reference", make_roi_align},
    {"ROIPooling", "reference", make_roi_pooling},
    {"CropAndResize", "reference", make_crop_and_resize},
};

}  // namespace

std::span<const KernelRow> roi_rows() { return rows; }

}  // namespace belay::backend::cpu
