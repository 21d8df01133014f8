// SPDX-License-Identifier: Apache-2.0
#include "operators/builtins/builtins.h"

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

// batch_matmul(a, b): of three dimensions; one of them may have a single matrix, for all of the other's.
Result<Value> batch_matmul(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  TRY(need(a[1]));
  if (a[0].rank() != 3 || a[1].rank() != 3)
    return invalid(formatted("both tensors must have 3 dimensions, they have {} and {}", a[0].rank(), a[1].rank()));
  if (const int64_t m = a[0].shape[0], n = a[1].shape[0]; m != n && m != 1 && n != 1)
    return invalid(formatted("the numbers of matrices, {} and {}, differ and neither is 1", m, n));
  return matmul(s, a);
}

// addmm(self, product, beta, alpha): beta * self + alpha * product, with self ignored when beta is 0.
Result<Value> add_product(Sketch& s, const Values& a) {
  TRY(need(a[0]));
  const double beta = real_at(a, 2, 1), alpha = real_at(a, 3, 1);
  Value product = a[1];
  if (alpha != 1) product = TRY(promoted(s, "Mul", Values{product, a[3]}));
  if (category_of(a[1].type) <= Category::Integer) product = TRY(s.cast(product, a[1].type));
  if (beta == 0) return s.expand(product, product.shape);
  Value added = a[0];
  if (beta != 1) added = TRY(promoted(s, "Mul", Values{added, a[2]}));
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

// turned_product(a, b, order of a, order of b, order of the result, split): of three dimensions each. A split of f puts
// the columns of batches b / f side by side.
Result<Value> turned_product(Sketch& s, const Values& a) {
  for (size_t i = 0; i < 5; ++i) TRY(need(a[i]));
  for (size_t i = 2; i < 5; ++i)
    if (a[i].numbers.size() != 3) return invalid("permX1, permX2 and permY must have 3 elements");
  if (a[0].rank() != 3 || a[1].rank() != 3) return invalid("x1 and x2 must have 3 dimensions");
  const Value left = TRY(s.permute(a[0], a[2].ints())), right = TRY(s.permute(a[1], a[3].ints()));
  const Value made = TRY(batch_matmul(s, {left, right}));
  const int64_t f = std::max<int64_t>(int_at(a, 5, 1), 1), b = made.shape[0], m = made.shape[1], n = made.shape[2];
  if (f == 1) return s.permute(made, a[4].ints());
  if (b % f != 0) return invalid(formatted("batchSplitFactor is {}; it must divide {} batches", f, b));
  const Value parts = TRY(s.permute(TRY(s.reshape(made, {f, b / f, m, n})), {0, 2, 1, 3}));
  return s.reshape(parts, {f, m, b / f * n});
}

// fused_product(product, bias, x3, operation)
Result<Value> fused_product(Sketch& s, const Values& a) {
  Value made = a[0];
  if (a[1].present()) made = TRY(promoted(s, "Add", Values{made, a[1]}));
  const std::string& operation = a[3].text;
  if (operation == "add" || operation == "mul") {
    TRY(need(a[2]));
    return promoted(s, operation == "add" ? "Add" : "Mul", Values{made, a[2]});
  }
  if (a[2].present()) return invalid("x3 goes with fusedOpType \"add\" or \"mul\"");
  if (operation == "relu") return s.op("Relu", {made});
  if (operation == "gelu_erf" || operation == "gelu_tanh")
    return s.op("GeluV2", {made}, {{"approximate", operation == "gelu_erf" ? "none" : "tanh"}});
  if (operation.empty() || operation == "16cast32") return made;
  return invalid(formatted("fusedOpType \"{}\" is not known", operation));
}

constexpr Builtin kRows[] = {
    {"matmul", matmul},
    {"matmul_of_rank", matmul_of_rank},
    {"add_product", add_product},
    {"outer", outer},
    {"sum_batches", sum_batches},
    {"transposed", transposed},
    {"batch_matmul", batch_matmul},
    {"turned_product", turned_product},
    {"fused_product", fused_product},
};

}  // namespace

std::span<const Builtin> matrix_builtins() { return kRows; }

}  // namespace belay::operators
