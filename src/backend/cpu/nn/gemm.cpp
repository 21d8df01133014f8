// SPDX-License-Identifier: Apache-2.0
// y = alpha * a * b + beta * c: floats in panels, int8 with exact sums. Halves are rounded after the product, after
// each factor and after the sum, as four operators would: GEMM gives the bits of MatMul, Muls and Add.
#include "backend/cpu/gemm.h"

#include <algorithm>

#include "backend/cpu/arguments.h"
#include "backend/cpu/nn/matmul_shape.h"
#include "backend/cpu/quant/exact_product.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/convert_floats.h"
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
    return run(in, alpha[0], beta[0], out[0]);
  }

 protected:
  virtual Status run(std::span<const Tensor> in, double alpha, double beta, Tensor& y) = 0;
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
  Status run(std::span<const Tensor> in, double alpha, double beta, Tensor& y) override {
    gemm(s_.m, s_.n, s_.k, a(in[0].as<float>()), b(in[1].as<float>()), 0.0f, product_, s_.n);
    const auto factor = static_cast<float>(alpha), addend = static_cast<float>(beta);
    const auto* c = in[2].as<const float>();
    auto* to = y.as<float>();
    parallel_for(s_.m * s_.n, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = factor * product_[i] + addend * c[i];
    });
    return {};
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
  Status run(std::span<const Tensor> in, double alpha, double beta, Tensor& y) override {
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
    return {};
  }
  float* scratch_ = nullptr;
};

// Rows of 16 bits that become columns.
void turn(const uint16_t* from, int64_t rows, int64_t columns, uint16_t* to) {
  parallel_for(columns, std::max<int64_t>(1, grain / std::max<int64_t>(rows, 1)), [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j)
      for (int64_t i = 0; i < rows; ++i) to[j * rows + i] = from[i * columns + j];
  });
}

// Scratch: the kernel's of the product, then a and b where they must be turned, and the product.
class HalfGemm : public Gemm {
 public:
  HalfGemm(MatmulShape shape, DataType type, std::unique_ptr<Kernel> product)
      : Gemm(std::move(shape)), type_(type), multiply_(std::move(product)), own_(aligned(multiply_->scratch_bytes())) {}
  size_t scratch_bytes() const override {
    return own_ + 2 * static_cast<size_t>(turned_a() + turned_b() + s_.m * s_.n);
  }
  void set_scratch(void* scratch) override {
    multiply_->set_scratch(scratch);
    scratch_ = reinterpret_cast<uint16_t*>(static_cast<std::byte*>(scratch) + own_);
  }
  bool in_place(size_t, size_t i) const override { return i == 2; }

 private:
  static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }
  int64_t turned_a() const { return s_.transpose_a ? s_.m * s_.k : 0; }
  int64_t turned_b() const { return s_.transpose_b ? s_.k * s_.n : 0; }

  Status run(std::span<const Tensor> in, double alpha, double beta, Tensor& y) override {
    uint16_t *a = scratch_, *b = a + turned_a(), *product = b + turned_b();
    Tensor sides[] = {{type_, {s_.m, s_.k}, Layout::Plain, in[0].data},
                      {type_, {s_.k, s_.n}, Layout::Plain, in[1].data}};
    if (s_.transpose_a) turn(in[0].as<uint16_t>(), s_.k, s_.m, a), sides[0].data = a;
    if (s_.transpose_b) turn(in[1].as<uint16_t>(), s_.n, s_.k, b), sides[1].data = b;
    Tensor result{type_, {s_.m, s_.n}, Layout::Plain, product};
    TRY(multiply_->run(sides, {&result, 1}));
    parallel_for(s_.m * s_.n, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i += block)
        combine(product + i, static_cast<float>(alpha), in[2].as<uint16_t>() + i, static_cast<float>(beta),
                y.as<uint16_t>() + i, static_cast<size_t>(std::min(block, end - i)));
    });
    return {};
  }

  void combine(const uint16_t* product, float alpha, const uint16_t* c, float beta, uint16_t* y, size_t count) const {
    float left[block], right[block];
    scaled(product, alpha, left, count);
    scaled(c, beta, right, count);
    for (size_t i = 0; i < count; ++i) left[i] += right[i];
    store_floats(type_, left, y, count);
  }

  // Times the factor, in the values that the type has.
  void scaled(const uint16_t* from, float factor, float* to, size_t count) const {
    uint16_t rounded[block];
    load_floats(type_, from, to, count);
    for (size_t i = 0; i < count; ++i) to[i] *= factor;
    store_floats(type_, to, rounded, count);
    load_floats(type_, rounded, to, count);
  }

  static constexpr int64_t block = 512;
  const DataType type_;
  const std::unique_ptr<Kernel> multiply_;
  const size_t own_;
  uint16_t* scratch_ = nullptr;
};

// The product is that of MatMulV2, whichever kernel computes it.
MadeKernel make_half(const KernelRequest& request) {
  const MatmulShape s = read_matmul(request);
  const DataType type = request.outputs[0].type;
  if (type != DataType::Float16 && type != DataType::BFloat16) return refuse("only halves");
  for (size_t i = 0; i < 3; ++i)
    if (request.inputs[i].type != type) return refuse("types that differ");
  if (!s.batch.empty() || request.inputs[2].shape != request.outputs[0].shape)
    return refuse("only matrices, and c as large as y");
  if (s.m == 0 || s.n == 0 || s.k == 0) return refuse("an empty tensor");
  const graph::Node node{.name = request.node.name, .type = "MatMulV2"};
  const graph::TensorInfo inputs[] = {{type, {s.m, s.k}}, {type, {s.k, s.n}}}, output[] = {{type, {s.m, s.n}}};
  auto product = TRY(make_kernel({node, inputs, output, {}, request.threads}));
  return std::unique_ptr<Kernel>(std::make_unique<HalfGemm>(s, type, std::move(product)));
}

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

constexpr KernelRow rows[] = {{"GEMM", "fast", make}, {"GEMM", "halves", make_half}};

}  // namespace

std::span<const KernelRow> gemm_rows() { return rows; }

}  // namespace belay::backend::cpu
