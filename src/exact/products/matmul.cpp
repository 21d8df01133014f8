// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "backend/wide_product.h"
#include "exact/products/sum.h"
#include "graph/infer/arguments.h"

namespace belay::exact {
namespace {

using graph::Node;
using graph::Shape;

bool turned(const Node& node, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* name) { return graph::flag_of(node, name, false); });
}

struct Side {
  Shape batch;
  int64_t outer, depth, outer_step, depth_step;
};

Side side_of(Shape shape, bool left, bool transposed) {
  if (shape.size() == 1) shape.insert(left ? shape.begin() : shape.end(), 1);
  const int64_t rows = shape.end()[-2], columns = shape.back();
  const bool rows_outside = left != (transposed && shape.size() > 1);
  return {Shape(shape.begin(), shape.end() - 2), rows_outside ? rows : columns, rows_outside ? columns : rows,
          rows_outside ? columns : 1, rows_outside ? 1 : columns};
}

// Where the matrix of each batch of the result begins.
std::vector<int64_t> starts(const Shape& batch, const Shape& own, int64_t matrix) {
  std::vector<int64_t> made;
  for (int64_t i = 0, count = graph::element_count(batch); i < count; ++i) {
    int64_t rest = i, at = 0, step = matrix;
    for (size_t d = 0; d < batch.size(); ++d) {
      const int64_t size = batch.end()[-1 - static_cast<std::ptrdiff_t>(d)];
      if (d < own.size()) {
        const int64_t mine = own.end()[-1 - static_cast<std::ptrdiff_t>(d)];
        if (mine != 1) at += rest % size * step;
        step *= mine;
      }
      rest /= size;
    }
    made.push_back(at);
  }
  return made;
}

backend::PackSide packer(const double* from, const Side& side) {
  return [from, side](int64_t first, int64_t count, int64_t begin, int64_t end, double* to) {
    for (int64_t i = 0; i < count; ++i) {
      const double* row = from + (first + i) * side.outer_step;
      const bool inside = first + i < side.outer;
      for (int64_t k = begin; k < end; ++k) to[(k - begin) * count + i] = inside ? row[k * side.depth_step] : 0;
    }
  };
}

}  // namespace

Result<std::optional<Sums>> sum_matmul(const Node& node, std::span<const Value> inputs, const Shape& output,
                                       bool units) {
  if (inputs.size() > 3 && inputs[3].present) return std::optional<Sums>();
  const Side a = side_of(inputs[0].shape, true, turned(node, {"transpose_x1", "adj_x1", "transpose_a"}));
  const Side b = side_of(inputs[1].shape, false, turned(node, {"transpose_x2", "adj_x2", "transpose_b"}));
  if (a.depth != b.depth) return std::optional<Sums>();
  const size_t rank = std::max(a.batch.size(), b.batch.size());
  if (output.size() < rank) return std::optional<Sums>();
  const Shape batch(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(rank));
  const auto a_starts = starts(batch, a.batch, a.outer * a.depth), b_starts = starts(batch, b.batch, b.outer * b.depth);
  const int64_t matrix = a.outer * b.outer;
  if (matrix * static_cast<int64_t>(a_starts.size()) != graph::element_count(output)) return std::optional<Sums>();
  const bool biased = inputs.size() > 2 && inputs[2].present;
  const auto bias = biased ? inputs[2].doubles() : std::span<const double>();
  // One number for each column, or for each element of the result.
  if (biased && (bias.empty() || graph::element_count(output) % static_cast<int64_t>(bias.size()) != 0))
    return std::optional<Sums>();
  std::vector<double> y(static_cast<size_t>(graph::element_count(output))), made(units ? y.size() : 0);
  for (size_t i = 0; i < a_starts.size(); ++i) {
    const size_t first = i * static_cast<size_t>(matrix);
    backend::SideSize left, right;
    backend::multiply_wide({a.outer, b.outer, a.depth, packer(inputs[0].doubles().data() + a_starts[i], a),
                            packer(inputs[1].doubles().data() + b_starts[i], b)},
                           {y.data() + first, units ? made.data() + first : nullptr, &left, &right});
    for (int64_t e = 0; e < matrix; ++e) {
      const auto row = static_cast<size_t>(e / b.outer), column = static_cast<size_t>(e % b.outer);
      const size_t at = first + static_cast<size_t>(e);
      const double added = biased ? bias[at % bias.size()] : 0;
      y[at] += added;
      if (units)
        made[at] = (made[at] + left.blocks[row] * right.blocks[column] + std::fabs(added)) *
                   roundings(static_cast<double>(a.depth), std::min(left.repeats[row], right.repeats[column]));
    }
  }
  return std::optional<Sums>({make_value(output, y), std::move(made)});
}

}  // namespace belay::exact
