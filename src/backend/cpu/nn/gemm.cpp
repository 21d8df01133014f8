// SPDX-License-Identifier: Apache-2.0
// y = alpha * a * b + beta * c: floats in panels, int8 with exact sums.
#include "backend/cpu/gemm.h"

#include "backend/cpu/arguments.h"
#include "backend/cpu/nn/matmul_shape.h"
#include "backend/cpu/quant/exact_product.h"
#include "backend/cpu/rows.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t grain = 1 << 14;

// What the kernels of this file share.
class Gemm : public Kernel {
 public:
  explicit Gemm(MatmulShape shape) : s_(std::move(shape)) {}
  Status run(std::span<const Tensor> in, std::span<Tensor> out) override {
    const auto alpha = TRY(reals(in[3])), beta = TRY(reals(in[4]));
    if (alpha.empty() || beta.empty()) return refuse("alpha or beta has no element");
    run(in, alpha[0], beta[0], out[0]);
    return {};
  }

 protected:
  virtual void run(std::span<const Tensor> in, double alpha, double beta, Tensor& y) = 0;
  Matrix<float> a(const float* data) const { return {data, s_.transpose_a ? s_.m : s_.k, s_.transpose_a}; }
  Matrix<float> b(const float* data) const { return {data, s_.transpose_b ? s_.k : s_.n, s_.transpose_b}; }

  const MatmulShape s_;
};

// Scratch: the product, because c may be y.
class FloatGemm : public Gemm {
 public:
  using Gemm::Gemm;
  size_t scratch_bytes() const override { return static_cast<size_t>(s_.m * s_.n) * sizeof(float); }
  void set_scratch(void* scratch) override { product_ = static_cast<float*>(scratch); }

 private:
  void run(std::span<const Tensor> in, double alpha, double beta, Tensor& y) override {
    gemm(s_.m, s_.n, s_.k, a(in[0].as<float>()), b(in[1].as<float>()), 0.0f, product_, s_.n);
    const auto factor = static_cast<float>(alpha), addend = static_cast<float>(beta);
    const auto* c = in[2].as<const float>();
    auto* to = y.as<float>();
    parallel_for(s_.m * s_.n, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = factor * product_[i] + addend * c[i];
    });
  }
  float* product_ = nullptr;
};

// Scratch: a and b as floats, and the sums as floats and as integers, because c may be y.
class IntegerGemm : public Gemm {
 public:
  using Gemm::Gemm;
  size_t scratch_bytes() const override {
    return static_cast<size_t>(s_.m * s_.k + s_.k * s_.n + 2 * s_.m * s_.n) * sizeof(float);
  }
  void set_scratch(void* scratch) override { scratch_ = static_cast<float*>(scratch); }

 private:
  void run(std::span<const Tensor> in, double alpha, double beta, Tensor& y) override {
    float *left = scratch_, *right = left + s_.m * s_.k, *part = right + s_.k * s_.n;
    auto* sums = reinterpret_cast<int32_t*>(part + s_.m * s_.n);
    const int64_t terms = exact_terms(load_integers(in[0], left), load_integers(in[1], right));
    exact_gemm(s_.m, s_.n, s_.k, a(left), b(right), terms, part, sums);
    const auto* c = in[2].as<const int32_t>();
    auto* to = y.as<int32_t>();
    parallel_for(s_.m * s_.n, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        to[i] = static_cast<int32_t>(static_cast<int64_t>(sums[i] * alpha) + static_cast<int64_t>(c[i] * beta));
    });
  }
  float* scratch_ = nullptr;
};

MadeKernel make(const KernelRequest& request) {
  MatmulShape s = read_matmul(request);
  const DataType type = request.inputs[0].type, to = request.outputs[0].type;
  if (!s.batch.empty() || request.inputs[2].shape != request.outputs[0].shape)
    return refuse("only matrices, and c as large as y");
  if (s.m == 0 || s.n == 0 || s.k == 0) return refuse("an empty tensor");
  if (request.inputs[1].type != type || request.inputs[2].type != to) return refuse("types that differ");
  if (type == DataType::Float && to == type) return std::unique_ptr<Kernel>(std::make_unique<FloatGemm>(std::move(s)));
  constexpr int64_t most = 1 << 16;  // sums of more products would not fit into an int32
  if (type != DataType::Int8 || to != DataType::Int32 || s.k > most) return refuse("only float, or int8 to int32");
  return std::unique_ptr<Kernel>(std::make_unique<IntegerGemm>(std::move(s)));
}

constexpr KernelRow rows[] = {{"GEMM", "fast", make}};

}  // namespace

std::span<const KernelRow> gemm_rows() { return rows; }

}  // namespace belay::backend::cpu
