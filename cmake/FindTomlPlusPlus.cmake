# Uses toml++ header-only, so that no particular build of its library is needed. Defines TomlPlusPlus::TomlPlusPlus.
find_path(TomlPlusPlus_INCLUDE_DIR toml++/toml.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TomlPlusPlus REQUIRED_VARS TomlPlusPlus_INCLUDE_DIR)
if(TomlPlusPlus_FOUND AND NOT TARGET TomlPlusPlus::TomlPlusPlus)
  add_library(TomlPlusPlus::TomlPlusPlus INTERFACE IMPORTED)
  set_target_properties(TomlPlusPlus::TomlPlusPlus PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${TomlPlusPlus_INCLUDE_DIR}
    INTERFACE_COMPILE_DEFINITIONS TOML_HEADER_ONLY=1)
endif()
mark_as_advanced(TomlPlusPlus_INCLUDE_DIR)
