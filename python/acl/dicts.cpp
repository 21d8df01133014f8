// SPDX-License-Identifier: Apache-2.0
// Structures as Python sees them: results.
#include "dicts.h"

#include <algorithm>

namespace belay::python {
namespace {

PyObject* list_of(const uint64_t* values, size_t count) {
  PyObject* const list = PyList_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; list && i < count; ++i)
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), PyLong_FromUnsignedLongLong(values[i]));
  return list;
}

template <class Value, class Make>
PyObject* list_of(const Value& values, size_t count, Make make) {
  PyObject* const list = PyList_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; list && i < count; ++i) PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), make(values[i]));
  return list;
}

PyObject* location_of(const aclrtMemLocation& location) {
  return Py_BuildValue("{s:I,s:i}", "id", location.id, "type", static_cast<int>(location.type));
}

PyObject* dims_dict(const aclmdlIODims& dims) {
  const size_t count = std::min<size_t>(dims.dimCount, ACL_MAX_DIM_CNT);
  return Py_BuildValue("{s:N,s:n,s:N}", "name", give_text(dims.name, sizeof dims.name), "dimCount",
                       static_cast<Py_ssize_t>(count), "dims", give_list(dims.dims, count));
}

PyObject* out_dims(const aclAippDims& dims) {
  return Py_BuildValue("{s:N,s:K,s:N,s:K}", "srcDims", dims_dict(dims.srcDims), "srcSize",
                       static_cast<unsigned long long>(dims.srcSize), "aippOutdims", dims_dict(dims.aippOutdims),
                       "aippOutSize", static_cast<unsigned long long>(dims.aippOutSize));
}

bool put(PyObject* dict, const char* key, PyObject* value) {
  const Ref held = Ref::steal(value);
  return held && PyDict_SetItemString(dict, key, held.get()) == 0;
}

}  // namespace

PyObject* give(const aclmdlIODims& dims, bool ok) { return ok ? dims_dict(dims) : PyDict_New(); }

PyObject* give(const aclmdlIODimsRange& range, bool ok) {
  const size_t count = ok ? std::min<size_t>(range.rangeCount, ACL_MAX_DIM_CNT) : 0;
  return Py_BuildValue("{s:n,s:N}", "rangeCount", static_cast<Py_ssize_t>(count), "range",
                       list_of(range.range, count, [](const int64_t* ends) { return give_list(ends, 2); }));
}

PyObject* give(const aclmdlBatch& batch, bool ok) {
  if (!ok) return PyDict_New();
  const size_t count = std::min<size_t>(batch.batchCount, ACL_MAX_BATCH_NUM);
  return Py_BuildValue("{s:n,s:N}", "batchCount", static_cast<Py_ssize_t>(count), "batch", list_of(batch.batch, count));
}

PyObject* give(const aclmdlHW& hw, bool ok) {
  if (!ok) return PyDict_New();
  const size_t count = std::min<size_t>(hw.hwCount, ACL_MAX_HW_NUM);
  return Py_BuildValue("{s:n,s:N}", "hwCount", static_cast<Py_ssize_t>(count), "hw",
                       list_of(hw.hw, count, [](const uint64_t* size) { return list_of(size, 2); }));
}

PyObject* give(const aclAippInfo& info, bool ok) {
  if (!ok) Py_RETURN_NONE;
  Ref dict = Ref::steal(PyDict_New());
  if (!dict) return nullptr;
#define INTEGER(field) put(dict.get(), #field, PyLong_FromLongLong(static_cast<long long>(info.field)))
#define REAL(field) put(dict.get(), #field, PyFloat_FromDouble(info.field))
  const bool whole =
      INTEGER(inputFormat) && INTEGER(srcImageSizeW) && INTEGER(srcImageSizeH) && INTEGER(cropSwitch) &&
      INTEGER(loadStartPosW) && INTEGER(loadStartPosH) && INTEGER(cropSizeW) && INTEGER(cropSizeH) &&
      INTEGER(resizeSwitch) && INTEGER(resizeOutputW) && INTEGER(resizeOutputH) && INTEGER(paddingSwitch) &&
      INTEGER(leftPaddingSize) && INTEGER(rightPaddingSize) && INTEGER(topPaddingSize) && INTEGER(bottomPaddingSize) &&
      INTEGER(cscSwitch) && INTEGER(rbuvSwapSwitch) && INTEGER(axSwapSwitch) && INTEGER(singleLineMode) &&
      INTEGER(matrixR0C0) && INTEGER(matrixR0C1) && INTEGER(matrixR0C2) && INTEGER(matrixR1C0) && INTEGER(matrixR1C1) &&
      INTEGER(matrixR1C2) && INTEGER(matrixR2C0) && INTEGER(matrixR2C1) && INTEGER(matrixR2C2) &&
      INTEGER(outputBias0) && INTEGER(outputBias1) && INTEGER(outputBias2) && INTEGER(inputBias0) &&
      INTEGER(inputBias1) && INTEGER(inputBias2) && INTEGER(meanChn0) && INTEGER(meanChn1) && INTEGER(meanChn2) &&
      INTEGER(meanChn3) && REAL(minChn0) && REAL(minChn1) && REAL(minChn2) && REAL(minChn3) && REAL(varReciChn0) &&
      REAL(varReciChn1) && REAL(varReciChn2) && REAL(varReciChn3) && INTEGER(srcFormat) && INTEGER(srcDatatype) &&
      INTEGER(srcDimNum) && INTEGER(shapeCount);
#undef INTEGER
#undef REAL
  const size_t shapes = std::min<size_t>(info.shapeCount, ACL_MAX_SHAPE_COUNT);
  if (!whole || !put(dict.get(), "outDims", list_of(info.outDims, shapes, out_dims))) return nullptr;
  return dict.release();
}

PyObject* give(const aclrtUtilizationInfo& info, bool ok) {
  if (!ok) return PyDict_New();
  return Py_BuildValue("{s:i,s:i,s:i,s:i,s:K}", "cube_utilization", info.cubeUtilization, "vector_utilization",
                       info.vectorUtilization, "aicpu_utilization", info.aicpuUtilization, "memory_utilization",
                       info.memoryUtilization, "utilization_extend",
                       static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(info.utilizationExtend)));
}

PyObject* give(const aclrtStreamAttrValue& value, bool ok) {
  if (!ok) return PyDict_New();
  const uint64_t reserved[] = {value.reserve[0], value.reserve[1], value.reserve[2], value.reserve[3]};
  return Py_BuildValue("{s:K,s:I,s:I,s:N}", "failureMode", static_cast<unsigned long long>(value.failureMode),
                       "overflowSwitch", value.overflowSwitch, "userCustomTag", value.userCustomTag, "reserved",
                       list_of(reserved, 4));
}

PyObject* give(const aclrtPtrAttributes& attributes, bool ok) {
  if (!ok) return PyDict_New();
  const uint64_t rsv[] = {attributes.rsv[0], attributes.rsv[1], attributes.rsv[2], attributes.rsv[3]};
  return Py_BuildValue("{s:N,s:I,s:N}", "location", location_of(attributes.location), "page_size", attributes.pageSize,
                       "rsv", list_of(rsv, 4));
}

PyObject* give(const aclrtUuid& uuid, bool ok) {
  if (!ok) return PyDict_New();
  return Py_BuildValue("{s:N}", "bytes", list_of(uuid.bytes, sizeof uuid.bytes, [](char byte) {
                         return PyLong_FromLong(static_cast<uint8_t>(byte));
                       }));
}

PyObject* give(const aclCANNPackageVersion& version, bool ok) {
  if (!ok) return PyDict_New();
  const auto text = [](const auto& field) { return give_text(field, sizeof field); };
  return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N}", "version", text(version.version), "major_version",
                       text(version.majorVersion), "minor_version", text(version.minorVersion), "release_version",
                       text(version.releaseVersion), "patch_version", text(version.patchVersion), "reserved",
                       text(version.reserved));
}

PyObject* give(const Range& range, bool ok) {
  if (!ok) Py_RETURN_NONE;
  return give_list(range.ends, 2);
}

PyObject* give(const Gears& gears, bool ok) {
  if (gears.refused) Py_RETURN_NONE;
  return list_of(gears.dims, gears.dims.size(), [&](const aclmdlIODims& dims) { return give(dims, ok); });
}

PyObject* give(const List<aclCannAttr>& attributes, bool) {
  return list_of(attributes, attributes.size(), [](aclCannAttr attribute) { return PyLong_FromLong(attribute); });
}

PyObject* give(const List<aclrtMemUceInfo>& info, bool) {
  return list_of(info, info.size(), [](const aclrtMemUceInfo& entry) {
    const auto reserved =
        list_of(entry.reserved, UCE_INFO_RESERVED_SIZE, [](size_t value) { return PyLong_FromSize_t(value); });
    return Py_BuildValue("{s:K,s:K,s:N}", "addr",
                         static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(entry.addr)), "len",
                         static_cast<unsigned long long>(entry.len), "reserved", reserved);
  });
}

}  // namespace belay::python
