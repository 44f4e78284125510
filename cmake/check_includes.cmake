# cmake -DROOM=room.cmake [-DSTAMP=file] -P check_includes.cmake: fails when a file of a library includes what the library does
# not link. The room says LIBRARY, FILES, ALLOWED (folders, as in "overture/base") and REFUSED (headers in those folders that
# belong to a library that is not linked).
cmake_minimum_required(VERSION 3.22)
include(${ROOM})
set(wrong "")
foreach(file IN LISTS FILES)
  file(STRINGS ${file} lines REGEX "^#include \"overture/[a-z0-9_]+/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" header "${line}")
    get_filename_component(folder ${header} DIRECTORY)
    if(NOT folder IN_LIST ALLOWED OR header IN_LIST REFUSED)
      string(APPEND wrong "\n  ${file} includes ${header}")
    endif()
  endforeach()
endforeach()
if(wrong)
  message(FATAL_ERROR "${LIBRARY} includes what it does not link:${wrong}\n"
    "Includes point one way (docs/ARCHITECTURE.md): add the library to LINKS if that is the right direction, or move the code.")
endif()
if(STAMP)
  file(TOUCH ${STAMP})
endif()
