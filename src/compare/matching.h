// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "compare/side.h"

namespace belay::compare {

// Why two tensors were taken for the same.
enum class MatchedBy : uint8_t { Name, Origin, Fusion, Mapping, TensorName, File };
const char* name_of(MatchedBy by);  // "name", "origin"...

struct Pair {
  size_t ours = 0, truth = 0;  // indices into the sides' tensors
  MatchedBy by = MatchedBy::Name;
};

// A tensor that has no partner.
struct Unmatched {
  size_t tensor = 0;
  std::string reason;   // a sentence
  std::string nearest;  // the other side's most similar name; "" when none is, or very many are unmatched
};

struct Matching {
  std::vector<Pair> pairs;  // in the order of ours
  std::vector<Unmatched> ours, truth;
};

struct MatchOptions {
  std::filesystem::path ours_fusion;   // -f: JSON that atc makes of our side's .om or .onnx; "" none
  std::filesystem::path truth_fusion;  // -cf: the same of the other side
  bool inputs = false;                 // also pair inputs, not only outputs
};

// Pairs by operator and output; by the origin of a fused operator's outputs; by the fusion JSON; across two different
// fusions by the last original operator that both have as a result. Names meet as file names have them, mangled. What
// ran several times in one place is paired in its order. Two files that the user named, each of one operator or array,
// are a pair whatever they are called. Several tensors of one side may be the same value of the
// other. 100003 when a JSON cannot be read, 100006 when it is none of atc's.
Result<Matching> match(const Side& ours, const Side& truth, const MatchOptions& options);

}  // namespace belay::compare
