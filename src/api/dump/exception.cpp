// SPDX-License-Identifier: Apache-2.0
// What a program adds to an exception dump itself.
#include <algorithm>
#include <cstring>

#include "acl/acl_dump.h"
#include "api/core/entry.h"
#include "api/operators/tensor_desc.h"
#include "base/device_memory.h"
#include "base/endings/trap.h"
#include "base/text.h"
#include "dump/exceptions/evidence.h"
#include "dump/exceptions/exception.h"
#include "dump/format/names.h"
#include "runtime/device/context.h"
#include "runtime/device/current.h"
#include "runtime/device/device.h"

using namespace belay;
using namespace belay::api;

namespace {

constexpr uint32_t kInput = 2;  // input_type of an input

Status bad(std::string why) { return {ACL_ERROR_INVALID_PARAM, std::move(why), "EP0006"}; }

Status check_enabled() {
  if (dump::exceptions().enabled()) return {};
  return {ACL_ERROR_FAILURE, "no exception dump is on; set dump_scene, or ASCEND_DUMP_SCENE before the program starts",
          "EP0008"};
}

Result<int> current_device() {
  if (const auto context = peek_current_context()) return context->device().id();
  return Status{ACL_ERROR_FAILURE, "this thread has no device; call aclrtSetDevice first", "EP0008"};
}

bool goes_up(std::string_view path) {
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (part == "..") return true;
    path.remove_prefix(std::min(path.size(), part.size() + 1));
  }
  return false;
}

Status check_tensor(const acldumpTensorInfo& tensor, size_t index) {
  const auto wrong = [&](const char* why) { return bad(formatted("tensors[{}].{}", index, why)); };
  if (tensor.shapeNum > ACL_DUMP_MAX_SHAPE_NUM) return wrong("shapeNum is larger than 25");
  if (tensor.originShapeNum > ACL_DUMP_MAX_SHAPE_NUM) return wrong("originShapeNum is larger than 25");
  if (tensor.type < ACL_DUMP_TENSOR_INPUT || tensor.type > ACL_DUMP_TENSOR_WORKSPACE)
    return wrong("type must be input, output or workspace");
  if (tensor.addrType != ACL_DUMP_ADDR_RAW) return wrong("addrType must be ACL_DUMP_ADDR_RAW");
  if (tensor.placement != ACL_DUMP_PLACEMENT_DEVICE) return wrong("placement must be ACL_DUMP_PLACEMENT_DEVICE");
  if (!tensor.tensorAddr) return wrong("tensorAddr must not be null");
  if (tensor.tensorSize == 0) return wrong("tensorSize must not be 0");
  return {};
}

// The header of the program's tensors and, in its order, their bytes.
struct Custom {
  dump::Header header;
  std::vector<dump::Piece> inputs, outputs, spaces;

  void add(const acldumpTensorInfo& tensor, uint32_t index) {
    const bool there = readable(host_view(tensor.tensorAddr), tensor.tensorSize);
    header.dfx_message +=
        formatted("[Dump][Exception] tensor index:{}, type:{}, addr:{}, size:{}\n", index,
                  static_cast<int>(tensor.type), static_cast<const void*>(tensor.tensorAddr), tensor.tensorSize);
    if (!there)
      header.dfx_message += formatted("[Dump][Exception] the address maybe invalid: zeros stand for index:{}\n", index);
    piece_list(tensor.type).push_back(piece_of(tensor, there));
    if (tensor.type == ACL_DUMP_TENSOR_WORKSPACE) {
      header.spaces.push_back({.size = tensor.tensorSize, .arg_index = index});
      return;
    }
    dump::TensorEntry entry{.data_type = graph::to_proto(to_graph(static_cast<aclDataType>(tensor.dataType))),
                            .format = tensor.format & 0xff,
                            .shape = dump::Dims(tensor.shape, tensor.shape + tensor.shapeNum),
                            .size = tensor.tensorSize,
                            .arg_index = index};
    if (tensor.type == ACL_DUMP_TENSOR_INPUT) entry.input_type = kInput;
    (tensor.type == ACL_DUMP_TENSOR_INPUT ? header.inputs : header.outputs).push_back(std::move(entry));
  }

  std::vector<dump::Piece> pieces() const {
    std::vector<dump::Piece> all = inputs;
    all.insert(all.end(), outputs.begin(), outputs.end());
    all.insert(all.end(), spaces.begin(), spaces.end());
    return all;
  }

 private:
  std::vector<dump::Piece>& piece_list(acldumpTensorType type) {
    return type == ACL_DUMP_TENSOR_INPUT ? inputs : type == ACL_DUMP_TENSOR_OUTPUT ? outputs : spaces;
  }
  static dump::Piece piece_of(const acldumpTensorInfo& tensor, bool there) {
    if (there) return {host_view(tensor.tensorAddr), tensor.tensorSize};
    auto zeros = std::make_shared<std::vector<std::byte>>(tensor.tensorSize);
    return {zeros->data(), tensor.tensorSize, zeros};
  }
};

Status save(const char* file_name, const char* user_tag, const acldumpTensorInfo* tensors, size_t count) {
  if (!file_name || !*file_name) return bad("fileName must not be null or empty");
  if (goes_up(file_name)) return bad("fileName must not contain ..");
  if (!tensors) return bad("tensorInfo must not be null");
  if (count == 0) return bad("there must be at least one tensor");
  TRY(check_enabled());
  for (size_t i = 0; i < count; ++i) TRY(check_tensor(tensors[i], i));
  const int device = TRY(current_device());
  Custom custom;
  for (size_t i = 0; i < count; ++i) custom.add(tensors[i], static_cast<uint32_t>(i));
  custom.header.dump_time = dump::next_time();
  const std::string path = file_name;
  const size_t slash = path.rfind('/');
  const std::string directory = slash == path.npos ? "" : path.substr(0, slash);
  const std::string name =
      path.substr(slash == path.npos ? 0 : slash + 1) + ".custom." + dump::millisecond_text(custom.header.dump_time);
  custom.header.op_name = name;
  if (user_tag && *user_tag) custom.header.attributes.emplace_back("user_tag", user_tag);
  TRY(dump::exceptions().write(device, directory, name, custom.header, custom.pieces()));
  return {};
}

}  // namespace

aclError acldumpGetExceptionInfoPath(char* path, size_t maxLen) {
  return entry(
      __func__,
      [&]() -> Status {
        if (!path) return {ACL_ERROR_INVALID_PARAM, "parameter path must not be null", "EP0007"};
        if (maxLen <= 1) return bad("maxLen must be larger than 1");
        TRY(check_enabled());
        const int device = TRY(current_device());
        const std::string directory = TRY(dump::exceptions().directory()) + "/" + std::to_string(device);
        if (directory.size() + 1 > maxLen)
          return bad(formatted("the path needs {} bytes, maxLen is {}", directory.size() + 1, maxLen));
        TRY(dump::exceptions().device_directory(device));
        std::memcpy(path, directory.c_str(), directory.size() + 1);
        return {};
      },
      path, maxLen);
}

aclError acldumpSaveExceptionInfo(const char* fileName, const char* userTag, const acldumpTensorInfo* tensors,
                                  size_t tensorCount) {
  return entry(
      __func__, [&] { return save(fileName, userTag, tensors, tensorCount); }, fileName, userTag, tensors, tensorCount);
}
