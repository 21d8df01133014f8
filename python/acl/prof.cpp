// SPDX-License-Identifier: Apache-2.0
// acl.prof: profiling.
#include "acl/acl_prof.h"

#include <cstring>

#include "bind.h"
#include "key.h"

namespace belay::python {
namespace {

aclError init(const char* path) { return aclprofInit(path, std::strlen(path)); }

aclprofConfig* create_config(const List<uint32_t>& devices, aclprofAicoreMetrics metrics,
                             const aclprofAicoreEvents* events, uint64_t types) {
  List<uint32_t> copy = devices;  // C's parameter is not const
  return aclprofCreateConfig(copy.data(), static_cast<uint32_t>(copy.size()), metrics, events, types);
}

aclError set_config(aclprofConfigType type, const char* text) {
  return aclprofSetConfig(type, text, std::strlen(text));
}

// The message must be as long as the program says.
aclError set_stamp_message(void* stamp, const char* message, uint32_t length) {
  if (length > std::strlen(message)) return ACL_ERROR_INVALID_PARAM;
  return aclprofSetStampTraceMessage(stamp, message, length);
}

aclError mark_ex(const char* message, aclrtStream stream) {
  return aclprofMarkEx(message, std::strlen(message), stream);
}

// C takes the file descriptor through a pointer.
aclprofSubscribeConfig* create_subscribe_config(int8_t times, aclprofAicoreMetrics metrics, int fd) {
  return aclprofCreateSubscribeConfig(times, metrics, &fd);
}

template <aclError (*get)(const void*, size_t, uint32_t, char*, size_t)>
aclError op_text(const void* info, size_t size, uint32_t index, size_t length, std::string* text) {
  return fill_text(length, *text, [&](char* to) { return get(info, size, index, to, length); });
}

// Asks for the length itself.
template <aclError (*get_length)(const void*, size_t, uint32_t, size_t*),
          aclError (*get)(const void*, size_t, uint32_t, char*, size_t)>
aclError op_text_v2(const void* info, size_t size, uint32_t index, std::string* text) {
  size_t length = 0;
  const aclError code = get_length(info, size, index, &length);
  return code == ACL_SUCCESS ? op_text<get>(info, size, index, length, text) : code;
}

}  // namespace

PyMethodDef* prof_methods() {
  static PyMethodDef methods[] = {row<"init", init>(),
                                  row<"finalize", aclprofFinalize>(),
                                  row<"create_config", create_config>(),
                                  row<"destroy_config", aclprofDestroyConfig>(),
                                  row<"start", aclprofStart>(),
                                  row<"stop", aclprofStop>(),
                                  row<"set_config", set_config>(),
                                  row<"create_stamp", aclprofCreateStamp>(),
                                  row<"destroy_stamp", aclprofDestroyStamp>(),
                                  row<"set_stamp_trace_message", set_stamp_message>(),
                                  row<"mark", aclprofMark>(),
                                  row<"mark_ex", mark_ex>(),
                                  row<"push", aclprofPush>(),
                                  row<"pop", aclprofPop>(),
                                  row<"range_start", aclprofRangeStart>(),
                                  row<"range_stop", aclprofRangeStop>(),
                                  row<"create_subscribe_config", create_subscribe_config>(),
                                  row<"destroy_subscribe_config", aclprofDestroySubscribeConfig>(),
                                  row<"model_subscribe", aclprofModelSubscribe>(),
                                  row<"model_unsubscribe", aclprofModelUnSubscribe>(),
                                  row<"model_un_subscribe", aclprofModelUnSubscribe>(),
                                  row<"get_op_desc_size", aclprofGetOpDescSize>(),
                                  row<"get_op_num", aclprofGetOpNum>(),
                                  row<"get_op_type_len", aclprofGetOpTypeLen>(),
                                  row<"get_op_type", op_text<aclprofGetOpType>>(),
                                  row<"get_op_type_v2", op_text_v2<aclprofGetOpTypeLen, aclprofGetOpType>>(),
                                  row<"get_op_name_len", aclprofGetOpNameLen>(),
                                  row<"get_op_name", op_text<aclprofGetOpName>>(),
                                  row<"get_op_name_v2", op_text_v2<aclprofGetOpNameLen, aclprofGetOpName>>(),
                                  row<"get_op_start", aclprofGetOpStart>(),
                                  row<"get_op_end", aclprofGetOpEnd>(),
                                  row<"get_op_duration", aclprofGetOpDuration>(),
                                  row<"get_model_id", aclprofGetModelId>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
