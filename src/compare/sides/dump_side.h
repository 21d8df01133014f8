// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare/side.h"

namespace belay::compare {

// The tensors of the dump files that the path leads to; of each file only the header is read. Statistics and overflow
// reports hold no tensors of operators and are passed over. No tensors and no problems: there are no dump files.
// 100003 when the path does not exist.
Result<Side> open_dump_side(const std::filesystem::path& path);

}  // namespace belay::compare
