// SPDX-License-Identifier: Apache-2.0
// Matrix products.
#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"

namespace belay::convert {
namespace {

// alpha * A * B + beta * C. What `broadcast` allowed before opset 7 is always allowed for C.
Status gemm(NodeContext& c) {
  const float alpha = c.real("alpha", 1), beta = c.real("beta", 1);
  const bool scaled = alpha != 1 || beta != 1;
  const Edge product =
      c.add("MatMulV2", {c.in(0), c.in(1)},
            {{"transpose_x1", c.integer("transA", 0) != 0}, {"transpose_x2", c.integer("transB", 0) != 0}});
  if (!c.has(2)) {
    c.give(0, alpha == 1 ? product : c.add({"Muls", "Muls1"}, {product}, {{"value", alpha}}));
    return {};
  }
  if (!scaled) {
    c.give(0, c.add({"Add", "add"}, {product, c.in(2)}));
    return {};
  }
  const Edge left = c.add({"Muls", "Muls1"}, {product}, {{"value", alpha}});
  const Edge right = c.add({"Muls", "Muls2"}, {c.in(2)}, {{"value", beta}});
  c.give(0, c.add({"Add", "add"}, {left, right}));
  return {};
}

Status matmul(NodeContext& c) {
  c.give(0, c.add("BatchMatMulV2", {c.in(0), c.in(1)},
                  {{"adj_x1", c.integer("transA", 0) != 0}, {"adj_x2", c.integer("transB", 0) != 0}}));
  return {};
}

// com.microsoft: alpha * op(A) * op(B).
Status fused_matmul(NodeContext& c) {
  if (c.integer("transBatchA", 0) != 0 || c.integer("transBatchB", 0) != 0)
    return c.fail("transBatchA and transBatchB are not supported");
  const Edge product = c.add("BatchMatMulV2", {c.in(0), c.in(1)},
                             {{"adj_x1", c.integer("transA", 0) != 0}, {"adj_x2", c.integer("transB", 0) != 0}});
  const float alpha = c.real("alpha", 1);
  c.give(0, alpha == 1 ? product : c.add("Muls", {product}, {{"value", alpha}}));
  return {};
}

Status einsum(NodeContext& c) {
  const std::string equation = c.text("equation", "");
  if (equation.empty()) return c.fail("attribute equation is missing");
  c.give(0, c.add("Einsum", c.inputs(), {{"equation", equation}, {"N", static_cast<int64_t>(c.input_count())}}));
  return {};
}

constexpr MapRow rows[] = {
    {"Det", 11, latest, "MatrixDeterminant"},
    {"Einsum", 12, latest, "Einsum", einsum},
    {"FusedMatMul", 1, latest, "BatchMatMulV2", fused_matmul, "com.microsoft"},
    {"Gemm", 1, latest, "MatMulV2", gemm},
    {"MatMul", 1, latest, "BatchMatMulV2", matmul},
};

}  // namespace

std::span<const MapRow> map_rows_matmul() { return rows; }

}  // namespace belay::convert
