# SPDX-License-Identifier: Apache-2.0
# Included by build files with and without device kernels. Belay has no compiler for device kernels.
function(ascendc_library target)
  message(FATAL_ERROR
    "ascendc_library(${target}): Belay runs AscendCL programs on the CPU and cannot compile Ascend C kernels. "
    "Build the kernels with the vendor's toolkit, or leave this target out.")
endfunction()
