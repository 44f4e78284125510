# Helpers that keep every folder's CMakeLists.txt to a few lines: one library per folder, its tests beside it.

include_guard(GLOBAL)
include(rooms)

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
# A folder's files as one: its headers are read once, its templates compiled once. A file in this heap still has to include
# what it uses, since other presets compile it alone.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(unity_default ON)
else()
  set(unity_default OFF)
endif()
option(OVERTURE_UNITY "Compile all files of a folder as one: cheaper at first, dearer after each change" ${unity_default})

# Only for files that are compiled one by one: a folder as one is found again only while none of its files has changed.
if(NOT OVERTURE_UNITY)
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  endif()
endif()

# The standard library is half of what the compiler reads; here it is read once. Not with ccache, which knows a file better
# than its headers, not where warnings are errors: g++ 12 takes what is precompiled for ours and warns of it falsely; and not
# where libraries are compiled with other flags than the one whose headers they would share.
function(overture_precompile target)
  if(CMAKE_CXX_COMPILER_LAUNCHER OR OVERTURE_WERROR OR OVERTURE_FUZZ OR OVERTURE_SANITIZE)
    return()
  endif()
  target_compile_definitions(${target} PRIVATE FMT_CONSTEVAL=)  # format strings are checked where warnings are errors
  target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  if(target STREQUAL overture_base)
    target_precompile_headers(overture_base PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)
  else()
    target_precompile_headers(${target} REUSE_FROM overture_base)
  endif()
endfunction()

function(overture_unite target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${OVERTURE_UNITY} UNITY_BUILD_BATCH_SIZE 0)
  if(OVERTURE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=524288)  # KiB before it first looks for garbage
  endif()
endfunction()

# The Python module is a shared library made of these folders. Without interposition the compiler may do with a function
# whatever it may do in a program, so the program is as fast as without.
function(overture_share target)
  if(OVERTURE_PYTHON_MODULE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  endif()
endfunction()

# What reads, writes and arranges things once per run: the compiler need not try hard.
function(overture_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
endfunction()

# Several folders compiled as one, where folders are: each would read the same headers again, which for small ones is most of
# the cost. To the rest of the build each is still a library, which brings this one.
function(overture_join name)
  set(all overture_${ARG_TOGETHER}_folders)
  if(NOT TARGET ${all})
    overture_compiled(${all} "${ARG_COLD}")
    target_link_libraries(${all} PUBLIC overture_options)
  endif()
  set_property(GLOBAL APPEND PROPERTY OVERTURE_JOINED_${ARG_TOGETHER} overture_${name})
  get_property(joined GLOBAL PROPERTY OVERTURE_JOINED_${ARG_TOGETHER})
  list(REMOVE_ITEM ARG_LINKS ${joined})
  list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(${all} PRIVATE ${ARG_SOURCES})
  target_link_libraries(${all} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  add_dependencies(${all} includes_of_overture_${name})
  add_library(overture_${name} INTERFACE)
  target_link_libraries(overture_${name} INTERFACE ${all})
endfunction()

# A library of sources that are yet to be told.
function(overture_compiled target cold)
  add_library(${target} STATIC)
  overture_precompile(${target})
  overture_unite(${target})
  overture_share(${target})
  if(cold)
    overture_cold(${target})
  endif()
endfunction()

# overture_library(name [COLD] [TOGETHER group] SOURCES a.cpp b.cpp LINKS overture_base fmt::fmt)
# The LINKS lines of all folders together are the picture of which way includes point. A group is all COLD, or not at all.
function(overture_library name)
  cmake_parse_arguments(ARG "COLD" "TOGETHER" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  overture_room(overture_${name} library "${ARG_SOURCES}" "${ARG_LINKS}")
  if(ARG_TOGETHER AND OVERTURE_UNITY AND NOT OVERTURE_FUZZ)  # some folders have flags of their own
    overture_join(${name})
    return()
  endif()
  overture_compiled(overture_${name} "${ARG_COLD}")
  target_sources(overture_${name} PRIVATE ${ARG_SOURCES})
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
  overture_room(${name}_test test "${ARG_SOURCES}" "${ARG_LINKS}")
  overture_precompile(${name}_test)
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
  get_target_property(rpc_definitions overture_rpc INTERFACE_COMPILE_DEFINITIONS)
  if(rpc_definitions MATCHES OVERTURE_MPI)
    message(STATUS "  training under mpirun and srun: with MPI")
  else()
    message(STATUS "  training under mpirun and srun: left out; libopenmpi-dev would add it")
  endif()
  if(rpc_definitions MATCHES OVERTURE_ZMQ)
    message(STATUS "  training by processes started by hand: with ZeroMQ")
  else()
    message(STATUS "  training by processes started by hand: left out; libzmq3-dev would add it")
  endif()
  if(OVERTURE_TESTS AND NOT TARGET flow_simgrid_test)
    message(STATUS "  comparison of flows with SimGrid: left out; libsimgrid-dev would add it")
  endif()
  if(OVERTURE_PYTHON_MODULE)
    message(STATUS "  Python module: for ${Python_EXECUTABLE}, ${Python_VERSION}")
  else()
    message(STATUS "  Python module: left out; pybind11-dev, python3-dev and python3-numpy would add it")
  endif()
  if(OVERTURE_TORCH_PYTHON)
    message(STATUS "  comparison of training with PyTorch: with ${OVERTURE_TORCH_PYTHON}")
  elseif(OVERTURE_TESTS)
    message(STATUS "  comparison of training with PyTorch: left out; python3-torch and python3-numpy would add it")
  endif()
endfunction()
