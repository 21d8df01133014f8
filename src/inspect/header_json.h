// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dump/format/record.h"

namespace belay::inspect {

// The header as the vendor's parser library writes it: the fields' names, enums as numbers, 64-bit integers as text,
// zeros present, sub-messages that are not set absent.
std::string header_json(const dump::Header& header);

}  // namespace belay::inspect
