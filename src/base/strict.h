// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace belay {

// Whether BELAY_STRICT=1 asks for the original's behaviour where ours is kinder. Read once.
bool strict_mode();

}  // namespace belay
