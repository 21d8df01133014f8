// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace belay {

// The names that are most like `wanted`, at most three, as a list for a message: "conv1, conv2"; empty when there are
// none.
std::string closest_names(std::string_view wanted, std::span<const std::string_view> names);

// The name that `wanted` was probably meant to be: few letters differ; of several equally near, the
// first. Empty when there is none.
std::string_view closest_name(std::string_view wanted, std::span<const std::string_view> names);

}  // namespace belay
