// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn/one_thread.h"

#include <omp.h>

namespace belay::backend::cpu::onednn {

OneThread::OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }

OneThread::~OneThread() { omp_set_num_threads(before_); }

}  // namespace belay::backend::cpu::onednn
