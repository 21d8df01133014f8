// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backend/cpu/broadcast.h"
#include "backend/cpu/fast_rows.h"
#include "backend/cpu/nn/matmul_shape.h"
#include "backend/cpu/onednn/chain_kernel.h"

namespace belay::backend::cpu {
namespace {

using namespace onednn;

// A product in oneDNN's words: all operands of one rank, batch dimensions first, 1 where an operand repeats.
struct Product {
  Desc a, b, bias, y;
  Dims b_dims;
};

Dims aligned(const Shape& batch, size_t rank) {
  Dims dims(rank - batch.size(), 1);
  dims.insert(dims.end(), batch.begin(), batch.end());
  return dims;
}

// A matrix of each batch, with the strides of its rows and columns.
Desc matrices(const Dims& batch, int64_t rows, int64_t columns, int64_t row, int64_t column) {
  Dims dims = batch, strides = row_major_strides(batch);
  for (int64_t& stride : strides) stride *= rows * columns;
  dims.insert(dims.end(), {rows, columns});
  strides.insert(strides.end(), {row, column});
  return strided(dims, strides);
}

Result<Product> read_product(MatmulShape s, bool has_bias) {
  if (s.m == 0 || s.n == 0 || s.k == 0 || s.batch_count() == 0) return refuse("an empty tensor");
  if (graph::element_count(s.b_batch) == 1 && !s.transpose_a) {  // one matrix for all rows of all batches
    s.m *= s.batch_count();
    s.batch = s.a_batch = s.b_batch = {};
  }
  const size_t rank = s.batch.size();
  Product p;
  p.a = matrices(aligned(s.a_batch, rank), s.m, s.k, s.a_row, s.a_column);
  p.b = matrices(aligned(s.b_batch, rank), s.k, s.n, s.b_row, s.b_column);
  p.b_dims = p.b.dims();
  p.y = matrices(s.batch, s.m, s.n, s.n, 1);
  if (has_bias) p.bias = matrices(Dims(rank, 1), 1, s.n, s.n, 1);
  return p;
}

Status check(const Chain& chain, const KernelRequest& request, int64_t columns) {
  if (request.outputs[0].type != DataType::Float) return refuse("only float");
  for (const graph::TensorInfo& input : request.inputs)
    if (input.present && input.type != DataType::Float) return refuse("only float");
  const auto& infos = chain.infos;
  if (infos.size() > 3 && infos[3].present) return refuse("offset_w is not supported");
  if (infos.size() > 2 && infos[2].present &&
      (infos[2].shape.empty() || infos[2].shape.back() != columns || graph::element_count(infos[2].shape) != columns))
    return refuse("a bias that is not one row");
  return {};
}

auto describe(const Product& p, const Desc& b, const dnnl::post_ops& post) {
  const dnnl::matmul::desc desc(p.a, b, p.bias, p.y);
  return dnnl::matmul::primitive_desc(desc, with_scratch(post), engine());
}

MadeKernel make(const KernelRequest& request) {
  return making([&]() -> MadeKernel {
    const Chain chain = TRY(read_chain(request));
    const MatmulShape shape = read_matmul({*chain.head, chain.infos, request.outputs, {}, request.threads});
    TRY(check(chain, request, shape.n));
    const bool has_bias = chain.infos.size() > 2 && chain.infos[2].present;
    const Product p = TRY(read_product(shape, has_bias));
    const graph::Constant* weights = chain.infos[1].value;
    const auto whole = describe(p, weights ? any_order(p.b_dims) : p.b, post_ops_of(chain, true));
    const Desc b = whole.weights_desc();

    ChainKernel::Parts parts;
    parts.make = [p, b, whole, chain](bool with_activation) {
      const auto desc = with_activation ? whole : describe(p, b, post_ops_of(chain, false));
      return Call(desc, dnnl::matmul(desc));
    };
    parts.sources.push_back({DNNL_ARG_SRC, chain.ports[0], p.a});
    if (weights) {
      parts.weights_input = chain.ports[1];
      parts.weights_given = p.b;
      parts.weights_wanted = b;
      parts.weights = TRY(pack(p.b, bytes_of(*weights), b));
    } else {
      parts.sources.push_back({DNNL_ARG_WEIGHTS, chain.ports[1], p.b});
    }
    if (has_bias) parts.sources.push_back({DNNL_ARG_BIAS, chain.ports[2], p.bias});
    parts.addend = chain.addend;
    parts.result = p.y;
    parts.has_activation = !chain.activation.empty();
    return ChainKernel::make(std::move(parts));
  });
}

constexpr KernelRow rows[] = {
    {"BatchMatMul", "onednn", make},    {"BatchMatMulV2", "onednn", make}, {"BatchMatMulV2", "fused onednn", make},
    {"BatchMatMulV3", "onednn", make},  {"MatMul", "onednn", make},        {"MatMulV2", "onednn", make},
    {"MatMulV2", "fused onednn", make}, {"MatMulV3", "onednn", make},
};

}  // namespace

std::span<const KernelRow> onednn_matmul_rows() { return rows; }

}  // namespace belay::backend::cpu
