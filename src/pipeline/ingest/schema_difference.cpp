#include "schema_difference.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file_names.hpp>

#include <fmt/format.h>

namespace widehash {

std::string schema_difference_note(const std::string& folder, const std::string& fingerprint,
                                   const Schema& schema) {
  try {
    const Schema there = load_schema(in_folder(folder, schema_name));
    if (there.fingerprint() != fingerprint) return "";
    const std::string difference = describe_difference(there, schema);
    return difference.empty() ? "" : fmt::format(" ({})", difference);
  } catch (const Error&) {
    return "";
  }
}

}  // namespace widehash
