# SPDX-License-Identifier: Apache-2.0
# Made by python/table.py --stubs; not edited by hand.
from collections.abc import Callable
from typing import Any

def set_device(device_id: int, /) -> int:
    """-> ret (aclrtSetDevice)"""

def reset_device(device_id: int, /) -> int:
    """-> ret (aclrtResetDevice)"""

def reset_device_force(device_id: int, /) -> int:
    """-> ret (aclrtResetDeviceForce)"""

def get_device_count() -> tuple[int, int]:
    """-> count, ret (aclrtGetDeviceCount)"""

def get_device_res_limit(device_id: int, type: int, /) -> tuple[int, int]:
    """-> value, ret (aclrtGetDeviceResLimit)"""

def reset_device_res_limit(device_id: int, /) -> int:
    """-> ret (aclrtResetDeviceResLimit)"""

def get_device_capability(device_id: int, dev_feature_type: int, /) -> tuple[int, int]:
    """-> value, ret (aclrtGetDeviceCapability)"""

def get_device_utilization_rate(device_id: int, /) -> tuple[dict[str, Any], int]:
    """-> utilization_info, ret (aclrtGetDeviceUtilizationRate)"""

def get_devices_topo(device_id: int, other_device_id: int, /) -> tuple[int, int]:
    """-> value, ret (aclrtGetDevicesTopo)"""

def get_device_sat_mode() -> tuple[int, int]:
    """-> mode, ret (aclrtGetDeviceSatMode)"""

def set_device_sat_mode(mode: int, /) -> int:
    """-> ret (aclrtSetDeviceSatMode)"""

def query_device_status(device_id: int, /) -> tuple[int, int]:
    """-> device_status, ret (aclrtQueryDeviceStatus)"""

def device_set_limit(limit: int, value: int, /) -> int:
    """-> ret (aclrtDeviceSetLimit)"""

def device_get_limit(limit: int, /) -> tuple[int, int]:
    """-> value, ret (aclrtDeviceGetLimit)"""

def device_get_stream_priority_range() -> tuple[int, int, int]:
    """-> min, max, ret (aclrtDeviceGetStreamPriorityRange)"""

def device_peer_access_status(device_id: int, peer_device_id: int, /) -> tuple[int, int]:
    """-> status, ret (aclrtDevicePeerAccessStatus)"""

def device_can_access_peer(dev_id: int, peer_dev_id: int, /) -> tuple[int, int]:
    """-> can_access_peer, ret (aclrtDeviceCanAccessPeer)"""

def device_disable_peer_access(peer_dev_id: int, /) -> int:
    """-> ret (aclrtDeviceDisablePeerAccess)"""

def synchronize_device_with_timeout(timeout: int, /) -> int:
    """-> ret (aclrtSynchronizeDeviceWithTimeout)"""

def create_context(device_id: int, /) -> tuple[int, int]:
    """-> context, ret (aclrtCreateContext)"""

def destroy_context(context: int, /) -> int:
    """-> ret (aclrtDestroyContext)"""

def set_context(context: int, /) -> int:
    """-> ret (aclrtSetCurrentContext)"""

def get_context() -> tuple[int, int]:
    """-> context, ret (aclrtGetCurrentContext)"""

def ctx_set_sys_param_opt(opt: int, value: int, /) -> int:
    """-> ret (aclrtCtxSetSysParamOpt)"""

def ctx_get_sys_param_opt(opt: int, /) -> tuple[int, int]:
    """-> value, ret (aclrtCtxGetSysParamOpt)"""

def get_sys_param_opt(opt: int, /) -> tuple[int, int]:
    """-> value, ret (aclrtGetSysParamOpt)"""

def set_sys_param_opt(opt: int, value: int, /) -> int:
    """-> ret (aclrtSetSysParamOpt)"""

def create_stream() -> tuple[int, int]:
    """-> stream, ret (aclrtCreateStream)"""

def create_stream_with_config(priority: int, flag: int, /) -> tuple[int, int]:
    """-> stream, ret (aclrtCreateStreamWithConfig)"""

def destroy_stream(stream: int, /) -> int:
    """-> ret (aclrtDestroyStream)"""

def set_stream_attribute(stream: int, stm_attr_type: int, value: dict[str, Any], /) -> int:
    """-> ret (aclrtSetStreamAttribute)"""

def get_stream_attribute(stream: int, stm_attr_type: int, /) -> tuple[dict[str, Any], int]:
    """-> value, ret (aclrtGetStreamAttribute)"""

def set_stream_res_limit(stream: int, type: int, value: int, /) -> int:
    """-> ret (aclrtSetStreamResLimit)"""

def get_stream_res_limit(stream: int, type: int, /) -> tuple[int, int]:
    """-> value, ret (aclrtGetStreamResLimit)"""

def reset_stream_res_limit(stream: int, /) -> int:
    """-> ret (aclrtResetStreamResLimit)"""

def use_stream_res_in_current_thread(stream: int, /) -> int:
    """-> ret (aclrtUseStreamResInCurrentThread)"""

def unuse_stream_res_in_current_thread(stream: int, /) -> int:
    """-> ret (aclrtUnuseStreamResInCurrentThread)"""

def set_stream_failure_mode(stream: int, mode: int, /) -> int:
    """-> ret (aclrtSetStreamFailureMode)"""

def set_stream_overflow_switch(stream: int, flag: int, /) -> int:
    """-> ret (aclrtSetStreamOverflowSwitch)"""

def get_stream_available_num() -> tuple[int, int]:
    """-> stream_count, ret (aclrtGetStreamAvailableNum)"""

def stream_abort(stream: int, /) -> int:
    """-> ret (aclrtStreamAbort)"""

def stream_query(stream: int, /) -> tuple[int, int]:
    """-> status, ret (aclrtStreamQuery)"""

def stream_wait_event(stream: int, event: int, /) -> int:
    """-> ret (aclrtStreamWaitEvent)"""

def synchronize_stream_with_timeout(stream: int, timeout: int, /) -> int:
    """-> ret (aclrtSynchronizeStreamWithTimeout)"""

def create_event() -> tuple[int, int]:
    """-> event, ret (aclrtCreateEvent)"""

def create_event_with_flag(flag: int, /) -> tuple[int, int]:
    """-> event, ret (aclrtCreateEventWithFlag)"""

def create_event_ex_with_flag(flag: int, /) -> tuple[int, int]:
    """-> event, ret (aclrtCreateEventExWithFlag)"""

def destroy_event(event: int, /) -> int:
    """-> ret (aclrtDestroyEvent)"""

def record_event(event: int, stream: int, /) -> int:
    """-> ret (aclrtRecordEvent)"""

def reset_event(event: int, stream: int, /) -> int:
    """-> ret (aclrtResetEvent)"""

def query_event(event: int, /) -> tuple[int, int]:
    """-> status, ret (aclrtQueryEvent)"""

def query_event_status(event: int, /) -> tuple[int, int]:
    """-> status, ret (aclrtQueryEventStatus)"""

def query_event_wait_status(event: int, /) -> tuple[int, int]:
    """-> status, ret (aclrtQueryEventWaitStatus)"""

def synchronize_event_with_timeout(event: int, timeout: int, /) -> int:
    """-> ret (aclrtSynchronizeEventWithTimeout)"""

def event_elapsed_time(start: int, end: int, /) -> tuple[float, int]:
    """-> ms, ret (aclrtEventElapsedTime)"""

def event_get_timestamp(event: int, /) -> tuple[int, int]:
    """-> timestamp, ret (aclrtEventGetTimestamp)"""

def get_event_id(event: int, /) -> tuple[int, int]:
    """-> event_id, ret (aclrtGetEventId)"""

def get_event_avail_num() -> tuple[int, int]:
    """-> event_count, ret (aclrtGetEventAvailNum)"""

def set_op_wait_timeout(timeout: int, /) -> int:
    """-> ret (aclrtSetOpWaitTimeout)"""

def set_op_execute_time_out(timeout: int, /) -> int:
    """-> ret (aclrtSetOpExecuteTimeOut)"""

def set_op_execute_timeout_v2(timeout: int, /) -> tuple[int, int]:
    """-> actual_time_out, ret (aclrtSetOpExecuteTimeOutV2)"""

def malloc(size: int, policy: int, /) -> tuple[int, int]:
    """-> dev_ptr, ret (aclrtMalloc)"""

def free(dev_ptr: int, /) -> int:
    """-> ret (aclrtFree)"""

def malloc_host_with_cfg(size: int, cfg: dict[str, Any], /) -> tuple[int, int]:
    """-> host_ptr, ret (aclrtMallocHostWithCfg)"""

def memcpy(dst: int, dest_max: int, src: int, count: int, kind: int, /) -> int:
    """-> ret (aclrtMemcpy)"""

def memcpy_async(dst: int, dest_max: int, src: int, count: int, kind: int, stream: int, /) -> int:
    """-> ret (aclrtMemcpyAsync)"""

def memcpy_async_with_condition(dst: int, dest_max: int, src: int, count: int, kind: int, stream: int, /) -> int:
    """-> ret (aclrtMemcpyAsyncWithCondition)"""

def memcpy2d(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, /) -> int:
    """-> ret (aclrtMemcpy2d)"""

def memcpy2d_async(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int, /) -> int:
    """-> ret (aclrtMemcpy2dAsync)"""

def get_memcpy_desc_size(kind: int, /) -> tuple[int, int]:
    """-> desc_size, ret (aclrtGetMemcpyDescSize)"""

def set_memcpy_desc(desc: int, kind: int, src_addr: int, dst_addr: int, count: int, config: int, /) -> tuple[int, int]:
    """-> desc, ret (aclrtSetMemcpyDesc)"""

def memcpy_async_with_desc(desc: int, kind: int, stream: int, /) -> int:
    """-> ret (aclrtMemcpyAsyncWithDesc)"""

def memset(dev_ptr: int, max_count: int, value: int, count: int, /) -> int:
    """-> ret (aclrtMemset)"""

def memset_async(dev_ptr: int, max_count: int, value: int, count: int, stream: int, /) -> int:
    """-> ret (aclrtMemsetAsync)"""

def mem_flush(dev_ptr: int, size: int, /) -> int:
    """-> ret (aclrtMemFlush)"""

def get_mem_info(attr: int, /) -> tuple[int, int, int]:
    """-> free, total, ret (aclrtGetMemInfo)"""

def cmo_async(src: int, size: int, cmo_type: int, stream: int, /) -> int:
    """-> ret (aclrtCmoAsync)"""

def host_register(ptr: int, size: int, type: int, /) -> tuple[int, int]:
    """-> dev_ptr, ret (aclrtHostRegister)"""

def host_register_v2(ptr: int, size: int, flag: int, /) -> int:
    """-> ret (aclrtHostRegisterV2)"""

def host_get_device_pointer(ptr_host: int, flag: int, /) -> tuple[int, int]:
    """-> ptr_device, ret (aclrtHostGetDevicePointer)"""

def reserve_mem_address(size: int, alignment: int, expect_ptr: int, flags: int, /) -> tuple[int, int]:
    """-> vir_ptr, ret (aclrtReserveMemAddress)"""

def malloc_physical(size: int, prop: dict[str, Any], flags: int, /) -> tuple[int, int]:
    """-> handle, ret (aclrtMallocPhysical)"""

def free_physical(handle: int, /) -> int:
    """-> ret (aclrtFreePhysical)"""

def map_mem(vir_ptr: int, size: int, offset: int, handle: int, flags: int, /) -> int:
    """-> ret (aclrtMapMem)"""

def unmap_mem(vir_ptr: int, /) -> int:
    """-> ret (aclrtUnmapMem)"""

def mem_export_to_shareable_handle(handle: int, handle_type: int, flags: int, /) -> tuple[int, int]:
    """-> shareable_handle, ret (aclrtMemExportToShareableHandle)"""

def mem_import_from_shareable_handle(shareable_handle: int, device_id: int, /) -> tuple[int, int]:
    """-> handle, ret (aclrtMemImportFromShareableHandle)"""

def mem_set_pid_to_shareable_handle(shareable_handle: int, pid: list[int], /) -> int:
    """-> ret (aclrtMemSetPidToShareableHandle)"""

def reduce_async(dst: int, src: int, count: int, kind: int, type: int, stream: int, reserve: int, /) -> int:
    """-> ret (aclrtReduceAsync)"""

def reset_overflow_status(stream: int, /) -> int:
    """-> ret (aclrtResetOverflowStatus)"""

def subscribe_report(thread_id: int, stream: int, /) -> int:
    """-> ret (aclrtSubscribeReport)"""

def launch_callback(fn: Callable[..., Any], user_data: Any, block_type: int, stream: int, /) -> int:
    """-> ret (aclrtLaunchCallback)"""

def process_report(timeout: int, /) -> int:
    """-> ret (aclrtProcessReport)"""

def set_exception_info_callback(callback: Callable[..., Any] | None = None, /) -> int:
    """-> ret (aclrtSetExceptionInfoCallback)"""

def create_notify(flag: int, /) -> tuple[int, int]:
    """-> notify, ret (aclrtCreateNotify)"""

def destroy_notify(notify: int, /) -> int:
    """-> ret (aclrtDestroyNotify)"""

def notify_set_import_pid(notify: int, pid: list[int], /) -> int:
    """-> ret (aclrtNotifySetImportPid)"""

def notify_import_by_key(key: str, flags: int, /) -> tuple[int, int]:
    """-> notify, ret (aclrtNotifyImportByKey)"""

def notify_batch_reset(notifies: list[int], /) -> int:
    """-> ret (aclrtNotifyBatchReset)"""

def notify_get_export_key(notify: int, len: int, flags: int, /) -> tuple[str, int]:
    """-> key, ret (aclrtNotifyGetExportKey)"""

def create_binary(data: int, data_len: int, /) -> int:
    """-> binary (aclrtCreateBinary)"""

def destroy_binary(binary: int, /) -> int:
    """-> ret (aclrtDestroyBinary)"""

def binary_load(binary: int, /) -> tuple[int, int]:
    """-> bin_handle, ret (aclrtBinaryLoad)"""

def binary_unload(bin_handle: int, /) -> int:
    """-> ret (aclrtBinaryUnLoad)"""

def binary_get_function(bin_handle: int, kernel_name: str, /) -> tuple[int, int]:
    """-> func_handle, ret (aclrtBinaryGetFunction)"""

def binary_load_from_data(mem_addr: int, length: int, options: list[dict[str, Any]], /) -> tuple[int, int]:
    """-> bin_handle, ret (aclrtBinaryLoadFromData)"""

def binary_load_from_file(bin_path: str, options: list[dict[str, Any]], /) -> tuple[int, int]:
    """-> bin_handle, ret (aclrtBinaryLoadFromFile)"""

def register_cpu_func(bin_handle: int, func_name: str, kernel_name: str, /) -> tuple[int, int]:
    """-> func_handle, ret (aclrtRegisterCpuFunc)"""

def get_function_name(func_handle: int, max_len: int, /) -> tuple[str, int]:
    """-> func_name, ret (aclrtGetFunctionName)"""

def launch_kernel(func_handle: int, num_blocks: int, args_data: int, args_size: int, stream: int, /) -> int:
    """-> ret (aclrtLaunchKernel)"""

def launch_kernel_with_config(func_handle: int, num_blocks: int, stream: int, cfg: list[dict[str, Any]], args_handle: int, reserve: int, /) -> int:
    """-> ret (aclrtLaunchKernelWithConfig)"""

def launch_kernel_with_host_args(func_handle: int, num_blocks: int, stream: int, cfg: list[dict[str, Any]], host_args_ptr: int, host_args_size: int, place_holder_list: list[dict[str, Any]], place_holder_num: int, /) -> int:
    """-> ret (aclrtLaunchKernelWithHostArgs)"""

def kernel_args_init(func_handle: int, /) -> tuple[int, int]:
    """-> args_handle, ret (aclrtKernelArgsInit)"""

def kernel_args_init_by_user_mem(func_handle: int, args_handle: int, user_host_mem: int, actual_args_size: int, /) -> int:
    """-> ret (aclrtKernelArgsInitByUserMem)"""

def kernel_args_append(args_handle: int, param: int, param_size: int, /) -> tuple[int, int]:
    """-> param_handle, ret (aclrtKernelArgsAppend)"""

def kernel_args_append_place_holder(args_handle: int, /) -> tuple[int, int]:
    """-> param_handle, ret (aclrtKernelArgsAppendPlaceHolder)"""

def kernel_args_para_update(args_handle: int, param_handle: int, param: int, param_size: int, /) -> int:
    """-> ret (aclrtKernelArgsParaUpdate)"""

def kernel_args_get_handle_mem_size(func_handle: int, /) -> tuple[int, int]:
    """-> mem_size, ret (aclrtKernelArgsGetHandleMemSize)"""

def kernel_args_get_mem_size(func_handle: int, user_args_size: int, /) -> tuple[int, int]:
    """-> actual_args_size, ret (aclrtKernelArgsGetMemSize)"""

def kernel_args_get_place_holder_buffer(args_handle: int, param_handle: int, data_size: int, /) -> tuple[int, int]:
    """-> buffer_addr, ret (aclrtKernelArgsGetPlaceHolderBuffer)"""

def kernel_args_finalize(args_handle: int, /) -> int:
    """-> ret (aclrtKernelArgsFinalize)"""

def device_task_abort(device_id: int, timeout: int, /) -> int:
    """-> ret (aclrtDeviceTaskAbort)"""

def allocator_create_desc() -> int:
    """-> desc (aclrtAllocatorCreateDesc)"""

def allocator_register(stream: int, allocator_desc: int, /) -> int:
    """-> ret (aclrtAllocatorRegister)"""

def allocator_unregister(stream: int, /) -> int:
    """-> ret (aclrtAllocatorUnregister)"""

def get_device() -> tuple[int, int]:
    """-> device_id, ret (aclrtGetDevice)"""

def get_run_mode() -> tuple[int, int]:
    """-> run_mode, ret (aclrtGetRunMode)"""

def synchronize_device() -> int:
    """-> ret (aclrtSynchronizeDevice)"""

def synchronize_stream(stream: int, /) -> int:
    """-> ret (aclrtSynchronizeStream)"""

def synchronize_event(event: int, /) -> int:
    """-> ret (aclrtSynchronizeEvent)"""

def malloc_cached(size: int, policy: int, /) -> tuple[int, int]:
    """-> dev_ptr, ret (aclrtMallocCached)"""

def malloc_align32(size: int, policy: int, /) -> tuple[int, int]:
    """-> dev_ptr, ret (aclrtMallocAlign32)"""

def malloc_with_cfg(size: int, policy: int, cfg: dict[str, Any], /) -> tuple[int, int]:
    """-> dev_ptr, ret (aclrtMallocWithCfg)"""

def malloc_for_task_scheduler(size: int, policy: int, cfg: dict[str, Any], /) -> tuple[int, int]:
    """-> dev_ptr, ret (aclrtMallocForTaskScheduler)"""

def malloc_host(size: int, /) -> tuple[int, int]:
    """-> host_ptr, ret (aclrtMallocHost)"""

def free_host(host_ptr: int, /) -> int:
    """-> ret (aclrtFreeHost)"""

def mem_invalidate(dev_ptr: int, size: int, /) -> int:
    """-> ret (aclrtMemInvalidate)"""

def host_unregister(ptr: int, /) -> int:
    """-> ret (aclrtHostUnregister)"""

def release_mem_address(vir_ptr: int, /) -> int:
    """-> ret (aclrtReleaseMemAddress)"""

def mem_get_allocation_granularity(prop: dict[str, Any], option: int, /) -> tuple[int, int]:
    """-> granularity, ret (aclrtMemGetAllocationGranularity)"""

def device_get_bare_tgid() -> tuple[int, int]:
    """-> pid, ret (aclrtDeviceGetBareTgid)"""

def unsubscribe_report(thread_id: int, stream: int, /) -> int:
    """-> ret (aclrtUnSubscribeReport)"""

def set_ts_device(ts_id: int, /) -> int:
    """-> ret (aclrtSetTsDevice)"""

def set_device_res_limit(device_id: int, type: int, value: int, /) -> int:
    """-> ret (aclrtSetDeviceResLimit)"""

def device_enable_peer_access(peer_dev_id: int, flags: int, /) -> int:
    """-> ret (aclrtDeviceEnablePeerAccess)"""

def peek_at_last_error(level: int, /) -> int:
    """-> ret (aclrtPeekAtLastError)"""

def get_last_error(level: int, /) -> int:
    """-> ret (aclrtGetLastError)"""

def get_task_id_from_exception_info(info: int, /) -> int:
    """-> task_id (aclrtGetTaskIdFromExceptionInfo)"""

def get_stream_id_from_exception_info(info: int, /) -> int:
    """-> stream_id (aclrtGetStreamIdFromExceptionInfo)"""

def get_thread_id_from_exception_info(info: int, /) -> int:
    """-> thread_id (aclrtGetThreadIdFromExceptionInfo)"""

def get_device_id_from_exception_info(info: int, /) -> int:
    """-> device_id (aclrtGetDeviceIdFromExceptionInfo)"""

def get_error_code_from_exception_info(info: int, /) -> int:
    """-> error_code (aclrtGetErrorCodeFromExceptionInfo)"""

def get_group_count() -> tuple[int, int]:
    """-> count, ret (aclrtGetGroupCount)"""

def create_group_info() -> int:
    """-> group_info (aclrtCreateGroupInfo)"""

def destroy_group_info(group_info: int, /) -> int:
    """-> ret (aclrtDestroyGroupInfo)"""

def get_all_group_info(group_info: int, /) -> int:
    """-> ret (aclrtGetAllGroupInfo)"""

def get_group_info_detail(group_info: int, group_index: int, attr: int, /) -> tuple[int, int]:
    """-> detail, ret (aclrtGetGroupInfoDetail)"""

def set_group(group_id: int, /) -> int:
    """-> ret (aclrtSetGroup)"""

def get_overflow_status(output_addr: int, output_size: int, stream: int, /) -> int:
    """-> ret (aclrtGetOverflowStatus)"""

def get_stream_overflow_switch(stream: int, /) -> tuple[int, int]:
    """-> flag, ret (aclrtGetStreamOverflowSwitch)"""

def record_notify(notify: int, stream: int, /) -> int:
    """-> ret (aclrtRecordNotify)"""

def wait_and_reset_notify(notify: int, stream: int, timeout: int, /) -> int:
    """-> ret (aclrtWaitAndResetNotify)"""

def get_notify_id(notify: int, /) -> tuple[int, int]:
    """-> notify_id, ret (aclrtGetNotifyId)"""

def get_device_info(device_id: int, attr: int, /) -> tuple[int, int]:
    """-> value, ret (aclrtGetDeviceInfo)"""

def allocator_destroy_desc(allocator_desc: int, /) -> int:
    """-> ret (aclrtAllocatorDestroyDesc)"""

def allocator_set_obj_to_desc(allocator_desc: int, allocator: int, /) -> int:
    """-> ret (aclrtAllocatorSetObjToDesc)"""

def allocator_set_alloc_func_to_desc(allocator_desc: int, func: Callable[..., Any], /) -> int:
    """-> ret (aclrtAllocatorSetAllocFuncToDesc)"""

def allocator_set_free_func_to_desc(allocator_desc: int, func: Callable[..., Any], /) -> int:
    """-> ret (aclrtAllocatorSetFreeFuncToDesc)"""

def allocator_set_get_addr_from_block_func_to_desc(allocator_desc: int, func: Callable[..., Any], /) -> int:
    """-> ret (aclrtAllocatorSetGetAddrFromBlockFuncToDesc)"""

def allocator_set_alloc_advise_func_to_desc(allocator_desc: int, func: Callable[..., Any], /) -> int:
    """-> ret (aclrtAllocatorSetAllocAdviseFuncToDesc)"""

def get_function_addr(func_handle: int, /) -> tuple[int, int, int]:
    """-> aic_addr, aiv_addr, ret (aclrtGetFunctionAddr)"""

def ctx_get_current_default_stream() -> tuple[int, int]:
    """-> stream, ret (aclrtCtxGetCurrentDefaultStream)"""

def destroy_stream_force(stream: int, /) -> int:
    """-> ret (aclrtDestroyStreamForce)"""

def stream_get_id(stream: int, /) -> tuple[int, int]:
    """-> stream_id, ret (aclrtStreamGetId)"""

def get_thread_last_task_id() -> tuple[int, int]:
    """-> task_id, ret (aclrtGetThreadLastTaskId)"""

def pointer_get_attributes(ptr: int, /) -> tuple[dict[str, Any], int]:
    """-> attributes, ret (aclrtPointerGetAttributes)"""

def value_write(dev_addr: int, value: int, flag: int, stream: int, /) -> int:
    """-> ret (aclrtValueWrite)"""

def value_wait(dev_addr: int, value: int, flag: int, stream: int, /) -> int:
    """-> ret (aclrtValueWait)"""

def ipc_mem_get_export_key(dev_ptr: int, size: int, key_len: int, flag: int, /) -> tuple[str, int]:
    """-> key, ret (aclrtIpcMemGetExportKey)"""

def ipc_mem_set_import_pid(key: str, pids: list[int], /) -> int:
    """-> ret (aclrtIpcMemSetImportPid)"""

def ipc_mem_import_by_key(key: str, flag: int, /) -> tuple[int, int]:
    """-> dev_ptr, ret (aclrtIpcMemImportByKey)"""

def ipc_mem_close(key: str, /) -> int:
    """-> ret (aclrtIpcMemClose)"""

def get_res_in_current_thread(type: int, /) -> tuple[int, int]:
    """-> value, ret (aclrtGetResInCurrentThread)"""

def get_primary_ctx_state(device_id: int, /) -> tuple[int, int, int]:
    """-> active, flags, ret (aclrtGetPrimaryCtxState)"""

def get_logic_dev_id_by_user_dev_id(user_dev_id: int, /) -> tuple[int, int]:
    """-> logic_dev_id, ret (aclrtGetLogicDevIdByUserDevId)"""

def get_user_dev_id_by_logic_dev_id(logic_dev_id: int, /) -> tuple[int, int]:
    """-> user_dev_id, ret (aclrtGetUserDevIdByLogicDevId)"""

def get_logic_dev_id_by_phy_dev_id(phy_dev_id: int, /) -> tuple[int, int]:
    """-> logic_dev_id, ret (aclrtGetLogicDevIdByPhyDevId)"""

def get_phy_dev_id_by_logic_dev_id(logic_dev_id: int, /) -> tuple[int, int]:
    """-> phy_dev_id, ret (aclrtGetPhyDevIdByLogicDevId)"""

def get_op_timeout_interval() -> tuple[int, int]:
    """-> interval, ret (aclrtGetOpTimeOutInterval)"""

def get_op_execute_timeout() -> tuple[int, int]:
    """-> time_out_ms, ret (aclrtGetOpExecuteTimeout)"""

def device_get_uuid(device_id: int, /) -> tuple[dict[str, Any], int]:
    """-> uuid, ret (aclrtDeviceGetUuid)"""

def get_mem_uce_info(device_id: int, size: int, /) -> tuple[list[dict[str, Any]], int]:
    """-> info, ret (aclrtGetMemUceInfo)"""

def mem_uce_repair(device_id: int, info: list[dict[str, Any]], /) -> int:
    """-> ret (aclrtMemUceRepair)"""

def allocator_get_by_stream(stream: int, /) -> tuple[int, int, Any, Any, Any, Any, int]:
    """-> desc, allocator, alloc_func, free_func, alloc_advise_func, get_addr_from_block_func, ret (aclrtAllocatorGetByStream)"""
