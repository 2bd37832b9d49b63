#pragma once

/// \file
/// Types of Arrow that give others a meaning: bool8 is bytes, uuid is 16 of them, and only their name tells.

#include <widehash/arrow.hpp>

#include <optional>
#include <string_view>

namespace widehash::detail {

/// What the metadata of `field` names as its extension type; nothing where it is of a type of Arrow's own.
/// Looks at the metadata. Throws ShapeError where that contradicts itself.
std::optional<std::string_view> arrow_extension(const ArrowSchema& field);

/// How columns of an extension type are read.
enum class ExtensionTexts {
  booleans,  // bytes that are not 0 for true
  texts,     // as the texts that they are stored as
  none,      // what they are stored as is not what they mean
};
ExtensionTexts extension_texts(std::string_view extension, const ArrowSchema& field);

}  // namespace widehash::detail
