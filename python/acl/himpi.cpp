// SPDX-License-Identifier: Apache-2.0
// acl.himpi: images and video, second version. There is no C function here to call, so each of them refuses.
#include "refused.h"

namespace belay::python {

PyMethodDef* himpi_methods() {
  static PyMethodDef methods[] = {
      refused<"sys_init", code>(),        refused<"sys_exit", code>(),         refused<"dvpp_malloc", code>(),
      refused<"dvpp_free", code>(),       refused<"vpc_create_chn", code>(),   refused<"vpc_destroy_chn", code>(),
      refused<"vdec_create_chn", code>(), refused<"vdec_destroy_chn", code>(), refused<"vdec_get_pic_buf_size", code>(),
      refused<"venc_create_chn", code>(), refused<"venc_destroy_chn", code>(), {}};
  return methods;
}

}  // namespace belay::python
