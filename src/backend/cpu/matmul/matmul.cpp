// SPDX-License-Identifier: Apache-2.0
// Products of float matrices in panels, with the sum and the activation that follow.
#include <algorithm>

#include "backend/cpu/chain.h"
#include "backend/cpu/matmul/product.h"
#include "backend/cpu/nn/matmul_shape.h"
#include "backend/cpu/packed_weights.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

using matmul::Product;

struct Starts {
  std::vector<int64_t> a, b;
};

class Matmul : public Kernel {
 public:
  Matmul(const Chain& chain, Starts starts, matmul::Sizes sizes, PackedWeights weights, int threads)
      : starts_(std::move(starts)),
        product_(with_starts(sizes), threads),
        a_(chain.ports[0]),
        b_(chain.ports[1]),
        bias_(chain.ports.size() > 2 ? chain.ports[2] : -1),
        addend_(chain.addend),
        steps_(panels::steps_of(chain.activation)),
        weights_(std::move(weights)) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    const auto at = [&](int i) { return i < 0 ? nullptr : inputs[static_cast<size_t>(i)].as<const float>(); };
    const float* b = weights_ ? static_cast<const float*>(weights_.get()) : at(b_);
    product_.run({at(a_), b, {at(bias_), at(addend_), steps_}, outputs[0].as<float>()}, scratch_);
    return {};
  }
  bool in_place(size_t, size_t i) const override { return static_cast<int>(i) == addend_; }
  bool packed(size_t i) const override { return weights_ && static_cast<int>(i) == b_; }
  size_t scratch_bytes() const override { return product_.scratch_bytes(); }
  void set_scratch(void* scratch) override { scratch_ = scratch; }

 private:
  matmul::Sizes with_starts(matmul::Sizes sizes) const {
    sizes.a_starts = starts_.a;
    sizes.b_starts = starts_.b;
    return sizes;
  }

  const Starts starts_;
  const Product product_;
  const int a_, b_, bias_, addend_;
  const std::vector<panels::Step> steps_;
  const PackedWeights weights_;
  void* scratch_ = nullptr;
};

Status check(const Chain& chain, const KernelRequest& request, const MatmulShape& s) {
  if (request.outputs[0].type != DataType::Float) return refuse("only float");
  for (const graph::TensorInfo& input : request.inputs)
    if (input.present && input.type != DataType::Float) return refuse("only float");
  const auto& infos = chain.infos;
  if (infos.size() > 3 && infos[3].present) return refuse("offset_w is not supported");
  if (infos.size() > 2 && infos[2].present &&
      (infos[2].shape.empty() || infos[2].shape.back() != s.n || graph::element_count(infos[2].shape) != s.n))
    return refuse("a bias that is not one row");
  if (s.m == 0 || s.n == 0 || s.k == 0 || s.batch_count() == 0) return refuse("an empty tensor");
  return {};
}

// All matrices of the constant, each in panels.
Result<PackedWeights> pack(const MatmulShape& s, const graph::Constant& b) {
  const int64_t matrices = graph::element_count(s.b_batch), panels = matmul::panels_of(s.n);
  const int64_t packed = matmul::packed_size(s.k, s.n);
  const std::string form = formatted("matmul {} {} {} {}", s.k, s.n, s.b_row, s.b_column);
  const auto* data = reinterpret_cast<const float*>(b.bytes.data());
  return pack_as(
      form, data, b.bytes.size(), static_cast<size_t>(matrices * packed) * sizeof(float), [&](void* to) -> Status {
        parallel_for(matrices * panels, 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t matrix = i / panels, column = i % panels * panels::panel_width;
            matmul::pack_panel({data + matrix * s.k * s.n + column * s.b_column, s.b_row, s.b_column}, s.k,
                               panels::width_at(column, s.n), static_cast<float*>(to) + matrix * packed + column * s.k);
          }
        });
        return {};
      });
}

MadeKernel make(const KernelRequest& request) {
  const Chain chain = TRY(read_chain(request));
  MatmulShape s = read_matmul({*chain.head, chain.infos, request.outputs, {}, request.threads});
  TRY(check(chain, request, s));
  if (graph::element_count(s.b_batch) == 1 && !s.transpose_a && s.a_batch == s.batch) {  // one matrix for all rows
    s.m *= s.batch_count();
    s.batch = s.a_batch = s.b_batch = {};
  }
  const graph::Constant* constant = chain.infos[1].value;
  const bool packs = constant && s.n > 1;  // a vector is used as it is
  const PackedWeights weights = packs ? TRY(pack(s, *constant)) : PackedWeights();
  const int64_t b_size = packs ? matmul::packed_size(s.k, s.n) : s.k * s.n;
  Starts starts{batch_starts(s.batch, s.a_batch, s.m * s.k), batch_starts(s.batch, s.b_batch, b_size)};
  const matmul::Sizes sizes{
      s.m, s.n, s.k, s.a_row, s.a_column, s.b_row, s.b_column, s.n, {}, {}, graph::element_count(s.a_batch), packs};
  return std::unique_ptr<Kernel>(new Matmul(chain, std::move(starts), sizes, weights, request.threads));
}

constexpr KernelRow rows[] = {
    {"BatchMatMul", "panels", make},    {"BatchMatMulV2", "panels", make}, {"BatchMatMulV2", "fused panels", make},
    {"BatchMatMulV3", "panels", make},  {"MatMul", "panels", make},        {"MatMulV2", "panels", make},
    {"MatMulV2", "fused panels", make}, {"MatMulV3", "panels", make},
};

}  // namespace

std::span<const KernelRow> panel_matmul_rows() { return rows; }

}  // namespace belay::backend::cpu
