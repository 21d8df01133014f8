// SPDX-License-Identifier: Apache-2.0
// acl.rt: devices, contexts, groups, limits, errors.
#include "bind.h"

namespace belay::python {
namespace {

// Python gets `active` first. C's flags are reserved and must be null.
aclError primary_state(int32_t device, int32_t* active, uint32_t*) {
  return aclrtGetPrimaryCtxState(device, nullptr, active);
}

aclError group_detail(const aclrtGroupInfo* info, int32_t index, aclrtGroupAttr attr, int32_t* value) {
  size_t size = 0;
  return aclrtGetGroupInfoDetail(info, index, attr, value, sizeof *value, &size);
}

}  // namespace

PyMethodDef* rt_device_methods() {
  static PyMethodDef methods[] = {row<"set_device", aclrtSetDevice>(),
                                  row<"reset_device", aclrtResetDevice>(),
                                  row<"reset_device_force", aclrtResetDeviceForce>(),
                                  row<"get_device", aclrtGetDevice>(),
                                  row<"get_run_mode", aclrtGetRunMode>(),
                                  row<"get_device_count", aclrtGetDeviceCount>(),
                                  row<"get_device_info", aclrtGetDeviceInfo>(),
                                  row<"get_device_res_limit", aclrtGetDeviceResLimit>(),
                                  row<"set_device_res_limit", aclrtSetDeviceResLimit>(),
                                  row<"reset_device_res_limit", aclrtResetDeviceResLimit>(),
                                  row<"get_device_capability", aclrtGetDeviceCapability>(),
                                  row<"get_device_utilization_rate", aclrtGetDeviceUtilizationRate>(),
                                  row<"get_devices_topo", aclrtGetDevicesTopo>(),
                                  row<"get_device_sat_mode", aclrtGetDeviceSatMode>(),
                                  row<"set_device_sat_mode", aclrtSetDeviceSatMode>(),
                                  row<"query_device_status", aclrtQueryDeviceStatus>(),
                                  row<"device_set_limit", aclrtDeviceSetLimit>(),
                                  row<"device_get_limit", aclrtDeviceGetLimit>(),
                                  row<"device_get_stream_priority_range", aclrtDeviceGetStreamPriorityRange>(),
                                  row<"device_peer_access_status", aclrtDevicePeerAccessStatus>(),
                                  row<"device_can_access_peer", aclrtDeviceCanAccessPeer>(),
                                  row<"device_enable_peer_access", aclrtDeviceEnablePeerAccess>(),
                                  row<"device_disable_peer_access", aclrtDeviceDisablePeerAccess>(),
                                  row<"device_get_bare_tgid", aclrtDeviceGetBareTgid>(),
                                  row<"device_get_uuid", aclrtDeviceGetUuid>(),
                                  row<"device_task_abort", aclrtDeviceTaskAbort>(),
                                  row<"set_ts_device", aclrtSetTsDevice>(),
                                  row<"synchronize_device", aclrtSynchronizeDevice>(),
                                  row<"synchronize_device_with_timeout", aclrtSynchronizeDeviceWithTimeout>(),
                                  row<"get_logic_dev_id_by_user_dev_id", aclrtGetLogicDevIdByUserDevId>(),
                                  row<"get_user_dev_id_by_logic_dev_id", aclrtGetUserDevIdByLogicDevId>(),
                                  row<"get_logic_dev_id_by_phy_dev_id", aclrtGetLogicDevIdByPhyDevId>(),
                                  row<"get_phy_dev_id_by_logic_dev_id", aclrtGetPhyDevIdByLogicDevId>(),

                                  row<"create_context", aclrtCreateContext>(),
                                  row<"destroy_context", aclrtDestroyContext>(),
                                  row<"set_context", aclrtSetCurrentContext>(),
                                  row<"get_context", aclrtGetCurrentContext>(),
                                  row<"ctx_get_current_default_stream", aclrtCtxGetCurrentDefaultStream>(),
                                  row<"ctx_set_sys_param_opt", aclrtCtxSetSysParamOpt>(),
                                  row<"ctx_get_sys_param_opt", aclrtCtxGetSysParamOpt>(),
                                  row<"get_sys_param_opt", aclrtGetSysParamOpt>(),
                                  row<"set_sys_param_opt", aclrtSetSysParamOpt>(),
                                  row<"get_primary_ctx_state", primary_state>(),

                                  row<"get_group_count", aclrtGetGroupCount>(),
                                  row<"create_group_info", aclrtCreateGroupInfo>(),
                                  row<"destroy_group_info", aclrtDestroyGroupInfo>(),
                                  row<"get_all_group_info", aclrtGetAllGroupInfo>(),
                                  row<"get_group_info_detail", group_detail>(),
                                  row<"set_group", aclrtSetGroup>(),

                                  row<"set_op_wait_timeout", aclrtSetOpWaitTimeout>(),
                                  row<"set_op_execute_time_out", aclrtSetOpExecuteTimeOut>(),
                                  row<"set_op_execute_timeout_v2", aclrtSetOpExecuteTimeOutV2>(),
                                  row<"get_op_timeout_interval", aclrtGetOpTimeOutInterval>(),
                                  row<"get_op_execute_timeout", aclrtGetOpExecuteTimeout>(),
                                  row<"get_overflow_status", aclrtGetOverflowStatus>(),
                                  row<"reset_overflow_status", aclrtResetOverflowStatus>(),
                                  row<"get_res_in_current_thread", aclrtGetResInCurrentThread>(),
                                  row<"peek_at_last_error", aclrtPeekAtLastError>(),
                                  row<"get_last_error", aclrtGetLastError>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
