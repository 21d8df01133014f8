// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "exact/evaluate.h"

namespace belay::blame {

// Pairs of axes that are both longer than one.
std::vector<std::pair<size_t, size_t>> swappable_axes(const graph::Shape& shape);

// The elements in the order that they have when two axes are swapped, in a tensor of the shape as it was.
exact::Value with_axes_swapped(const exact::Value& value, size_t a, size_t b);
exact::Output with_axes_swapped(const exact::Output& output, size_t a, size_t b);

}  // namespace belay::blame
