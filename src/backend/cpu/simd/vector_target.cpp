// SPDX-License-Identifier: Apache-2.0
#include "backend/vector_target.h"

#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/simd/vector_target.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::HWY_NAMESPACE {

const char* name_of_target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace belay::backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend {
HWY_EXPORT(name_of_target);

const char* vector_target() { return HWY_DYNAMIC_DISPATCH(name_of_target)(); }

}  // namespace belay::backend
#endif
