// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace belay::backend {

// The instructions that vector code of this process is made of, as Highway names them: "AVX3", "AVX2", ...
const char* vector_target();

}  // namespace belay::backend
