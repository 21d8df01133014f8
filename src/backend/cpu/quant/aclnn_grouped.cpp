// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls of products by groups of rows: GroupedMatmul, GroupedMatmulAdd, GroupedMatmulSwigluQuant.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/quant/grouped.h"
#include "backend/cpu/quant/row_quant.h"
#include "backend/cpu/rows.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

struct GroupedMatmul {
  Grouped product;
  std::vector<size_t> outputs;
  int offset, scale;
  bool list;  // an output for each group

  Status run(Inputs in, Outputs out) const {
    const auto groups = TRY(product.groups(in));
    std::vector<float> offsets = all_floats(tensor_at(in, offset));
    if (offset < 0) offsets = word_offsets(tensor_at(in, scale));
    const int64_t n = product.columns();
    if (product.by_columns())
      for (const size_t o : outputs) std::memset(out[o].data, 0, out[o].bytes());
    if (list && groups.size() > outputs.size())
      return refuse(formatted("out has {} tensors; groupList has {} groups", outputs.size(), groups.size()));
    for (size_t g = 0; g < groups.size(); ++g) {
      const Shape& y = out[outputs[list ? g : 0]].shape;
      const bool turned = product.by_columns();
      const int64_t rows = turned ? product.rows_of(groups[g]) : groups[g].count, columns = y.back();
      const bool fits =
          columns == product.columns_of(groups[g].weight) && (list     ? graph::element_count(y) == rows * columns
                                                              : turned ? y[1] == rows && static_cast<int64_t>(g) < y[0]
                                                                       : true);
      if (!fits)
        return refuse(formatted("out has shape {}; group {} has {} rows of {} columns", graph::to_text(y), g, rows,
                                product.columns_of(groups[g].weight)));
    }
    return product.run(in, [&](const Grouped::Part& part) {
      Tensor& y = out[outputs[list ? part.group : 0]];
      const int64_t width = list ? y.shape.back() : n;
      int64_t row = list ? part.group_row : part.row;
      if (product.by_columns())
        row = part.group_row + (list ? 0 : static_cast<int64_t>(part.group) * y.shape.end()[-2]);
      const int64_t at = row * width + part.first;
      if (y.type == DataType::Int32) {
        std::copy(part.exact, part.exact + part.count, y.as<int32_t>() + at);
      } else if (y.type == DataType::Int8) {
        for (int64_t c = 0; c < part.count; ++c) {
          const size_t place = static_cast<size_t>(groups[part.group].weight * n + part.first + c);
          const float shift = offsets.empty() ? 0 : offsets[place];
          y.as<int8_t>()[at + c] = saturated<int8_t>(nearest_whole(part.values[c] + shift));
        }
      } else {
        write_floats(part.values, part.count, y, at);
      }
    });
  }
};

Status check_outputs(const WholeCall& call, const Grouped& product, const std::vector<size_t>& outputs, int64_t split) {
  using enum DataType;
  const bool one = split == 2 || split == 3;
  if (split < 0 || split > 3) return refuse("splitItem must be from 0 to 3");
  if (one && outputs.size() != 1)
    return refuse(formatted("splitItem {} gives one tensor; out has {}", split, outputs.size()));
  for (const size_t o : outputs) {
    const auto& y = call.result(static_cast<int>(o));
    const bool whole = product.kind() == Grouped::Kind::Whole;
    const bool known =
        y.type == Float || y.type == Float16 || y.type == BFloat16 || (whole && (y.type == Int8 || y.type == Int32));
    if (!known) return refuse(formatted("an out of {} is not supported here", graph::name_of(y.type)));
    if (y.shape.size() < 2) return refuse("out must have 2 dimensions or more");
    if (one && (y.shape.back() != product.columns() || (!product.by_columns() && y.shape[0] < product.rows())))
      return refuse(formatted("out has shape {}; {} rows of {} columns come out", graph::to_text(y.shape),
                              product.rows(), product.columns()));
  }
  return {};
}

MadeKernel make_grouped_matmul(const KernelRequest& request) {
  const WholeCall call(request);
  GroupedMatmul op{TRY(Grouped::make(request)), call.outputs(0), call.input("offset"), call.input("scale"), false};
  TRY(call.absent({"activationInput", "activationQuantScale", "activationQuantOffset"}));
  const int64_t split = call.integer("split");
  for (const size_t target : {1, 2})
    if (call.output(target) >= 0)
      return refuse("activationFeatureOut and dynQuantScaleOut are not supported; give null");
  TRY(check_outputs(call, op.product, op.outputs, split));
  op.list = (split == 0 || split == 1) && (op.outputs.size() > 1 || op.product.tensors_of_x() > 1 || split == 1);
  if (op.product.by_columns() && !op.list && call.result(static_cast<int>(op.outputs[0])).shape.size() != 3)
    return refuse("out must be [groups, m, n] with groupType 2");
  return function_kernel([op = std::make_shared<const GroupedMatmul>(std::move(op))](Inputs in, Outputs out) -> Status {
    return op->run(in, out);
  });
}

// The result is added to what is there: [groups, m, n] of Float.
MadeKernel make_grouped_add(const KernelRequest& request) {
  const WholeCall call(request);
  auto product = std::make_shared<const Grouped>(TRY(Grouped::make(request)));
  const int y = call.even_empty("y");
  const auto& info = call.result(0);
  if (!product->by_columns()) return refuse("groupType must be 2");
  if (info.type != DataType::Float || info.shape.size() != 3 || info.shape[2] != product->columns() ||
      info.shape[1] != product->rows())
    return refuse(formatted("yRef has type {} and shape {}; it must be FLOAT [groups, {}, {}]",
                            graph::name_of(info.type), graph::to_text(info.shape), product->rows(),
                            product->columns()));
  return whole_kernel({{0, static_cast<size_t>(y)}}, [product, y](Inputs in, Outputs out) -> Status {
    Tensor& to = out[0];
    copy_unless_same(in[static_cast<size_t>(y)], to);
    if (static_cast<int64_t>(TRY(product->groups(in)).size()) > to.shape[0])
      return refuse("groupList has more groups than yRef");
    return product->run(in, [&](const Grouped::Part& part) {
      float* at =
          to.as<float>() + (static_cast<int64_t>(part.group) * to.shape[1] + part.group_row) * to.shape[2] + part.first;
      for (int64_t c = 0; c < part.count; ++c) at[c] += part.values[c];
    });
  });
}

// silu(left half) * right half of the product, as INT8 with a scale for each row.
MadeKernel make_grouped_swiglu(const KernelRequest& request) {
  const WholeCall call(request);
  auto product = std::make_shared<const Grouped>(TRY(Grouped::make(request)));
  using Kind = Grouped::Kind;
  TRY(call.absent({"offsetOptional", "biasOptional"}));
  if (product->kind() != Kind::Whole && product->kind() != Kind::Mixed)
    return refuse("x must be INT8 and weight INT8 or INT4");
  for (const char* name : {"quantMode", "dequantMode"})
    if (call.integer(name) != 0) return refuse(formatted("{} must be 0", name));
  const int64_t n = product->columns(), m = product->rows();
  const int smooth = call.input("smooth");
  const auto &y = call.result(0), &scale = call.result(1);
  if (n % 2 != 0 || y.type != DataType::Int8 || y.shape != Shape{m, n / 2})
    return refuse(formatted("output must be INT8 [{},{}]", m, n / 2));
  if (scale.type != DataType::Float || graph::element_count(scale.shape) != m)
    return refuse(formatted("outputScale must be FLOAT [{}]", m));
  TRY(call.all_real({"smooth"}));
  const int64_t smooths = smooth < 0 ? 0 : graph::element_count(call.info(smooth).shape);
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    std::vector<float> all(static_cast<size_t>(m * n));
    TRY(product->run(in, [&](const Grouped::Part& part) {
      std::copy(part.values, part.values + part.count, all.data() + part.row * n + part.first);
    }));
    const auto factors = all_floats(tensor_at(in, smooth));
    for (const auto& group : TRY(product->groups(in))) {
      const bool each = smooths > 0 && smooths % (n / 2) == 0 && smooths >= (group.weight + 1) * (n / 2);
      if (smooths > 0 && !each && group.weight >= smooths) return refuse("smoothScale has fewer elements than groups");
      for (int64_t r = group.first; r < group.first + group.count; ++r) {
        float* row = all.data() + r * n;
        for (int64_t c = 0; c < n / 2; ++c) {
          row[c] = activated(5, row[c]) * row[n / 2 + c];
          if (smooths > 0) row[c] *= factors[static_cast<size_t>(each ? group.weight * (n / 2) + c : group.weight)];
        }
        out[1].as<float>()[r] = quantise_row(row, n / 2, out[0].as<int8_t>() + r * (n / 2));
      }
    }
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"AclnnGroupedMatmul", "reference", make_grouped_matmul},
    {"AclnnGroupedMatmulAdd", "reference", make_grouped_add},
    {"AclnnGroupedMatmulSwigluQuant", "reference", make_grouped_swiglu},
};

}  // namespace

std::span<const KernelRow> aclnn_grouped_rows() { return rows; }

}  // namespace belay::backend::cpu
