# SPDX-License-Identifier: Apache-2.0
# A room is one static library: every .cpp of its folder, linked to the rooms beneath it. It is compiled with the wall of
# each room that it names, a folder with links to that room's headers, and with nothing else: what is not named does not
# compile.

# The public headers: those of the tree, and those that are made from a table, one for each aclnn function.
set(belay_made_headers ${PROJECT_BINARY_DIR}/include)
set(belay_headers ${PROJECT_SOURCE_DIR}/include ${belay_made_headers})
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/scripts/aclnn ${PROJECT_SOURCE_DIR}/abi/aclnn.tsv)
execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/aclnn --headers ${belay_made_headers}
  COMMAND_ERROR_IS_FATAL ANY)

add_library(belay_flags INTERFACE)
target_compile_options(belay_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
target_include_directories(belay_flags INTERFACE ${belay_headers})
target_link_libraries(belay_flags INTERFACE Threads::Threads)
if(BELAY_SANITIZE)
  target_compile_options(belay_flags INTERFACE -fsanitize=${BELAY_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(belay_flags INTERFACE -fsanitize=${BELAY_SANITIZE})
  if(BELAY_SANITIZE MATCHES undefined)
    # C callers may pass any integer where an enum is declared.
    target_compile_options(belay_flags INTERFACE -fno-sanitize=enum -fno-sanitize-recover=undefined)
  endif()
endif()
# For tests in Python that load our libraries: the interpreter is not instrumented, and leaks by design.
if(BELAY_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE asan_runtime
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  # Before libasan looks for it: what our libraries throw goes through it.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.so.6 OUTPUT_VARIABLE standard_library
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(belay_preload LD_PRELOAD=${asan_runtime}:${standard_library} ASAN_OPTIONS=detect_leaks=0)
endif()

# belay_precompile(target headers...): with BELAY_PRECOMPILE these and what nearly every file includes are read once.
set(belay_common_headers <algorithm> <cmath> <cstdint> <cstring> <functional> <map> <memory> <mutex> <optional> <span>
  <string> <string_view> <unordered_map> <vector>)
function(belay_precompile target)
  if(BELAY_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${belay_common_headers} ${ARGN})
    # g++ 12 forgets which of the precompiled headers are the system's, and warns of them; the dev preset watches ours.
    target_compile_options(${target} PRIVATE -fpch-preprocess -w)
  endif()
endfunction()

# belay_links(folder base files...): a folder of links to those files, named by their paths below base. Made anew each time.
function(belay_links folder base)
  file(REMOVE_RECURSE ${folder})
  foreach(file ${ARGN})
    file(RELATIVE_PATH path ${base} ${file})
    cmake_path(GET path PARENT_PATH parent)
    file(MAKE_DIRECTORY ${folder}/${parent})
    file(CREATE_LINK ${file} ${folder}/${path} SYMBOLIC)
  endforeach()
endfunction()

# belay_walls(target rooms...): the target sees the headers that these rooms show.
function(belay_walls target)
  foreach(room ${ARGN})
    string(MAKE_C_IDENTIFIER ${room} id)
    target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/walls/${id})
  endforeach()
endfunction()

# belay_inside(target rooms...): the target sees all of these rooms, and the walls that they see. For tests.
function(belay_inside target)
  foreach(room ${ARGN})
    string(MAKE_C_IDENTIFIER ${room} id)
    get_property(beneath GLOBAL PROPERTY belay_beneath_${id})
    target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/inside/${id})
    belay_walls(${target} ${beneath})
  endforeach()
endfunction()

# belay_declare(name [rooms beneath...] [INNER folders...]): src/<name> is a room. Folders in it that are rooms themselves,
# declared before it, are not of it; those after INNER are, but their headers are not on its wall. Gives room_sources.
function(belay_declare name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "INNER")
  string(MAKE_C_IDENTIFIER ${name} id)
  set(base ${CMAKE_CURRENT_SOURCE_DIR})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${base}/${name}/*.h ${base}/${name}/*.cpp
    ${base}/${name}/*.c)
  get_property(rooms GLOBAL PROPERTY belay_rooms)
  foreach(other ${rooms})
    list(FILTER files EXCLUDE REGEX "^${base}/${other}/")
  endforeach()
  belay_links(${PROJECT_BINARY_DIR}/inside/${id} ${base} ${files})
  set(shown ${files})
  list(FILTER shown INCLUDE REGEX "\\.h$")
  foreach(inner ${room_INNER})
    list(FILTER shown EXCLUDE REGEX "^${base}/${name}/${inner}/")
  endforeach()
  belay_links(${PROJECT_BINARY_DIR}/walls/${id} ${base} ${shown})
  set_property(GLOBAL APPEND PROPERTY belay_rooms ${name})
  set_property(GLOBAL PROPERTY belay_beneath_${id} ${room_UNPARSED_ARGUMENTS})
  list(FILTER files INCLUDE REGEX "\\.c(pp)?$")
  set(room_sources ${files} PARENT_SCOPE)
endfunction()

# belay_room(name [rooms beneath...] [INNER folders...] [LIBS libraries...]): a room that is the target belay_<name>, with
# "_" for "/". One that has only headers so far is an interface library.
function(belay_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "INNER;LIBS")
  set(beneath ${room_UNPARSED_ARGUMENTS})
  string(MAKE_C_IDENTIFIER ${name} id)
  belay_declare(${name} ${beneath} INNER ${room_INNER})
  if(room_sources)
    add_library(belay_${id} STATIC ${room_sources})
    belay_precompile(belay_${id})
    belay_inside(belay_${id} ${name})
    set(scope PUBLIC)
  else()
    add_library(belay_${id} INTERFACE)
    set(scope INTERFACE)
  endif()
  if(BELAY_COVERAGE AND "${name}/" MATCHES "^${BELAY_COVERAGE}/")
    target_compile_options(belay_${id} PRIVATE --coverage -fprofile-update=atomic)
    target_link_options(belay_${id} INTERFACE --coverage)
  endif()
  list(TRANSFORM beneath REPLACE "/" "_")
  list(TRANSFORM beneath PREPEND belay_)
  target_link_libraries(belay_${id} ${scope} belay_flags ${beneath} ${room_LIBS})
endfunction()

# belay_unit_tests(name ROOMS rooms... [WALLS rooms...]): tests/unit/<name> becomes one GoogleTest program. It is linked to
# these rooms, sees the first ones from inside and the walls of the others.
function(belay_unit_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "ROOMS;WALLS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/${name}/*.cpp)
  add_executable(unit_${name} ${sources})
  belay_precompile(unit_${name} <gtest/gtest.h> <gmock/gmock.h>)
  belay_inside(unit_${name} ${test_ROOMS})
  belay_walls(unit_${name} ${test_WALLS})
  set(libraries ${test_ROOMS} ${test_WALLS})
  list(TRANSFORM libraries REPLACE "/" "_")
  list(TRANSFORM libraries PREPEND belay_)
  target_link_libraries(unit_${name} PRIVATE ${libraries} GTest::gtest GTest::gmock GTest::gtest_main)
  target_include_directories(unit_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  gtest_discover_tests(unit_${name} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 600 ENVIRONMENT ASCEND_GLOBAL_LOG_LEVEL=4
    ENVIRONMENT_MODIFICATION BELAY_CORES=set:8)  # so many threads in a loop, wherever it runs
endfunction()

# belay_program(name sources... [LIBS libraries...]): a program as people write them, public headers and -lascendcl. When
# the library is sanitized the program brings the sanitizer's runtime.
function(belay_program name)
  cmake_parse_arguments(PARSE_ARGV 1 program "" "" "LIBS")
  add_executable(${name} ${program_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Werror)
  target_include_directories(${name} PRIVATE ${belay_headers})
  target_link_libraries(${name} PRIVATE ascendcl Threads::Threads ${program_LIBS})
  if(BELAY_SANITIZE)
    target_link_options(${name} PRIVATE -fsanitize=${BELAY_SANITIZE})
  endif()
endfunction()
