// SPDX-License-Identifier: Apache-2.0
// ThreadSanitizer does not see how OpenMP's threads wait for one another, and takes what a loop shares for a race. The
// bodies of such loops are functions of this name; our own threads have none of them on their stacks.
#ifdef __SANITIZE_THREAD__
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() { return "race:_omp_fn\n"; }
#endif
