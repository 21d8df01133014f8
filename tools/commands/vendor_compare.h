// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "compare/matching.h"

namespace belay::tools {

struct VendorCompare {
  std::filesystem::path ours, truth, folder = ".";
  compare::MatchOptions match;
  bool mapping = false;   // write mapping_<time>.csv too
  bool overflow = false;  // the column OverFlow
};

// What msaccucmp ends with.
enum VendorCode {
  kVendorDone = 0,
  kVendorNoDump = 2,
  kVendorPath = 3,
  kVendorParse = 4,
  kVendorParameter = 6,
  kVendorBadDump = 11
};

// Compares and writes result_<time>.csv, with the vendor's columns, into the folder. Says on stderr what went wrong,
// after `title`.
VendorCode compare_as_vendor(const char* title, const VendorCompare& what);

// A folder that is there, or is made now; says on stderr when it cannot be.
bool make_folder(const char* title, const std::filesystem::path& folder);

// YYYYmmddHHMMSS, now.
std::string time_of_result();

}  // namespace belay::tools
