// SPDX-License-Identifier: Apache-2.0
#include "replay/judge.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "acl/acl_base.h"
#include "base/text.h"
#include "inspect/tensor.h"

namespace belay::replay {
namespace {

using graph::Constant;

inspect::DumpedTensor seen(const Constant& value) {
  inspect::DumpedTensor tensor;
  tensor.type = value.type;
  tensor.shape = value.shape;
  tensor.bytes = value.bytes;
  return tensor;
}

double error_of(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double error = std::abs(a - b);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

Status other_size(const Constant& a, const graph::Shape& b) {
  return {ACL_ERROR_PARSE_FILE, formatted("{} {} and {} cannot be compared", graph::name_of(a.type),
                                          graph::to_text(a.shape), graph::to_text(b))};
}

}  // namespace

Result<Distance> distance(const Constant& a, const Constant& b) {
  const int64_t count = graph::element_count(a.shape);
  if (a.type != b.type || count != graph::element_count(b.shape)) return other_size(a, b.shape);
  Distance made{.count = count};
  if (a.bytes.size() == b.bytes.size() && std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0) return made;
  const auto left = seen(a), right = seen(b);
  const size_t bytes = graph::bits_of(a.type) / 8;
  double worst = -1;
  for (int64_t i = 0; i < count; ++i) {
    const double x = inspect::element_value(left, i), y = inspect::element_value(right, i);
    const size_t at = static_cast<size_t>(i) * bytes;
    const bool equal = bytes == 0 ? error_of(x, y) == 0 : std::memcmp(&a.bytes[at], &b.bytes[at], bytes) == 0;
    if (equal) continue;
    ++made.unequal;
    if (const double error = error_of(x, y); error > worst) worst = error, made.worst = i, made.a = x, made.b = y;
  }
  return made;
}

Result<std::vector<exact::Output>> recompute(const Operator& op) {
  const graph::Model model = TRY(as_model(op));
  std::vector<exact::Value> values;
  for (const Input& input : op.inputs) {
    exact::Value absent;
    absent.present = false;
    values.push_back(input.present ? TRY(exact::widened(input.value.type, input.value.shape, input.value.bytes))
                                   : absent);
  }
  const int node = model.main().find(op.node.name);
  return exact::evaluate(model, model.main().nodes[static_cast<size_t>(node)], values);
}

Result<exact::Numbers> judge(const Constant& output, const exact::Output& expected) {
  if (graph::element_count(output.shape) != expected.value.count()) return other_size(output, expected.value.shape);
  return exact::held_against(expected, TRY(exact::widened(output.type, output.shape, output.bytes)), output.type);
}

std::string place_text(const Constant& tensor, int64_t element) { return inspect::index_text(tensor.shape, element); }

}  // namespace belay::replay
