// SPDX-License-Identifier: Apache-2.0
// Structures of the C interface that travel as dict or list.
#pragma once

#include "acl/acl_mdl.h"
#include "acl/acl_rt.h"
#include "convert.h"

namespace belay::python {

PyObject* give(const aclmdlIODims& dims, bool ok);
PyObject* give(const aclmdlIODimsRange& range, bool ok);
PyObject* give(const aclmdlBatch& batch, bool ok);
PyObject* give(const aclmdlHW& hw, bool ok);
PyObject* give(const aclAippInfo& info, bool ok);
PyObject* give(const aclrtUtilizationInfo& info, bool ok);
PyObject* give(const aclrtStreamAttrValue& value, bool ok);
PyObject* give(const aclrtPtrAttributes& attributes, bool ok);
PyObject* give(const aclrtUuid& uuid, bool ok);
PyObject* give(const aclCANNPackageVersion& version, bool ok);
bool take(const Site& site, int position, PyObject* given, aclmdlIODims& into);
bool take(const Site& site, int position, PyObject* given, aclrtPhysicalMemProp& into);

// The members of aclrtStreamAttrValue, which is a union in C.
struct StreamAttributes {
  uint64_t failure_mode = 0, overflow_switch = 0, user_custom_tag = 0;
};
bool take(const Site& site, int position, PyObject* given, StreamAttributes& into);

// [low, high]; None on failure.
struct Range {
  int64_t ends[2];
};
PyObject* give(const Range& range, bool ok);

// One dict of dims per gear; empty dicts on failure; None when so many were asked for that C was not.
struct Gears {
  bool refused;
  List<aclmdlIODims> dims;
};
PyObject* give(const Gears& gears, bool ok);

PyObject* give(const List<aclCannAttr>& attributes, bool ok);
PyObject* give(const List<aclrtMemUceInfo>& info, bool ok);
bool take(const Site& site, int position, PyObject* given, List<aclrtMemUceInfo>& into);

// {} or {"numAttrs": n, "attrs": [{"attr": int, "value": {"moduleId": int}}, ...]}
struct MallocConfig {
  List<aclrtMallocAttribute> attributes;
};
bool take(const Site& site, int position, PyObject* given, MallocConfig& into);

// [{"type": int, "value": int or dict}, ...]
struct LoadOptions {
  List<aclrtBinaryLoadOption> options;
};
bool take(const Site& site, int position, PyObject* given, LoadOptions& into);

// [{"id": int, "value": int or dict}, ...]
struct LaunchConfig {
  List<aclrtLaunchKernelAttr> attributes;
};
bool take(const Site& site, int position, PyObject* given, LaunchConfig& into);

// [{"addrOffset": int, "dataOffset": int}, ...]
struct PlaceHolders {
  List<aclrtPlaceHolderInfo> places;
};
bool take(const Site& site, int position, PyObject* given, PlaceHolders& into);

template <>
inline constexpr bool kGiven<aclmdlIODims> = true;
template <>
inline constexpr bool kGiven<aclmdlIODimsRange> = true;
template <>
inline constexpr bool kGiven<aclmdlBatch> = true;
template <>
inline constexpr bool kGiven<aclmdlHW> = true;
template <>
inline constexpr bool kGiven<aclAippInfo> = true;
template <>
inline constexpr bool kGiven<aclrtUtilizationInfo> = true;
template <>
inline constexpr bool kGiven<aclrtStreamAttrValue> = true;
template <>
inline constexpr bool kGiven<aclrtPtrAttributes> = true;
template <>
inline constexpr bool kGiven<aclrtUuid> = true;
template <>
inline constexpr bool kGiven<aclCANNPackageVersion> = true;
template <>
inline constexpr bool kGiven<Range> = true;
template <>
inline constexpr bool kGiven<Gears> = true;
template <>
inline constexpr bool kGiven<List<aclCannAttr>> = true;
template <>
inline constexpr bool kGiven<List<aclrtMemUceInfo>> = true;
template <>
inline constexpr bool kTaken<aclmdlIODims> = true;
template <>
inline constexpr bool kTaken<aclrtPhysicalMemProp> = true;

}  // namespace belay::python
