// SPDX-License-Identifier: Apache-2.0
// Quantisation, and the integer forms of convolution and matrix product.
#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/numbers.h"
#include "convert/map/window.h"
#include "convert/onnx/types.h"

namespace belay::convert {
namespace {

// GE names quantised types as torch does.
Result<std::string> quantized_name(const NodeContext& c, DataType type) {
  switch (type) {
    case DataType::Int8:
      return std::string("torch.qint8");
    case DataType::UInt8:
      return std::string("torch.quint8");
    case DataType::Int32:
      return std::string("torch.qint32");
    default:
      return c.fail(formatted("quantising to {} is not supported", graph::name_of(type)));
  }
}

// A scale or zero point of one number per block of `axis`, each repeated for the elements of its block.
Result<Edge> by_block(NodeContext& c, const std::string& suffix, Edge x, int64_t axis, const Shape& whole) {
  const int64_t block = c.integer("block_size", 0);
  const Shape blocks = c.info(x).shape;
  if (block < 1) return c.fail("scales of more than one dimension need block_size");
  const size_t at = TRY(c.axis_within(axis, static_cast<int>(whole.size())));
  if (blocks.size() != whole.size() || whole[at] < 0 || blocks[at] != (whole[at] + block - 1) / block)
    return c.fail(formatted("scales of shape {} do not fit blocks of {} of {}", graph::to_text(blocks), block,
                            graph::to_text(whole)));
  TRY(c.require_few(whole[at]));
  std::vector<int64_t> places;
  for (int64_t i = 0; i < whole[at]; ++i) places.push_back(i / block);
  return c.add({"GatherV2", "Blocks" + suffix},
               {x, c.int_constant("Places" + suffix, places),
                c.int_scalar("Axis" + suffix, static_cast<int64_t>(at), DataType::Int32)});
}

// A scale or zero point of one number per slice, shaped so that it broadcasts along `axis` of a tensor of that rank.
Result<Edge> along_axis(NodeContext& c, const std::string& suffix, Edge x, int64_t axis, const Shape& whole) {
  const Shape shape = c.info(x).shape;
  if (shape.empty() || shape == Shape{1}) return x;
  if (shape.size() != 1) return by_block(c, suffix, x, axis, whole);
  const int rank = whole == Shape{-2} ? -1 : static_cast<int>(whole.size());
  if (rank < 0) return c.fail("with one scale per axis the rank must be known");
  std::vector<int64_t> target(static_cast<size_t>(rank), 1);
  target[TRY(c.axis_within(axis, rank))] = -1;
  return c.add({"Reshape", "Reshape" + suffix}, {x, c.int_constant("Shape" + suffix, target)});
}

struct Quantity {
  Edge x, scale, zero;
  std::string suffix;  // keeps the names of several apart
};

// (x - zero) * scale in float.
Result<Edge> dequantized(NodeContext& c, const Quantity& q, int64_t axis) {
  const DataType known = c.info(q.scale).type;
  const DataType type = known == DataType::Undefined ? DataType::Float : known;
  const Shape whole = c.info(q.x).shape;
  Edge value = c.cast("Cast" + q.suffix, q.x, type);
  if (q.zero.connected()) {
    const Edge zero = c.cast("CastZp" + q.suffix, q.zero, type);
    const Edge along = TRY(along_axis(c, "Zp" + q.suffix, zero, axis, whole));
    value = c.add({"Sub", "Sub" + q.suffix}, {value, along});
  }
  const Edge scale = TRY(along_axis(c, "Scale" + q.suffix, q.scale, axis, whole));
  return c.add({"Mul", "Mul" + q.suffix}, {value, scale});
}

struct Limits {
  double low, high;
};

Result<Limits> limits_of(const NodeContext& c, DataType type) {
  switch (type) {
    case DataType::Int8:
      return Limits{-128, 127};
    case DataType::UInt8:
      return Limits{0, 255};
    case DataType::Int16:
      return Limits{-32768, 32767};
    case DataType::UInt16:
      return Limits{0, 65535};
    default:
      return c.fail(formatted("quantising to {} is not supported", graph::name_of(type)));
  }
}

// The same in single steps, for what GE's Quantize cannot do: 16 bits and blocks.
Result<Edge> quantized_in_steps(NodeContext& c, Edge x, Edge scale, Edge zero, int64_t axis, DataType type) {
  const Limits limits = TRY(limits_of(c, type));
  const Shape whole = c.info(x).shape;
  const DataType real = c.info(x).type == DataType::Int32 ? DataType::Double : DataType::Float;  // that holds x
  const auto wide = [&](const char* suffix, Edge edge) { return c.cast(suffix, edge, real); };
  const Edge step = TRY(along_axis(c, "Scale", wide("CastScale", scale), axis, whole));
  Edge steps = c.add("Round", {c.add("RealDiv", {wide("CastX", x), step})});
  if (zero.connected()) {
    const Edge point = TRY(along_axis(c, "Zp", wide("CastZp", zero), axis, whole));
    steps = c.add("Add", {steps, point});
  }
  const Edge low = c.scalar("low", limits.low, real), high = c.scalar("high", limits.high, real);
  return c.cast("Cast", c.add("ClipByValue", {steps, low, high}), type);
}

Result<Edge> quantized(NodeContext& c, Edge x, Edge scale, Edge zero, int64_t axis, DataType type = DataType::UInt8) {
  if (zero.connected()) type = c.info(zero).type;
  if (type == DataType::Int16 || type == DataType::UInt16 || c.rank(scale) > 1)
    return quantized_in_steps(c, x, scale, zero, axis, type);
  const auto dtype = TRY(quantized_name(c, type));
  Attributes attributes = {{"dtype", dtype}};
  if (c.rank(scale) == 1) attributes["axis"] = axis;
  return c.add("Quantize", {x, scale, zero}, std::move(attributes));
}

Status quantize_linear(NodeContext& c) {
  constexpr int64_t unsigned_byte = 2, real = 1;
  const int64_t type = c.integer("output_dtype", 0), precision = c.integer("precision", 0);
  if (type != 0 && !onnx::is_supported(type))
    return c.fail(formatted("element type {} is not supported", onnx::type_name(type)));
  if (precision != 0 && precision != real)
    return c.fail(formatted("precision {} is not supported; it computes in FLOAT", onnx::type_name(precision)));
  const DataType wanted = onnx::data_type(type == 0 ? unsigned_byte : type);
  c.give(0, TRY(quantized(c, c.in(0), c.in(1), c.in(2), c.integer("axis", 1), wanted)));
  return {};
}

// From opset 23 on the result may have another type than the scale.
Status dequantize_linear(NodeContext& c) {
  const Edge y = TRY(dequantized(c, {c.in(0), c.in(1), c.in(2), ""}, c.integer("axis", 1)));
  const int64_t type = c.integer("output_dtype", 0);
  if (type != 0 && !onnx::is_supported(type))
    return c.fail(formatted("element type {} is not supported", onnx::type_name(type)));
  const bool same = type == 0 || onnx::data_type(type) == c.info(y).type;
  c.give(0, same ? y : c.cast("CastY", y, onnx::data_type(type)));
  return {};
}

// uint8 with the range of x, which always has 0 in it.
Status dynamic_quantize_linear(NodeContext& c) {
  const int rank = c.rank(size_t{0});
  std::vector<int64_t> axes;
  for (int i = 0; i < rank; ++i) axes.push_back(i);
  const Edge all = c.int_constant("axes", axes);
  const Attributes whole = {{"keep_dims", false}, {"noop_with_empty_axes", false}};
  const Edge none = c.scalar("zero", 0, DataType::Float);
  const Edge high = c.add("Maximum", {c.add("ReduceMax", {c.in(0), all}, whole), none});
  const Edge low = c.add("Minimum", {c.add("ReduceMin", {c.in(0), all}, whole), none});
  const Edge top = c.scalar("top", 255, DataType::Float);
  // Divided, not multiplied by 1/255, which is rounded itself.
  const Edge scale = c.add({"RealDiv", "RealDiv_scale"}, {c.add("Sub", {high, low}), top});
  const Edge ratio = c.add({"RealDiv", "RealDiv_zp"}, {c.add("Sub", {none, low}), scale});
  const Edge zero = c.add({"Round", "Round_zp"}, {c.add({"ClipByValue", "ClipByValue_zp"}, {ratio, none, top})});
  const Edge steps = c.add({"Round", "Round_y"}, {c.add({"RealDiv", "RealDiv_y"}, {c.in(0), scale})});
  const Edge clipped = c.add("ClipByValue", {c.add("Add", {steps, zero}), none, top});
  if (c.wanted(1)) c.give(1, scale);
  if (c.wanted(2)) c.give(2, c.cast("Cast_zp", zero, DataType::UInt8));
  c.give(0, c.cast("Cast", clipped, DataType::UInt8));
  return {};
}

Attributes conv_attributes(const NodeContext& c, const Window& window) {
  return {{"strides", Window::with_batch(window.strides)},
          {"dilations", Window::with_batch(window.dilations)},
          {"pads", window.pads()},
          {"groups", c.integer("group", 1)},
          {"data_format", "NCHW"}};
}

// The window of a convolution over two dimensions whose filter is input `filter`.
Result<Window> flat_window(const NodeContext& c, size_t filter) {
  const Shape shape = c.shape(filter);
  const Window window = TRY(read_window(c, shape.size() < 3 ? Shape{} : Shape(shape.begin() + 2, shape.end())));
  if (window.rank() != 2 || window.auto_pad != "NOTSET") return c.fail("only two dimensions of known sizes");
  return window;
}

Status qlinear_matmul(NodeContext& c) {
  const Edge a = TRY(dequantized(c, {c.in(0), c.in(1), c.in(2), "A"}, -2));
  const Edge b = TRY(dequantized(c, {c.in(3), c.in(4), c.in(5), "B"}, -1));
  const Edge product = c.add("BatchMatMulV2", {a, b});
  c.give(0, TRY(quantized(c, product, c.in(6), c.in(7), -1)));
  return {};
}

// The bias counts in steps of x's scale times w's.
Status qlinear_conv(NodeContext& c) {
  const Window window = TRY(flat_window(c, 3));
  const Edge x = TRY(dequantized(c, {c.in(0), c.in(1), c.in(2), "X"}, 1));
  const Edge w = TRY(dequantized(c, {c.in(3), c.in(4), c.in(5), "W"}, 0));
  Edge bias;
  if (c.has(8)) {
    const Edge steps = c.cast("CastB", c.in(8), DataType::Float);
    bias = c.add({"Mul", "MulB"}, {steps, c.add({"Mul", "ScaleB"}, {c.in(1), c.in(4)})});
  }
  const Edge y = c.add("Conv2D", {x, w, bias}, conv_attributes(c, window));
  c.give(0, TRY(quantized(c, y, c.in(6), c.in(7), 1)));
  return {};
}

// x - zero in int32.
Result<Edge> shifted(NodeContext& c, const std::string& suffix, Edge x, Edge zero, int64_t axis) {
  const Edge wide = c.cast("Cast" + suffix, x, DataType::Int32);
  if (!zero.connected()) return wide;
  const Edge shift = c.cast("CastZp" + suffix, zero, DataType::Int32);
  const Edge along = TRY(along_axis(c, suffix, shift, axis, c.info(x).shape));
  return c.add({"Sub", "Sub" + suffix}, {wide, along});
}

Status matmul_integer(NodeContext& c) {
  const Edge a = TRY(shifted(c, "A", c.in(0), c.in(2), -2)), b = TRY(shifted(c, "B", c.in(1), c.in(3), -1));
  c.give(0, c.add("BatchMatMulV2", {a, b}));
  return {};
}

Status conv_integer(NodeContext& c) {
  const Window window = TRY(flat_window(c, 1));
  const Edge x = TRY(shifted(c, "X", c.in(0), c.in(2), 1)), w = TRY(shifted(c, "W", c.in(1), c.in(3), 0));
  c.give(0, c.add("Conv2D", {x, w}, conv_attributes(c, window)));
  return {};
}

constexpr MapRow rows[] = {
    {"ConvInteger", 10, latest, "Conv2D", conv_integer},
    {"DequantizeLinear", 10, latest, "Mul", dequantize_linear},
    {"DynamicQuantizeLinear", 11, latest, "Cast", dynamic_quantize_linear},
    {"MatMulInteger", 10, latest, "BatchMatMulV2", matmul_integer},
    {"QLinearConv", 10, latest, "Conv2D", qlinear_conv},
    {"QLinearMatMul", 10, latest, "BatchMatMulV2", qlinear_matmul},
    {"QuantizeLinear", 10, latest, "Quantize", quantize_linear},
};

}  // namespace

std::span<const MapRow> map_rows_quant() { return rows; }

}  // namespace belay::convert
