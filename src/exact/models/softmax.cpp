// SPDX-License-Identifier: Apache-2.0
// Softmax and what is made of it.
#include <algorithm>
#include <cmath>

#include "exact/models/groups.h"
#include "exact/models/model.h"
#include "exact/products/sum.h"
#include "graph/model/attribute.h"

namespace belay::exact {
namespace {

using graph::get_or;

std::vector<int64_t> axes_of(const Operation& operation) {
  auto axes = get_or(operation.node.attributes, "axes", std::vector<int64_t>{-1});
  const auto rank = static_cast<int64_t>(operation.inputs[0].value.shape.size());
  if (get_or(operation.node.attributes, "need_fusion", int64_t{0}) == 1 && axes.size() == 1)
    for (int64_t axis = (axes[0] < 0 ? axes[0] + rank : axes[0]) + 1; axis < rank; ++axis) axes.push_back(axis);
  return axes;
}

// What the errors of the inputs do to a group: its own, and the mean of all by their shares of the sum.
double mean_error(const Operation& operation, const Groups& groups, int64_t begin, std::span<const double> shares) {
  double mean = 0;
  for (size_t i = 0; i < shares.size(); ++i)
    if (shares[i] > 0) mean += shares[i] * error_at(operation.inputs[0], begin + groups.members[i]);
  return mean;
}

// visit(element, its share, -log of its share, what the inputs' errors move its logarithm by) for all elements.
template <class Visit>
void for_shares(const Operation& operation, const Groups& groups, const Visit& visit) {
  const auto x = operation.inputs[0].value.doubles();
  parallel_for(static_cast<int64_t>(groups.begins.size()), 16, [&](int64_t from, int64_t until) {
    std::vector<double> shares(groups.members.size());
    for (int64_t g = from; g < until; ++g) {
      const int64_t begin = groups.begins[static_cast<size_t>(g)];
      double most = -INFINITY, sum = 0;
      for (const int64_t member : groups.members) most = std::max(most, x[static_cast<size_t>(begin + member)]);
      for (size_t i = 0; i < shares.size(); ++i)
        sum += shares[i] = std::exp(x[static_cast<size_t>(begin + groups.members[i])] - most);
      for (double& share : shares) share /= sum;
      const double mean = operation.inexact() ? mean_error(operation, groups, begin, shares) : 0;
      for (size_t i = 0; i < shares.size(); ++i) {
        const int64_t at = begin + groups.members[i];
        const double below = most - x[static_cast<size_t>(at)] + std::log(sum);
        visit(at, shares[i], below, operation.inexact() ? error_at(operation.inputs[0], at) + mean : 0);
      }
    }
  });
}

Status softmax(const Operation& operation, std::span<Tracked> outputs) {
  const Groups groups(operation.inputs[0].value.shape, axes_of(operation));
  Tracked& y = outputs[0];
  const Rounding& rounding = rounding_of(y.stored);
  const double unit = std::max(rounding.unit, rounding_of(operation.inputs[0].stored).unit);
  const double sums = sum_unit(y.stored) * roundings(groups.size(), groups.size() / 8);
  const double all = unit * (std::log(groups.size() + 1) + 10) + sums;
  const bool logarithm = operation.node.type == "LogSoftmaxV2";
  auto errors = std::make_shared<std::vector<double>>(static_cast<size_t>(y.value.count()));
  const auto values = y.value.doubles();
  for_shares(operation, groups, [&](int64_t at, double share, double below, double moved) {
    const auto e = static_cast<size_t>(at);
    const double steps = std::isfinite(below) ? unit * below + all : all;
    const double before = logarithm ? steps + unit * 2 * std::fabs(values[e]) + moved
                                    : share * (steps + (moved > 0 ? std::expm1(moved) : 0));
    (*errors)[e] = with_rounding(rounding, values[e], before);
  });
  y.errors = std::move(errors);
  return {};
}

constexpr ErrorModelRow rows[] = {{"LogSoftmaxV2", softmax}, {"SoftmaxV2", softmax}};

}  // namespace

std::span<const ErrorModelRow> softmax_models() { return rows; }

}  // namespace belay::exact
