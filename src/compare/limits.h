// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "compare/measure.h"
#include "graph/tensor/types.h"

namespace belay::compare {

// How far two tensors may differ and still agree. What is not set is not looked at. Whatever is set, tensors without a
// different element agree, and an element that is finite on one side only makes them differ.
struct Limits {
  std::optional<double> rtol, atol;  // each element: |x-y| <= atol + rtol * |y|; 0 for the one that is not set
  std::optional<double> cosine;      // at the least
  std::optional<double> euclidean;   // the relative Euclidean distance at the most
  std::optional<double> peak;        // max |x-y| at the most, in parts of the largest |y|
  std::optional<double> ulp;         // tensors of which no element is farther agree, whatever the others say
  bool ignore = false;               // not compared at all

  bool empty() const { return !rtol && !atol && !cosine && !euclidean && !peak && !ignore; }
  Tolerance tolerance() const { return {rtol.value_or(0), atol.value_or(0)}; }
};

// For a pair of types; the coarser one decides. Integers and bools must be equal, but 8-bit integers may be 1 apart: a
// value before quantisation that is half-way between two is rounded either way. An integer or bool beside a float must
// be equal but for the float's rounding. docs/tools.md has the others, and why.
Limits usual_limits(graph::DataType ours, graph::DataType truth);

// Why they differ, in a sentence; "" when they agree.
std::string difference(const Measures& measured, const Limits& limits);

}  // namespace belay::compare
