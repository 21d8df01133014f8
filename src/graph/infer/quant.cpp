// SPDX-License-Identifier: Apache-2.0
// Types and shapes of quantised tensors.
#include "graph/infer/arguments.h"
#include "graph/infer/rows.h"

namespace belay::graph {
namespace {

Status with_type(InferContext& c, DataType type) {
  TRY(require_inputs(c, 1));
  c.add_output(type, c.shape(0));
  return {};
}

// Types have the names that torch gives them.
Status quantize(InferContext& c) {
  TRY(require_inputs(c, 2));
  const std::string type = text_of(c.node, "dtype", "");
  if (type == "torch.qint8") return with_type(c, DataType::Int8);
  if (type == "torch.quint8") return with_type(c, DataType::UInt8);
  if (type == "torch.qint32") return with_type(c, DataType::Int32);
  return c.fail("dtype " + type + " is not one of torch.qint8, torch.quint8, torch.qint32");
}

Status to_dst_type(InferContext& c) { return with_type(c, type_of(c.node, "dst_type", DataType::Int8)); }
Status to_half(InferContext& c) { return with_type(c, type_of(c.node, "dst_type", DataType::Float16)); }
Status to_dtype(InferContext& c) { return with_type(c, type_of(c.node, "dtype", DataType::Float)); }

// y and one scale (and offset) for each row.
Status dynamic_quant(InferContext& c) {
  TRY(to_dst_type(c));
  Shape rows = c.shape(0);
  if (rank_known(rows)) {
    if (rows.empty()) return c.fail("x must have a dimension");
    rows.pop_back();
  }
  c.add_output(DataType::Float, rows);
  if (c.node.type == "DynamicQuantV2") c.add_output(DataType::Float, rows);
  return {};
}

Status matmul(InferContext& c, DataType type, bool transpose_a, bool transpose_b) {
  const Shape &a = c.shape(0), &b = c.shape(1);
  if (!rank_known(a) || !rank_known(b)) {
    c.add_output(type, {-2});
    return {};
  }
  if (a.size() < 2 || b.size() < 2) return c.fail("both matrices must have two dimensions or more");
  const int64_t m = a[a.size() - (transpose_a ? 1 : 2)], ka = a[a.size() - (transpose_a ? 2 : 1)];
  const int64_t kb = b[b.size() - (transpose_b ? 1 : 2)], n = b[b.size() - (transpose_b ? 2 : 1)];
  if (ka >= 0 && kb >= 0 && ka != kb) return c.fail("the matrices do not fit: " + to_text(a) + " and " + to_text(b));
  auto batch = broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (!batch.ok()) return c.fail(batch.status().message);
  Shape y = *batch;
  y.push_back(m);
  y.push_back(n);
  c.add_output(type, std::move(y));
  return {};
}

Status quant_matmul(InferContext& c) {
  TRY(require_inputs(c, 3));
  return matmul(c, type_of(c.node, "dtype", DataType::Float16), flag_of(c.node, "transpose_x1", false),
                flag_of(c.node, "transpose_x2", false));
}

Status weight_quant_matmul(InferContext& c) {
  TRY(require_inputs(c, 3));
  const int64_t wanted = int_of(c.node, "dtype", -1);
  return matmul(c, wanted < 0 ? c.inputs[0].type : DataType(wanted), flag_of(c.node, "transpose_x", false),
                flag_of(c.node, "transpose_weight", false));
}

constexpr InferRow rows[] = {
    {"Quantize", quantize},
    {"AscendQuant", to_dst_type},
    {"AscendQuantV2", to_dst_type},
    {"AscendDequant", to_dtype},
    {"AscendAntiQuant", to_dtype},
    {"AscendAntiQuantV2", to_half},
    {"DynamicQuant", dynamic_quant},
    {"DynamicQuantV2", dynamic_quant},
    {"QuantBatchMatmulV3", quant_matmul},
    {"WeightQuantBatchMatmulV2", weight_quant_matmul},
};

}  // namespace

std::span<const InferRow> infer_rows_quant() { return rows; }

}  // namespace belay::graph
