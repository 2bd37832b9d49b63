# How every target is compiled, and the machines that the formats are defined for.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Shards, tables and models are mapped as they are on disk, and offsets are 64-bit.
if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  message(FATAL_ERROR "widehash needs a 64-bit machine: its files are mapped whole.")
endif()
if(CMAKE_CXX_BYTE_ORDER STREQUAL "BIG_ENDIAN")
  message(FATAL_ERROR "widehash needs a little-endian machine: its files are mapped as they lie.")
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Private options of our own targets; none of them reaches a program that links the library.
add_library(widehash_options INTERFACE)
# -Wrestrict of g++ 12 is wrong about std::string concatenation (GCC bug 105329).
target_compile_options(widehash_options INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wshadow;-Wconversion;-Wno-sign-conversion>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(WIDEHASH_WERROR)
  target_compile_options(widehash_options INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Werror>
                                                    $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
# The same sums on every machine: no contraction of a*b+c unless the source says fma.
target_compile_options(widehash_options INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-ffp-contract=off>
  $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false;-Xcompiler=-ffp-contract=off>)
if(WIDEHASH_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${WIDEHASH_SANITIZE}>
                      $<$<COMPILE_LANGUAGE:C,CXX>:-fno-omit-frame-pointer>
                      $<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize-recover=all>)
  add_link_options(-fsanitize=${WIDEHASH_SANITIZE})
  # Each source that Highway compiles for every instruction set took g++ a minute with these passes, and a third of that
  # without them.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-tree-pta>
                      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fira-region=one>)
  # The code that sanitizers add hides from g++ where a variable is set, so this warning is not an error here.
  target_compile_options(widehash_options INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-error=maybe-uninitialized>)
endif()

find_program(WIDEHASH_CCACHE ccache)
if(WIDEHASH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths within the project are relative to the build folder, so that all checkouts on a machine share compiled
  # objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true ${WIDEHASH_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
