// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "exact/compute.h"
#include "exact/rounding.h"
#include "exact/tracked.h"

// How far a faithful computation of an operator may be from the exact result: docs/precision-bounds.md derives what is
// written here as formulas.
namespace belay::exact {

// An operator and what it was given.
struct Operation {
  const graph::Node& node;
  std::span<const Tracked> inputs;

  bool has(size_t input) const { return input < inputs.size() && inputs[input].value.present; }
  // Whether some input may be off already.
  bool inexact() const;
  std::vector<Value> values() const;
  // The outputs that other values of the same types and shapes would give.
  Result<std::vector<Value>> again(std::span<const Value> values) const;
  // The same computed in float, with the roundings of all steps.
  Result<std::vector<Value>> again_in_float(std::span<const Value> values) const;
};

// Sets the errors of the outputs, whose values and types are there.
using ErrorModel = Status (*)(const Operation& operation, std::span<Tracked> outputs);

// One row per operator. What has no row is refused.
struct ErrorModelRow {
  std::string_view op;
  ErrorModel model;
};

// Null when the operator has none.
ErrorModel find_error_model(std::string_view op);

// The families.
std::span<const ErrorModelRow> movement_models();
std::span<const ErrorModelRow> elementwise_models();
std::span<const ErrorModelRow> product_models();
std::span<const ErrorModelRow> sum_models();
std::span<const ErrorModelRow> norm_models();
std::span<const ErrorModelRow> softmax_models();
std::span<const ErrorModelRow> discrete_models();
std::span<const ErrorModelRow> sampled_models();

// The magnitudes of the inputs, with what they may be off by when `widened`: what bounds any sum of products of them.
std::vector<Value> magnitudes(const Operation& operation, bool widened);
// How far outputs are from those that come out when all inputs go to one end of their intervals, then to the other.
Status move_together(const Operation& operation, std::span<Tracked> outputs);

// The part of the neighbours in a tensor that are equal and not 0: their roundings agree.
double repeated_part(const Value& value);

Status not_checkable(const graph::Node& node, const std::string& why);

// For each element of an output: with_rounding() of what `before` permits.
template <class Before>
Errors round_each(const Tracked& output, const Before& before);

}  // namespace belay::exact

#include "exact/models/round_each.h"
