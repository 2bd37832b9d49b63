# Installs headers, libraries and a CMake package; tools/ installs the program. Users then write:
#
#     find_package(widehash REQUIRED)
#     target_link_libraries(etl PRIVATE widehash::widehash)      # or one folder, such as widehash::hashing
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY WIDEHASH_LIBRARIES)
add_library(widehash_all INTERFACE)
add_library(widehash::widehash ALIAS widehash_all)
set_target_properties(widehash_all PROPERTIES EXPORT_NAME widehash)
target_link_libraries(widehash_all INTERFACE ${libraries})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/widehash)
install(TARGETS ${libraries} widehash_all EXPORT widehash-targets)
install(EXPORT widehash-targets NAMESPACE widehash:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/widehash DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.hpp)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/widehash-config.cmake.in
  ${PROJECT_BINARY_DIR}/widehash-config.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/widehash-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/widehash-config.cmake ${PROJECT_BINARY_DIR}/widehash-config-version.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindxxHash.cmake ${CMAKE_CURRENT_LIST_DIR}/FindZstd.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindIsal.cmake ${CMAKE_CURRENT_LIST_DIR}/FindTomlPlusPlus.cmake
        DESTINATION ${package_dir})
