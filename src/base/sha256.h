// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace belay {

// SHA-256 of some bytes, as 64 hexadecimal digits.
std::string sha256(std::span<const std::byte> bytes);

}  // namespace belay
