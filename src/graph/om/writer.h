// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace belay::graph {

// A model attribute of ours: zeros that make the weights begin at a multiple of 512 in the file, so that a mapped file
// has them aligned. It is taken away when reading.
inline constexpr std::string_view kPadding = "_belay_padding";

}  // namespace belay::graph
