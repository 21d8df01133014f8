// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace belay::convert {

// Whether --soc_version may be this: the names of Ascend SoCs, today's and the older ones, with their variants.
bool is_soc_name(std::string_view name);

// What to say of another: the names there are, and first the nearest when one is near.
std::string soc_hint(std::string_view name);

}  // namespace belay::convert
