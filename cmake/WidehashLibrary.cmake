# widehash_library(<folder name> SOURCES ... PUBLIC ... PRIVATE ...)
# Defines one static library per folder of the project, exported as widehash::<name>. PUBLIC names the lower folders
# that its headers use; PRIVATE, what only its sources use. The link graph is the layering of docs/design.md. A folder
# of folders has no sources: its library is a name for all of theirs.
include(GNUInstallDirs)
set_property(GLOBAL PROPERTY WIDEHASH_LIBRARIES "")

function(widehash_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY WIDEHASH_LIBRARIES widehash_${name})
  if(NOT arg_SOURCES)
    add_library(widehash_${name} INTERFACE)
    add_library(widehash::${name} ALIAS widehash_${name})
    set_target_properties(widehash_${name} PROPERTIES EXPORT_NAME ${name})
    target_link_libraries(widehash_${name} INTERFACE ${arg_PUBLIC})
    return()
  endif()
  add_library(widehash_${name} STATIC ${arg_SOURCES})
  add_library(widehash::${name} ALIAS widehash_${name})
  set_target_properties(widehash_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(widehash_${name} PUBLIC cxx_std_20)
  target_include_directories(widehash_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(widehash_${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE}
                        $<BUILD_INTERFACE:widehash_options>)
endfunction()
