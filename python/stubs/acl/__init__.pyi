# SPDX-License-Identifier: Apache-2.0
# Made by python/table.py --stubs; not edited by hand.
from collections.abc import Callable
from typing import Any

from . import blas as blas, himpi as himpi, mdl as mdl, media as media, op as op, prof as prof, rt as rt, tdt as tdt, util as util

def create_data_buffer(data: int, size: int, /) -> int:
    """-> data_buffer (aclCreateDataBuffer)"""

def destroy_data_buffer(data_buffer: int, /) -> int:
    """-> ret (aclDestroyDataBuffer)"""

def get_data_buffer_addr(data_buffer: int, /) -> int:
    """-> addr (aclGetDataBufferAddr)"""

def get_data_buffer_size(data_buffer: int, /) -> int:
    """-> size (aclGetDataBufferSize)"""

def get_data_buffer_size_v2(data_buffer: int, /) -> int:
    """-> size (aclGetDataBufferSizeV2)"""

def update_data_buffer(data_buffer: int, data: int, size: int, /) -> int:
    """-> ret (aclUpdateDataBuffer)"""

def create_tensor_desc(data_type: int, dims: list[int], format: int, /) -> int:
    """-> desc (aclCreateTensorDesc)"""

def destroy_tensor_desc(desc: int, /) -> None:
    """-> None (aclDestroyTensorDesc)"""

def get_tensor_desc_by_index(desc: int, index: int, /) -> int:
    """-> desc (aclGetTensorDescByIndex)"""

def get_tensor_desc_address(desc: int, /) -> int:
    """-> addr (aclGetTensorDescAddress)"""

def get_tensor_desc_type(desc: int, /) -> int:
    """-> type (aclGetTensorDescType)"""

def get_tensor_desc_format(desc: int, /) -> int:
    """-> format (aclGetTensorDescFormat)"""

def get_tensor_desc_size(desc: int, /) -> int:
    """-> size (aclGetTensorDescSize)"""

def get_tensor_desc_element_count(desc: int, /) -> int:
    """-> count (aclGetTensorDescElementCount)"""

def get_tensor_desc_num_dims(desc: int, /) -> int:
    """-> num (aclGetTensorDescNumDims)"""

def get_tensor_desc_dim(desc: int, index: int, /) -> int:
    """-> size (aclGetTensorDescDim)"""

def get_tensor_desc_dim_v2(desc: int, index: int, /) -> tuple[int, int]:
    """-> dim, ret (aclGetTensorDescDimV2)"""

def get_tensor_desc_dim_range(desc: int, index: int, dim_range_num: int, /) -> tuple[list[int], int]:
    """-> dim_range, ret (aclGetTensorDescDimRange)"""

def get_tensor_desc_name(desc: int, /) -> str:
    """-> name (aclGetTensorDescName)"""

def set_tensor_desc_name(desc: int, name: str, /) -> None:
    """-> None (aclSetTensorDescName)"""

def set_tensor_const(desc: int, data_buffer: int, length: int, /) -> int:
    """-> ret (aclSetTensorConst)"""

def set_tensor_place_ment(desc: int, mem_type: int, /) -> int:
    """-> ret (aclSetTensorPlaceMent)"""

def set_tensor_shape_range(desc: int, dims_range: list[list[int]], /) -> int:
    """-> ret (aclSetTensorShapeRange)"""

def set_tensor_value_range(desc: int, value_range: list[list[int]], /) -> int:
    """-> ret (aclSetTensorValueRange)"""

def set_tensor_origin_shape(desc: int, dims: list[int], /) -> int:
    """-> ret (aclSetTensorOriginShape)"""

def set_tensor_origin_format(desc: int, format: int, /) -> int:
    """-> ret (aclSetTensorOriginFormat)"""

def set_tensor_storage_shape(desc: int, dims: list[int], /) -> int:
    """-> ret (aclSetTensorStorageShape)"""

def set_tensor_storage_format(desc: int, format: int, /) -> int:
    """-> ret (aclSetTensorStorageFormat)"""

def set_tensor_shape(desc: int, dims: list[int], /) -> int:
    """-> ret (aclSetTensorShape)"""

def set_tensor_format(desc: int, format: int, /) -> int:
    """-> ret (aclSetTensorFormat)"""

def set_tensor_dynamic_input(desc: int, dynamic_input_name: str, /) -> int:
    """-> ret (aclSetTensorDynamicInput)"""

def trans_tensor_desc_format(src_desc: int, dst_format: int, /) -> tuple[int, int]:
    """-> dst_desc, ret (aclTransTensorDescFormat)"""

def data_type_size(data_type: int, /) -> int:
    """-> size (aclDataTypeSize)"""

def init(config_path: str | None = None, /) -> int:
    """-> ret (aclInit)"""

def finalize() -> int:
    """-> ret (aclFinalize)"""

def get_soc_name() -> str | None:
    """-> name (aclrtGetSocName)"""

def get_recent_err_msg() -> str | None:
    """-> msg (aclGetRecentErrMsg)"""

def app_log(level: int, message: str, /) -> None:
    """-> None (aclAppLog)"""

def get_version() -> tuple[int, int, int, int]:
    """-> major, minor, patch, ret (aclrtGetVersion)"""

def float16_to_float(value: int, /) -> float:
    """-> value (aclFloat16ToFloat)"""

def float_to_float16(value: float, /) -> int:
    """-> value (aclFloatToFloat16)"""

def get_cann_attribute_list() -> tuple[list[int], int, int]:
    """-> attributes, num, ret (aclGetCannAttributeList)"""

def get_cann_attribute(attr: int, /) -> tuple[int, int]:
    """-> value, ret (aclGetCannAttribute)"""

def get_device_capability(device_id: int, info: int, /) -> tuple[int, int]:
    """-> value, ret (aclGetDeviceCapability)"""

def get_cann_version(name: int, /) -> tuple[dict[str, Any], int]:
    """-> version, ret (aclsysGetCANNVersion)"""

def get_version_str(pkg_name: str, /) -> tuple[str, int]:
    """-> version, ret (aclsysGetVersionStr)"""

def finalize_reference() -> tuple[int, int]:
    """-> count, ret (aclFinalizeReference)"""
