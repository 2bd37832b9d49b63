#include <widehash/error.hpp>
#include <widehash/value_column.hpp>

#include <string>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

class MissingColumn final : public ValueColumn {
 public:
  explicit MissingColumn(std::size_t num_rows) noexcept : ValueColumn(num_rows) {}

  void read(std::size_t, std::size_t count, std::string_view* texts, std::size_t stride,
            TextRoom&) const override {
    for (std::size_t i = 0; i < count; ++i) texts[i * stride] = {};
  }
};

class UnreadableColumn final : public ValueColumn {
 public:
  UnreadableColumn(std::size_t num_rows, std::string name, std::string type, std::string remedy)
      : ValueColumn(num_rows), name_(std::move(name)), type_(std::move(type)), remedy_(std::move(remedy)) {}

  void read(std::size_t, std::size_t, std::string_view*, std::size_t, TextRoom&) const override {
    require_readable();
  }

  void require_readable() const override {
    if (!remedy_.empty()) throw ConfigError(fmt::format("column '{}' has {}; {}", name_, type_, remedy_));
    throw ConfigError(
        fmt::format("column '{}' has {}, which has no single text form; convert it to text, written as in "
                    "the files the model is trained on",
                    name_, type_));
  }

 private:
  std::string name_;
  std::string type_;
  std::string remedy_;
};

}  // namespace

void ValueColumn::read_indices(std::size_t, std::size_t, std::uint32_t*) const {
  throw ShapeError("a column without a dictionary has no indices");
}

void ValueColumn::read_lists(std::size_t, std::size_t, std::string_view*, std::size_t, TextRoom&) const {
  throw ShapeError("a column whose rows hold one value each has no lists");
}

ValueColumnPointer unreadable_column(std::size_t num_rows, std::string name, std::string type,
                                     std::string remedy) {
  return std::make_shared<UnreadableColumn>(num_rows, std::move(name), std::move(type), std::move(remedy));
}

ValueColumnPointer missing_column(std::size_t num_rows) { return std::make_shared<MissingColumn>(num_rows); }

}  // namespace widehash
