#include "batch_stream.hpp"

#include <widehash/batch_reader.hpp>
#include <widehash/error.hpp>

#include <utility>

namespace widehash {

struct BatchReader::Impl {
  std::shared_ptr<const Dataset> dataset;
  BatchStream stream;
  BatchPlan plan = {};

  Impl(std::shared_ptr<const Dataset> given, const BatchReaderOptions& options)
      : dataset(std::move(given)),
        stream(*dataset, options.rows, options.seed.value_or(0), options.seed.has_value()) {
    stream.start(options.epoch);
  }
};

BatchReader::BatchReader(std::shared_ptr<const Dataset> dataset, const BatchReaderOptions& options) {
  if (options.rows == 0) throw ConfigError("batches cannot have 0 rows; give at least 1");
  if (dataset == nullptr) throw ConfigError("a batch reader needs a dataset");
  impl_ = std::make_unique<Impl>(std::move(dataset), options);
}
BatchReader::~BatchReader() = default;
BatchReader::BatchReader(BatchReader&&) noexcept = default;
BatchReader& BatchReader::operator=(BatchReader&&) noexcept = default;

std::uint64_t BatchReader::num_batches() const noexcept { return impl_->stream.num_batches(); }

bool BatchReader::next(CodeBatch& batch) {
  const CodeLayout* const layout = batch.view().layout;
  if (layout == nullptr || !same_layout(*layout, *impl_->dataset->layout()))
    throw ShapeError("the batch has another layout than the dataset; make it as CodeBatch(dataset.layout())");
  if (!impl_->stream.next_plan(impl_->plan)) return false;
  BatchStream::gather(impl_->plan, batch);
  return true;
}

}  // namespace widehash
