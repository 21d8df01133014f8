// SPDX-License-Identifier: Apache-2.0
#include "compare/side.h"

#include "base/text.h"
#include "compare/sides/dump_side.h"

namespace belay::compare {

Result<Side> open_side(const std::filesystem::path& path) {
  Side side = TRY(open_dump_side(path));
  if (side.tensors.empty() && side.problems.empty())
    return Status{ACL_ERROR_PARSE_FILE, formatted("there are no dump files in {}", path.string())};
  return side;
}

}  // namespace belay::compare
