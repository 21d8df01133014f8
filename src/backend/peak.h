// SPDX-License-Identifier: Apache-2.0
#pragma once

// What this machine gives at the most, for a judgement of kernels: measured here and now, in some tenths of a second.
namespace belay::backend {

// Operations a second of the product in panels on so many threads, all of it in their caches.
double product_flops(int threads);

// Bytes a second that so many threads read from memory, more than caches hold.
double read_bytes(int threads);

}  // namespace belay::backend
