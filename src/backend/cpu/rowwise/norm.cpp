// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls of norms: of the root mean square and of layers, after a sum, and as whole numbers.
#include <cmath>

#include "backend/cpu/arguments.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/rowwise/whole_row.h"
#include "backend/cpu/simd/combine_floats.h"
#include "backend/cpu/simd/row_floats.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

// Elements of a tensor for the columns of a row: all rows have the same ones.
struct Columns {
  std::vector<float> values;
  Columns(Inputs in, int place) : values(all_floats(tensor_at(in, place))) {}
  explicit operator bool() const { return !values.empty(); }
  float operator[](int64_t column) const { return values[values.size() == 1 ? 0 : static_cast<size_t>(column)]; }
};

// One of the two results of whole numbers.
struct WholeResult {
  int y = -1, scale = -1;                    // outputs; scale: for a scale of each row
  int smooth = -1, factor = -1, shift = -1;  // inputs
};

struct Norm {
  int x1, x2, gamma, beta, bias;
  int y, wide, plain, x, rstd, mean;  // outputs
  WholeResult whole[2];
  int64_t rows, width;
  float eps, alpha;
  bool centred, plus_one, dynamic, divides;
  bool in_steps;  // AddRmsNorm: what is multiplied by gamma is rounded to the type before
  DataType type;

  // The sum of the inputs; of root mean squares it is what is stored of it.
  void add(Inputs in, int64_t row, float* sum, float* other, const Columns& biases) const {
    read_floats(in[static_cast<size_t>(x1)], row * width, width, sum);
    if (alpha != 1)
      for (int64_t c = 0; c < width; ++c) sum[c] *= alpha;
    if (x2 >= 0) {
      read_floats(in[static_cast<size_t>(x2)], row * width, width, other);
      combine_floats(Combine::Add, {sum, 0, 1}, {other, 0, 1}, sum, 1, width);
    }
    if (bias >= 0 && static_cast<int64_t>(biases.values.size()) != width) {
      read_floats(in[static_cast<size_t>(bias)], row * width, width, other);
      for (int64_t c = 0; c < width; ++c) sum[c] += other[c];
    } else if (bias >= 0) {
      for (int64_t c = 0; c < width; ++c) sum[c] += biases[c];
    }
    if (x2 >= 0 && !centred) round_to(type, sum, width);
  }

  // Around 0 unless it is centred.
  Spread spread_of_row(const std::vector<float>& row) const {
    if (centred) return spread_of(row.data(), row.size());
    return {0, fold_row(Fold::SumOfSquares, row.data(), row.size()) / static_cast<double>(width)};
  }

  void store(const WholeResult& result, const Columns (&numbers)[3], const float* n, float* values, int64_t row,
             Outputs out) const {
    if (result.y < 0) return;
    Tensor& to = out[static_cast<size_t>(result.y)];
    const auto& [smooth, factor, shift] = numbers;
    if (dynamic) {
      for (int64_t c = 0; c < width; ++c) values[c] = smooth ? n[c] * smooth[c] : n[c];
      const float scale = store_scaled(values, width, to, row * width);
      out[static_cast<size_t>(result.scale)].as<float>()[row] = scale;
      return;
    }
    for (int64_t c = 0; c < width; ++c) {
      const float scaled = divides ? n[c] / factor[c] : n[c] * factor[c];
      values[c] = nearest_whole(shift ? scaled + shift[c] : scaled);
    }
    store_whole(values, width, to, row * width);
  }

  Status run(Inputs in, Outputs out) const {
    Columns gammas(in, gamma);
    for (float& value : gammas.values) value += plus_one ? 1.0f : 0.0f;
    const Columns betas(in, beta), biases(in, bias);
    const Columns numbers[2][3] = {{{in, whole[0].smooth}, {in, whole[0].factor}, {in, whole[0].shift}},
                                   {{in, whole[1].smooth}, {in, whole[1].factor}, {in, whole[1].shift}}};
    const auto at = [&](int output) -> Tensor& { return out[static_cast<size_t>(output)]; };
    parallel_for(rows, std::max<int64_t>(1, 8192 / std::max<int64_t>(width, 1)), [&](int64_t begin, int64_t end) {
      std::vector<float> sum(static_cast<size_t>(width)), n(sum), other(sum);
      for (int64_t row = begin; row < end; ++row) {
        add(in, row, sum.data(), other.data(), biases);
        if (x >= 0) write_floats(sum.data(), width, at(x), row * width);
        const Spread spread = spread_of_row(sum);
        const auto middle = static_cast<float>(spread.mean);
        const float factor = 1 / std::sqrt(static_cast<float>(spread.variance) + eps);
        normalise_row(sum.data(), n.data(), n.size(), spread.mean, factor, in_steps ? nullptr : gammas.values.data(),
                      nullptr);
        if (in_steps) {
          round_to(type, n.data(), width);
          combine_floats(Combine::Multiply, {n.data(), 0, 1}, {gammas.values.data(), 0, 1}, n.data(), 1, width);
        }
        if (plain >= 0) write_floats(n.data(), width, at(plain), row * width);
        for (size_t c = 0; c < n.size() && betas; ++c) n[c] += betas[static_cast<int64_t>(c)];
        if (rstd >= 0) write_floats(&factor, 1, at(rstd), row);
        if (mean >= 0) write_floats(&middle, 1, at(mean), row);
        if (wide >= 0) write_floats(n.data(), width, at(wide), row * width);
        if (y >= 0) write_floats(n.data(), width, at(y), row * width);
        for (size_t i = 0; i < 2; ++i) store(whole[i], numbers[i], n.data(), other.data(), row, out);
      }
    });
    return {};
  }
};

// An output of as many elements as there are rows, or rows and columns.
Status check_output(const WholeCall& call, const std::string& name, int output, int64_t count,
                    std::initializer_list<DataType> types) {
  if (output < 0) return {};
  const auto& info = call.result(output);
  if (std::ranges::count(types, info.type) > 0 && graph::element_count(info.shape) == count) return {};
  std::string wanted;
  for (const DataType type : types) wanted += (wanted.empty() ? "" : " or ") + std::string(graph::name_of(type));
  return refuse(formatted("{} is {} {}; it must be {} with {} elements", name, graph::name_of(info.type),
                          graph::to_text(info.shape), wanted, count));
}

Status set_whole(const WholeCall& call, Norm& op) {
  const auto mask = call.ints("mask");  // which of the two are wanted; empty: those that have numbers
  for (size_t i = 0; i < 2; ++i) {
    const std::string number = std::to_string(i + 1);
    WholeResult made;
    made.smooth = call.input("smooth" + number), made.factor = call.input("factor" + number);
    made.shift = call.input("shift" + number);
    const std::string asked = op.dynamic ? "smooth" : "factor";
    const bool wanted = mask.size() == 2 ? mask[i] != 0 : i == 0 || call.input(asked + number) >= 0;
    if (wanted) made.y = call.result_named("y" + number), made.scale = call.result_named("scale" + number);
    if (made.y < 0) continue;
    const auto& y = call.result(made.y);
    TRY(check_whole_type(y, call.integer("type", -1), "y" + number));
    if (whole_count(y) != op.rows * op.width)
      return refuse(formatted("y{} has shape {}; it must have x's", number, graph::to_text(y.shape)));
    for (const char* name : {"smooth", "factor", "shift"}) TRY(check_numbers(call, name + number, {op.width, 1}));
    if (op.dynamic && made.scale < 0) return refuse(formatted("scale{} is needed", number));
    if (op.dynamic) TRY(check_output(call, "scale" + number, made.scale, op.rows, {DataType::Float}));
    if (!op.dynamic && made.factor < 0) return refuse(formatted("y{} needs a scale", number));
    op.whole[i] = made;
  }
  return {};
}

MadeKernel make_norm(const KernelRequest& request) {
  const WholeCall call(request);
  Norm op{};
  op.x1 = call.even_empty("x1"), op.x2 = call.even_empty("x2"), op.gamma = call.input("gamma");
  op.beta = call.input("beta"), op.bias = call.input("bias");
  op.centred = call.flag("centred"), op.plus_one = call.flag("plus_one"), op.divides = call.flag("divides");
  op.dynamic = call.flag("dynamic");
  op.eps = static_cast<float>(call.real("eps")), op.alpha = static_cast<float>(call.real("alpha", 1));
  const auto& x1 = call.info(op.x1);
  op.type = x1.type;
  if (!is_real(op.type)) return refuse(formatted("x of {} is not supported", graph::name_of(op.type)));
  TRY(call.all_real({"gamma", "beta", "bias", "smooth1", "smooth2"}));
  const int64_t count = graph::element_count(x1.shape);
  if (op.x2 >= 0 && (call.info(op.x2).type != op.type || call.info(op.x2).shape != x1.shape))
    return refuse(formatted("x1 is {} {} and x2 {} {}; they must be alike", graph::name_of(op.type),
                            graph::to_text(x1.shape), graph::name_of(call.info(op.x2).type),
                            graph::to_text(call.info(op.x2).shape)));
  if (op.gamma < 0 || x1.shape.empty()) return refuse("gamma must have elements, and x dimensions");
  const Shape& gamma = call.info(op.gamma).shape;
  op.width = graph::element_count(gamma);
  if (gamma.size() > x1.shape.size() || !std::equal(gamma.rbegin(), gamma.rend(), x1.shape.rbegin())) {
    if (op.width != x1.shape.back() || std::ranges::count(gamma, op.width) == 0)
      return refuse(
          formatted("gamma has shape {}, which is not the end of {}", graph::to_text(gamma), graph::to_text(x1.shape)));
  }
  op.rows = count / op.width;
  TRY(check_numbers(call, "gamma", {op.width}));
  TRY(check_numbers(call, "beta", {op.width}));
  TRY(check_numbers(call, "bias", {op.width, count}));
  const auto named = [&](const char* name) { return call.result_named(name); };
  op.y = named("y"), op.wide = named("wide"), op.plain = named("plain");
  op.rstd = named("rstd"), op.mean = named("mean");
  op.x = call.integer("tells_x", 1) ? named("x") : -1;
  op.in_steps = op.x2 >= 0 && !op.centred && (op.y >= 0 || op.wide >= 0);
  TRY(check_output(call, "y", op.y, count, {op.type}));
  TRY(check_output(call, "y1", op.wide, count, {DataType::Float}));
  TRY(check_output(call, "the norm", op.plain, count, {op.type}));
  TRY(check_output(call, "x", op.x, count, {op.type}));
  TRY(check_output(call, "rstd", op.rstd, op.rows, {DataType::Float}));
  TRY(check_output(call, "mean", op.mean, op.rows, {DataType::Float}));
  TRY(set_whole(call, op));
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

// dx = rstd * (g - xh * mean(g * xh)) with g = dy * gamma and xh = x * rstd; with `centred` xh = (x - mean) * rstd and
// dx also loses mean(g). The gradients of gamma and beta are sums over the rows.
struct NormGrad {
  int dy, x, rstd, mean, gamma, more;
  int dx, dgamma, dbeta;
  int64_t rows, width;
  bool centred, plus_one;

  Status run(Inputs in, Outputs out) const {
    const auto gammas = all_floats(tensor_at(in, gamma)), factors = all_floats(tensor_at(in, rstd)),
               middles = all_floats(tensor_at(in, mean));
    std::vector<float> g(static_cast<size_t>(width)), xs(g), given(g);
    std::vector<double> gamma_sum(g.size()), beta_sum(g.size());
    for (int64_t row = 0; row < rows; ++row) {
      const auto r = static_cast<size_t>(row);
      read_floats(in[static_cast<size_t>(dy)], row * width, width, g.data());
      read_floats(in[static_cast<size_t>(x)], row * width, width, xs.data());
      double along = 0, total = 0;
      for (size_t c = 0; c < g.size(); ++c) {
        xs[c] = (xs[c] - (centred ? middles[r] : 0)) * factors[r];
        gamma_sum[c] += static_cast<double>(g[c]) * xs[c];
        beta_sum[c] += g[c];
        if (!gammas.empty()) g[c] *= gammas[c] + (plus_one ? 1.0f : 0.0f);
        along += static_cast<double>(g[c]) * xs[c];
        total += g[c];
      }
      const auto both = static_cast<float>(along / static_cast<double>(width)),
                 level = centred ? static_cast<float>(total / static_cast<double>(width)) : 0;
      for (size_t c = 0; c < g.size(); ++c) g[c] = factors[r] * (g[c] - level - xs[c] * both);
      if (more >= 0) {
        read_floats(in[static_cast<size_t>(more)], row * width, width, given.data());
        for (size_t c = 0; c < g.size(); ++c) g[c] += given[c];
      }
      if (dx >= 0) write_floats(g.data(), width, out[static_cast<size_t>(dx)], row * width);
    }
    for (const auto& [output, sums] : {std::pair{dgamma, &gamma_sum}, {dbeta, &beta_sum}}) {
      if (output < 0) continue;
      const std::vector<float> made(sums->begin(), sums->end());
      write_floats(made.data(), width, out[static_cast<size_t>(output)], 0);
    }
    return {};
  }
};

MadeKernel make_norm_grad(const KernelRequest& request) {
  const WholeCall call(request);
  NormGrad op{};
  op.dy = call.even_empty("dy"), op.x = call.even_empty("x"), op.rstd = call.even_empty("rstd");
  op.mean = call.even_empty("mean"), op.gamma = call.input("gamma"), op.more = call.input("more");
  op.centred = call.flag("centred");
  const auto wanted = call.ints("mask");
  const auto output = [&](const char* name, size_t i) {
    return i < wanted.size() && wanted[i] == 0 ? -1 : call.result_named(name);
  };
  op.dx = output("dx", 0), op.dgamma = output("dgamma", 1), op.dbeta = output("dbeta", 2);
  const auto &x = call.info(op.x), &dy = call.info(op.dy);
  const int64_t count = graph::element_count(x.shape);
  op.rows = graph::element_count(call.info(op.rstd).shape);
  if (op.rows == 0 || count % op.rows != 0 || dy.shape != x.shape)
    return refuse(
        formatted("dy {}, x {} and {} rows do not fit", graph::to_text(dy.shape), graph::to_text(x.shape), op.rows));
  op.width = count / op.rows;
  TRY(call.all_real({"dy", "x", "rstd", "mean", "gamma", "more"}));
  TRY(check_numbers(call, "gamma", {op.width}));
  if (op.centred && (op.mean < 0 || graph::element_count(call.info(op.mean).shape) != op.rows))
    return refuse("mean and rstd must have as many elements");
  if (op.more >= 0 && graph::element_count(call.info(op.more).shape) != count)
    return refuse("what is added to dx must have its shape");
  TRY(check_output(call, "dx", op.dx, count, {dy.type}));
  for (const auto& [place, name] : {std::pair{op.dgamma, "dgamma"}, {op.dbeta, "dbeta"}})
    TRY(check_output(call, name, place, op.width, {DataType::Float, DataType::Float16, DataType::BFloat16}));
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

constexpr KernelRow rows[] = {
    {"AclnnNorm", "reference", make_norm},
    {"AclnnNormGrad", "reference", make_norm_grad},
};

}  // namespace

std::span<const KernelRow> aclnn_norm_rows() { return rows; }

}  // namespace belay::backend::cpu
