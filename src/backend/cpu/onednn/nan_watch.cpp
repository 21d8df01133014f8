// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn/nan_watch.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace belay::backend::cpu::onednn {

bool met_nan() {
#if defined(__SSE__)
  const unsigned state = _mm_getcsr();
  if (!(state & _MM_EXCEPT_INVALID)) return false;
  _mm_setcsr(state & ~static_cast<unsigned>(_MM_EXCEPT_INVALID));
#endif
  return true;
}

}  // namespace belay::backend::cpu::onednn
