// SPDX-License-Identifier: Apache-2.0
#include "comm/data_type.h"

#include <algorithm>
#include <iterator>

namespace belay::comm {
namespace {

struct Row {
  HcclDataType type;
  const char* name;
  size_t size;
  bool moved, reduced, multiplied;
};

constexpr Row rows[] = {
    {HCCL_DATA_TYPE_INT8, "int8", 1, true, true, true},
    {HCCL_DATA_TYPE_INT16, "int16", 2, true, true, false},
    {HCCL_DATA_TYPE_INT32, "int32", 4, true, true, true},
    {HCCL_DATA_TYPE_FP16, "fp16", 2, true, true, true},
    {HCCL_DATA_TYPE_FP32, "fp32", 4, true, true, true},
    {HCCL_DATA_TYPE_INT64, "int64", 8, true, true, true},
    {HCCL_DATA_TYPE_UINT64, "uint64", 8, true, false, false},
    {HCCL_DATA_TYPE_UINT8, "uint8", 1, true, false, false},
    {HCCL_DATA_TYPE_UINT16, "uint16", 2, true, false, false},
    {HCCL_DATA_TYPE_UINT32, "uint32", 4, true, false, false},
    {HCCL_DATA_TYPE_FP64, "fp64", 8, true, false, false},
    {HCCL_DATA_TYPE_BFP16, "bfp16", 2, true, true, false},
    {HCCL_DATA_TYPE_INT128, "int128", 16, true, false, false},
    {HCCL_DATA_TYPE_HIF8, "hif8", 1, false, false, false},
    {HCCL_DATA_TYPE_FP8E4M3, "fp8e4m3", 1, false, false, false},
    {HCCL_DATA_TYPE_FP8E5M2, "fp8e5m2", 1, false, false, false},
    {HCCL_DATA_TYPE_FP8E8M0, "fp8e8m0", 1, false, false, false},
};

const Row* find(HcclDataType type) {
  const auto* found = std::ranges::find(rows, type, &Row::type);
  return found == std::end(rows) ? nullptr : found;
}

}  // namespace

size_t element_size(HcclDataType type) {
  const Row* row = find(type);
  return row ? row->size : 0;
}

const char* name_of(HcclDataType type) {
  const Row* row = find(type);
  return row ? row->name : "no data type";
}

const char* name_of(HcclReduceOp op) {
  switch (op) {
    case HCCL_REDUCE_SUM:
      return "sum";
    case HCCL_REDUCE_PROD:
      return "prod";
    case HCCL_REDUCE_MAX:
      return "max";
    case HCCL_REDUCE_MIN:
      return "min";
    case HCCL_REDUCE_RESERVED:
      break;
  }
  return "no reduce op";
}

bool movable(HcclDataType type) {
  const Row* row = find(type);
  return row && row->moved;
}

bool reducible(HcclDataType type) {
  const Row* row = find(type);
  return row && row->reduced;
}

bool reducible(HcclDataType type, HcclReduceOp op) {
  const Row* row = find(type);
  return row && row->reduced && (op != HCCL_REDUCE_PROD || row->multiplied);
}

}  // namespace belay::comm
