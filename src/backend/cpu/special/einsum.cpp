// SPDX-License-Identifier: Apache-2.0
// Einstein sums: the operands are multiplied two at a time, each pair as a batch of matrix products.
#include <algorithm>
#include <numeric>

#include "backend/cpu/convert_element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/gemm.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/middle.h"
#include "graph/infer/einsum_plan.h"

namespace belay::backend::cpu {
namespace {

using Labels = std::vector<int>;
using Sizes = std::vector<int64_t>;

bool has(const Labels& labels, int label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

int64_t count_of(const Labels& labels, const Sizes& sizes) {
  int64_t count = 1;
  for (const int label : labels) count *= sizes[static_cast<size_t>(label)];
  return count;
}

// An operand, or the product of some; row-major, each label once.
template <class C>
struct Operand {
  Operand(Labels given, const C* borrowed) : labels(std::move(given)), data(borrowed) {}
  Operand(Labels given, std::vector<C> owned) : labels(std::move(given)), own(std::move(owned)), data(own.data()) {}
  Operand(Operand&&) = default;
  Operand& operator=(Operand&&) = default;

  Labels labels;
  std::vector<C> own;  // empty: borrowed
  const C* data;
};

// Elements from one to the next of each label; 0 for labels it does not have, and for those along which it broadcasts.
Sizes strides_of(const Labels& labels, const Shape& shape, size_t count) {
  Sizes strides(count, 0);
  int64_t step = 1;
  for (size_t d = labels.size(); d-- > 0; step *= shape[d])
    if (shape[d] != 1) strides[static_cast<size_t>(labels[d])] += step;  // a label twice: its diagonal
  return strides;
}

// Calls f(offset) for every combination of the labels in order, the last one fastest.
template <class F>
void for_each(const Labels& order, const Sizes& sizes, const Sizes& strides, F&& f) {
  if (count_of(order, sizes) == 0) return;
  Sizes at(order.size(), 0);
  for (int64_t offset = 0;;) {
    f(offset);
    size_t d = order.size();
    for (; d-- > 0;) {
      const auto label = static_cast<size_t>(order[d]);
      offset += strides[label];
      if (++at[d] < sizes[label]) break;
      offset -= strides[label] * sizes[label];
      at[d] = 0;
    }
    if (d == static_cast<size_t>(-1)) return;
  }
}

// Calls f(offset, stride, count) for every row along the last of the labels.
template <class F>
void for_each_row(const Labels& order, const Sizes& sizes, const Sizes& strides, F&& f) {
  if (order.empty()) return f(int64_t{0}, int64_t{0}, int64_t{1});
  const auto last = static_cast<size_t>(order.back());
  if (sizes[last] == 0) return;
  for_each(Labels(order.begin(), order.end() - 1), sizes, strides,
           [&](int64_t offset) { f(offset, strides[last], sizes[last]); });
}

// The elements in the order `kept`, summed over the labels `summed`.
template <class C, class T>
std::vector<C> arrange(const T* from, const Sizes& strides, const Labels& kept, const Labels& summed,
                       const Sizes& sizes) {
  std::vector<C> made(static_cast<size_t>(count_of(kept, sizes)));
  C* to = made.data();
  for_each_row(kept, sizes, strides, [&](int64_t offset, int64_t stride, int64_t count) {
    const T* row = from + offset;
    if (summed.empty() && stride == 1)
      std::transform(row, row + count, to, [](T element) { return static_cast<C>(element); });
    else if (summed.empty())
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<C>(row[i * stride]);
    else
      for (int64_t i = 0; i < count; ++i)
        for_each_row(summed, sizes, strides, [&](int64_t more, int64_t step, int64_t terms) {
          for (int64_t j = 0; j < terms; ++j) to[i] += static_cast<C>(row[i * stride + more + j * step]);
        });
    to += count;
  });
  return made;
}

// Labels of `all` for which `keep` holds, each once.
template <class Keep>
Labels choose(const Labels& all, Keep keep) {
  Labels chosen;
  for (const int label : all)
    if (keep(label) && !has(chosen, label)) chosen.push_back(label);
  return chosen;
}

Shape shape_of(const Labels& labels, const Sizes& sizes) {
  Shape shape;
  for (const int label : labels) shape.push_back(sizes[static_cast<size_t>(label)]);
  return shape;
}

void multiply(int64_t m, int64_t n, int64_t k, const float* a, const float* b, float* y) {
  gemm(m, n, k, {a, k}, {b, n}, 0.0f, y, n);
}
void multiply(int64_t m, int64_t n, int64_t k, const double* a, const double* b, double* y) {
  gemm(m, n, k, {a, k}, {b, n}, 0.0, y, n);
}
void multiply(int64_t m, int64_t n, int64_t k, const int64_t* a, const int64_t* b, int64_t* y) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      uint64_t sum = 0;  // wraps around, as integers do
      for (int64_t l = 0; l < k; ++l) sum += static_cast<uint64_t>(a[i * k + l]) * static_cast<uint64_t>(b[l * n + j]);
      y[i * n + j] = static_cast<int64_t>(sum);
    }
}

// The product of two operands; labels that nobody needs later are summed over.
template <class C, class Needed>
Operand<C> contract(const Operand<C>& a, const Operand<C>& b, const Sizes& sizes, Needed needed) {
  const auto both = [&](int label) { return has(a.labels, label) && has(b.labels, label); };
  const Labels batch = choose(a.labels, [&](int l) { return both(l) && needed(l); });
  const Labels inner = choose(a.labels, [&](int l) { return both(l) && !needed(l); });
  const Labels rows = choose(a.labels, [&](int l) { return !both(l); });
  const Labels columns = choose(b.labels, [&](int l) { return !both(l); });
  const auto joined = [](std::initializer_list<Labels> parts) {
    Labels all;
    for (const Labels& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  };
  const auto packed = [&](const Operand<C>& x, const Labels& order) {
    if (order == x.labels) return Operand<C>(order, x.data);
    const auto strides = strides_of(x.labels, shape_of(x.labels, sizes), sizes.size());
    return Operand<C>(order, arrange<C>(x.data, strides, order, {}, sizes));
  };
  const Operand<C> left = packed(a, joined({batch, rows, inner})), right = packed(b, joined({batch, inner, columns}));
  const int64_t m = count_of(rows, sizes), n = count_of(columns, sizes), k = count_of(inner, sizes);
  const Labels labels = joined({batch, rows, columns});
  Operand<C> made(labels, std::vector<C>(static_cast<size_t>(count_of(labels, sizes))));
  if (made.own.empty() || k == 0) return made;
  for (int64_t i = 0; i < count_of(batch, sizes); ++i)
    multiply(m, n, k, left.data + i * m * k, right.data + i * k * n, made.own.data() + i * m * n);
  return made;
}

// A tensor of floats summed over some of its labels: those that lie behind one another at once, the last ones first.
std::vector<float> sum_over(const Labels& summed, const Labels& labels, const Sizes& sizes, const float* x) {
  std::vector<float> made;
  Labels left = labels;
  for (size_t last = left.size(); last > 0;) {
    if (!has(summed, left[last - 1])) {
      --last;
      continue;
    }
    size_t first = last - 1;
    while (first > 0 && has(summed, left[first - 1])) --first;
    const auto count = [&](size_t from, size_t to) {
      return count_of(Labels(left.begin() + std::ptrdiff_t(from), left.begin() + std::ptrdiff_t(to)), sizes);
    };
    const Middle middle{count(0, first), count(first, last), count(last, left.size())};
    std::vector<float> sums(static_cast<size_t>(middle.outer * middle.inner));
    sum_middle(middle, made.empty() ? x : made.data(), sums.data());
    made = std::move(sums);
    left.erase(left.begin() + std::ptrdiff_t(first), left.begin() + std::ptrdiff_t(last));
    last = first;
  }
  return made;
}

// An operand as it comes, summed over the labels that only it has and the result has not.
template <class C, class T>
Operand<C> take(const graph::EinsumPlan& plan, size_t index, const T* from, const Shape& shape) {
  const Labels& labels = plan.operands[index];
  const auto elsewhere = [&](int label) {
    for (size_t other = 0; other < plan.operands.size(); ++other)
      if (other != index && has(plan.operands[other], label)) return true;
    return has(plan.result, label);
  };
  const Labels kept = choose(labels, elsewhere);
  const Labels summed = choose(labels, [&](int label) { return !elsewhere(label); });
  if constexpr (std::is_same_v<C, T>)
    if (kept == labels && shape == shape_of(kept, plan.sizes)) return {kept, from};
  if constexpr (std::is_same_v<C, float> && std::is_same_v<T, float>)
    if (kept.size() + summed.size() == labels.size() && shape == shape_of(labels, plan.sizes) &&
        count_of(labels, plan.sizes) > 0 && !summed.empty())
      return {kept, sum_over(summed, labels, plan.sizes, from)};
  return {kept, arrange<C>(from, strides_of(labels, shape, plan.sizes.size()), kept, summed, plan.sizes)};
}

template <class C, class T>
Status run(const graph::EinsumPlan& plan, Inputs in, Outputs out) {
  Operand<C> product = take<C>(plan, 0, in[0].as<T>(), in[0].shape);
  for (size_t i = 1; i < in.size(); ++i) {
    const auto needed = [&](int label) {
      if (has(plan.result, label)) return true;
      return std::any_of(plan.operands.begin() + static_cast<std::ptrdiff_t>(i) + 1, plan.operands.end(),
                         [&](const Labels& later) { return has(later, label); });
    };
    product = contract(product, take<C>(plan, i, in[i].as<T>(), in[i].shape), plan.sizes, needed);
  }
  const auto strides = strides_of(product.labels, shape_of(product.labels, plan.sizes), plan.sizes.size());
  T* to = out[0].as<T>();
  for_each_row(plan.result, plan.sizes, strides, [&](int64_t offset, int64_t stride, int64_t count) {
    const C* row = product.data + offset;
    for (int64_t i = 0; i < count; ++i) *to++ = convert_element<T>(row[i * stride]);
  });
  return {};
}

template <class T>
using wide_t = std::conditional_t<is_integer<T>, int64_t, std::conditional_t<std::is_same_v<T, double>, double, float>>;

MadeKernel make_einsum(const KernelRequest& request) {
  std::vector<Shape> shapes;
  for (const auto& input : request.inputs) {
    shapes.push_back(input.shape);
    if (input.type != request.inputs[0].type) return refuse("the operands must have one type");
  }
  const auto equation = graph::get_or(request.node.attributes, "equation", std::string());
  const auto plan = TRY(graph::plan_einsum(equation, shapes));
  return with_type(NumberTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([plan](Inputs in, Outputs out) { return run<wide_t<T>, T>(plan, in, out); });
  });
}

constexpr KernelRow rows[] = {{"Einsum", "reference", make_einsum}};

}  // namespace

std::span<const KernelRow> einsum_rows() { return rows; }

}  // namespace belay::backend::cpu
