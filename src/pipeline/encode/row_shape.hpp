#pragma once

/// \file
/// Checks, before the first row is read, that rows in memory have the shape that a schema requires.

#include <widehash/encoder.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace widehash {

/// Throws ShapeError where `binding` does not belong to `schema`, such as the binding of another encoder;
/// ConfigError where folds are by a field and none is bound; and what check_folds() throws. Cost: O(fields).
void require_binding(const Schema& schema, const FieldBinding& binding);

/// Throws ConfigError where a field of lists is used for something that takes one value per row. `name_of`
/// returns the name of a field for the message. Requires a binding of the schema.
void require_lists_fit(const Schema& schema, const FieldBinding& binding,
                       const std::function<bool(std::size_t field)>& is_list,
                       const std::function<std::string(std::size_t field)>& name_of);

}  // namespace widehash
