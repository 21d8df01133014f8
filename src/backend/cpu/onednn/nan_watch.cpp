// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn/nan_watch.h"

#include "backend/cpu/parallel.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace belay::backend::cpu::onednn {
namespace {

bool take_flag() {
#if defined(__SSE__)
  const unsigned state = _mm_getcsr();
  if (!(state & _MM_EXCEPT_INVALID)) return false;
  _mm_setcsr(state & ~static_cast<unsigned>(_MM_EXCEPT_INVALID));
#endif
  return true;
}

}  // namespace

bool met_nan() {
  const int threads = current_threads();
  if (threads <= 1) return take_flag();
  bool met = false;
#pragma omp parallel num_threads(threads) reduction(|| : met)
  met = take_flag();
  return met;
}

}  // namespace belay::backend::cpu::onednn
