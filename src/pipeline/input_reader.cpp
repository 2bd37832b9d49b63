#include "input_reader.hpp"

#include <widehash/byte_source.hpp>
#include <widehash/dialect_guess.hpp>

#include <set>
#include <string_view>
#include <utility>

namespace widehash {
namespace {

// Whether a file with a header could have a single field and still all that is asked of it.
bool one_field_suffices(const Schema& schema, bool needs_label) {
  std::set<std::string_view> needed;
  if (needs_label && !schema.label.field.empty()) needed.insert(schema.label.field);
  if (needs_label && !schema.weight.empty()) needed.insert(schema.weight);
  for (const Feature& feature : schema.features) {
    if (feature.encoding != Encoding::ignore) needed.insert(feature.fields.begin(), feature.fields.end());
  }
  return needed.size() <= 1;
}

}  // namespace

Dialect dialect_of(const Schema& schema) {
  return {schema.delimiter, schema.quote, schema.trim, schema.max_field_bytes};
}

InputReader::InputReader(const Schema& schema, const RowRules& rules, const Input& input,
                         std::uint64_t block_bytes, bool needs_label) {
  const Dialect dialect = dialect_of(schema);
  auto source = open_text(input);
  bool has_one_field = !schema.header && schema.fields.size() == 1;
  if (schema.header && one_field_suffices(schema, needs_label)) {
    // With one field a blank line is a row, and that must be known before the first row is cut.
    std::string sample = read_sample(*source);
    const DialectHints known{dialect.delimiter, dialect.quote, dialect.trim, true};
    has_one_field = guess_dialect(sample, sample.size() < sample_bytes, known).fields.size() == 1;
    source = put_back(std::move(sample), std::move(source));
  }
  reader_ = std::make_unique<BlockReader>(std::move(source), input.name(), dialect, schema.header,
                                          block_bytes, has_one_field);
  const auto& names = schema.header ? reader_->header_fields() : schema.fields;
  start_.header_lines = reader_->header_lines();
  start_.dealt_by_block = reader_->leave_on_disk(input);
  start_.binding = std::make_shared<const FieldBinding>(rules.bind(names, input.name(), needs_label));
}

InputAhead::InputAhead(std::function<InputReader()> open, std::size_t num_blocks)
    : open_(std::move(open)), num_blocks_(num_blocks), thread_([this] { read(); }) {}

InputAhead::~InputAhead() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void InputAhead::read() {
  try {
    InputReader reader = open_();
    std::unique_lock lock(mutex_);
    start_ = std::make_unique<InputStart>(reader.start());
    changed_.notify_all();
    while (!is_stopped_) {
      Waiting next;
      next.block.bytes = std::exchange(spare_text_, {});
      lock.unlock();
      const bool is_block = reader.next(next.block);
      next.position = reader.position();
      lock.lock();
      if (!is_block) {
        end_position_ = next.position;
        break;
      }
      waiting_.push_back(std::move(next));
      changed_.notify_all();
      changed_.wait(lock, [&] { return is_stopped_ || waiting_.size() < num_blocks_; });
    }
    is_at_end_ = true;
    changed_.notify_all();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    problem_ = std::current_exception();
    changed_.notify_all();
  }
}

const InputStart& InputAhead::start() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return start_ != nullptr || problem_ != nullptr; });
  if (start_ == nullptr) std::rethrow_exception(problem_);
  return *start_;
}

bool InputAhead::next(Block& block) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !waiting_.empty() || is_at_end_ || problem_ != nullptr; });
  if (waiting_.empty()) {
    if (problem_ != nullptr) std::rethrow_exception(problem_);
    position_ = end_position_;
    return false;
  }
  if (spare_text_.capacity() == 0) spare_text_ = std::move(block.bytes);
  block = std::move(waiting_.front().block);
  position_ = waiting_.front().position;
  waiting_.pop_front();
  changed_.notify_all();
  return true;
}

}  // namespace widehash
