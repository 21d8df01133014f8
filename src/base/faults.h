// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

// Faults that a user asks for with BELAY_FAULT, to see how a program, a dump or a tool takes them. docs/faults.md.
namespace belay {

// What goes wrong with one operator.
struct OpFault {
  enum class Kind : uint8_t {
    Nan,
    Inf,
    BitFlip,
    StuckBit,
    Transpose,
    Shift,
    Saturate,
    Stale,
    HalfSum,
    Overwrite,
    Fail,
    Crash,
    Delay
  };
  Kind kind;
  std::string op;       // whom it hits; of an overwrite, who writes
  std::string victim;   // of an overwrite: whose output is written to
  uint64_t number = 0;  // of a bit flip, the byte; of a stuck bit, which of each element; of a delay, the milliseconds
  std::string text;     // as the user wrote it
};

struct Faults {
  std::vector<OpFault> ops;
  std::optional<uint64_t> failing_allocation;  // of device memory; the first is 1
  std::optional<uint64_t> disk_bytes;          // room for dump files
  std::optional<int> device;                   // whose operators are hit; none: all
  uint64_t seed = 0;

  bool hits(int where) const { return !device || *device == where; }
  bool any() const { return !ops.empty() || failing_allocation || disk_bytes; }
  bool has(OpFault::Kind kind) const;
  // A number below `limit` (at least 1) that seed and text decide: the same in every run.
  uint64_t pick(std::string_view text, uint64_t limit) const;
};

// "nan@conv1; delay@prob:20; seed=7". An error says which part is wrong and what it should look like. 100000.
Result<Faults> parse_faults(std::string_view text);

// Those of BELAY_FAULT, read when first asked for; none when it is malformed.
const Faults& faults();
// What is wrong with BELAY_FAULT. When faults are on, says so in the log; when a crash is among them, traps are on.
Status check_faults();
// Keeps of them only how much room files find: of a tool, whose own operators are to be right.
void keep_disk_faults();
// Replaces them, for tests; call before first use.
void set_faults(Faults faults);

// Whether this is the allocation of device memory that is to fail; counts them.
bool allocation_fails();
// Whether `bytes` more of dump files find no room; counts them when they do.
bool disk_is_full(uint64_t bytes);

}  // namespace belay
