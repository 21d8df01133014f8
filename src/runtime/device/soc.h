// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace belay {

// The numbers that programs ask of a kind of NPU, from its public platform tables.
struct Soc {
  const char* name;
  int aicpu_cores;
  int ai_cores;
  int cube_cores;  // -1: this kind does not answer
  int vector_cores;
  uint64_t memory;
  uint64_t l2_cache;
  int npu_arch;
  bool inf_nan;  // INF/NaN mode and bfloat16
};

// What a name from BELAY_SOC_NAME stands for. `row` is that kind or the one whose name begins most alike.
struct ChosenSoc {
  std::string name;
  const Soc* row;
  bool exact;
};

// Null or empty: Ascend910B3. A name that no program could take for one ([A-Za-z0-9_-], "Ascend...") is not kept.
ChosenSoc choose_soc(const char* wanted);

// The row of exactly that name; null when there is none.
const Soc* find_soc(std::string_view name);

// The SoC of this process. Reads BELAY_SOC_NAME once; a name without a row of its own is said once in the log.
const Soc& soc();
const char* soc_name();

}  // namespace belay
