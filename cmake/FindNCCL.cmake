# NCCL as NVIDIA's packages install it, next to the toolkit or in the system's folders: a header and a library. Defines
# NCCL::Headers; the library itself is loaded only when needed (src/base/cuda/native/late_library.hpp). The distribution
# has no NCCL of its own.
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV NCCL_HOME PATH_SUFFIXES include)
find_library(NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR} ENV NCCL_HOME PATH_SUFFIXES lib lib64)
if(NCCL_INCLUDE_DIR)
  file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h nccl_numbers REGEX "#define NCCL_(MAJOR|MINOR|PATCH) ")
  list(TRANSFORM nccl_numbers REPLACE "[^0-9]" "")
  list(JOIN nccl_numbers "." NCCL_VERSION)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)
if(NCCL_FOUND AND NOT TARGET NCCL::Headers)
  add_library(NCCL::Headers INTERFACE IMPORTED)
  set_target_properties(NCCL::Headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
endif()
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
