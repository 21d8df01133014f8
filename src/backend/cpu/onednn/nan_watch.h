// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace belay::backend::cpu::onednn {

// oneDNN's maximum takes the number and drops the NaN, so that a fused Relu or a MaxPool would hide what a user looks
// for. The processor notes it, however: a NaN in a maximum or a comparison sets the sticky "invalid" flag of the thread
// that met it.

// Whether this thread has met one since the last time; clears the flag. May be a false alarm, as other work
// sets the flag too; on processors whose flags we cannot read it always is.
bool met_nan();

}  // namespace belay::backend::cpu::onednn
