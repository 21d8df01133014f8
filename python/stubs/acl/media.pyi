# SPDX-License-Identifier: Apache-2.0
# Made by python/table.py --stubs; not edited by hand.
from collections.abc import Callable
from typing import Any

def dvpp_malloc(size: int, /) -> tuple[int, int]:
    """-> dev_ptr, ret (acldvppMalloc)"""

def dvpp_free(dev_ptr: int, /) -> int:
    """-> ret (acldvppFree)"""

def dvpp_create_channel_desc(*arguments: Any) -> int:
    """-> handle (acldvppCreateChannelDesc)"""

def dvpp_destroy_channel_desc(*arguments: Any) -> int:
    """-> ret (acldvppDestroyChannelDesc)"""

def dvpp_create_channel(*arguments: Any) -> int:
    """-> ret (acldvppCreateChannel)"""

def dvpp_destroy_channel(*arguments: Any) -> int:
    """-> ret (acldvppDestroyChannel)"""

def dvpp_create_pic_desc(*arguments: Any) -> int:
    """-> handle (acldvppCreatePicDesc)"""

def dvpp_destroy_pic_desc(*arguments: Any) -> int:
    """-> ret (acldvppDestroyPicDesc)"""

def dvpp_set_pic_desc_data(*arguments: Any) -> int:
    """-> ret (acldvppSetPicDescData)"""

def dvpp_set_pic_desc_size(*arguments: Any) -> int:
    """-> ret (acldvppSetPicDescSize)"""

def dvpp_set_pic_desc_format(*arguments: Any) -> int:
    """-> ret (acldvppSetPicDescFormat)"""

def dvpp_set_pic_desc_width(*arguments: Any) -> int:
    """-> ret (acldvppSetPicDescWidth)"""

def dvpp_set_pic_desc_height(*arguments: Any) -> int:
    """-> ret (acldvppSetPicDescHeight)"""

def dvpp_set_pic_desc_width_stride(*arguments: Any) -> int:
    """-> ret (acldvppSetPicDescWidthStride)"""

def dvpp_set_pic_desc_height_stride(*arguments: Any) -> int:
    """-> ret (acldvppSetPicDescHeightStride)"""

def dvpp_get_pic_desc_data(*arguments: Any) -> int:
    """-> value (acldvppGetPicDescData)"""

def dvpp_get_pic_desc_size(*arguments: Any) -> int:
    """-> value (acldvppGetPicDescSize)"""

def dvpp_get_pic_desc_width(*arguments: Any) -> int:
    """-> value (acldvppGetPicDescWidth)"""

def dvpp_get_pic_desc_height(*arguments: Any) -> int:
    """-> value (acldvppGetPicDescHeight)"""

def dvpp_get_pic_desc_ret_code(*arguments: Any) -> int:
    """-> value (acldvppGetPicDescRetCode)"""

def dvpp_create_roi_config(*arguments: Any) -> int:
    """-> handle (acldvppCreateRoiConfig)"""

def dvpp_destroy_roi_config(*arguments: Any) -> int:
    """-> ret (acldvppDestroyRoiConfig)"""

def dvpp_create_resize_config(*arguments: Any) -> int:
    """-> handle (acldvppCreateResizeConfig)"""

def dvpp_destroy_resize_config(*arguments: Any) -> int:
    """-> ret (acldvppDestroyResizeConfig)"""

def dvpp_create_jpege_config(*arguments: Any) -> int:
    """-> handle (acldvppCreateJpegeConfig)"""

def dvpp_destroy_jpege_config(*arguments: Any) -> int:
    """-> ret (acldvppDestroyJpegeConfig)"""

def dvpp_set_jpege_config_level(*arguments: Any) -> int:
    """-> ret (acldvppSetJpegeConfigLevel)"""

def dvpp_create_stream_desc(*arguments: Any) -> int:
    """-> handle (acldvppCreateStreamDesc)"""

def dvpp_destroy_stream_desc(*arguments: Any) -> int:
    """-> ret (acldvppDestroyStreamDesc)"""

def dvpp_set_stream_desc_data(*arguments: Any) -> int:
    """-> ret (acldvppSetStreamDescData)"""

def dvpp_set_stream_desc_size(*arguments: Any) -> int:
    """-> ret (acldvppSetStreamDescSize)"""

def dvpp_set_stream_desc_format(*arguments: Any) -> int:
    """-> ret (acldvppSetStreamDescFormat)"""

def dvpp_set_stream_desc_timestamp(*arguments: Any) -> int:
    """-> ret (acldvppSetStreamDescTimestamp)"""

def dvpp_set_stream_desc_ret_code(*arguments: Any) -> int:
    """-> ret (acldvppSetStreamDescRetCode)"""

def dvpp_set_stream_desc_eos(*arguments: Any) -> int:
    """-> ret (acldvppSetStreamDescEos)"""

def dvpp_get_stream_desc_data(*arguments: Any) -> int:
    """-> value (acldvppGetStreamDescData)"""

def dvpp_get_stream_desc_size(*arguments: Any) -> int:
    """-> value (acldvppGetStreamDescSize)"""

def dvpp_get_stream_desc_ret_code(*arguments: Any) -> int:
    """-> value (acldvppGetStreamDescRetCode)"""

def dvpp_create_batch_pic_desc(*arguments: Any) -> int:
    """-> handle (acldvppCreateBatchPicDesc)"""

def dvpp_destroy_batch_pic_desc(*arguments: Any) -> int:
    """-> ret (acldvppDestroyBatchPicDesc)"""

def dvpp_get_pic_desc(*arguments: Any) -> int:
    """-> value (acldvppGetPicDesc)"""

def dvpp_vpc_resize_async(*arguments: Any) -> int:
    """-> ret (acldvppVpcResizeAsync)"""

def dvpp_vpc_crop_async(*arguments: Any) -> int:
    """-> ret (acldvppVpcCropAsync)"""

def dvpp_vpc_crop_and_paste_async(*arguments: Any) -> int:
    """-> ret (acldvppVpcCropAndPasteAsync)"""

def dvpp_vpc_batch_crop_async(*arguments: Any) -> int:
    """-> ret (acldvppVpcBatchCropAsync)"""

def dvpp_vpc_batch_crop_and_paste_async(*arguments: Any) -> int:
    """-> ret (acldvppVpcBatchCropAndPasteAsync)"""

def dvpp_jpeg_decode_async(*arguments: Any) -> int:
    """-> ret (acldvppJpegDecodeAsync)"""

def dvpp_jpeg_encode_async(*arguments: Any) -> int:
    """-> ret (acldvppJpegEncodeAsync)"""

def dvpp_jpeg_get_image_info(*arguments: Any) -> int:
    """-> value (acldvppJpegGetImageInfo)"""

def dvpp_jpeg_predict_dec_size(*arguments: Any) -> int:
    """-> ret (acldvppJpegPredictDecSize)"""

def dvpp_jpeg_predict_enc_size(*arguments: Any) -> int:
    """-> ret (acldvppJpegPredictEncSize)"""

def vdec_create_channel_desc(*arguments: Any) -> int:
    """-> handle (aclvdecCreateChannelDesc)"""

def vdec_destroy_channel_desc(*arguments: Any) -> int:
    """-> ret (aclvdecDestroyChannelDesc)"""

def vdec_create_channel(*arguments: Any) -> int:
    """-> ret (aclvdecCreateChannel)"""

def vdec_destroy_channel(*arguments: Any) -> int:
    """-> ret (aclvdecDestroyChannel)"""

def vdec_create_frame_config(*arguments: Any) -> int:
    """-> handle (aclvdecCreateFrameConfig)"""

def vdec_destroy_frame_config(*arguments: Any) -> int:
    """-> ret (aclvdecDestroyFrameConfig)"""

def vdec_send_frame(*arguments: Any) -> int:
    """-> ret (aclvdecSendFrame)"""

def vdec_set_channel_desc_channel_id(*arguments: Any) -> int:
    """-> ret (aclvdecSetChannelDescChannelId)"""

def vdec_set_channel_desc_thread_id(*arguments: Any) -> int:
    """-> ret (aclvdecSetChannelDescThreadId)"""

def vdec_set_channel_desc_callback(*arguments: Any) -> int:
    """-> ret (aclvdecSetChannelDescCallback)"""

def vdec_set_channel_desc_entype(*arguments: Any) -> int:
    """-> ret (aclvdecSetChannelDescEnType)"""

def vdec_set_channel_desc_out_pic_format(*arguments: Any) -> int:
    """-> ret (aclvdecSetChannelDescOutPicFormat)"""

def vdec_set_channel_desc_out_mode(*arguments: Any) -> int:
    """-> ret (aclvdecSetChannelDescOutMode)"""

def vdec_get_channel_desc_out_mode(*arguments: Any) -> int:
    """-> value (aclvdecGetChannelDescOutMode)"""

def venc_create_channel_desc(*arguments: Any) -> int:
    """-> handle (aclvencCreateChannelDesc)"""

def venc_destroy_channel_desc(*arguments: Any) -> int:
    """-> ret (aclvencDestroyChannelDesc)"""

def venc_create_channel(*arguments: Any) -> int:
    """-> ret (aclvencCreateChannel)"""

def venc_destroy_channel(*arguments: Any) -> int:
    """-> ret (aclvencDestroyChannel)"""

def venc_create_frame_config(*arguments: Any) -> int:
    """-> handle (aclvencCreateFrameConfig)"""

def venc_destroy_frame_config(*arguments: Any) -> int:
    """-> ret (aclvencDestroyFrameConfig)"""

def venc_send_frame(*arguments: Any) -> int:
    """-> ret (aclvencSendFrame)"""

def venc_set_channel_desc_thread_id(*arguments: Any) -> int:
    """-> ret (aclvencSetChannelDescThreadId)"""

def venc_set_channel_desc_callback(*arguments: Any) -> int:
    """-> ret (aclvencSetChannelDescCallback)"""

def venc_set_channel_desc_entype(*arguments: Any) -> int:
    """-> ret (aclvencSetChannelDescEnType)"""

def venc_set_channel_desc_pic_format(*arguments: Any) -> int:
    """-> ret (aclvencSetChannelDescPicFormat)"""

def venc_set_channel_desc_pic_width(*arguments: Any) -> int:
    """-> ret (aclvencSetChannelDescPicWidth)"""

def venc_set_channel_desc_pic_height(*arguments: Any) -> int:
    """-> ret (aclvencSetChannelDescPicHeight)"""

def venc_set_channel_desc_key_frame_interval(*arguments: Any) -> int:
    """-> ret (aclvencSetChannelDescKeyFrameInterval)"""

def venc_set_frame_config_eos(*arguments: Any) -> int:
    """-> ret (aclvencSetFrameConfigEos)"""

def venc_set_frame_config_force_i_frame(*arguments: Any) -> int:
    """-> ret (aclvencSetFrameConfigForceIFrame)"""

def venc_get_frame_config_eos(*arguments: Any) -> int:
    """-> value (aclvencGetFrameConfigEos)"""

def venc_get_frame_config_force_i_frame(*arguments: Any) -> int:
    """-> value (aclvencGetFrameConfigForceIFrame)"""
