// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace belay {

// The head of a NumPy .npy file; the elements follow it at `data_offset`.
struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;
  size_t data_offset = 0;
};

// Reads versions 1 to 3. ACL_ERROR_PARSE_FILE says what is wrong.
Result<NpyHeader> parse_npy_header(std::span<const std::byte> file);

// A version 1 header, padded so that the data begins at a multiple of 64 bytes.
std::string make_npy_header(const std::string& descr, std::span<const int64_t> shape);

}  // namespace belay
