# SPDX-License-Identifier: Apache-2.0
# The install tree: every path that build files of AscendCL programs look for.
include(GNUInstallDirs)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION include FILES_MATCHING PATTERN "*.h")
install(TARGETS ascendcl LIBRARY DESTINATION lib64)
