#pragma once

/// \file
/// Arrow extension types, which give another meaning to a storage type: bool8 is stored as bytes, and uuid as
/// 16 bytes. Only the name of the extension type identifies them.

#include <widehash/arrow.hpp>

#include <optional>
#include <string_view>

namespace widehash::detail {

/// Returns the extension type named in the metadata of `field`, as a view of the metadata, or nothing for one
/// of Arrow's own types. Throws ShapeError if the metadata is inconsistent.
std::optional<std::string_view> arrow_extension(const ArrowSchema& field);

/// How a column of an extension type is read.
enum class ExtensionTexts {
  booleans,  // as booleans: every byte except 0 is true
  texts,     // as the text that is stored
  none,      // not at all: the stored values are not the logical ones
};
ExtensionTexts extension_texts(std::string_view extension, const ArrowSchema& field);

}  // namespace widehash::detail
