# SPDX-License-Identifier: Apache-2.0
# A room is one static library: every .cpp of its folder, linked to the rooms beneath it.

add_library(belay_flags INTERFACE)
target_compile_options(belay_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
target_include_directories(belay_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
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

# belay_room(name [rooms beneath...] [LIBS libraries...]): src/<name> becomes the target belay_<name>. A room that has
# only headers so far is an interface library.
function(belay_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "LIBS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(sources)
    add_library(belay_${name} STATIC ${sources})
    belay_precompile(belay_${name})
    set(scope PUBLIC)
  else()
    add_library(belay_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  if(name STREQUAL BELAY_COVERAGE)
    target_compile_options(belay_${name} PRIVATE --coverage -fprofile-update=atomic)
    target_link_options(belay_${name} INTERFACE --coverage)
  endif()
  list(TRANSFORM room_UNPARSED_ARGUMENTS PREPEND belay_)
  target_link_libraries(belay_${name} ${scope} belay_flags ${room_UNPARSED_ARGUMENTS} ${room_LIBS})
endfunction()

# belay_unit_tests(room): tests/unit/<room>/*.cpp become one GoogleTest program linked to that room.
function(belay_unit_tests room)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/${room}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(unit_${room} ${sources})
  belay_precompile(unit_${room} <gtest/gtest.h> <gmock/gmock.h>)
  target_link_libraries(unit_${room} PRIVATE belay_${room} GTest::gtest GTest::gmock GTest::gtest_main)
  target_include_directories(unit_${room} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  gtest_discover_tests(unit_${room} TEST_PREFIX ${room}. DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 600 ENVIRONMENT ASCEND_GLOBAL_LOG_LEVEL=4
    ENVIRONMENT_MODIFICATION BELAY_CORES=set:8)  # so many threads in a loop, wherever it runs
endfunction()

# belay_program(name sources... [LIBS libraries...]): a program as people write them, public headers and -lascendcl. When
# the library is sanitized the program brings the sanitizer's runtime.
function(belay_program name)
  cmake_parse_arguments(PARSE_ARGV 1 program "" "" "LIBS")
  add_executable(${name} ${program_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Werror)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE ascendcl Threads::Threads ${program_LIBS})
  if(BELAY_SANITIZE)
    target_link_options(${name} PRIVATE -fsanitize=${BELAY_SANITIZE})
  endif()
endfunction()
