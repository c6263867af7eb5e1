# Compiler settings that every target shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(QIRKAT_CCACHE ccache)
if(QIRKAT_CCACHE)
  # Precompiled headers need these sloppiness settings to be cached at all.
  set(_launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${QIRKAT_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_launcher})
endif()
find_program(QIRKAT_MOLD mold)
if(QIRKAT_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# x86-64-v3 is the floor; what goes beyond it is dispatched at run time by the inference libraries.
# -ffp-contract=off: the same bits from g++ and clang, debug and release.
add_compile_options(-march=x86-64-v3 -ffp-contract=off -Wall -Wextra -Wpedantic
                    -Wno-unknown-pragmas)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-psabi)
endif()
if(QIRKAT_SANITIZE)
  add_compile_options(-fsanitize=${QIRKAT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${QIRKAT_SANITIZE})
endif()

# qirkat_layer(<folder> [dependencies...]): one static library of all sources below the current folder.
# Sources are found, not listed, so that a new game is one folder.
function(qirkat_layer name)
  cmake_parse_arguments(ARG "" "" "EXCLUDE;DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(pattern ${ARG_EXCLUDE})
    list(FILTER sources EXCLUDE REGEX "${CMAKE_CURRENT_SOURCE_DIR}/${pattern}")
  endforeach()
  add_library(qirkat_${name} STATIC ${sources})
  target_include_directories(qirkat_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(qirkat_${name} PUBLIC ${ARG_DEPENDS})
endfunction()
