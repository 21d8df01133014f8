// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"

namespace belay {

// A file in $TMPDIR (/tmp without it) that has no name any more: its room is free again when it is closed and no longer
// mapped. Its descriptor is the caller's. ACL_ERROR_WRITE_FILE names the folder in which none can be made.
Result<int> nameless_file();

}  // namespace belay
