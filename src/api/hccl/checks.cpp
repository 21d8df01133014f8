// SPDX-License-Identifier: Apache-2.0
#include "api/hccl/checks.h"

#include "api/hccl/entry.h"
#include "comm/data_type.h"
#include "runtime/device/current.h"

namespace belay::api {

Result<Visit> find_communicator(HcclComm handle) {
  TRY(given(handle, "comm"));
  if (auto found = comm::communicators().find(handle)) return Visit(std::move(found));
  return Status{HCCL_E_PARA, "comm is not a live communicator: it was destroyed, or is something else", "EI0003"};
}

Result<std::shared_ptr<Stream>> find_hccl_stream(aclrtStream stream) {
  TRY(given(stream, "stream"));
  return find_any_stream(stream);
}

Status check_count(uint64_t count, const char* parameter) {
  if (count <= kMostElements) return {};
  return {HCCL_E_PARA, formatted("{} is {}; at most {} elements are possible", parameter, count, kMostElements),
          "EI0003"};
}

Status check_movable(HcclDataType type) {
  if (comm::movable(type)) return {};
  return {HCCL_E_NOT_SUPPORT,
          formatted("dataType is {} ({}); such elements are not moved by this device", type, comm::name_of(type)),
          "EI0003"};
}

Status check_reducible(HcclDataType type, HcclReduceOp op) {
  if (!comm::reducible(type))
    return {HCCL_E_NOT_SUPPORT,
            formatted("dataType is {} ({}); int8, int16, int32, int64, fp16, fp32 and bfp16 can be reduced", type,
                      comm::name_of(type)),
            "EI0003"};
  if (op != HCCL_REDUCE_SUM && op != HCCL_REDUCE_PROD && op != HCCL_REDUCE_MAX && op != HCCL_REDUCE_MIN)
    return {HCCL_E_NOT_SUPPORT, formatted("op is {}; it must be 0 (sum), 1 (prod), 2 (max) or 3 (min)", op), "EI0003"};
  if (!comm::reducible(type, op))
    return {HCCL_E_NOT_SUPPORT, formatted("op prod is not supported for {}", comm::name_of(type)), "EI0003"};
  return {};
}

Status check_rank(uint32_t rank, const comm::Communicator& communicator, const char* parameter) {
  if (rank < communicator.size()) return {};
  return {HCCL_E_PARA, formatted("{} is {}; the communicator has {} ranks", parameter, rank, communicator.size()),
          "EI0003"};
}

Status check_buffer(const void* buffer, uint64_t count, HcclDataType type, const char* parameter, Use use) {
  if (count == 0) return {};
  const Site site = blocks().locate(buffer);
  if (site.place == ::belay::Place::Pageable)
    return {HCCL_E_PARA, formatted("{} {} is ordinary host memory, which the device does not reach", parameter, buffer),
            "EI0003"};
  Status status = blocks().check_range(site, buffer, count * comm::element_size(type), parameter, use);
  if (!status.ok()) status = {HCCL_E_PARA, status.message, "EI0003"};
  return status;
}

}  // namespace belay::api
