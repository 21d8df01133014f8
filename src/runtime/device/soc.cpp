// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/soc.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/log/say_once.h"

namespace belay {
namespace {

constexpr uint64_t GiB = uint64_t{1} << 30;
constexpr uint64_t MiB = uint64_t{1} << 20;

// The default comes first: of several kinds that begin equally alike the first is taken.
constexpr Soc table[] = {
    {"Ascend910B3", 6, 20, 20, 40, 64 * GiB, 192 * MiB, 2201, true},
    {"Ascend910B1", 6, 24, 24, 48, 64 * GiB, 192 * MiB, 2201, true},
    {"Ascend910B2", 6, 24, 24, 48, 64 * GiB, 192 * MiB, 2201, true},
    {"Ascend910B4", 6, 20, 20, 40, 32 * GiB, 96 * MiB, 2201, true},
    {"Ascend310P3", 7, 8, -1, 7, 24000000000, 16 * MiB, 2002, false},
    {"Ascend910A", 4, 32, -1, 0, 32 * GiB, 32 * MiB, 1001, false},
    {"Ascend310B1", 4, 1, 1, 1, 32 * GiB, 4 * MiB, 3002, false},
};

size_t common_prefix(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

bool plausible(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return name.starts_with("Ascend") && std::ranges::all_of(name, allowed);
}

const ChosenSoc& chosen() {
  static const ChosenSoc& choice = *[] {
    const char* wanted = getenv("BELAY_SOC_NAME");
    auto* choice = new ChosenSoc(choose_soc(wanted));
    if (!choice->exact)
      say_once(LogModule::Runtime,
               "BELAY_SOC_NAME={} is not a known SoC: it is simulated with the numbers of {}, as {}", wanted,
               choice->row->name, choice->name);
    return choice;
  }();
  return choice;
}

}  // namespace

const Soc* find_soc(std::string_view name) {
  const auto* found = std::ranges::find(table, name, &Soc::name);
  return found != std::end(table) ? found : nullptr;
}

ChosenSoc choose_soc(const char* wanted) {
  if (!wanted || !*wanted) return {table[0].name, &table[0], true};
  if (const Soc* row = find_soc(wanted)) return {row->name, row, true};
  if (!plausible(wanted)) return {table[0].name, &table[0], false};
  const auto likeness = [&](const Soc& row) { return common_prefix(row.name, wanted); };
  return {wanted, std::ranges::max_element(table, {}, likeness), false};
}

const Soc& soc() { return *chosen().row; }
const char* soc_name() { return chosen().name.c_str(); }

}  // namespace belay
