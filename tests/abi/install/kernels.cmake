# SPDX-License-Identifier: Apache-2.0
# Included with `cmake -P`: the file must load, and ascendc_library must stop.
include($ENV{ASCENDC_CMAKE_DIR}/ascendc.cmake)
message(STATUS "loaded")
ascendc_library(kernels STATIC kernel.cpp)
