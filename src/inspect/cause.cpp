// SPDX-License-Identifier: Apache-2.0
#include "inspect/cause.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <set>

#include "base/text.h"
#include "dump/format/types.h"
#include "inspect/magnitude.h"

namespace belay::inspect {
namespace {

struct Found {
  const DumpedTensor* tensor;
  int64_t at;
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", value);
  return text;
}

std::string type_of(const DumpedTensor& tensor) { return std::string(dump::type_name(graph::to_proto(tensor.type))); }

int64_t count_of(const DumpedTensor& tensor) {
  const size_t bits = graph::bits_of(tensor.type);
  const int64_t count = graph::element_count(tensor.shape);
  return bits < 8 || count < 0 || tensor.bytes.size() < graph::bytes_of(tensor.type, count) ? 0 : count;
}

Element element_of(const Found& found) {
  return {label_of(*found.tensor), index_text(found.tensor->shape, found.at), element_text(*found.tensor, found.at)};
}

std::optional<Found> find_result(const std::vector<DumpedTensor>& tensors) {
  std::optional<Found> at_limit;  // what saturation mode leaves
  for (const DumpedTensor& tensor : tensors) {
    const auto limit = largest_finite(type_of(tensor));
    if (tensor.input || !limit) continue;
    for (int64_t i = 0; i < count_of(tensor); ++i) {
      const double value = element_value(tensor, i);
      if (!std::isfinite(value)) return Found{&tensor, i};
      if (!at_limit && std::abs(value) >= *limit) at_limit = Found{&tensor, i};
    }
  }
  return at_limit;
}

// The element of a tensor that is spread over `shape`, for element `at` there. Nothing when it does not spread so.
std::optional<int64_t> spread(const graph::Shape& from, const graph::Shape& shape, int64_t at) {
  if (from.size() > shape.size()) return {};
  int64_t index = 0, stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t place = at % shape[d];
    at /= shape[d];
    const size_t behind = shape.size() - d;
    if (behind > from.size()) continue;
    const int64_t dim = from[from.size() - behind];
    if (dim != shape[d] && dim != 1) return {};
    if (dim != 1) index += place * stride;
    stride *= dim;
  }
  return index;
}

// Operators of one or two numbers, and how they are written.
struct Expression {
  const char* text;
  double (*value)(double, double);
};

const std::map<std::string, Expression>& expressions() {
  static const auto divide = [](double a, double b) { return a / b; };
  static const auto& known = *new const std::map<std::string, Expression>{
      {"Exp", {"exp({})", [](double a, double) { return std::exp(a); }}},
      {"Expm1", {"expm1({})", [](double a, double) { return std::expm1(a); }}},
      {"Log", {"log({})", [](double a, double) { return std::log(a); }}},
      {"Sqrt", {"sqrt({})", [](double a, double) { return std::sqrt(a); }}},
      {"Rsqrt", {"1 / sqrt({})", [](double a, double) { return 1 / std::sqrt(a); }}},
      {"Reciprocal", {"1 / {}", [](double a, double) { return 1 / a; }}},
      {"Square", {"{} squared", [](double a, double) { return a * a; }}},
      {"Cast", {"{}", [](double a, double) { return a; }}},
      {"Add", {"{} + {}", [](double a, double b) { return a + b; }}},
      {"AddV2", {"{} + {}", [](double a, double b) { return a + b; }}},
      {"Sub", {"{} - {}", [](double a, double b) { return a - b; }}},
      {"Mul", {"{} * {}", [](double a, double b) { return a * b; }}},
      {"RealDiv", {"{} / {}", divide}},
      {"Div", {"{} / {}", divide}},
      {"Pow", {"{} to the power {}", [](double a, double b) { return std::pow(a, b); }}}};
  return known;
}

bool is_elementwise(const std::string& type) {
  static const auto& others = *new const std::set<std::string>{
      "Abs",     "Adds",    "Muls",        "Axpy",     "BiasAdd", "Neg",   "Relu",     "LeakyRelu", "Gelu",
      "Swish",   "Elu",     "Selu",        "Softplus", "Sinh",    "Cosh",  "Tan",      "Log1p",     "SquaredDifference",
      "Addcmul", "Addcdiv", "FusedMulAdd", "DivNoNan", "Xdivy",   "Xlogy", "FloorDiv", "Mod",       "Maximum",
      "Minimum"};
  return expressions().contains(type) || others.contains(type);
}

bool is_product(const std::string& type) { return type.starts_with("MatMul") || type.starts_with("BatchMatMul"); }

std::string because(const std::string& expression, double value, const DumpedTensor& output) {
  if (std::isnan(value)) return expression + " is not a number";
  if (std::isinf(value)) return expression + " is infinite";
  const double limit = *largest_finite(type_of(output));
  if (std::abs(value) <= limit) return "";
  return expression + " = " + number(value) + ", beyond " + number(limit);
}

std::string explain(const std::string& type, const std::vector<Found>& operands, const DumpedTensor& output) {
  const auto found = expressions().find(type);
  if (found == expressions().end() || operands.empty()) return "";
  const bool two = std::string_view(found->second.text).find("{}") != std::string_view(found->second.text).rfind("{}");
  if (operands.size() < (two ? 2 : 1)) return "";
  const double a = element_value(*operands[0].tensor, operands[0].at);
  const double b = two ? element_value(*operands[1].tensor, operands[1].at) : 0;
  std::string text = found->second.text;
  for (const double operand : {a, b})
    if (const size_t at = text.find("{}"); at != std::string::npos) text.replace(at, 2, number(operand));
  return because(text, found->second.value(a, b), output);
}

// Whom to blame first: a divisor, else the larger one.
void sort_operands(const std::string& type, std::vector<Found>& operands) {
  const auto magnitude = [](const Found& found) { return std::abs(element_value(*found.tensor, found.at)); };
  const bool divides = type.find("Div") != std::string::npos;
  if (divides && operands.size() > 1 && magnitude(operands[1]) < 1) return std::swap(operands[0], operands[1]);
  std::ranges::stable_sort(operands, std::greater(), magnitude);
}

std::optional<Cause> by_element(const std::string& type, const std::vector<DumpedTensor>& tensors,
                                const Found& result) {
  std::vector<Found> operands;
  for (const DumpedTensor& tensor : tensors) {
    if (!tensor.input || count_of(tensor) == 0) continue;
    const auto at = spread(tensor.shape, result.tensor->shape, result.at);
    if (!at) return {};
    operands.push_back({&tensor, *at});
  }
  Cause cause{element_of(result), {}, explain(type, operands, *result.tensor)};
  sort_operands(type, operands);
  for (const Found& operand : operands) cause.operands.push_back(element_of(operand));
  return cause;
}

// A matrix of a batch: element (row, column) is at begin + row * row_step + column * column_step.
struct Matrix {
  const DumpedTensor* tensor;
  int64_t begin, row_step, column_step;
  int64_t at(int64_t row, int64_t column) const { return begin + row * row_step + column * column_step; }
};

// The dumps do not tell whether the operands were transposed: both ways are tried where the shapes allow it.
std::vector<Matrix> ways(const DumpedTensor& tensor, int64_t batch, int64_t rows, int64_t columns) {
  const size_t rank = tensor.shape.size();
  const int64_t a = tensor.shape[rank - 2], b = tensor.shape[rank - 1];
  const int64_t begin = count_of(tensor) > a * b ? batch * a * b : 0;
  std::vector<Matrix> found;
  if (begin + a * b > count_of(tensor)) return found;
  if (a == rows && b == columns) found.push_back({&tensor, begin, b, 1});
  if (a == columns && b == rows) found.push_back({&tensor, begin, 1, b});
  return found;
}

std::optional<Cause> by_terms(const std::vector<DumpedTensor>& tensors, const Found& result) {
  std::vector<const DumpedTensor*> inputs;
  for (const DumpedTensor& tensor : tensors)
    if (tensor.input) inputs.push_back(&tensor);
  const graph::Shape& shape = result.tensor->shape;
  if (inputs.size() < 2 || shape.size() < 2) return {};
  const DumpedTensor &a = *inputs[0], &b = *inputs[1];
  if (a.shape.size() < 2 || b.shape.size() < 2 || count_of(a) == 0 || count_of(b) == 0) return {};
  const int64_t columns = shape[shape.size() - 1], rows = shape[shape.size() - 2];
  const int64_t column = result.at % columns, row = result.at / columns % rows, batch = result.at / columns / rows;
  const double limit = *largest_finite(type_of(*result.tensor));
  for (const int64_t depth : {a.shape[a.shape.size() - 1], a.shape[a.shape.size() - 2]})
    for (const Matrix& left : ways(a, batch, rows, depth))
      for (const Matrix& right : ways(b, batch, depth, columns)) {
        double sum = 0, most = -1;
        int64_t worst = 0;
        for (int64_t k = 0; k < depth; ++k) {
          const double term = element_value(a, left.at(row, k)) * element_value(b, right.at(k, column));
          sum += term;
          if (std::abs(term) > most) most = std::abs(term), worst = k;
        }
        if (std::abs(sum) <= limit) continue;  // not the way it was computed
        return Cause{element_of(result),
                     {element_of({&a, left.at(row, worst)}), element_of({&b, right.at(worst, column)})},
                     because("a sum of " + std::to_string(depth) + " products", sum, *result.tensor)};
      }
  return {};
}

Cause by_largest(const std::vector<DumpedTensor>& tensors, const Found& result) {
  Cause cause{element_of(result), {}, ""};
  std::optional<Found> most;
  double largest = -1;
  for (const DumpedTensor& tensor : tensors) {
    if (!tensor.input || !largest_finite(type_of(tensor))) continue;
    for (int64_t i = 0; i < count_of(tensor); ++i)
      if (const double value = std::abs(element_value(tensor, i)); value > largest) {
        largest = value;
        most = Found{&tensor, i};
      }
  }
  if (most) cause.operands.push_back(element_of(*most));
  return cause;
}

}  // namespace

std::optional<Cause> find_cause(const std::string& op_type, const std::vector<DumpedTensor>& tensors) {
  const auto result = find_result(tensors);
  if (!result) return {};
  std::optional<Cause> cause;
  if (is_elementwise(op_type)) cause = by_element(op_type, tensors, *result);
  if (is_product(op_type)) cause = by_terms(tensors, *result);
  return cause ? cause : by_largest(tensors, *result);
}

}  // namespace belay::inspect
