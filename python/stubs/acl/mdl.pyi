# SPDX-License-Identifier: Apache-2.0
# Made by python/table.py --stubs; not edited by hand.
from collections.abc import Callable
from typing import Any

def load_from_file(model_path: str, /) -> tuple[int, int]:
    """-> model_id, ret (aclmdlLoadFromFile)"""

def load_from_mem(model: int, model_size: int, /) -> tuple[int, int]:
    """-> model_id, ret (aclmdlLoadFromMem)"""

def load_with_config(config_handle: int, /) -> tuple[int, int]:
    """-> model_id, ret (aclmdlLoadWithConfig)"""

def get_desc(model_desc: int, model_id: int, /) -> int:
    """-> ret (aclmdlGetDesc)"""

def get_desc_from_file(model_desc: int, model_path: str, /) -> int:
    """-> ret (aclmdlGetDescFromFile)"""

def get_desc_from_mem(model_desc: int, model: int, model_size: int, /) -> int:
    """-> ret (aclmdlGetDescFromMem)"""

def create_desc() -> int:
    """-> desc (aclmdlCreateDesc)"""

def get_input_dims(model_desc: int, index: int, /) -> tuple[dict[str, Any], int]:
    """-> dims, ret (aclmdlGetInputDims)"""

def get_input_dims_range(model_desc: int, index: int, /) -> tuple[dict[str, Any], int]:
    """-> dims_range, ret (aclmdlGetInputDimsRange)"""

def get_input_dynamic_dims(model_desc: int, index: int, gear_count: int, /) -> tuple[list[dict[str, Any]], int]:
    """-> dims_out, ret (aclmdlGetInputDynamicDims)"""

def get_input_dynamic_gear_count(model_desc: int, index: int, /) -> tuple[int, int]:
    """-> gear_count, ret (aclmdlGetInputDynamicGearCount)"""

def get_dynamic_batch(model_desc: int, /) -> tuple[dict[str, Any], int]:
    """-> batch, ret (aclmdlGetDynamicBatch)"""

def get_dynamic_hw(model_desc: int, index: int, /) -> tuple[dict[str, Any], int]:
    """-> hw_info, ret (aclmdlGetDynamicHW)"""

def set_dynamic_batch_size(model_id: int, dataset: int, index: int, batch_size: int, /) -> int:
    """-> ret (aclmdlSetDynamicBatchSize)"""

def set_input_dynamic_dims(model_id: int, dataset_in: int, index: int, dims: dict[str, Any], /) -> int:
    """-> ret (aclmdlSetInputDynamicDims)"""

def set_dataset_tensor_desc(dataset: int, tensor_desc: int, index: int, /) -> tuple[int, int]:
    """-> dataset, ret (aclmdlSetDatasetTensorDesc)"""

def query_size(file_name: str, /) -> tuple[int, int, int]:
    """-> work_size, weight_size, ret (aclmdlQuerySize)"""

def query_size_from_mem(model: int, model_size: int, /) -> tuple[int, int, int]:
    """-> work_size, weight_size, ret (aclmdlQuerySizeFromMem)"""

def execute(model_id: int, input: int, output: int, /) -> int:
    """-> ret (aclmdlExecute)"""

def execute_async(model_id: int, input: int, output: int, stream: int, /) -> int:
    """-> ret (aclmdlExecuteAsync)"""

def execute_v2(model_id: int, input: int, output: int, stream: int, handle: int, /) -> int:
    """-> ret (aclmdlExecuteV2)"""

def get_input_size_by_index(model_desc: int, index: int, /) -> int:
    """-> size (aclmdlGetInputSizeByIndex)"""

def get_output_size_by_index(model_desc: int, index: int, /) -> int:
    """-> size (aclmdlGetOutputSizeByIndex)"""

def get_dataset_num_buffers(dataset: int, /) -> int:
    """-> num (aclmdlGetDatasetNumBuffers)"""

def create_dataset() -> int:
    """-> dataset (aclmdlCreateDataset)"""

def destroy_dataset(dataset: int, /) -> int:
    """-> ret (aclmdlDestroyDataset)"""

def create_aipp(batch_size: int, /) -> int:
    """-> aipp (aclmdlCreateAIPP)"""

def create_exec_config_handle() -> int:
    """-> handle (aclmdlCreateExecConfigHandle)"""

def set_config_opt(config_handle: int, attr: int, attr_value: int | str, /) -> int:
    """-> ret (aclmdlSetConfigOpt)"""

def set_exec_config_opt(handle: int, attr: int, attr_value: int, /) -> int:
    """-> ret (aclmdlSetExecConfigOpt)"""

def create_and_get_op_desc(device_id: int, stream_id: int, task_id: int, op_name_len: int, /) -> tuple[str, int, int, int, int, int]:
    """-> op_name, input_desc, num_inputs, output_desc, num_outputs, ret (aclmdlCreateAndGetOpDesc)"""

def get_first_aipp_info(model_id: int, index: int, /) -> tuple[dict[str, Any], int]:
    """-> aipp_info, ret (aclmdlGetFirstAippInfo)"""

def get_aipp_type(model_id: int, index: int, /) -> tuple[int, int, int]:
    """-> type, dynamic_attached_data_index, ret (aclmdlGetAippType)"""

def set_input_aipp(model_id: int, dataset: int, index: int, aipp_parms_set: int, /) -> int:
    """-> ret (aclmdlSetInputAIPP)"""

def set_aipp_by_input_index(model_id: int, dataset_in: int, index: int, aipp: int, /) -> int:
    """-> ret (aclmdlSetAIPPByInputIndex)"""

def set_aipp_src_image_size(aipp_parms_set: int, src_image_size_w: int, src_image_size_h: int, /) -> int:
    """-> ret (aclmdlSetAIPPSrcImageSize)"""

def set_aipp_rbuv_swap_switch(aipp_parms_set: int, rbuv_swap_switch: int, /) -> int:
    """-> ret (aclmdlSetAIPPRbuvSwapSwitch)"""

def set_aipp_ax_swap_switch(aipp_parms_set: int, ax_swap_switch: int, /) -> int:
    """-> ret (aclmdlSetAIPPAxSwapSwitch)"""

def set_aipp_crop_params(aipp_parms_set: int, crop_switch: int, crop_start_pos_w: int, crop_start_pos_h: int, crop_size_w: int, crop_size_h: int, batch_index: int, /) -> int:
    """-> ret (aclmdlSetAIPPCropParams)"""

def set_aipp_input_format(aipp_parms_set: int, input_format: int, /) -> int:
    """-> ret (aclmdlSetAIPPInputFormat)"""

def set_aipp_dtc_pixel_mean(aipp_parms_set: int, dtc_pixel_mean_chn0: int, dtc_pixel_mean_chn1: int, dtc_pixel_mean_chn2: int, dtc_pixel_mean_chn3: int, batch_index: int, /) -> int:
    """-> ret (aclmdlSetAIPPDtcPixelMean)"""

def set_aipp_dtc_pixel_min(aipp_parms_set: int, dtc_pixel_min_chn0: float, dtc_pixel_min_chn1: float, dtc_pixel_min_chn2: float, dtc_pixel_min_chn3: float, batch_index: int, /) -> int:
    """-> ret (aclmdlSetAIPPDtcPixelMin)"""

def set_aipp_pixel_var_reci(aipp_parms_set: int, dtc_pixel_var_reci_chn0: float, dtc_pixel_var_reci_chn1: float, dtc_pixel_var_reci_chn2: float, dtc_pixel_var_reci_chn3: float, batch_index: int, /) -> int:
    """-> ret (aclmdlSetAIPPPixelVarReci)"""

def set_aipp_csc_params(aipp_parms_set: int, csc_switch: int, csc_matrix_r0c0: int, csc_matrix_r0c1: int, csc_matrix_r0c2: int, csc_matrix_r1c0: int, csc_matrix_r1c1: int, csc_matrix_r1c2: int, csc_matrix_r2c0: int, csc_matrix_r2c1: int, csc_matrix_r2c2: int, csc_output_bias_r0: int, csc_output_bias_r1: int, csc_output_bias_r2: int, csc_input_bias_r0: int, csc_input_bias_r1: int, csc_input_bias_r2: int, /) -> int:
    """-> ret (aclmdlSetAIPPCscParams)"""

def set_aipp_padding_params(aipp_parms_set: int, padding_switch: int, padding_size_top: int, padding_size_bottom: int, padding_size_left: int, padding_size_right: int, batch_index: int, /) -> int:
    """-> ret (aclmdlSetAIPPPaddingParams)"""

def bundle_load_from_file(model_path: str, /) -> tuple[int, int]:
    """-> bundle_id, ret (aclmdlBundleLoadFromFile)"""

def bundle_load_from_mem(model: int, model_size: int, /) -> tuple[int, int]:
    """-> bundle_id, ret (aclmdlBundleLoadFromMem)"""

def bundle_unload(bundle_id: int, /) -> int:
    """-> ret (aclmdlBundleUnload)"""

def bundle_get_model_num(bundle_id: int, /) -> tuple[int, int]:
    """-> model_num, ret (aclmdlBundleGetModelNum)"""

def bundle_get_model_id(bundle_id: int, index: int, /) -> tuple[int, int]:
    """-> model_id, ret (aclmdlBundleGetModelId)"""

def init_dump() -> int:
    """-> ret (aclmdlInitDump)"""

def set_dump(dump_cfg_path: str | None = None, /) -> int:
    """-> ret (aclmdlSetDump)"""

def get_dataset_buffer(dataset: int, index: int, /) -> int:
    """-> data_buffer (aclmdlGetDatasetBuffer)"""

def get_dataset_tensor_desc(dataset: int, index: int, /) -> int:
    """-> tensor_desc (aclmdlGetDatasetTensorDesc)"""

def dump_reg_callback(mdl_dump_callback: Callable[..., Any], flag: int, /) -> int:
    """-> ret (acldumpRegCallback)"""

def dump_unreg_callback() -> None:
    """-> None (acldumpUnregCallback)"""

def finalize_dump() -> int:
    """-> ret (aclmdlFinalizeDump)"""

def unload(model_id: int, /) -> int:
    """-> ret (aclmdlUnload)"""

def destroy_desc(model_desc: int, /) -> int:
    """-> ret (aclmdlDestroyDesc)"""

def get_num_inputs(model_desc: int, /) -> int:
    """-> num (aclmdlGetNumInputs)"""

def get_num_outputs(model_desc: int, /) -> int:
    """-> num (aclmdlGetNumOutputs)"""

def add_dataset_buffer(dataset: int, data_buffer: int, /) -> tuple[int, int]:
    """-> dataset, ret (aclmdlAddDatasetBuffer)"""

def get_input_name_by_index(model_desc: int, index: int, /) -> str:
    """-> name (aclmdlGetInputNameByIndex)"""

def get_output_name_by_index(model_desc: int, index: int, /) -> str:
    """-> name (aclmdlGetOutputNameByIndex)"""

def get_input_format(model_desc: int, index: int, /) -> int:
    """-> format (aclmdlGetInputFormat)"""

def get_output_format(model_desc: int, index: int, /) -> int:
    """-> format (aclmdlGetOutputFormat)"""

def get_input_data_type(model_desc: int, index: int, /) -> int:
    """-> type (aclmdlGetInputDataType)"""

def get_output_data_type(model_desc: int, index: int, /) -> int:
    """-> type (aclmdlGetOutputDataType)"""

def get_input_index_by_name(model_desc: int, name: str, /) -> tuple[int, int]:
    """-> index, ret (aclmdlGetInputIndexByName)"""

def get_output_index_by_name(model_desc: int, name: str, /) -> tuple[int, int]:
    """-> index, ret (aclmdlGetOutputIndexByName)"""

def get_output_dims(model_desc: int, index: int, /) -> tuple[dict[str, Any], int]:
    """-> dims, ret (aclmdlGetOutputDims)"""

def get_cur_output_dims(model_desc: int, index: int, /) -> tuple[dict[str, Any], int]:
    """-> dims, ret (aclmdlGetCurOutputDims)"""

def get_input_dims_v2(model_desc: int, index: int, /) -> tuple[dict[str, Any], int]:
    """-> dims, ret (aclmdlGetInputDimsV2)"""

def set_dynamic_hw_size(model_id: int, dataset: int, index: int, height: int, width: int, /) -> int:
    """-> ret (aclmdlSetDynamicHWSize)"""

def load_from_file_with_mem(model_path: str, work_ptr: int, work_size: int, weight_ptr: int, weight_size: int, /) -> tuple[int, int]:
    """-> model_id, ret (aclmdlLoadFromFileWithMem)"""

def load_from_mem_with_mem(model: int, model_size: int, work_ptr: int, work_size: int, weight_ptr: int, weight_size: int, /) -> tuple[int, int]:
    """-> model_id, ret (aclmdlLoadFromMemWithMem)"""

def load_from_file_with_q(model_path: str, input_q: int, input_q_num: int, output_q: int, output_q_num: int, /) -> tuple[int, int]:
    """-> model_id, ret (aclmdlLoadFromFileWithQ)"""

def load_from_mem_with_q(model: int, model_size: int, input_q: int, input_q_num: int, output_q: int, output_q_num: int, /) -> tuple[int, int]:
    """-> model_id, ret (aclmdlLoadFromMemWithQ)"""

def get_op_attr(model_desc: int, op_name: str, attr: str, /) -> str:
    """-> attr_value (aclmdlGetOpAttr)"""

def get_tensor_real_name(model_desc: int, name: str, /) -> str:
    """-> real_name (aclmdlGetTensorRealName)"""

def create_config_handle() -> int:
    """-> config_handle (aclmdlCreateConfigHandle)"""

def destroy_config_handle(config_handle: int, /) -> int:
    """-> ret (aclmdlDestroyConfigHandle)"""

def destroy_exec_config_handle(handle: int, /) -> int:
    """-> ret (aclmdlDestroyExecConfigHandle)"""

def destroy_aipp(aipp: int, /) -> int:
    """-> ret (aclmdlDestroyAIPP)"""

def set_aipp_scf_params(aipp_parms_set: int, scf_switch: int, scf_input_size_w: int, scf_input_size_h: int, scf_output_size_w: int, scf_output_size_h: int, batch_index: int, /) -> int:
    """-> ret (aclmdlSetAIPPScfParams)"""

def get_aipp_data_size(batch_size: int, /) -> tuple[int, int]:
    """-> size, ret (aclmdlGetAippDataSize)"""
