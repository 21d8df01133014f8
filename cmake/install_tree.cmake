# SPDX-License-Identifier: Apache-2.0
# The install tree: every path that the build files and scripts of AscendCL programs look for. It can be moved: links are
# relative, and set_env.sh finds its own place.

# The names under which programs link or load what libascendcl.so holds. Media of the second generation (acl_dvpp_mpi),
# retrieval (acl_retr) and kernel compilation (acl_rtc) are not among them: a missing library is the honest answer.
set(library_names
  acl_rt acl_rt_impl acl_mdl acl_op_executor acl_op_compiler acl_cblas acl_dvpp ascend_dump acl_prof msprofiler profapi
  acl_tdt_channel acl_tdt_queue platform ascendalog nnopbase opapi opapi_math opapi_nn opapi_cv opapi_transformer
  aclnn_ops_infer aclnn_ops_train aclnn_math aclnn_sparse aclnn_fft aclnn_rand funcsim acl
  hccl hccl_fwk hccl_alg hccl_plf hccl_legacy hccl_v2 hcomm)
set(version_packages runtime bisheng-compiler hccl oam-tools ops-legacy compiler opp toolkit)
set(tree ${PROJECT_SOURCE_DIR}/cmake/tree)
set(arch ${CMAKE_SYSTEM_PROCESSOR}-linux)

# belay_link(link target): a symbolic link in the tree; `target` is relative to the link.
function(belay_link link target)
  install(CODE "
    get_filename_component(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${link}\" DIRECTORY)
    file(MAKE_DIRECTORY \"\${folder}\")
    file(CREATE_LINK ${target} \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${link}\" SYMBOLIC)")
endfunction()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ ${belay_made_headers}/ DESTINATION include FILES_MATCHING PATTERN "*.h")
install(TARGETS ascendcl c_sec ascend_dump_parser LIBRARY DESTINATION lib64)
install(FILES ${tree}/set_env.sh DESTINATION .)
install(FILES ${tree}/setenv.bash DESTINATION bin)
install(PROGRAMS ${tree}/msaccucmp.py DESTINATION tools/operator_cmp/compare)
install(FILES ${tree}/ascendc.cmake DESTINATION tikcpp/ascendc_kernel_cmake)
install(DIRECTORY DESTINATION lib64/cmake)
install(DIRECTORY DESTINATION opp)
install(DIRECTORY DESTINATION python/site-packages)
foreach(package ${version_packages})
  set(info ${CMAKE_CURRENT_BINARY_DIR}/version.info)
  file(WRITE ${info} "Version=${PROJECT_VERSION}\n")
  install(FILES ${info} DESTINATION share/info/${package})
endforeach()

foreach(name ${library_names})
  belay_link(lib64/lib${name}.so libascendcl.so)
endforeach()
foreach(name ascendcl c_sec ${library_names})
  belay_link(devlib/lib${name}.so ../lib64/lib${name}.so)
  belay_link(runtime/lib64/lib${name}.so ../../lib64/lib${name}.so)
endforeach()
belay_link(devlib/linux/${CMAKE_SYSTEM_PROCESSOR} ../../lib64)
belay_link(tools/adump/lib64/libascend_dump_parser.so ../../../lib64/libascend_dump_parser.so)
belay_link(aclnn include/aclnn)
belay_link(toolkit/tools ../tools)

# The layout of today's packages by architecture, and the older ones.
foreach(folder include lib64 devlib tikcpp)
  belay_link(${arch}/${folder} ../${folder})
endforeach()
belay_link(runtime/include ../include)
belay_link(runtime/bin ../bin)
belay_link(runtime/lib64/stub ../../lib64)
foreach(older compiler acllib atc)
  belay_link(${older} runtime)
endforeach()
