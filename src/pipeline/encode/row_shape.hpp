#pragma once

/// \file
/// Whether rows in memory are of the shape that a schema asks for, which is looked at before the first of
/// them.

#include <widehash/encoder.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace widehash {

/// Throws ShapeError where `binding` is none of `schema`, as that of another encoder is. Cost: O(fields).
void require_binding(const Schema& schema, const FieldBinding& binding);

/// Throws ConfigError where a field that holds lists stands for what has one value a row; `name_of` says what
/// the field is called. Requires a binding of the schema.
void require_lists_fit(const Schema& schema, const FieldBinding& binding,
                       const std::function<bool(std::size_t field)>& is_list,
                       const std::function<std::string(std::size_t field)>& name_of);

}  // namespace widehash
