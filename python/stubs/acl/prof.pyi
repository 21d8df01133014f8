# SPDX-License-Identifier: Apache-2.0
# Made by python/table.py --stubs; not edited by hand.
from collections.abc import Callable
from typing import Any

def init(profiler_result_path: str, /) -> int:
    """-> ret (aclprofInit)"""

def finalize() -> int:
    """-> ret (aclprofFinalize)"""

def create_config(device_list: list[int], aicore_metrics: int, aicore_events: int, data_type_config: int, /) -> int:
    """-> config (aclprofCreateConfig)"""

def destroy_config(profiler_config: int, /) -> int:
    """-> ret (aclprofDestroyConfig)"""

def start(profiler_config: int, /) -> int:
    """-> ret (aclprofStart)"""

def stop(profiler_config: int, /) -> int:
    """-> ret (aclprofStop)"""

def set_config(config_type: int, config: str, /) -> int:
    """-> ret (aclprofSetConfig)"""

def create_stamp() -> int:
    """-> stamp (aclprofCreateStamp)"""

def destroy_stamp(stamp: int, /) -> None:
    """-> None (aclprofDestroyStamp)"""

def set_stamp_trace_message(stamp: int, msg: str, msg_len: int, /) -> int:
    """-> ret (aclprofSetStampTraceMessage)"""

def mark(stamp: int, /) -> int:
    """-> ret (aclprofMark)"""

def mark_ex(msg: str, stream: int, /) -> int:
    """-> ret (aclprofMarkEx)"""

def push(stamp: int, /) -> int:
    """-> ret (aclprofPush)"""

def pop() -> int:
    """-> ret (aclprofPop)"""

def range_start(stamp: int, /) -> tuple[int, int]:
    """-> range_id, ret (aclprofRangeStart)"""

def range_stop(range_id: int, /) -> int:
    """-> ret (aclprofRangeStop)"""

def create_subscribe_config(time_info_switch: int, aicore_metrics: int, fd: int, /) -> int:
    """-> config (aclprofCreateSubscribeConfig)"""

def destroy_subscribe_config(subscribe_config: int, /) -> int:
    """-> ret (aclprofDestroySubscribeConfig)"""

def model_subscribe(model_id: int, subscribe_config: int, /) -> int:
    """-> ret (aclprofModelSubscribe)"""

def model_unsubscribe(model_id: int, /) -> int:
    """-> ret (aclprofModelUnSubscribe)"""

def model_un_subscribe(model_id: int, /) -> int:
    """-> ret (aclprofModelUnSubscribe)"""

def get_op_desc_size() -> tuple[int, int]:
    """-> size, ret (aclprofGetOpDescSize)"""

def get_op_num(op_info: int, op_info_len: int, /) -> tuple[int, int]:
    """-> op_num, ret (aclprofGetOpNum)"""

def get_op_type_len(op_info: int, op_info_len: int, index: int, /) -> tuple[int, int]:
    """-> len, ret (aclprofGetOpTypeLen)"""

def get_op_type(op_info: int, op_info_len: int, index: int, op_type_len: int, /) -> tuple[str, int]:
    """-> op_type, ret (aclprofGetOpType)"""

def get_op_type_v2(op_info: int, op_info_len: int, index: int, /) -> tuple[str, int]:
    """-> op_type, ret"""

def get_op_name_len(op_info: int, op_info_len: int, index: int, /) -> tuple[int, int]:
    """-> len, ret (aclprofGetOpNameLen)"""

def get_op_name(op_info: int, op_info_len: int, index: int, op_name_len: int, /) -> tuple[str, int]:
    """-> op_name, ret (aclprofGetOpName)"""

def get_op_name_v2(op_info: int, op_info_len: int, index: int, /) -> tuple[str, int]:
    """-> op_name, ret"""

def get_op_start(op_info: int, op_info_len: int, index: int, /) -> int:
    """-> time (aclprofGetOpStart)"""

def get_op_end(op_info: int, op_info_len: int, index: int, /) -> int:
    """-> time (aclprofGetOpEnd)"""

def get_op_duration(op_info: int, op_info_len: int, index: int, /) -> int:
    """-> time (aclprofGetOpDuration)"""

def get_model_id(op_info: int, op_info_len: int, index: int, /) -> int:
    """-> model_id (aclprofGetModelId)"""
