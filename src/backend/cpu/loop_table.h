// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <utility>

#include "backend/cpu/element.h"

namespace belay::backend::cpu {

// Loops by element type. Only the loops are templates; the kernels around them are not, which keeps builds short.
template <class Loop, class... Ts, class F>
constexpr auto loop_table(TypeList<Ts...>, F f) {
  return std::array<std::pair<DataType, Loop>, sizeof...(Ts)>{{{data_type_of<Ts>(), f.template operator()<Ts>()}...}};
}

// Null when the table has none for this type.
template <class Loop, size_t n>
Loop find_loop(const std::array<std::pair<DataType, Loop>, n>& table, DataType type) {
  for (const auto& [of, loop] : table)
    if (of == type) return loop;
  return nullptr;
}

}  // namespace belay::backend::cpu
