// SPDX-License-Identifier: Apache-2.0
#include "operators/builtins.h"

namespace belay::operators {
namespace {

// The product of tensors of one type as torch.matmul has it: vectors are rows on the left and columns on the right.
Result<Value> multiply(Sketch& s, const Value& a, const Value& b) {
  if (a.rank() == 0 || b.rank() == 0) return invalid("matmul needs tensors with dimensions");
  const Value left = a.rank() == 1 ? TRY(s.reshape(a, {1, a.shape[0]})) : a;
  const Value right = b.rank() == 1 ? TRY(s.reshape(b, {b.shape[0], 1})) : b;
  const bool plain = left.rank() == 2 && right.rank() == 2;
  const Value made = TRY(s.op(plain ? "MatMulV2" : "BatchMatMulV2", {left, right}));
  Shape shape = made.shape;
  if (b.rank() == 1) shape.pop_back();
  if (a.rank() == 1) shape.erase(shape.end() - (b.rank() == 1 ? 1 : 2));
  return s.reshape(made, shape);
}

Result<Value> matmul(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[1]));
  const auto both = TRY(as_type(s, a, common_type(a)));
  return multiply(s, both[0], both[1]);
}

// As matmul; both must have this many dimensions.
Result<Value> matmul_of_rank(Sketch& s, const Values& a) {
  TRY(need(a[1]));
  TRY(need(a[2]));
  const auto rank = static_cast<size_t>(a[0].integer);
  if (a[1].rank() != rank || a[2].rank() != rank)
    return invalid(
        formatted("both tensors must have {} dimensions, they have {} and {}", rank, a[1].rank(), a[2].rank()));
  if (rank == 3 && a[1].shape[0] != a[2].shape[0]) return invalid("the numbers of matrices differ");
  return matmul(s, {a[1], a[2]});
}

// addmm(self, product, beta, alpha): beta * self + alpha * product, with self ignored when beta is 0.
Result<Value> add_product(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const double beta = real_at(a, 2, 1), alpha = real_at(a, 3, 1);
  Value product = a[1];
  if (alpha != 1) product = TRY(promoted(s, "Mul", Values{product, Value::of(alpha)}));
  if (category_of(a[1].type) <= Category::Integer) product = TRY(s.cast(product, a[1].type));
  if (beta == 0) return s.expand(product, product.shape);
  Value added = a[0];
  if (beta != 1) added = TRY(promoted(s, "Mul", Values{added, Value::of(beta)}));
  return promoted(s, "Add", Values{product, added});
}

// The sum over the first dimension.
Result<Value> sum_batches(Sketch& s, const Values& a) {
  return s.op("ReduceSum", {a[0], s.indices({0})}, {{"keep_dims", false}});
}

Result<Value> outer(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[1]));
  if (a[0].rank() != 1 || a[1].rank() != 1) return invalid("an outer product is of two vectors");
  const Value column = TRY(s.reshape(a[0], {a[0].shape[0], 1}));
  const Value row = TRY(s.reshape(a[1], {1, a[1].shape[0]}));
  return promoted(s, "Mul", Values{column, row});
}

Result<Value> transposed(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  if (!flag_at(a, 1) || a[0].rank() < 2) return a[0];
  std::vector<int64_t> order;
  for (size_t i = 0; i < a[0].rank(); ++i) order.push_back(static_cast<int64_t>(i));
  std::swap(order.back(), order[order.size() - 2]);
  return s.permute(a[0], order);
}

constexpr Builtin kRows[] = {
    {"matmul", matmul}, {"matmul_of_rank", matmul_of_rank}, {"add_product", add_product},
    {"outer", outer},   {"sum_batches", sum_batches},       {"transposed", transposed},
};

}  // namespace

std::span<const Builtin> matrix_builtins() { return kRows; }

}  // namespace belay::operators
