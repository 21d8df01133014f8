# SPDX-License-Identifier: Apache-2.0
# The page of belay report: web/ bundled by esbuild into one HTML file, as text in web_page_cpp. Without esbuild the text is
# empty; belay report and belay view then refuse, and say why.
set(web_page_html ${CMAKE_CURRENT_BINARY_DIR}/page.html)
set(web_page_cpp ${CMAKE_CURRENT_BINARY_DIR}/page_text.cpp)
file(GLOB web_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*.ts ${PROJECT_SOURCE_DIR}/web/*.css ${PROJECT_SOURCE_DIR}/web/*.html)
find_program(ESBUILD esbuild)
if(ESBUILD)
  set(web_bundle ${CMAKE_CURRENT_BINARY_DIR}/page.js)
  add_custom_command(OUTPUT ${web_page_html} VERBATIM
    COMMAND ${ESBUILD} ${PROJECT_SOURCE_DIR}/web/main.ts --bundle --minify --target=es2020 --format=iife --charset=utf8
      --log-level=warning --outfile=${web_bundle}
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/page ${PROJECT_SOURCE_DIR}/web ${web_bundle} ${web_page_html}
    DEPENDS ${web_sources} ${PROJECT_SOURCE_DIR}/scripts/page)
else()
  message(STATUS "esbuild is not there: belay report, belay view and --html will refuse (scripts/install-deps installs it)")
  file(WRITE ${web_page_html} "")
endif()
add_custom_command(OUTPUT ${web_page_cpp} VERBATIM
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/embed belay::report ${web_page_cpp} page_html=${web_page_html}
  DEPENDS ${PROJECT_SOURCE_DIR}/scripts/embed ${web_page_html})
