// SPDX-License-Identifier: Apache-2.0
// acl.rt: streams, events, notifies.
#include "bind.h"
#include "key.h"

namespace belay::python {
namespace {

aclError set_attribute(aclrtStream stream, aclrtStreamAttr type, const StreamAttributes& given) {
  aclrtStreamAttrValue value{};
  if (type == ACL_STREAM_ATTR_FAILURE_MODE)
    value.failureMode = given.failure_mode;
  else if (type == ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK)
    value.overflowSwitch = static_cast<uint32_t>(given.overflow_switch);
  else
    value.userCustomTag = static_cast<uint32_t>(given.user_custom_tag);
  return aclrtSetStreamAttribute(stream, type, &value);
}

aclError set_import_pid(aclrtNotify notify, const List<int32_t>& pids) {
  List<int32_t> copy = pids;  // C's parameter is not const
  return aclrtNotifySetImportPid(notify, copy.data(), copy.size());
}

aclError batch_reset(const List<aclrtNotify>& notifies) {
  List<aclrtNotify> copy = notifies;
  return aclrtNotifyBatchReset(copy.data(), copy.size());
}

aclError export_key(aclrtNotify notify, size_t length, uint64_t flags, std::string* key) {
  return fill_text(length, *key, [&](char* to) { return aclrtNotifyGetExportKey(notify, to, length, flags); });
}

}  // namespace

PyMethodDef* rt_stream_methods() {
  static PyMethodDef methods[] = {row<"create_stream", aclrtCreateStream>(),
                                  row<"create_stream_with_config", aclrtCreateStreamWithConfig>(),
                                  row<"set_stream_attribute", set_attribute>(),
                                  row<"get_stream_attribute", aclrtGetStreamAttribute>(),
                                  row<"set_stream_res_limit", aclrtSetStreamResLimit>(),
                                  row<"get_stream_res_limit", aclrtGetStreamResLimit>(),
                                  row<"reset_stream_res_limit", aclrtResetStreamResLimit>(),
                                  row<"use_stream_res_in_current_thread", aclrtUseStreamResInCurrentThread>(),
                                  row<"unuse_stream_res_in_current_thread", aclrtUnuseStreamResInCurrentThread>(),
                                  row<"set_stream_failure_mode", aclrtSetStreamFailureMode>(),
                                  row<"set_stream_overflow_switch", aclrtSetStreamOverflowSwitch>(),
                                  row<"get_stream_overflow_switch", aclrtGetStreamOverflowSwitch>(),
                                  row<"get_stream_available_num", aclrtGetStreamAvailableNum>(),
                                  row<"stream_abort", aclrtStreamAbort>(),
                                  row<"stream_query", aclrtStreamQuery>(),
                                  row<"stream_get_id", aclrtStreamGetId>(),
                                  row<"stream_wait_event", aclrtStreamWaitEvent>(),
                                  row<"synchronize_stream", aclrtSynchronizeStream>(),
                                  row<"synchronize_stream_with_timeout", aclrtSynchronizeStreamWithTimeout>(),
                                  row<"get_thread_last_task_id", aclrtGetThreadLastTaskId>(),
                                  row<"value_write", aclrtValueWrite>(),
                                  row<"value_wait", aclrtValueWait>(),

                                  row<"create_event", aclrtCreateEvent>(),
                                  row<"create_event_with_flag", aclrtCreateEventWithFlag>(),
                                  row<"create_event_ex_with_flag", aclrtCreateEventExWithFlag>(),
                                  row<"destroy_event", aclrtDestroyEvent>(),
                                  row<"record_event", aclrtRecordEvent>(),
                                  row<"reset_event", aclrtResetEvent>(),
                                  row<"query_event", aclrtQueryEvent>(),
                                  row<"query_event_status", aclrtQueryEventStatus>(),
                                  row<"query_event_wait_status", aclrtQueryEventWaitStatus>(),
                                  row<"synchronize_event", aclrtSynchronizeEvent>(),
                                  row<"synchronize_event_with_timeout", aclrtSynchronizeEventWithTimeout>(),
                                  row<"event_elapsed_time", aclrtEventElapsedTime>(),
                                  row<"event_get_timestamp", aclrtEventGetTimestamp>(),
                                  row<"get_event_id", aclrtGetEventId>(),
                                  row<"get_event_avail_num", aclrtGetEventAvailNum>(),

                                  row<"create_notify", aclrtCreateNotify>(),
                                  row<"destroy_notify", aclrtDestroyNotify>(),
                                  row<"record_notify", aclrtRecordNotify>(),
                                  row<"wait_and_reset_notify", aclrtWaitAndResetNotify>(),
                                  row<"get_notify_id", aclrtGetNotifyId>(),
                                  row<"notify_set_import_pid", set_import_pid>(),
                                  row<"notify_import_by_key", aclrtNotifyImportByKey>(),
                                  row<"notify_batch_reset", batch_reset>(),
                                  row<"notify_get_export_key", export_key>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
