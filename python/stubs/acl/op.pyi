# SPDX-License-Identifier: Apache-2.0
# Made by python/table.py --stubs; not edited by hand.
from collections.abc import Callable
from typing import Any

def set_model_dir(model_dir: str, /) -> int:
    """-> ret (aclopSetModelDir)"""

def load(model: int, model_size: int, /) -> int:
    """-> ret (aclopLoad)"""

def create_attr() -> int:
    """-> attr (aclopCreateAttr)"""

def destroy_attr(attr: int, /) -> None:
    """-> None (aclopDestroyAttr)"""

def set_attr_bool(attr: int, attr_name: str, attr_value: int, /) -> int:
    """-> ret (aclopSetAttrBool)"""

def set_attr_int(attr: int, attr_name: str, attr_value: int, /) -> int:
    """-> ret (aclopSetAttrInt)"""

def set_attr_float(attr: int, attr_name: str, attr_value: float, /) -> int:
    """-> ret (aclopSetAttrFloat)"""

def set_attr_string(attr: int, attr_name: str, attr_value: str, /) -> int:
    """-> ret (aclopSetAttrString)"""

def set_attr_list_bool(attr: int, attr_name: str, attr_value: list[int], /) -> int:
    """-> ret (aclopSetAttrListBool)"""

def set_attr_list_int(attr: int, attr_name: str, attr_value: list[int], /) -> int:
    """-> ret (aclopSetAttrListInt)"""

def set_attr_list_float(attr: int, attr_name: str, attr_value: list[float], /) -> int:
    """-> ret (aclopSetAttrListFloat)"""

def set_attr_list_string(attr: int, attr_name: str, attr_value: list[str], /) -> int:
    """-> ret (aclopSetAttrListString)"""

def set_attr_list_list_int(attr: int, attr_name: str, attr_value: list[list[int]], /) -> int:
    """-> ret (aclopSetAttrListListInt)"""

def execute(op_type: str, input_desc: list[int], inputs: list[int], output_desc: list[int], outputs: list[int], attr: int, stream: int, /) -> int:
    """-> ret (aclopExecute)"""

def execute_v2(op_type: str, input_desc: list[int], inputs: list[int], output_desc: list[int], outputs: list[int], attr: int, stream: int, /) -> int:
    """-> ret (aclopExecuteV2)"""

def create_handle(op_type: str, input_desc: list[int], output_desc: list[int], op_attr: int, /) -> tuple[int, int]:
    """-> handle, ret (aclopCreateHandle)"""

def execute_with_handle(handle: int, inputs: list[int], outputs: list[int], stream: int, /) -> int:
    """-> ret (aclopExecWithHandle)"""

def destroy_handle(handle: int, /) -> None:
    """-> None (aclopDestroyHandle)"""

def cast(src_desc: int, src_buffer: int, dst_desc: int, dst_buffer: int, truncate: int, stream: int, /) -> int:
    """-> ret (aclopCast)"""

def create_handle_for_cast(src_desc: int, dst_desc: int, truncate: int, /) -> tuple[int, int]:
    """-> handle, ret (aclopCreateHandleForCast)"""

def infer_shape(op_type: str, in_desc_list: list[int], in_list: list[int], num_outputs: int, out_desc_list: list[int], attr: int, /) -> int:
    """-> ret (aclopInferShape)"""

def update_params(op_type: str, input_desc: list[int], output_desc: list[int], attr: int, /) -> int:
    """-> ret (aclopUpdateParams)"""

def register_compile_func(op_type: str, func: Callable[..., Any], /) -> int:
    """-> ret (aclopRegisterCompileFunc)"""

def unregister_compile_func(op_type: str, /) -> int:
    """-> ret (aclopUnregisterCompileFunc)"""

def create_kernel(op_type: str, kernel_id: str, kernel_name: str, bin_data: int, bin_size: int, enginetype: int, deallocator: int, /) -> int:
    """-> ret (aclopCreateKernel)"""

def set_kernel_args(kernel_desc: int, kernel_id: str, block_dim: int, args: int, arg_size: int, /) -> int:
    """-> ret (aclopSetKernelArgs)"""

def set_kernel_workspaces_sizes(kernel_desc: int, num: int, sizes_ptr: int, /) -> int:
    """-> ret (aclopSetKernelWorkspaceSizes)"""

def set_max_op_queue_num(max_op_num: int, /) -> int:
    """-> ret (aclopSetMaxOpQueueNum)"""

def start_dump_args(dump_type: int, path: str, /) -> int:
    """-> ret (aclopStartDumpArgs)"""

def stop_dump_args(dump_type: int, /) -> int:
    """-> ret (aclopStopDumpArgs)"""

def set_kernel_workspace_sizes(kernel_desc: int, num: int, sizes_ptr: int, /) -> int:
    """-> ret (aclopSetKernelWorkspaceSizes)"""

def set_attr_data_type(attr: int, attr_name: str, attr_value: int, /) -> tuple[int, int]:
    """-> attr, ret (aclopSetAttrDataType)"""

def set_attr_list_data_type(attr: int, attr_name: str, attr_value: list[int], /) -> tuple[int, int]:
    """-> attr, ret (aclopSetAttrListDataType)"""
