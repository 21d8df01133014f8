// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "operators/builtins/builtins.h"

namespace belay::operators {
namespace {

const char* format_of(size_t spatial) { return spatial == 3 ? "NCDHW" : "NCHW"; }

// One number stands for all.
std::vector<int64_t> each(const Value& list, size_t count, int64_t fallback) {
  auto made = list.ints();
  if (made.empty()) made.assign(count, fallback);
  if (made.size() == 1) made.resize(count, made[0]);
  return made;
}

std::vector<int64_t> with_batch(const std::vector<int64_t>& spatial) {
  std::vector<int64_t> made{1, 1};
  made.insert(made.end(), spatial.begin(), spatial.end());
  return made;
}

// (before, after) of each dimension from one number for both.
std::vector<int64_t> both_sides(const std::vector<int64_t>& pads, size_t spatial) {
  if (pads.size() == 2 * spatial) return pads;
  std::vector<int64_t> made;
  for (const int64_t pad : pads) made.insert(made.end(), 2, pad);
  return made;
}

// A tensor without a batch gets one; one of a single spatial dimension becomes an image of height 1.
struct Image {
  Value x;
  size_t spatial;  // of x
  bool unbatched, line;
};

Result<Image> image_of(Sketch& s, const Value& x, size_t spatial) {
  Image made{x, spatial, x.rank() == spatial + 1, spatial == 1};
  if (x.rank() != spatial + 1 && x.rank() != spatial + 2)
    return invalid(
        formatted("a tensor of shape {} does not have {} dimensions in space", graph::to_text(x.shape), spatial));
  Shape shape = x.shape;
  if (made.unbatched) shape.insert(shape.begin(), 1);
  if (made.line) shape.insert(shape.begin() + 2, 1);
  if (made.line) made.spatial = 2;
  made.x = TRY(s.reshape(x, shape));
  return made;
}

Result<Value> back(Sketch& s, const Image& image, const Value& made) {
  Shape shape = made.shape;
  if (image.line) shape.erase(shape.begin() + 2);
  if (image.unbatched) shape.erase(shape.begin());
  return s.reshape(made, shape);
}

void lift(std::vector<int64_t>& list, int64_t value) { list.insert(list.begin(), value); }

// convolution(x, weight, bias, stride, padding, dilation, transposed, output padding, groups)
Result<Value> convolution(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[1]));
  if (a[1].rank() < 3 || a[1].rank() > 5) return invalid("the weight must have 3, 4 or 5 dimensions");
  const size_t spatial = a[1].rank() - 2;
  const auto image = TRY(image_of(s, a[0], spatial));
  auto strides = each(at(a, 3), spatial, 1), dilations = each(at(a, 5), spatial, 1),
       output = each(at(a, 7), spatial, 0);
  auto pads = both_sides(each(at(a, 4), spatial, 0), spatial);
  Value weight = TRY(s.cast(a[1], a[0].type));
  if (image.line) {
    for (auto* list : {&strides, &dilations}) lift(*list, 1);
    lift(output, 0);
    pads.insert(pads.begin(), 2, 0);
    weight = TRY(s.reshape(weight, {weight.shape[0], weight.shape[1], 1, weight.shape[2]}));
  }
  const Value bias = a[2].present() ? TRY(s.cast(a[2], a[0].type)) : Value{};
  graph::Attributes attributes{{"strides", with_batch(strides)},
                               {"pads", pads},
                               {"dilations", with_batch(dilations)},
                               {"groups", int_at(a, 8, 1)},
                               {"data_format", format_of(image.spatial)}};
  const std::string kind = image.spatial == 3 ? "Conv3D" : "Conv2D";
  if (!flag_at(a, 6)) return back(s, image, TRY(s.op(kind, {image.x, weight, bias}, attributes)));
  Shape size = image.x.shape;
  size[1] = weight.shape[1] * int_at(a, 8, 1);
  for (size_t i = 0; i < image.spatial; ++i)
    size[2 + i] = (image.x.shape[2 + i] - 1) * strides[i] - pads[2 * i] - pads[2 * i + 1] +
                  dilations[i] * (weight.shape[2 + i] - 1) + output[i] + 1;
  auto paddings = with_batch(output);
  paddings[0] = paddings[1] = 0;
  attributes["output_padding"] = paddings;
  return back(s, image, TRY(s.op(kind + "Transpose", {s.indices(size), image.x, weight, bias}, attributes)));
}

// max_pool(x, kernel, stride, padding, dilation, ceil) -> values, indices into the image
Result<Value> max_pool(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const auto image = TRY(image_of(s, a[0], 2));
  const auto kernel = each(a[1], 2, 1);
  const auto strides = at(a, 2).numbers.empty() ? kernel : each(a[2], 2, 1);
  const auto pads = each(at(a, 3), 2, 0);
  for (size_t i = 0; i < 2; ++i)
    if (pads[i] < 0 || pads[i] * 2 > kernel[i])
      return invalid("padding must be at least 0 and at most half of the kernel");
  auto made = TRY(s.ops("MaxPoolWithArgmaxV3", {image.x},
                        {{"ksize", kernel},
                         {"strides", strides},
                         {"pads", both_sides(pads, 2)},
                         {"dtype", int64_t{9}},
                         {"dilation", each(at(a, 4), 2, 1)},
                         {"ceil_mode", flag_at(a, 5)},
                         {"data_format", "NCHW"}}));
  const Value values = TRY(back(s, image, made[0]));
  const Value places = TRY(back(s, image, made[1]));
  return Value::many({values, places});
}

// max_pool_padded(x, kernel, strides, pads of both sides, ceil, dilations)
Result<Value> max_pool_padded(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  for (const double dilation : at(a, 5).numbers)
    if (dilation != 1) return invalid("dilations other than 1 are not supported");
  const auto image = TRY(image_of(s, a[0], 2));
  const auto kernel = each(a[1], 2, 1);
  auto pads = each(at(a, 3), 2, 0);
  if (pads.size() == 4) pads = {pads[0], pads[2], pads[1], pads[3]};  // came as all befores, then all afters
  return back(s, image,
              TRY(s.op("MaxPoolV3", {image.x},
                       {{"ksize", with_batch(kernel)},
                        {"strides", with_batch(at(a, 2).numbers.empty() ? kernel : each(a[2], 2, 1))},
                        {"pads", both_sides(pads, 2)},
                        {"ceil_mode", flag_at(a, 4)}})));
}

// avg_pool(rank, x, kernel, stride, padding, ceil, count padding, divisor)
Result<Value> avg_pool(Sketch& s, const Values& a) {
  TRY(need(a[1]));
  const auto spatial = static_cast<size_t>(a[0].integer);
  const auto image = TRY(image_of(s, a[1], spatial));
  const auto kernel = each(a[2], spatial, 1);
  const auto strides = at(a, 3).numbers.empty() ? kernel : each(a[3], spatial, 1);
  graph::Attributes attributes{{"ksize", with_batch(kernel)},
                               {"strides", with_batch(strides)},
                               {"pads", both_sides(each(at(a, 4), spatial, 0), spatial)},
                               {"ceil_mode", flag_at(a, 5)},
                               {"divisor_override", int_at(a, 7)},
                               {"data_format", format_of(spatial)}};
  if (spatial == 2)
    attributes["exclusive"] = !flag_at(a, 6);
  else
    attributes["count_include_pad"] = flag_at(a, 6);
  return back(s, image, TRY(s.op(spatial == 2 ? "AvgPoolV2" : "AvgPool3D", {image.x}, attributes)));
}

// A matrix that averages the windows of adaptive pooling: row o has 1/n in the n columns of its window.
Value adaptive_matrix(Sketch& s, DataType type, int64_t in, int64_t out) {
  std::vector<double> values(static_cast<size_t>(in * out));
  for (int64_t o = 0; o < out; ++o) {
    const int64_t begin = o * in / out, end = ((o + 1) * in + out - 1) / out;
    for (int64_t i = begin; i < end; ++i)
      values[static_cast<size_t>(o * in + i)] = 1.0 / static_cast<double>(end - begin);
  }
  return s.constant(type, {out, in}, values);
}

// adaptive_avg_pool(x, size), of two dimensions: rows, then columns.
Result<Value> adaptive_avg_pool(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const auto image = TRY(image_of(s, a[0], 2));
  const auto size = each(a[1], 2, 1);
  constexpr int64_t most = 1 << 14;  // of a side: its matrix is made here
  for (size_t d = 0; d < 2; ++d)
    if (size[d] < 0 || size[d] > most)
      return invalid(formatted("an output side of {} is not within 0 to {}", size[d], most));
  const Value x = a[0].type == DataType::Double ? image.x : TRY(s.cast(image.x, DataType::Float));
  const Value rows = adaptive_matrix(s, x.type, x.shape[2], size[0]);
  const Value columns = TRY(s.permute(adaptive_matrix(s, x.type, x.shape[3], size[1]), {1, 0}));
  const Value made = TRY(s.op("BatchMatMulV2", {TRY(s.op("BatchMatMulV2", {rows, x})), columns}));
  return s.cast(TRY(back(s, image, made)), a[0].type);
}

// normalized(x, shape, weight, bias, eps) -> y, mean, rstd
Result<Value> layer_norm(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[1]));
  const Shape shape(a[1].ints());
  if (shape.size() > a[0].rank() || !std::equal(shape.rbegin(), shape.rend(), a[0].shape.rbegin()))
    return invalid("normalizedShape " + graph::to_text(shape) + " is not the end of " + graph::to_text(a[0].shape));
  const auto parameter = [&](const Value& given, double fallback) -> Result<Value> {
    if (given.present()) return s.cast(given, a[0].type);
    return s.expand(s.scalar(a[0].type, fallback), shape);
  };
  const auto axis = static_cast<int64_t>(a[0].rank() - shape.size());
  const Value weight = TRY(parameter(a[2], 1));
  const Value bias = TRY(parameter(a[3], 0));
  auto made = TRY(s.ops(
      "LayerNormV3", {a[0], weight, bias},
      {{"begin_norm_axis", axis}, {"begin_params_axis", axis}, {"epsilon", static_cast<float>(real_at(a, 4, 1e-5))}}));
  for (Value& value : made) value.any_type = true;
  return Value::many(std::move(made));
}

// group_norm(x, gamma, beta, groups, eps) -> y, mean, rstd
Result<Value> group_norm(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  if (a[0].rank() < 2) return invalid("self must have at least two dimensions");
  const int64_t n = a[0].shape[0], c = a[0].shape[1], groups = int_at(a, 3);
  if (groups <= 0 || c % groups != 0) return invalid(formatted("{} channels do not divide into {} groups", c, groups));
  const int64_t rest = n * c == 0 ? 0 : graph::element_count(a[0].shape) / (n * c);
  const DataType type = a[0].type == DataType::Double ? DataType::Double : DataType::Float;
  const Value x = TRY(s.cast(TRY(s.reshape(a[0], {n, groups, c / groups * rest})), type));
  const Value axes = s.indices({2});
  const Value mean = TRY(s.op("ReduceMean", {x, axes}, {{"keep_dims", true}}));
  const Value away = TRY(s.op("Sub", {x, mean}));
  const Value variance = TRY(s.op("ReduceMean", {TRY(s.op("Mul", {away, away})), axes}, {{"keep_dims", true}}));
  const Value rstd = TRY(s.op("Rsqrt", {TRY(s.op("Add", {variance, s.scalar(type, real_at(a, 4))}))}));
  Value y = TRY(s.reshape(TRY(s.op("Mul", {away, rstd})), {n, c, rest}));
  for (const size_t i : {size_t{1}, size_t{2}}) {
    if (!a[i].present()) continue;
    const Value parameter = TRY(s.reshape(TRY(s.cast(a[i], type)), {1, c, 1}));
    y = TRY(s.op(i == 1 ? "Mul" : "Add", {y, parameter}));
  }
  y = TRY(s.cast(TRY(s.reshape(y, a[0].shape)), a[0].type));
  const Value means = TRY(s.reshape(mean, {n, groups}));
  const Value rstds = TRY(s.reshape(rstd, {n, groups}));
  Values made{y, means, rstds};
  for (Value& value : made) value.any_type = true;
  return Value::many(std::move(made));
}

// batch_norm(x, weight, bias, running mean, running variance, training, momentum, eps)
//   -> y, saved mean, saved inverse deviation, new running mean, new running variance
Result<Value> batch_norm(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  if (a[0].rank() < 2) return invalid("input must have at least two dimensions");
  const bool training = flag_at(a, 5);
  if (!training) {
    TRY(need(a[3]));
    TRY(need(a[4]));
  }
  const DataType type = a[0].type == DataType::Double ? DataType::Double : DataType::Float;
  const Value x = TRY(s.cast(a[0], type));
  Shape channels(a[0].rank(), 1);
  channels[1] = a[0].shape[1];
  std::vector<int64_t> axes{0};
  for (size_t i = 2; i < a[0].rank(); ++i) axes.push_back(static_cast<int64_t>(i));
  const auto parameter = [&](const Value& given, double fallback) -> Result<Value> {
    if (!given.present()) return s.expand(s.scalar(type, fallback), channels);
    return s.reshape(TRY(s.cast(given, type)), channels);
  };
  const Value old_mean = TRY(parameter(a[3], 0)), old_variance = TRY(parameter(a[4], 1));
  const Value mean = training ? TRY(s.op("ReduceMean", {x, s.indices(axes)}, {{"keep_dims", true}})) : old_mean;
  const Value away = TRY(s.op("Sub", {x, mean}));
  const Value variance =
      training ? TRY(s.op("ReduceMean", {TRY(s.op("Mul", {away, away})), s.indices(axes)}, {{"keep_dims", true}}))
               : old_variance;
  const Value rstd = TRY(s.op("Rsqrt", {TRY(s.op("Add", {variance, s.scalar(type, real_at(a, 7))}))}));
  const Value weight = TRY(parameter(a[1], 1));
  const Value bias = TRY(parameter(a[2], 0));
  Value y = TRY(s.op("Mul", {TRY(s.op("Mul", {away, rstd})), weight}));
  y = TRY(s.op("Add", {y, bias}));
  const double momentum = real_at(a, 6), count = static_cast<double>(graph::element_count(a[0].shape)) /
                                                 static_cast<double>(std::max<int64_t>(a[0].shape[1], 1));
  const auto moved = [&](const Value& old, const Value& now, double scale) -> Result<Value> {
    if (!training) return old;
    const Value kept = TRY(s.op("Mul", {old, s.scalar(type, 1 - momentum)}));
    const Value added = TRY(s.op("Mul", {now, s.scalar(type, momentum * scale)}));
    return s.op("Add", {kept, added});
  };
  const Value new_mean = TRY(moved(old_mean, mean, 1));
  const Value new_variance = TRY(moved(old_variance, variance, count > 1 ? count / (count - 1) : 1));
  Values made{y, mean, rstd, new_mean, new_variance};
  for (size_t i = 1; i < made.size(); ++i) made[i] = TRY(s.reshape(made[i], {a[0].shape[1]}));
  for (Value& value : made) value.any_type = true;
  return Value::many(std::move(made));
}

// The scale that replaces the ratio of the sizes: 0 where it is that ratio, or none is given.
Result<double> own_scale(double scale, int64_t from, int64_t to) {
  if (!(scale > 0)) return 0.0;
  const double in = static_cast<double>(from), made = in * scale, away = std::abs(made - static_cast<double>(to));
  if (away <= 1e-6 * in) return 0.0;
  if (static_cast<int64_t>(std::floor(made)) == to) return scale;
  if (away <= 1e-3 * in) return 0.0;
  return invalid(formatted("a scale of {} does not make {} of {}", scale, to, from));
}

// step(scale): what PyTorch multiplies places by for a scale; 0 where none is given.
Result<Value> step(Sketch&, const Values& a) {
  const double scale = real_at(a, 0);
  return Value::of(scale > 0 ? 1 / scale : 0.0);
}

// resize(mode, x, size, align, spatial, scales...): the spatial dimensions become `size`. The places in x follow from
// the scales that are given (not 0), which must make the sizes but for a fraction.
Result<Value> resize(Sketch& s, const Values& a) {
  TRY(need(a[1]));
  const auto spatial = static_cast<size_t>(a[4].integer);
  if (a[1].rank() != spatial + 2) return invalid(formatted("self must have {} dimensions", spatial + 2));
  const Shape size(a[2].ints());
  if (size.size() != spatial) return invalid(formatted("outputSize must have {} elements", spatial));
  std::vector<double> scales(spatial + 2);
  const std::string& mode = a[0].text;
  const bool cubic = mode == "cubic", nearest = mode == "nearest", exact = mode == "nearest_exact";
  for (size_t i = 0; i < spatial; ++i) {
    const double given = real_at(a, 5 + i), own = TRY(own_scale(given, a[1].shape[2 + i], size[i]));
    scales[2 + i] = (nearest || exact) && given > 0 ? given : own;
  }
  const bool scaled = std::ranges::any_of(scales, [](double scale) { return scale != 0; });
  Shape sizes{a[1].shape[0], a[1].shape[1]};
  sizes.insert(sizes.end(), size.begin(), size.end());
  const char* coordinates = nearest         ? "torch_nearest"
                            : exact         ? "torch_nearest_exact"
                            : flag_at(a, 3) ? "align_corners"
                                            : "half_pixel";
  const Value own = scaled ? s.constant(DataType::Double, {static_cast<int64_t>(scales.size())}, scales) : Value{};
  return s.op("Resize", {a[1], Value{}, own, s.indices(sizes)},
              {{"mode", nearest || exact ? "nearest" : mode},
               {"coordinate_transformation_mode", coordinates},
               {"nearest_mode", "floor"}});
}

// softmax(op, x, dim)
Result<Value> softmax(Sketch& s, const Values& a) {
  TRY(need(a[1]));
  const Value x = category_of(a[1].type) < Category::Float ? TRY(s.cast(a[1], DataType::Float)) : a[1];
  const int64_t dim = TRY(dimension(int_at(a, 2), x.rank()));
  const Value shaped = x.rank() == 0 ? TRY(s.reshape(x, {1})) : x;
  return s.reshape(TRY(s.op(a[0].text, {shaped}, {{"axes", std::vector<int64_t>{dim}}})), x.shape);
}

constexpr Builtin kRows[] = {
    {"convolution", convolution},
    {"max_pool", max_pool},
    {"max_pool_padded", max_pool_padded},
    {"avg_pool", avg_pool},
    {"layer_norm", layer_norm},
    {"adaptive_avg_pool", adaptive_avg_pool},
    {"group_norm", group_norm},
    {"batch_norm", batch_norm},
    {"resize", resize},
    {"step", step},
    {"softmax", softmax},
};

}  // namespace

std::span<const Builtin> nn_builtins() { return kRows; }

}  // namespace belay::operators
