// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backend/cpu/arguments.h"
#include "backend/cpu/broadcast.h"
#include "backend/cpu/element.h"
#include "backend/cpu/elementwise/integer.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/grain.h"
#include "backend/cpu/nn/matmul_shape.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

bool transposes(const graph::Node& node, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* name) { return get_or(node.attributes, name, false); });
}

}  // namespace

MatmulShape read_matmul(const KernelRequest& request) {
  MatmulShape shape;
  Shape a = request.inputs[0].shape, b = request.inputs[1].shape;
  shape.transpose_a = a.size() > 1 && transposes(request.node, {"transpose_x1", "adj_x1", "transpose_a"});
  shape.transpose_b = b.size() > 1 && transposes(request.node, {"transpose_x2", "adj_x2", "transpose_b"});
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  shape.m = shape.transpose_a ? a.back() : a.end()[-2];
  shape.k = shape.transpose_a ? a.end()[-2] : a.back();
  shape.n = shape.transpose_b ? b.end()[-2] : b.back();
  shape.a_row = shape.transpose_a ? 1 : a.back();
  shape.a_column = shape.transpose_a ? a.back() : 1;
  shape.b_row = shape.transpose_b ? 1 : b.back();
  shape.b_column = shape.transpose_b ? b.back() : 1;
  shape.a_batch.assign(a.begin(), a.end() - 2);
  shape.b_batch.assign(b.begin(), b.end() - 2);
  const size_t rank = std::max(shape.a_batch.size(), shape.b_batch.size());
  shape.batch.assign(request.outputs[0].shape.begin(),
                     request.outputs[0].shape.begin() + static_cast<std::ptrdiff_t>(rank));
  return shape;
}

std::vector<int64_t> batch_starts(const Shape& batch, const Shape& own, int64_t matrix) {
  const Broadcast broadcast(batch, std::span(&own, 1));
  std::vector<int64_t> starts;
  for (int64_t i = 0; i < broadcast.count; ++i)
    walk_rows<1>(broadcast, i, i + 1, [&](int64_t, const auto& at, int64_t) { starts.push_back(at[0] * matrix); });
  return starts;
}

namespace {

struct Plan {
  MatmulShape shape;
  std::vector<int64_t> a_starts, b_starts;
};

Plan make_plan(const KernelRequest& request) {
  Plan plan{read_matmul(request), {}, {}};
  const MatmulShape& s = plan.shape;
  plan.a_starts = batch_starts(s.batch, s.a_batch, s.m * s.k);
  plan.b_starts = batch_starts(s.batch, s.b_batch, s.k * s.n);
  return plan;
}

// sums[j] = the products of one row of a with all columns of b.
template <class T>
void multiply_row(const MatmulShape& s, const T* row, const T* b, std::vector<sum_t<T>>& sums) {
  std::fill(sums.begin(), sums.end(), sum_t<T>(0));
  for (int64_t k = 0; k < s.k; ++k) {
    const sum_t<T> left = row[k * s.a_column];
    const T* right = b + k * s.b_row;
    for (int64_t j = 0; j < s.n; ++j) {
      auto& sum = sums[static_cast<size_t>(j)];
      sum = sum_of(sum, product_of(left, sum_t<T>(right[j * s.b_column])));
    }
  }
}

// y = alpha * a * b + the addend, which broadcasts to y; `each`: the product and what it is scaled to are rounded to
// y's type.
struct Addend {
  std::vector<double> values;
  Shape shape;
};

template <class T, class To>
Status multiply(const Plan& plan, Inputs in, const Addend& addend, double alpha, const Tensor& y, bool each = false) {
  const MatmulShape& s = plan.shape;
  const T *a = in[0].as<T>(), *b = in[1].as<T>();
  Shape full = s.batch;
  full.insert(full.end(), {s.m, s.n});
  const Broadcast broadcast(full, std::span(&addend.shape, 1));
  parallel_for(s.batch_count() * s.m, grain_of(s.n * s.k), [&](int64_t begin, int64_t end) {
    std::vector<sum_t<T>> sums(static_cast<size_t>(s.n));
    for (int64_t i = begin; i < end; ++i) {
      const auto batch = static_cast<size_t>(i / s.m);
      multiply_row(s, a + plan.a_starts[batch] + i % s.m * s.a_row, b + plan.b_starts[batch], sums);
      const auto round = [&] {
        if (each)
          for (auto& sum : sums)
            sum = static_cast<sum_t<T>>(static_cast<compute_t<To>>(To(static_cast<compute_t<To>>(sum))));
      };
      round();
      if (alpha != 1)
        for (auto& sum : sums) sum = static_cast<sum_t<T>>(static_cast<double>(sum) * alpha);
      round();
      if (!addend.values.empty())
        walk_rows<1>(broadcast, i * s.n, (i + 1) * s.n, [&](int64_t start, const auto& at, int64_t length) {
          for (int64_t j = 0; j < length; ++j) {
            auto& sum = sums[static_cast<size_t>(start - i * s.n + j)];
            sum = sum_of(sum, static_cast<sum_t<T>>(
                                  addend.values[static_cast<size_t>(at[0] + j * broadcast.strides[0].back())]));
          }
        });
      for (int64_t j = 0; j < s.n; ++j)
        y.as<To>()[i * s.n + j] = static_cast<To>(static_cast<compute_t<To>>(sums[static_cast<size_t>(j)]));
    }
  });
  return {};
}

template <class Run>
MadeKernel with_types(const KernelRequest& request, Run run) {
  if (request.inputs[0].type != request.inputs[1].type) return refuse("both matrices must have one type");
  const DataType to = request.outputs[0].type;
  return with_type(NumberTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    if (to == data_type_of<T>())
      return function_kernel([run](Inputs in, Outputs out) { return run.template operator()<T, T>(in, out[0]); });
    if constexpr (sizeof(T) == 1)
      if (to == DataType::Int32)
        return function_kernel(
            [run](Inputs in, Outputs out) { return run.template operator()<T, int32_t>(in, out[0]); });
    if constexpr (is_narrow_float<T>)
      if (to == DataType::Float)
        return function_kernel([run](Inputs in, Outputs out) { return run.template operator()<T, float>(in, out[0]); });
    return refuse(formatted("a result of type {} is not supported", graph::name_of(to)));
  });
}

MadeKernel make(const KernelRequest& request) {
  if (request.inputs.size() > 3 && request.inputs[3].present) return refuse("offset_w is not supported");
  return with_types(request, [plan = make_plan(request)]<class T, class To>(Inputs in, const Tensor& y) -> Status {
    Addend bias;
    if (in.size() > 2 && in[2].present) bias = {TRY(reals(in[2])), in[2].shape};
    return multiply<T, To>(plan, in, bias, 1, y);
  });
}

// y = alpha * a * b + beta * c. Halves are rounded after each operation.
MadeKernel make_gemm(const KernelRequest& request) {
  return with_types(request, [plan = make_plan(request)]<class T, class To>(Inputs in, const Tensor& y) -> Status {
    Addend c{TRY(reals(in[2])), in[2].shape};
    const auto alpha = TRY(reals(in[3])), beta = TRY(reals(in[4]));
    for (double& value : c.values) {
      value *= beta.at(0);
      if constexpr (is_narrow_float<To>) value = static_cast<float>(To(static_cast<float>(value)));
    }
    return multiply<T, To>(plan, in, c, alpha.at(0), y, is_narrow_float<To>);
  });
}

constexpr KernelRow rows[] = {
    {"BatchMatMul", "reference", make}, {"BatchMatMulV2", "reference", make}, {"BatchMatMulV3", "reference", make},
    {"GEMM", "reference", make_gemm},   {"MatMul", "reference", make},        {"MatMulV2", "reference", make},
    {"MatMulV3", "reference", make},
};

}  // namespace

std::span<const KernelRow> matmul_rows() { return rows; }

}  // namespace belay::backend::cpu
