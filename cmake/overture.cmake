# Helpers that keep every folder's CMakeLists.txt to a few lines: one library per folder, its tests beside it.

include_guard(GLOBAL)

add_library(overture_options INTERFACE)
target_include_directories(overture_options INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
target_compile_options(overture_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                       -Wno-missing-field-initializers)  # designated initialisers leave out what has a default
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(overture_options INTERFACE -Wno-restrict)  # false alarms on std::string, GCC bug 105329
endif()
if(OVERTURE_WERROR)
  target_compile_options(overture_options INTERFACE -Werror)
endif()
if(OVERTURE_SANITIZE)
  add_compile_options(-fsanitize=${OVERTURE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${OVERTURE_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options(-fno-sanitize=function)  # clang 14 cannot assemble coroutines with it
  endif()
endif()
if(OVERTURE_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# overture_library(name SOURCES a.cpp b.cpp LINKS overture_base fmt::fmt)
# The LINKS lines of all folders together are the picture of which way includes point.
function(overture_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(overture_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(overture_${name} PUBLIC overture_options ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
endfunction()

# overture_test(name SOURCES a_test.cpp LINKS overture_base): one GoogleTest program per folder.
function(overture_test name)
  if(NOT OVERTURE_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE overture_options ${ARG_LINKS} GTest::gtest GTest::gtest_main)
  gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60)
endfunction()

function(overture_summary)
  message(STATUS "overture ${PROJECT_VERSION}: ${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  message(STATUS "  tests ${OVERTURE_TESTS}, benchmarks ${OVERTURE_BENCH}, fuzzers ${OVERTURE_FUZZ}, sanitizers '${OVERTURE_SANITIZE}'")
  if(TARGET overture-ns3)
    message(STATUS "  ns3 backend: overture-ns3, a program of its own")
  else()
    message(STATUS "  ns3 backend: left out; libns3-dev would add it")
  endif()
  if(NOT TARGET overture_flexflow)
    message(STATUS "  FlexFlow task graphs: left out; libflatbuffers-dev and flatbuffers-compiler would add them")
  endif()
  if(OVERTURE_TESTS AND NOT TARGET flow_simgrid_test)
    message(STATUS "  comparison of flows with SimGrid: left out; libsimgrid-dev would add it")
  endif()
endfunction()
