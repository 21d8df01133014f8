// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls that make whole numbers of floats, and floats of them: DynamicQuant, DynamicBlockQuant,
// AscendQuant, Quantize, GroupQuant, AscendAntiQuant.
#include <cmath>

#include "backend/cpu/arguments.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/rowwise/whole_row.h"
#include "backend/cpu/rowwise/words.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

Status check_real(const graph::TensorInfo& x) {
  if (is_real(x.type) && !x.shape.empty()) return {};
  return refuse(formatted("x is {} {}; FLOAT, FLOAT16 and BF16 with dimensions are supported", graph::name_of(x.type),
                          graph::to_text(x.shape)));
}

// A scale, and an offset when it is asked for, for each row: for the last dimension, for all, or for all but the last.
struct DynamicQuant {
  int x, smooth, groups;
  int y, scale, offset;
  int64_t outer, rows, width;  // `rows` share a scale with `turned`
  bool turned, shifted;

  void store(float* values, int64_t count, int64_t begin, int64_t at, Outputs out) const {
    Tensor& to = out[static_cast<size_t>(y)];
    float* scales = out[static_cast<size_t>(scale)].as<float>();
    if (!shifted) {
      scales[at] = store_scaled(values, count, to, begin);
      return;
    }
    const auto made = store_shifted(values, count, to, begin);
    scales[at] = made.scale;
    out[static_cast<size_t>(offset)].as<float>()[at] = made.offset;
  }

  Status run(Inputs in, Outputs out) const {
    const auto factors = all_floats(tensor_at(in, smooth));
    if (turned) return run_turned(in, out, factors);
    const auto given = groups < 0 ? std::vector<int64_t>{} : TRY(integers(in[static_cast<size_t>(groups)]));
    const auto group = groups_of_rows(given, false, rows);
    parallel_for(rows, std::max<int64_t>(1, 8192 / std::max<int64_t>(width, 1)), [&](int64_t begin, int64_t end) {
      std::vector<float> row(static_cast<size_t>(width));
      for (int64_t r = begin; r < end; ++r) {
        read_floats(in[static_cast<size_t>(x)], r * width, width, row.data());
        const int64_t g = given.empty() ? 0 : std::max<int64_t>(group[static_cast<size_t>(r)], 0);
        const auto period =
            static_cast<int64_t>(factors.size()) / std::max<int64_t>(static_cast<int64_t>(given.size()), 1);
        for (int64_t c = 0; c < width && !factors.empty(); ++c)
          row[static_cast<size_t>(c)] *= factors[static_cast<size_t>(g * period + c % period)];
        store(row.data(), width, r * width, r, out);
      }
    });
    return {};
  }

  // Columns have the scales.
  Status run_turned(Inputs in, Outputs out, const std::vector<float>& factors) const {
    const auto all = all_floats(in[static_cast<size_t>(x)]);
    Tensor& to = out[static_cast<size_t>(y)];
    std::vector<int8_t> whole(static_cast<size_t>(rows));
    std::vector<float> column(static_cast<size_t>(rows)), made(all.size());
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t c = 0; c < width; ++c) {
        for (int64_t r = 0; r < rows; ++r)
          column[static_cast<size_t>(r)] = all[static_cast<size_t>((o * rows + r) * width + c)] *
                                           (factors.empty() ? 1 : factors[static_cast<size_t>(r)]);
        float low = INFINITY, high = -INFINITY, most = 0;
        for (const float value : column) {
          low = std::min(low, value), high = std::max(high, value), most = std::max(most, std::abs(value));
        }
        const float top = whole_most(to.type), by = shifted ? (high - low) / (2 * top + 1) : most * (1 / top);
        const float shift = shifted && by > 0 ? top - high / by : 0;
        out[static_cast<size_t>(scale)].as<float>()[o * width + c] = by;
        if (shifted) out[static_cast<size_t>(offset)].as<float>()[o * width + c] = shift;
        for (int64_t r = 0; r < rows; ++r)
          made[static_cast<size_t>((o * rows + r) * width + c)] =
              by > 0 ? nearest_whole(column[static_cast<size_t>(r)] / by + shift) : 0;
      }
    store_whole(made.data(), static_cast<int64_t>(made.size()), to, 0);
    return {};
  }
};

MadeKernel make_dynamic_quant(const KernelRequest& request) {
  const WholeCall call(request);
  DynamicQuant op{};
  op.x = call.even_empty("x"), op.smooth = call.input("smooth"), op.groups = call.input("groups");
  op.y = call.output(0), op.scale = call.output(1), op.offset = call.output(2);
  op.shifted = call.flag("symmetric") ? false : op.offset >= 0;
  const auto& x = call.info(op.x);
  TRY(check_real(x));
  const std::string mode = call.text("mode", "pertoken");
  if (mode != "" && mode != "pertoken" && mode != "pertensor" && mode != "perchannel")
    return refuse(formatted("quantMode \"{}\" is not \"pertoken\", \"pertensor\" or \"perchannel\"", mode));
  op.turned = mode == "perchannel";
  const int64_t count = graph::element_count(x.shape);
  if (x.shape.empty() || count == 0) return refuse("x has no dimension, or no elements");
  if (op.turned && x.shape.size() < 2) return refuse("quantMode \"perchannel\" needs an x of two dimensions or more");
  op.width = mode == "pertensor" ? count : x.shape.back();
  op.rows = op.turned ? x.shape.end()[-2] : count / op.width;
  op.outer = op.turned ? count / (op.rows * op.width) : 1;
  if (call.has("symmetric") && !call.flag("symmetric") && op.offset < 0)
    return refuse("isSymmetrical false needs offsetOut");
  const auto& y = call.result(op.y);
  TRY(check_whole_type(y, call.integer("type", -1), "yOut"));
  if (whole_count(y) != count)
    return refuse(formatted("yOut has shape {}; x has shape {}", graph::to_text(y.shape), graph::to_text(x.shape)));
  const int64_t scales = op.turned ? op.outer * op.width : op.rows;
  for (const auto& [output, name] : {std::pair{op.scale, "scaleOut"}, {op.shifted ? op.offset : -1, "offsetOut"}}) {
    if (output < 0) continue;
    const auto& info = call.result(output);
    if (info.type != DataType::Float || graph::element_count(info.shape) != scales)
      return refuse(formatted("{} is {} {}; it must be FLOAT with {} elements", name, graph::name_of(info.type),
                              graph::to_text(info.shape), scales));
  }
  const int64_t experts = op.groups < 0 ? 1 : graph::element_count(call.info(op.groups).shape);
  const int64_t smooths = op.turned ? op.rows : x.shape.back();
  if (op.groups >= 0 && op.turned) return refuse("groupIndex goes with quantMode \"pertoken\"");
  TRY(check_numbers(call, "smooth", {experts * smooths}));
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

// One scale for each block of a matrix.
MadeKernel make_block_quant(const KernelRequest& request) {
  const WholeCall call(request);
  const int place = call.even_empty("x");
  const auto &x = call.info(place), &y = call.result(0), &scale = call.result(1);
  TRY(check_real(x));
  int64_t high = call.integer("rows"), wide = call.integer("columns");
  if (high <= 0 || wide <= 0) return refuse("rowBlockSize and colBlockSize must be above 0");
  if (const std::string mode = call.text("round"); mode != "" && mode != "rint")
    return refuse(formatted("roundMode \"{}\" is not supported; \"rint\" is", mode));
  if (x.shape.size() < 2 || x.shape.size() > 3) return refuse("x must have 2 or 3 dimensions");
  if (y.type != DataType::Int8 || y.shape != x.shape || (call.integer("type", 2) != 2))
    return refuse("yOut must be INT8 with x's shape, and dstType 2");
  const int64_t m = x.shape.end()[-2], n = x.shape.back(), batches = x.shape.size() == 3 ? x.shape[0] : 1;
  high = std::min(high, std::max<int64_t>(m, 1)), wide = std::min(wide, std::max<int64_t>(n, 1));
  const int64_t down = (m + high - 1) / high, across = (n + wide - 1) / wide;
  if (scale.type != DataType::Float || graph::element_count(scale.shape) != batches * down * across)
    return refuse(
        formatted("scaleOut has shape {}; it must be FLOAT [{},{}]", graph::to_text(scale.shape), down, across));
  const auto least = static_cast<float>(call.real("least"));
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    parallel_for(batches * down, 1, [&](int64_t begin, int64_t end) {
      std::vector<float> all(static_cast<size_t>(high * n));
      for (int64_t strip = begin; strip < end; ++strip) {
        const int64_t first = strip / down * m + strip % down * high, count = std::min(high, m - strip % down * high);
        read_floats(in[static_cast<size_t>(place)], first * n, count * n, all.data());
        for (int64_t a = 0; a < across; ++a) {
          const int64_t from = a * wide, to = std::min(n, from + wide);
          float most = 0;
          for (int64_t r = 0; r < count; ++r)
            for (int64_t c = from; c < to; ++c) most = std::max(most, std::abs(all[static_cast<size_t>(r * n + c)]));
          float by = most / 127;
          if (least > 0) by = std::min(by, 1 / least);
          out[1].as<float>()[strip * across + a] = by;
          for (int64_t r = 0; r < count; ++r)
            for (int64_t c = from; c < to; ++c)
              out[0].as<int8_t>()[(first + r) * n + c] =
                  by > 0 ? saturated<int8_t>(nearest_whole(all[static_cast<size_t>(r * n + c)] / by)) : int8_t{0};
        }
      }
    });
    return {};
  });
}

// y = round(x * scale + offset), or round(x / scale + offset), with given numbers.
MadeKernel make_static_quant(const KernelRequest& request) {
  const WholeCall call(request);
  const int x = call.even_empty("x"), scale = call.input("scale"), offset = call.input("offset"),
            groups = call.input("groups");
  const auto &info = call.info(x), &y = call.result(0);
  TRY(check_real(info));
  const bool divides = call.flag("divides"), twice = call.flag("square"),
             whole32 = y.type == DataType::Int32 && divides;
  const Rounding rounding = TRY(rounding_named(call.text("round").empty() ? "round" : call.text("round")));
  if (!divides) TRY(check_whole_type(y, call.integer("type", -1), "y"));
  if (divides && y.type != DataType::Int8 && y.type != DataType::UInt8 && y.type != DataType::Int32)
    return refuse(formatted("out of {} is not supported; INT8, UINT8 and INT32 are", graph::name_of(y.type)));
  if (divides && call.integer("type", -1) >= 0 && static_cast<DataType>(call.integer("type")) != y.type)
    return refuse(formatted("dtype is {}, but out is {}", call.integer("type"), graph::name_of(y.type)));
  const int64_t count = graph::element_count(info.shape);
  if ((whole32 ? graph::element_count(y.shape) : whole_count(y)) != count)
    return refuse(formatted("x has shape {}, the result {}", graph::to_text(info.shape), graph::to_text(y.shape)));
  if (scale < 0) return refuse("the scale must have elements");
  const int64_t axis = call.integer("axis", -1), rank = static_cast<int64_t>(info.shape.size());
  if (axis < -rank || axis >= rank) return refuse(formatted("axis is {}; x has {} dimensions", axis, rank));
  if (groups >= 0) {
    const int64_t experts = graph::element_count(call.info(groups).shape);
    TRY(check_numbers(call, "scale", {experts * info.shape.back()}));
    TRY(check_numbers(call, "offset", {1}));
  } else {
    const int64_t along = info.shape[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
    for (const char* name : {"scale", "offset"}) {
      const int given = call.input(name);
      if (given >= 0 && call.info(given).shape.size() <= 1) TRY(check_numbers(call, name, {1, along}));
      if (given >= 0 && call.info(given).shape.size() > 1)
        if (const auto both = graph::broadcast(info.shape, call.info(given).shape); !both.ok() || *both != info.shape)
          return refuse(formatted("{} {} does not fit x {}", name, graph::to_text(call.info(given).shape),
                                  graph::to_text(info.shape)));
    }
  }
  const Shape shape = info.shape;
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const int64_t width = shape.back();
    std::vector<float> each;
    std::vector<int64_t> group;
    if (groups >= 0) {
      each = all_floats(tensor_at(in, scale));
      group = groups_of_rows(TRY(integers(in[static_cast<size_t>(groups)])), false, count / width);
    }
    const Tensor one{.present = false};
    const auto scales = TRY(Parameter::read("AscendQuant", groups < 0 ? tensor_at(in, scale) : one, shape, axis, 1)),
               offsets = TRY(Parameter::read("AscendQuant", tensor_at(in, offset), shape, axis, 0));
    parallel_for(count / width, std::max<int64_t>(1, 8192 / width), [&](int64_t begin, int64_t end) {
      std::vector<float> row(static_cast<size_t>(width));
      for (int64_t r = begin; r < end; ++r) {
        read_floats(in[static_cast<size_t>(x)], r * width, width, row.data());
        const int64_t g = groups < 0 ? 0 : group[static_cast<size_t>(r)];
        if (g < 0) continue;
        for (int64_t c = 0; c < width; ++c) {
          const float s = groups < 0 ? scales.at(r * width + c) : each[static_cast<size_t>(g * width + c)];
          float& value = row[static_cast<size_t>(c)];
          value = divides ? value / s : twice ? value * s * s : value * s;
          value = rounded(rounding, value + offsets.at(r * width + c));
        }
        if (whole32)
          for (int64_t c = 0; c < width; ++c)
            out[0].as<int32_t>()[r * width + c] = saturated<int32_t>(static_cast<double>(row[static_cast<size_t>(c)]));
        else
          store_whole(row.data(), width, out[0], r * width);
      }
    });
    return {};
  });
}

// y = (x + offset) * scale.
MadeKernel make_anti_quant(const KernelRequest& request) {
  const WholeCall call(request);
  const int x = call.even_empty("x"), scale = call.input("scale"), offset = call.input("offset");
  const auto &info = call.info(x), &y = call.result(0);
  if (info.type != DataType::Int8 && !holds_int4(info.type))
    return refuse(
        formatted("x of {} is not supported; INT8, INT4 and INT32 with 8 of 4 bits are", graph::name_of(info.type)));
  if ((y.type != DataType::Float16 && y.type != DataType::BFloat16) || info.shape.empty())
    return refuse("y must be FLOAT16 or BF16, and x have dimensions");
  if (const int64_t type = call.integer("type", -1); type >= 0 && static_cast<DataType>(type) != y.type)
    return refuse(formatted("dstType is {}, but y is {}", type, graph::name_of(y.type)));
  Shape shape = info.shape;
  if (info.type == DataType::Int32) shape.back() *= 8;
  if (y.shape != shape)
    return refuse(formatted("y has shape {}; it must be {}", graph::to_text(y.shape), graph::to_text(shape)));
  if (scale < 0) return refuse("scale must have elements");
  const int64_t last = shape.back(), before = shape.size() > 1 ? shape.end()[-2] : 1;
  TRY(check_numbers(call, "scale", {1, last, before}));
  TRY(check_numbers(call, "offset", {1, last, before}));
  const bool twice = call.flag("square");
  const int64_t count = graph::element_count(shape);
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto scales = all_floats(tensor_at(in, scale)), offsets = all_floats(tensor_at(in, offset));
    const auto number = [&](const std::vector<float>& list, int64_t row, int64_t c, float none) {
      const auto size = static_cast<int64_t>(list.size());
      if (size <= 1) return size ? list[0] : none;
      return list[static_cast<size_t>(size == last ? c : row % before)];
    };
    Tensor from = in[static_cast<size_t>(x)];
    if (from.type == DataType::Int32) from.type = DataType::Int4;
    std::vector<float> row(static_cast<size_t>(last));
    for (int64_t r = 0; r < count / last; ++r) {
      read_floats(from, r * last, last, row.data());
      for (int64_t c = 0; c < last; ++c) {
        const float s = number(scales, r, c, 1);
        float& value = row[static_cast<size_t>(c)];
        value = (value + number(offsets, r, c, 0)) * s;
        if (twice) value *= s;
      }
      write_floats(row.data(), last, out[0], r * last);
    }
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"AclnnAntiQuant", "reference", make_anti_quant},     {"AclnnBlockQuant", "reference", make_block_quant},
    {"AclnnDequantBias", "reference", make_dequant_bias}, {"AclnnDynamicQuant", "reference", make_dynamic_quant},
    {"AclnnInt4Pack", "reference", make_int4_pack},       {"AclnnScaleWords", "reference", make_scale_words},
    {"AclnnStaticQuant", "reference", make_static_quant},
};

}  // namespace

std::span<const KernelRow> aclnn_quant_rows() { return rows; }

}  // namespace belay::backend::cpu
