// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backend/cpu/nn/matmul_shape.h"
#include "backend/cpu/other_row.h"
#include "backend/cpu/quant/exact_product.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {
namespace {

// Scratch: the floats of a, of b when it is no constant, and of a result.
class IntegerMatmul : public Kernel {
 public:
  IntegerMatmul(const KernelRequest& request, MatmulShape shape)
      : shape_(std::move(shape)),
        a_count_(graph::element_count(request.inputs[0].shape)),
        b_count_(graph::element_count(request.inputs[1].shape)),
        a_starts_(batch_starts(shape_.batch, shape_.a_batch, shape_.m * shape_.k)),
        b_starts_(batch_starts(shape_.batch, shape_.b_batch, shape_.k * shape_.n)),
        reference_(request, "reference") {
    if (const graph::Constant* b = request.inputs[1].value) {
      constant_.resize(static_cast<size_t>(b_count_));
      largest_b_ =
          load_integers({b->type, b->shape, Layout::Plain, const_cast<std::byte*>(b->bytes.data())}, constant_.data());
    }
  }

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    float *a = scratch_, *part = a + a_count_, *b = part + shape_.m * shape_.n;
    const int64_t largest_a = load_integers(inputs[0], a);
    if (constant_.empty()) largest_b_ = load_integers(inputs[1], b);
    if (!constant_.empty()) b = constant_.data();
    const int64_t terms = exact_terms(largest_a, largest_b_);
    if (terms < fewest_terms) return reference_.run(inputs, outputs);
    const MatmulShape& s = shape_;
    auto* y = outputs[0].as<int32_t>();
    for (size_t i = 0; i < a_starts_.size(); ++i, y += s.m * s.n)
      exact_gemm(s.m, s.n, s.k, {a + a_starts_[i], s.transpose_a ? s.m : s.k, s.transpose_a},
                 {b + b_starts_[i], s.transpose_b ? s.k : s.n, s.transpose_b}, terms, part, y);
    return {};
  }
  size_t scratch_bytes() const override {
    const int64_t floats = a_count_ + shape_.m * shape_.n + (constant_.empty() ? b_count_ : 0);
    return static_cast<size_t>(floats) * sizeof(float);
  }
  void set_scratch(void* scratch) override { scratch_ = static_cast<float*>(scratch); }

 private:
  const MatmulShape shape_;
  const int64_t a_count_, b_count_;
  const std::vector<int64_t> a_starts_, b_starts_;
  OtherRow reference_;
  std::vector<float> constant_;
  int64_t largest_b_ = 0;
  float* scratch_ = nullptr;
};

MadeKernel make(const KernelRequest& request) {
  if (!loads_integers(request.inputs[0].type) || request.inputs[0].type != request.inputs[1].type)
    return refuse("only two of int8, uint8 or int32");
  if (request.outputs[0].type != DataType::Int32) return refuse("only int32 results");
  if (std::ranges::any_of(request.inputs.subspan(2), &graph::TensorInfo::present)) return refuse("a bias");
  MatmulShape s = read_matmul(request);
  if (s.m == 0 || s.n == 0 || s.k == 0 || s.batch_count() == 0) return refuse("an empty tensor");
  if (graph::element_count(s.b_batch) == 1 && !s.transpose_a) {  // one matrix for all rows of all batches
    s.m *= s.batch_count();
    s.batch = s.a_batch = s.b_batch = {};
  }
  return std::unique_ptr<Kernel>(std::make_unique<IntegerMatmul>(request, std::move(s)));
}

constexpr KernelRow rows[] = {
    {"BatchMatMul", "exact", make}, {"BatchMatMulV2", "exact", make}, {"BatchMatMulV3", "exact", make},
    {"MatMul", "exact", make},      {"MatMulV2", "exact", make},      {"MatMulV3", "exact", make},
};

}  // namespace

std::span<const KernelRow> integer_matmul_rows() { return rows; }

}  // namespace belay::backend::cpu
