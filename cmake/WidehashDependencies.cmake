# Every library comes from the distribution; nothing is downloaded while building.
# docs/design.md says why each was chosen.

find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(xxHash REQUIRED)
find_package(Zstd REQUIRED)
find_package(Isal REQUIRED)
find_package(TomlPlusPlus REQUIRED)
find_package(hwy CONFIG REQUIRED)

# widehash_optional(<ON|OFF|AUTO setting> <package> <result variable>): honours AUTO by looking quietly.
macro(widehash_optional setting package result)
  set(${result} OFF)
  if(NOT "${${setting}}" STREQUAL "OFF")
    if("${${setting}}" STREQUAL "ON")
      find_package(${package} REQUIRED)
    else()
      find_package(${package} QUIET)
    endif()
    set(${result} ${${package}_FOUND})
  endif()
endmacro()

widehash_optional(WIDEHASH_CUDA CUDAToolkit WIDEHASH_HAVE_CUDA)
if(WIDEHASH_MPI STREQUAL "AUTO" OR WIDEHASH_MPI STREQUAL "ON")
  enable_language(C) # FindMPI asks for the language it looks for; CXX alone leaves it half found
endif()
widehash_optional(WIDEHASH_MPI MPI WIDEHASH_HAVE_MPI)
message(STATUS "widehash: CUDA ${WIDEHASH_HAVE_CUDA}, MPI ${WIDEHASH_HAVE_MPI}")
