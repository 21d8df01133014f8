// SPDX-License-Identifier: Apache-2.0
// acl.mdl: image preprocessing inside a model.
#include "bind.h"

namespace belay::python {

PyMethodDef* mdl_aipp_methods() {
  static PyMethodDef methods[] = {row<"create_aipp", aclmdlCreateAIPP>(),
                                  row<"destroy_aipp", aclmdlDestroyAIPP>(),
                                  row<"get_aipp_data_size", aclmdlGetAippDataSize>(),
                                  row<"get_aipp_type", aclmdlGetAippType>(),
                                  row<"get_first_aipp_info", aclmdlGetFirstAippInfo>(),
                                  row<"set_input_aipp", aclmdlSetInputAIPP>(),
                                  row<"set_aipp_by_input_index", aclmdlSetAIPPByInputIndex>(),
                                  row<"set_aipp_input_format", aclmdlSetAIPPInputFormat>(),
                                  row<"set_aipp_src_image_size", aclmdlSetAIPPSrcImageSize>(),
                                  row<"set_aipp_rbuv_swap_switch", aclmdlSetAIPPRbuvSwapSwitch>(),
                                  row<"set_aipp_ax_swap_switch", aclmdlSetAIPPAxSwapSwitch>(),
                                  row<"set_aipp_crop_params", aclmdlSetAIPPCropParams>(),
                                  row<"set_aipp_scf_params", aclmdlSetAIPPScfParams>(),
                                  row<"set_aipp_padding_params", aclmdlSetAIPPPaddingParams>(),
                                  row<"set_aipp_csc_params", aclmdlSetAIPPCscParams>(),
                                  row<"set_aipp_dtc_pixel_mean", aclmdlSetAIPPDtcPixelMean>(),
                                  row<"set_aipp_dtc_pixel_min", aclmdlSetAIPPDtcPixelMin>(),
                                  row<"set_aipp_pixel_var_reci", aclmdlSetAIPPPixelVarReci>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
