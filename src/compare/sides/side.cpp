// SPDX-License-Identifier: Apache-2.0
#include "compare/side.h"

#include <algorithm>

#include "base/text.h"
#include "compare/arrays/array_file.h"
#include "compare/sides/array_side.h"
#include "compare/sides/dump_side.h"

namespace belay::compare {

Result<Side> open_side(const std::filesystem::path& path) {
  Side side{.name = path.string()};
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error);
  if (folder || !is_array_file(path) || !std::filesystem::exists(path, error)) side = TRY(open_dump_side(path));
  add_arrays(path, side);
  if (side.tensors.empty()) {
    const std::string why = side.problems.empty() ? "" : "; " + side.problems[0];
    return Status{
        ACL_ERROR_PARSE_FILE,
        formatted("{} holds no tensors: no dump files, no .npy, .npz or .safetensors files{}", path.string(), why)};
  }
  return side;
}

}  // namespace belay::compare
